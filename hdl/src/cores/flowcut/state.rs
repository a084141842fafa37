//! What is kept of a connection, and what travels down the pipeline with an op.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// What is on its way of a connection.
    pub struct Flight {
        /// Bytes, less than half the circle of counts.
        pub bytes: Bits<23>,
        /// There are any.
        pub occupied: bool,
    }
}

signal_struct! {
    /// What a connection has.
    pub struct Has {
        /// An average RTT.
        pub average: bool,
    }
}

signal_struct! {
    /// What decides where the next packet of a connection goes.
    pub struct Flags {
        /// It waits until nothing is on its way.
        pub draining: bool,
        /// It has an EV.
        pub placed: bool,
    }
}

signal_struct! {
    /// A word of the control RAM: `51 + AVERAGE` bits, where `AVERAGE` is the width of the average. All zero stands for
    /// a connection after `init` with no bytes.
    pub struct Control<const AVERAGE: usize> {
        pub flight: Flight,
        /// Bytes that the receiver has told of, modulo 2^24.
        pub received: Bits<24>,
        /// Average RTT in 32nds of a tick.
        pub average: Bits<AVERAGE>,
        /// There is one.
        pub has_average: bool,
        pub flags: Flags,
    }
}

signal_struct! {
    /// An op on its way to the update stage, its kind taken apart. No flag is set if it changes nothing.
    pub struct Op {
        pub send: bool,
        pub ack: bool,
        pub timeout: bool,
        pub init: bool,
        /// The packet is a retransmission, or has no payload: it does not wait, and its bytes are not counted.
        pub uncounted: bool,
        /// A draining connection holds its packets back.
        pub hold: bool,
        /// A timeout takes the EV away.
        pub reroutes: bool,
        pub bytes: Bits<14>,
        pub recvd: Bits<24>,
    }
}
