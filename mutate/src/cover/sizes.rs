//! What random ops come to by themselves, at the sizes of a configuration and at the smallest ones.
//!
//! Rounds of all paths, windows and walks take as many more ops as an engine is larger. What random ops come to at the
//! smallest sizes alone is hardly looked at in the engine that is built.

use std::collections::BTreeSet;

use respray_cosim::cores::{CONTRACTS, Visitor, visit};
use respray_cosim::lockstep::{Compiled, given};
use respray_cosim::report::{Probed, Seen, config_arguments, config_value};
use respray_cosim::verilator::{BuildOptions, Model, Source, build};
use respray_hdl::catalogue;
use respray_hdl::config::{Allowed, Config, KEYS};
use respray_hdl::manifest::Generated;
use serde::{Deserialize, Serialize};

use super::point::Point;
use super::points;
use crate::MutateError;

/// Points that random ops hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random {
    pub cycles: u64,
    /// The keys that set the smallest sizes, as `--set` takes them.
    pub sizes: Vec<String>,
    /// Points that they hit at the sizes of the configuration, and at the smallest ones.
    pub hit: usize,
    pub hit_small: usize,
    /// Points that they hit at the smallest sizes alone.
    pub only_small: Vec<String>,
}

/// The configuration with the smallest sizes of a core, and the keys that set them.
///
/// # Errors
/// If the smallest sizes do not go together.
fn smallest(config: &Config, keys: &[&str]) -> Result<(Config, Vec<String>), MutateError> {
    let sizes = KEYS.iter().filter_map(|key| match key.allowed {
        Allowed::Menu(menu) if keys.contains(&key.name) => Some((key.name, menu.iter().min()?.to_string())),
        _ => None,
    });
    let sizes = sizes.filter(|(key, least)| config_value(config, key).as_ref() != Some(least));
    let sizes: Vec<String> = sizes.map(|(key, least)| format!("{key}={least}")).collect();
    // what is given last holds
    let others = config_arguments(config).into_iter().filter(|argument| argument != "--set");
    let all: Vec<String> = others.chain(sizes.iter().cloned()).collect();
    Ok((Config::load(None, &all)?, sizes))
}

/// A model with points, which is run on random ops.
struct Counted<'a> {
    generated: &'a Generated,
    model: Model,
    seed: u64,
    cycles: u64,
    knobs: &'a [String],
}

impl Visitor for Counted<'_> {
    type Output = Result<Probed, MutateError>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        let stimulus = given::random::<C>(self.cycles, self.knobs, &self.generated.manifest.config)?;
        Ok(C::probed(self.generated, self.model, &stimulus, self.seed)?)
    }
}

/// The points of a core that random ops hit.
fn hit(
    generated: &Generated,
    seed: u64,
    cycles: u64,
    knobs: &[String],
) -> Result<BTreeSet<String>, MutateError> {
    let core = generated.manifest.module.as_str();
    let points = points::of(generated).0;
    let source = Source::new(core, points::beside(core, &generated.verilog, &points));
    let design = build(&source, &BuildOptions { coverage: true, ..BuildOptions::default() })?;
    let counted = Counted { generated, model: design.model(seed as u32)?, seed, cycles, knobs };
    let Some(ran) = visit(core, counted) else { return Ok(BTreeSet::new()) };
    let Probed { seen, coverage, .. } = ran?;
    if let Some(Seen { cycle, port }) = seen {
        return Err(MutateError::Differs { core: core.to_string(), round: "random ops".into(), cycle, port });
    }
    let coverage = coverage.expect("the model counts");
    let is_hit = |point: &Point| coverage.named().get(&point.label()).is_some_and(|count| *count > 0);
    Ok(points.iter().filter(|point| is_hit(point)).map(|point| point.name.clone()).collect())
}

/// What random ops of a seed, with these knobs, come to by themselves in so many cycles. `None` for a core that takes
/// no ops.
///
/// # Errors
/// As [`super::covered`] has them.
pub fn random(
    generated: &Generated,
    seed: u64,
    cycles: u64,
    knobs: &[String],
) -> Result<Option<Random>, MutateError> {
    let core = generated.manifest.module.as_str();
    let Some(contract) = CONTRACTS.iter().find(|contract| contract.core == core) else { return Ok(None) };
    let (config, sizes) = smallest(&generated.manifest.config, contract.keys)?;
    let small = hit(&catalogue::generate(core, &config)?, seed, cycles, knobs)?;
    let hit = hit(generated, seed, cycles, knobs)?;
    Ok(Some(Random {
        cycles,
        sizes,
        hit: hit.len(),
        hit_small: small.len(),
        only_small: small.difference(&hit).cloned().collect(),
    }))
}
