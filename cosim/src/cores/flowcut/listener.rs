//! A capture as ops of Flowcut in a NIC.
//!
//! * **init**: before a connection's first data frame that leaves the local side.
//! * **send**: each data frame that leaves the local side. One whose PSN was sent before, and a probe, is a retransmission.
//! * **ack**: each ACK that reaches the local side and says how many bytes were received. Its timestamp is the time at which the packet
//!   that it answers was sent last, by the capture; where that is not known, its own time, which makes an RTT of 0.
//! * **nack**: each NACK. **timeout**: as a path selector has it.
//! * **Time.** `now` counts microseconds.

use std::collections::{HashMap, HashSet, VecDeque};

use respray_hdl::cores::flowcut::contract::{ACK, INIT, NACK, Op, SEND, TIMEOUT};

use crate::traffic::capture::{
    CaptureError, CaptureOptions, CaptureSource, Flight, Kind, Listener, ProfileFrame, Side, Survey,
};
use crate::traffic::stimulus::Line;

const NS_PER_TICK: u64 = 1000;

/// What Flowcut hears.
pub struct FlowcutListener {
    initialised: HashSet<u32>,
    flight: Flight,
    /// When each packet was sent last, by connection and PSN, in ticks.
    sent: HashMap<(u32, u32), u64>,
    time_mask: u64,
}

impl Listener for FlowcutListener {
    type Op = Op;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = true;

    fn new(_: &CaptureSource, options: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        Ok(FlowcutListener {
            initialised: HashSet::new(),
            flight: Flight::new(options.rto_ns, options.profile.psn_bits()),
            sent: HashMap::new(),
            time_mask: (1 << options.flowcut_time_bits) - 1,
        })
    }

    fn until(&mut self, now_ns: u64, lines: &mut VecDeque<Line<Op>>) {
        while let Some(expired) = self.flight.expire(now_ns) {
            let timeout = Op { kind: TIMEOUT, conn: expired.conn as u16, ..Op::default() };
            lines.push_back(Line::op(expired.deadline_ns / NS_PER_TICK, timeout));
        }
    }

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let now = now_ns / NS_PER_TICK;
        let op = Op { conn: conn as u16, ..Op::default() };
        let mut give = |op| lines.push_back(Line::op(now, op));
        match frame.kind {
            Kind::Data(data) => {
                if self.initialised.insert(conn) {
                    give(Op { kind: INIT, ..op });
                }
                let is_again = !data.probe && self.sent.insert((conn, data.psn), now).is_some();
                if !data.probe {
                    self.flight.sent(now_ns, conn, data.psn);
                }
                let bytes = data.bytes.min((1 << 14) - 1) as u16;
                give(Op { kind: SEND, bytes, rtx: is_again || data.probe, ..op });
            }
            Kind::Ack(ack) => {
                self.flight.acked(conn, &ack);
                let Some(received) = ack.recv_bytes else { return };
                let sent = self.sent.get(&(conn, ack.psn)).unwrap_or(&now);
                let timestamp = (sent & self.time_mask) as u32;
                give(Op { kind: ACK, recvd: received & 0xff_ffff, timestamp, ..op });
            }
            Kind::Control { .. } => {}
            Kind::Nack { psn, .. } => {
                self.flight.refused(conn, psn);
                give(Op { kind: NACK, ..op });
            }
        }
    }
}
