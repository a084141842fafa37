//! Which headers the packets have.

use serde::{Deserialize, Serialize};

/// Header profile on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wire {
    /// BTH and the SACK header of 004 Figure 7.
    Strack,
    /// Ultra Ethernet packet delivery sublayer.
    Uet,
}

impl Wire {
    /// All of them, in the order of their codes in the register `profile`.
    pub const ALL: [Wire; 2] = [Wire::Strack, Wire::Uet];

    /// Names of all of them, in the same order.
    pub const NAMES: [&'static str; Wire::ALL.len()] = {
        let mut names = [""; Wire::ALL.len()];
        let mut code = 0;
        while code < names.len() {
            names[code] = Wire::ALL[code].name();
            code += 1;
        }
        names
    };

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Wire::Strack => "strack",
            Wire::Uet => "uet",
        }
    }

    /// Where its headers are drawn.
    pub const fn source(self) -> &'static str {
        match self {
            Wire::Strack => "004 (STrack) Figure 7",
            Wire::Uet => "Ultra Ethernet packet delivery sublayer",
        }
    }

    /// UDP destination port of its packets, where no other is set.
    pub const fn udp_port(self) -> u16 {
        match self {
            Wire::Strack => 4791,
            Wire::Uet => 4793,
        }
    }

    /// Width in bits of the PSN of its packets.
    pub const fn psn_bits(self) -> u32 {
        match self {
            Wire::Strack => 24,
            Wire::Uet => 32,
        }
    }

    /// Data brings a timestamp, which its ACK echoes.
    pub const fn has_timestamps(self) -> bool {
        match self {
            Wire::Strack => true,
            Wire::Uet => false,
        }
    }

    /// The ports of all of them in a sentence: `4791 (strack), 4793 (uet)`.
    pub fn udp_ports() -> String {
        Wire::ALL.map(|wire| format!("{} ({})", wire.udp_port(), wire.name())).join(", ")
    }
}
