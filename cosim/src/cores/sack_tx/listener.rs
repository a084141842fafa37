//! A capture as ops of the sender's scoreboard.
//!
//! * **init**: before a connection's first data frame, with its PSN.
//! * **sent**: each data frame that leaves the local side, retransmissions too; a probe is none.
//! * **sack**: each ACK with a SACK that reaches the local side. Timestamps are moved by what lies between the first data frame's
//!   own and `now`, so that the difference to `now` is the round-trip time, given that the sender counts microseconds.
//! * **Time.** `now` counts microseconds. Before a frame comes an idle edge for each of them since the frame before, up to
//!   256, in which the walker goes round. Of what the sender meant to retransmit a capture says nothing, so it gives no `next_rtx`.

use std::collections::{HashMap, HashSet, VecDeque};

use respray_golden::psn::PsnSpace;
use respray_golden::sack_tx::SackFields;
use respray_golden::wire::uet;

use respray_hdl::cores::sack_tx::contract::Op;

use super::set_sack;
use crate::traffic::capture::{
    CaptureError, CaptureOptions, CaptureSource, Kind, Listener, ProfileFrame, Side, Survey,
};
use crate::traffic::stimulus::Line;

/// Idle edges before a frame, at most.
pub(super) const MOST_IDLE: u64 = 256;
pub(super) const NS_PER_TICK: u64 = 1000;

/// What the scoreboard hears.
pub struct SackTxListener {
    psns: PsnSpace,
    initialised: HashSet<u32>,
    last_ns: u64,
    /// What the sender's timestamps are ahead of `now`.
    ahead: Option<u16>,
    /// By connection, what the receiver had got by the last ACK that says it.
    bytes_recvd: HashMap<u32, u32>,
}

impl Listener for SackTxListener {
    type Op = Op;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = false;

    fn new(_: &CaptureSource, options: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        let (psns, initialised) = (options.psns, HashSet::new());
        Ok(SackTxListener { psns, initialised, last_ns: 0, ahead: None, bytes_recvd: HashMap::new() })
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Line<Op>>) {}

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let now = (now_ns / NS_PER_TICK) as u16;
        let idle = (now_ns.saturating_sub(self.last_ns) / NS_PER_TICK).min(MOST_IDLE) as u32;
        let op = Op { conn: conn as u16, ..Op::default() };
        let line = |op| Line { idle, ..Line::op(now.into(), op) };
        let first = lines.len();
        match frame.kind {
            Kind::Data(data) if !data.probe => {
                let psn = self.psns.wrap(data.psn);
                if let Some(timestamp) = data.timestamp {
                    self.ahead.get_or_insert(timestamp.wrapping_sub(now));
                }
                if self.initialised.insert(conn) {
                    lines.push_back(line(Op { kind: 3, psn, ..op }));
                }
                let bytes = data.bytes.min(0xffff) as u16;
                lines.push_back(line(Op { kind: 0, psn, bytes, ..op }));
            }
            Kind::Ack(ack) => {
                let Some(sack) = ack.sack.filter(|_| self.initialised.contains(&conn)) else { return };
                let bytes_recvd = self.bytes_recvd.entry(conn).or_default();
                *bytes_recvd = ack.recv_bytes.unwrap_or(*bytes_recvd);
                let sack = SackFields {
                    epsn: self.psns.wrap(ack.expected),
                    base: self.psns.wrap(sack.base),
                    bitmap: sack.bitmap,
                    ooo: ack.ooo.filter(|ooo| *ooo != uet::NO_OOO_COUNT).unwrap_or(0).min(0xfff),
                    bytes_recvd: *bytes_recvd,
                    timestamp: ack.echo_timestamp.unwrap_or(0).wrapping_sub(self.ahead.unwrap_or(0)),
                    probe: ack.probe,
                };
                let mut op = Op { kind: 1, ..op };
                set_sack(&mut op, &sack);
                lines.push_back(line(op));
            }
            Kind::Data(_) | Kind::Nack { .. } | Kind::Control { .. } => return,
        }
        // the second op of a frame goes right behind the first
        lines.iter_mut().skip(first + 1).for_each(|line| line.idle = 0);
        self.last_ns = now_ns;
    }
}
