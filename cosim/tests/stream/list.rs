//! Lists of frames, written and read.

use respray_cosim::stream::list::{FrameList, ListError};
use respray_cosim::stream::{Frame, Pace, Pacing};

const HEAD: &str = "ev,timestamp,enable,reset_after,frame";
const HEAD_WITH_INPUT: &str = "input,ev,timestamp,enable,reset_after,frame";

#[test]
fn what_is_written_is_read() {
    let frame =
        Frame { input: 0, data: vec![0xab; 60], ev: 1, timestamp: 2, enable: true, ..Frame::default() };
    let mut list = FrameList {
        notes: Vec::new(),
        pacing: Pace { gap: 0.25, stall: 0.5, seed: 9 }.into(),
        frames: vec![frame.clone(), Frame { enable: false, reset_after: Some(3), data: vec![1], ..frame }],
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("frames.csv");
    let mut head_of = |input| {
        list.frames[0].input = input;
        list.write(&path).unwrap();
        assert_eq!(FrameList::read(&path).unwrap(), list);
        let text = std::fs::read_to_string(&path).unwrap();
        text.lines().find(|line| !line.starts_with('#')).unwrap().to_string()
    };
    assert_eq!(head_of(0), HEAD);
    assert_eq!(head_of(2), HEAD_WITH_INPUT);
    list.pacing = Pacing::Phases { seed: 9, first: 17 };
    list.write(&path).unwrap();
    assert_eq!(FrameList::read(&path).unwrap(), list);
}

#[test]
fn each_number_is_taken_at_its_ends_and_refused_beyond() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.csv");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        FrameList::read(&path).map_err(|error| error.to_string())
    };
    let line = "1,2,3,1,4,00";
    for (place, name, most) in
        [(0, "input", 255), (1, "ev", 65_535), (2, "timestamp", 65_535), (4, "reset_after", 65_535)]
    {
        let with = |value: &str| {
            let mut fields: Vec<&str> = line.split(',').collect();
            fields[place] = value;
            read(&format!("{HEAD_WITH_INPUT}\n{}\n", fields.join(",")))
        };
        [0, most].iter().for_each(|value| drop(with(&value.to_string()).unwrap()));
        for value in [(most + 1).to_string().as_str(), "-1", "1e3", "x", "18446744073709551616"] {
            let said = with(value).unwrap_err();
            assert!(said.ends_with(&format!("`{name}` is `{value}`; allowed: 0 to {most}")), "{said}");
        }
    }
    for (note, key, most) in [
        ("phase=1 seed=VALUE", "seed", u128::from(u64::MAX)),
        ("gap=0 stall=0 seed=VALUE", "seed", u128::from(u64::MAX)),
        ("phase=VALUE seed=1", "phase", 1 << 48),
    ] {
        let with = |value: &str| read(&format!("# {}\n{HEAD}\n1,2,1,,00\n", note.replace("VALUE", value)));
        [0, most].iter().for_each(|value| drop(with(&value.to_string()).unwrap()));
        for value in [(most + 1).to_string().as_str(), "-1", "1e3", "x"] {
            let said = with(value).unwrap_err();
            assert!(said.ends_with(&format!("`{key}` is `{value}`; allowed: 0 to {most}")), "{said}");
        }
    }
}

#[test]
fn what_is_no_list_is_refused_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.csv");
    let said = |text: &str| {
        std::fs::write(&path, text).unwrap();
        match FrameList::read(&path) {
            Err(ListError::Line { line, what, .. }) => (line, what),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(said("x").0, 1);
    assert_eq!(said(&format!("# note\n{HEAD}\n")), (2, "no frame follows".to_string()));
    let line = |line: &str| {
        let (number, what) = said(&format!("{HEAD}\n1,2,1,,00\n{line}\n"));
        assert_eq!(number, 3);
        what
    };
    assert_eq!(line("1,2,1,00"), format!("4 fields; expected: {HEAD}"));
    assert_eq!(line("65536,2,1,,00"), "`ev` is `65536`; allowed: 0 to 65535");
    assert_eq!(line("1,2,2,,00"), "`enable` is `2`; allowed: 0, 1");
    assert_eq!(line("1,2,1,x,00"), "`reset_after` is `x`; allowed: 0 to 65535");
    for data in ["", "0", "0g", "äö"] {
        assert!(line(&format!("1,2,1,,{data}")).starts_with("`frame` is not"));
    }
    assert_eq!(said("# gap=1 stall=0").1, "`gap` is `1`; allowed: 0 to below 1");
    assert_eq!(said("# phase=1 seed=x").1, "`seed` is `x`; allowed: 0 to 18446744073709551615");
    assert_eq!(said("# phase=1 gap=0").1, "`gap` is none of phase and seed");
}
