//! A capture as ops of the SACK receiver.
//!
//! * **packet**: each data frame (first transmission, retransmission or probe) that reaches the local side. PSNs are
//!   taken modulo 2^`sack.psn_bits`.
//! * **init**: before the first packet of a connection. The first PSN expected is the lowest of the connection's first 64
//!   packets, since they need not come in order.
//! * **What is on the wire.** With profile `strack`, the row of a packet holds the SACK with which the local side
//!   answered it, known by PSN, EV and timestamp: the run counts those that the engine gives too.

use std::collections::{HashMap, VecDeque};

use respray_golden::psn::PsnSpace;

use respray_hdl::cores::sack_rx::contract::{CONTRACT, Op};

use crate::traffic::capture::{
    Ack, Beginnings, CaptureError, CaptureOptions, CaptureSource, Kind, Listener, ProfileFrame,
    ProfileFrames, Side, Survey,
};
use crate::traffic::stimulus::{Expectation, Line};

/// What tells the packet that a SACK answers: connection, PSN, EV, timestamp.
type Key = (u32, u32, u16, u16);

/// What the SACK receiver hears.
pub struct SackRxListener {
    psns: PsnSpace,
    /// First PSN of each connection that has not begun.
    first: HashMap<u32, u32>,
    /// The SACKs of the local side, in order where a packet came again with the same EV and timestamp.
    sacks: HashMap<Key, VecDeque<Expectation>>,
}

impl Listener for SackRxListener {
    type Op = Op;
    const SIDE: Side = Side::Receiver;
    const HEARS_TIMEOUTS: bool = false;

    fn new(source: &CaptureSource, options: &CaptureOptions, survey: &Survey) -> Result<Self, CaptureError> {
        let mut first = Beginnings::new(options.psns);
        let mut sacks: HashMap<Key, VecDeque<Expectation>> = HashMap::new();
        let mut frames = ProfileFrames::open(source, options.profile)?;
        while let Some(frame) = frames.next_frame()? {
            let Some(conn) = survey.connection(&frame) else { continue };
            match frame.kind {
                Kind::Data(data) => first.hear(conn, data.psn),
                Kind::Ack(ack) => {
                    if let Some((key, sack)) = answer(conn, &ack) {
                        sacks.entry(key).or_default().push_back(sack);
                    }
                }
                Kind::Nack { .. } | Kind::Control { .. } => {}
            }
        }
        Ok(SackRxListener { psns: options.psns, first: first.into_first().collect(), sacks })
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Line<Op>>) {}

    fn hear(&mut self, _: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let Kind::Data(data) = frame.kind else { return };
        let op = Op { conn: conn as u16, ..Op::default() };
        if let Some(psn) = self.first.remove(&conn) {
            lines.push_back(Line::op(0, Op { kind: 1, psn, ..op }));
        }
        let psn = self.psns.wrap(data.psn);
        let timestamp = data.timestamp.unwrap_or(0);
        let sack = self.sacks.get_mut(&(conn, psn, frame.ev, timestamp)).and_then(VecDeque::pop_front);
        let packet = Op {
            psn,
            bytes: data.bytes.min(0xffff) as u16,
            ecn: frame.ecn == 3,
            ev: frame.ev,
            timestamp,
            ack_request: data.ack_request,
            probe: data.probe,
            ..op
        };
        lines.push_back(Line { expect: sack.map(Box::new), ..Line::op(0, packet) });
    }
}

/// The packet that a SACK answers, and what it says. An ACK of `uet` does not have all of it: no timestamp comes back in it.
fn answer(conn: u32, ack: &Ack) -> Option<(Key, Expectation)> {
    let segment = ack.sack?;
    let values = [
        ("sack_epsn", ack.expected.into()),
        ("sack_base", segment.base.into()),
        ("sack_bitmap", segment.bitmap),
        ("sack_ooo", ack.ooo?.into()),
        ("sack_bytes_recvd", ack.recv_bytes?.into()),
    ];
    let sack = Expectation::of(&CONTRACT, "wire", &values);
    Some(((conn, ack.psn, ack.echo_ev, ack.echo_timestamp?), sack))
}
