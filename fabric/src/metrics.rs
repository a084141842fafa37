//! What a run came to: times of flows, counts of packets, load of ports over time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::{Picoseconds, microseconds};

/// Packets by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Data packets sent for the first time.
    pub new_packets: u64,
    /// Data packets sent again.
    pub retransmitted: u64,
    /// Data packets of which a full queue left the header.
    pub trimmed: u64,
    /// Data packets that a full queue lost.
    pub dropped: u64,
    /// Packets that a failed link lost, of any kind.
    pub lost_to_failure: u64,
    /// Packets of data that a queue marked.
    pub marked: u64,
    /// Packets of data that came behind one with a higher PSN, for the first time.
    pub out_of_order: u64,
    /// Of these, packets that were sent only once: another one overtook them.
    pub overtaken: u64,
    /// Packets of data that had come before.
    pub duplicates: u64,
    /// Packets whose retransmission timeout passed.
    pub expired: u64,
    /// Packets of data that came, duplicates and probes included.
    pub delivered: u64,
    /// With the transport of the NIC: probes that were sent, losses that `sack_tx` inferred by packets out of order and by
    /// probes (`expired` counts its timeouts), and failures that path selectors were told.
    #[serde(default)]
    pub probes: u64,
    #[serde(default)]
    pub lost_by_ooo: u64,
    #[serde(default)]
    pub lost_by_probe: u64,
    #[serde(default)]
    pub failures_told: u64,
}

/// Times of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowTimes {
    pub max_fct_us: f64,
    pub mean_fct_us: f64,
    pub median_fct_us: f64,
    pub p99_fct_us: f64,
    /// Payload by the time of its flow, in Gb/s, in the mean of the flows.
    pub mean_goodput_gbps: f64,
    /// Flows that were not complete at the end.
    pub unfinished: u64,
}

impl FlowTimes {
    pub fn of(flows: &[FlowRow]) -> FlowTimes {
        let mut times: Vec<Picoseconds> = flows.iter().filter_map(FlowRow::time).collect();
        let goodputs = flows.iter().filter_map(FlowRow::goodput_gbps);
        let unfinished = (flows.len() - times.len()) as u64;
        times.sort_unstable();
        let Some(&last) = times.last() else { return FlowTimes { unfinished, ..FlowTimes::default() } };
        let at = |share: f64| times[((times.len() as f64 * share).ceil() as usize).clamp(1, times.len()) - 1];
        let middle = (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2;
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / times.len() as f64;
        FlowTimes {
            max_fct_us: microseconds(last),
            mean_fct_us: mean(&mut times.iter().map(|time| microseconds(*time))),
            median_fct_us: microseconds(middle),
            p99_fct_us: microseconds(at(0.99)),
            mean_goodput_gbps: mean(&mut { goodputs }),
            unfinished,
        }
    }
}

/// One flow of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRow {
    pub source: u32,
    pub destination: u32,
    /// Payload.
    pub bytes: u64,
    /// When it began, and when its sender had heard that all of it has come; none where that did not happen.
    pub began: Option<Picoseconds>,
    pub ended: Option<Picoseconds>,
    pub counts: FlowCounts,
}

/// Packets of a flow by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowCounts {
    /// Sent again.
    pub retransmitted: u32,
    /// Came behind one with a higher PSN, for the first time.
    pub out_of_order: u32,
    /// The greatest reordering depth of one of them, in packets.
    pub deepest: u32,
}

impl FlowRow {
    /// How long it took; none where it is not complete.
    pub fn time(&self) -> Option<Picoseconds> {
        Some(self.ended? - self.began?)
    }

    /// Payload by its time, in Gb/s.
    pub fn goodput_gbps(&self) -> Option<f64> {
        Some(self.bytes as f64 * 8000.0 / self.time()? as f64)
    }
}

/// Width of a bin of round trips.
pub const RTT_BIN: Picoseconds = 100_000;

/// Bins of round trips; what is longer counts as the last of them.
pub const RTT_BINS: usize = 1 << 16;

/// Round trips of full packets that were sent once, from when a packet went to when its ACK was heard, in us, each to the
/// tenth of a us below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    #[serde(default)]
    pub rtt_mean_us: f64,
    #[serde(default)]
    pub rtt_p99_us: f64,
    #[serde(default)]
    pub rtt_max_us: f64,
}

impl RoundTrips {
    /// Of how many were in each bin.
    pub fn of(bins: &[u64]) -> RoundTrips {
        let all: u64 = bins.iter().sum();
        let us = |bin: usize| microseconds(bin as u64 * RTT_BIN);
        let sum: f64 = bins.iter().enumerate().map(|(bin, count)| *count as f64 * us(bin)).sum();
        let mut up_to = 0;
        let p99 = bins.iter().position(|count| {
            up_to += count;
            100 * up_to >= 99 * all
        });
        RoundTrips {
            rtt_mean_us: sum / all.max(1) as f64,
            rtt_p99_us: p99.map_or(0.0, us),
            rtt_max_us: bins.iter().rposition(|count| *count > 0).map_or(0.0, us),
        }
    }
}

/// Reordering depths that are told apart; what is deeper counts as the last of them.
pub const DEPTHS: usize = 1 << 16;

/// How far packets came out of order at their receivers. The reordering depth of a packet is the distance of its PSN
/// from the highest PSN that came before it, in packets, and 0 of one that has no higher PSN before it: a receiver must
/// be able to note so many packets ahead of one that it still waits for. Packets that come a second time have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reordering {
    pub reordering_depth_mean: f64,
    /// At most this deep are 99% of the packets.
    pub reordering_depth_p99: u64,
    pub reordering_depth_max: u64,
}

impl Reordering {
    /// Of how many packets had each depth, and of the greatest depth.
    pub fn of(depths: &[u64], deepest: u32) -> Reordering {
        let all: u64 = depths.iter().sum();
        let sum: u64 = depths.iter().zip(0..).map(|(count, depth)| count * depth).sum();
        let mut up_to = 0;
        let p99 = depths.iter().position(|count| {
            up_to += count;
            100 * up_to >= 99 * all
        });
        Reordering {
            reordering_depth_mean: sum as f64 / all.max(1) as f64,
            reordering_depth_p99: p99.unwrap_or(0) as u64,
            reordering_depth_max: deepest.into(),
        }
    }
}

/// What a port did in one bin of the series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Data packets that it was given, whatever became of them: the load that it is offered.
    pub packets: u64,
    /// Bytes of them on the wire.
    pub bytes: u64,
    /// Bytes of data whose last bit left it in this bin: the load that it carries.
    pub carried_bytes: u64,
    /// Its queue where one of them had come, in bytes: the most, and the sum over them.
    pub queue_most: u32,
    queue_sum: u64,
    /// Of them trimmed, dropped or lost.
    pub lost: u64,
}

impl Bin {
    /// The queue in the mean of its arrivals, in bytes.
    pub fn queue_mean(&self) -> f64 {
        self.queue_sum as f64 / self.packets.max(1) as f64
    }
}

/// A port that is watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedPort {
    pub port: u32,
    /// As a failure names it, for instance `tor0.up1`.
    pub name: String,
    /// Its rate while nothing fails.
    pub gbps: f64,
}

/// Ports over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    bin: Picoseconds,
    ports: Vec<WatchedPort>,
    /// The place of a port among those that are watched.
    places: BTreeMap<u32, usize>,
    /// Bins of each port.
    bins: Vec<Vec<Bin>>,
}

impl Series {
    /// Of these ports, in bins of this width.
    pub fn new(ports: Vec<WatchedPort>, bin: Picoseconds) -> Series {
        let places = ports.iter().enumerate().map(|(place, port)| (port.port, place)).collect();
        Series { bin, bins: vec![Vec::new(); ports.len()], ports, places }
    }

    /// The bin of a port at this time, if the port is watched.
    fn at(&mut self, port: u32, now: Picoseconds) -> Option<&mut Bin> {
        let (bins, at) = (&mut self.bins[*self.places.get(&port)?], (now / self.bin) as usize);
        if bins.len() <= at {
            bins.resize(at + 1, Bin::default());
        }
        Some(&mut bins[at])
    }

    /// A port was given a data packet.
    pub fn given(&mut self, port: u32, now: Picoseconds, bytes: u32, queue: u32, is_lost: bool) {
        let Some(bin) = self.at(port, now) else { return };
        bin.packets += 1;
        bin.bytes += u64::from(bytes);
        bin.queue_most = bin.queue_most.max(queue);
        bin.queue_sum += u64::from(queue);
        bin.lost += u64::from(is_lost);
    }

    /// The last bit of a data packet has left a port.
    pub fn left(&mut self, port: u32, now: Picoseconds, bytes: u32) {
        let Some(bin) = self.at(port, now) else { return };
        bin.carried_bytes += u64::from(bytes);
    }

    /// A failure took a packet that a port had sent.
    pub fn lost(&mut self, port: u32, now: Picoseconds) {
        let Some(bin) = self.at(port, now) else { return };
        bin.lost += 1;
    }

    /// Gives all ports as many bins as the one with most of them, and at least one, so that a port that had nothing to
    /// do is seen.
    pub(crate) fn level(&mut self) {
        let most = self.bins.iter().map(Vec::len).max().unwrap_or(0).max(1);
        self.bins.iter_mut().for_each(|bins| bins.resize(most, Bin::default()));
    }

    /// Ports and their bins, in the order in which they were named.
    pub fn ports(&self) -> impl Iterator<Item = (&WatchedPort, &[Bin])> {
        self.ports.iter().zip(self.bins.iter().map(Vec::as_slice))
    }

    /// Width of a bin.
    pub fn bin(&self) -> Picoseconds {
        self.bin
    }

    /// The load that the port was offered in a bin, in Gb/s. It may exceed the port's rate: what does, waits, is
    /// trimmed or is lost.
    pub fn offered_gbps(&self, bin: &Bin) -> f64 {
        bin.bytes as f64 * 8000.0 / self.bin as f64
    }

    /// The load that the port carried in a bin, in Gb/s: at most its rate, and one packet that began before the bin.
    pub fn carried_gbps(&self, bin: &Bin) -> f64 {
        bin.carried_bytes as f64 * 8000.0 / self.bin as f64
    }
}

/// How much more than the mean the most loaded of some ports has got: 001 Appendix B.
pub fn imbalance(loads: &[u64]) -> f64 {
    let sum: u64 = loads.iter().sum();
    match loads.iter().max() {
        Some(&most) if sum > 0 => most as f64 * loads.len() as f64 / sum as f64 - 1.0,
        _ => 0.0,
    }
}
