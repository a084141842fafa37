use std::path::{Path, PathBuf};

use respray_cosim::report::Verdict;
use respray_cosim::stream::{Pace, Traffic};
use respray_cosim::traffic::frames::{Frame, FrameKnobs, RandomFrames};
use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_rx::record;
use respray_golden::rewrite_tx::{Disposition, Params, Stamp, rewrite};
use respray_golden::wire::Profile;

use super::{CORES, EACH_PROFILE, SOME, Setup, WIDTHS, all, generated, options, passes, run};

const NO_PAUSE: Pace = Pace { gap: 0.0, stall: 0.0, seed: 1 };

fn random_frames_pass(setups: &[Setup]) {
    for core in CORES {
        for (width, profile) in setups {
            for (gap, stall, seed) in [(0.0, 0.0, 1), (0.3, 0.0, 2), (0.0, 0.4, 3), (0.4, 0.4, 4)] {
                let traffic = Traffic::Frames { frames: 300, knobs: FrameKnobs::default() };
                passes(&generated(core, &[width, profile]), traffic, Pace { gap, stall, seed });
            }
        }
    }
}

#[test]
fn random_frames_pass_at_every_width_and_in_both_profiles() {
    random_frames_pass(&SOME);
}

#[test]
#[ignore = "a model for each"]
fn random_frames_pass_at_every_width_in_each_profile() {
    random_frames_pass(&all());
}

#[test]
fn settings_move_the_port_and_write_the_flow_label() {
    for core in CORES {
        let core = generated(core, &[]);
        let knobs = FrameKnobs { longest: 300, ..FrameKnobs::default() };
        let traffic = Traffic::Frames { frames: 2000, knobs };
        let settings = respray_cosim::stream::stream_core::RewriterSettings {
            udp_port: Some(0xbeef),
            flow_label: true,
            ..Default::default()
        };
        let mut options = options(&core, traffic, NO_PAUSE, Path::new("."));
        options.own.settings = settings;
        let report = run(&core, &options).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
        let own = if core.manifest.module == "rewrite_tx" { "rewritten" } else { "data" };
        assert!(report.counts.get(own) > 500);
    }
}

#[test]
fn without_pauses_a_beat_leaves_in_every_cycle() {
    for core in CORES {
        for width in [WIDTHS[0], WIDTHS[3]] {
            let core = generated(core, &[width]);
            // one shape, so that no packet is decided later than the one before it
            let frames: Vec<_> = RandomFrames::new(1, Profile::Strack, 4791, FrameKnobs::clean())
                .filter(|frame| frame.data[12..15] == [0x08, 0x00, 0x45])
                .take(400)
                .collect();
            let bus_bytes = core.manifest.config.bus_bits as usize / 8;
            let beats: usize = frames.iter().map(|frame| frame.data.len().div_ceil(bus_bytes)).sum();
            let report = passes(&core, Traffic::Given(frames), NO_PAUSE);
            assert_eq!(report.counts.get("beats"), beats as u64);
            // behind the reset, and never again
            assert_eq!(report.counts.get("held_up"), u64::from(core.manifest.reset_cycles));
            let before_and_behind = report.cycles - beats as u64;
            assert!(before_and_behind < 60, "{before_and_behind} cycles more than beats");
        }
    }
}

#[test]
fn what_is_stamped_is_read_back() {
    for (profile, wire) in EACH_PROFILE {
        let (tx, rx) = (generated("rewrite_tx", &[wire]), generated("rewrite_rx", &[wire]));
        let wire = ProfileTraffic::of(profile);
        let settings = Params { wire, flow_label_enable: false, beat_bytes: 64 };
        let frames: Vec<_> =
            RandomFrames::new(7, profile, wire.udp_port, FrameKnobs::clean()).take(1500).collect();
        let sent: Vec<_> = frames
            .iter()
            .map(|frame| {
                let mut sent = frame.clone();
                let stamp = Stamp { ev: frame.ev, timestamp: frame.timestamp, enable: true };
                assert_eq!(rewrite(&mut sent.data, stamp, settings), Disposition::Rewritten);
                let record = record(&sent.data, wire);
                assert_eq!((record.ev, record.ecn), (frame.ev, 2));
                let has_timestamp =
                    profile.has_timestamps() && record.kind != Some(respray_golden::rewrite::Kind::Ack);
                assert_eq!(record.timestamp, if has_timestamp { frame.timestamp } else { 0 });
                sent
            })
            .collect();
        let is_beside = |frame: &&Frame| record(&frame.data, wire).flow_kind().is_none();
        let beside = sent.iter().filter(is_beside).count() as u64;
        // the hardware writes these very bytes, and reads these very fields out of them
        passes(&tx, Traffic::Given(frames), NO_PAUSE);
        let report = passes(&rx, Traffic::Given(sent), NO_PAUSE);
        assert_eq!(report.counts.get("other"), beside, "NACKs and control packets");
    }
}

fn public_captures_pass(setups: &[Setup]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    for name in ["l4s_skype_dualpi2.pcap.gz", "zeek_http_206.pcap", "zeek_smb_ect0.pcap"] {
        let path = folder.join(name);
        if !path.exists() {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        }
        for core in CORES {
            for (width, profile) in setups {
                let core = generated(core, &[width, profile]);
                let pace = Pace { gap: 0.1, stall: 0.1, seed: 1 };
                let report = passes(&core, Traffic::Capture(path.clone()), pace);
                let ours = ["rewritten", "data", "ack", "probe"].map(|name| report.counts.get(name));
                assert_eq!(ours, [0; 4], "none of it is the profile's");
            }
        }
    }
}

#[test]
fn public_captures_pass_unchanged() {
    public_captures_pass(&SOME);
}

#[test]
#[ignore = "a model for each"]
fn public_captures_pass_at_every_width_in_each_profile() {
    public_captures_pass(&all());
}

#[test]
fn recordings_are_rewritten_and_read() {
    for name in ["path-failure-sender", "slow-path-receiver", "steady-sender"] {
        let path = recording(name);
        let pace = Pace { gap: 0.2, stall: 0.2, seed: 3 };
        let sent = passes(&generated("rewrite_tx", &[]), Traffic::Capture(path.clone()), pace);
        assert_eq!(sent.counts.get("rewritten"), sent.counts.get("frames"));
        let read = passes(&generated("rewrite_rx", &[]), Traffic::Capture(path), pace);
        assert_eq!((read.counts.get("other"), read.counts.get("malformed")), (0, 0));
        assert!(read.counts.get("data") > 1000 && read.counts.get("ack") > 1000);
    }
}

pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/recordings").join(format!("{name}.pcap.gz"))
}
