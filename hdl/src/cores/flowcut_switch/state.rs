//! What is kept of a bucket, and what travels down the pipeline with an op.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A bucket but for its drain: `42 + PORT + AVERAGE` bits, where `PORT` is the width of an uplink's number and
    /// `AVERAGE` that of an average. All zero stands for a bucket that was never used.
    pub struct Bucket<const PORT: usize, const AVERAGE: usize> {
        /// Bytes on their way; all ones where there are more than it can say.
        pub in_flight: Bits<24>,
        /// Uplink of the flowcut, and its number.
        pub port: Bits<PORT>,
        pub epoch: Bits<4>,
        /// Average RTT in 32nds of a tick.
        pub average: Bits<AVERAGE>,
        /// There is one.
        pub has_average: bool,
        /// More bytes are on their way than `in_flight` says.
        pub saturated: bool,
        /// `clock` at the last packet, or ACK that was not refused.
        pub heard: Bits<8>,
        /// Age of the flowcut in 16 ticks of `clock`.
        pub age: Bits<4>,
    }
}

signal_struct! {
    /// A word of the control RAM: `43 + PORT + AVERAGE` bits.
    pub struct Control<const PORT: usize, const AVERAGE: usize> {
        pub bucket: Bucket<PORT, AVERAGE>,
        pub draining: bool,
    }
}

signal_struct! {
    /// An op on its way to the update stage, its kind taken apart. No flag is set if it changes nothing of a bucket.
    pub struct Op {
        /// A data packet, and one for which some uplink is up.
        pub data: bool,
        pub routed: bool,
        pub ack: bool,
        /// The walker visits the bucket, in a round in which buckets grow older.
        pub visit: bool,
        pub ages: bool,
    }
}

signal_struct! {
    /// What the update stage wants to know of an op besides: `48 + UPLINKS` bits, of `UPLINKS` uplinks. Where no op
    /// stands, it means nothing.
    pub struct Fields<const UPLINKS: usize> {
        pub bytes: Bits<24>,
        /// Uplinks that are up.
        pub up: Bits<UPLINKS>,
        pub epoch: Bits<4>,
        pub clock: Bits<8>,
        pub entry_timeout: Bits<8>,
        pub drain_after: Bits<4>,
    }
}

signal_struct! {
    /// An op at the ports, on its way to the control RAM: `83 + BUCKET` bits, of `2^BUCKET` buckets.
    pub struct Arrival<const BUCKET: usize> {
        pub op: Op,
        pub set_min: bool,
        pub bucket: Bits<BUCKET>,
        pub path_class: Bits<4>,
        pub now: Bits<16>,
        pub timestamp: Bits<16>,
        pub serial: Bits<16>,
        pub rtt_floor: Bits<16>,
        pub ratio: Bits<6>,
        pub alpha: Bits<3>,
    }
}
