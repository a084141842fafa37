//! What is kept per connection, and an op as the ports bring it.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// A word of the state RAM: 45 bits. Four make a connection, and all have their time at the same place.
    ///
    /// ```text
    ///  word  number      time              flags
    ///  0     cwnd        fair_at           initialised, counting, measured
    ///  1     achieved    avg8, bits 15:0   avg8, bits 18:16
    ///  2     rx          since
    ///  3     base_rtt    cut_at
    /// ```
    pub struct StateWord {
        /// In ticks.
        pub time: Bits<16>,
        pub number: Bits<26>,
        pub flags: Bits<3>,
    }
}

signal_struct! {
    /// An op and its settings, as sampled.
    pub struct Op {
        pub ecn: bool,
        pub probe: bool,
        /// Newly acknowledged.
        pub bytes: Bits<20>,
        pub timestamp: Bits<16>,
        pub now: Bits<16>,
        pub net_base_rtt: Bits<16>,
        pub min_base_rtt: Bits<16>,
        pub target_qdelay: Bits<16>,
        pub target_qhigh: Bits<16>,
        pub alpha: Bits<16>,
        pub beta: Bits<16>,
        pub eta: Bits<16>,
        pub gamma: Bits<16>,
        pub max_cwnd: Bits<10>,
        pub mtu_log2: Bits<4>,
    }
}
