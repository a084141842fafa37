//! A capture as ops of the entropy cache.
//!
//! * **send**: each data frame (first transmission, retransmission or probe) that leaves the local side. The row's `ev`
//!   is the EV that was on the wire; the engine under test takes no notice of it.
//! * **ack**: each ACK that reaches the local side, with the EV and the ECN mark that it echoes, also if it comes after
//!   its packet's timeout. **nack**: each NACK.
//! * **timeout**: a packet that no ACK has covered (cumulatively, singly or in a SACK) and no NACK refused when the
//!   RTO is over, counted from its last transmission, at just that time, before any frame of that time. Each transmission times
//!   out once. Probes do not time out, nor does what is still on its way when the capture ends.

use std::collections::VecDeque;
use std::path::Path;

use super::{CaptureOptions, Listener, Side, Survey};
use crate::traffic::capture::error::CaptureError;
use crate::traffic::capture::flight::Flight;
use crate::traffic::capture::frame::{Kind, ProfileFrame};
use crate::traffic::optrace::reps::{Row, RowOp};

/// What the entropy cache hears.
pub struct RepsListener {
    flight: Flight,
}

/// The ops of a capture for the entropy cache. Memory holds the packets that are on their way.
pub type CaptureOps = super::CaptureOps<RepsListener>;

impl Listener for RepsListener {
    type Row = Row;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = true;

    fn new(_: &Path, options: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        Ok(RepsListener { flight: Flight::new(options.rto_ns, options.profile.psn_bits()) })
    }

    fn until(&mut self, now_ns: u64, rows: &mut VecDeque<Row>) {
        while let Some(expired) = self.flight.expire(now_ns) {
            let timeout = Row { op: RowOp::Timeout, conn: expired.conn, ..Row::default() };
            rows.push_back(Row { time_ns: expired.deadline_ns, ..timeout });
        }
    }

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, rows: &mut VecDeque<Row>) {
        let row = Row { time_ns: now_ns, conn, ..Row::default() };
        rows.push_back(match frame.kind {
            Kind::Data(data) => {
                if !data.probe {
                    self.flight.sent(now_ns, conn, data.psn);
                }
                Row { op: RowOp::Send, ev: Some(frame.ev), ..row }
            }
            Kind::Ack(ack) => {
                self.flight.acked(conn, &ack);
                Row { op: RowOp::Ack, ev: Some(ack.echo_ev), ecn: ack.ce, ..row }
            }
            Kind::Nack { psn } => {
                self.flight.refused(conn, psn);
                Row { op: RowOp::Nack, ..row }
            }
        });
    }
}
