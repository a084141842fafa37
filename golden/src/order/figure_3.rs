//! 002 Figure 3 as a story: two flowcuts of a flow, of which the first ends by itself, and the second is drained.

use super::SwitchEnd;
use crate::flowcut_switch::{Op, OpKind, Outcome, Settings};

/// An op of the flow, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub what: &'static str,
    pub outcome: Outcome,
}

/// Uplinks of the switch.
pub const UPLINKS: u8 = 8;

/// Runs the story in an end of eight uplinks, as `rst` leaves it.
pub fn story(end: &mut impl SwitchEnd) -> Vec<Told> {
    let settings = Settings { drain_after: 0, ..Settings::default() };
    let op = |kind, now| Op { kind, now, bucket: 3, up: (1 << UPLINKS) - 1, settings, ..Op::default() };
    let data = |now| Op { bytes: 1000, ..op(OpKind::Data, now) };
    let ack = |now, epoch, timestamp| Op { bytes: 1000, epoch, timestamp, ..op(OpKind::Ack, now) };
    let loads = |end: &mut _, idle: u8| {
        for port in 0..UPLINKS {
            let load = if port == idle { 1 } else { 100 };
            SwitchEnd::apply(end, &Op { port, load, ..op(OpKind::Load, 0) });
        }
    };
    let mut told = Vec::new();
    let mut tell = |end: &mut _, what, op: Op| {
        let outcome = SwitchEnd::apply(end, &op);
        told.push(Told { what, outcome });
    };
    loads(end, 3);
    tell(end, "packet 1 begins a flowcut by the least loaded uplink, 3", data(0));
    loads(end, 5);
    tell(end, "packet 2 follows, though uplink 5 is the least loaded one now", data(1));
    tell(end, "the ACK of packet 1", ack(10, 1, 0));
    tell(end, "the ACK of packet 2: nothing is on its way", ack(11, 1, 1));
    tell(end, "packet 3 begins the second flowcut by uplink 5", data(20));
    tell(end, "packet 4 follows", data(21));
    loads(end, 6);
    tell(end, "the ACK of packet 3 comes after ten times as long: the host is to pause", ack(120, 2, 20));
    tell(end, "packet 5 left before the host heard of it", data(121));
    tell(end, "the ACK of packet 4", ack(221, 2, 21));
    tell(end, "the ACK of packet 5: nothing is on its way, and the host may go on", ack(222, 2, 121));
    tell(end, "packet 6 begins the third flowcut by uplink 6", data(230));
    told
}
