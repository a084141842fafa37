//! A capture as ops of the scoreboard of Ultra Ethernet.
//!
//! * **init**: before a connection's first request, with its PSN.
//! * **sent**: each request that leaves the local side, retransmissions too.
//! * **ack**, **nack**: each one that reaches the local side. An ACK echoes no time, so that its round trip is 0.
//! * **Time.** As with the ACKs of STrack.

use std::collections::{HashSet, VecDeque};

use respray_golden::sack_tx::uet::AckFields;
use respray_golden::wire::uet;

use respray_hdl::cores::sack_tx::uet::contract::Op;

use super::super::listener::{MOST_IDLE, NS_PER_TICK};
use super::set_ack;
use crate::traffic::capture::{
    CaptureError, CaptureOptions, CaptureSource, Kind, Listener, ProfileFrame, Side, Survey,
};
use crate::traffic::stimulus::Line;

/// What a receiver counts of a request beside its payload: its header, that of UDP, and 40 bytes of all headers below.
const NOMINAL_EXTRA: u32 = 12 + 8 + 40;

/// What the scoreboard hears.
pub struct UetTxListener {
    initialised: HashSet<u32>,
    last_ns: u64,
}

impl Listener for UetTxListener {
    type Op = Op;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = false;

    fn new(_: &CaptureSource, _: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        Ok(UetTxListener { initialised: HashSet::new(), last_ns: 0 })
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Line<Op>>) {}

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let now = (now_ns / NS_PER_TICK) as u16;
        let idle = (now_ns.saturating_sub(self.last_ns) / NS_PER_TICK).min(MOST_IDLE) as u32;
        let op = Op { conn: conn as u16, ..Op::default() };
        let line = |op| Line { idle, ..Line::op(now.into(), op) };
        let first = lines.len();
        match frame.kind {
            Kind::Data(data) => {
                if self.initialised.insert(conn) {
                    lines.push_back(line(Op { kind: 3, psn: data.psn, ordered: data.ordered, ..op }));
                }
                let bytes = (data.bytes + NOMINAL_EXTRA).min(0xffff) as u16;
                lines.push_back(line(Op { kind: 0, psn: data.psn, bytes, ..op }));
            }
            Kind::Ack(ack) if self.initialised.contains(&conn) => {
                let mut op = Op { kind: 1, ..op };
                set_ack(&mut op, &fields(&ack, now));
                lines.push_back(line(op));
            }
            Kind::Nack { psn, code, .. } if self.initialised.contains(&conn) => {
                lines.push_back(line(Op { kind: 6, psn, code, ..op }));
            }
            Kind::Ack(_) | Kind::Nack { .. } | Kind::Control { .. } => return,
        }
        // the second op of a frame goes right behind the first
        lines.iter_mut().skip(first + 1).for_each(|line| line.idle = 0);
        self.last_ns = now_ns;
    }
}

/// What an ACK of a capture says.
fn fields(ack: &crate::traffic::capture::Ack, now: u16) -> AckFields {
    AckFields {
        cum_next: ack.expected,
        psn: ack.psn,
        probe: ack.probe,
        has_sack: ack.sack.is_some(),
        mpr: ack.mpr.unwrap_or(0),
        base: ack.sack.map_or(0, |sack| sack.base),
        bitmap: ack.sack.map_or(0, |sack| sack.bitmap),
        has_state: ack.recv_bytes.is_some(),
        rcvd: ack.recv_bytes.unwrap_or(0),
        ooo: ack.ooo.filter(|ooo| *ooo != uet::NO_OOO_COUNT).unwrap_or(0).min(0xfff),
        timestamp: now,
    }
}
