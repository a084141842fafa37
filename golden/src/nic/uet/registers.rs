//! Settings, operands and counters that the block of Ultra Ethernet has beside those of every block.

use super::Parts;
use crate::nic::register::{read_only, setting};
use crate::nic::settings::{Block, Row};
use crate::nic::{Access, Config, Counter, Kind, Register, ResultField, Setting, Target};
use crate::sack_rx::uet::Settings as ReceiverSettings;
use crate::sack_tx::uet::Inputs;

/// Bytes of UDP's header, of that of a request, and 40 for what is below them.
const NOMINAL_EXTRA: u32 = 8 + 12 + 40;

fn row(setting: Setting, name: &'static str, width: u8, reset: u32, most: u32, meaning: &'static str) -> Row {
    Row { setting, block: Block::Settings, name, width, reset, allowed: 0..=most, meaning }
}

/// The settings.
pub fn settings(parts: Parts) -> Vec<Row> {
    use Setting::*;
    let mut rows = vec![
        Row {
            allowed: 7..=9,
            ..row(AckType, "ack_type", 4, 8, 9, "type of ACKs: 7 ACK, 8 ACK_CC, 9 ACK_CCX with 16 zeros")
        },
        row(AckResponse, "ack_response", 1, 1, 1, "ACKs of requests carry a default response"),
        row(
            AckGenTrigger,
            "ack_gen_trigger",
            16,
            16_384,
            32_768,
            "bytes of new packets that make an ACK due; 0: every packet does",
        ),
        row(AckGenMin, "ack_gen_min", 12, 1024, 2048, "bytes for which a packet counts at least"),
        row(AckOnEcn, "ack_on_ecn", 1, 1, 1, "a packet with CE makes an ACK due"),
        row(
            NominalExtra,
            "nominal_extra",
            8,
            NOMINAL_EXTRA,
            0xff,
            "bytes that a packet counts, sent or received, beside those behind the 12 of its header",
        ),
        row(DscpControl, "dscp_control", 6, 46, 63, "DSCP of ACKs, NACKs and probes of the block"),
        row(DscpTrimmed, "dscp_trimmed", 6, 0, 63, "DSCP of packets that were trimmed; 0: there are none"),
        row(
            DscpTrimmedLast,
            "dscp_trimmed_last",
            6,
            0,
            63,
            "DSCP of packets that were trimmed at the last hop; 0: there are none",
        ),
        row(DefaultMpr, "default_mpr", 8, 1, 0xff, "MPR before an ACK says one, in 128 PSNs; 0: no limit"),
        row(OwnProbes, "probe", 1, 0, 1, "the block sends probes, control packets 6"),
        row(LossRules, "loss_rules", 2, 0, 3, "bit 0: rule 1 is on; bit 1: rule 2 is"),
        row(
            MaxRtoRetx,
            "max_rto_retx",
            4,
            5,
            15,
            "timeouts in a row until a connection is dead; 15: no limit",
        ),
        row(
            RxAcks,
            "rx_acks",
            2,
            1,
            2,
            "ACKs that go to the host, too: 0 none, 1 those with a response that is not the default one, or a request, 2 all",
        ),
        row(
            SackCackAlign,
            "sack_cack_align",
            2,
            0,
            3,
            "the cumulative PSN is rounded down to a multiple of 2^n before the offset of a bitmap counts",
        ),
    ];
    for row in &mut rows {
        match row.setting {
            AckType if !parts.acks_with_credit => row.allowed = 7..=8,
            OwnProbes if !parts.own_probes => row.allowed = 0..=0,
            RxAcks if !parts.acks_to_host => (row.reset, row.allowed) = (0, 0..=0),
            _ => {}
        }
    }
    rows
}

/// What a command, or `accept`, is about, beside the operands of every block.
fn operands(parts: Parts) -> Vec<Row> {
    use Setting::*;
    let operand = |setting, name, width, most, meaning| Row {
        block: Block::Operands,
        ..row(setting, name, width, 0, most, meaning)
    };
    let mode = u32::from(parts.ordered) | u32::from(parts.host_answers) << 1;
    let mut rows = vec![
        operand(
            CommandMode,
            "command_mode",
            2,
            mode,
            "of a connection that is opened: bit 0, packets in order (ROD); bit 1, the host answers what it receives",
        ),
        operand(
            CommandPeer,
            "command_peer",
            16,
            0xffff,
            "of a connection that is opened: the peer's PDC; 0: its first ACK says it, or what is known stays",
        ),
        operand(CommandBytes, "command_bytes", 16, 0xffff, "of accept: bytes behind the 12 of the header"),
        operand(
            CommandFlags,
            "command_flags",
            3,
            7,
            "of accept: bit 0, the packet has AR; bit 1, RETX; bit 2, it is a control packet",
        ),
    ];
    if !parts.accept {
        rows.truncate(2);
    }
    rows
}

/// What a block of Ultra Ethernet has beside the registers of every block.
pub fn registers(config: &Config) -> Vec<Register> {
    let accept = Register {
        access: Access::WriteOnly,
        allowed: 0..=config.connections - 1,
        ..read_only(
            "accept",
            Target::Accept,
            24,
            0,
            "the connection whose receiver takes the packet with SYN that command_psn, command_bytes and command_flags \
             say; result_status: 0 new, 1 received before, 2 outside the window, 6 ahead in a connection in order, \
             7 not open",
        )
    };
    let nack = read_only(
        "result_nack",
        Target::Result(ResultField::Nack),
        8,
        0,
        "code of the NACK that is due by the last accept; 0: none",
    );
    let parts = config.parts();
    let rows = settings(parts).into_iter().chain(operands(parts));
    let of_accept = if parts.accept { vec![accept, nack] } else { vec![] };
    rows.map(|row| setting(&row)).chain(of_accept).collect()
}

/// A setting of every block with the values that it has here: PSNs have 32 bits, and there are more events.
pub fn widened(row: &mut Row) {
    match row.setting {
        Setting::CommandPsn => row.allowed = 0..=u32::MAX,
        Setting::EventEnable => {
            row.width = Kind::OF_UET.map(|kind| kind.code() + 1).into_iter().max().unwrap_or(row.width);
            row.reset = (1 << row.width) - 1;
            row.allowed = 0..=row.reset;
        }
        _ => {}
    }
}

/// The counters.
pub fn counters(parts: Parts) -> Vec<Counter> {
    let all = [
        (Counter::RxUnbound, true),
        (Counter::RxAhead, parts.counts_order),
        (Counter::RxOtherPeer, true),
        (Counter::RxTrimmed, true),
        (Counter::RxTrimmedOther, true),
        (Counter::RxControl, true),
        (Counter::RxNacks, true),
        (Counter::RxNacksBad, true),
        (Counter::TxNacks, true),
        (Counter::TxAnswers, parts.host_answers),
        (Counter::LossNack, parts.counts_order),
        (Counter::AckRequests, true),
        (Counter::Dead, true),
    ];
    all.into_iter().filter(|(_, is_there)| *is_there).map(|(counter, _)| counter).collect()
}

impl crate::nic::settings::Settings {
    /// Those of the receiver.
    pub fn uet_rx(&self) -> ReceiverSettings {
        ReceiverSettings {
            ack_gen_trigger: self.get(Setting::AckGenTrigger) as u16,
            ack_gen_min: self.get(Setting::AckGenMin) as u16,
            ack_on_ecn: self.get(Setting::AckOnEcn) == 1,
            nominal_extra: self.get(Setting::NominalExtra) as u8,
        }
    }

    /// Inputs of the scoreboard at a time, with a window in packets.
    pub fn uet_tx(&self, now: u16, cwnd_packets: u16) -> Inputs {
        Inputs {
            now,
            ooo_packets: cwnd_packets,
            probe_timeout: self.get(Setting::ProbeTimeout) as u16,
            probe_rtt: self.get(Setting::ProbeRtt) as u16,
            rto: self.get(Setting::Rto) as u16,
            rto_backoff_max: self.get(Setting::RtoBackoffMax) as u8,
            rules: self.get(Setting::LossRules) as u8,
            max_rto_retx: self.get(Setting::MaxRtoRetx) as u8,
        }
    }

    /// What the offset of a bitmap counts from.
    pub fn sack_from(&self, cack: u32) -> u32 {
        cack >> self.get(Setting::SackCackAlign) << self.get(Setting::SackCackAlign)
    }
}
