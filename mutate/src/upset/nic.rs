//! The joined block, and what happens to it.

use respray_cosim::nic::{Course, probed, upset};
use respray_cosim::upset::{Site, Upset};
use respray_cosim::verilator::Design;
use respray_hdl::manifest::Generated;

use super::kind::{CYCLES, Kind, built, of_probe};
use super::verilog::{Hittable, hittable};
use crate::MutateError;
use crate::verilog::sites;

/// Connections in use in the runs of random traffic beside the golden block.
const CONNECTIONS: usize = 8;
/// Times that `rst` ends the traffic of a run.
const RESTARTS: usize = 2;
/// Cycles of a run in which streams are held, in whole runs of the others.
const HELD: u64 = 3;

/// What the runs of a kind need: the design, and its memories if they can be hit.
pub(super) struct NicRuns<'a> {
    generated: &'a Generated,
    kind: Kind,
    design: &'static Design,
    pub sites: Vec<Site>,
}

impl<'a> NicRuns<'a> {
    pub fn new(generated: &'a Generated, text: String, kind: Kind) -> Result<NicRuns<'a>, MutateError> {
        let core = generated.manifest.module.as_str();
        let (verilog, sites) = match kind {
            Kind::Flip => {
                let Hittable { verilog, sites } = hittable(core, &text, &sites(&text));
                (verilog, sites)
            }
            _ => (text, Vec::new()),
        };
        Ok(NicRuns { generated, kind, design: built(core, &verilog)?, sites })
    }

    pub fn run(&self, seed: u64) -> Result<Upset, MutateError> {
        let config = &self.generated.manifest.config;
        let model = || self.design.model(seed as u32);
        let traffic = |cycles| Course::Traffic { cycles, connections: CONNECTIONS, seed };
        let course = match self.kind {
            Kind::Flip => return Ok(upset(config, [model()?, model()?], &self.sites, seed)?),
            Kind::Reset => Course::Restarts { times: RESTARTS, seed },
            Kind::State => traffic(CYCLES),
            Kind::Stall => traffic(HELD * CYCLES),
        };
        Ok(of_probe(probed(config, model()?, &course)?))
    }
}
