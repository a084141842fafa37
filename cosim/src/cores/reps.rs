//! The entropy cache.

use respray_golden::reps::{Connection, Keys, Reps, Variant};
use respray_golden::selector::Outcome;
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::reps::contract::CONTRACT;

use super::selector::{Binding, SelectorCore};
use crate::lockstep::op_core::LateWord;

/// The golden side of the core `reps`.
pub type RepsCore = SelectorCore<Reps>;

impl Binding for Reps {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] =
        &["evs_cached", "evs_dropped", "freezes_entered", "freezes_left"];
    const TOLD: &'static [(usize, &'static str)] = &[(2, "freezes")];

    fn late_word(
        keys: &Keys,
        before: &Connection,
        after: &Connection,
        outcome: &Outcome,
    ) -> Option<LateWord> {
        let touched = before.slot_of(keys, after, outcome)?;
        Some(LateWord { word: touched.slot.into(), is_written: touched.is_written })
    }

    fn keys(config: &Config) -> Keys {
        let variant = match config.reps.variant {
            config::Variant::Paper => Variant::Paper,
            config::Variant::Uet => Variant::Uet,
        };
        Keys { depth: config.reps.depth as u8, variant }
    }
}
