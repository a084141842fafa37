//! Flowlet switching.

use respray_golden::flowlet::{Flowlet, Keys, Since};
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::flowlet::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `flowlet`.
pub type FlowletCore = SelectorCore<Flowlet>;

impl Binding for Flowlet {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = &["paths_moved"];
    const TOLD: &'static [(usize, &'static str)] = &[(0, "moves")];

    fn keys(config: &Config) -> Keys {
        let since = match config.flowlet.since {
            config::Since::Send => Since::Send,
            config::Since::Ack => Since::Ack,
        };
        Keys { since }
    }
}
