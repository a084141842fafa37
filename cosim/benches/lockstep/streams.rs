//! The cores that packets stream through.

use std::time::{Duration, Instant};

use criterion::Criterion;
use respray_cosim::stream::run::{Listeners, RESET_EDGES, run};
use respray_cosim::stream::stream_core::{RewriterSettings, StreamCore};
use respray_cosim::stream::timing::Timing;
use respray_cosim::stream::{Pace, StreamDevice, core_of, profile};
use respray_cosim::traffic::frames::{FrameKnobs, RandomFrames};
use respray_cosim::verilator::{Baseline, BuildOptions, Design, Source, Stimulus, build};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

use super::{SEED, bare, is_wanted, measure};

/// Cycles that the bare loop's table holds: as many as a cache does, beats being as wide as they are.
const TABLE_CYCLES: u64 = 1 << 13;

struct Case {
    generated: Generated,
    core: Box<dyn StreamCore>,
    pace: Pace,
    design: &'static Design,
    baseline: Baseline,
}

impl Case {
    fn new(name: &str, sets: &[&str], pace: Pace) -> Case {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).expect("the configuration is valid");
        let generated = generate(name, &config).expect("the core is generated");
        let core = core_of(name, &config, RewriterSettings::default()).expect("packets stream through it");
        let source = Source::new(name, generated.verilog.as_str());
        let design = build(&source, &BuildOptions::default()).expect("the model builds");
        let mut device = device(design, &generated, core.as_ref());
        device.keep_rows();
        lockstep(&generated, core.as_ref(), pace, &mut device, TABLE_CYCLES);
        let stimulus = Stimulus::of_rows(design, RESET_EDGES as usize, device.rows().to_vec());
        let baseline = Baseline::build(&source, &stimulus).expect("the loop builds");
        Case { generated, core, pace, design, baseline }
    }

    fn lockstep(&self, cycles: u64) -> Duration {
        let mut device = device(self.design, &self.generated, self.core.as_ref());
        let begin = Instant::now();
        lockstep(&self.generated, self.core.as_ref(), self.pace, &mut device, cycles);
        begin.elapsed()
    }
}

fn device(design: &'static Design, generated: &Generated, core: &dyn StreamCore) -> StreamDevice {
    let model = design.model(SEED.into()).expect("a model is made");
    StreamDevice::new(model, &generated.manifest, core.ports()).expect("it has the core's ports")
}

/// A run of random frames, which must pass.
fn lockstep(
    generated: &Generated,
    core: &dyn StreamCore,
    pace: Pace,
    device: &mut StreamDevice,
    cycles: u64,
) {
    let profile = profile(&generated.manifest.config);
    let frames = RandomFrames::new(SEED.into(), profile, profile.udp_port(), FrameKnobs::default());
    let timing = Timing::of(&generated.manifest, core.ports());
    let mut listeners =
        Listeners { frame: None, progress: &mut |_, _| {}, row: None, wrong: None, keeps_going: false };
    let end = run(core, device, &timing, frames, pace, cycles, &mut listeners);
    assert_eq!(end.difference, None);
}

pub fn measure_all(criterion: &mut Criterion) {
    for (core, title, sets, (gap, stall)) in [
        ("rewrite_tx", "rewrite_tx", &[][..], (0.0, 0.0)),
        ("rewrite_tx", "rewrite_tx, gaps and stalls", &[], (0.2, 0.3)),
        ("rewrite_tx", "rewrite_tx, 64 bits", &["bus_bits=64"], (0.0, 0.0)),
        ("rewrite_rx", "rewrite_rx", &[], (0.0, 0.0)),
        ("rewrite_rx", "rewrite_rx, gaps and stalls", &[], (0.2, 0.3)),
    ]
    .into_iter()
    .filter(|case| is_wanted(case.1))
    {
        let case = Case::new(core, sets, Pace { gap, stall, seed: SEED.into() });
        measure(criterion, title, bare(&case.baseline), |cycles| case.lockstep(cycles));
    }
}
