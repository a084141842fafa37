//! Registers and counters that only a block of Ultra Ethernet has.

use super::register::{Access, Holder, Register, most, read_only, setting};
use crate::config::Config;

/// The NACK that is due by the last `accept`.
pub const RESULT_NACK: &str = "result_nack";

/// Registers that a block of Ultra Ethernet has besides, and how many there are.
pub const TYPED_REGISTERS: usize = 21;

/// Its settings, behind them the operands of its commands, and what `accept` says. Of what the hardware lacks no value but 0 may be
/// written.
pub fn registers(config: &Config) -> Vec<Register> {
    if !config.has_uet_acks() {
        return Vec::new();
    }
    let extra = "bytes that a packet counts, sent or received, beside those behind the 12 of its header";
    let aligned =
        "the cumulative PSN is rounded down to a multiple of 2^n before the offset of a bitmap counts";
    let acks = "ACKs that go to the host, too: 0 none, 1 those with a response that is not the default one, or a request, 2 all";
    let mode = "of a connection that is opened: bit 0, packets in order (ROD); bit 1, the host answers what it receives";
    let peer =
        "of a connection that is opened: the peer's PDC; 0: its first ACK says it, or what is known stays";
    let flags = "of accept: bit 0, the packet has AR; bit 1, RETX; bit 2, it is a control packet";
    let accept = "the connection whose receiver takes the packet with SYN that command_psn, command_bytes and command_flags say; result_status: 0 new, 1 received before, 2 outside the window, 6 ahead in a connection in order, 7 not open";
    let registers: [Register; TYPED_REGISTERS] = [
        setting("ack_type", 4, 8, 7..=9, "type of ACKs: 7 ACK, 8 ACK_CC, 9 ACK_CCX with 16 zeros"),
        setting("ack_response", 1, 1, 0..=1, "ACKs of requests carry a default response"),
        setting(
            "ack_gen_trigger",
            16,
            16_384,
            0..=32_768,
            "bytes of new packets that make an ACK due; 0: every packet does",
        ),
        setting("ack_gen_min", 12, 1024, 0..=2048, "bytes for which a packet counts at least"),
        setting("ack_on_ecn", 1, 1, 0..=1, "a packet with CE makes an ACK due"),
        setting("nominal_extra", 8, 60, 0..=most(8), extra),
        setting("dscp_control", 6, 46, 0..=most(6), "DSCP of ACKs, NACKs and probes of the block"),
        setting("dscp_trimmed", 6, 0, 0..=most(6), "DSCP of packets that were trimmed; 0: there are none"),
        setting(
            "dscp_trimmed_last",
            6,
            0,
            0..=most(6),
            "DSCP of packets that were trimmed at the last hop; 0: there are none",
        ),
        setting("default_mpr", 8, 1, 0..=most(8), "MPR before an ACK says one, in 128 PSNs; 0: no limit"),
        setting("probe", 1, 0, 0..=1, "the block sends probes, control packets 6"),
        setting("loss_rules", 2, 0, 0..=3, "bit 0: rule 1 is on; bit 1: rule 2 is"),
        setting("max_rto_retx", 4, 5, 0..=15, "timeouts in a row until a connection is dead; 15: no limit"),
        setting("rx_acks", 2, 1, 0..=2, acks),
        setting("sack_cack_align", 2, 0, 0..=3, aligned),
        setting("command_mode", 2, 0, 0..=1, mode),
        setting("command_peer", 16, 0, 0..=most(16), peer),
        setting("command_bytes", 16, 0, 0..=most(16), "of accept: bytes behind the 12 of the header"),
        setting("command_flags", 3, 0, 0..=most(3), flags),
        Register {
            access: Access::WriteOnly,
            allowed: 0..=config.connections - 1,
            ..read_only("accept", Holder::Accept, 24, 0, accept)
        },
        read_only(
            RESULT_NACK,
            Holder::Result,
            8,
            0,
            "code of the NACK that is due by the last accept; 0: none",
        ),
    ];
    registers.into()
}

/// Counters of such a block: name and meaning.
pub const TYPED_COUNTERS: [(&str, &str); 10] = [
    ("rx_unbound", "Packets with SYN, which the host gets before any connection hears of them"),
    (
        "rx_other_peer",
        "Packets, ACKs and NACKs of another PDC than the peer's, or of the other kind of delivery",
    ),
    ("rx_trimmed", "Requests that were trimmed on their way"),
    ("rx_trimmed_other", "Other packets that were trimmed, dropped"),
    ("rx_control", "Control packets that the receiver was asked about, but probes"),
    ("rx_nacks", "NACKs of PSNs that are outstanding"),
    ("rx_nacks_bad", "NACKs of other PSNs, or of connections that are not open"),
    ("tx_nacks", "NACKs sent"),
    ("ack_requests", "Times at which all had arrived and the cumulative PSN stood still"),
    ("dead", "Connections that had too many timeouts in a row"),
];
/// Bits of its register `event_enable`: kinds 0 to 21.
pub const TYPED_KINDS: u32 = 22;
