//! The entropy cache of a recording: its parameters, its settings, and how often it chooses the recorded EVs again.

use std::path::Path;

use respray_golden::reps::{Keys, Params, Reps, Variant};
use respray_golden::selector;
use respray_hdl::config::Config;
use respray_hdl::cores::reps::contract as reps;
use respray_hdl::cores::selector::SelectorOp;

use super::{SelectorListener, golden_op};
use crate::traffic::capture::{CaptureError, CaptureOps, CaptureOptions};
use crate::traffic::optrace::{OpTrace, Settings};
use crate::traffic::recording::Engine;
use crate::traffic::stimulus::Line;

/// How many EVs of a capture the engine chooses again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChosenAgain {
    /// Sends in the capture.
    pub sends: u64,
    /// Sends for which the engine's EV is the one on the wire.
    pub equal: u64,
}

/// The golden engine of a recording, variant `paper`.
pub fn params(engine: &Engine) -> Params {
    Params {
        connections: engine.connections,
        ev_base: engine.ev_base,
        ev_bits: engine.ev_bits,
        time_bits: engine.time_bits,
        seed: engine.seed,
        keys: Keys { depth: engine.depth, variant: Variant::Paper },
    }
}

/// The configuration of its hardware.
pub fn config(engine: &Engine) -> Config {
    let mut config = Config { connections: engine.connections, ..Config::default() };
    config.reps.depth = engine.depth.into();
    config.selector.ev_base = engine.ev_base.into();
    config.selector.ev_bits = engine.ev_bits.into();
    config.selector.time_bits = engine.time_bits.into();
    config
}

/// What an op trace carries of it.
pub fn settings(engine: &Engine) -> Settings {
    Settings::default()
        .with("freeze_timeout", engine.freeze_timeout.into())
        .with("bdp_packets", engine.bdp_packets.into())
}

/// Lines of an op trace as the golden engine takes them, resets left out, each with the op as it stands at the ports.
pub fn golden_ops(engine: &Engine, lines: Vec<Line<SelectorOp>>) -> Vec<(SelectorOp, selector::Op)> {
    let trace = OpTrace { lines, ..OpTrace::default() };
    let ops = trace.ops(&reps::CONTRACT, &settings(engine), &config(engine));
    let op = |op: &SelectorOp| (*op, golden_op::<Reps>(op));
    ops.entries.iter().filter_map(|entry| entry.event.as_op().map(op)).collect()
}

/// Drives the golden engine from a capture alone and counts the EVs that it chooses again exactly.
pub fn chosen_again(
    capture: &Path,
    options: &CaptureOptions,
    engine: &Engine,
) -> Result<ChosenAgain, CaptureError> {
    let mut reps = selector::Engine::<Reps>::new(params(engine));
    let lines = CaptureOps::<SelectorListener>::open(capture, options)?.collect::<Result<_, _>>()?;
    let mut count = ChosenAgain::default();
    for (line, op) in golden_ops(engine, lines) {
        if let Some(result) = reps.apply(&op).result {
            count.sends += 1;
            count.equal += u64::from(line.ev == result.ev);
        }
    }
    Ok(count)
}
