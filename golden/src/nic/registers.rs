//! The registers: one table of name, address, access, width, reset value and meaning.
//!
//! AXI4-Lite, words of 32 bits at multiples of 4. An access that the table does not allow is answered with SLVERR, counted, and
//! changes nothing. The table is that of a configuration: a setting that its selector does not have is not there.

use std::ops::RangeInclusive;

use super::spray::Spray;
use super::{Command, Config, Counter, event};

/// Register `identity`: "RSPN".
pub const IDENTITY: u32 = 0x5253_504e;
/// Register `version`: layout of the registers and of the event records, major 16 bits, minor 16 bits.
pub const VERSION: u32 = 0x0001_0000;
/// First address of the constants, settings, commands, results, and counters.
const BLOCKS: [u32; 5] = [0x000, 0x080, 0x100, 0x140, 0x200];

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    ReadOnly,
    ReadWrite,
    /// A write does something; there is nothing to be read.
    WriteOnly,
}

/// A run-time setting: an input of a core, or of the `nic` itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    UdpPort,
    FlowLabelEnable,
    WirePrescale,
    SackPrescale,
    SelectorPrescale,
    SackThreshold,
    CwndPackets,
    ProbeTimeout,
    ProbeRtt,
    Rto,
    RtoBackoffMax,
    Seed,
    EventEnable,
    /// The selector's own, in the order of its list, 0..4.
    Selector(u8),
    /// Connection, PSN and EV of the next command.
    CommandConn,
    CommandPsn,
    CommandEv,
}

impl Setting {
    /// Settings that there can be.
    pub(super) const COUNT: usize = 20;

    pub(super) const fn index(self) -> usize {
        match self {
            Setting::UdpPort => 0,
            Setting::FlowLabelEnable => 1,
            Setting::WirePrescale => 2,
            Setting::SackPrescale => 3,
            Setting::SelectorPrescale => 4,
            Setting::SackThreshold => 5,
            Setting::CwndPackets => 6,
            Setting::ProbeTimeout => 7,
            Setting::ProbeRtt => 8,
            Setting::Rto => 9,
            Setting::RtoBackoffMax => 10,
            Setting::Seed => 11,
            Setting::EventEnable => 12,
            Setting::CommandConn => 13,
            Setting::CommandPsn => 14,
            Setting::CommandEv => 15,
            Setting::Selector(at) => 16 + at as usize,
        }
    }
}

/// What the last command left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultField {
    Status,
    SndUna,
    SndNxt,
    InFlight,
    BytesInFlight,
    InRecovery,
}

/// What stands behind an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Constant(u32),
    Setting(Setting),
    Command,
    Result(ResultField),
    EventsWaiting,
    /// Low half of the clock's counter; a read keeps the high half for the register behind it.
    Time,
    /// Low half of a counter; the same.
    Counter(Counter),
    /// High half of what the last read of the register before it read.
    High,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    pub name: String,
    /// In bytes, a multiple of 4.
    pub address: u32,
    pub access: Access,
    /// Bits, from bit 0; those above read 0 and must be written as 0.
    pub width: u8,
    pub reset: u32,
    /// Values that may be written.
    pub allowed: RangeInclusive<u32>,
    pub meaning: String,
    pub target: Target,
}

/// The table of a configuration, in the order of addresses.
pub(super) fn table(config: &Config, selector: &dyn Spray) -> Vec<Register> {
    let blocks = [constants(config), settings(config, selector), commands(config), results(), counters()];
    let mut table = Vec::new();
    for (registers, first) in blocks.into_iter().zip(BLOCKS) {
        let last = BLOCKS.into_iter().find(|block| *block > first).unwrap_or(u32::MAX);
        for (register, address) in registers.into_iter().zip((first..).step_by(4)) {
            assert!(address < last, "{} has no room in its block", register.name);
            table.push(Register { address, ..register });
        }
    }
    table
}

fn register(
    name: &str,
    target: Target,
    access: Access,
    width: u8,
    reset: u32,
    allowed: RangeInclusive<u32>,
    meaning: &str,
) -> Register {
    let (name, meaning) = (name.to_string(), meaning.to_string());
    Register { name, address: 0, access, width, reset, allowed, meaning, target }
}

fn read_only(name: &str, target: Target, width: u8, reset: u32, meaning: &str) -> Register {
    register(name, target, Access::ReadOnly, width, reset, 0..=0, meaning)
}

fn constants(config: &Config) -> Vec<Register> {
    let constant = |name: &str, width, value, meaning: &str| {
        read_only(name, Target::Constant(value), width, value, meaning)
    };
    vec![
        constant("identity", 32, IDENTITY, "the letters RSPN"),
        constant(
            "version",
            32,
            VERSION,
            "of registers and event records: major in bits 31:16, minor in bits 15:0",
        ),
        constant("connections", 15, config.connections, "connections that share the engines"),
        constant("window", 10, config.window, "bitmap of the SACK engines in packets"),
        constant("profile", 1, config.profile as u32, "0 strack, 1 uet"),
        constant("selector", 8, config.selector.code(), "the EV engine: 0 reps, 1 ops, 2 ecmp"),
        constant("ev_base", 16, config.ev_base.into(), "first EV of the EV set"),
        constant("ev_bits", 5, config.ev_bits.into(), "the EV set has 2^ev_bits EVs"),
        constant("time_bits", 6, config.time_bits.into(), "width of the selector's times"),
        constant("bus_bits", 10, config.bus_bits, "width of the packet streams"),
        constant("clock_khz", 32, config.clock_khz, "the clock in kHz"),
        read_only(
            "time_low",
            Target::Time,
            32,
            0,
            "clock cycles since power-up, low half; keeps the high half",
        ),
        read_only("time_high", Target::High, 32, 0, "high half of the last time_low"),
    ]
}

fn settings(config: &Config, selector: &dyn Spray) -> Vec<Register> {
    let setting = |name: &str, setting, width: u8, reset, allowed, meaning: &str| {
        register(name, Target::Setting(setting), Access::ReadWrite, width, reset, allowed, meaning)
    };
    let sack_prescale = config.least_sack_prescale();
    let kinds = (1 << event::Kind::ALL.len()) - 1;
    let mut list = vec![
        setting(
            "udp_port",
            Setting::UdpPort,
            16,
            config.profile.udp_port().into(),
            0..=0xffff,
            "UDP destination port of the profile",
        ),
        setting(
            "flow_label_enable",
            Setting::FlowLabelEnable,
            1,
            0,
            0..=1,
            "EV also into the low 16 bits of an IPv6 flow label",
        ),
        setting(
            "wire_prescale",
            Setting::WirePrescale,
            5,
            3,
            0..=16,
            "a tick of the wire is 2^n clock cycles; at most sack_prescale",
        ),
        setting(
            "sack_prescale",
            Setting::SackPrescale,
            5,
            sack_prescale.max(5),
            sack_prescale..=16,
            "a tick of sack_tx is 2^n clock cycles; at least wire_prescale, and as much as its walker needs",
        ),
    ];
    if config.time_bits == 32 {
        list.push(setting(
            "selector_prescale",
            Setting::SelectorPrescale,
            5,
            0,
            0..=16,
            "a tick of the selector is 2^n clock cycles",
        ));
    }
    list.extend([
        setting(
            "sack_threshold",
            Setting::SackThreshold,
            16,
            4096,
            0..=0xffff,
            "bytes of new packets that make a SACK due; 0: every packet does",
        ),
        setting(
            "cwnd_packets",
            Setting::CwndPackets,
            12,
            64,
            1..=0xfff,
            "window in packets: for retransmissions, and for rule 1",
        ),
        setting(
            "probe_timeout",
            Setting::ProbeTimeout,
            16,
            300,
            1..=0xffff,
            "ticks of sack_tx without a SACK until a probe is sent",
        ),
        setting(
            "probe_rtt",
            Setting::ProbeRtt,
            16,
            150,
            0..=0xffff,
            "ticks of sack_tx up to which a probe's answer proves a loss",
        ),
        setting(
            "rto",
            Setting::Rto,
            16,
            20_000,
            1..=0xffff,
            "ticks of sack_tx without progress until everything is lost",
        ),
        setting(
            "rto_backoff_max",
            Setting::RtoBackoffMax,
            3,
            0,
            0..=7,
            "times that timeouts in a row may double rto",
        ),
        setting(
            "seed",
            Setting::Seed,
            16,
            0,
            0..=0xffff,
            "seed of the random EVs, from the next command reset on",
        ),
        setting(
            "event_enable",
            Setting::EventEnable,
            event::Kind::ALL.len() as u8,
            kinds,
            0..=kinds,
            "bit i: events of kind i are made; without bit 2 nothing is handed out for retransmission",
        ),
    ]);
    for (at, name) in selector.settings().iter().enumerate() {
        let (width, reset, meaning) = selector_setting(name, config);
        list.push(setting(
            name,
            Setting::Selector(at as u8),
            width,
            reset,
            0..=(u64::MAX >> (64 - width)) as u32,
            meaning,
        ));
    }
    list
}

/// Width, reset value and meaning of a selector's setting.
fn selector_setting(name: &str, config: &Config) -> (u8, u32, &'static str) {
    match name {
        "freeze_timeout" if config.time_bits == 16 => (16, 30_000, "ticks of the wire that a freeze lasts"),
        "freeze_timeout" => (32, 100_000, "ticks of the selector that a freeze lasts"),
        "bdp_packets" => (8, 16, "packets of one BDP: explored after a freeze"),
        other => panic!("the setting {other} has no register"),
    }
}

fn commands(config: &Config) -> Vec<Register> {
    let operand = |name: &str, setting, width: u8, most, meaning: &str| {
        register(name, Target::Setting(setting), Access::ReadWrite, width, 0, 0..=most, meaning)
    };
    let codes = Command::ALL.map(|command| format!("{} {}", command as u32, command.meaning())).join(", ");
    let meaning = format!("does it, and answers when it is done: {codes}");
    vec![
        operand(
            "command_conn",
            Setting::CommandConn,
            24,
            config.connections - 1,
            "connection of the next command",
        ),
        operand("command_psn", Setting::CommandPsn, 24, 0xff_ffff, "PSN of the next command"),
        operand("command_ev", Setting::CommandEv, 16, 0xffff, "EV of the next command"),
        register(
            "command",
            Target::Command,
            Access::WriteOnly,
            3,
            0,
            1..=Command::ALL.len() as u32,
            &meaning,
        ),
    ]
}

fn results() -> Vec<Register> {
    let field =
        |name: &str, field, width, meaning: &str| read_only(name, Target::Result(field), width, 0, meaning);
    vec![
        field(
            "result_status",
            ResultField::Status,
            3,
            "of the last command read: 0 read, 7 connection not open; the fields below are 0 then",
        ),
        field("result_snd_una", ResultField::SndUna, 24, "lowest PSN not acknowledged"),
        field("result_snd_nxt", ResultField::SndNxt, 24, "next PSN to be sent for the first time"),
        field("result_in_flight", ResultField::InFlight, 10, "packets in flight"),
        field("result_bytes_in_flight", ResultField::BytesInFlight, 32, "bytes in flight"),
        field("result_in_recovery", ResultField::InRecovery, 1, "in recovery"),
        read_only("events_waiting", Target::EventsWaiting, 32, 0, "events that wait for the host"),
    ]
}

fn counters() -> Vec<Register> {
    let halves = |counter: &Counter| {
        let name = counter.name();
        let low = read_only(&format!("{name}_low"), Target::Counter(*counter), 32, 0, counter.meaning());
        let high = format!("high half of the last {name}_low");
        [low, read_only(&format!("{name}_high"), Target::High, 32, 0, &high)]
    };
    Counter::ALL.iter().flat_map(halves).collect()
}
