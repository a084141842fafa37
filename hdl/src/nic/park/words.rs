//! What the queues and memories of parked packets hold.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// An op of the selector that is no send.
    pub struct Control {
        /// 1 ack, 2 nack, 3 timeout, 4 init, 5 set_min.
        pub kind: Bits<3>,
        pub conn: Bits<24>,
        /// Of an ACK: bytes that the receiver has got, and the timestamp that it echoes.
        pub recvd: Bits<24>,
        pub timestamp: Bits<16>,
    }
}

signal_struct! {
    /// What an ACK says that is needed when `sack_tx` has believed it.
    pub struct Ack {
        pub recvd: Bits<24>,
        pub timestamp: Bits<16>,
    }
}

signal_struct! {
    /// What a request says that is needed when it is decided about.
    pub struct Told {
        pub bytes: Bits<14>,
        pub is_data: bool,
    }
}

signal_struct! {
    /// A packet of the host that was decided about.
    pub struct Decided {
        /// 0 rewrite, 1 pass, 2 drop.
        pub action: Bits<2>,
        pub conn: Bits<24>,
        pub bytes: Bits<14>,
        pub is_data: bool,
        /// It was sent before.
        pub again: bool,
    }
}

signal_struct! {
    /// What is known of a connection: 12 bits.
    pub struct Connection {
        /// Class of its paths.
        pub path_class: Bits<4>,
        /// A packet of it is parked.
        pub parked: bool,
        /// That packet waits, and was not told to ask again.
        pub asleep: bool,
        /// For the end of a drain.
        pub draining: bool,
        pub place: Bits<5>,
    }
}

signal_struct! {
    /// Whose packet is in a place.
    pub struct Parked {
        pub conn: Bits<24>,
        pub bytes: Bits<14>,
    }
}

signal_struct! {
    /// A parked frame that leaves, and with what.
    pub struct Release {
        pub place: Bits<5>,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
    }
}

signal_struct! {
    /// Whether a data packet that leaves the sender is parked, and where.
    pub struct Way {
        pub parks: bool,
        pub place: Bits<5>,
    }
}

signal_struct! {
    /// A beat of `K` bytes in a place. Of a kept beat the first byte is there, so bit 0 of `keep` says instead whether the
    /// beat is the last one of its frame.
    pub struct Beat<const W: usize, const K: usize> {
        pub data: Bits<W>,
        pub keep: Bits<K>,
    }
}
