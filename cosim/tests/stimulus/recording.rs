//! The figures of a recording.

use respray_cosim::traffic::recording::PathFigures;

#[test]
fn a_path_of_a_recording_lists_its_evs_or_only_counts_them() {
    let read = |evs: &str| -> PathFigures {
        serde_json::from_str(&format!(r#"{{"packets":9,"ce":0,"dropped":0,"evs":{evs}}}"#)).unwrap()
    };
    let (counted, listed) = (read("85").evs, read("[3,500]").evs);
    assert_eq!((counted.count(), counted.listed()), (85, None));
    assert_eq!((listed.count(), listed.listed()), (2, Some(&[3, 500][..])));
}
