//! Ops of the receiver of Ultra Ethernet, and what they show outside.

/// `nack_code` of a packet that was trimmed on its way, and at the last hop.
pub const TRIMMED: u8 = 0x01;
pub const TRIMMED_LAST_HOP: u8 = 0x02;
/// Of a PSN that the window does not have, or that is too old.
pub const OUTSIDE: u8 = 0x0b;
/// Of a packet ahead of the one that a connection in order expects.
pub const OUT_OF_ORDER: u8 = 0x0d;
/// Of a PSN that was asked for, and not received.
pub const NOT_RECEIVED: u8 = 0x12;
/// As [`OUTSIDE`], of a packet with SYN at or beyond the window's end.
pub const SYN_OUTSIDE: u8 = 0x15;

/// The engine's run-time inputs, sampled with every op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of new packets since the last ACK that make the next one due; 0: every new packet does.
    pub ack_gen_trigger: u16,
    /// Bytes for which a new packet counts at least towards `ack_gen_trigger`, 12 bits.
    pub ack_gen_min: u16,
    /// A mark (CE) makes an ACK due.
    pub ack_on_ecn: bool,
    /// Bytes that `rcvd` counts of a packet beside [`Op::bytes`]: its header, and those below it.
    pub nominal_extra: u8,
}

/// What an op does; the discriminants are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A request or a control packet with a PSN of its own arrived.
    #[default]
    Packet,
    /// The connection starts anew, expecting `psn`.
    Init,
    /// The connection ends: it is as if it had never been initialised.
    Close,
    /// A probe asks for a segment of the bitmap.
    Probe,
    /// The peer asks whether a PSN was received.
    Ask,
    /// The host answers a packet: an ACK.
    Answer,
    /// A request was trimmed on its way.
    Trimmed,
}

/// One op with everything that is sampled with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// 0..connections.
    pub conn: u16,
    /// The packet's PSN, the PSN that is asked for or answered. Of a probe: a PSN of the segment asked for. Of init: the first PSN.
    pub psn: u32,
    /// Of an answer: the PSN behind those that the host has cleared.
    pub cum_next: u32,
    /// Of a packet: bytes behind the 12 of its header.
    pub bytes: u16,
    /// Of a packet: it is a control packet, and counts no bytes.
    pub control: bool,
    /// The sender asks for an ACK.
    pub ack_request: bool,
    pub syn: bool,
    pub retransmit: bool,
    /// CE-marked.
    pub ecn: bool,
    /// Of init: packets must come in order (ROD).
    pub ordered: bool,
    /// Of init: the host answers new packets and duplicates. Of a packet: it answers this one.
    pub host: bool,
    /// Of a trimmed packet: at the last hop.
    pub last_hop: bool,
    pub settings: Settings,
}

/// What became of an op; the discriminants are the codes of the port `res_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    New = 0,
    /// Received before.
    Duplicate = 1,
    /// Beyond the window, or too old for an ACK to name it: refused.
    Outside = 2,
    Probe = 3,
    /// A trimmed packet, or a PSN asked for or answered that was not received.
    Missing = 4,
    /// Not the PSN that a connection in order expects: refused.
    Ahead = 6,
    /// The connection was never initialised, or was closed since: refused.
    Uninitialised = 7,
}

/// What an ACK says of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sack {
    /// The PSN behind the cumulative one: all below it were received and cleared.
    pub cum_next: u32,
    /// PSN of the bitmap's bit 0, a multiple of 64.
    pub base: u32,
    /// Bit `i`: PSN `base + i` was received.
    pub bitmap: u64,
    /// Maximum PSN range, in 128 PSNs.
    pub mpr: u8,
    /// Packets held beyond EPSN, below the window.
    pub ooo: u16,
    /// Bytes received without duplicates in units of 256, rounded up, modulo 2^24.
    pub rcvd: u32,
}

/// Kinds of op that an implementation may take different times for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Init,
    Close,
    Uninitialised,
    Probe,
    Ask,
    Answer,
    Trimmed,
    DuplicateBelow,
    DuplicateHeld,
    Outside,
    Ahead,
    NewAhead,
    /// EPSN moved; the number of segments by which it did.
    NewInOrder {
        advance_segments: u32,
    },
}

/// Everything that an op shows outside, and what its time may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Of all ops but init and close.
    pub status: Option<Status>,
    /// EPSN after the op, of a connection that is initialised.
    pub epsn: Option<u32>,
    pub sack: Option<Sack>,
    /// Code of the NACK that is to be sent.
    pub nack: Option<u8>,
    pub class: Class,
}
