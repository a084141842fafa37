//! What is kept per connection, and an op as the ports bring it.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A word of the control RAM: `117 + PLACE + SEGMENTS` bits, of a window of `2^PLACE` packets in `2^(SEGMENTS - 1)` segments.
    ///
    /// The arrival bitmap is a memory of its own ([`super::super::small::place`]).
    pub struct ControlWord<const PLACE: usize, const SEGMENTS: usize> {
        /// `init` was done since reset: the rest means something.
        pub initialised: bool,
        /// Packets must come in order.
        pub ordered: bool,
        /// The host answers new packets and duplicates.
        pub host: bool,
        /// A NACK told of the gap at `epsn`.
        pub told: bool,
        /// A new packet asked for an ACK while `epsn` was missing, and something has been held beyond ever since.
        pub asked: bool,
        /// Next PSN expected in order.
        pub epsn: Bits<32>,
        /// PSN behind those that the host has cleared, at most 32767 below `epsn`. Where the block answers it is `epsn`.
        pub cleared: Bits<32>,
        /// Packets held beyond `epsn`, at most the window less one.
        pub ooo: Bits<PLACE>,
        /// Nominal bytes received without duplicates and 255, mod 2^32: the upper 24 bits are units of 256, rounded up.
        pub rcvd: Bits<32>,
        /// Bytes of new packets since the last ACK. Below a trigger of 16 bits, or the ACK would have been sent.
        pub since: Bits<16>,
        /// Lowest segment received since the last ACK, counted from that of `epsn`, and that of `epsn` once this has moved. The last
        /// of them also stands for none: any segment is as low.
        pub lowest: Bits<SEGMENTS>,
    }
}

signal_struct! {
    /// An op with its settings, as sampled.
    pub struct Op {
        pub kind: Bits<3>,
        /// The packet's PSN, the one asked for or answered, or the first PSN of `init`.
        pub psn: Bits<32>,
        pub cum_next: Bits<32>,
        pub bytes: Bits<16>,
        pub control: bool,
        pub ack_request: bool,
        pub syn: bool,
        pub retransmit: bool,
        pub ecn: bool,
        pub ordered: bool,
        pub host: bool,
        pub last_hop: bool,
        pub ev: Bits<16>,
        pub echo: Bits<16>,
        pub trigger: Bits<16>,
        pub least: Bits<12>,
        pub on_ecn: bool,
        pub extra: Bits<8>,
    }
}
