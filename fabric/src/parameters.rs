//! What a run has beside its topology, its workload and its engines: sizes of packets and queues, windows, timers.

use serde::{Deserialize, Serialize};

use crate::error::FabricError;
use crate::time::{self, MICROSECOND, NANOSECOND, Picoseconds};
use crate::topology::Topology;

/// What happens to data that a queue has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Full {
    /// The arriving packet, or at even odds the newest one of the queue, keeps its header alone.
    Trim,
    /// The arriving packet is lost.
    Drop,
}

/// Parameters with the values of paper 001 as its simulator has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// Bytes of a full data packet on the wire, its header included: 65 to 65535.
    pub packet_bytes: u32,
    /// Bytes of a header, an ACK, a NACK and a trimmed packet: 1 to 1000.
    pub header_bytes: u32,
    /// Full packets that a queue of a switch has room for, 1 to 100000.
    pub queue_packets: u32,
    /// Packets up to which a queue marks nothing, and above which it marks everything.
    pub kmin_packets: u32,
    pub kmax_packets: u32,
    /// What does not fit into a queue.
    pub full: Full,
    /// Full packets of the first window, 1 to 100000.
    pub first_window_packets: u32,
    /// Retransmission timeout in ns; 0: the longest base RTT and four full queues.
    pub rto_ns: u64,
    /// Port `freeze_timeout` of an engine, in ns.
    pub freeze_timeout_ns: u32,
    /// Port `bdp_packets` of an engine; 0: the BDP of the longest path, 255 at most.
    pub bdp_packets: u32,
    /// Port `ratio` of an engine: halves of the smallest RTT above which `flowcut` drains a connection, 0 to 63. The paper's ratio is 8
    /// halves, which no RTT reaches where a queue trims at one BDP.
    pub flowcut_ratio: u32,
    /// Bytes of payload for which a receiver sends one ACK; 0: an ACK for each packet.
    pub ack_bytes: u32,
    /// From this time in ns on a window without queueing grows faster; 0: never.
    pub fast_increase_ns: u64,
    /// The switches choose the up-link with the shortest queue, whatever the EV.
    pub adaptive: bool,
    /// The run ends here, in ns, whatever is unfinished.
    pub end_ns: u64,
    /// Width of a bin of the series, in ns.
    pub bin_ns: u64,
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
        }
    }
}

/// Largest value of the port `bdp_packets`.
const MOST_BDP_PACKETS: u64 = 255;

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
        let mut table = toml::Table::try_from(&self).expect("parameters are plain data, which TOML takes");
        let allowed = || table.keys().cloned().collect::<Vec<_>>().join(", ");
        let refuse = |allowed: String| FabricError::Parameter {
            key: key.to_string(),
            value: respray_files::quote::Quoted(value).to_string(),
            allowed,
        };
        let Some(before) = table.get(key) else {
            return Err(FabricError::Parameter {
                key: key.to_string(),
                value: "no parameter".into(),
                allowed: allowed(),
            });
        };
        let (new, form) = match before {
            toml::Value::Integer(_) => {
                (value.parse::<i64>().ok().map(toml::Value::Integer), "a whole number, 0 or more")
            }
            toml::Value::Boolean(_) => (value.parse().ok().map(toml::Value::Boolean), "true or false"),
            _ => (Some(toml::Value::String(value.to_string())), "trim or drop"),
        };
        table.insert(key.to_string(), new.ok_or_else(|| refuse(form.into()))?);
        table.try_into().map_err(|_| refuse(form.into()))
    }

    /// Holds every value against its range.
    ///
    /// # Errors
    /// [`FabricError::Parameter`].
    pub fn check(&self, topology: &Topology) -> Result<(), FabricError> {
        let ranges: [(&str, u64, u64, u64); 10] = [
            ("packet_bytes", self.packet_bytes.into(), u64::from(self.header_bytes) + 1, 65535),
            ("header_bytes", self.header_bytes.into(), 1, 1000),
            ("queue_packets", self.queue_packets.into(), 1, 100_000),
            ("kmax_packets", self.kmax_packets.into(), self.kmin_packets.into(), self.queue_packets.into()),
            ("first_window_packets", self.first_window_packets.into(), 1, 100_000),
            ("rto_ns", self.rto_ns, 0, 10_000_000_000),
            ("flowcut_ratio", self.flowcut_ratio.into(), 0, 63),
            ("ack_bytes", self.ack_bytes.into(), 0, 1_000_000),
            ("end_ns", self.end_ns, 1, 3_600_000_000_000),
            ("bin_ns", self.bin_ns, 1, 1_000_000_000),
        ];
        for (key, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                return Err(FabricError::Parameter {
                    key: key.into(),
                    value: value.to_string(),
                    allowed: format!("{least} to {most}"),
                });
            }
        }
        let bdp = self.bdp_packets(topology);
        if bdp > MOST_BDP_PACKETS {
            return Err(FabricError::Parameter {
                key: "bdp_packets".into(),
                value: bdp.to_string(),
                allowed: format!(
                    "1 to {MOST_BDP_PACKETS}, the port's width; 0 takes the BDP of the longest path"
                ),
            });
        }
        Ok(())
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
