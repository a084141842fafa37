//! What the memories of peers hold.

use rust_hdl::prelude::*;

use crate::signal_struct;

signal_struct! {
    /// From where packets of a connection come: 130 bits.
    pub struct AddressEntry {
        /// As it stands on the wire, the first byte in bits 7:0; one of IPv4 in the second four bytes.
        pub address: Bits<128>,
        pub is_ipv6: bool,
        /// There is an address.
        pub is_there: bool,
    }
}

signal_struct! {
    /// The number by which the peer knows a connection: 25 bits.
    pub struct NumberEntry {
        pub number: Bits<24>,
        /// There is a number.
        pub is_there: bool,
    }
}

signal_struct! {
    /// The number of a packet of the host: 41 bits.
    pub struct Numbered {
        pub number: Bits<24>,
        /// It is written.
        pub is_there: bool,
        /// What it changes in the sum under the UDP checksum.
        pub change: Bits<16>,
    }
}
