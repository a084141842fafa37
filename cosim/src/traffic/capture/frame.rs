//! Frames of a profile, taken apart: everything that an engine of ours, or a check of one, may want to hear.

use std::net::IpAddr;

/// One frame of the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileFrame {
    /// Number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since 1970; `None` of a frame that has no time.
    pub time_ns: Option<u64>,
    /// IP source.
    pub source: IpAddr,
    /// IP destination.
    pub destination: IpAddr,
    /// ECN codepoint of the IP header: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
    /// UDP source port: on a data frame the EV that it was sprayed with.
    pub ev: u16,
    /// The connection's number on the wire, as the sender of the data numbers it: the destination queue pair
    /// (`strack`, 24 bits) or the data sender's packet delivery context (`uet`, 16 bits).
    pub id: u32,
    /// The same as the receiver of the data numbers it: what its engines are keyed by.
    pub receiver_id: u32,
    /// Opcode (`strack`) or packet type (`uet`).
    pub opcode: u8,
    /// What kind of frame.
    pub kind: Kind,
}

/// Which end of the data frames the local side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It sends data and hears ACKs.
    Sender,
    /// It hears data and sends ACKs.
    Receiver,
}

/// Kinds of frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Data, or a probe.
    Data(Data),
    /// An acknowledgement.
    Ack(Ack),
    /// A packet is refused, as after it was trimmed on its way.
    Nack {
        /// Its PSN.
        psn: u32,
        /// Why, by the codes of `uet`: 1 it was trimmed, 2 at the last hop.
        code: u8,
        /// The packet was marked CE.
        ce: bool,
    },
    /// A control packet (`uet`).
    Control {
        /// What it is.
        ctl: u8,
        /// Its PSN.
        psn: u32,
        /// It is to open a connection.
        syn: bool,
    },
}

/// Fields of a data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Packet sequence number, 24 bits (`strack`) or 32 (`uet`).
    pub psn: u32,
    /// Payload behind the profile's header, in bytes, cut off or not.
    pub bytes: u32,
    /// Send time, 16 bits in the sender's units (`strack`).
    pub timestamp: Option<u16>,
    /// The sender asks for an ACK.
    pub ack_request: bool,
    /// A probe: it asks for a SACK and carries nothing.
    pub probe: bool,
    /// The receiver has not told its number of the connection yet, and another number stands in its place (`uet`,
    /// flag SYN).
    pub syn: bool,
    /// Packets of the connection must come in order (`uet`, ROD).
    pub ordered: bool,
    /// It says that it was sent before (`uet`).
    pub retransmit: bool,
}

/// Fields of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// PSN of the packet that it answers.
    pub psn: u32,
    /// EV of the packet that is acknowledged.
    pub echo_ev: u16,
    /// That packet was marked CE.
    pub ce: bool,
    /// That packet was a probe.
    pub probe: bool,
    /// That packet's send time (`strack`).
    pub echo_timestamp: Option<u16>,
    /// Every PSN before this one has been received.
    pub expected: u32,
    /// Bytes received without duplicates, 32 bits (`strack`) or 24 (`uet`), wrapping; none of an ACK of `uet` without
    /// the state of NSCC.
    pub recv_bytes: Option<u32>,
    /// Packets held beyond `expected`, 12 bits (`strack`) or 16 (`uet`).
    pub ooo: Option<u16>,
    /// A segment of the arrival bitmap.
    pub sack: Option<Sack>,
    /// Range of PSNs that the receiver allows, in 128 PSNs, 0 for any; beside a bitmap (`uet`).
    pub mpr: Option<u8>,
}

/// A segment of the receiver's arrival bitmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sack {
    /// PSN of bit 0.
    pub base: u32,
    /// Bit k: PSN `base + k` has been received.
    pub bitmap: u64,
}
