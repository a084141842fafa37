//! One EV a connection.

use respray_golden::ecmp::Ecmp;
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::ecmp::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `ecmp`.
pub type EcmpCore = SelectorCore<Ecmp>;

impl Binding for Ecmp {
    const CONTRACT: &'static Contract = &CONTRACT;

    fn keys(_: &Config) {}
}
