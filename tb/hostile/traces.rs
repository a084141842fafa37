//! Op traces, lists of frames and campaigns with nothing in them, or with what is no text.

use super::common::refused;

#[test]
fn what_has_no_op_and_no_frame_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("ops.csv"), "# a note\ntime_ns,op,conn\n# another\n").unwrap();
    refused(at, &["cosim", "--core", "reps", "--ops", "ops.csv"], &["ops.csv:2:", "no op follows"]);
    std::fs::write(at.join("frames.csv"), "ev,timestamp,enable,reset_after,frame\n").unwrap();
    let run = ["cosim", "--core", "rewrite_tx", "--frames", "frames.csv"];
    refused(at, &run, &["frames.csv:1:", "no frame follows"]);
}

#[test]
fn what_is_not_utf8_is_refused_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let said = ["x.csv:2: not UTF-8 text"];
    for (core, option, texts) in [
        (
            "reps",
            "--ops",
            [&b"time_ns,op,conn\n1,s\xff,0\n"[..], b"#\n# \xff\ntime_ns,op,conn\n", b"#\ntime_\xff\n"],
        ),
        (
            "rewrite_rx",
            "--frames",
            [b"ev,timestamp,enable,reset_after,frame\n\xff,2,1,,00\n", b"#\n# \xff\n", b"#\nev,\xff\n"],
        ),
    ] {
        for text in texts {
            std::fs::write(at.join("x.csv"), text).unwrap();
            refused(at, &["cosim", "--core", core, option, "x.csv"], &said);
        }
    }
}

#[test]
fn seeds_end_where_numbers_do() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let sack = ["cosim", "--core", "sack", "--packets", "16"];
    refused(at, &[&sack[..], &["--seeds", "0"]].concat(), &["--seeds is `0`; allowed: 1 to 1000000000"]);
    for (seed, seeds) in [("18446744073709551615", "2"), ("18446744072709551617", "1000000000")] {
        let said = format!("`seeds` is {seeds} from seed {seed} on");
        refused(at, &[&sack[..], &["--seed", seed, "--seeds", seeds]].concat(), &[&said]);
    }
    let last = [&sack[..], &["--seed", "18446744073709551615", "--json", "-"]].concat();
    let json = super::common::json(&super::common::respray(at, &last));
    assert_eq!((&json["seeds"], &json["result"]), (&1.into(), &"pass".into()));
}
