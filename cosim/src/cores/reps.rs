//! The entropy cache.

use respray_golden::reps::{Keys, Reps, Variant};
use respray_golden::selector::OpKind;
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::reps::contract::CONTRACT;

use super::selector::{Binding, Executed, SelectorCore};
use crate::lockstep::op_core::Touched;

/// The golden side of the core `reps`.
pub type RepsCore = SelectorCore<Reps>;

impl Binding for Reps {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] =
        &["evs_cached", "evs_dropped", "freezes_entered", "freezes_left"];
    const TOLD: &'static [(usize, &'static str)] = &[(2, "freezes")];

    fn touched(executed: &Executed<'_, Reps>, memory: &str, word: u32) -> Touched {
        let Executed { params, op, before, after, outcome } = executed;
        if memory == "time_ram" {
            let sets = op.kind == OpKind::Timeout && !before.is_freezing;
            return Touched { reads: before.is_freezing, writes: sets };
        }
        let slot =
            before.slot_of(&params.keys, after, outcome).filter(|touched| u32::from(touched.slot) == word);
        slot.map_or(Touched::default(), |slot| Touched { reads: !slot.is_written, writes: slot.is_written })
    }

    fn keys(config: &Config) -> Keys {
        let variant = match config.reps.variant {
            config::Variant::Paper => Variant::Paper,
            config::Variant::Uet => Variant::Uet,
        };
        Keys { depth: config.reps.depth as u8, variant }
    }
}
