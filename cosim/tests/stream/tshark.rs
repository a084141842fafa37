//! Frames that `rewrite_tx` rewrote, under the eyes of tshark: its checksums are nobody's of ours.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use respray_cosim::stream::{Pace, StreamOptions, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;

use super::{STRACK_AND_UET, generated, options, pass, run};

/// tshark's field values, and how often each row comes; `None` if there is no tshark.
pub fn tshark(capture: &Path, arguments: &[&str], fields: &[&str]) -> Option<BTreeMap<String, usize>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(arguments).args(["-T", "fields"]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: tshark does not start ({error}); setup.sh --all installs it");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut rows = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        *rows.entry(line.to_string()).or_insert(0) += 1;
    }
    Some(rows)
}

/// Every frame that leaves the core has right checksums, or no UDP checksum, and ECT(0).
fn checksums_verify(wire: &str, traffic: Traffic) {
    let core = generated("rewrite_tx", &[wire]);
    let dir = tempfile::tempdir().unwrap();
    let capture = dir.path().join("sent.pcap");
    let options = StreamOptions {
        pcap_out: Some(capture.clone()),
        ..options(&core, traffic, Pace { seed: 9, ..Pace::default() }, dir.path())
    };
    let report = run(&core, &options).unwrap();
    let frames = report.counts.get("frames");
    assert_eq!(report.counts.get("rewritten"), frames, "{:?}", report.failure);
    let checks = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"];
    let fields =
        ["ip.checksum.status", "udp.checksum.status", "ip.dsfield.ecn", "ipv6.tclass.ecn", "udp.checksum"];
    let Some(rows) = tshark(&capture, &checks, &fields) else { return };
    let mut seen = 0;
    let mut verified = 0;
    for (row, count) in rows {
        let values: Vec<&str> = row.split('\t').collect();
        let [ip, udp, ecn4, ecn6, checksum] = values[..] else { panic!("{row}") };
        // statuses: 1 good, 3 not present; no IPv4 header is empty
        assert!(matches!(ip, "1" | ""), "IPv4 checksum: {row}");
        assert!(udp == "1" || checksum == "0x0000", "UDP checksum: {row}");
        assert_eq!([ecn4, ecn6].iter().filter(|ecn| **ecn == "2").count(), 1, "ECT(0): {row}");
        seen += count;
        verified += if udp == "1" { count } else { 0 };
    }
    assert_eq!(seen as u64, frames);
    assert!(verified as u64 > frames / 2, "{verified} UDP checksums of {frames}");
}

#[test]
fn checksums_of_recordings_verify() {
    for name in ["path-failure-receiver", "slow-path-sender", "steady-receiver"] {
        checksums_verify("wire=strack", Traffic::Capture(pass::recording(name)));
    }
}

#[test]
fn checksums_of_random_frames_verify() {
    for (_, wire) in STRACK_AND_UET {
        checksums_verify(wire, Traffic::Frames { frames: 8000, knobs: FrameKnobs::clean() });
    }
}

#[test]
#[ignore = "minutes"]
fn campaign_checksums_of_a_million_frames_verify() {
    for (_, wire) in STRACK_AND_UET {
        checksums_verify(wire, Traffic::Frames { frames: 500_000, knobs: FrameKnobs::clean() });
    }
}
