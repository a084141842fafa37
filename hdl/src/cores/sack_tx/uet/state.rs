//! What is kept per connection, and an op as the ports bring it.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A word of the control RAM: `PSN + 9 + 7 * PACKETS` bits, with places of `PACKETS` bits and PSNs of `PSN` bits.
    ///
    /// A *place* is a PSN counted from the first PSN of the segment (64 PSNs, aligned) that `una` lies in.
    pub struct ControlWord<const PACKETS: usize, const PSN: usize> {
        /// `init` was done since reset: the rest means something.
        pub initialised: bool,
        /// Packets must come in order.
        pub ordered: bool,
        /// A NACK made the connection go back, and since then there was neither progress nor a timeout.
        pub told: bool,
        pub in_recovery: bool,
        /// A probe was asked for, and no ACK was taken since.
        pub probe_out: bool,
        /// The phase in which `recent` was noted.
        pub phase: bool,
        /// An ACK said the MPR.
        pub has_mpr: bool,
        /// In 128 PSNs; 0: as many as the window.
        pub mpr: Bits<2>,
        /// `snd_una`, the lowest PSN that no cumulative PSN covers.
        pub una: Bits<PSN>,
        /// Place of `snd_nxt`, the next PSN to be sent for the first time.
        pub nxt: Bits<PACKETS>,
        /// Place one past the highest PSN known to be received; at or below `una`: none.
        pub high: Bits<PACKETS>,
        /// Place one past the last PSN held for lost. In recovery, and while a probe is out.
        pub rec_end: Bits<PACKETS>,
        /// Place of the first PSN that was not handed out since recovery was entered; at or below `una`: none was.
        pub rtx: Bits<PACKETS>,
        /// Places of what `nxt` was when the phase began, and when the one before began; at or below `una`: as low.
        pub recent: Bits<PACKETS>,
        pub aged: Bits<PACKETS>,
        /// Packets in flight.
        pub in_flight: Bits<PACKETS>,
    }
}

signal_struct! {
    /// A word of the times RAM.
    pub struct TimeWord {
        /// In ticks.
        pub time: Bits<16>,
        /// Beside the time of progress: timeouts in a row, 15 for all above.
        pub timeouts: Bits<4>,
    }
}

signal_struct! {
    /// An op and its settings, as sampled. The RTO is held by [`super::backoff`].
    pub struct Op<const PSN: usize> {
        /// PSN sent, answered or refused, or the first PSN of `init`.
        pub psn: Bits<PSN>,
        pub bytes: Bits<16>,
        pub ordered: bool,
        pub code: Bits<8>,
        pub mpr: Bits<8>,
        pub cum_next: Bits<PSN>,
        pub probe: bool,
        pub has_sack: bool,
        pub base: Bits<PSN>,
        pub bitmap: Bits<64>,
        pub has_state: bool,
        pub rcvd: Bits<24>,
        pub ooo: Bits<12>,
        pub timestamp: Bits<16>,
        pub now: Bits<16>,
        pub ooo_packets: Bits<12>,
        pub probe_timeout: Bits<16>,
        pub probe_rtt: Bits<16>,
        pub rto_backoff_max: Bits<3>,
        pub rules: Bits<2>,
        pub max_rto_retx: Bits<4>,
    }
}
