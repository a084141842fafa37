//! What the scoreboard's ops are for, and what they found.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// What an op in work is for.
    pub struct Tag {
        /// 0 ACK, 1 data of the host, 2 probe of the host, or of Ultra Ethernet a control packet that takes a PSN, 3 look at a connection in recovery, 4 PSN to send again, 5 command `read`,
        /// 6 visit of the walker, 7 connection opened or closed.
        pub class: Bits<3>,
        pub conn: Bits<24>,
        /// Of an ACK its EPSN, of data its PSN.
        pub psn: Bits<32>,
        /// Of an ACK, in ticks of the wire, unless it gives none.
        pub rtt: Bits<16>,
        pub untimed: bool,
        /// Of an ACK: EV and mark of the packet that it answers.
        pub ev: Bits<16>,
        pub ecn: bool,
    }
}

signal_struct! {
    /// What is to be done after an op or a visit.
    pub struct Found {
        pub class: Bits<3>,
        /// As `sack_tx` gives it; 7 also of a connection that does not exist.
        pub status: Bits<3>,
        pub conn: Bits<24>,
        pub psn: Bits<32>,
        pub acked: Bits<16>,
        pub in_flight: Bits<16>,
        pub bytes_in_flight: Bits<32>,
        pub recovery_left: bool,
        pub loss_ooo: bool,
        pub loss_probe: bool,
        pub loss_timeout: bool,
        pub probe_due: bool,
        pub rtt: Bits<16>,
        pub untimed: bool,
        pub ev: Bits<16>,
        pub ecn: bool,
    }
}

signal_struct! {
    /// What an ACK or NACK of Ultra Ethernet says to the host, beside [`Tag`].
    pub struct TypedTag {
        pub is_nack: bool,
        pub is_probe: bool,
        /// If it is taken, it says who the peer is.
        pub is_unbound: bool,
        pub source_pdc: Bits<16>,
        /// 1 clear, 2 close.
        pub request: Bits<2>,
        /// The receiver is to know its status.
        pub is_for_host: bool,
        /// The PSN that it answers or refuses.
        pub psn: Bits<32>,
        /// Of a NACK.
        pub code: Bits<8>,
        pub payload: Bits<32>,
    }
}

signal_struct! {
    /// What the scoreboard of Ultra Ethernet finds beside [`Found`].
    pub struct TypedFound {
        @flat pub tag: TypedTag,
        pub in_recovery: bool,
        pub loss_nack: bool,
        pub retransmit: bool,
        pub ack_request: bool,
        pub dead: bool,
        /// A connection is opened, and sends in order.
        pub opens_in_order: bool,
        /// Of a visit: the next PSN to be sent for the first time.
        pub snd_nxt: Bits<32>,
    }
}
