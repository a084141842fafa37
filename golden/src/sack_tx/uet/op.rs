//! Ops of the scoreboard of Ultra Ethernet, and what they show outside.

/// The engine's run-time inputs, sampled with every op and visit. Times are ticks of 16 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    pub now: u16,
    /// Packets out of order from which rule 1 holds what lacks for lost, 12 bits; never less than [`super::LEAST_OOO`].
    pub ooo_packets: u16,
    /// Time without an ACK until a probe is asked for.
    pub probe_timeout: u16,
    /// Round-trip time of a probe up to which it proves loss, by rule 2.
    pub probe_rtt: u16,
    /// Time without progress of the cumulative PSN until what left long enough ago is lost.
    pub rto: u16,
    /// How often timeouts in a row may double `rto`, 3 bits.
    pub rto_backoff_max: u8,
    /// Bit 0: rule 1 is on. Bit 1: rule 2 is.
    pub rules: u8,
    /// Timeouts in a row that are borne, 4 bits; 15: any number.
    pub max_rto_retx: u8,
}

/// Fields of an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckFields {
    /// The PSN behind the cumulative one: all below it were received and cleared.
    pub cum_next: u32,
    /// The PSN that the ACK answers. An answer to a probe has none.
    pub psn: u32,
    /// It answers a probe.
    pub probe: bool,
    /// It has `mpr`, `base` and `bitmap`.
    pub has_sack: bool,
    /// Maximum PSN range, in 128 PSNs; 0: any.
    pub mpr: u8,
    /// PSN of bit 0 of the bitmap: any.
    pub base: u32,
    /// Bit i: PSN base + i was received. A clear bit says nothing.
    pub bitmap: u64,
    /// It has `rcvd` and `ooo`.
    pub has_state: bool,
    /// Bytes received in units of 256, 24 bits.
    pub rcvd: u32,
    /// Packets held out of order, 12 bits.
    pub ooo: u16,
    /// When what it answers left.
    pub timestamp: u16,
}

/// What an op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// A packet was sent: its PSN and its size.
    Sent {
        psn: u32,
        bytes: u16,
    },
    Ack(AckFields),
    /// Which PSN is to be retransmitted next?
    NextRtx,
    /// The connection starts anew with this PSN, ordered (ROD) or not (RUD), with this MPR until an ACK says another.
    Init {
        psn: u32,
        is_ordered: bool,
        mpr: u8,
    },
    /// Where does the connection stand? Changes nothing.
    Read,
    /// The same, and the connection ends: it is as if it had never been initialised.
    Close,
    /// A NACK refuses a PSN, with its code.
    Nack {
        psn: u32,
        code: u8,
    },
    /// The walker visits the connection: an op that the engine gives itself.
    Visit,
}

impl OpKind {
    /// The code on the port `op_kind`; a visit has none.
    pub const fn code(&self) -> Option<u8> {
        match self {
            OpKind::Sent { .. } => Some(0),
            OpKind::Ack(_) => Some(1),
            OpKind::NextRtx => Some(2),
            OpKind::Init { .. } => Some(3),
            OpKind::Read => Some(4),
            OpKind::Close => Some(5),
            OpKind::Nack { .. } => Some(6),
            OpKind::Visit => None,
        }
    }
}

/// One op with everything that is sampled with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// 0..connections.
    pub conn: u16,
    pub inputs: Inputs,
}

/// Result of every op but `Init` and `Visit`; [`Status::code`] is the code on the port `res_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Sent for the first time; taken; a PSN handed out; read; closed.
    Ok,
    /// `Sent`: sent before, or acknowledged meanwhile.
    Again,
    /// `Sent`: a PSN was left out.
    Gap,
    /// `Sent`: as many PSNs as the window or the MPR allows begin at `snd_una`.
    WindowFull,
    /// `Ack`: taken, but its cumulative PSN is older than that of an ACK before.
    Overtaken,
    /// `Ack`: its cumulative PSN was never sent.
    NeverSent,
    /// `Ack`: it names a PSN that was never sent.
    Beyond,
    /// `Nack`: the PSN is not outstanding.
    NotOutstanding,
    /// `NextRtx`: nothing is left to retransmit, or the MPR does not allow it yet.
    Nothing,
    /// The connection was never initialised, or was closed since.
    Uninitialised,
}

impl Status {
    pub const fn code(self) -> u8 {
        match self {
            Status::Ok => 0,
            Status::Again | Status::Overtaken | Status::NotOutstanding | Status::Nothing => 1,
            Status::Gap | Status::NeverSent => 2,
            Status::WindowFull => 3,
            Status::Beyond => 4,
            Status::Uninitialised => 7,
        }
    }
}

/// How loss was inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// (1) too many packets out of order
    Ooo,
    /// (2) a probe came back, and nothing else
    Probe,
    /// (3) no progress for the retransmission timeout
    Timeout,
    /// A NACK of an ordered connection: go back.
    Nack,
}

/// Kinds of op that an implementation may take different times for. A word is 16 PSNs, aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Init,
    Sent,
    /// Words between that of `snd_una` and that of the PSN behind the last one that the ACK names.
    Ack {
        words: u32,
    },
    AckRefused,
    /// A NACK that asks for one PSN, or finds that this is not needed: words to that of the PSN behind.
    Nack {
        words: u32,
    },
    /// A NACK that goes back: words to that of `snd_nxt`.
    NackBack {
        words: u32,
    },
    /// A NACK that says nothing to the scoreboard.
    NackIdle,
    /// Nothing is held for lost.
    NextRtxIdle,
    /// Words to that of `snd_nxt`.
    NextRtx {
        words: u32,
    },
    Read,
    Close,
    Visit,
    /// A visit that finds that the RTO is over, but not for the last time: words to that of `snd_nxt`.
    VisitTimedOut {
        words: u32,
    },
}

/// Everything that an op shows outside, and what its time may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// None for `Init` and `Visit`.
    pub status: Option<Status>,
    /// `NextRtx` and `retransmit`: the PSN to retransmit. `Ack`: `snd_una` after it. `Read`, `Close`, and a visit with `probe_due` or `ack_request`: `snd_una`.
    pub psn: Option<u32>,
    /// `Read`, `Close`, and a visit with `probe_due`: `snd_nxt`.
    pub snd_nxt: Option<u32>,
    /// PSNs that an ACK newly acknowledged.
    pub acked: u16,
    /// Packets sent, not known to be received, and not claimed for retransmission; after the op, of `Close` before it.
    pub in_flight: u16,
    /// Bytes sent, not known to be received; after the op, of `Close` before it.
    pub in_flight_bytes: u32,
    /// An ACK that was taken: bytes by which the receiver's count grew, a multiple of 256.
    pub acked_bytes: Option<u32>,
    /// After the op, of `Close` before it.
    pub in_recovery: bool,
    /// An ACK that was taken: its round-trip time in ticks.
    pub rtt: Option<u16>,
    /// Recovery was entered, or started anew.
    pub loss: Option<Rule>,
    /// One PSN, which a NACK refused, is to be sent again at once.
    pub retransmit: bool,
    pub probe_due: bool,
    /// No progress, but all that left long enough ago was received: the peer is to be asked to clear `snd_una`.
    pub ack_request: bool,
    /// Too many timeouts in a row.
    pub dead: bool,
    pub recovery_left: bool,
    pub class: Class,
}
