//! A capture as ops of the receiver of Ultra Ethernet.
//!
//! * **packet**: each request that reaches the local side, retransmissions too.
//! * **init**: before the first packet of a connection. The first PSN expected is the lowest of the connection's first 64
//!   packets, since they need not come in order. Whether they must, the first of them says.
//! * **What is on the wire.** The row of a packet holds the ACK with which the local side answered it, known by PSN and EV: the run
//!   counts those that the engine gives too.

use std::collections::{HashMap, VecDeque};

use respray_hdl::cores::sack_rx::uet::contract::{CONTRACT, Op};

use crate::traffic::capture::{
    Ack, Beginnings, CaptureError, CaptureOptions, CaptureSource, Kind, Listener, ProfileFrame,
    ProfileFrames, Side, Survey,
};
use crate::traffic::stimulus::{Expectation, Line};

/// What tells the packet that an ACK answers: connection, PSN, EV.
type Key = (u32, u32, u16);

/// What the receiver hears.
pub struct UetRxListener {
    /// First PSN of each connection that has not begun.
    first: HashMap<u32, u32>,
    /// The ACKs of the local side, in order where a packet came again with the same EV.
    acks: HashMap<Key, VecDeque<Expectation>>,
}

impl Listener for UetRxListener {
    type Op = Op;
    const SIDE: Side = Side::Receiver;
    const HEARS_TIMEOUTS: bool = false;

    fn new(source: &CaptureSource, options: &CaptureOptions, survey: &Survey) -> Result<Self, CaptureError> {
        let mut first = Beginnings::new(options.psns);
        let mut acks: HashMap<Key, VecDeque<Expectation>> = HashMap::new();
        let mut frames = ProfileFrames::open(source, options.profile)?;
        while let Some(frame) = frames.next_frame()? {
            let Some(conn) = survey.connection(&frame) else { continue };
            match frame.kind {
                Kind::Data(data) => first.hear(conn, data.psn),
                Kind::Ack(ack) => {
                    if let Some(said) = said(&ack) {
                        acks.entry((conn, ack.psn, ack.echo_ev)).or_default().push_back(said);
                    }
                }
                Kind::Nack { .. } | Kind::Control { .. } => {}
            }
        }
        Ok(UetRxListener { first: first.into_first().collect(), acks })
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Line<Op>>) {}

    fn hear(&mut self, _: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let Kind::Data(data) = frame.kind else { return };
        let op = Op { conn: conn as u16, ..Op::default() };
        if let Some(psn) = self.first.remove(&conn) {
            lines.push_back(Line::op(0, Op { kind: 1, psn, ordered: data.ordered, ..op }));
        }
        let ack = self.acks.get_mut(&(conn, data.psn, frame.ev)).and_then(VecDeque::pop_front);
        let packet = Op {
            psn: data.psn,
            bytes: data.bytes.min(0xffff) as u16,
            ack_request: data.ack_request,
            syn: data.syn,
            retransmit: data.retransmit,
            ecn: frame.ecn == 3,
            ev: frame.ev,
            ..op
        };
        lines.push_back(Line { expect: ack.map(Box::new), ..Line::op(0, packet) });
    }
}

/// What an ACK says, if it is one of a packet and says all.
fn said(ack: &Ack) -> Option<Expectation> {
    let segment = ack.sack.filter(|_| !ack.probe)?;
    let values = [
        ("sack_cum_next", ack.expected.into()),
        ("sack_base", segment.base.into()),
        ("sack_bitmap", segment.bitmap),
        ("sack_ooo", ack.ooo?.into()),
        ("sack_rcvd", ack.recv_bytes?.into()),
    ];
    Some(Expectation::of(&CONTRACT, "wire", &values))
}
