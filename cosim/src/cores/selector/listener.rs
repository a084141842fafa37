//! A capture as ops of a path selector.
//!
//! * **send**: each data frame (first transmission, retransmission or probe) that leaves the local side. The row's `ev`
//!   is the EV that was on the wire; the engine under test takes no notice of it.
//! * **ack**: each ACK that reaches the local side, with the EV and the ECN mark that it echoes, also if it comes after
//!   its packet's timeout. **nack**: each NACK.
//! * **timeout**: a packet that no ACK has covered (cumulatively, singly or in a SACK) and no NACK refused when the
//!   RTO is over, counted from its last transmission, at just that time, before any frame of that time. Each transmission times
//!   out once. Probes do not time out, nor does what is still on its way when the capture ends.

use std::collections::VecDeque;

use respray_golden::wire::uet;
use respray_hdl::cores::selector::{ACK, NACK, SEND, SelectorOp, TIMEOUT};

use crate::traffic::capture::{
    CaptureError, CaptureOptions, CaptureSource, Flight, Kind, Listener, ProfileFrame, Side, Survey,
};
use crate::traffic::stimulus::Line;

/// What a path selector hears.
pub struct SelectorListener {
    flight: Flight,
}

impl Listener for SelectorListener {
    type Op = SelectorOp;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = true;

    fn new(_: &CaptureSource, options: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        Ok(SelectorListener { flight: Flight::new(options.rto_ns, options.profile.psn_bits()) })
    }

    fn until(&mut self, now_ns: u64, lines: &mut VecDeque<Line<SelectorOp>>) {
        while let Some(expired) = self.flight.expire(now_ns) {
            let timeout = SelectorOp { kind: TIMEOUT, conn: expired.conn as u16, ..SelectorOp::default() };
            lines.push_back(Line::op(expired.deadline_ns, timeout));
        }
    }

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<SelectorOp>>) {
        let op = SelectorOp { conn: conn as u16, ..SelectorOp::default() };
        let op = match frame.kind {
            Kind::Data(data) => {
                if !data.probe {
                    self.flight.sent(now_ns, conn, data.psn);
                }
                SelectorOp { kind: SEND, ev: frame.ev, ..op }
            }
            Kind::Ack(ack) => {
                self.flight.acked(conn, &ack);
                // probes of `uet` go by the control class, whose queues are not those of data
                if ack.probe && ack.echo_timestamp.is_none() {
                    return;
                }
                SelectorOp { kind: ACK, ev: ack.echo_ev, ecn: ack.ce, ..op }
            }
            Kind::Nack { psn, code, ce } => {
                self.flight.refused(conn, psn);
                // only where it was trimmed in the network the path is at fault
                match code == uet::NACK_TRIMMED {
                    true => SelectorOp { kind: NACK, ..op },
                    false => SelectorOp { kind: ACK, ev: frame.ev, ecn: ce, ..op },
                }
            }
            Kind::Control { .. } => return,
        };
        lines.push_back(Line::op(now_ns, op));
    }
}
