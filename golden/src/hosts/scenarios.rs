//! Networks and messages that show what a selector is good for: the cases of 001, made small.

use super::{Message, Setup, Window};
use crate::nic::{self, Choice, WindowEngine};
use crate::paths::{self, Change, Config, PPM, Path, Scheduled};

const US: u64 = 1_000_000;
const MS: u64 = 1000 * US;
/// Paths of the network.
const PATHS: usize = 8;
/// The path that is slow, or fails.
const ODD_PATH: usize = 3;
/// Bytes of a message, and of a full packet's payload.
const MESSAGE: u32 = 65536;
const PAYLOAD: u32 = 2048;
/// Time without progress after which all that is in flight counts as lost.
const RTO_US: u64 = 40;
/// Clock cycles of a tick of `sack_tx`, as its register has it after `rst`.
const SACK_TICK: u64 = 1 << 5;
/// The same of a tick of the wire.
const WIRE_TICK: u64 = 1 << 3;
/// Width of a selector's times that are in ticks of the wire; wider ones are in clock cycles.
const WIRE_TIME_BITS: u8 = 16;
const CYCLE_PS: u64 = 3103;
/// Of messages of many sizes, the largest, and the step from one to the next.
const MOST_BYTES: u32 = 9000;
const SIZE_STEP: u32 = 2477;

/// Two hosts and the network between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scenario {
    Equal,
    Slow,
    Failing,
    Lossy,
}

impl Scenario {
    pub const ALL: [Scenario; 4] = [Scenario::Equal, Scenario::Slow, Scenario::Failing, Scenario::Lossy];

    /// In one word.
    pub const fn name(self) -> &'static str {
        match self {
            Scenario::Equal => "equal",
            Scenario::Slow => "slow",
            Scenario::Failing => "failing",
            Scenario::Lossy => "lossy",
        }
    }

    /// What the network is like.
    pub const fn meaning(self) -> &'static str {
        match self {
            Scenario::Equal => "eight equal paths, base RTT 8 us",
            Scenario::Slow => "one of eight paths at half the rate of the others",
            Scenario::Failing => "one of eight paths fails after 0.5 ms for 2 ms; RTO 40 us, freezes of 1 ms",
            Scenario::Lossy => {
                "a fifth of all packets lost both ways, each overtaken by up to 256; four connections"
            }
        }
    }

    /// The setup with `nic`s of a configuration, where A sends B about so many bytes.
    pub fn setup(self, nic: nic::Config, bytes: u64, seed: u64) -> Setup {
        let mut setup = spraying(nic, bytes, seed);
        match self {
            Scenario::Equal => {}
            Scenario::Slow => setup.network.paths[ODD_PATH].rate_bps /= 2,
            Scenario::Failing => {
                let change = |at_ps, change| Scheduled { at_ps, path: ODD_PATH, from: None, change };
                setup.network.changes = vec![change(MS / 2, Change::Down), change(5 * MS / 2, Change::Up)];
            }
            Scenario::Lossy => lossy(&mut setup, bytes),
        }
        setup
    }
}

/// A time in microseconds as ticks of `sack_tx`, which last 2^5 clock cycles of 3.103 ns.
pub fn sack_ticks(us: u64) -> u32 {
    (us * US / (SACK_TICK * CYCLE_PS)) as u32
}

/// A path of a network with a base RTT of 8 us: 3.8 us one way, and what frames take on their lines.
fn path() -> Path {
    Path {
        delay_ps: 3_800_000,
        rate_bps: 7_000_000_000,
        queue_bytes: 60_000,
        kmin_bytes: 4_000,
        kmax_bytes: 16_000,
        ..Path::default()
    }
}

/// Settings of STrack's window by 004 Table 1 for a base RTT of 8 us, packets of 2 KiB and 50 Gb/s, which is a third of the product of
/// bandwidth and delay that the table's factors are for. A tick of the wire is 2^3 clock cycles, 24.8 ns.
const WINDOW: [(&str, u32); 9] = [
    ("net_base_rtt", 322),
    ("target_qdelay", 322),
    ("target_qhigh", 966),
    ("alpha", 722),
    ("beta", 427),
    ("eta", 205),
    ("gamma", 52_429),
    ("max_cwnd", 40),
    ("mtu_log2", 11),
];

/// One connection that sends messages of 64 KiB over eight paths which together carry a little more than its line does, a SACK for
/// each packet; freezes last 1 ms.
fn spraying(nic: nic::Config, bytes: u64, seed: u64) -> Setup {
    let mut settings = vec![
        ("sack_threshold", 0),
        ("cwnd_packets", 40),
        ("rto", sack_ticks(RTO_US)),
        ("probe_timeout", sack_ticks(24)),
        ("probe_rtt", sack_ticks(12)),
    ];
    if let Choice::Reps(_) = nic.selector {
        let tick = if nic.time_bits == WIRE_TIME_BITS { WIRE_TICK } else { 1 };
        settings.extend([("freeze_timeout", (MS / (tick * CYCLE_PS)) as u32), ("bdp_packets", 25)]);
    }
    let window = match nic.window_engine {
        WindowEngine::Fixed => Setup::default().window,
        WindowEngine::Strack => {
            settings.extend(WINDOW);
            Window::Told
        }
    };
    if nic.uet.is_some() {
        // an ACK for each packet, and no connection that is given up
        settings.extend([("ack_gen_trigger", 0), ("max_rto_retx", 15)]);
    }
    let messages = bytes.div_ceil(MESSAGE.into());
    Setup {
        nic,
        settings,
        window,
        network: Config { seed, paths: vec![path(); PATHS], window_ps: 100 * US, changes: Vec::new() },
        messages: [(0..messages).map(|_| Message { conn: 0, bytes: MESSAGE }).collect(), Vec::new()],
        payload: PAYLOAD,
        cycle_ps: CYCLE_PS,
        limit_ps: u64::MAX,
        ..Setup::default()
    }
}

/// A fifth of all packets lost in both directions, each overtaken by up to 256; messages both ways on four connections, half as
/// many back.
fn lossy(setup: &mut Setup, bytes: u64) {
    setup.connections = 4;
    setup.first_psn = setup.psns().wrap(0u32.wrapping_sub(256)); // across the wrap
    setup.payload = 500;
    // a packet of 570 bytes takes 91 ns on the line
    let lossy = Path { loss_ppm: PPM / 5, reorder_ps: 256 * 91_200, ..path() };
    setup.network = paths::Config { paths: vec![lossy; PATHS], window_ps: MS, ..setup.network.clone() };
    let messages = |bytes: u64| {
        let mut left = bytes;
        (0u32..).map_while(move |i| {
            let message = Message { conn: (i % 4) as u16, bytes: 1 + i.wrapping_mul(SIZE_STEP) % MOST_BYTES };
            let is_wanted = left > 0;
            left = left.saturating_sub(message.bytes.into());
            is_wanted.then_some(message)
        })
    };
    setup.messages = [messages(bytes).collect(), messages(bytes / 2).collect()];
    for (name, value) in &mut setup.settings {
        *value = match *name {
            "rto" => sack_ticks(4 * RTO_US),
            "probe_timeout" => sack_ticks(80),
            "probe_rtt" => sack_ticks(60),
            _ => *value,
        };
    }
}
