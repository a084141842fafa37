//! The EV of the latest ACK.

use respray_golden::mprdma::Mprdma;
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::mprdma::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `mprdma`.
pub type MprdmaCore = SelectorCore<Mprdma>;

impl Binding for Mprdma {
    const CONTRACT: &'static Contract = &CONTRACT;

    fn keys(_: &Config) {}
}
