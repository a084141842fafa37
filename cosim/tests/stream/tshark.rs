//! Frames that `rewrite_tx` rewrote, under the eyes of tshark: its checksums are nobody's of ours.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use respray_cosim::report::Verdict;
use respray_cosim::stream::{Pace, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;

use super::{PROFILES, WIDTHS, generated, options, pass, run};

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

/// Every frame that leaves the core has right checksums, or no UDP checksum, and ECT(0). Returns how many left.
fn checksums_verify(sets: &[&str], traffic: Traffic, pace: Pace) -> u64 {
    let core = generated("rewrite_tx", sets);
    let dir = tempfile::tempdir().unwrap();
    let capture = dir.path().join("sent.pcap");
    let mut options = options(&core, traffic, pace, dir.path());
    options.own.pcap_out = Some(capture.clone());
    let report = run(&core, &options).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{sets:?}: {:?}", report.failure);
    let frames = report.counts.get("frames");
    assert_eq!(report.counts.get("rewritten"), frames, "{sets:?}");
    // An EV may be the port of a tunnel, whose payload tshark then reads as packets: the outer ones come first.
    let checks = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-E", "occurrence=f"];
    let fields = [
        "frame.protocols",
        "ip.checksum.status",
        "udp.checksum.status",
        "ip.dsfield.ecn",
        "ipv6.tclass.ecn",
        "udp.checksum",
    ];
    let Some(rows) = tshark(&capture, &checks, &fields) else { return frames };
    let mut seen = 0;
    let mut verified = 0;
    for (row, count) in rows {
        let values: Vec<&str> = row.split('\t').collect();
        let [protocols, ip, udp, ecn4, ecn6, checksum] = values[..] else { panic!("{row}") };
        let outer: Vec<&str> =
            protocols.split(':').skip_while(|name| !name.starts_with("ip")).take(2).collect();
        assert!(matches!(outer[..], ["ip" | "ipv6", "udp"]), "IP and UDP: {row}");
        let is_ipv4 = outer[0] == "ip";
        // statuses: 1 good, 3 not present
        assert!(!is_ipv4 || ip == "1", "IPv4 checksum: {row}");
        assert!(udp == "1" || checksum == "0x0000", "UDP checksum: {row}");
        assert_eq!(if is_ipv4 { ecn4 } else { ecn6 }, "2", "ECT(0): {row}");
        seen += count;
        verified += if udp == "1" { count } else { 0 };
    }
    assert_eq!(seen as u64, frames);
    assert!(verified as u64 > frames / 2, "{verified} UDP checksums of {frames}");
    frames
}

#[test]
fn checksums_of_recordings_verify() {
    for name in ["path-failure-receiver", "slow-path-sender", "steady-receiver"] {
        let traffic = Traffic::Capture(pass::recording(name));
        checksums_verify(&["wire=strack"], traffic, Pace::default());
    }
}

#[test]
fn checksums_of_random_frames_verify() {
    for wire in PROFILES {
        let traffic = Traffic::Frames { frames: 8000, knobs: FrameKnobs::clean() };
        checksums_verify(&[wire], traffic, Pace { seed: 9, ..Pace::default() });
    }
}

/// A million frames over both profiles and every width, half of them with gaps and stalls.
#[test]
#[ignore = "minutes"]
fn campaign_checksums_of_a_million_frames_verify() {
    let mut frames = 0;
    for (profile, wire) in PROFILES.into_iter().enumerate() {
        for (width, bus) in WIDTHS.into_iter().enumerate() {
            for share in [0.0, 0.25] {
                let seed = 100 + 10 * profile as u64 + 2 * width as u64 + u64::from(share > 0.0);
                let traffic = Traffic::Frames { frames: 62_500, knobs: FrameKnobs::clean() };
                let pace = Pace { gap: share, stall: share, seed };
                frames += checksums_verify(&[wire, bus], traffic, pace);
            }
        }
    }
    assert_eq!(frames, 1_000_000);
}
