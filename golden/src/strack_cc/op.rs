//! Ops of the congestion control, and what they show outside.

use super::ONE_PACKET;

/// What an op does; the discriminants are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// How large is the window? Changes nothing.
    #[default]
    Read,
    /// An ACK arrived.
    Ack,
    /// A packet was reported as trimmed: no result, no change.
    Nack,
    /// A packet is held for lost: no result, no change.
    Timeout,
    /// The connection starts anew.
    Init,
    /// Codes 5 to 7: no result, no change.
    Reserved,
}

impl OpKind {
    /// From the port `op_kind`, 3 bits; every code above 4 is `Reserved`.
    pub const fn from_code(code: u8) -> Self {
        match code {
            0 => OpKind::Read,
            1 => OpKind::Ack,
            2 => OpKind::Nack,
            3 => OpKind::Timeout,
            4 => OpKind::Init,
            _ => OpKind::Reserved,
        }
    }

    /// The code on the port `op_kind`; 5 for `Reserved`.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// The engine's settings, 004 Table 1, sampled with every op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Base RTT of a connection without ACKs, in ticks.
    pub net_base_rtt: u16,
    /// RTTs below it, in ticks, do not lower the base RTT.
    pub min_base_rtt: u16,
    /// `target_Qdelay`, in ticks.
    pub target_qdelay: u16,
    /// `target_Qhigh`, in ticks.
    pub target_qhigh: u16,
    /// In 2^-18 packets^2 per tick.
    pub alpha: u16,
    /// In 2^-8 packets^2.
    pub beta: u16,
    /// In 2^-12 packets.
    pub eta: u16,
    /// In 2^-16.
    pub gamma: u16,
    /// The largest window in packets, 10 bits; 0 reads as 1.
    pub max_cwnd: u16,
    /// A packet has `2^mtu_log2` bytes, 8..=13; another value, of 4 bits, is refused.
    pub mtu_log2: u8,
}

impl Default for Settings {
    /// 400 Gb/s, a base RTT of 12 us and packets of 4096 bytes, with ticks of 12.412 ns (4 clocks at 322.265625 MHz).
    fn default() -> Self {
        Settings {
            net_base_rtt: 967,
            min_base_rtt: 0,
            target_qdelay: 967,
            target_qhigh: 2901,
            alpha: 4338,
            beta: 5120,
            eta: 2458,
            gamma: 52429,
            max_cwnd: 146,
            mtu_log2: 12,
        }
    }
}

impl Settings {
    /// The largest window in packets.
    pub(super) fn most_packets(&self) -> u32 {
        self.max_cwnd.max(1).into()
    }

    /// The largest window in 2^-16 packets.
    pub(super) fn most_cwnd(&self) -> u32 {
        self.most_packets() * ONE_PACKET
    }

    pub(super) fn is_mtu_allowed(&self) -> bool {
        (8..=13).contains(&self.mtu_log2)
    }
}

/// One op with everything that is sampled with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// 0..connections.
    pub conn: u16,
    /// Of an ACK: its data packet was CE-marked.
    pub ecn: bool,
    /// Of an ACK: it answers a probe, so its bytes do not count.
    pub probe: bool,
    /// Of an ACK: the bytes that it newly acknowledges, 20 bits.
    pub bytes: u32,
    /// Of an ACK: the time that it echoes, in ticks.
    pub timestamp: u16,
    /// Time in ticks.
    pub now: u16,
    pub settings: Settings,
}

/// Whether a read or an ACK was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    Ok,
    /// The connection was never initialised, or `mtu_log2` is not allowed. Nothing was done.
    Uninitialised,
}

impl Status {
    /// The code on the port `res_status`.
    pub const fn code(self) -> u8 {
        match self {
            Status::Ok => 0,
            Status::Uninitialised => 7,
        }
    }
}

/// Which branch of 004 Algorithm 4 an ACK took; the discriminants are the codes of the port `res_action`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// None.
    Hold,
    /// Line 9: an increase by what the delay is below its target.
    Proportional,
    /// Line 7: a constant increase.
    Additive,
    /// Line 15: a decrease by what the average delay is above its target.
    Multiplicative,
    /// Line 12: a decrease to what was achieved.
    Achieved,
}

impl Action {
    /// The code on the port `res_action`.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// Result of a read and of an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Res {
    pub status: Status,
    /// The window in 2^-16 packets, 26 bits.
    pub cwnd: u32,
    /// The window in whole packets, rounded down.
    pub cwnd_packets: u16,
    /// Of an ACK: its queuing delay in ticks.
    pub delay: u16,
    /// Of an ACK: what it did to the window. A full window was not increased, whatever the branch.
    pub action: Action,
    /// Of an ACK: the window was increased for fairness, lines 19 to 22.
    pub fair: bool,
}

impl Res {
    /// What a connection says that is not initialised: all fields but the status are 0.
    pub(super) const UNINITIALISED: Self = Res { status: Status::Uninitialised, ..Res::of_window(0) };

    /// What a read says of a window.
    pub(super) const fn of_window(cwnd: u32) -> Self {
        Res {
            status: Status::Ok,
            cwnd,
            cwnd_packets: (cwnd / ONE_PACKET) as u16,
            delay: 0,
            action: Action::Hold,
            fair: false,
        }
    }
}

/// What the time of an op depends on; the discriminants are the indices in [`super::CLASSES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Class {
    /// NACK, timeout and the reserved kinds.
    #[default]
    Idle,
    /// A read, and an ACK that was not done.
    Read,
    Init,
    /// An ACK after which nothing is divided: no change of the window but for fairness, or an increase of a full one.
    AckHold,
    AckAchieved,
    AckIncrease,
    AckMultiplicative,
}

/// Everything that an op shows outside, and what its time depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Of a read and of an ACK.
    pub result: Option<Res>,
    pub class: Class,
}
