//! What a recording goes through: load, paths, failure, and the engine's settings.

use respray_cosim::traffic::recording::{Engine, NetworkSettings};

use crate::network::{PATHS, Paths};

/// Bytes of Ethernet, IPv4, UDP and `strack` headers before the payload of a data frame.
const HEADERS: usize = 14 + 20 + 8 + 16;

/// A recording to make.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the recording.
    pub name: String,
    /// What happens, one sentence.
    pub says: String,
    /// Active connections, up to 128; their queue pairs are the odd numbers from 1.
    pub connections: u32,
    /// Data packets a second, all connections together.
    pub packets_per_second: u64,
    /// How long data is sent, ms.
    pub duration_ms: u64,
    /// Data packets after which it ends in any case.
    pub max_packets: u64,
    /// Payload of a data packet in bytes.
    pub payload_bytes: usize,
    /// Rate of a path in data packets a second.
    pub path_packets_per_second: u64,
    /// A path with half that rate.
    pub half_rate_path: Option<usize>,
    /// A path that goes down and comes back.
    pub failure: Option<Failure>,
    /// Packets that a path's queue holds.
    pub queue_packets: usize,
    /// Packets by which a path may run over its share before it marks.
    pub mark_burst: u64,
    /// Unacknowledged packets that a connection may have.
    pub window: usize,
    /// Packets that a connection sends in a row when it is its turn.
    pub burst: usize,
    /// Retransmission timeout, ns.
    pub rto_ns: u64,
    /// The engine that chooses the EVs. Its seed also seeds the order in which connections send.
    pub engine: Engine,
    /// Bytes of a frame that are recorded.
    pub snap_len: usize,
}

/// A path's time down, in ms after the start.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Which path.
    pub path: usize,
    /// From when.
    pub from_ms: u64,
    /// To when.
    pub to_ms: u64,
}

impl Scenario {
    /// The scenarios of the committed recordings.
    pub fn all() -> Vec<Scenario> {
        vec![Scenario::steady(), Scenario::slow_path(), Scenario::path_failure()]
    }

    /// The scenario of that name.
    pub fn by_name(name: &str) -> Option<Scenario> {
        Scenario::all().into_iter().find(|scenario| scenario.name == name)
    }

    /// Four equal paths at 70% load.
    pub fn steady() -> Scenario {
        Scenario {
            name: "steady".into(),
            says: "four equal paths with a load of 70%: EVs are recycled, few packets are marked".into(),
            connections: 64,
            packets_per_second: 2800,
            duration_ms: 4000,
            max_packets: 20_000,
            payload_bytes: 1024,
            path_packets_per_second: 1000,
            half_rate_path: None,
            failure: None,
            queue_packets: 40,
            mark_burst: 10,
            window: 16,
            burst: 4,
            rto_ns: 120_000_000,
            engine: Engine {
                connections: 256,
                depth: 8,
                ev_base: 0,
                ev_bits: 16,
                time_bits: 32,
                seed: 0x5ea7,
                freeze_timeout: 200_000_000,
                bdp_packets: 16,
            },
            snap_len: 128,
        }
    }

    /// One path at half rate, so that its EVs come back marked.
    pub fn slow_path() -> Scenario {
        let steady = Scenario::steady();
        Scenario {
            name: "slow-path".into(),
            says:
                "path 3 has half the rate of the others and the load is 86% of what is left: CE marks move \
                   the traffic off it"
                    .into(),
            packets_per_second: 3000,
            half_rate_path: Some(3),
            engine: Engine { seed: 0x510e, ..steady.engine },
            ..steady
        }
    }

    /// One path at half rate, another down for a while.
    pub fn path_failure() -> Scenario {
        let steady = Scenario::steady();
        Scenario {
            name: "path-failure".into(),
            says: "path 3 has half rate, path 1 goes down at its far end after 1.5 s and comes back after 3.5 s \
                   without the routes noticing: timeouts, freezing and replay"
                .into(),
            packets_per_second: 2400,
            duration_ms: 5000,
            half_rate_path: Some(3),
            failure: Some(Failure { path: 1, from_ms: 1500, to_ms: 3500 }),
            engine: Engine { seed: 0xfa11, freeze_timeout: 400_000_000, ..steady.engine },
            ..steady
        }
    }

    /// Bytes of a data frame on Ethernet.
    pub fn frame_bytes(&self) -> usize {
        HEADERS + self.payload_bytes
    }

    /// Data packets a second that a path carries.
    pub fn path_rate(&self, path: usize) -> u64 {
        if self.half_rate_path == Some(path) {
            self.path_packets_per_second / 2
        } else {
            self.path_packets_per_second
        }
    }

    /// The paths of its network.
    pub fn paths(&self) -> Paths {
        Paths {
            frame_bytes: self.frame_bytes(),
            packets_per_second: std::array::from_fn(|path| self.path_rate(path)),
            queue_packets: self.queue_packets,
            mark_burst: self.mark_burst,
            lost_per_mille: [0; PATHS],
        }
    }

    /// For the recording's settings.
    pub fn network(&self) -> NetworkSettings {
        let paths = self.paths();
        NetworkSettings {
            connections: self.connections,
            packets_per_second: self.packets_per_second,
            path_packets_per_second: paths.packets_per_second.to_vec(),
            mark_above: (0..PATHS).map(|path| paths.share(path)).collect(),
            queue_packets: self.queue_packets,
            down: self.failure.map(|failure| (failure.path, failure.from_ms, failure.to_ms)),
        }
    }
}
