//! Who sends how much to whom, and when.

use std::path::Path;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use respray_files::quote::Quoted;
use serde::Deserialize;

use crate::error::FabricError;
use crate::time::{MILLISECOND, NANOSECOND, Picoseconds};
use crate::topology::Topology;

/// What makes a flow begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    At(Picoseconds),
    /// That flow is complete.
    After(u32),
    /// One of the flows of this queue is complete, and this one is next: of a queue so many flows are under way at once.
    Queue(u32),
}

/// One message from a host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    pub source: u32,
    pub destination: u32,
    /// Bytes of payload, 1 or more.
    pub bytes: u64,
    pub start: Start,
}

/// The flows of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    pub flows: Vec<Flow>,
    /// How many flows of each queue are under way at once.
    pub queues: Vec<u32>,
}

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
    File { path: String },
}

/// What a workload may be, for sentences.
pub const FORM: &str = "tornado, tornado:HOSTS, permutation, incast:HOSTS, alltoall:AT_ONCE, ring, butterfly, trace:PERCENT, or a CSV file \
                    of flows";

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

/// A line of a file of flows.
#[derive(Deserialize)]
struct Line {
    id: u64,
    src: u32,
    dst: u32,
    bytes: u64,
    start_ns: u64,
    after_id: Option<u64>,
}

impl Workload {
    /// Reads `tornado:8`, `permutation`, `FILE.csv` and the like.
    ///
    /// # Errors
    /// [`FabricError::Workload`].
    pub fn parse(text: &str) -> Result<Workload, FabricError> {
        let refuse =
            || FabricError::Workload { name: Quoted(text).to_string(), message: format!("allowed: {FORM}") };
        if text.ends_with(".csv") {
            return Ok(Workload::File { path: text.to_string() });
        }
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let count = || number.and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0).ok_or_else(refuse);
        match (name, number) {
            ("tornado", None) => Ok(Workload::Tornado { hosts: None }),
            ("tornado", Some(_)) => Ok(Workload::Tornado { hosts: Some(count()?) }),
            ("permutation", None) => Ok(Workload::Permutation),
            ("incast", Some(_)) => Ok(Workload::Incast { hosts: count()? }),
            ("alltoall", Some(_)) => Ok(Workload::AllToAll { at_once: count()? }),
            ("ring", None) => Ok(Workload::Ring),
            ("butterfly", None) => Ok(Workload::Butterfly),
            ("trace", Some(load)) => {
                let load = load.parse::<f64>().ok().filter(|load| *load > 0.0 && *load <= 100.0);
                Ok(Workload::Trace { load: load.ok_or_else(refuse)? })
            }
            _ => Err(refuse()),
        }
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
            Workload::Trace { load } => plain(trace(topology, *load, &mut random)),
            Workload::File { path } => plain(read_flows(Path::new(path), hosts)?),
        }
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
            Workload::File { path } => write!(f, "{path}"),
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

/// Messages that arrive at each host by chance.
fn trace(topology: &Topology, load: f64, random: &mut Xoshiro256PlusPlus) -> Vec<Flow> {
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
            let to = random.random_range(0..topology.hosts - 1);
            flows.push(Flow {
                source,
                destination: to + u32::from(to >= source),
                bytes: web_search_size(random.random()),
                start: Start::At(time as Picoseconds),
            });
        }
    }
    flows
}

/// The size of which so large a share of the messages is not above.
fn web_search_size(share: f64) -> u64 {
    let above = WEB_SEARCH.iter().position(|(_, upto)| share <= *upto).unwrap_or(WEB_SEARCH.len() - 1).max(1);
    let ((from, below), (to, upto)) = (WEB_SEARCH[above - 1], WEB_SEARCH[above]);
    (from + (to - from) * (share - below) / (upto - below)).round().max(1.0) as u64
}

/// The flows of a file: `id,src,dst,bytes,start_ns,after_id`. A flow with `after_id` begins when that one is complete.
fn read_flows(path: &Path, hosts: u32) -> Result<Vec<Flow>, FabricError> {
    let text = crate::error::read(path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut flows: Vec<Flow> = Vec::new();
    let mut places = std::collections::HashMap::new();
    let mut last_start = 0;
    let refuse =
        |line: u64, message: String| Err(FabricError::Line { file: path.to_path_buf(), line, message });
    let mut record = csv::StringRecord::new();
    let headers = match reader.headers() {
        Ok(headers) => headers.clone(),
        Err(error) => return refuse(1, Quoted(&error.to_string()).to_string()),
    };
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {}
            Err(_) => return refuse(line, "it has not as many fields as the first line".into()),
        }
        let at = record.position().map_or(line, csv::Position::line);
        let Ok(flow) = record.deserialize::<Line>(Some(&headers)) else {
            return refuse(
                at,
                "it is no flow; allowed: id,src,dst,bytes,start_ns,after_id, whole numbers, the last one may be empty"
                    .into(),
            );
        };
        for (name, host) in [("src", flow.src), ("dst", flow.dst)] {
            if host >= hosts {
                return refuse(at, format!("`{name}` is {host}; allowed: 0 to {}", hosts - 1));
            }
        }
        if flow.src == flow.dst {
            return refuse(at, format!("`src` and `dst` are both {}; allowed: two hosts", flow.src));
        }
        if flow.bytes == 0 {
            return refuse(at, "`bytes` is 0; allowed: 1 or more".into());
        }
        let start = match flow.after_id {
            Some(id) => match places.get(&id) {
                Some(place) => Start::After(*place),
                None => {
                    return refuse(at, format!("`after_id` is {id}; allowed: the `id` of a line above"));
                }
            },
            None if flow.start_ns < last_start => {
                return refuse(
                    at,
                    format!("`start_ns` is {}; allowed: {last_start} or more, in order", flow.start_ns),
                );
            }
            None => {
                last_start = flow.start_ns;
                Start::At(flow.start_ns * NANOSECOND)
            }
        };
        if places.insert(flow.id, flows.len() as u32).is_some() {
            return refuse(at, format!("`id` {} stands there twice", flow.id));
        }
        flows.push(Flow { source: flow.src, destination: flow.dst, bytes: flow.bytes, start });
    }
    if flows.is_empty() {
        return refuse(1, "it has no flow; allowed: one or more lines below the names of the columns".into());
    }
    Ok(flows)
}

/// Permutations by seed, as a file has them: `nodes,seed,dst_of_0_to_n_minus_1`, the last with spaces.
#[derive(Clone, Debug, Default)]
pub struct Permutations {
    file: String,
    rows: Vec<(u32, u64, Vec<u32>)>,
}

impl Permutations {
    /// # Errors
    /// [`FabricError::Read`], [`FabricError::Line`].
    pub fn read(path: &Path) -> Result<Permutations, FabricError> {
        let text = crate::error::read(path)?;
        let mut rows = Vec::new();
        for (line, text) in text.lines().enumerate().skip(1) {
            let refuse = |message: String| FabricError::Line {
                file: path.to_path_buf(),
                line: line as u64 + 1,
                message,
            };
            let fields: Vec<&str> = text.split(',').collect();
            let form = || refuse("it is no permutation; allowed: nodes,seed,destinations with spaces".into());
            let [nodes, seed, to] = fields.as_slice() else { return Err(form()) };
            let nodes: u32 = nodes.parse().map_err(|_| form())?;
            let seed: u64 = seed.parse().map_err(|_| form())?;
            let to: Vec<u32> =
                to.split_whitespace().map(|to| to.parse().map_err(|_| form())).collect::<Result<_, _>>()?;
            if to.len() != nodes as usize {
                return Err(refuse(format!("it has {} destinations; allowed: {nodes}", to.len())));
            }
            let mut seen = vec![false; nodes as usize];
            for (host, &to) in to.iter().enumerate() {
                if to >= nodes || to as usize == host {
                    return Err(refuse(format!("host {host} sends to {to}; allowed: another host")));
                }
                if std::mem::replace(&mut seen[to as usize], true) {
                    return Err(refuse(format!("host {to} stands there twice")));
                }
            }
            rows.push((nodes, seed, to));
        }
        Ok(Permutations { file: path.display().to_string(), rows })
    }

    /// That of a seed.
    ///
    /// # Errors
    /// [`FabricError::File`] where there is none.
    pub fn of(&self, hosts: u32, seed: u64) -> Result<&[u32], FabricError> {
        let found = self.rows.iter().find(|(nodes, of, _)| (*nodes, *of) == (hosts, seed));
        let seeds =
            self.rows.iter().filter(|(nodes, ..)| *nodes == hosts).map(|(_, seed, _)| seed.to_string());
        found.map(|(.., to)| to.as_slice()).ok_or_else(|| FabricError::File {
            file: self.file.clone(),
            message: format!(
                "it has no permutation of {hosts} hosts with seed {seed}; allowed: seeds {}",
                seeds.collect::<Vec<_>>().join(", ")
            ),
        })
    }
}
