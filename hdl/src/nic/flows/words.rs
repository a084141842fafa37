//! What is kept of a connection of Ultra Ethernet, and what ACKs say of it.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// Who the peer of a connection is: 20 bits.
    pub struct PeerOf {
        /// The number by which it knows the connection, if it is bound.
        pub pdc: Bits<16>,
        pub is_bound: bool,
        /// The connection is open for sending, and for receiving.
        pub sends: bool,
        pub receives: bool,
        /// What it receives comes in order.
        pub is_ordered: bool,
    }
}

signal_struct! {
    /// The packet of a connection that is timed, if one is: 50 bits.
    pub struct TimedPacket {
        pub is_timed: bool,
        pub psn: Bits<32>,
        /// When it left last, in ticks of the wire.
        pub sent_at: Bits<16>,
        /// It left twice.
        pub is_again: bool,
    }
}

signal_struct! {
    /// What was decided about a packet of the host, or that a connection was opened or closed for sending.
    pub struct Departed<const C: usize> {
        pub conn: Bits<C>,
        pub psn: Bits<32>,
        /// In ticks of the wire.
        pub time: Bits<16>,
        pub is_again: bool,
        pub is_renewed: bool,
    }
}

signal_struct! {
    /// What an ACK or NACK says, as its header has it.
    pub struct AckHeader {
        pub conn: Bits<24>,
        pub source_pdc: Bits<16>,
        pub is_nack: bool,
        /// It answers a probe, whose opaque stands in the place of the offset.
        pub probe: bool,
        pub retransmit: bool,
        /// Cumulative PSN; of a NACK the PSN that it refuses.
        pub cack: Bits<32>,
        /// Of a NACK its code, in the upper half. From the cumulative PSN to that of the packet that is answered, and to the bitmap's bit 0.
        pub offset: Bits<16>,
        pub base: Bits<16>,
        pub ooo: Bits<16>,
    }
}

signal_struct! {
    /// What the scoreboard hears of it.
    pub struct HeardAck {
        /// When what it answers left, in ticks of the wire, unless nobody knows.
        pub timestamp: Bits<16>,
        pub untimed: bool,
        /// Of a NACK, as `psn`, the PSN that it refuses.
        pub cum_next: Bits<32>,
        pub psn: Bits<32>,
        /// Of a NACK.
        pub code: Bits<8>,
        pub base: Bits<32>,
        pub ooo: Bits<12>,
        /// It is not of the peer.
        pub is_refused: bool,
        /// If it is taken, it says who the peer is.
        pub is_unbound: bool,
    }
}
