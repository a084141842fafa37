//! What became of the frames that an endpoint was given: each is counted once, as taken or as refused.

use std::collections::BTreeMap;

use thiserror::Error;

use super::headers::HeaderError;

/// What a frame was that an endpoint took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taken {
    /// A request, or a control packet with a PSN of its own, for the first time.
    New,
    /// The same again.
    Duplicate,
    /// A trimmed request.
    Trimmed,
    Ack,
    /// An ACK that a later one has overtaken, or an answer to a probe that says nothing new.
    OvertakenAck,
    Nack,
    /// A control packet without a PSN of its own.
    Control,
}

/// Why an endpoint refused a frame. None of these changes the state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum Refusal {
    #[error("the frame ends within a header below the packet delivery sublayer")]
    Truncated,
    #[error("the frame is no packet of IP, or a fragment of one")]
    NotIp,
    #[error("the checksum of IPv4 is wrong")]
    BadIpChecksum,
    #[error("the packet is of another protocol or port")]
    OtherTraffic,
    #[error("the frame is for another address")]
    OtherAddress,
    #[error("the lengths of frame, IP and UDP contradict each other, or are too short for the header")]
    LengthMismatch,
    #[error("the checksum of UDP is wrong")]
    BadUdpChecksum,
    #[error("the trailer is not the CRC32C of the packet")]
    BadCrc,
    #[error("the type is reserved")]
    ReservedType,
    #[error("a control packet that opens no connection has SYN")]
    SynOnControl,
    #[error("the packet is of RUDI, UUD or the transport security sublayer")]
    OtherType,
    #[error("the destination PDCID is not open")]
    UnknownPdc,
    #[error("the source PDCID is not the one of the peer")]
    WrongPeer,
    #[error("the mode is not the one of the connection")]
    WrongMode,
    #[error("the connection knows no peer yet")]
    NotBound,
    #[error("no further connection can be opened")]
    NoRoom,
    #[error("the PSN is outside the window")]
    OutsideWindow,
    #[error("a packet of ROD is ahead of the expected one")]
    Ahead,
    #[error("the PSN is beyond the one of the Close")]
    Closing,
    #[error("the connection still sends, and cannot be closed")]
    Busy,
    #[error("CACK is beyond what was sent")]
    AckBeyondNext,
    #[error("an ACK names a PSN that was not sent")]
    AckOfUnsent,
    #[error("a NACK names a PSN that is not outstanding")]
    BadNack,
    #[error("an answer or a control packet is trimmed")]
    TrimmedAnswer,
    #[error("the ctl of the control packet is reserved")]
    ReservedControl,
    #[error("the packet that an ACK Request asks for was not received")]
    NotReceived,
    #[error("CLEAR_PSN is of a packet that was not received")]
    ClearBeyond,
}

impl From<HeaderError> for Refusal {
    fn from(error: HeaderError) -> Self {
        match error {
            HeaderError::Short { .. } => Refusal::LengthMismatch,
            HeaderError::Reserved(_) => Refusal::ReservedType,
            HeaderError::Syn(_) => Refusal::SynOnControl,
        }
    }
}

/// Counts of an endpoint. `received` is the sum of all in `taken` and `refused`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub sent: u64,
    pub received: u64,
    pub taken: BTreeMap<Taken, u64>,
    pub refused: BTreeMap<Refusal, u64>,
    /// Requests that were taken, with a CLEAR_PSN that was not: beyond what was received.
    pub clears_ignored: u64,
    /// Requests that were taken, and are no part of a message.
    pub bad_messages: u64,
    /// Headers with bits that are reserved and not 0. They are not looked at, and no sender sets them.
    pub reserved_bits: u64,
    /// Packets with a PSN of their own, sent for the first time, and again.
    pub first_transmissions: u64,
    pub retransmissions: u64,
}

impl Counts {
    pub fn taken(&self, what: Taken) -> u64 {
        self.taken.get(&what).copied().unwrap_or(0)
    }

    pub fn refused(&self, why: Refusal) -> u64 {
        self.refused.get(&why).copied().unwrap_or(0)
    }

    pub(super) fn count(&mut self, outcome: Result<Taken, Refusal>) {
        self.received += 1;
        match outcome {
            Ok(what) => *self.taken.entry(what).or_default() += 1,
            Err(why) => *self.refused.entry(why).or_default() += 1,
        }
    }
}
