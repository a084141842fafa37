use respray_cosim::lockstep::report::Verdict;
use respray_cosim::stream::{Pace, StreamOptions, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;

use super::{PROFILES, WIDTHS, generated, options, run};

#[test]
fn random_frames_pass_at_every_width_and_profile() {
    let dir = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for core in ["rewrite_tx", "rewrite_rx"] {
        for width in WIDTHS {
            for profile in PROFILES {
                let generated = generated(core, &[width, profile]);
                for (gap, stall, seed) in [(0.0, 0.0, 1), (0.3, 0.0, 2), (0.0, 0.4, 3), (0.4, 0.4, 4)] {
                    let traffic = Traffic::Frames { frames: 800, knobs: FrameKnobs::default() };
                    let options = StreamOptions {
                        waves: false,
                        ..options(core, traffic, Pace { gap, stall, seed }, dir.path())
                    };
                    let report = run(&generated, &options).unwrap();
                    if report.result == Verdict::Fail {
                        let failure = report.failure.unwrap();
                        let list = failure
                            .reproducer
                            .as_ref()
                            .map_or(String::new(), |path| std::fs::read_to_string(path).unwrap());
                        failures.push(format!(
                            "{core} {width} {profile} gap {gap} stall {stall}: {failure}\n{list}"
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
