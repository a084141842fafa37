//! The cores that stand in lockstep, by name.

use super::core::{Core, VerilatedCore};
use super::reps::RepsCore;
use super::sack_rx::SackRxCore;
use super::sack_tx::SackTxCore;

/// Their names.
pub const CORES: &[&str] = &[RepsCore::NAME, SackRxCore::NAME, SackTxCore::NAME];

/// What is done with a core that is known by its name alone.
pub trait Visitor {
    type Output;

    /// Does it.
    fn visit<C: VerilatedCore>(self) -> Self::Output;
}

/// Hands the core of that name to `visitor`; `None` if there is no such core.
pub fn visit<V: Visitor>(core: &str, visitor: V) -> Option<V::Output> {
    match core {
        RepsCore::NAME => Some(visitor.visit::<RepsCore>()),
        SackRxCore::NAME => Some(visitor.visit::<SackRxCore>()),
        SackTxCore::NAME => Some(visitor.visit::<SackTxCore>()),
        _ => None,
    }
}
