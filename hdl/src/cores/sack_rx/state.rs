//! What is kept per connection, and a packet as the ports bring it.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A word of the control RAM: `PSN + 49 + PLACE + SEGMENTS` bits, of PSNs of `PSN` bits and a window of `2^PLACE`
    /// packets in `2^(SEGMENTS - 1)` segments.
    ///
    /// The arrival bitmap is a memory of its own ([`super::place`]).
    pub struct ControlWord<const PLACE: usize, const SEGMENTS: usize, const PSN: usize> {
        /// `init` was done since reset: the rest means something.
        pub initialised: bool,
        /// Next PSN expected in order.
        pub epsn: Bits<PSN>,
        /// Packets held beyond `epsn`, at most the window less one.
        pub ooo: Bits<PLACE>,
        /// Bytes received without duplicates, mod 2^32.
        pub bytes_recvd: Bits<32>,
        /// Bytes of new packets since the last SACK. Below a threshold of 16 bits, or the SACK would have been sent.
        pub since: Bits<16>,
        /// Lowest segment received since the last SACK, counted from that of `epsn`, which only moves with a SACK. The
        /// last of them also stands for none: any segment is as low.
        pub lowest: Bits<SEGMENTS>,
    }
}

signal_struct! {
    /// A packet, as sampled.
    pub struct Packet<const PSN: usize> {
        /// The packet's PSN, or the first PSN of `init`.
        pub psn: Bits<PSN>,
        /// Payload.
        pub bytes: Bits<16>,
        pub ecn: bool,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub ack_request: bool,
        pub probe: bool,
        /// Bytes that make a SACK due.
        pub threshold: Bits<16>,
    }
}
