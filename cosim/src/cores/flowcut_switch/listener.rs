//! A capture of a host's network card as ops of the switch that it is connected to.
//!
//! * **data**: each data frame that leaves the local side. Its bucket is the number of its connection, all uplinks are up.
//! * **ack**: each ACK that reaches the local side and says how many bytes were received: of those that no ACK before it told of. Its epoch
//!   is that of the bucket at that time, by the golden model. Its timestamp is the time at which the packet that it answers was sent
//!   last, by the capture; where that is not known, its own time, which makes an RTT of 0.
//! * **Time.** `now` counts microseconds; the slow time stands, so that the walker finds nothing to do.

use std::collections::{HashMap, VecDeque};

use respray_golden::flowcut_switch::{Engine, Params, Pick};
use respray_hdl::cores::flowcut_switch::contract::{ACK, DATA, Op};

use super::golden_op;
use crate::traffic::capture::{
    CaptureError, CaptureOptions, CaptureSource, Kind, Listener, ProfileFrame, Side, Survey,
};
use crate::traffic::stimulus::Line;

const NS_PER_TICK: u64 = 1000;

/// What Flowcut in a switch hears.
pub struct FlowcutSwitchListener {
    beside: Engine,
    up: u64,
    /// When each packet was sent last, by connection and PSN, in ticks.
    sent: HashMap<(u32, u32), u64>,
    /// Bytes that the ACKs of each connection have told of.
    received: HashMap<u32, u32>,
}

impl Listener for FlowcutSwitchListener {
    type Op = Op;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = false;

    fn new(_: &CaptureSource, options: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        let (buckets, uplinks) = (options.connections, options.uplinks);
        Ok(FlowcutSwitchListener {
            beside: Engine::new(Params { buckets, uplinks, pick: Pick::All, seed: 0 }),
            up: u64::MAX >> (64 - uplinks),
            sent: HashMap::new(),
            received: HashMap::new(),
        })
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Line<Op>>) {}

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let now = now_ns / NS_PER_TICK;
        let op = match frame.kind {
            Kind::Data(data) => {
                self.sent.insert((conn, data.psn), now);
                Op { kind: DATA, bytes: data.bytes.clamp(1, (1 << 14) - 1), up: self.up, ..Op::default() }
            }
            Kind::Ack(ack) => {
                let Some(received) = ack.recv_bytes else { return };
                let before = self.received.insert(conn, received).unwrap_or(0);
                let bytes = received.wrapping_sub(before) & 0xff_ffff;
                let sent = self.sent.get(&(conn, ack.psn)).unwrap_or(&now);
                let epoch = self.beside.bucket(conn as u16).epoch;
                Op { kind: ACK, bytes, epoch, timestamp: (sent & 0xffff) as u32, ..Op::default() }
            }
            Kind::Nack { .. } | Kind::Control { .. } => return,
        };
        let op = Op { bucket: conn as u16, ..op };
        // the settings are those of a run; what goes with a packet, its epoch, does not depend on them
        self.beside.apply(&golden_op(&op));
        lines.push_back(Line::op(now, op));
    }
}
