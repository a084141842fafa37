//! A few EVs a connection in turn.

use respray_golden::subflows::Subflows;
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::subflows::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `subflows`.
pub type SubflowsCore = SelectorCore<Subflows>;

impl Binding for Subflows {
    const CONTRACT: &'static Contract = &CONTRACT;

    fn keys(_: &Config) {}
}
