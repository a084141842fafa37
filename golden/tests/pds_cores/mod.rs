//! The scoreboard and the receiver for Ultra Ethernet against the PDS endpoint of `hosts::pds`, which knows nothing of
//! them.
//!
//! An initiator or a target of cores is the model of the core and, as plain as can be, the host side that a block has
//! around it. What holds is a check that gets a [`Case`], runs it, and says what is wrong:
//! - every message comes once, with its response, and both ends agree on what came ([`runs`]);
//! - the endpoint's sender hears every ACK and NACK that a scoreboard hears, and holds the same for acknowledged
//!   ([`shadow`]);
//! - the endpoint as target hears every frame that a receiver of cores hears, and answers the same, byte for byte
//!   ([`twins`]).

mod block;
mod carry;
mod faults;
mod initiator;
mod responder;
mod runs;
mod scenarios;
mod sender;
mod shadow;
mod target;
mod twins;

use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::ses::{HEADER, Piece};
use respray_golden::hosts::pds::{AckRequests, AckType, Address, Base, Fault, Message};

use super::pds::network::Path;
use super::pds::{Found, address, encapsulation, holds, message, same};

/// Nanoseconds of a tick.
const TICK: u64 = 128;
/// Bytes of a message in a full packet.
const PAYLOAD: usize = 100;
/// PDCIDs of the end that sends messages, and of the one that receives them.
const A: u16 = 7;
const B: u16 = 9;
/// Bytes that a packet counts beside what follows its header: the header, the one of UDP, and 40.
const NOMINAL_EXTRA: u8 = 12 + 8 + 40;
/// Bytes that make an ACK due, those of 10 packets, each of which counts so much at least.
const ACK_GEN_TRIGGER: u16 = 10_240;
const ACK_GEN_MIN: u16 = 1024;
/// Nanoseconds until a timeout.
const RTO: u64 = 40_000;

const fn here(end: u16) -> Address {
    address(if end == A { 1 } else { 2 })
}

/// A run of one connection.
#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    path: Path,
    mode: Mode,
    /// Start_PSN.
    start: u32,
    messages: usize,
    /// Bytes of a message, at most.
    bytes: usize,
    /// One of so many messages asks for a response that is held until it is cleared; 0: none.
    held: usize,
    clear_delay: u64,
    /// Until the target asks for a clear with a control packet.
    clear_request: Option<u64>,
    /// Window of the model of a core: 128, 256 or 512.
    window: u32,
    /// PSNs that the endpoint sends or takes, a multiple of 128.
    other_window: u32,
    /// MPR before an ACK says one.
    default_mpr: u8,
    cwnd: u32,
    syn_packets: u16,
    ack_requests: AckRequests,
    ack_type: AckType,
    /// Of bitmaps that the endpoint writes.
    base: Base,
    sack_cack_align: u32,
    probe: Option<u64>,
    /// A mistake of the endpoint.
    fault: Option<Fault>,
    /// A mistake of the other end.
    slip: Option<Slip>,
}

/// Deliberate mistakes around the model of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    /// The cumulative PSN is taken for the one behind it, read or written.
    CumulativeOff,
    /// Bit 0 of a bitmap is the PSN behind its base, read or written.
    BitmapShifted,
    /// A response that did not come is cleared.
    UnansweredCleared,
    /// A cumulative PSN passes responses that are held.
    HeldPassed,
    /// A trimmed packet is taken for a whole one.
    TrimmedReceived,
    /// Start_PSN is the PSN of the SYN, whatever its offset.
    SynOffsetUnread,
    /// Nobody asks for the cumulative PSN where the scoreboard wants that.
    AskUnheard,
    /// Every packet is for a connection that takes any order.
    OrderForgotten,
}

impl Case {
    /// Over a path that loses a fifth both ways, and reorders what is left.
    fn lossy(seed: u64) -> Self {
        Case {
            seed,
            path: Path { loss: 20, doubled: 3, marked: 5, trimmed: 0, delay: 1000, reorder: 8000 },
            mode: Mode::Rud,
            start: 0x1234_5678_u32.wrapping_mul(seed as u32 + 1),
            messages: 40,
            bytes: 600,
            held: 0,
            clear_delay: 0,
            clear_request: None,
            window: 256,
            other_window: 256,
            default_mpr: 1,
            cwnd: 32,
            syn_packets: 4096,
            ack_requests: AckRequests::Sparse,
            ack_type: AckType::Cc,
            base: Base::Segment,
            sack_cack_align: 1,
            probe: None,
            fault: None,
            slip: None,
        }
    }

    /// What is sent.
    fn messages(&self) -> Vec<Message> {
        let any = |at: usize| {
            let length = (self.seed as usize * 131 + at * 251) % (self.bytes + 1);
            let wants_response = self.held > 0 && at.is_multiple_of(self.held);
            let bytes = message(length).bytes.iter().map(|byte| byte ^ at as u8).collect();
            Message { bytes, wants_response }
        };
        (0..self.messages).map(any).collect()
    }

    /// What the packets of it carry behind their headers, each with its message.
    fn packets(&self) -> Vec<(usize, Piece, Vec<u8>)> {
        let of = |(at, message): (usize, Message)| {
            let count = message.bytes.len().div_ceil(PAYLOAD).max(1);
            (0..count).map(move |packet| {
                let offset = packet * PAYLOAD;
                let data = &message.bytes[offset..message.bytes.len().min(offset + PAYLOAD)];
                let is_last = packet + 1 == count;
                let piece = Piece {
                    message: at as u16,
                    is_first: packet == 0,
                    is_last,
                    wants_response: message.wants_response && is_last,
                    offset: offset as u32,
                    length: message.bytes.len() as u32,
                };
                (at, piece, [&piece.to_bytes(), data].concat())
            })
        };
        self.messages().into_iter().enumerate().flat_map(of).collect()
    }

    /// Bytes that a receiver has counted once all has come, in 256 rounded up.
    fn nominal(&self) -> u64 {
        let packets = self.packets();
        let sum: usize = packets.iter().map(|(.., bytes)| bytes.len() + usize::from(NOMINAL_EXTRA)).sum();
        assert!(packets.iter().all(|(.., bytes)| bytes.len() >= HEADER));
        sum.div_ceil(256) as u64 * 256
    }

    fn has(&self, slip: Slip) -> bool {
        self.slip == Some(slip)
    }

    /// Every message came once, those of ROD in order.
    fn check_delivered(&self, delivered: &[Vec<u8>]) -> Found {
        let mut sent: Vec<Vec<u8>> = self.messages().into_iter().map(|message| message.bytes).collect();
        let mut delivered = delivered.to_vec();
        if self.mode == Mode::Rud {
            sent.sort_unstable();
            delivered.sort_unstable();
        }
        same("messages that came", delivered.len(), sent.len())?;
        holds("every message came once, in order if the connection is", sent == delivered)
    }

    /// Every response that was asked for came once, and is no default one.
    fn check_responses(&self, mut responded: Vec<(usize, u8)>) -> Found {
        responded.sort_unstable();
        let wants = |(at, message): (usize, Message)| message.wants_response.then_some(at);
        let wanted: Vec<usize> = self.messages().into_iter().enumerate().filter_map(wants).collect();
        let of: Vec<usize> = responded.iter().map(|(message, _)| *message).collect();
        same("responses", of, wanted)?;
        holds("no response that is held is a default one", responded.iter().all(|(_, opcode)| *opcode != 0))
    }
}
