//! The registers: one table of name, address, access, width, reset value and meaning.
//!
//! AXI4-Lite, words of 32 bits at multiples of 4. An access that the table does not allow is answered with SLVERR,
//! counted, and changes nothing. Addresses are the same in every configuration, but for the settings and the event
//! counters of the selector, which stand in a block, and at the end of one, of their own.

use super::event_frames::MOST_EVENTS;
use super::register::{Access, Register, ResultField, Target, read_only, setting};
use super::settings::{self, Block, Row, Setting};
use super::spray::Spray;
use super::uet;
use super::window::WindowEngine;
use super::{Command, Config, Counter};
use crate::wire::Profile;

/// Register `identity`: "RSPN".
pub const IDENTITY: u32 = 0x5253_504e;
/// Register `version`, of the layout of registers and event records: major in bits 31:16, minor in bits 15:0.
pub const VERSION: u32 = 0x0002_0000;
/// First address of the constants with the registers of peers behind them, settings, settings of the selector, commands, settings of the
/// window, results, what Ultra Ethernet adds, and counters.
const BLOCKS: [u32; 8] = [0x000, 0x080, 0x0e0, 0x100, 0x118, 0x140, 0x180, 0x200];

/// What the register `selector` says.
const SELECTORS: &str = "the EV engine: 0 reps, 1 ops, 2 ecmp, 3 subflows, 4 mprdma, 5 flowlet, 6 plb, 7 strack, 8 bitmap, 9 mixed, 10 flowcut";

/// The table of a configuration, in the order of addresses.
pub(super) fn table(config: &Config, selector: &dyn Spray, is_uet: bool) -> Vec<Register> {
    let mut rows = settings::table(config);
    if is_uet {
        rows.iter_mut().for_each(uet::widened);
    }
    let blocks = [
        constants(config).into_iter().chain(peers(config)).collect(),
        in_block(&rows, Block::Settings)
            .into_iter()
            .chain(stable_port(config).as_ref().map(setting))
            .chain(event_frames(config).iter().map(setting))
            .chain(close_drains(config).as_ref().map(setting))
            .chain(credit(config))
            .collect(),
        selector_settings(config, selector),
        commands(&rows, config),
        if config.window_engine == WindowEngine::Strack {
            in_block(&rows, Block::Window)
        } else {
            Vec::new()
        },
        results(config),
        if is_uet { uet::registers(config) } else { Vec::new() },
        counters(selector, config, is_uet),
    ];
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

fn in_block(rows: &[Row], block: Block) -> Vec<Register> {
    rows.iter().filter(|row| row.block == block).map(setting).collect()
}

/// What the register `profile` says.
fn profiles() -> String {
    Profile::ALL.map(|profile| format!("{} {}", profile as u32, profile.name())).join(", ")
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
        constant("profile", (Profile::ALL.len() - 1).ilog2() as u8 + 1, config.profile as u32, &profiles()),
        constant("selector", 8, config.selector.code(), SELECTORS),
        constant("ev_base", 16, config.ev_base.into(), "first EV of the EV set"),
        constant("ev_bits", 5, config.ev_bits.into(), "the EV set has 2^ev_bits EVs"),
        constant("time_bits", 6, config.selector_time_bits().into(), "width of the selector's times"),
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
        constant(
            "window_engine",
            1,
            config.window_engine as u32,
            "the window of a connection: 0 cwnd_packets, for all of them; 1 strack, one for each",
        ),
    ]
}

fn selector_settings(config: &Config, selector: &dyn Spray) -> Vec<Register> {
    let register = |(setting_name, target): (&&'static str, Setting)| {
        let (width, reset, meaning) = selector_setting(setting_name, config);
        let allowed = 0..=u32::MAX >> (32 - width);
        let name = selector_register(setting_name);
        setting(&Row { setting: target, block: Block::Settings, name, width, reset, allowed, meaning })
    };
    selector.settings().iter().zip(Setting::SELECTOR).map(register).collect()
}

/// The name of the register that holds a selector's setting: `sack_tx` has an RTO of its own, and the congestion control an alpha.
fn selector_register(setting: &'static str) -> &'static str {
    match setting {
        "rto" => "selector_rto",
        "alpha" => "selector_alpha",
        name => name,
    }
}

/// Names of the registers that hold settings, the operands of commands apart, in no order.
pub(super) fn names_of_settings(config: &Config, selector: &dyn Spray, is_uet: bool) -> Vec<&'static str> {
    let has_windows = config.window_engine == WindowEngine::Strack;
    let is_there = |row: &Row| match row.block {
        Block::Settings => true,
        Block::Operands => false,
        Block::Window => has_windows,
    };
    let own = settings::table(config).into_iter().filter(is_there).map(|row| row.name);
    let own = own.chain(
        stable_port(config)
            .into_iter()
            .chain(event_frames(config))
            .chain(peer_rows(config))
            .chain(if is_uet { uet::settings(config.parts()) } else { Vec::new() })
            .map(|row| row.name),
    );
    own.chain(selector.settings().iter().map(|setting| selector_register(setting))).collect()
}

/// Width, reset value and meaning of a selector's setting. Its times of 16 bits are those of the wire.
fn selector_setting(name: &str, config: &Config) -> (u8, u32, &'static str) {
    let ticks = |usual: u32, meaning| match config.time_bits {
        16 => (16, usual.min(32_767), meaning),
        _ => (32, usual, meaning),
    };
    match name {
        "rtt_floor" => (16, 0, "an RTT below this and op_serial is no sample"),
        "ratio" => (6, 8, "an average above so many halves of rtt_min and op_serial is hot"),
        "alpha" => (3, 3, "a sample weighs 2^-alpha in the average: 1 to 5; 0 is taken as 1, 6 and 7 as 5"),
        "hold" if config.selector.parks() => {
            (1, 1, "sends of a draining connection wait; clear: they go on with the old EV")
        }
        "timeout_reroutes" => (1, 0, "a timeout takes the EV away; clear: it stays"),
        "ack_serial" => (16, 0, "op_serial of every ACK: ticks of the wire that a packet takes on its links"),
        "command_class" => {
            (4, 0, "class of paths of the connection that is opened next, and of the next command set_min")
        }
        "command_rtt" => (
            16,
            0,
            "ticks of the wire: first average RTT of the connection that is opened next, 0 for none, and the smallest RTT of the next command set_min",
        ),
        "freeze_timeout" => ticks(100_000, "ticks that a freeze lasts"),
        "bdp_packets" => (8, 16, "packets of one BDP: explored after a freeze"),
        "subflow_count" => (5, 8, "subflows of a connection"),
        "gap" => ticks(6_000, "ticks of silence that end a flowlet, if they are more than this"),
        "hold" => ticks(70_000, "ticks that a path is held at least, if they are more than this"),
        "round_ticks" => ticks(12_000, "ticks of a round, if they are more than this"),
        "rto" => ticks(70_000, "ticks between timeouts that move the path, if they are more than this"),
        "mark_threshold" => (8, 0, "marked packets of 256 that a congested round has more of"),
        "congested_rounds" => (4, 1, "congested rounds in a row that a path may have"),
        other => panic!("the setting {other} has no register"),
    }
}

fn commands(rows: &[Row], config: &Config) -> Vec<Register> {
    let all = Command::of(config.selector.parks());
    let codes: Vec<String> =
        all.iter().map(|command| format!("{} {}", *command as u32, command.meaning())).collect();
    let codes = codes.join(", ");
    let mut registers = in_block(rows, Block::Operands);
    registers.push(Register {
        name: "command".to_string(),
        address: 0,
        access: Access::WriteOnly,
        width: 4,
        reset: 0,
        allowed: 1..=all.len() as u32,
        meaning: format!("does it, and the write is answered when it is done: {codes}"),
        target: Target::Command,
    });
    registers
}

/// By which the host grants frames.
fn credit(config: &Config) -> Option<Register> {
    config.rx_credit.then(|| Register {
        access: Access::WriteOnly,
        allowed: 0..=0xffff,
        ..read_only(
            "rx_credit",
            Target::Credit,
            16,
            0,
            "number of the last frame that may go to the host, modulo 2^16",
        )
    })
}

/// By which the host chooses the UDP source ports of what it gets.
fn stable_port(config: &Config) -> Option<Row> {
    config.stable_port.then_some(Row {
        setting: Setting::RssPortBase,
        block: Block::Settings,
        name: "rss_port_base",
        width: 16,
        reset: 0xc000,
        allowed: 0..=0xffff,
        meaning: "UDP source port of connection 0 on the way to the host, that of the others follow; 0: data keeps its port, the EV",
    })
}

/// By which the host says how sending ends.
fn close_drains(config: &Config) -> Option<Row> {
    config.graceful_close.then_some(Row {
        setting: Setting::CloseDrains,
        block: Block::Settings,
        name: "close_drains",
        width: 1,
        reset: 0,
        allowed: 0..=1,
        meaning: "of the next close_tx: 1, it takes no new data, and closes when all is acknowledged; 0, it closes at once",
    })
}

/// What the host says of the peer of a connection.
fn peer_rows(config: &Config) -> Vec<Row> {
    if !config.peer_table {
        return Vec::new();
    }
    let bits = match config.profile {
        Profile::Strack => 24,
        Profile::Uet => 16,
    };
    let row = |setting, name, width, meaning| Row {
        setting,
        block: Block::Settings,
        name,
        width,
        reset: 0,
        allowed: 0..=u32::MAX >> (32 - width),
        meaning,
    };
    vec![
        row(
            Setting::PeerNumber,
            "peer_number",
            bits,
            "of the next peer_entry: the number by which the peer knows the connection",
        ),
        row(
            Setting::PeerFlags,
            "peer_flags",
            3,
            "of the next peer_entry: bit 0, peer_number is written into what is sent; bit 1, what comes from another \
             address than peer_address is refused; bit 2, that is one of IPv6, else of IPv4",
        ),
        row(
            Setting::PeerAddress0,
            "peer_address_0",
            32,
            "of the next peer_entry: first four bytes of the peer's IPv6 address, the first in bits 31:24",
        ),
        row(Setting::PeerAddress1, "peer_address_1", 32, "the next four"),
        row(Setting::PeerAddress2, "peer_address_2", 32, "the next four"),
        row(Setting::PeerAddress3, "peer_address_3", 32, "the last four, or the peer's IPv4 address"),
    ]
}

/// The same, and the register by which it becomes an entry.
fn peers(config: &Config) -> Vec<Register> {
    let rows = peer_rows(config);
    let entry = config.peer_table.then(|| Register {
        access: Access::WriteOnly,
        allowed: 0..=config.connections - 1,
        ..read_only(
            "peer_entry",
            Target::PeerEntry,
            24,
            0,
            "the connection whose peer is from now on what peer_number, peer_flags and peer_address say, all at once",
        )
    });
    rows.iter().map(setting).chain(entry).collect()
}

/// By which the host chooses how its events come in frames.
fn event_frames(config: &Config) -> Vec<Row> {
    if !config.event_frames {
        return Vec::new();
    }
    let row = |setting, name, width, reset, allowed, meaning| Row {
        setting,
        block: Block::Settings,
        name,
        width,
        reset,
        allowed,
        meaning,
    };
    let most = MOST_EVENTS as u32;
    vec![
        row(
            Setting::EventMacHigh,
            "event_mac_high",
            16,
            0x0200,
            0..=0xffff,
            "destination of frames of events: its first two bytes, the first in bits 15:8",
        ),
        row(
            Setting::EventMacLow,
            "event_mac_low",
            32,
            1,
            0..=u32::MAX,
            "its other four bytes, the first of them in bits 31:24",
        ),
        row(
            Setting::EventType,
            "event_type",
            16,
            0x88b5,
            0..=0xffff,
            "EtherType of frames of events, 1536 or more",
        ),
        row(Setting::EventBatch, "event_batch", 6, most, 1..=most, "events of a frame, at most"),
        row(
            Setting::EventTicks,
            "event_ticks",
            16,
            128,
            0..=0xffff,
            "ticks of the wire after which events that are fewer leave, too",
        ),
    ]
}

fn results(config: &Config) -> Vec<Register> {
    let field = |name: &str, field, width, meaning: &str| {
        read_only(&format!("result_{name}"), Target::Result(field), width, 0, meaning)
    };
    let status =
        "of the last command read or close_tx: 0 done, 7 connection not open, and the fields below are 0";
    let state = read_only(
        "rx_credit_state",
        Target::CreditState,
        32,
        0,
        "the number granted in bits 31:16, that of the last frame that went to the host in bits 15:0",
    );
    let mut results = vec![
        field("status", ResultField::Status, 3, status),
        field("snd_una", ResultField::SndUna, 32, "lowest PSN not acknowledged"),
        field("snd_nxt", ResultField::SndNxt, 32, "next PSN to be sent for the first time"),
        field("in_flight", ResultField::InFlight, 10, "packets in flight"),
        field("bytes_in_flight", ResultField::BytesInFlight, 32, "bytes in flight"),
        field("in_recovery", ResultField::InRecovery, 1, "in recovery"),
        read_only("events_waiting", Target::EventsWaiting, 32, 0, "events that wait for the host"),
    ];
    results.extend(config.rx_credit.then_some(state));
    results
}

/// Two registers a counter, of which a write of the low one clears it. Those of the selector's events have the names of these.
fn counters(selector: &dyn Spray, config: &Config, is_uet: bool) -> Vec<Register> {
    let own = Counter::ALL.iter().map(|counter| (*counter, counter.name(), counter.meaning().to_string()));
    let events = Counter::SELECTOR_EVENTS.into_iter().zip(selector.events());
    let events = events.map(|(counter, name)| (counter, *name, format!("pulses of {name} of the selector")));
    let of_park = if config.selector.parks() { &Counter::OF_PARK[..] } else { &[] };
    let of_credit = if config.rx_credit { &Counter::OF_CREDIT[..] } else { &[] };
    let of_peers = if config.peer_table { &Counter::OF_PEERS[..] } else { &[] };
    let of_uet = if is_uet { uet::counters(config.parts()) } else { vec![] };
    let of_park = of_park
        .iter()
        .chain(of_credit)
        .chain(of_peers)
        .chain(&of_uet)
        .map(|counter| (*counter, counter.name(), counter.meaning().to_string()));
    let halves = |(counter, name, meaning): (Counter, &str, String)| {
        let low = Register {
            access: Access::ReadWrite,
            allowed: 0..=u32::MAX,
            ..read_only(&format!("{name}_low"), Target::Counter(counter), 32, 0, &meaning)
        };
        let high = format!("high half of the last {name}_low");
        [low, read_only(&format!("{name}_high"), Target::High, 32, 0, &high)]
    };
    own.chain(events).chain(of_park).flat_map(halves).collect()
}
