//! The table of registers: names, addresses, access, widths, values and meanings.

use super::register::{Access, Holder, Register, most, read_only, setting};
use super::rows::rows;
use super::typed::{self, TYPED_COUNTERS, TYPED_KINDS};
use crate::config::{Close, Config, Events, PathSelector, PeerTable, RssPort, RxCredit, WindowEngine, Wire};
use crate::contract::Contract;
use crate::cores::selector::{EVENTS, STATE_LOST};
use crate::cores::strack_cc;
use crate::nic::event_frames::MOST_RECORDS;

/// Register `identity`: "RSPN".
pub const IDENTITY: u32 = 0x5253_504e;
/// Register `version`, of the layout of registers and event records: major in bits 31:16, minor in bits 15:0.
pub const VERSION: u32 = 0x0002_0000;
/// First address of the constants with the registers of peers behind them, settings, settings of the selector, commands, settings of the window, results, what
/// Ultra Ethernet adds, and counters.
const BLOCKS: [u32; 8] = [0x000, 0x080, 0x0e0, 0x100, 0x118, 0x140, OF_TYPES, 0x200];
/// First address of what a block of Ultra Ethernet has besides.
pub(super) const OF_TYPES: u32 = 0x180;
/// Addresses are those of 12 bits.
const END: u32 = 0x1000;
/// Largest prescaler: a tick of 2^16 clock cycles.
const MOST_PRESCALE: u32 = 16;
/// Cycles of a walker's visit and of the ops between it and the next one, where every packet brings a `sent` and a
/// SACK: `docs/sack_tx.md`, "Grain", of engine `small`, which takes the more.
const BUSY_VISIT_CYCLES: u64 = 200;
/// Ticks of `sack_tx` that a round of its walker may take, so that no timer wraps unseen.
const LONGEST_ROUND_TICKS: u64 = 1 << 15;

/// What the register `command` takes: name and meaning, from code 1 on.
pub const COMMANDS: [(&str, &str); 8] = [
    ("open_tx", "opens command_conn for sending from command_psn on"),
    ("open_rx", "opens it for receiving from command_psn on"),
    ("read", "reads where its sender stands into the results"),
    ("nack", "tells the selector that a packet with command_ev was trimmed"),
    ("reset", "resets all engines and drops all that waits"),
    ("close_tx", "closes command_conn for sending, with where its sender stood in the results"),
    ("close_rx", "closes command_conn for receiving"),
    ("set_min", "with nic.selector = flowcut: sets the smallest RTT of command_class to command_rtt"),
];

/// Those of a configuration: only a selector that lets packets wait has smallest RTTs.
pub fn commands_of(config: &Config) -> &'static [(&'static str, &'static str)] {
    const ALL: &[(&str, &str)] = &COMMANDS;
    if config.nic.selector.parks() { ALL } else { &ALL[..7] }
}

/// What a block in which packets are parked says itself with ACKs and commands: name, bits, meaning.
const OF_PARK: [(&str, u32, &str); 3] = [
    ("ack_serial", 16, "op_serial of every ACK: ticks of the wire that a packet takes on its links"),
    (
        "command_class",
        4,
        "class of paths of the connection that is opened next, and of the next command set_min",
    ),
    (
        "command_rtt",
        16,
        "ticks of the wire: first average RTT of the connection that is opened next, 0 for none, and the smallest RTT of the next command set_min",
    ),
];

/// Counters of such a block: name and meaning.
const PARK_COUNTERS: [(&str, &str); 2] = [
    ("tx_parked", "Data packets that waited in the block for their connection"),
    ("tx_held", "Data packets at which tx_in paused because they could not wait in the block"),
];

/// Counters of a block whose host grants frames: name and meaning.
const CREDIT_COUNTERS: [(&str, &str); 2] = [
    ("rx_no_credit", "Data packets dropped because the host had granted no frame for them"),
    ("rx_credit_refused", "Writes of rx_credit without effect: it went back, or too far ahead"),
];

/// Counters of a block whose host says who the peers are: name and meaning.
const PEER_COUNTERS: [(&str, &str); 2] = [
    ("rx_other_address", "Data packets and probes from another address than the peer's"),
    ("acks_other_address", "ACKs from another address than the peer's"),
];

/// What the register `window_engine` says.
const WINDOW_ENGINES: &str =
    "the window of a connection: 0 cwnd_packets, for all of them; 1 strack, one for each";

/// The registers of a configuration with `selector` as its EV engine, in the order of addresses.
///
/// # Panics
/// On a selector that has no code, or a block that outgrows its addresses: errors of this project.
pub fn table(config: &Config, selector: &Contract) -> Vec<Register> {
    let blocks = [
        constants(config, selector).into_iter().chain(peers(config)).collect(),
        settings(config),
        selector_settings(config, selector),
        commands(config),
        window_settings(config),
        results(config),
        typed::registers(config),
        counters(config, selector),
    ];
    let ends = BLOCKS.into_iter().skip(1).chain([END]);
    let mut table = Vec::new();
    for ((registers, first), end) in blocks.into_iter().zip(BLOCKS).zip(ends) {
        for (register, address) in registers.into_iter().zip((first..).step_by(4)) {
            assert!(address < end, "{} has no room in its block", register.name);
            table.push(Register { address, ..register });
        }
    }
    table
}

/// What codes from 0 on stand for.
fn codes(names: &[&str]) -> String {
    (0..).zip(names).map(|(code, name)| format!("{code} {name}")).collect::<Vec<_>>().join(", ")
}

fn constants(config: &Config, selector: &Contract) -> Vec<Register> {
    let constant =
        |name, width, value, meaning: &str| read_only(name, Holder::Constant, width, value, meaning);
    let selectors = PathSelector::NAMES;
    let code = selectors.iter().position(|known| *known == selector.core);
    let code = code.unwrap_or_else(|| panic!("{} is not an EV engine", selector.core)) as u32;
    let clock_khz = (config.clock_mhz * 1000.0).round() as u32;
    let layout = "of registers and event records: major in bits 31:16, minor in bits 15:0";
    vec![
        constant("identity", 32, IDENTITY, "the letters RSPN"),
        constant("version", 32, VERSION, layout),
        constant("connections", 15, config.connections, "connections that share the engines"),
        constant("window", 10, config.sack.window, "bitmap of the SACK engines in packets"),
        constant("profile", (Wire::ALL.len() - 1).ilog2() + 1, config.wire as u32, &codes(&Wire::NAMES)),
        constant("selector", 8, code, &format!("the EV engine: {}", codes(&selectors))),
        constant("ev_base", 16, config.selector.ev_base, "first EV of the EV set"),
        constant("ev_bits", 5, config.selector.ev_bits, "the EV set has 2^ev_bits EVs"),
        constant("time_bits", 6, time_bits(config), "width of the selector's times"),
        constant("bus_bits", 10, config.bus_bits, "width of the packet streams"),
        constant("clock_khz", 32, clock_khz, "the clock in kHz"),
        read_only(
            "time_low",
            Holder::Time,
            32,
            0,
            "clock cycles since power-up, low half; keeps the high half",
        ),
        read_only("time_high", Holder::High, 32, 0, "high half of the last time_low"),
        constant("window_engine", 1, u32::from(config.nic.window == WindowEngine::Strack), WINDOW_ENGINES),
    ]
}

/// Settings, operands and counters as they stand in the rows.
struct Rows {
    settings: Vec<Register>,
    operands: Vec<Register>,
    counters: Vec<(String, String)>,
}

macro_rules! listed {
    (
        []
        settings { $($name:ident $width:literal $reset:literal $allowed:tt $meaning:literal;)* }
        operands { $($operand:ident $bits:literal $value:literal $range:tt $about:literal;)* }
        counters { $($number:literal $counter:ident $counted:literal;)* }
        refused { $refused:literal $refusals:ident $counted_refusals:literal; }
    ) => {
        Rows {
            settings: vec![$(setting(stringify!($name), $width, $reset, $allowed, $meaning)),*],
            operands: vec![$(setting(stringify!($operand), $bits, $value, $range, $about)),*],
            counters: vec![
                $((stringify!($counter).to_string(), $counted.to_string()),)*
                (stringify!($refusals).to_string(), $counted_refusals.to_string()),
            ],
        }
    };
}

fn listed() -> Rows {
    rows!(listed!)
}

/// Smallest `sack_prescale` with which a round of the walker takes 2^15 ticks at most.
fn least_sack_prescale(config: &Config) -> u32 {
    let round = u64::from(config.connections) * BUSY_VISIT_CYCLES;
    (0..MOST_PRESCALE).find(|shift| round >> shift <= LONGEST_ROUND_TICKS).unwrap_or(MOST_PRESCALE)
}

fn settings(config: &Config) -> Vec<Register> {
    let mut settings = listed().settings;
    for register in &mut settings {
        match register.name.as_str() {
            "event_enable" if config.has_uet_acks() => {
                register.width = TYPED_KINDS;
                register.reset = most(TYPED_KINDS);
                register.allowed = 0..=most(TYPED_KINDS);
            }
            "udp_port" => register.reset = config.wire.udp_port().into(),
            "sack_prescale" => {
                let least = least_sack_prescale(config);
                register.reset = register.reset.max(least);
                register.allowed = least..=MOST_PRESCALE;
            }
            _ => {}
        }
    }
    if config.nic.rss_port == RssPort::Stable {
        let says = "UDP source port of connection 0 on the way to the host, that of the others follow; 0: data keeps its port, the EV";
        settings.push(setting(RSS_PORT_BASE, 16, FIRST_RSS_PORT, 0..=most(16), says));
    }
    if config.nic.events == Events::Frames {
        settings.extend(event_frames());
    }
    if config.nic.close == Close::Graceful {
        let says = "of the next close_tx: 1, it takes no new data, and closes when all is acknowledged; 0, it closes at once";
        settings.push(setting(CLOSE_DRAINS, 1, 0, 0..=1, says));
    }
    // what is write-only stands behind what can be read
    if has_credit(config) {
        let says = "number of the last frame that may go to the host, modulo 2^16";
        settings.push(Register {
            access: Access::WriteOnly,
            allowed: 0..=most(16),
            ..read_only("rx_credit", Holder::Grant, 16, 0, says)
        });
    }
    settings
}

/// Registers of a peer and the one that makes an entry of them, and how many there are.
pub const PEER_REGISTERS: usize = 7;

/// What the host says of the peer of a connection.
fn peers(config: &Config) -> Vec<Register> {
    if config.nic.peer_table == PeerTable::Off {
        return Vec::new();
    }
    let bits = match config.wire {
        Wire::Strack => 24,
        Wire::Uet => 16,
    };
    let number = "of the next peer_entry: the number by which the peer knows the connection";
    let flags = "of the next peer_entry: bit 0, peer_number is written into what is sent; bit 1, what comes from another address than peer_address is refused; bit 2, that is one of IPv6, else of IPv4";
    let address =
        "of the next peer_entry: first four bytes of the peer's IPv6 address, the first in bits 31:24";
    let entry = "the connection whose peer is from now on what peer_number, peer_flags and peer_address say, all at once";
    let registers: [Register; PEER_REGISTERS] = [
        setting("peer_number", bits, 0, 0..=most(bits), number),
        setting("peer_flags", 3, 0, 0..=most(3), flags),
        setting("peer_address_0", 32, 0, 0..=most(32), address),
        setting("peer_address_1", 32, 0, 0..=most(32), "the next four"),
        setting("peer_address_2", 32, 0, 0..=most(32), "the next four"),
        setting("peer_address_3", 32, 0, 0..=most(32), "the last four, or the peer's IPv4 address"),
        Register {
            access: Access::WriteOnly,
            allowed: 0..=config.connections - 1,
            ..read_only("peer_entry", Holder::PeerEntry, 24, 0, entry)
        },
    ];
    registers.into()
}

/// Settings of frames of events, and how many there are.
pub const FRAME_SETTINGS: usize = 5;

fn event_frames() -> [Register; FRAME_SETTINGS] {
    let records = MOST_RECORDS as u32;
    [
        setting(
            "event_mac_high",
            16,
            0x0200,
            0..=most(16),
            "destination of frames of events: its first two bytes, the first in bits 15:8",
        ),
        setting(
            "event_mac_low",
            32,
            1,
            0..=most(32),
            "its other four bytes, the first of them in bits 31:24",
        ),
        // local experimental (IEEE 802); smaller numbers than 1536 are lengths
        setting("event_type", 16, 0x88b5, 0..=most(16), "EtherType of frames of events, 1536 or more"),
        setting("event_batch", 6, records, 1..=records, "events of a frame, at most"),
        setting(
            "event_ticks",
            16,
            128,
            0..=most(16),
            "ticks of the wire after which events that are fewer leave, too",
        ),
    ]
}

/// The register of the ports of connections, and what it holds after `rst`: the first port that is no service's (RFC 6335).
pub(super) const RSS_PORT_BASE: &str = "rss_port_base";
const FIRST_RSS_PORT: u32 = 0xc000;

/// By it the host says how sending ends.
pub(super) const CLOSE_DRAINS: &str = "close_drains";

/// Whether the host grants frames.
pub(super) fn has_credit(config: &Config) -> bool {
    config.nic.rx_credit == RxCredit::Frames
}

/// The register of a selector's setting: it has the name of its port, and a prefix where an engine beside has a setting of that name.
pub fn own_name(core: &str, port: &str) -> String {
    match (core, port) {
        ("plb", "rto") | ("flowcut", "alpha") => format!("selector_{port}"),
        _ => port.to_string(),
    }
}

/// Width of the times of the selector: where it lets packets wait they are those of the wire.
pub(super) fn time_bits(config: &Config) -> u32 {
    if config.nic.selector.parks() { config.flowcut.time_bits } else { config.selector.time_bits }
}

fn selector_settings(config: &Config, selector: &Contract) -> Vec<Register> {
    let mut settings = engine_settings(config, selector);
    if config.nic.selector.parks() {
        let of_park =
            OF_PARK.iter().map(|(name, width, meaning)| setting(name, *width, 0, 0..=most(*width), meaning));
        settings.extend(of_park);
    }
    settings
}

/// Those of `strack_cc`, where it chooses the windows.
fn window_settings(config: &Config) -> Vec<Register> {
    match config.nic.window {
        WindowEngine::Fixed => Vec::new(),
        WindowEngine::Strack => engine_settings(config, &strack_cc::contract::CONTRACT),
    }
}

/// What a core's contract has a driver set.
fn engine_settings(config: &Config, core: &Contract) -> Vec<Register> {
    let fields = core.settings.fields.iter();
    let settings = fields.filter_map(|field| field.setting.map(|setting| (field, setting)));
    let register = |(field, chosen): (&crate::contract::Field, crate::contract::Setting)| {
        let width = field.width.bits(config);
        let reset = chosen.default.of(config) as u32;
        setting(&own_name(core.core, field.name), width, reset, 0..=most(width), &field.meaning(config))
    };
    settings.map(register).collect()
}

fn commands(config: &Config) -> Vec<Register> {
    let connections = 0..=config.connections - 1;
    let mut registers = listed().operands;
    for register in &mut registers {
        match register.name.as_str() {
            "command_conn" => register.allowed = connections.clone(),
            "command_psn" => register.allowed = 0..=most(config.sack.psn_bits),
            _ => {}
        }
    }
    let all = commands_of(config);
    let codes = all.iter().zip(1..).map(|((_, meaning), code)| format!("{code} {meaning}"));
    let codes = codes.collect::<Vec<_>>().join(", ");
    let does = format!("does it, and the write is answered when it is done: {codes}");
    registers.push(Register {
        access: Access::WriteOnly,
        allowed: 1..=all.len() as u32,
        ..read_only("command", Holder::Command, 4, 0, &does)
    });
    registers
}

fn results(config: &Config) -> Vec<Register> {
    let field = |name, width, meaning| read_only(name, Holder::Result, width, 0, meaning);
    let status =
        "of the last command read or close_tx: 0 done, 7 connection not open, and the fields below are 0";
    let mut results = vec![
        field("result_status", 3, status),
        field("result_snd_una", 32, "lowest PSN not acknowledged"),
        field("result_snd_nxt", 32, "next PSN to be sent for the first time"),
        field("result_in_flight", 10, "packets in flight"),
        field("result_bytes_in_flight", 32, "bytes in flight"),
        field("result_in_recovery", 1, "in recovery"),
        read_only("events_waiting", Holder::Waiting, 32, 0, "events that wait for the host"),
    ];
    if has_credit(config) {
        let says =
            "the number granted in bits 31:16, that of the last frame that went to the host in bits 15:0";
        results.push(read_only("rx_credit_state", Holder::CreditState, 32, 0, says));
    }
    results
}

/// Names of the event pulses of a selector. That of parity is not among them, as the block is not given out with it.
pub(super) fn events(selector: &Contract) -> impl Iterator<Item = &'static str> {
    let groups = selector.shown.iter().filter(|group| group.heading == EVENTS);
    let fields = groups.flat_map(|group| group.fields);
    fields.filter(|field| field.port != STATE_LOST.port).map(|field| field.name)
}

/// Two registers a counter. Those of the selector's events have the names of these.
fn counters(config: &Config, selector: &Contract) -> Vec<Register> {
    let events = events(selector).map(|name| (name.to_string(), format!("Pulses of {name} of the selector")));
    let of_park = if config.nic.selector.parks() { &PARK_COUNTERS[..] } else { &[] };
    let of_credit = if has_credit(config) { &CREDIT_COUNTERS[..] } else { &[] };
    let of_peers = if config.nic.peer_table == PeerTable::On { &PEER_COUNTERS[..] } else { &[] };
    let of_types = if config.has_uet_acks() { &TYPED_COUNTERS[..] } else { &[] };
    let of_park = of_park
        .iter()
        .chain(of_credit)
        .chain(of_peers)
        .chain(of_types)
        .map(|(name, meaning)| (name.to_string(), meaning.to_string()));
    let halves = |(name, meaning): (String, String)| {
        let low = Register {
            access: Access::ReadWrite,
            allowed: 0..=u32::MAX,
            ..read_only(&format!("{name}_low"), Holder::Counter, 32, 0, &meaning)
        };
        let high = format!("high half of the last {name}_low");
        [low, read_only(&format!("{name}_high"), Holder::High, 32, 0, &high)]
    };
    listed().counters.into_iter().chain(events).chain(of_park).flat_map(halves).collect()
}
