//! Random frames, with gaps, stalls and resets, run every line of the Verilog.

use respray_cosim::report::Verdict;
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{Pace, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_cosim::verilator::Coverage;
use respray_golden::rewrite::{Carried, Trimmed};
use respray_hdl::config::Wire;

use super::{CORES, SOME, Setup, all, generated, options, run};

/// Frames of a run: so many that the rarest layout, all IPv4 options behind two tags, comes several times.
const FRAMES: u64 = 2500;

/// DSCPs that random frames have as often as any other.
const TRIMMED: Trimmed = Trimmed { dscp: 10, dscp_last: 11 };

/// No line is left that no frame can run: what a width or a profile has no use for is not generated.
fn every_line_runs(core: &str, setups: &[Setup]) {
    for (width, profile) in setups {
        let core = generated(core, &[width, profile]);
        let mut counts = Coverage::default();
        let is_uet = core.manifest.config.wire == Wire::Uet;
        let is_trimming = core.manifest.module == "rewrite_rx" && is_uet;
        let entropy = is_uet.then_some((false, Carried::Entropy { ip_proto: 253 }));
        for (flow_label, carried) in [(false, Carried::Udp), (true, Carried::Udp)].into_iter().chain(entropy)
        {
            let dir = tempfile::tempdir().unwrap();
            let knobs = FrameKnobs { longest: 300, ..FrameKnobs::default() };
            let traffic = Traffic::Frames { frames: FRAMES, knobs };
            let pace = Pace { gap: 0.2, stall: 0.3, seed: 1 + u64::from(flow_label) };
            let mut options = options(&core, traffic, pace, dir.path());
            let trimmed = if is_trimming { TRIMMED } else { Trimmed::default() };
            options.own.settings =
                RewriterSettings { flow_label, carried, trimmed, ..RewriterSettings::default() };
            options.coverage = Some(dir.path().to_path_buf());
            let report = run(&core, &options).unwrap();
            assert_eq!(report.result, Verdict::Pass);
            assert!(report.counts.get("resets") > 0);
            let file = dir.path().join(format!("{}.dat", core.manifest.module));
            counts.merge(&Coverage::parse(&std::fs::read_to_string(&file).unwrap()).unwrap());
        }
        let (covered, total) = counts.covered_and_total();
        println!("{width} {profile}: {covered} of {total} lines");
        assert!(total > 200, "{width} {profile}: {covered} of {total} lines");
        let text: Vec<&str> = core.verilog.lines().map(str::trim).collect();
        let idle: Vec<&str> = counts.uncovered().into_iter().map(|line| text[line as usize - 1]).collect();
        assert!(idle.is_empty(), "{width} {profile}: random frames do not run {idle:?}");
    }
}

#[test]
fn random_frames_run_every_line_of_rewrite_tx() {
    every_line_runs("rewrite_tx", &SOME);
}

#[test]
fn random_frames_run_every_line_of_rewrite_rx() {
    every_line_runs("rewrite_rx", &SOME);
}

#[test]
#[ignore = "half a minute"]
fn random_frames_run_every_line_at_every_width_in_both_profiles() {
    CORES.iter().for_each(|core| every_line_runs(core, &all()));
}
