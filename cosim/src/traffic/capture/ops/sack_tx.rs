//! A capture as ops of the sender's scoreboard.
//!
//! * **init**: before a connection's first data frame, with its PSN.
//! * **sent**: each data frame that leaves the local side, retransmissions too; a probe is none.
//! * **sack**: each ACK with a SACK that reaches the local side. Timestamps are moved by what lies between the first data frame's
//!   own and `now`, so that the difference to `now` is the round-trip time, given that the sender counts microseconds.
//! * **Time.** `now` counts microseconds. Before a frame comes an idle edge for each of them since the frame before, up to
//!   256, in which the walker goes round. Of what the sender meant to retransmit a capture says nothing, so it gives no `next_rtx`.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use respray_golden::psn::MODULUS;
use respray_golden::sack_tx::SackFields;

use super::{CaptureOptions, Listener, Side, Survey};
use crate::traffic::capture::error::CaptureError;
use crate::traffic::capture::frame::{Kind, ProfileFrame};
use crate::traffic::optrace::sack_tx::{Row, RowOp};

/// Idle edges before a frame, at most.
const MOST_IDLE: u64 = 256;
const NS_PER_TICK: u64 = 1000;

/// What the scoreboard hears.
#[derive(Default)]
pub struct SackTxListener {
    initialised: HashSet<u32>,
    last_ns: u64,
    /// What the sender's timestamps are ahead of `now`.
    ahead: Option<u16>,
}

/// The ops of a capture for the scoreboard.
pub type CaptureOps = super::CaptureOps<SackTxListener>;

impl Listener for SackTxListener {
    type Row = Row;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = false;

    fn new(_: &Path, _: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        Ok(SackTxListener::default())
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Row>) {}

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, rows: &mut VecDeque<Row>) {
        let now = (now_ns / NS_PER_TICK) as u16;
        let idle = (now_ns.saturating_sub(self.last_ns) / NS_PER_TICK).min(MOST_IDLE) as u32;
        let row = Row { idle, now, conn, ..Row::default() };
        let first = rows.len();
        match frame.kind {
            Kind::Data(data) if !data.probe => {
                let psn = data.psn % MODULUS;
                if let Some(timestamp) = data.timestamp {
                    self.ahead.get_or_insert(timestamp.wrapping_sub(now));
                }
                if self.initialised.insert(conn) {
                    rows.push_back(Row { op: RowOp::Init, psn, ..row });
                }
                let bytes = data.bytes.min(0xffff) as u16;
                rows.push_back(Row { op: RowOp::Sent, psn, bytes, ..row });
            }
            Kind::Ack(ack) => {
                let Some(sack) = ack.sack.filter(|_| self.initialised.contains(&conn)) else { return };
                let sack = SackFields {
                    epsn: ack.expected % MODULUS,
                    base: sack.base % MODULUS,
                    bitmap: sack.bitmap,
                    ooo: ack.ooo.unwrap_or(0).min(0xfff),
                    bytes_recvd: ack.recv_bytes.unwrap_or(0),
                    timestamp: ack.echo_timestamp.unwrap_or(0).wrapping_sub(self.ahead.unwrap_or(0)),
                    probe: ack.probe,
                };
                rows.push_back(Row { op: RowOp::Sack, sack, ..row });
            }
            Kind::Data(_) | Kind::Nack { .. } => return,
        }
        // the second op of a frame goes right behind the first
        rows.iter_mut().skip(first + 1).for_each(|row| row.idle = 0);
        self.last_ns = now_ns;
    }
}
