//! What a run has beside its topology, its workload and its engines: sizes of packets and queues, windows, timers.

use std::fmt;

use respray_files::quote::Quoted;
use respray_files::range::Whole;
use serde::{Deserialize, Serialize};

use crate::error::FabricError;
use crate::time::{self, MICROSECOND, NANOSECOND, Picoseconds};
use crate::topology::Topology;
use crate::window::Window;

/// What happens to data that a queue has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Full {
    /// The arriving packet, or at even odds the newest one of the queue, keeps its header alone.
    Trim,
    /// The arriving packet is lost.
    Drop,
}

/// Who chooses the window of a connection, with the transport of the `nic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowOf {
    /// The host, by the DCTCP variant of 001, from what the block's events say.
    Dctcp,
    /// The register `cwnd_packets`, for all connections.
    Fixed,
    /// The engine `strack_cc`, with the settings that 004 has for the network.
    Strack,
}

/// What a path selector hears as a failure, with the transport of the `nic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossFeedback {
    /// The expected PSN has stood still for an RTO: rule 3 of 004, the walker's timeout.
    Stalled,
    /// A packet's own timeout has passed, as 001 section 3.2 has it.
    Timeout,
    /// Each loss that `sack_tx` infers, by any of its three rules.
    Any,
    /// Nothing.
    None,
}

/// Parameters with the values of paper 001 as its simulator has them; [`PARAMETERS`] says what each may hold and what it means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    pub packet_bytes: u32,
    pub header_bytes: u32,
    pub queue_packets: u32,
    pub kmin_packets: u32,
    pub kmax_packets: u32,
    pub full: Full,
    pub first_window_packets: u32,
    pub rto_ns: u64,
    pub freeze_timeout_ns: u32,
    pub bdp_packets: u32,
    pub flowcut_ratio: u32,
    pub ack_bytes: u32,
    pub fast_increase_ns: u64,
    pub adaptive: bool,
    pub end_ns: u64,
    pub bin_ns: u64,
    pub window: WindowOf,
    pub cwnd_packets: u32,
    pub loss_feedback: LossFeedback,
    pub hears_trims: bool,
    pub probe_timeout_ns: u64,
    pub probe_rtt_ns: u64,
    pub rto_backoff_max: u8,
    pub walker_round_ns: u64,
    pub wire_prescale: u32,
    pub sack_prescale: u32,
    pub engine_cycles: bool,
    pub idle_ns: u64,
    pub slow_is_congestion: bool,
}

/// What a parameter may hold.
#[derive(Clone, Copy, Debug)]
pub enum Allowed {
    Number(Whole),
    Words(&'static [&'static str]),
}

/// One parameter, as `--set fabric.NAME=VALUE` spells it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub allowed: Allowed,
    /// What it means, one phrase.
    pub meaning: &'static str,
}

/// With what the meaning of a parameter begins that only the transport of the `nic` heeds.
const OF_NIC: &str = "transport nic: ";

impl Parameter {
    /// Only the transport of the `nic` heeds it.
    pub fn is_of_nic(&self) -> bool {
        self.meaning.starts_with(OF_NIC)
    }
}

/// An hour, the longest time of a run.
const HOUR_NS: u64 = time::LONGEST / NANOSECOND;

/// Every parameter.
pub const PARAMETERS: &[Parameter] = &[
    number("packet_bytes", 2, 65_535, "bytes of a full data packet on the wire, its header included"),
    number("header_bytes", 1, 1000, "bytes of a header, an ACK, a NACK and a trimmed packet"),
    number("queue_packets", 1, 65_535, "full packets that a queue of a switch has room for"),
    number("kmin_packets", 0, 65_535, "packets up to which a queue marks nothing"),
    number("kmax_packets", 0, 65_535, "packets above which a queue marks everything"),
    words("full", &["trim", "drop"], "data that a full queue has no room for keeps its header, or is lost"),
    number("first_window_packets", 1, 100_000, "full packets of the first window"),
    number(
        "rto_ns",
        0,
        10_000_000_000,
        "retransmission timeout; 0: the longest base RTT and four full queues",
    ),
    number("freeze_timeout_ns", 0, u32::MAX as u64, "port `freeze_timeout` of an engine"),
    number("bdp_packets", 0, 255, "port `bdp_packets` of an engine; 0: the BDP of the longest path"),
    number(
        "flowcut_ratio",
        0,
        63,
        // the paper's 8 halves are reached by no RTT where a queue trims at one BDP
        "port `ratio` of an engine: halves of the smallest RTT above which `flowcut` drains a connection",
    ),
    number("ack_bytes", 0, 1_000_000, "bytes of payload for which a receiver sends one ACK; 0: one a packet"),
    number("fast_increase_ns", 0, HOUR_NS, "when a window without queueing begins to grow faster; 0: never"),
    words(
        "adaptive",
        &["true", "false"],
        "switches choose the up-link with the shortest queue, whatever the EV",
    ),
    number(
        "end_ns",
        1,
        HOUR_NS,
        "how long a run goes on behind the last start of a flow that has a time of its own",
    ),
    number("bin_ns", 1, 1_000_000_000, "width of a bin of the series"),
    words(
        "window",
        &["dctcp", "fixed", "strack"],
        "transport nic: who chooses windows: the host by the DCTCP variant of 001, the register `cwnd_packets`, or `strack_cc`",
    ),
    number(
        "cwnd_packets",
        0,
        512,
        "transport nic: register `cwnd_packets`; 0: the largest window, at most `sack.window`",
    ),
    words(
        "loss_feedback",
        &["stalled", "timeout", "any", "none"],
        "transport nic: what the selector hears as `timeout`: EPSN stalled for an RTO, a packet's own timeout, every loss by any rule of `sack_tx`, or nothing",
    ),
    words(
        "hears_trims",
        &["true", "false"],
        "transport nic: a trimmed header is answered by a NACK, which the selector hears and whose packet is sent again; false: it is ignored, as by the block",
    ),
    number(
        "probe_timeout_ns",
        0,
        10_000_000_000,
        "transport nic: register `probe_timeout` as a time; 0: three base RTTs",
    ),
    number(
        "probe_rtt_ns",
        0,
        10_000_000_000,
        "transport nic: register `probe_rtt` as a time; 0: one and a half base RTTs",
    ),
    number("rto_backoff_max", 0, 7, "transport nic: register `rto_backoff_max`"),
    number(
        "walker_round_ns",
        0,
        1_000_000_000,
        "transport nic: time in which the walker of `sack_tx` visits each connection once; 0: 8 cycles for each of `connections`, as without ops",
    ),
    number("wire_prescale", 0, 16, "transport nic: register `wire_prescale`"),
    number("sack_prescale", 0, 16, "transport nic: register `sack_prescale`"),
    number(
        "idle_ns",
        0,
        1_000_000_000,
        "transport nic: a connection that had nothing on its way for so long begins anew for the selector (op `init`), and so explores; 0: never",
    ),
    words(
        "slow_is_congestion",
        &["true", "false"],
        "transport nic: a loss within two RTOs of a round trip above 1.65 base RTTs is congestion, which the selector does not hear (001 appendix A)",
    ),
    words(
        "engine_cycles",
        &["true", "false"],
        "transport nic: ops wait for the engines of their host as in hardware; false: an op takes no time",
    ),
];

const fn number(name: &'static str, least: u64, most: u64, meaning: &'static str) -> Parameter {
    Parameter { name, allowed: Allowed::Number(Whole::new(least, most)), meaning }
}

const fn words(name: &'static str, words: &'static [&'static str], meaning: &'static str) -> Parameter {
    Parameter { name, allowed: Allowed::Words(words), meaning }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowed::Number(range) => range.fmt(f),
            Allowed::Words(words) => write!(f, "{}", words.join(" or ")),
        }
    }
}

/// The range of a parameter that is a number.
///
/// # Panics
/// If there is none of this name.
fn range(name: &str) -> Whole {
    let found = PARAMETERS.iter().find(|parameter| parameter.name == name);
    match found.map(|parameter| parameter.allowed) {
        Some(Allowed::Number(range)) => range,
        _ => unreachable!("`{name}` is a number among the parameters"),
    }
}

fn refuse_outside(key: &str, value: u64, allowed: Whole, why: &str) -> Result<(), FabricError> {
    if allowed.contains(value) {
        return Ok(());
    }
    let allowed = format!("{allowed}, {why}");
    Err(FabricError::Parameter { key: key.into(), value: value.to_string(), allowed })
}

/// All parameters, a line each with range and default, for the help.
pub fn form() -> String {
    let usual = toml::Table::try_from(Parameters::default()).expect("parameters are plain data");
    let line = |parameter: &Parameter| {
        let Parameter { name, allowed, meaning } = parameter;
        let default = usual[*name].as_str().map_or_else(|| usual[*name].to_string(), str::to_string);
        format!("  fabric.{name}: {meaning} [default: {default}] [allowed: {allowed}]\n")
    };
    PARAMETERS.iter().map(line).collect()
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            packet_bytes: 4150,
            header_bytes: 64,
            queue_packets: 100,
            kmin_packets: 20,
            kmax_packets: 80,
            full: Full::Trim,
            first_window_packets: 151,
            rto_ns: 0,
            freeze_timeout_ns: 100_000,
            bdp_packets: 0,
            flowcut_ratio: 3,
            ack_bytes: 0,
            fast_increase_ns: 0,
            adaptive: false,
            end_ns: 5_000_000_000,
            bin_ns: 20_000,
            window: WindowOf::Dctcp,
            cwnd_packets: 0,
            loss_feedback: LossFeedback::Any,
            hears_trims: false,
            probe_timeout_ns: 0,
            probe_rtt_ns: 0,
            rto_backoff_max: 0,
            walker_round_ns: 0,
            wire_prescale: 3,
            sack_prescale: 5,
            engine_cycles: false,
            idle_ns: 0,
            slow_is_congestion: false,
        }
    }
}

/// Most bytes of a window: half of what an ACK tells apart by its total of 31 bits.
const MOST_WINDOW_BYTES: u64 = 1 << 30;

/// Most bins of a port's series.
const MOST_BINS: u64 = 1 << 20;

impl Parameters {
    /// The parameters of the model of 001's FPGAs, whose packets are of 8 KiB.
    pub fn fpga() -> Parameters {
        Parameters {
            packet_bytes: 8256,
            queue_packets: 60,
            kmin_packets: 12,
            kmax_packets: 48,
            first_window_packets: 22,
            ..Parameters::default()
        }
    }

    /// Puts `KEY=VALUE` over them.
    ///
    /// # Errors
    /// [`FabricError::Parameter`].
    pub fn set(self, key: &str, value: &str) -> Result<Parameters, FabricError> {
        let quoted = |text: &str| Quoted(text).to_string();
        let Some(parameter) = PARAMETERS.iter().find(|parameter| parameter.name == key) else {
            let names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
            return Err(FabricError::Parameter {
                key: quoted(key),
                value: "no parameter".into(),
                allowed: names.join(", "),
            });
        };
        let mut table = toml::Table::try_from(&self).expect("parameters are plain data, which TOML takes");
        let new = match parameter.allowed {
            Allowed::Number(range) => range.read(value).map(|number| toml::Value::Integer(number as i64)),
            Allowed::Words(words) if !words.contains(&value) => None,
            Allowed::Words(_) if table[key].is_bool() => Some(toml::Value::Boolean(value == "true")),
            Allowed::Words(_) => Some(toml::Value::String(value.into())),
        };
        let new = new.ok_or_else(|| FabricError::Parameter {
            key: key.into(),
            value: quoted(value),
            allowed: parameter.allowed.to_string(),
        })?;
        table.insert(key.to_string(), new);
        Ok(table.try_into().expect("what is allowed fits its field"))
    }

    /// Holds the values against each other and against the topology.
    ///
    /// # Errors
    /// [`FabricError::Parameter`], [`FabricError::Value`].
    pub fn check(&self, topology: &Topology) -> Result<(), FabricError> {
        let packet = u64::from(self.packet_bytes);
        let most_first = (MOST_WINDOW_BYTES / packet).min(range("first_window_packets").most);
        let (header, kmax) = (u64::from(self.header_bytes) + 1, u64::from(self.kmax_packets));
        let first = self.first_window_packets.into();
        for (key, value, allowed, why) in [
            (
                "packet_bytes",
                packet,
                Whole::new(header, range("packet_bytes").most),
                "more than `fabric.header_bytes`",
            ),
            (
                "kmax_packets",
                kmax,
                Whole::new(0, self.queue_packets.into()),
                "at most `fabric.queue_packets`",
            ),
            ("kmin_packets", self.kmin_packets.into(), Whole::new(0, kmax), "at most `fabric.kmax_packets`"),
            (
                "first_window_packets",
                first,
                Whole::new(1, most_first),
                "of `fabric.packet_bytes` each at most a GiB",
            ),
        ] {
            refuse_outside(key, value, allowed, why)?;
        }
        let window = Window::largest_of(self.base_rtt(topology, topology.longest_delays()), topology);
        if window > MOST_WINDOW_BYTES {
            let allowed = format!("up to {MOST_WINDOW_BYTES}, by shorter delays or slower hosts");
            let what = "largest window in bytes, one and a half times the bandwidth-delay product,";
            return Err(FabricError::Value { what, value: window.to_string(), allowed });
        }
        let most = range("bdp_packets").most;
        let why = "the port's width, where the BDP of the longest path is none";
        refuse_outside("bdp_packets", self.bdp_packets(topology), Whole::new(1, most), why)
    }

    /// Refuses a series with too many bins in a run that ends then.
    ///
    /// # Errors
    /// [`FabricError::Parameter`].
    pub fn check_series(&self, end: Picoseconds) -> Result<(), FabricError> {
        let least = end.div_ceil(NANOSECOND).div_ceil(MOST_BINS);
        let why = format!("as a series has at most {MOST_BINS} bins up to the end of the run");
        refuse_outside("bin_ns", self.bin_ns, Whole::new(least, range("bin_ns").most), &why)
    }

    /// Payload of a full packet.
    pub fn payload_bytes(&self) -> u64 {
        u64::from(self.packet_bytes - self.header_bytes)
    }

    /// The round trip of a full packet and its ACK without queues, over links of so much delay one way.
    pub fn base_rtt(&self, topology: &Topology, delays: Picoseconds) -> Picoseconds {
        let gbps = topology.host_links.gbps;
        let packets = time::serialization(self.packet_bytes.into(), gbps)
            + time::serialization(self.header_bytes.into(), gbps);
        2 * delays + 2 * topology.tiers() * packets
    }

    /// Bytes that a host sends in a round trip.
    pub fn bdp_bytes(topology: &Topology, rtt: Picoseconds) -> u64 {
        (rtt as f64 * topology.host_links.gbps / 8000.0).round() as u64
    }

    /// What the port `bdp_packets` says.
    pub fn bdp_packets(&self, topology: &Topology) -> u64 {
        match self.bdp_packets {
            0 => {
                let rtt = self.base_rtt(topology, topology.longest_delays());
                Parameters::bdp_bytes(topology, rtt) / u64::from(self.packet_bytes)
            }
            given => given.into(),
        }
    }

    /// The retransmission timeout.
    pub fn rto(&self, topology: &Topology) -> Picoseconds {
        match self.rto_ns {
            0 => {
                let queue = u64::from(self.queue_packets) * u64::from(self.packet_bytes);
                self.base_rtt(topology, topology.longest_delays())
                    + 4 * time::serialization(queue, topology.host_links.gbps)
            }
            given => given * NANOSECOND,
        }
    }

    /// When windows begin to grow faster.
    pub fn fast_increase(&self) -> Option<Picoseconds> {
        (self.fast_increase_ns > 0).then_some(self.fast_increase_ns * NANOSECOND)
    }

    /// Queueing below which a window may grow faster.
    pub const LITTLE_QUEUEING: Picoseconds = MICROSECOND;
}
