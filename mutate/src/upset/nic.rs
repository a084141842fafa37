//! The joined block, and what happens to it.

use respray_cosim::lockstep::upset::Upset;
use respray_cosim::nic::{Course, probed, upset};
use respray_cosim::verilator::Design;
use respray_hdl::manifest::Generated;

use super::campaign::{CYCLES, Kind, built, of_probe};
use super::verilog::{Hittable, hittable};
use crate::MutateError;
use crate::verilog::sites;

/// Connections in use in the runs of random traffic beside the golden block.
const CONNECTIONS: usize = 8;
/// Times that `rst` ends the traffic of a run.
const RESTARTS: usize = 2;
/// Cycles of a run in which streams are held, in whole runs of the others.
const HELD: u64 = 3;

/// What the runs of a kind need: the design, with memories that can be hit.
pub(super) struct NicRuns<'a> {
    generated: &'a Generated,
    kind: Kind,
    design: &'static Design,
    pub hittable: Hittable,
}

impl<'a> NicRuns<'a> {
    pub fn new(generated: &'a Generated, text: String, kind: Kind) -> Result<NicRuns<'a>, MutateError> {
        let core = generated.manifest.module.as_str();
        let made = match kind {
            Kind::Flip => hittable(core, &text, &sites(&text)),
            _ => Hittable { verilog: text, sites: Vec::new() },
        };
        let design = built(core, &made.verilog)?;
        Ok(NicRuns { generated, kind, design, hittable: made })
    }

    pub fn run(&self, seed: u64) -> Result<Upset, MutateError> {
        let config = &self.generated.manifest.config;
        let model = || self.design.model(seed as u32);
        let traffic = |cycles| Course::Traffic { cycles, connections: CONNECTIONS, seed };
        let course = match self.kind {
            Kind::Flip => return Ok(upset(config, [model()?, model()?], &self.hittable.sites, seed)?),
            Kind::Reset => Course::Restarts { times: RESTARTS, seed },
            Kind::State => traffic(CYCLES),
            Kind::Stall => traffic(HELD * CYCLES),
        };
        Ok(of_probe(probed(config, model()?, &course)?))
    }
}
