//! Who sends how much to whom, and when.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use respray_files::quote::Quoted;
use respray_files::range::{Real, Whole};

use crate::error::FabricError;
use crate::flow_file;
pub use crate::flows::{BYTES, Flow, Flows, MOST_FLOWS, Start};
use crate::time::{MILLISECOND, Picoseconds};
use crate::topology::Topology;

/// What sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// Host `i` to host `i + n/2`: the first so many hosts, or all.
    Tornado { hosts: Option<u32> },
    /// Each host to another one, drawn by the run's seed or read from a file of permutations.
    Permutation,
    /// So many hosts of the other half to host 0.
    Incast { hosts: u32 },
    /// Each host to all others in turn, so many at a time.
    AllToAll { at_once: u32 },
    /// From each host a chain of messages around the ring.
    Ring,
    /// Rounds in which hosts whose numbers differ in one bit exchange.
    Butterfly,
    /// Web-search sizes, Poisson arrivals at so many percent of the hosts' rate, uniform destinations, 5 ms.
    Trace { load: f64 },
    /// The flows of a file.
    File { path: PathBuf },
}

/// Most packets from one host to another in a run: their numbers have 32 bits.
const MOST_PACKETS: u64 = 4_000_000_000;

/// The hosts of a workload, or the flows of a host at once; the topology may allow fewer.
const HOSTS: Whole = Whole::new(1, 65_536);

/// Percentage of the hosts' rate.
const LOAD: Real = Real::new(0.001, 100.0);

/// What a workload may be, for sentences.
pub fn form() -> String {
    format!(
        "tornado, tornado:HOSTS, permutation, incast:HOSTS, alltoall:AT_ONCE, ring, butterfly, trace:PERCENT with HOSTS and AT_ONCE of {HOSTS} \
         and PERCENT of {LOAD}, or {}",
        flow_file::form()
    )
}

/// How long messages of a trace arrive.
const TRACE: Picoseconds = 5 * MILLISECOND;

/// Sizes of the messages of a web search in bytes, and the share of messages up to each: the distribution of the DCTCP paper's search
/// cluster (Alizadeh and others, SIGCOMM 2010, Figure 4) as simulators commonly tabulate it.
const WEB_SEARCH: [(f64, f64); 12] = [
    (1.0, 0.0),
    (10_000.0, 0.15),
    (20_000.0, 0.20),
    (30_000.0, 0.30),
    (50_000.0, 0.40),
    (80_000.0, 0.53),
    (200_000.0, 0.60),
    (1_000_000.0, 0.70),
    (2_000_000.0, 0.80),
    (5_000_000.0, 0.90),
    (10_000_000.0, 0.97),
    (30_000_000.0, 1.0),
];

impl Workload {
    /// Reads `tornado:8`, `permutation`, `FILE.csv` and the like; a file is sought in `folder`.
    ///
    /// # Errors
    /// [`FabricError::Workload`].
    pub fn parse(text: &str, folder: &Path) -> Result<Workload, FabricError> {
        let refuse = || FabricError::Workload {
            name: Quoted(text).to_string(),
            message: format!("allowed: {}", form()),
        };
        if text.ends_with(".csv") || text.ends_with(".csv.gz") {
            return Ok(Workload::File { path: folder.join(text) });
        }
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let count = || number.and_then(|text| HOSTS.read(text)).map(|count| count as u32).ok_or_else(refuse);
        match (name, number) {
            ("tornado", None) => Ok(Workload::Tornado { hosts: None }),
            ("tornado", Some(_)) => Ok(Workload::Tornado { hosts: Some(count()?) }),
            ("permutation", None) => Ok(Workload::Permutation),
            ("incast", Some(_)) => Ok(Workload::Incast { hosts: count()? }),
            ("alltoall", Some(_)) => Ok(Workload::AllToAll { at_once: count()? }),
            ("ring", None) => Ok(Workload::Ring),
            ("butterfly", None) => Ok(Workload::Butterfly),
            ("trace", Some(load)) => Ok(Workload::Trace { load: LOAD.read(load).ok_or_else(refuse)? }),
            _ => Err(refuse()),
        }
    }

    /// Whether its messages have sizes of their own.
    pub fn has_sizes(&self) -> bool {
        matches!(self, Workload::Trace { .. } | Workload::File { .. })
    }

    /// Bytes of a message where nothing is said.
    pub fn usual_bytes(&self) -> u64 {
        match self {
            Workload::AllToAll { .. } => 2_000_000,
            Workload::Ring => 4_000_000,
            Workload::Butterfly => 20_000_000,
            _ => 8 << 20,
        }
    }

    /// Its flows of `bytes` each. `permutation` is that of the seed, where there is a file of them.
    ///
    /// # Errors
    /// [`FabricError::Workload`] where it does not fit the topology, [`FabricError::Line`] on a bad line of a file.
    pub fn flows(
        &self,
        topology: &Topology,
        bytes: u64,
        seed: u64,
        permutation: Option<&[u32]>,
    ) -> Result<Flows, FabricError> {
        let hosts = topology.hosts;
        let many = u64::from(hosts);
        let flows = match self {
            Workload::AllToAll { .. } => many * (many - 1),
            Workload::Ring => many * (2 * many - 1),
            Workload::Butterfly => many * u64::from(hosts.ilog2()),
            _ => many,
        };
        if flows > MOST_FLOWS {
            return Err(self.too_many());
        }
        let at_start = |source, destination| Flow { source, destination, bytes, start: Start::At(0) };
        let plain = |flows: Vec<Flow>| Ok(Flows { flows, queues: Vec::new() });
        let refuse = |message: String| Err(FabricError::Workload { name: self.to_string(), message });
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x776f_726b_6c6f_6164);
        match self {
            Workload::Tornado { hosts: some } => match some.unwrap_or(hosts) {
                count if count <= hosts => {
                    plain((0..count).map(|host| at_start(host, (host + hosts / 2) % hosts)).collect())
                }
                count => refuse(format!("it has {count} hosts; allowed: 1 to {hosts}")),
            },
            Workload::Permutation => {
                let drawn;
                let to = match permutation {
                    Some(given) => given,
                    None => {
                        drawn = draw_permutation(hosts, &mut random);
                        &drawn
                    }
                };
                plain((0..hosts).zip(to).map(|(host, to)| at_start(host, *to)).collect())
            }
            Workload::Incast { hosts: count } => {
                let half = hosts / 2;
                if *count > hosts - half {
                    return refuse(format!("it has {count} hosts; allowed: 1 to {}", hosts - half));
                }
                plain((0..*count).map(|host| at_start(half + host, 0)).collect())
            }
            Workload::AllToAll { at_once } => {
                if *at_once >= hosts {
                    return refuse(format!("it has {at_once} at once; allowed: 1 to {}", hosts - 1));
                }
                let flows = (0..hosts).flat_map(|host| {
                    (1..hosts).map(move |step| Flow {
                        source: host,
                        destination: (host + step) % hosts,
                        bytes,
                        start: Start::Queue(host),
                    })
                });
                Ok(Flows { flows: flows.collect(), queues: vec![*at_once; hosts as usize] })
            }
            Workload::Ring => {
                let chain = 2 * hosts - 1;
                let flows = (0..hosts).flat_map(|rank| {
                    (0..chain).map(move |step| Flow {
                        source: (rank + step) % hosts,
                        destination: (rank + step + 1) % hosts,
                        bytes,
                        start: match step {
                            0 => Start::At(0),
                            _ => Start::After(rank * chain + step - 1),
                        },
                    })
                });
                plain(flows.collect())
            }
            Workload::Butterfly => {
                if !hosts.is_power_of_two() {
                    return refuse(format!("the topology has {hosts} hosts; allowed: a power of two"));
                }
                let flows = (0..hosts.ilog2()).flat_map(|round| {
                    (0..hosts).map(move |host| Flow {
                        source: host,
                        destination: host ^ (1 << round),
                        bytes,
                        start: match round {
                            0 => Start::At(0),
                            _ => Start::After((round - 1) * hosts + host),
                        },
                    })
                });
                plain(flows.collect())
            }
            Workload::Trace { load } => {
                let flows = trace(topology, *load, &mut random).ok_or_else(|| self.too_many())?;
                if flows.is_empty() {
                    return refuse(format!("seed {seed} draws no message; allowed: a greater load"));
                }
                plain(flows)
            }
            Workload::File { path } => plain(flow_file::read(path, hosts)?),
        }
    }

    fn too_many(&self) -> FabricError {
        let message = format!("it has more than {MOST_FLOWS} flows, the most that a run has");
        FabricError::Workload { name: self.to_string(), message }
    }

    /// Refuses flows of which two hosts exchange more packets, of so much payload, than there are numbers for.
    ///
    /// # Errors
    /// [`FabricError::Workload`].
    pub fn check_packets(&self, flows: &Flows, payload: u64) -> Result<(), FabricError> {
        let mut packets = HashMap::new();
        for flow in &flows.flows {
            let of_pair = packets.entry((flow.source, flow.destination)).or_insert(0);
            *of_pair += flow.bytes.div_ceil(payload);
            if *of_pair > MOST_PACKETS {
                let message = format!(
                    "host {} sends host {} more than {MOST_PACKETS} packets; allowed: fewer or larger ones",
                    flow.source, flow.destination
                );
                return Err(FabricError::Workload { name: self.to_string(), message });
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Workload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Workload::Tornado { hosts: None } => write!(f, "tornado"),
            Workload::Tornado { hosts: Some(hosts) } => write!(f, "tornado:{hosts}"),
            Workload::Permutation => write!(f, "permutation"),
            Workload::Incast { hosts } => write!(f, "incast:{hosts}"),
            Workload::AllToAll { at_once } => write!(f, "alltoall:{at_once}"),
            Workload::Ring => write!(f, "ring"),
            Workload::Butterfly => write!(f, "butterfly"),
            Workload::Trace { load } => write!(f, "trace:{load}"),
            Workload::File { path } => write!(f, "{}", Quoted(&path.display().to_string())),
        }
    }
}

/// A permutation without fixed points, all of them equally likely.
fn draw_permutation(hosts: u32, random: &mut Xoshiro256PlusPlus) -> Vec<u32> {
    let mut to: Vec<u32> = (0..hosts).collect();
    loop {
        to.shuffle(random);
        if to.iter().zip(0..).all(|(to, host)| *to != host) {
            return to;
        }
    }
}

/// Messages that arrive at each host by chance; none if they are more than a run has.
fn trace(topology: &Topology, load: f64, random: &mut Xoshiro256PlusPlus) -> Option<Vec<Flow>> {
    let mean_bytes: f64 =
        WEB_SEARCH.windows(2).map(|two| (two[1].1 - two[0].1) * (two[0].0 + two[1].0) / 2.0).sum();
    let mean_gap = mean_bytes * 8000.0 / (topology.host_links.gbps * load / 100.0);
    let mut flows = Vec::new();
    for source in 0..topology.hosts {
        let mut time = 0.0;
        loop {
            time -= (1.0 - random.random::<f64>()).ln() * mean_gap;
            if time >= TRACE as f64 {
                break;
            }
            if flows.len() as u64 == MOST_FLOWS {
                return None;
            }
            let to = random.random_range(0..topology.hosts - 1);
            flows.push(Flow {
                source,
                destination: to + u32::from(to >= source),
                bytes: web_search_size(random.random()),
                start: Start::At(time as Picoseconds),
            });
        }
    }
    Some(flows)
}

/// The size of which so large a share of the messages is not above.
fn web_search_size(share: f64) -> u64 {
    let above = WEB_SEARCH.iter().position(|(_, upto)| share <= *upto).unwrap_or(WEB_SEARCH.len() - 1).max(1);
    let ((from, below), (to, upto)) = (WEB_SEARCH[above - 1], WEB_SEARCH[above]);
    (from + (to - from) * (share - below) / (upto - below)).round().max(1.0) as u64
}
