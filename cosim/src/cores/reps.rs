//! The entropy cache.

use respray_golden::reps::{Keys, Reps, Variant};
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::reps::contract::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `reps`.
pub type RepsCore = SelectorCore<Reps>;

impl Binding for Reps {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] =
        &["evs_cached", "evs_dropped", "freezes_entered", "freezes_left"];
    const TOLD: &'static [(usize, &'static str)] = &[(2, "freezes")];

    fn keys(config: &Config) -> Keys {
        let variant = match config.reps.variant {
            config::Variant::Paper => Variant::Paper,
            config::Variant::Uet => Variant::Uet,
        };
        Keys { depth: config.reps.depth as u8, variant }
    }
}
