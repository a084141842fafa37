//! A capture of a host's network card as ops of the switch that it is connected to.
//!
//! * **data**: each data frame that leaves the local side. It comes in by port 0 for the host of its connection, and the FIB gives one of
//!   the upper half of the ports, which lead to other switches, by its connection.
//! * **ack**: each ACK that reaches the local side, from the host of its connection and by one of the upper half of the ports, which its
//!   echoed EV chooses. Where the packet that it answers was marked, the path is as congested as can be, otherwise not at all.
//! * **Time.** `now` counts milliseconds.

use std::collections::VecDeque;

use respray_hdl::cores::caver::contract::{ACK, DATA, Op};

use crate::traffic::capture::{
    CaptureError, CaptureOptions, CaptureSource, Kind, Listener, ProfileFrame, Side, Survey,
};
use crate::traffic::stimulus::Line;

const NS_PER_TICK: u64 = 1_000_000;
/// Spreads connections over the flow table and its tags.
const SPREAD: u32 = 0x9e37_79b1;

/// What CAVER hears.
pub struct CaverListener {
    uplinks: u32,
}

impl CaverListener {
    /// One of the upper half of the ports.
    fn uplink(&self, number: u32) -> u8 {
        (self.uplinks + number % self.uplinks) as u8
    }
}

impl Listener for CaverListener {
    type Op = Op;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = false;

    fn new(_: &CaptureSource, options: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        Ok(CaverListener { uplinks: options.ports / 2 })
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Line<Op>>) {}

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let op = match frame.kind {
            Kind::Data(data) => Op {
                kind: DATA,
                hash: conn.wrapping_mul(SPREAD),
                bytes: data.bytes.min((1 << 14) - 1) as u16,
                fib_port: self.uplink(conn),
                ..Op::default()
            },
            Kind::Ack(ack) => Op {
                kind: ACK,
                in_port: self.uplink(ack.echo_ev.into()),
                path: u32::MAX >> 8,
                ce: if ack.ce { u8::MAX } else { 0 },
                to_local: true,
                ..Op::default()
            },
            Kind::Nack { .. } | Kind::Control { .. } => return,
        };
        lines.push_back(Line::op(now_ns / NS_PER_TICK, Op { dst: conn as u16, ..op }));
    }
}
