//! Ops of the sender's scoreboard, and what they show outside.

/// The engine's run-time inputs, sampled with every op and visit. Times are ticks of 16 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    pub now: u16,
    /// Window in packets, 12 bits.
    pub cwnd_packets: u16,
    /// Time without a SACK until a probe is asked for.
    pub probe_timeout: u16,
    /// Round-trip time of a probe up to which it proves loss.
    pub probe_rtt: u16,
    /// Time without progress of EPSN until everything is lost.
    pub rto: u16,
    /// How often timeouts in a row may double `rto`, 3 bits.
    pub rto_backoff_max: u8,
}

/// Fields of a SACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackFields {
    /// A PSN, as `base`.
    pub epsn: u32,
    pub base: u32,
    pub bitmap: u64,
    /// 12 bits.
    pub ooo: u16,
    pub bytes_recvd: u32,
    /// Echoed timestamp.
    pub timestamp: u16,
    pub probe: bool,
}

/// What an op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// A packet was sent: its PSN and payload bytes.
    Sent {
        psn: u32,
        bytes: u16,
    },
    Sack(SackFields),
    /// Which PSN is to be retransmitted next?
    NextRtx,
    /// The connection starts anew with this PSN.
    Init {
        psn: u32,
    },
    /// Where does the connection stand? Changes nothing.
    Read,
    /// The same, and the connection ends: it is as if it had never been initialised.
    Close,
    /// The walker visits the connection: an op that the engine gives itself.
    Visit,
}

impl OpKind {
    /// The code on the port `op_kind`; a visit has none.
    pub const fn code(&self) -> Option<u8> {
        match self {
            OpKind::Sent { .. } => Some(0),
            OpKind::Sack(_) => Some(1),
            OpKind::NextRtx => Some(2),
            OpKind::Init { .. } => Some(3),
            OpKind::Read => Some(4),
            OpKind::Close => Some(5),
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
    /// Sent for the first time; SACK taken; a PSN handed out; read; closed.
    Ok,
    /// `Sent`: sent before, or acknowledged meanwhile.
    Again,
    /// `Sent`: a PSN was left out.
    Gap,
    /// `Sent`: `window` PSNs are unacknowledged.
    WindowFull,
    /// `Sack`: EPSN is older than `snd_una`.
    Old,
    /// `Sack`: EPSN was never sent.
    NeverSent,
    /// `Sack`: base not aligned, or not a segment of the window.
    BadBase,
    /// `Sack`: the bitmap has a PSN that was never sent.
    Beyond,
    /// `Sack`: the bitmap shows EPSN, which the receiver lacks by the same SACK, as received.
    Contradicts,
    /// `NextRtx`: nothing is left to retransmit.
    Nothing,
    /// The connection was never initialised, or was closed since.
    Uninitialised,
}

impl Status {
    pub const fn code(self) -> u8 {
        match self {
            Status::Ok => 0,
            Status::Again | Status::Old | Status::Nothing => 1,
            Status::Gap | Status::NeverSent => 2,
            Status::WindowFull | Status::BadBase => 3,
            Status::Beyond => 4,
            Status::Contradicts => 5,
            Status::Uninitialised => 7,
        }
    }
}

/// How loss was inferred, 004 section 3.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// (1) too many packets out of order
    Ooo,
    /// (2) a probe came back, and nothing else
    Probe,
    /// (3) no progress for the retransmission timeout: also the `timeout` that `reps` hears
    Timeout,
}

/// Kinds of op that an implementation may take different times for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Init,
    Sent,
    /// Segments that `snd_una` moved by, and the SACK's segment counted from that of the old `snd_una`.
    Sack {
        cum_segments: u32,
        base_segment: u32,
    },
    SackRefused,
    /// Segments that the search moved by.
    NextRtx {
        search_segments: u32,
    },
    Read,
    Close,
    Visit,
}

/// Everything that an op shows outside, and what its time may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// None for `Init` and `Visit`.
    pub status: Option<Status>,
    /// `NextRtx`: the PSN to retransmit. `Read`, `Close`, and a visit with `probe_due`: `snd_una`.
    pub psn: Option<u32>,
    /// `Read`, `Close`: `snd_nxt`.
    pub snd_nxt: Option<u32>,
    /// PSNs that a SACK newly acknowledged.
    pub acked: u16,
    /// Packets sent, not known to be received, and not claimed for retransmission; after the op, of `Close` before it.
    pub in_flight: u16,
    /// Bytes sent, not known to be received; after the op, of `Close` before it.
    pub in_flight_bytes: u32,
    /// A SACK that was taken: bytes that it newly acknowledged, up to [`super::MOST_ACKED_BYTES`].
    pub acked_bytes: Option<u32>,
    /// After the op, of `Close` before it.
    pub in_recovery: bool,
    /// A SACK that was taken: its round-trip time in ticks, 004 Algorithm 1.
    pub rtt: Option<u16>,
    /// Recovery was entered, or started anew.
    pub loss: Option<Rule>,
    pub probe_due: bool,
    pub recovery_left: bool,
    pub class: Class,
}
