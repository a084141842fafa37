//! What a recording goes through: messages, paths, and what goes dark when.

use respray_cosim::nic::golden;
use respray_golden::hosts::frames::{Addresses, Below};
use respray_golden::hosts::{Message, Setup, Window};
use respray_hdl::config::Config;

use crate::network::{self, PATHS, Paths, RECEIVER, SENDER};

/// Keys of the configuration that decide what the block does. On the others its frames and events do not
/// depend.
pub const DECIDING: [&str; 15] = [
    "connections",
    "selector.ev_base",
    "selector.ev_bits",
    "selector.time_bits",
    "reps.depth",
    "reps.variant",
    "ops.order",
    "ops.paths",
    "sack.window",
    "sack.psn_bits",
    "nic.selector",
    "nic.loss_feedback",
    "nic.park",
    "flowcut.variant",
    "wire",
];
/// What the recorded blocks have in common, and these keys.
fn sets(others: &[&str]) -> Vec<String> {
    let common = ["connections=16", "sack.window=64", "nic.loss_feedback=stalled"];
    common.iter().chain(others).map(|set| set.to_string()).collect()
}

/// Clock cycles of a tick, as a shift. A tick has time for a visit to each of 16 connections, and then for
/// one input and what follows.
pub const PRESCALE: u32 = 9;
/// The first tick: a `nic` is ready long before, and its registers are written.
pub const FIRST_TICK: u64 = 32;
/// Bytes of Ethernet, IPv4, UDP and `strack` headers before the payload of a data frame.
const HEADERS: usize = 14 + 20 + 8 + 16;

/// A recording to make.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the recording.
    pub name: String,
    /// What happens, one sentence.
    pub says: String,
    /// `--set` arguments of the block's configuration.
    pub sets: Vec<String>,
    /// Registers before the first tick, those of the clocks apart.
    pub settings: Vec<(&'static str, u32)>,
    /// A tick in nanoseconds.
    pub tick_ns: u64,
    /// Connections that carry messages, from 0 on.
    pub connections: u16,
    /// Messages of each.
    pub messages: u32,
    /// Bytes of a message.
    pub message_bytes: u32,
    /// Payload of a full packet in bytes.
    pub payload: u32,
    /// Packets that a connection may have in flight: fewer than the register `cwnd_packets`.
    pub window: u32,
    /// Data packets a second that the host sends, all connections together, while windows are open.
    pub packets_per_second: u64,
    pub paths: Paths,
    /// In the order of their times, one behind the other.
    pub outages: Vec<Outage>,
    /// When a recording is given up, in ms after the start.
    pub limit_ms: u64,
}

/// A time in which packets vanish, in ms after the start.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    /// The path that is down at its far end; `None`: the receiver is dark, as its switch forwards nothing.
    pub path: Option<usize>,
    /// From when.
    pub from_ms: u64,
    /// To when.
    pub to_ms: u64,
}

impl Scenario {
    /// The scenarios of the committed recordings.
    pub fn all() -> Vec<Scenario> {
        vec![
            Scenario::losses(),
            Scenario::overload(),
            Scenario::flowcut_steady(),
            Scenario::flowcut_slow_path(),
            Scenario::reps_slow_path(),
        ]
    }

    /// The scenario of that name.
    pub fn by_name(name: &str) -> Option<Scenario> {
        Scenario::all().into_iter().find(|scenario| scenario.name == name)
    }

    /// The names of all, for a sentence.
    pub fn names() -> String {
        Scenario::all().into_iter().map(|scenario| scenario.name).collect::<Vec<_>>().join(", ")
    }

    /// Two paths lose packets by chance, and twice the receiver is dark.
    pub fn losses() -> Scenario {
        let payload = 32;
        let tick_ns = 250_000;
        let ticks = |ms: u64| (ms * 1_000_000 / tick_ns) as u32;
        Scenario {
            name: "losses".into(),
            says: "paths 1 and 3 lose 8% of their packets by chance, and the receiver is dark for 30 ms \
                   and for 150 ms: losses are \
                   found by the out-of-order count, by probes and by the timeout"
                .into(),
            sets: sets(&[]),
            settings: vec![
                ("sack_threshold", 0),
                ("cwnd_packets", 6),
                ("probe_timeout", ticks(20)),
                ("probe_rtt", ticks(15)),
                ("rto", ticks(100)),
                ("freeze_timeout", ticks(60)),
                ("bdp_packets", 16),
            ],
            tick_ns,
            connections: 5,
            messages: 24,
            message_bytes: 150,
            payload,
            window: 4,
            packets_per_second: 1300,
            paths: Paths {
                frame_bytes: HEADERS + payload as usize,
                packets_per_second: [500; PATHS],
                queue_packets: 20,
                mark_burst: 5,
                lost_per_mille: [0, 80, 0, 80],
            },
            outages: vec![
                Outage { path: None, from_ms: 120, to_ms: 150 },
                Outage { path: None, from_ms: 220, to_ms: 370 },
            ],
            limit_ms: 5000,
        }
    }

    /// Paths with short queues, one of them slow, get more than they carry.
    pub fn overload() -> Scenario {
        let losses = Scenario::losses();
        Scenario {
            name: "overload".into(),
            says: "path 3 has half rate, the paths carry less than is sent, so that queues of 4 packets \
                   mark and drop, and path 1 is down for \
                   200 ms"
                .into(),
            connections: 10,
            messages: 14,
            packets_per_second: 1500,
            paths: Paths {
                packets_per_second: [350, 350, 350, 175],
                queue_packets: 4,
                mark_burst: 2,
                lost_per_mille: [0; PATHS],
                ..losses.paths
            },
            outages: vec![Outage { path: Some(1), from_ms: 250, to_ms: 450 }],
            ..losses
        }
    }

    /// Flowcut over four equal paths that carry what is sent: where several connections meet on a path, some drain.
    pub fn flowcut_steady() -> Scenario {
        let losses = Scenario::losses();
        Scenario {
            name: "flowcut-steady".into(),
            says: "flowcut over four equal paths with a load of two thirds of what they carry: no packet overtakes another of its \
                   connection, and connections that meet on a path drain"
                .into(),
            sets: sets(&["nic.selector=flowcut"]),
            settings: vec![
                ("sack_threshold", 0),
                ("cwnd_packets", 6),
                ("probe_timeout", 400),
                ("probe_rtt", 200),
                ("rto", 2000),
                // a packet that finds its path idle is back within a tick; one takes 8 ticks of its path
                ("rtt_floor", 4),
                ("ratio", 8),
            ],
            connections: 3,
            messages: 43,
            packets_per_second: 1300,
            paths: Paths { queue_packets: 60, lost_per_mille: [0; PATHS], ..losses.paths },
            outages: Vec::new(),
            ..losses
        }
    }

    /// Flowcut where one path is slow: connections that come to it drain, and leave it.
    pub fn flowcut_slow_path() -> Scenario {
        let steady = Scenario::flowcut_steady();
        Scenario {
            name: "flowcut-slow-path".into(),
            says: "flowcut where path 3 carries a quarter of what the others do and queues for up to 80 ms and more: connections \
                   drain and leave it, and no packet overtakes another of its connection"
                .into(),
            connections: 8,
            messages: 16,
            packets_per_second: 900,
            paths: Paths { packets_per_second: [500, 500, 500, 125], ..steady.paths },
            ..steady
        }
    }

    /// `reps` on the paths and with the messages of [`Scenario::flowcut_slow_path`]: what flowcut is held against.
    pub fn reps_slow_path() -> Scenario {
        let (losses, flowcut) = (Scenario::losses(), Scenario::flowcut_slow_path());
        let has_it = |(name, _): &(&str, u32)| !["rtt_floor", "ratio"].contains(name);
        let settings = flowcut.settings.into_iter().filter(has_it);
        let of_reps =
            losses.settings.into_iter().filter(|(name, _)| ["freeze_timeout", "bdp_packets"].contains(name));
        Scenario {
            name: "reps-slow-path".into(),
            says: "reps on the paths of flowcut-slow-path, with the same messages, sent twice as fast so that a connection has several of them on \
                their way: packets overtake others of their connection".into(),
            sets: losses.sets,
            settings: settings.chain(of_reps).collect(),
            packets_per_second: 2 * flowcut.packets_per_second,
            ..flowcut
        }
    }

    /// The block's configuration.
    ///
    /// # Panics
    /// If a scenario names what is not allowed.
    pub fn config(&self) -> Config {
        Config::load(None, &self.sets).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The hosts.
    pub fn setup(&self) -> Setup {
        let clocks = ["sack_prescale", "wire_prescale", "selector_prescale"].map(|clock| (clock, PRESCALE));
        let message =
            |at: u32| Message { conn: (at % u32::from(self.connections)) as u16, bytes: self.message_bytes };
        Setup {
            nic: golden(&self.config()),
            settings: clocks.into_iter().chain(self.settings.iter().copied()).collect(),
            connections: self.connections,
            messages: [(0..self.messages * u32::from(self.connections)).map(message).collect(), Vec::new()],
            payload: self.payload,
            window: Window::Fixed(self.window),
            below: Below::Ipv4([SENDER, RECEIVER].map(addresses)),
            ..Setup::default()
        }
    }
}

fn addresses(host: network::Host) -> Addresses {
    Addresses { mac: host.mac, next_hop: host.gateway, ipv4: host.address }
}
