//! What is kept per connection, and an op as the ports bring it.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A word of the control RAM: `PSN + 3 + 5 * PACKETS` bits, `PACKETS = W + 1` for a window of `2^W` packets and PSNs of `PSN` bits.
    ///
    /// A *place* is a PSN counted from the first PSN of the segment (64 PSNs, aligned) that `una` lies in. What the scoreboard
    /// compares lies within the window, so a place has `PACKETS` bits, and where `una` advances all places move by whole
    /// segments: only their upper bits change.
    ///
    /// Bytes, times and acked bits are memories of their own ([`super::accounts`], [`super::walk`]).
    pub struct ControlWord<const PACKETS: usize, const PSN: usize> {
        /// `init` was done since reset: the rest means something.
        pub initialised: bool,
        pub in_recovery: bool,
        /// A probe was asked for, and no SACK was taken since.
        pub probe_out: bool,
        /// `snd_una`, the lowest PSN not acknowledged.
        pub una: Bits<PSN>,
        /// Place of `snd_nxt`, the next PSN to be sent for the first time.
        pub nxt: Bits<PACKETS>,
        /// Place one past the highest PSN known to be received; at or below `una`: none. After rule 2 the end of the range, if
        /// that is later: until the range is left nobody asks, and then `una` is as high.
        pub high: Bits<PACKETS>,
        /// Place one past the last PSN held for lost. In recovery, and while a probe is out.
        pub rec_end: Bits<PACKETS>,
        /// Place of the first PSN that was not handed out since recovery was entered; at or below `una`: none was.
        pub rtx: Bits<PACKETS>,
        /// Packets in flight.
        pub in_flight: Bits<PACKETS>,
    }
}

signal_struct! {
    /// A word of the times RAM.
    pub struct TimeWord {
        /// In ticks.
        pub time: Bits<16>,
        /// Beside the time of progress: timeouts in a row, 7 for all above. Whatever moves that time knows their number, so
        /// that they need no write of their own.
        pub timeouts: Bits<3>,
    }
}

signal_struct! {
    /// An op and its settings, as sampled. The RTO is held by [`super::backoff`].
    pub struct Op<const PSN: usize> {
        /// PSN sent, or the first PSN of `init`.
        pub psn: Bits<PSN>,
        /// Payload.
        pub bytes: Bits<16>,
        pub epsn: Bits<PSN>,
        pub base: Bits<PSN>,
        pub bitmap: Bits<64>,
        pub ooo: Bits<12>,
        pub bytes_recvd: Bits<32>,
        pub timestamp: Bits<16>,
        pub probe: bool,
        pub now: Bits<16>,
        pub cwnd_packets: Bits<12>,
        pub probe_timeout: Bits<16>,
        pub probe_rtt: Bits<16>,
        pub rto_backoff_max: Bits<3>,
    }
}
