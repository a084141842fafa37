//! What a run of ops is asked for, and why there may be none.

use std::path::PathBuf;

use thiserror::Error;

use super::op_core::OpCore;
use super::shard::{Shard, ShareError};
use crate::runner::{RunError, RunOptions};
use crate::traffic::capture::Account;
use crate::traffic::optrace::{OpTrace, OpTraceError, Settings};

/// A run of ops.
pub type CosimOptions<C> = RunOptions<Ops<C>>;

/// What only a run of ops has.
pub struct Ops<C: OpCore> {
    /// What the core is given.
    pub stimulus: Stimulus<C>,
    /// Of the random stimulus; its low 16 bits are the core's `seed` port. Op traces take 0 to 65535. It goes before the
    /// op trace's own; without both, 1.
    pub seed: Option<u64>,
    /// The part of a random campaign that is run: the cycles and the seed are those of the whole.
    pub shard: Option<Shard>,
    /// For ops without their own; each goes before the op trace's own.
    pub settings: Settings,
}

/// What the core is given.
pub enum Stimulus<C: OpCore> {
    /// An op trace from a file.
    Ops(PathBuf),
    /// An op trace made of something else, the arguments of `respray cosim` that make it again, what was passed over
    /// when it was made, a sentence each, and of a capture what became of each frame.
    Made { trace: OpTrace<C::Op>, arguments: Vec<String>, warnings: Vec<String>, account: Option<Account> },
    /// So many clock edges of random ops, or fewer if the run has a limit of time.
    Random { cycles: u64, knobs: C::Knobs },
}

impl<C: OpCore> CosimOptions<C> {
    /// With nothing but a stimulus, the rest as the command line has it by default.
    pub fn new(stimulus: Stimulus<C>) -> Self {
        let settings = Settings::default();
        RunOptions::of(C::CONTRACT.core, Ops { stimulus, seed: None, shard: None, settings })
    }
}

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum CosimError {
    #[error("the Verilog is of core `{core}`, the golden model of `{golden}`")]
    Core { core: String, golden: &'static str },
    #[error(transparent)]
    Share(#[from] ShareError),
    #[error(transparent)]
    OpTrace(#[from] OpTraceError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("`{option}` is {value}; allowed: 0 to {last}")]
    Setting { option: String, value: u64, last: u64 },
}
