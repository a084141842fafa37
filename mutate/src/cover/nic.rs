//! The points of the joined block, beside those of its ports and of its lists of codes: each counter, each command, and each kind of event.

use respray_hdl::config::{Config, Events, PeerTable, RssPort, RxCredit, WindowEngine};
use respray_hdl::nic::kinds::{KINDS, TYPED_KINDS};
use respray_hdl::nic::registers::{Holder, commands_of, table};
use respray_hdl::nic::selector;
use respray_hdl::nic::top::NAME;

use super::Beyond;
use super::codes::{Codes, ERRORS, HANDED, NOT_OPEN, PACKET, PLACES, SACK, SENT, TAGS};
use super::point::Point;

/// The module that gives commands to who executes them.
const COMMANDS: &str = "commands";

/// The module that counts.
const REGISTERS: &str = "registers";

/// The module in which it is settled what is written into a frame of the host.
const SETTLER: &str = "sender_settler";

/// The module that writes ports of connections into data, where the block has them, and its points.
const PATCH: &str = "receiver_patch";
const OF_PATCH: [(&str, &str, &str); 3] = [
    (
        "port_is_written",
        "is_written && item_place != 15",
        "Data goes to the host with the port of its connection.",
    ),
    (
        "port_without_checksum",
        "is_written && item_place != 15 && item_checksum == 0",
        "The same of a packet whose UDP checksum was not computed.",
    ),
    ("port_stays", "!is_written", "A frame that is no data of an open connection keeps its port."),
];

/// The module that gives events to the host in frames, where the block has it, and the points of its parts.
const EVENT_FRAMES: &str = "event_frames";
const OF_EVENT_FRAMES: [(&str, &str, &str, &str); 9] = [
    ("event_frame_of_a_batch", "batch", "begins && is_batch", "A frame of events begins with a batch."),
    (
        "event_frame_of_fewer",
        "batch",
        "begins && !is_batch",
        "A frame begins with fewer events, which have waited for long enough.",
    ),
    (
        "event_frame_waits_for_room",
        "batch",
        "is_due && !has_room",
        "Two frames wait for the host while another one is due.",
    ),
    (
        "event_frame_is_smallest",
        "gather",
        "begins && records == 1",
        "A frame has one record, and zeros behind it.",
    ),
    (
        "event_frame_is_largest",
        "gather",
        "begins && records == 62",
        "A frame has as many records as one can.",
    ),
    ("event_frame_after_loss", "gather", "begins && lost != 0", "A frame says that events were lost."),
    (
        "event_frame_waits_behind",
        "turns",
        "!is_own && has_own && valid",
        "A frame of events waits for the end of one that came.",
    ),
    (
        "event_frame_goes_at_once",
        "turns",
        "!is_own && has_own && !valid",
        "No frame passes when one of events is whole.",
    ),
    ("event_frame_goes_first", "turns", "is_own && valid", "A frame that came waits for one of events."),
];

/// The same where its frames need credit.
const OF_EVENT_CREDIT: (&str, &str, &str, &str) = (
    "event_frame_waits_for_credit",
    "batch",
    "wants && !granted",
    "A frame of events waits for the credit that it needs.",
);

/// The table of peers, where the block has one, and the points of it and of its check.
const PEER_TABLE: &str = "peer_table";
const PEER_CHECK: &str = "peer_table_check";
const OF_PEERS: [(&str, &str, &str, &str); 8] = [
    (
        "peer_entered_under_traffic",
        PEER_TABLE,
        "peer_ready && (look_valid || req_taken)",
        "An entry is written while a packet of another connection is looked up.",
    ),
    (
        "peer_entry_waits",
        PEER_TABLE,
        "waits && is_ready && !peer_ready",
        "An entry waits, because a packet of its connection is looked up.",
    ),
    ("peer_number_given", PEER_TABLE, "granted && grant_is_numbered", "A packet of the host has a number."),
    ("peer_number_missing", PEER_TABLE, "granted && !grant_is_numbered", "A packet of the host has none."),
    (
        "peer_number_of_probe",
        PEER_TABLE,
        "reads_own && is_apart && was_ready && job_is_probe && own_numbers_read_data_is_there",
        "A probe of the block carries the number of the peer.",
    ),
    (
        "peer_other_version",
        PEER_CHECK,
        "is_checked && is_other_version",
        "What is looked up came over the other version of IP.",
    ),
    (
        "peer_other_ipv4",
        PEER_CHECK,
        "is_checked && refused && !is_other_version && !is_long",
        "Or from another address of IPv4.",
    ),
    (
        "peer_other_ipv6",
        PEER_CHECK,
        "is_checked && refused && !is_other_version && is_long",
        "Or from another one of IPv6.",
    ),
];

/// Connections that drain, and those of which the host is told that they are closed for receiving.
const CLOSING: &str = "closing";
const CLOSING_RX: &str = "receiver_closing";
const OF_CLOSES: [(&str, &str, &str, &str); 9] = [
    (
        "drain_begins_under_traffic",
        CLOSING,
        "begins && req_valid",
        "A connection begins to drain while a packet of the host waits.",
    ),
    ("drain_goes_on", CLOSING, "answered && !has_drained", "A connection that drains has not drained yet."),
    ("drain_ends", CLOSING, "closes && close_ready", "A connection that has drained is closed."),
    (
        "drain_waits_for_command",
        CLOSING,
        "sees && draining_read_data && has_command",
        "A connection that drains is not looked at, because the host has given a command.",
    ),
    (
        "drain_holds_back",
        CLOSING,
        "req_known && req_ready && req_is_held",
        "A packet of the host is refused because its connection drains.",
    ),
    (
        "drain_lets_again",
        CLOSING,
        "req_known && req_ready && !req_is_held && ends_read_data_is_there",
        "A packet that was sent before goes again while its connection drains.",
    ),
    (
        "close_rx_waits_for_frames",
        CLOSING_RX,
        "waits && |ahead",
        "Frames are in the ring that came before a connection was closed.",
    ),
    (
        "close_rx_waits_for_event",
        CLOSING_RX,
        "tells && !may_tell",
        "Another event goes before one of a connection that is closed.",
    ),
    (
        "close_rx_beside_scan",
        CLOSING_RX,
        "closes && looks && closed_read_data",
        "A connection is closed when the scan finds one that was.",
    ),
];

/// Which way a connection is closed.
const CLOSED: &[(u64, &str)] = &[(1, "sending"), (2, "receiving")];

/// What is refused besides.
const DRAINS: &[(u64, &str)] = &[(4, "the connection drains")];

/// What the table adds to the codes beside a frame and of two kinds of event.
const OTHER_ADDRESS: &[(u64, &str)] = &[(6, "from another address than the peer's")];

/// Codes that a part of the block has within.
const OF_SETTLER: [Codes; 2] = [
    Codes {
        core: NAME,
        name: "udp_at",
        output: "draft_1_udp",
        when: "settled_1 && is_rewritten",
        values: PLACES,
    },
    Codes { core: NAME, name: "tags", output: "planner_plan_tags", when: "rewritten", values: TAGS },
];

/// What `detail` says of kinds of event.
const DETAILS: [(&str, &[(u64, &str)]); 5] = [
    ("loss", &[(1, "out-of-order count"), (2, "probe"), (3, "timeout")]),
    ("refused", &[SENT[2], SENT[3], NOT_OPEN]),
    ("bad_ack", &[SACK[2], SACK[3], SACK[4], SACK[5], NOT_OPEN]),
    ("stray", &[PACKET[2], NOT_OPEN]),
    ("malformed", &[ERRORS[1], ERRORS[2], ERRORS[3]]),
];

/// The part of a block of Ultra Ethernet that knows who the peers are, and its points.
const FLOWS: &str = "flows";
const OF_FLOWS: [(&str, &str, &str); 9] = [
    ("peer_bound_by_ack", "writes && is_bind", "The first ACK has said who the peer is."),
    (
        "peer_bound_by_command",
        "writes && is_command && waiting_opens && waiting_peer != 0",
        "A command says who the peer is.",
    ),
    (
        "ack_waits_for_bind",
        "ack_valid && awaits_bind",
        "An ACK waits, since one before it may say who the peer is.",
    ),
    ("packet_of_other_peer", "refused", "A packet is not of the peer."),
    ("ack_of_other_peer", "heard_valid && heard_is_refused", "An ACK or NACK is not of the peer."),
    (
        "nack_without_source",
        "heard_valid && ack_is_nack && ack_source_pdc == 0 && !heard_is_refused",
        "A NACK of a peer that lacks the connection is taken.",
    ),
    ("round_trip_known", "heard_valid && !heard_untimed && !ack_probe", "An ACK ends a round trip."),
    (
        "round_trip_of_a_copy",
        "writes && is_ack && is_it && kept_is_again",
        "An ACK answers a packet that left twice.",
    ),
    (
        "timed_packet_passed",
        "writes && is_ack && is_passed && kept_is_timed",
        "A cumulative PSN passes the packet that is timed.",
    ),
];

/// What else only a block of Ultra Ethernet does, and where.
const OF_TYPES: [(&str, &str, &str, &str); 6] = [
    (
        "probe_has_peer",
        FLOWS,
        "probe_looked && probe_is_bound",
        "A probe is due of a connection whose peer is known.",
    ),
    (
        "probe_has_nobody",
        FLOWS,
        "probe_looked && !probe_is_bound",
        "A probe is due, and nobody knows for whom.",
    ),
    ("probe_not_sent", "prober", "looked && !own_probes", "A probe is due where the block sends none."),
    (
        "control_takes_psn",
        "scoreboard_pick",
        "request && req_is_probe && op_valid && op_ready",
        "A control packet of the host takes a PSN.",
    ),
    (
        "accept_waits",
        "receiver_issue",
        "accept_valid && !is_idle",
        "A packet that the host has taken in waits for packets that are in work.",
    ),
    (
        "accept_is_refused",
        "receiver",
        "accept_ready && accept_nack != 0",
        "A packet that the host has taken in is refused.",
    ),
];

/// Why a block never tells of a kind of event in its configuration, if so.
fn never(kind: &str, config: &Config) -> Option<&'static str> {
    match kind {
        "window" if config.nic.window != WindowEngine::Strack => {
            Some("An ACK gives a window only where `nic.window` = strack.")
        }
        "closed" if config.nic.close.is_abrupt() => {
            Some("The host hears of closes only where `nic.close` = graceful.")
        }
        "xoff" | "xon" if !config.nic.selector.parks() => {
            Some("Only a selector that lets packets wait drains: where `nic.selector` = flowcut.")
        }
        _ => None,
    }
}

/// The points of a block in its configuration, and those that nothing can hit in it.
pub(super) fn of(config: &Config) -> (Vec<Point>, Vec<Beyond>) {
    let (mut points, mut beyond) = (Vec::new(), Vec::new());
    let has_frames = config.nic.events == Events::Frames;
    let has_peers = config.nic.peer_table == PeerTable::On;
    let has_types = !config.sack.acks.is_default();
    if has_types {
        points.extend(TYPED_KINDS.iter().enumerate().map(|(number, kind)| Point {
            name: format!("event_{}", kind.name),
            module: String::new(),
            when: format!("event_tvalid && event_tready && event_tdata[5] && event_tdata[3:0] == {number}"),
            means: format!("The host takes an event `{}`: {}.", kind.name, kind.meaning),
        }));
        points.extend(OF_FLOWS.iter().map(|(name, when, means)| Point {
            name: name.to_string(),
            module: FLOWS.to_string(),
            when: when.to_string(),
            means: means.to_string(),
        }));
        points.extend(OF_TYPES.iter().map(|(name, part, when, means)| Point {
            name: name.to_string(),
            module: part.to_string(),
            when: when.to_string(),
            means: means.to_string(),
        }));
    }
    for (number, kind) in KINDS.iter().enumerate() {
        let name = format!("event_{}", kind.name);
        let is_low = if has_types { " && !event_tdata[5]" } else { "" };
        let when = format!("event_tvalid && event_tready && event_tdata[3:0] == {number}{is_low}");
        let (module, who) = if has_frames { (EVENT_FRAMES, "A frame takes") } else { ("", "The host takes") };
        let details = DETAILS.iter().find(|(of, _)| *of == kind.name);
        points.extend(details.into_iter().flat_map(|(_, values)| {
            let (name, output) = (&name, "event_tdata[79:64]");
            Codes { core: NAME, name, output, when: &when, values }.points(module).collect::<Vec<_>>()
        }));
        if has_peers && ["stray", "bad_ack"].contains(&kind.name) {
            let (name, output) = (&name, "event_tdata[79:64]");
            points.extend(
                Codes { core: NAME, name, output, when: &when, values: OTHER_ADDRESS }.points(module),
            );
        }
        if !config.nic.close.is_abrupt() && kind.name == "closed" {
            let (name, output) = (&name, "event_tdata[79:64]");
            points.extend(Codes { core: NAME, name, output, when: &when, values: CLOSED }.points(module));
        }
        if !config.nic.close.is_abrupt() && kind.name == "refused" {
            let (name, output) = (&name, "event_tdata[79:64]");
            points.extend(Codes { core: NAME, name, output, when: &when, values: DRAINS }.points(module));
        }
        match never(kind.name, config) {
            Some(why) => beyond.push(Beyond { point: name, why: why.to_string() }),
            None => points.push(Point {
                name,
                module: module.to_string(),
                when,
                means: format!("{who} an event `{}`: {}.", kind.name, kind.meaning),
            }),
        }
    }
    points.extend(commands_of(config).iter().zip(1..).map(|((name, meaning), code)| Point {
        name: format!("command_{name}"),
        module: COMMANDS.to_string(),
        when: format!("command_valid && command_ready && command_code == {code}"),
        means: format!("The command `{name}` is done: it {meaning}."),
    }));
    points.extend(OF_SETTLER.iter().flat_map(|codes| codes.points(SETTLER)));
    let of_patch = if config.nic.rss_port == RssPort::Stable { &OF_PATCH[..] } else { &[] };
    points.extend(of_patch.iter().map(|(name, when, means)| Point {
        name: name.to_string(),
        module: PATCH.to_string(),
        when: format!("leaves && is_last && {when}"),
        means: means.to_string(),
    }));
    let has_event_credit = has_frames && config.nic.rx_credit == RxCredit::Frames;
    let of_frames = if has_frames { &OF_EVENT_FRAMES[..] } else { &[] };
    points.extend(of_frames.iter().chain(has_event_credit.then_some(&OF_EVENT_CREDIT)).map(
        |(name, part, when, means)| Point {
            name: name.to_string(),
            module: format!("{EVENT_FRAMES}_{part}"),
            when: when.to_string(),
            means: means.to_string(),
        },
    ));
    if has_peers {
        let status =
            Codes { core: NAME, name: "status", output: "rx_status", when: HANDED, values: OTHER_ADDRESS };
        points.extend(status.points(""));
        points.extend(OF_PEERS.iter().map(|(name, part, when, means)| Point {
            name: name.to_string(),
            module: part.to_string(),
            when: when.to_string(),
            means: means.to_string(),
        }));
    }
    let of_closes = if config.nic.close.is_abrupt() { &[] } else { &OF_CLOSES[..] };
    points.extend(of_closes.iter().map(|(name, part, when, means)| Point {
        name: name.to_string(),
        module: part.to_string(),
        when: when.to_string(),
        means: means.to_string(),
    }));
    let registers = table(config, selector(config));
    let counters = registers.iter().filter(|register| register.holder == Holder::Counter);
    for (bit, counter) in counters.enumerate() {
        let name = counter.name.trim_end_matches("_low");
        points.push(Point {
            name: format!("counts_{name}"),
            module: REGISTERS.to_string(),
            // its pulses stand in the order of the table
            when: format!("pulses[{bit}]"),
            means: format!("The counter `{name}` counts: {}.", counter.meaning),
        });
    }
    (points, beyond)
}
