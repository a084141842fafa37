//! Flowlet switching.

use respray_golden::flowlet::{Flowlet, Keys, Since};
use respray_golden::selector::{OpKind, SendKind};
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::flowlet::CONTRACT;

use super::selector::{Binding, Executed, SelectorCore};
use crate::lockstep::op_core::Touched;

/// The golden side of the core `flowlet`.
pub type FlowletCore = SelectorCore<Flowlet>;

impl Binding for Flowlet {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = &["paths_moved"];
    const TOLD: &'static [(usize, &'static str)] = &[(0, "moves")];

    fn touched(executed: &Executed<'_, Flowlet>, memory: &str, _: u32) -> Touched {
        let Executed { params, op, before, outcome, .. } = executed;
        match (memory, params.keys.since) {
            ("last_ram", Since::Send) => Touched { reads: before.drawn, writes: op.kind == OpKind::Send },
            ("last_ram", Since::Ack) => {
                Touched { reads: before.heard, writes: matches!(op.kind, OpKind::Ack | OpKind::Nack) }
            }
            _ => Touched {
                reads: before.drawn,
                writes: outcome.result.is_some_and(|sent| sent.kind == SendKind::Explore),
            },
        }
    }

    fn keys(config: &Config) -> Keys {
        let since = match config.flowlet.since {
            config::Since::Send => Since::Send,
            config::Since::Ack => Since::Ack,
        };
        Keys { since }
    }
}
