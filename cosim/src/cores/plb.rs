//! PLB.

use respray_golden::plb::Plb;
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::plb::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `plb`.
pub type PlbCore = SelectorCore<Plb>;

impl Binding for Plb {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = &["paths_moved", "rounds_congested"];
    const TOLD: &'static [(usize, &'static str)] = &[(0, "moves"), (1, "congested rounds")];

    fn keys(_: &Config) {}
}
