//! What is kept per connection, and what travels down the pipeline with an op.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// State of a connection that every op reads and writes back: `13 + 3 SLOT` bits. 001 Table 1, without the EVs
    /// and the freeze time ([`super::freeze`]), which have memories of their own.
    ///
    /// The valid EVs are always the slots `[tail, head)`, so that no valid bits are kept; storing `tail` rather than
    /// `num_valid` lets recycling and the paper's replay read the same slot without a subtraction.
    pub struct Control<const SLOT: usize> {
        /// `explore_counter`.
        pub count: Bits<8>,
        /// Slot that the next EV is written to; while `full` is clear also the number of EVs cached.
        pub head: Bits<SLOT>,
        /// Slot of the oldest valid EV; equal to `head` if none is valid.
        pub tail: Bits<SLOT>,
        /// Slot that the next replay reads, except where the paper replays from `head`.
        pub replay_slot: Bits<SLOT>,
        /// Every slot has been written.
        pub full: bool,
        /// At least one EV is valid: `num_valid > 0`.
        pub any_valid: bool,
        /// At least one EV was cached.
        pub any_cached: bool,
        /// `is_freezing`.
        pub freezing: bool,
        /// `explore_counter > 0`.
        pub exploring: bool,
    }
}

signal_struct! {
    /// Where an EV lies: the rings of all connections are one memory.
    pub struct EvAddress<const CONN: usize, const SLOT: usize> {
        pub slot: Bits<SLOT>,
        pub conn: Bits<CONN>,
    }
}

signal_struct! {
    /// An op on its way to the update stage, its kind taken apart. No flag but `valid` is set if it changes nothing.
    pub struct Op {
        /// An op was taken.
        pub valid: bool,
        pub send: bool,
        /// An ACK without ECN.
        pub cache: bool,
        /// An ACK with ECN.
        pub discard: bool,
        pub timeout: bool,
        /// ACK, NACK or timeout.
        pub feedback: bool,
        pub ev: Bits<16>,
        /// Packets of one BDP.
        pub bdp: Bits<8>,
    }
}

signal_struct! {
    /// Which of the ops ahead have the connection of the op in the read stage.
    pub struct Ahead {
        /// The one a place ahead has.
        pub one: bool,
        /// The one two places ahead has.
        pub two: bool,
        /// And it is a timeout.
        pub two_times_out: bool,
        /// The one three places ahead has.
        pub three: bool,
        /// The one four places ahead has.
        pub four: bool,
    }
}

signal_struct! {
    /// What an op did, on its way to the outputs.
    pub struct Action {
        pub explore: bool,
        pub recycle: bool,
        pub replay: bool,
        pub cache: bool,
        pub discard: bool,
        pub enter: bool,
        pub leave: bool,
    }
}
