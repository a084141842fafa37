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
    /// The ports `meta_*` of `rewrite_rx`.
    pub struct Meta {
        @flat pub record: Record,
        /// Of a request of `uet`: source PDC, and whether it is a retransmission; 0 of others.
        pub source_pdc: Bits<16>,
        pub retransmit: bool,
    }
}

signal_struct! {
    /// With the last beat of a frame, one of these: the MAC found the frame bad, or a good one is an ACK, a probe, data or something
    /// else.
    pub struct Found {
        pub is_bad: bool,
        pub is_ack: bool,
        pub is_probe: bool,
        pub is_data: bool,
        pub is_other: bool,
        /// Beside `is_other`: it is malformed.
        pub is_malformed: bool,
    }
}

signal_struct! {
    /// Pulses for the counters of frames that go no further, and of those that go to the host as they are.
    pub struct FramePulses {
        pub rx_bad: bool,
        pub rx_other: bool,
        pub rx_malformed: bool,
        pub rx_dropped_host: bool,
        pub rx_dropped_engine: bool,
        pub acks_dropped: bool,
    }
}

signal_struct! {
    /// Pulses for the counters of results.
    pub struct ResultPulses {
        pub rx_new: bool,
        pub rx_duplicate: bool,
        pub rx_outside: bool,
        pub rx_not_open: bool,
        pub rx_marked: bool,
        pub rx_probes: bool,
        pub sacks_dropped: bool,
    }
}

signal_struct! {
    /// What is written into a data packet on its way to the host, as it stands there: 36 bits.
    pub struct Rewriting {
        /// The word of 4 bytes whose second half is the UDP source port, counted from the ninth one of the frame on; 15: nothing is written.
        pub place: Bits<4>,
        pub port: Bits<16>,
        /// That of UDP, which stands two words behind the port, in the first half of its word.
        pub checksum: Bits<16>,
    }
}

signal_struct! {
    /// What an ACK says, named as the ports `ack_*` of `rewrite_rx`, with its connection: 252 bits.
    pub struct Ack {
        pub conn: Bits<24>,
        @flat pub said: Said,
    }
}

signal_struct! {
    /// What an ACK says, but for its connection.
    pub struct Said {
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
    /// An op `packet` of `sack_rx`, or a packet of no connection.
    pub struct Op<const C: usize, const P: usize> {
        @flat pub packet: Packet<C, P>,
        /// There is no such connection, so `sack_rx` is not asked.
        pub is_foreign: bool,
    }
}

signal_struct! {
    /// The fields of an op of `sack_rx` but for its kind.
    pub struct Packet<const C: usize, const P: usize> {
        pub conn: Bits<C>,
        pub psn: Bits<P>,
        pub bytes: Bits<16>,
        pub ecn: bool,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub ack_request: bool,
        pub probe: bool,
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
        @flat pub state: SackState,
        pub conn: Bits<24>,
        pub wire_psn: Bits<32>,
        pub source_pdc: Bits<16>,
        pub retransmit: bool,
    }
}

signal_struct! {
    /// What `sack_rx` says with a result, its PSNs at its own width.
    pub struct Sack<const P: usize> {
        pub psn: Bits<P>,
        pub epsn: Bits<P>,
        pub base: Bits<P>,
        @flat pub state: SackState,
    }
}

signal_struct! {
    /// The same but for its PSNs.
    pub struct SackState {
        pub bitmap: Bits<64>,
        pub ooo: Bits<12>,
        pub bytes_recvd: Bits<32>,
        pub ecn: bool,
        pub ev: Bits<16>,
        pub timestamp: Bits<16>,
        pub probe: bool,
    }
}

signal_struct! {
    /// An event for the host: 63 bits.
    pub struct Event {
        @flat pub packet: EventPacket,
        pub detail: Bits<3>,
    }
}

signal_struct! {
    /// An event as the host has it.
    pub struct HostEvent {
        @flat pub packet: EventPacket,
        pub detail: Bits<16>,
    }
}

signal_struct! {
    /// Kind of an event, and what it is about.
    pub struct EventPacket {
        pub kind: Bits<4>,
        pub conn: Bits<24>,
        pub psn: Bits<32>,
    }
}

signal_struct! {
    /// Further ports `meta_*` of `rewrite_rx`, which only a profile with types has.
    pub struct TypedMeta {
        pub other: Bits<2>,
        pub last_hop: bool,
        /// The port `meta_type`.
        pub kind: Bits<5>,
        pub next_header: Bits<4>,
        pub flags: Bits<7>,
        pub detail: Bits<16>,
        pub message: Bits<16>,
        pub payload: Bits<32>,
    }
}

signal_struct! {
    /// Further ports `ack_*`.
    pub struct TypedSaid {
        pub has_sack: bool,
        pub has_state: bool,
        pub mpr: Bits<8>,
    }
}

signal_struct! {
    /// What an ACK or NACK of Ultra Ethernet says beside [`Ack`]. In the one of a NACK `epsn` is the PSN that it refuses, `offset` has its code
    /// in the upper half, and `bytes` is its payload.
    pub struct TypedAck {
        pub source_pdc: Bits<16>,
        pub is_nack: bool,
        pub retransmit: bool,
        /// 1 clear, 2 close.
        pub request: Bits<2>,
        /// Its frame waits in the ring for what the scoreboard says of it.
        pub is_for_host: bool,
        @flat pub said: TypedSaid,
    }
}

signal_struct! {
    /// An op of `sack_rx` of Ultra Ethernet beside [`Packet`].
    pub struct TypedOp {
        pub kind: Bits<3>,
        pub control: bool,
        pub retransmit: bool,
        pub host: bool,
        pub last_hop: bool,
        pub echo: Bits<16>,
    }
}

signal_struct! {
    /// What is kept of a packet of Ultra Ethernet beside [`Trigger`].
    pub struct TypedTrigger {
        /// A control packet.
        pub is_control: bool,
        pub is_trimmed: bool,
        /// A NACK to it names no connection.
        pub is_mute: bool,
        /// There is no such connection.
        pub is_beyond: bool,
        /// What an ACK to it repeats: 0 a message ID, 1 nothing, 3 the opaque of a probe.
        pub says: Bits<2>,
    }
}

signal_struct! {
    /// An answer that is due beside [`Answer`].
    pub struct TypedAnswer {
        pub is_nack: bool,
        pub code: Bits<8>,
        /// As in [`TypedTrigger`].
        pub says: Bits<2>,
    }
}

signal_struct! {
    /// Pulses for counters of frames that only a block of Ultra Ethernet has.
    pub struct TypedFramePulses {
        pub rx_unbound: bool,
        pub rx_trimmed_other: bool,
    }
}

signal_struct! {
    /// The same of results.
    pub struct TypedResultPulses {
        pub rx_ahead: bool,
        pub rx_control: bool,
        pub rx_trimmed: bool,
        /// A result brought an event.
        pub rx_told: bool,
    }
}
