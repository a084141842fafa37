//! STrack's load balancing.

use respray_golden::rng::Rng;
use respray_golden::selector::{Op, OpKind, Outcome, Params, Selector, SpoiltWord};
use respray_golden::strack::{Connection, Keys, MARK_FORGIVEN, Strack, WORD_BITS};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::strack::CONTRACT;

use super::bitmap::FIRST_READ;
use super::selector::{Binding, STATES, SelectorCore};
use crate::lockstep::op_core::{BrokenWord, Touched};

/// Edges that a remainder takes before the first word of marks is read.
const REMAINDER: u32 = 6;

/// The golden side of the core `strack`.
pub type StrackCore = SelectorCore<Strack>;

impl Binding for Strack {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] =
        &["paths_marked", "paths_unmarked", "marks_forgiven", "all_marked"];
    const TOLD: &'static [(usize, &'static str)] = &[(0, "marks"), (2, "forgiven")];

    fn apply_broken(
        params: &Params<Keys>,
        connection: &mut Connection,
        op: &Op,
        rng: &mut Rng,
        broken: &BrokenWord,
    ) -> (Outcome, Touched) {
        let before = *connection;
        // whether a remainder is made does not depend on the marks
        let [_, folded] = Strack::apply(params, &mut before.clone(), op, rng).class.counts;
        let from = broken.good_reads(FIRST_READ + REMAINDER * u32::from(folded));
        let spoilt = (broken.memory == "marks_ram").then_some(SpoiltWord { word: broken.word, from });
        let (outcome, reads) = match op.kind {
            OpKind::Ack => connection.hear_spoilt(params, op.ecn, op.ev, spoilt),
            OpKind::Nack => connection.hear_spoilt(params, true, op.ev, spoilt),
            OpKind::Send => connection.choose_spoilt(params, op.more, spoilt),
            _ => (Strack::apply(params, connection, op, rng), false),
        };
        let place = op.ev.wrapping_sub(params.ev_base);
        let is_inside = matches!(op.kind, OpKind::Ack | OpKind::Nack) && place < params.keys.paths;
        let is_own = u32::from(place / WORD_BITS) == broken.word;
        let writes = match broken.memory {
            STATES => op.kind == OpKind::Send || is_inside,
            // a send clears one mark, or none
            _ if op.kind == OpKind::Send => {
                outcome.has(MARK_FORGIVEN)
                    && before.marks[broken.word as usize] != connection.marks[broken.word as usize]
            }
            _ => is_inside && is_own,
        };
        (outcome, Touched { reads, writes })
    }

    fn keys(config: &Config) -> Keys {
        Keys { paths: config.strack.paths as u16 }
    }

    fn paths(config: &Config) -> Option<u32> {
        Some(config.strack.paths)
    }
}
