//! A capture as ops of STrack's window.
//!
//! * **init**: before a connection's first data frame that leaves the local side.
//! * **ack**: each ACK that reaches the local side, with its ECN-Echo. Its bytes are those by which the receiver's count of bytes
//!   has grown since the highest one so far. Its timestamp is the time at which the packet that it echoes was sent: the echoed
//!   one, moved by what lies between the first data frame's own and `now`, or, where ACKs echo none, that of the packet with its PSN.
//!   One that says neither bytes nor a time that is known is passed over.
//! * **nack**: each NACK.
//! * **Time.** `now` counts microseconds, and so must the settings.

use std::collections::{HashMap, HashSet, VecDeque};

use respray_hdl::cores::strack_cc::contract::Op;

use crate::traffic::capture::{
    CaptureError, CaptureOptions, CaptureSource, Kind, Listener, ProfileFrame, Side, Survey,
};
use crate::traffic::stimulus::Line;

const NS_PER_TICK: u64 = 1000;
/// Most bytes that an op says.
const MOST_BYTES: u32 = (1 << 20) - 1;

/// What the window hears.
pub struct StrackCcListener {
    initialised: HashSet<u32>,
    /// Of each connection, the highest count of bytes that its receiver told of.
    received: HashMap<u32, u32>,
    /// When the packets without a timestamp were sent, by connection and PSN, until they are acknowledged.
    sent: HashMap<(u32, u32), u16>,
    /// The bits that a count of bytes has on the wire.
    count_mask: u32,
    /// What the sender's timestamps are ahead of `now`.
    ahead: Option<u16>,
}

impl Listener for StrackCcListener {
    type Op = Op;
    const SIDE: Side = Side::Sender;
    const HEARS_TIMEOUTS: bool = false;

    fn new(_: &CaptureSource, options: &CaptureOptions, _: &Survey) -> Result<Self, CaptureError> {
        Ok(StrackCcListener {
            initialised: HashSet::new(),
            received: HashMap::new(),
            sent: HashMap::new(),
            count_mask: u32::MAX >> (u32::BITS - options.profile.wire.count_bits()),
            ahead: None,
        })
    }

    fn until(&mut self, _: u64, _: &mut VecDeque<Line<Op>>) {}

    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Op>>) {
        let now = (now_ns / NS_PER_TICK) as u16;
        let op = Op { conn: conn as u16, ..Op::default() };
        let mut give = |op| lines.push_back(Line::op(now.into(), op));
        match frame.kind {
            Kind::Data(data) => {
                match data.timestamp {
                    Some(timestamp) => {
                        self.ahead.get_or_insert(timestamp.wrapping_sub(now));
                    }
                    None => {
                        self.sent.insert((conn, data.psn), now);
                    }
                }
                if self.initialised.insert(conn) {
                    give(Op { kind: 4, ..op });
                }
            }
            Kind::Ack(ack) => {
                let of_packet = self.sent.remove(&(conn, ack.psn));
                let echoed = ack.echo_timestamp.map(|time| time.wrapping_sub(self.ahead.unwrap_or(0)));
                let (Some(timestamp), Some(count)) = (echoed.or(of_packet), ack.recv_bytes) else { return };
                let received = self.received.entry(conn).or_default();
                let more = count.wrapping_sub(*received) & self.count_mask;
                // of two ACKs that overtook each other the later one says less
                let bytes = if more <= self.count_mask / 2 { more } else { 0 };
                *received = received.wrapping_add(bytes);
                let (bytes, ecn, probe) = (bytes.min(MOST_BYTES), ack.ce, ack.probe);
                give(Op { kind: 1, ecn, probe, bytes, timestamp, ..op });
            }
            Kind::Nack { .. } => give(Op { kind: 2, ..op }),
            Kind::Control { .. } => {}
        }
    }
}
