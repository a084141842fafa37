//! The figures of paper 001: what is run for each, what the paper and its own simulator say, and what counts as reproduced.
//!
//! R is the public simulator of the paper, the commit that `docs/fabric.md` names, run beside this one: means over five or ten seeds.

mod cases;
mod claims;

use crate::engine::Kind;
use crate::request::{Engines, Request, Transport};

pub use cases::FIGURES;
pub use claims::{Band, Claim, Results};

/// One scenario of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// As tables name it.
    pub name: &'static str,
    pub title: &'static str,
    topology: &'static str,
    workload: &'static str,
    bytes: u64,
    fail: &'static [&'static str],
    set: &'static [&'static str],
    selectors: &'static [&'static str],
    watch: bool,
    /// Seeds at most: of a run so long that few say enough.
    most_seeds: u64,
    /// What R says.
    reference: &'static [Reference],
    /// Longest flow in us that the paper's text says, by selector.
    paper_us: &'static [(&'static str, f64)],
}

/// The switch whose ports upwards are watched.
pub const WATCHED: &str = "tor0";

/// What R says of a path selector.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    pub selector: &'static str,
    /// Longest flow, in us: the mean of the seeds, the least and the greatest; none where not every flow ended.
    pub max_fct_us: Option<[f64; 3]>,
    /// All flows.
    pub mean_fct_us: f64,
    /// Packets trimmed, dropped or lost to a failure: the mean of the seeds, and the greatest.
    pub lost: [f64; 2],
}

/// A figure.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    pub number: u8,
    pub title: &'static str,
    /// What the paper's text says.
    pub paper: &'static str,
    pub cases: &'static [Case],
    claims: fn(&Results) -> Vec<Claim>,
}

/// The numbers of the figures, for sentences.
pub fn numbers() -> String {
    FIGURES.iter().map(|figure| figure.number.to_string()).collect::<Vec<_>>().join(", ")
}

/// The figure of a number.
pub fn figure(number: u8) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.number == number)
}

impl Case {
    /// The runs, from seed `seed` on.
    pub fn request(
        &self,
        engine: Kind,
        seeds: u64,
        seed: u64,
        permutations: Option<&std::path::Path>,
    ) -> Request {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        Request {
            name: self.name.into(),
            folder: Default::default(),
            topology: self.topology.into(),
            workload: self.workload.into(),
            bytes: Some(self.bytes),
            permutations: permutations.filter(|_| self.reads_permutations()).map(Into::into),
            fail: texts(self.fail),
            config: None,
            set: texts(self.set),
            selectors: texts(self.selectors),
            seeds: seeds.min(self.most_seeds),
            seed,
            engine,
            engines: Engines::Shared,
            transport: Transport::Ideal,
            watch: self.watch.then(|| WATCHED.to_string()).into_iter().collect(),
        }
    }

    /// Whether its runs can read permutations.
    pub fn reads_permutations(&self) -> bool {
        self.workload == "permutation"
    }

    /// What R says of a selector.
    pub fn reference(&self, selector: &str) -> Option<&'static Reference> {
        self.reference.iter().find(|reference| reference.selector == selector)
    }

    /// The longest flow in us that the paper's text says of a selector.
    pub fn paper_us(&self, selector: &str) -> Option<f64> {
        self.paper_us.iter().find(|(of, _)| *of == selector).map(|(_, us)| *us)
    }

    /// The selectors that are run.
    pub fn selectors(&self) -> &'static [&'static str] {
        self.selectors
    }
}

impl Figure {
    /// What counts as reproduced, held against the runs.
    pub fn claims(&self, results: &Results) -> Vec<Claim> {
        (self.claims)(results)
    }
}
