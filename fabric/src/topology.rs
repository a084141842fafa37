//! Fat trees: which port leads where.
//!
//! Hosts stand under top-of-rack switches (ToRs), these under the T1 switches of their pod, and these, in a tree of three tiers, under
//! the core switches. Ports are numbered through: first the NIC of each host, then the ports of each switch, those downwards before
//! those upwards.

use std::path::Path;

use respray_files::quote::Quoted;
use respray_files::range::{Real, Whole};
use serde::{Deserialize, Serialize};

use crate::error::FabricError;
use crate::text::{self, Number};
use crate::time::{NANOSECOND, Picoseconds};

/// Ports of a switch to one side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Radix {
    /// Ports towards the hosts.
    pub down: u32,
    /// Ports away from them.
    #[serde(default)]
    pub up: u32,
}

/// The links between two tiers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Links {
    /// Gb/s of each direction.
    pub gbps: f64,
    /// Delay of the link and of the switch or host at its end, in ns.
    pub delay_ns: u64,
}

impl Default for Links {
    fn default() -> Links {
        Links { gbps: 400.0, delay_ns: 1000 }
    }
}

impl Links {
    pub fn delay(&self) -> Picoseconds {
        self.delay_ns * NANOSECOND
    }
}

/// A fat tree of two or three tiers. [`NUMBERS`] has the ranges of its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    pub hosts: u32,
    /// Pods: 1 in two tiers.
    #[serde(default = "one")]
    pub pods: u32,
    /// Of each ToR.
    pub tor: Radix,
    /// Of each T1 switch; without ports upwards the tree has two tiers.
    pub t1: Radix,
    /// Links between a ToR and a T1 switch of its pod.
    #[serde(default = "one")]
    pub links_per_pair: u32,
    /// Between hosts and ToRs.
    #[serde(default)]
    pub host_links: Links,
    /// Between ToRs and T1 switches.
    #[serde(default)]
    pub tor_links: Links,
    /// Between T1 and core switches.
    #[serde(default)]
    pub core_links: Links,
}

fn one() -> u32 {
    1
}

/// Ports of a switch, or links, to one side.
const PORTS: Number = Number::Whole(Whole::new(1, 65_536));
const GBPS: Number = Number::Real(Real::new(0.001, 100_000.0));
/// Up to 20 km.
const DELAY_NS: Number = Number::Whole(Whole::new(1, 100_000));

/// The numbers of a topology, as its file names them, and what each may be.
pub const NUMBERS: [(&str, Number); 13] = [
    ("hosts", Number::Whole(Whole::new(2, 65_536))),
    ("pods", PORTS),
    ("links_per_pair", PORTS),
    ("tor.down", PORTS),
    ("tor.up", PORTS),
    ("t1.down", PORTS),
    ("t1.up", Number::Whole(Whole::new(0, 65_536))),
    ("host_links.gbps", GBPS),
    ("host_links.delay_ns", DELAY_NS),
    ("tor_links.gbps", GBPS),
    ("tor_links.delay_ns", DELAY_NS),
    ("core_links.gbps", GBPS),
    ("core_links.delay_ns", DELAY_NS),
];

/// Most ports of all switches and hosts: a tree of 65536 hosts with switches of 64 ports has a third of them.
const MOST_PORTS: u64 = 1 << 20;

/// The numbers of a topology file, a line each, for the help.
pub fn numbers() -> String {
    NUMBERS.iter().map(|(name, allowed)| format!("  {name} [allowed: {allowed}]\n")).collect()
}

/// The topologies that have a name, with it.
pub fn named() -> Vec<(&'static str, Topology)> {
    let tree = |hosts, pods, tor: [u32; 2], t1: [u32; 2]| Topology {
        hosts,
        pods,
        tor: Radix { down: tor[0], up: tor[1] },
        t1: Radix { down: t1[0], up: t1[1] },
        links_per_pair: 1,
        host_links: Links::default(),
        tor_links: Links::default(),
        core_links: Links::default(),
    };
    let slow_hosts = Links { gbps: 100.0, ..Links::default() };
    vec![
        ("t128x2", tree(128, 1, [8, 8], [16, 0])),
        ("t128x3", tree(128, 8, [4, 4], [4, 4])),
        ("t32x2", tree(32, 1, [4, 4], [8, 0])),
        ("t1024x2", tree(1024, 1, [32, 32], [32, 0])),
        ("t1024x3", tree(1024, 16, [8, 8], [8, 8])),
        ("t128x2o4", tree(128, 1, [8, 2], [16, 0])),
        ("fpga16", Topology { host_links: slow_hosts, ..tree(16, 1, [8, 2], [2, 0]) }),
        ("fpga128", Topology { host_links: slow_hosts, links_per_pair: 2, ..tree(128, 1, [64, 16], [4, 0]) }),
    ]
}

/// What a topology may be, for sentences.
pub fn form() -> String {
    let names: Vec<&str> = named().into_iter().map(|(name, _)| name).collect();
    format!("{}, or a TOML file", names.join(", "))
}

impl Topology {
    /// A named one, or that of a TOML file, whose name then ends with `.toml` and which is sought in `folder`.
    ///
    /// # Errors
    /// [`FabricError::Topology`] or [`FabricError::Read`].
    pub fn load(name: &str, folder: &Path) -> Result<Topology, FabricError> {
        if let Some((_, topology)) = named().into_iter().find(|(known, _)| *known == name) {
            return Ok(topology);
        }
        let refuse = |message: String| FabricError::Topology { name: Quoted(name).to_string(), message };
        if !name.ends_with(".toml") {
            return Err(refuse(format!("allowed: {}", form())));
        }
        let text = text::toml(&folder.join(name))?;
        let read = |error: toml::de::Error| refuse(text::toml_message(&error, &text));
        text::check_numbers(&toml::from_str(&text).map_err(read)?, NUMBERS).map_err(refuse)?;
        let topology: Topology = toml::from_str(&text).map_err(read)?;
        topology.check().map_err(refuse)?;
        Ok(topology)
    }

    /// Holds numbers that are in their ranges against each other.
    fn check(&self) -> Result<(), String> {
        let Topology { hosts, pods, tor, t1, links_per_pair, .. } = *self;
        let under = u64::from(tor.down) * u64::from(pods);
        if u64::from(hosts) % under != 0 {
            return Err(format!(
                "`hosts` is {hosts}; allowed: a multiple of `tor.down` times `pods`, {under}"
            ));
        }
        if tor.up % links_per_pair != 0 {
            return Err(format!(
                "`tor.up` is {}; allowed: a multiple of `links_per_pair`, {links_per_pair}",
                tor.up
            ));
        }
        let down = u64::from(self.tors_per_pod()) * u64::from(links_per_pair);
        if u64::from(t1.down) != down {
            return Err(format!(
                "`t1.down` is {}; allowed: {down}, the ToRs of a pod times `links_per_pair`",
                t1.down
            ));
        }
        if (pods == 1) != (t1.up == 0) {
            return Err(format!(
                "`t1.up` is {} with {pods} pods; allowed: 0 with one pod, 1 or more with several",
                t1.up
            ));
        }
        let ports = self.ports();
        if ports > MOST_PORTS {
            return Err(format!("its hosts and switches have {ports} ports; allowed: {MOST_PORTS} at most"));
        }
        Ok(())
    }

    /// Ports of all hosts and switches.
    fn ports(&self) -> u64 {
        let of = |switches: u64, radix: Radix| switches * (u64::from(radix.down) + u64::from(radix.up));
        let t1s_per_pod = u64::from(self.t1s_per_pod());
        let (tors, t1s) = (self.tors().into(), t1s_per_pod * u64::from(self.pods));
        let cores = t1s_per_pod * u64::from(self.t1.up) * u64::from(self.pods);
        u64::from(self.hosts) + of(tors, self.tor) + of(t1s, self.t1) + cores
    }

    pub fn tors(&self) -> u32 {
        self.hosts / self.tor.down
    }

    pub fn tors_per_pod(&self) -> u32 {
        self.tors() / self.pods
    }

    pub fn t1s_per_pod(&self) -> u32 {
        self.tor.up / self.links_per_pair
    }

    pub fn t1s(&self) -> u32 {
        self.t1s_per_pod() * self.pods
    }

    pub fn cores(&self) -> u32 {
        self.t1s_per_pod() * self.t1.up
    }

    /// Tiers of switches: 2 or 3.
    pub fn tiers(&self) -> u64 {
        if self.t1.up == 0 { 2 } else { 3 }
    }

    /// The ToR of a host.
    pub fn tor_of(&self, host: u32) -> u32 {
        host / self.tor.down
    }

    /// The pod of a ToR.
    fn pod_of_tor(&self, tor: u32) -> u32 {
        tor / self.tors_per_pod()
    }

    /// Delays of all links from one host to another.
    pub fn delays(&self, from: u32, to: u32) -> Picoseconds {
        let (host, tor, core) = (self.host_links.delay(), self.tor_links.delay(), self.core_links.delay());
        match self.tiers_between(from, to) {
            1 => 2 * host,
            2 => 2 * (host + tor),
            _ => 2 * (host + tor + core),
        }
    }

    /// Tiers of links on the way between two hosts: 1 to 3.
    pub fn tiers_between(&self, from: u32, to: u32) -> u8 {
        let (a, b) = (self.tor_of(from), self.tor_of(to));
        match (a == b, self.pod_of_tor(a) == self.pod_of_tor(b)) {
            (true, _) => 1,
            (_, true) => 2,
            _ => 3,
        }
    }

    /// Delays of the longest way between two hosts.
    pub fn longest_delays(&self) -> Picoseconds {
        self.delays(0, self.hosts - 1)
    }
}

/// A host or a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Host(u32),
    Switch(u32),
}

/// Where a switch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Tor { tor: u32 },
    T1 { pod: u32 },
    Core,
}

/// A switch with its ports.
#[derive(Clone, Debug)]
pub struct Switch {
    pub place: Place,
    /// As a failure names it.
    pub name: String,
    /// Its first port downwards; the others follow.
    pub down: u32,
    /// Its first port upwards.
    pub up: u32,
    /// How many ports there are upwards.
    pub ups: u32,
}

/// A port, seen from the node that it belongs to.
#[derive(Clone, Debug)]
pub struct Wire {
    /// As a failure names it, for instance `tor0.up1`.
    pub name: String,
    /// The node at the other end.
    pub to: Node,
    /// The port of that node that sends into the same link the other way.
    pub back: u32,
    pub links: Links,
}

/// All ports and switches of a topology.
#[derive(Clone, Debug)]
pub struct Map {
    pub topology: Topology,
    pub wires: Vec<Wire>,
    pub switches: Vec<Switch>,
}

/// Ports from `first` on, among which a switch chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    pub first: u32,
    pub count: u32,
}

impl Map {
    pub fn new(topology: &Topology) -> Map {
        let t = topology;
        let (tors, t1s, cores) = (t.tors(), t.t1s(), t.cores());
        let tor_ports = t.tor.down + t.tor.up;
        let t1_ports = t.t1.down + t.t1.up;
        let tor_first = |tor: u32| t.hosts + tor * tor_ports;
        let t1_first = |t1: u32| t.hosts + tors * tor_ports + t1 * t1_ports;
        let core_first = |core: u32| t.hosts + tors * tor_ports + t1s * t1_ports + core * t.pods;
        let (t1_switch, core_switch) =
            (|t1: u32| Node::Switch(tors + t1), |core| Node::Switch(tors + t1s + core));
        let mut map = Map { topology: t.clone(), wires: Vec::new(), switches: Vec::new() };
        for host in 0..t.hosts {
            let tor = t.tor_of(host);
            map.wire(
                format!("host{host}.nic"),
                Node::Switch(tor),
                tor_first(tor) + host % t.tor.down,
                t.host_links,
            );
        }
        for tor in 0..tors {
            let (pod, local) = (t.pod_of_tor(tor), tor % t.tors_per_pod());
            map.switch(Place::Tor { tor }, format!("tor{tor}"), t.tor.down, t.tor.up);
            for port in 0..t.tor.down {
                let host = tor * t.tor.down + port;
                map.wire(format!("tor{tor}.down{port}"), Node::Host(host), host, t.host_links);
            }
            for port in 0..t.tor.up {
                let t1 = pod * t.t1s_per_pod() + port / t.links_per_pair;
                let back = t1_first(t1) + local * t.links_per_pair + port % t.links_per_pair;
                map.wire(format!("tor{tor}.up{port}"), t1_switch(t1), back, t.tor_links);
            }
        }
        for t1 in 0..t1s {
            let (pod, local) = (t1 / t.t1s_per_pod(), t1 % t.t1s_per_pod());
            map.switch(Place::T1 { pod }, format!("t1_{t1}"), t.t1.down, t.t1.up);
            for port in 0..t.t1.down {
                let tor = pod * t.tors_per_pod() + port / t.links_per_pair;
                let back = tor_first(tor) + t.tor.down + local * t.links_per_pair + port % t.links_per_pair;
                map.wire(format!("t1_{t1}.down{port}"), Node::Switch(tor), back, t.tor_links);
            }
            for port in 0..t.t1.up {
                let core = local * t.t1.up + port;
                map.wire(
                    format!("t1_{t1}.up{port}"),
                    core_switch(core),
                    core_first(core) + pod,
                    t.core_links,
                );
            }
        }
        for core in 0..cores {
            map.switch(Place::Core, format!("core{core}"), t.pods, 0);
            for pod in 0..t.pods {
                let t1 = pod * t.t1s_per_pod() + core / t.t1.up;
                let back = t1_first(t1) + t.t1.down + core % t.t1.up;
                map.wire(format!("core{core}.down{pod}"), t1_switch(t1), back, t.core_links);
            }
        }
        map
    }

    fn wire(&mut self, name: String, to: Node, back: u32, links: Links) {
        self.wires.push(Wire { name, to, back, links });
    }

    fn switch(&mut self, place: Place, name: String, downs: u32, ups: u32) {
        let down = self.wires.len() as u32;
        self.switches.push(Switch { place, name, down, up: down + downs, ups });
    }

    /// The ports that lead from a switch to a host.
    #[inline]
    pub fn ways(&self, switch: u32, host: u32) -> Ways {
        let t = &self.topology;
        let at = &self.switches[switch as usize];
        let tor = t.tor_of(host);
        let up = Ways { first: at.up, count: at.ups };
        match at.place {
            Place::Tor { tor: here } if here == tor => Ways { first: at.down + host % t.tor.down, count: 1 },
            Place::Tor { .. } => up,
            Place::T1 { pod } if pod == t.pod_of_tor(tor) => {
                Ways { first: at.down + tor % t.tors_per_pod() * t.links_per_pair, count: t.links_per_pair }
            }
            Place::T1 { .. } => up,
            Place::Core => Ways { first: at.down + t.pod_of_tor(tor), count: 1 },
        }
    }

    /// The port of that name.
    pub fn port(&self, name: &str) -> Option<u32> {
        self.wires.iter().position(|wire| wire.name == name).map(|port| port as u32)
    }

    /// The ports that a name means where ports are watched: itself, or those of a switch upwards, of a core switch
    /// downwards.
    ///
    /// # Errors
    /// [`FabricError::Value`] where nothing has this name.
    pub fn watched(&self, name: &str) -> Result<Vec<u32>, FabricError> {
        if let Some(port) = self.port(name) {
            return Ok(vec![port]);
        }
        match self.switches.iter().find(|switch| switch.name == name) {
            Some(switch) if switch.ups > 0 => Ok((switch.up..switch.up + switch.ups).collect()),
            // its first port upwards would stand behind its last one downwards
            Some(switch) => Ok((switch.down..switch.up).collect()),
            None => {
                let value = Quoted(name).to_string();
                let allowed = format!(
                    "{}; a switch by itself is its ports upwards, where it has none its ports downwards",
                    self.ports_by_name()
                );
                Err(FabricError::Value { what: "port to watch", value, allowed })
            }
        }
    }

    /// The ports of ToRs that lead upwards.
    pub fn tor_uplinks(&self) -> impl Iterator<Item = u32> + '_ {
        let tors = self.switches.iter().filter(|switch| matches!(switch.place, Place::Tor { .. }));
        tors.flat_map(|tor| tor.up..tor.up + tor.ups)
    }

    /// Every port of a switch, and every port that leads into it.
    pub fn ports_around(&self, name: &str) -> Option<Vec<u32>> {
        let at = self.switches.iter().position(|switch| switch.name == name)? as u32;
        let into =
            (0..self.wires.len() as u32).filter(|port| self.wires[*port as usize].to == Node::Switch(at));
        Some(into.flat_map(|port| [port, self.wires[port as usize].back]).collect())
    }
}

impl Map {
    /// Names of ports, for sentences.
    fn ports_by_name(&self) -> String {
        let known = self.names(|down, up| match up {
            0 => format!(" with .down0 to .down{}", down - 1),
            _ => format!(" with .down0 to .down{} and .up0 to .up{}", down - 1, up - 1),
        });
        format!("{}, and host0.nic to host{}.nic", known.join(", "), self.topology.hosts - 1)
    }

    /// Names of switches with what `ports` says of each kind's ports down and up.
    fn names(&self, ports: impl Fn(u32, u32) -> String) -> Vec<String> {
        let t = &self.topology;
        let kinds = [
            ("tor", t.tors(), ports(t.tor.down, t.tor.up)),
            ("t1_", t.t1s(), ports(t.t1.down, t.t1.up)),
            ("core", t.cores(), ports(t.pods, 0)),
        ];
        let kinds = kinds.into_iter().filter(|(_, count, _)| *count > 0);
        kinds.map(|(name, count, ports)| format!("{name}0 to {name}{}{ports}", count - 1)).collect()
    }

    /// A sentence's piece on a name that is not known: what names there are.
    pub(crate) fn unknown(&self, name: &str) -> String {
        format!(
            "`{}` is neither a port, a link, a switch nor a share of the ToRs' up-links; allowed: {}; `link:` before a port is its link both ways",
            Quoted(name),
            self.ports_by_name()
        )
    }
}
