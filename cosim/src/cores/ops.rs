//! Oblivious packet spraying.

use respray_golden::ops::{Keys, Ops, Order};
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::ops::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `ops`.
pub type OpsCore = SelectorCore<Ops>;

impl Binding for Ops {
    const CONTRACT: &'static Contract = &CONTRACT;

    fn keys(config: &Config) -> Keys {
        let order = match config.ops.order {
            config::Order::Random => Order::Random,
            config::Order::Permuted => Order::Permuted,
        };
        Keys { order, paths: config.ops.paths }
    }
}
