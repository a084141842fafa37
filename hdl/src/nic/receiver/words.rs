//! What the queues of the receive side hold.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A beat of `K` bytes in the ring. Of a kept beat the first byte is there, so bit 0 of `keep` says instead whether the
    /// beat is the last one of its frame.
    pub struct Beat<const W: usize, const K: usize> {
        pub data: Bits<W>,
        pub keep: Bits<K>,
    }
}

signal_struct! {
    /// The part of a record that goes to the host beside its frame, named as the ports `meta_*` of `rewrite_rx`: 112 bits.
    pub struct Record {
        pub kind: Bits<2>,
        pub error: Bits<3>,
        pub conn: Bits<24>,
        pub psn: Bits<32>,
        pub bytes: Bits<16>,
        pub ecn: Bits<2>,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub ack_request: bool,
    }
}

signal_struct! {
    /// What an ACK says, named as the ports `ack_*` of `rewrite_rx`, with its connection: 252 bits.
    pub struct Ack {
        pub conn: Bits<24>,
        pub ecn: bool,
        pub probe: bool,
        pub flags: Bits<2>,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub bytes: Bits<32>,
        pub epsn: Bits<32>,
        pub offset: Bits<16>,
        pub ooo: Bits<16>,
        pub base: Bits<32>,
        pub bitmap: Bits<64>,
    }
}

signal_struct! {
    /// An op `packet` of `sack_rx`.
    pub struct Op<const C: usize, const P: usize> {
        pub conn: Bits<C>,
        pub psn: Bits<P>,
        pub bytes: Bits<16>,
        pub ecn: bool,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub ack_request: bool,
        pub probe: bool,
        /// There is no such connection, so `sack_rx` is not asked.
        pub is_foreign: bool,
    }
}

signal_struct! {
    /// What is kept of a packet until `sack_rx` has said what it is: 77 bits.
    pub struct Trigger {
        pub conn: Bits<24>,
        pub psn: Bits<32>,
        pub source_pdc: Bits<16>,
        pub retransmit: bool,
        /// It has a CE mark.
        pub is_marked: bool,
        /// It is a probe, so no frame waits for its status.
        pub is_probe: bool,
        /// As in [`Op`].
        pub is_foreign: bool,
    }
}

signal_struct! {
    /// An answer that is due: what `sack_rx` says, and what is taken from the packet that it answers, but for its first 64 bytes.
    pub struct Answer {
        pub psn: Bits<32>,
        pub epsn: Bits<32>,
        pub base: Bits<32>,
        pub bitmap: Bits<64>,
        pub ooo: Bits<12>,
        pub bytes_recvd: Bits<32>,
        pub ecn: bool,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub probe: bool,
        pub conn: Bits<24>,
        pub wire_psn: Bits<32>,
        pub source_pdc: Bits<16>,
        pub retransmit: bool,
    }
}

signal_struct! {
    /// An event for the host: 63 bits.
    pub struct Event {
        pub kind: Bits<4>,
        pub conn: Bits<24>,
        pub psn: Bits<32>,
        pub detail: Bits<3>,
    }
}
