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
    /// Packets of data that came, duplicates included.
    pub delivered: u64,
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
    /// Of flows by their payload in bytes and the time that each took; none where it is not complete.
    pub fn of(flows: impl Iterator<Item = (u64, Option<Picoseconds>)>) -> FlowTimes {
        let (mut times, mut goodputs, mut unfinished) = (Vec::new(), Vec::new(), 0);
        for (bytes, time) in flows {
            match time {
                Some(time) => {
                    times.push(time);
                    goodputs.push(bytes as f64 * 8000.0 / time as f64);
                }
                None => unfinished += 1,
            }
        }
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
            mean_goodput_gbps: mean(&mut goodputs.into_iter()),
            unfinished,
        }
    }
}

/// What a port did in one bin of the series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Data packets that it was given.
    pub packets: u64,
    /// Bytes of them on the wire.
    pub bytes: u64,
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

/// Ports over time.
#[derive(Clone, Debug)]
pub struct Series {
    bin: Picoseconds,
    /// The place of a port among those that are watched.
    places: BTreeMap<u32, usize>,
    /// Bins of each port.
    bins: Vec<Vec<Bin>>,
}

impl Series {
    /// Of these ports, in bins of this width.
    pub fn new(ports: impl Iterator<Item = u32>, bin: Picoseconds) -> Series {
        let places: BTreeMap<u32, usize> = ports.enumerate().map(|(place, port)| (port, place)).collect();
        Series { bin, bins: vec![Vec::new(); places.len()], places }
    }

    /// A port was given a data packet.
    pub fn given(&mut self, port: u32, now: Picoseconds, bytes: u32, queue: u32, is_lost: bool) {
        let Some(place) = self.places.get(&port) else { return };
        let (bins, at) = (&mut self.bins[*place], (now / self.bin) as usize);
        if bins.len() <= at {
            bins.resize(at + 1, Bin::default());
        }
        let bin = &mut bins[at];
        bin.packets += 1;
        bin.bytes += u64::from(bytes);
        bin.queue_most = bin.queue_most.max(queue);
        bin.queue_sum += u64::from(queue);
        bin.lost += u64::from(is_lost);
    }

    /// Ports and their bins.
    pub fn ports(&self) -> impl Iterator<Item = (u32, &[Bin])> {
        self.places.iter().map(|(port, place)| (*port, self.bins[*place].as_slice()))
    }

    /// Width of a bin.
    pub fn bin(&self) -> Picoseconds {
        self.bin
    }

    /// Gb/s of a bin.
    pub fn gbps(&self, bin: &Bin) -> f64 {
        bin.bytes as f64 * 8000.0 / self.bin as f64
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
