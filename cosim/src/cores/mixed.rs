//! A list of good EVs before counters.

use respray_golden::mixed::{Connection, Keys, Mixed, SEND};
use respray_golden::rng::Rng;
use respray_golden::selector::{Op, OpKind, Outcome, Params, Selector, SendKind, SendResult};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::mixed::CONTRACT;

use super::bitmap::{EVENT_COUNTS, FIRST_READ, TOLD, counted, timeout};
use super::selector::{Binding, STATES, SelectorCore};
use crate::lockstep::op_core::{BrokenWord, Touched};

/// The golden side of the core `mixed`.
pub type MixedCore = SelectorCore<Mixed>;

impl Binding for Mixed {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = EVENT_COUNTS;
    const TOLD: &'static [(usize, &'static str)] = TOLD;

    fn apply_broken(
        params: &Params<Keys>,
        connection: &mut Connection,
        op: &Op,
        rng: &mut Rng,
        broken: &BrokenWord,
    ) -> (Outcome, Touched) {
        let Keys { paths, depth, timeout } = params.keys;
        let recycles = op.kind == OpKind::Send && connection.length > 0;
        let appends = op.kind == OpKind::Ack && !op.ecn;
        if recycles {
            let reads = broken.memory == "list_ram"
                && u32::from(connection.oldest) == broken.word
                && broken.good_reads(FIRST_READ) == 0;
            let mut outcome = Mixed::apply(params, connection, op, rng);
            if reads {
                // the next random EV goes out, and whoever draws next takes it, too
                outcome.result =
                    Some(SendResult { kind: SendKind::Explore, ev: params.draw(&mut rng.clone()) });
            }
            return (outcome, Touched { reads, writes: broken.memory == STATES });
        }
        let slot = (connection.oldest + connection.length) % depth;
        if appends {
            connection.append(depth, op.ev);
        }
        let draw = || params.draw(rng);
        let (outcome, touched) = counted(paths, timeout, SEND, &mut connection.bitmap, op, draw, broken);
        let is_appended = appends && broken.memory == "list_ram" && u32::from(slot) == broken.word;
        (outcome, Touched { writes: touched.writes || is_appended, ..touched })
    }

    fn keys(config: &Config) -> Keys {
        Keys { paths: config.bitmap.paths as u16, depth: config.mixed.depth as u8, timeout: timeout(config) }
    }

    fn paths(config: &Config) -> Option<u32> {
        Some(config.bitmap.paths)
    }
}
