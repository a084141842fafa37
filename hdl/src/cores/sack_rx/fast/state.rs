//! What is kept per connection, what is echoed, and what the stages hand on.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A word of the control RAM: `PSN + 49 + PLACE + SEGMENTS + LATER_SEGMENTS` bits, of PSNs of `PSN` bits and a
    /// window of `2^PLACE` packets in `2^(SEGMENTS - 1)` segments.
    ///
    /// As [`ControlWord`](super::super::state::ControlWord) with `full`, by which the segment where a run of received packets
    /// ends is known before it is read.
    pub struct FastWord<const PLACE: usize, const SEGMENTS: usize, const LATER_SEGMENTS: usize, const PSN: usize> {
        pub initialised: bool,
        pub epsn: Bits<PSN>,
        pub ooo: Bits<PLACE>,
        pub bytes_recvd: Bits<32>,
        pub since: Bits<16>,
        pub lowest: Bits<SEGMENTS>,
        /// Bit `i`: every packet of segment `i + 1`, counted from that of `epsn`, was received. The last segment that the
        /// window touches is never full, as it is cut by the window; at a window of 64 it is the only one, and its bit 0.
        pub full: Bits<LATER_SEGMENTS>,
    }
}

signal_struct! {
    /// What a SACK echoes of its packet.
    pub struct Echo<const PSN: usize> {
        pub psn: Bits<PSN>,
        pub ecn: bool,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub probe: bool,
    }
}

signal_struct! {
    /// What was found of a packet.
    pub struct Found {
        pub status: Bits<3>,
        /// The control RAM is written back.
        pub changed: bool,
        /// The connection is closed.
        pub closed: bool,
        pub sack_due: bool,
    }
}
