//! PLB.

use respray_golden::plb::Plb;
use respray_golden::selector::OpKind;
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::plb::CONTRACT;

use super::selector::{Binding, Executed, SelectorCore};
use crate::lockstep::op_core::Touched;

/// The golden side of the core `plb`.
pub type PlbCore = SelectorCore<Plb>;

impl Binding for Plb {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = &["paths_moved", "rounds_congested"];
    const TOLD: &'static [(usize, &'static str)] = &[(0, "moves"), (1, "congested rounds")];

    fn touched(executed: &Executed<'_, Plb>, _: &str, word: u32) -> Touched {
        let Executed { params, op, before, .. } = executed;
        // timeouts have a time of their own, behind that of the round
        match (op.kind == OpKind::Timeout, word) {
            (false, 0) => Touched { reads: before.in_round, writes: before.closes_round(params, op) },
            (true, 1) => Touched { reads: before.timed_out, writes: before.counts(params, op) },
            _ => Touched::default(),
        }
    }

    fn keys(_: &Config) {}
}
