//! Captures with nothing in them, and captures that end too early.

use super::common::{json, pcap, pcap_head, record, refused, respray, stderr, stdout};

#[test]
fn a_header_without_a_frame_is_said_to_be_that() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("head.pcap"), pcap_head(1)).unwrap();
    std::fs::write(at.join("empty.pcap"), "").unwrap();
    let unsent = [pcap_head(1), record(1, &[], 60), record(2, &[1; 60], 65_536)].concat();
    std::fs::write(at.join("unsent.pcap"), unsent).unwrap();
    for (file, said) in [
        ("head.pcap", "head.pcap: the capture has a header and no frame behind it"),
        ("empty.pcap", "empty.pcap: the file is empty"),
        ("unsent.pcap", "unsent.pcap: none of the 2 frames has 1 to 65535 bytes"),
    ] {
        refused(at, &["cosim", "--core", "rewrite_tx", "--traffic", file], &[said]);
    }
}

#[test]
fn a_capture_that_is_cut_runs_up_to_there_with_a_warning_unless_strict() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let whole = pcap(&[&[1; 60], &[2; 60], &[3; 60]]);
    std::fs::write(at.join("cut.pcap"), &whole[..whole.len() - 1]).unwrap();
    let sentence = "cut.pcap: byte 176 (frame 3): the record needs 76 bytes and the file ends after 75";
    for run in [
        &["cosim", "--core", "rewrite_rx", "--json", "-", "--traffic", "cut.pcap"][..],
        &["traffic", "info", "--json", "-", "cut.pcap"],
    ] {
        let output = respray(at, run);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let warning = format!("{sentence}; what stands before it was read");
        assert_eq!(stderr(&output), format!("respray: warning: {warning}\n"));
        let json = json(&output);
        assert_eq!((&json["frames"], &json["warnings"][0]), (&2.into(), &warning.into()));
        refused(at, &[run, &["--strict"]].concat(), &[sentence]);
    }
    std::fs::write(at.join("cut.pcap"), &whole[..100 - 1]).unwrap();
    let run = ["cosim", "--core", "rewrite_rx", "--traffic", "cut.pcap"];
    refused(at, &run, &["byte 24 (frame 1): the record needs 76 bytes"]);
}

#[test]
fn a_recording_that_was_broken_off_runs_on_a_core_that_takes_ops() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/tb/recordings/steady-sender.pcap.gz");
    let bytes = std::fs::read(recording).unwrap();
    std::fs::write(at.join("cut.pcap.gz"), &bytes[..bytes.len() / 2]).unwrap();
    let run = ["cosim", "--core", "reps", "--json", "-", "--traffic", "cut.pcap.gz"];
    let output = respray(at, &run);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json = json(&output);
    assert!(json["sends"].as_u64().unwrap() > 100);
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1);
    assert!(stderr(&output).starts_with("respray: warning: cut.pcap.gz: byte "), "{}", stderr(&output));
    refused(at, &[&run[..], &["--strict"]].concat(), &["cut.pcap.gz: byte ", "cannot be read further"]);
}

#[test]
fn frames_leave_with_the_times_that_they_came_with() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let times = [3_000_000_007_u64, 3_000_000_009, 5_000_000_001];
    // the second frame is skipped, and takes no other's time with it
    let lengths = [60, 65_536, 60];
    let records = times.iter().zip(lengths).map(|(time, length)| record(*time, &[1; 60], length));
    std::fs::write(at.join("in.pcap"), records.fold(pcap_head(1), |file, record| [file, record].concat()))
        .unwrap();
    let run = ["cosim", "--core", "rewrite_tx", "--traffic", "in.pcap", "--pcap-out", "out.pcap"];
    assert_eq!(respray(at, &run).status.code(), Some(0));
    let out = std::fs::read(at.join("out.pcap")).unwrap();
    let wanted = [pcap_head(1), record(times[0], &[1; 60], 60), record(times[2], &[1; 60], 60)].concat();
    assert_eq!(out[24..], wanted[24..]);
}

/// A frame of `strack` in the EtherType that is given.
fn data_behind(ethertype: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    frame.extend(ethertype);
    frame.extend([0x45, 2, 0, 44, 0, 1, 0, 0, 64, 17, 0xf6, 0xba, 192, 0, 2, 1, 192, 0, 2, 2]);
    frame.extend([0x13, 0x88, 0x12, 0xb7, 0, 24, 0, 0]);
    frame.extend([0xc0, 0, 0xff, 0xff, 0, 0, 0, 3, 0x80, 0, 0, 100, 0, 0, 0, 0]);
    frame
}

#[test]
fn a_run_says_what_became_of_each_frame_and_why_nothing_was_taken() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let (plain, tagged) = (data_behind(&[8, 0]), data_behind(&[0x91, 0, 0, 5, 8, 0]));
    std::fs::write(at.join("both.pcap"), pcap(&[&plain, &tagged])).unwrap();
    std::fs::write(at.join("none.pcap"), pcap(&[&tagged, &tagged])).unwrap();
    for (core, taken, what) in [("reps", 1, "data packets"), ("rewrite_rx", 2, "counted as data")] {
        let output = respray(at, &["cosim", "--core", core, "--traffic", "both.pcap", "--json", "-"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let account = &json(&output)["account"];
        assert_eq!((account["frames"].as_u64(), account["taken"].as_u64()), (Some(2), Some(taken)), "{core}");
        assert_eq!(account["became"][0]["what"], what);
        let other = account["became"][1]["what"].as_str().unwrap();
        assert!(other.contains("not UDP in IPv4 or IPv6 behind at most two VLAN tags"), "{core}: {other}");
        assert_eq!(account["became"][1]["first"], serde_json::json!([2]));
    }
    let why = "none.pcap: no frame of the strack profile (UDP port 4791) is in it: 2, not UDP in IPv4 or IPv6 \
               behind at most two VLAN tags, or a fragment (frames 1, 2)";
    for core in ["reps", "sack_rx", "nic"] {
        refused(at, &["cosim", "--core", core, "--traffic", "none.pcap"], &[why]);
    }
    let info = respray(at, &["traffic", "info", "none.pcap"]);
    assert!(stdout(&info).contains("0 frames, 2 other"), "{}", stdout(&info));
}

/// The verdict of the first run stands where settings would, and is none.
#[test]
fn a_verdict_beside_its_capture_is_not_taken_for_settings() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let settings = concat!(env!("CARGO_MANIFEST_DIR"), "/tb/recordings/steady.json");
    std::fs::write(at.join("a.b.pcap"), pcap(&[&data_behind(&[8, 0])])).unwrap();
    let run = ["cosim", "--core", "reps", "--traffic", "a.b.pcap", "--json", "a.b.json"];
    for _ in 0..2 {
        let output = respray(at, &run);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stdout(&output).contains("settings are those of"), "{}", stdout(&output));
    }
    // under the whole name, and the run says so
    std::fs::copy(settings, at.join("a.json")).unwrap();
    assert!(!stdout(&respray(at, &run)).contains("settings are those of"));
    std::fs::copy(settings, at.join("a.b.json")).unwrap();
    let output = respray(at, &[&run[..5], &["--local", "192.0.2.1"]].concat());
    assert!(stdout(&output).contains("settings are those of a.b.json"), "{}", stdout(&output));
}
