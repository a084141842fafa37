//! What the tables keep, and what travels down the pipeline.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// An entry of the flow table: `58 + DST` bits, where `DST` is the width of a destination.
    pub struct Flow<const DST: usize> {
        pub valid: bool,
        /// Bits 31:16 of the flow's hash.
        pub tag: Bits<16>,
        pub dst: Bits<DST>,
        /// It has a route; otherwise it goes by ECMP.
        pub is_routed: bool,
        /// A byte a hop, the first one lowest.
        pub route: Bits<32>,
        /// When it last saw a packet.
        pub seen: Bits<8>,
    }
}

signal_struct! {
    /// An entry of the path congestion table, the best path to a destination: `43 + PORT` bits, where `PORT` is the
    /// width of a port's number.
    pub struct Path<const PORT: usize> {
        pub valid: bool,
        /// Congestion behind the port.
        pub ce: Bits<8>,
        /// Ports in `path`.
        pub len: Bits<2>,
        pub port: Bits<PORT>,
        /// The ports behind `port`, a byte each, the nearest lowest.
        pub path: Bits<24>,
        /// When it was reported.
        pub seen: Bits<8>,
    }
}

signal_struct! {
    /// What an op is: at most one flag is set.
    pub struct Kind {
        pub data: bool,
        pub ack: bool,
        pub set_shift: bool,
        /// The core's own: the walker comes to an entry of each table, the sum of a port loses its share.
        pub visit: bool,
        pub decay: bool,
    }
}

signal_struct! {
    /// An op on its way from the inputs to the stage that decides. `DST`, `FLOW` and `PORT` are the widths of a
    /// destination, of a place in the flow table and of a port's number; `PORTS` is the number of ports.
    pub struct Op<const DST: usize, const FLOW: usize, const PORT: usize, const PORTS: usize> {
        pub kind: Kind,
        pub dst: Bits<DST>,
        /// Place in the flow table.
        pub place: Bits<FLOW>,
        pub tag: Bits<16>,
        /// Port of which the sum is read or changed, unless that is the port by which a packet leaves.
        pub port: Bits<PORT>,
        pub fib_port: Bits<PORT>,
        /// Port of the next hop of the route, and its hop.
        pub next_port: Bits<PORT>,
        pub next_hop: Bits<2>,
        /// It came from a host at this switch.
        pub from_host: bool,
        /// It goes to one.
        pub to_host: bool,
        /// It came with a route, and with one that can be.
        pub enable: bool,
        pub is_good: bool,
        pub bytes: Bits<14>,
        pub path: Bits<32>,
        pub ce: Bits<8>,
        pub len: Bits<2>,
        pub shift: Bits<5>,
        pub alpha: Bits<3>,
        pub now: Bits<8>,
        pub path_age: Bits<8>,
        pub flow_timeout: Bits<8>,
        pub up: Bits<PORTS>,
    }
}

signal_struct! {
    /// What is known of an op's entries when it is decided.
    pub struct Known {
        /// The flow entry may be used, and it is the flow's own.
        pub flow_lives: bool,
        pub is_own: bool,
        /// The path entry may be used, and the ACK came by its port.
        pub path_lives: bool,
        pub is_same_port: bool,
    }
}

signal_struct! {
    /// What a data packet leaves with, or what is left to decide of an ACK, on its way to the result: `89 + DST + 2 PORT` bits.
    pub struct Verdict<const DST: usize, const PORT: usize> {
        pub is_data: bool,
        pub is_ack: bool,
        /// Code of the result, unless that depends on congestion.
        pub code: Bits<4>,
        pub dst: Bits<DST>,
        /// Data: the port by which it leaves. ACK: the port by which it came.
        pub port: Bits<PORT>,
        pub enable: bool,
        pub hop: Bits<2>,
        /// Data: the route. ACK: the stored path, its port the lowest byte.
        pub stored: Bits<32>,
        pub stored_ce: Bits<8>,
        pub stored_len: Bits<2>,
        /// The ACK begins a path.
        pub begins: bool,
        /// The better one of the stored path and of that of the ACK is looked for; the latter is taken in any case.
        pub compares: bool,
        pub must_take: bool,
        pub to_host: bool,
        /// The path of the ACK from the switch before on.
        pub path: Bits<24>,
        pub ce: Bits<8>,
        pub len: Bits<2>,
        pub now: Bits<8>,
        /// The walker clears the path entry.
        pub clears: bool,
    }
}

signal_struct! {
    /// What the outputs show of an op: `53 + DST + PORT` bits.
    pub struct Outcome<const DST: usize, const PORT: usize> {
        pub valid: bool,
        pub dst: Bits<DST>,
        pub code: Bits<4>,
        pub port: Bits<PORT>,
        pub enable: bool,
        pub hop: Bits<2>,
        pub path: Bits<32>,
        pub ce: Bits<8>,
        pub len: Bits<2>,
    }
}

signal_struct! {
    /// What is compared of a report by an uplink: 17 bits.
    pub struct Report {
        pub valid: bool,
        /// Congestion behind the uplink.
        pub ce: Bits<8>,
        /// When it was reported.
        pub seen: Bits<8>,
    }
}

signal_struct! {
    /// What is behind an uplink: 26 bits.
    pub struct Tail {
        /// Ports in `path`.
        pub len: Bits<2>,
        /// A byte a port, the nearest lowest.
        pub path: Bits<24>,
    }
}

signal_struct! {
    /// What is known of an op's flow entry when it is decided.
    pub struct KnownFlow {
        pub flow_lives: bool,
        pub is_own: bool,
    }
}

signal_struct! {
    /// What is known of the best path of those by all uplinks, and what it is good for. `PORT` is the width of a port's number.
    pub struct Chosen<const PORT: usize> {
        /// There is one.
        pub lives: bool,
        /// Its uplink.
        pub port: Bits<PORT>,
        /// A packet leaves by it.
        pub takes: bool,
        /// It goes into a flow's entry and into the result.
        pub brings: bool,
    }
}
