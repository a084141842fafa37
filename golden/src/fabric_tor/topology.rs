//! Switches, hosts and the links between them, and the ports that lead from a switch to a host by the shortest way. In a tree of
//! whatever width these go up first and then down, as CAVER takes for granted.

/// Ports of each switch; those that nothing is at are closed.
pub const PORTS: u8 = 16;

/// A switch's end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    /// Index of the switch.
    pub switch: usize,
    pub port: u8,
}

/// What is at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    Nothing,
    Host(u16),
    Switch(End),
}

/// A network.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    switches: Vec<String>,
    hosts: Vec<String>,
    peers: Vec<Vec<Peer>>,
}

impl Topology {
    /// What 003 Figure 1 shows and its text names, completed by what it needs: ToRs T1, T4, T5 and T6 below the leaves L1 and L2; H1 at T1
    /// sends the green flow and H4 at T4 the red one, both to H3, which is bonded to T5 and T6 and the port 0 of each. H5 and H6 are its
    /// neighbours, whose traffic loads the links to it.
    pub fn figure_1() -> Self {
        let mut topology = Topology::default();
        let tors = ["T1", "T4", "T5", "T6"].map(|name| topology.add_switch(name));
        let leaves = ["L1", "L2"].map(|name| topology.add_switch(name));
        topology.add_host("H1", &[tors[0]]);
        topology.add_host("H4", &[tors[1]]);
        topology.add_host("H3", &[tors[2], tors[3]]);
        topology.add_host("H5", &[tors[2]]);
        topology.add_host("H6", &[tors[3]]);
        for leaf in leaves {
            for tor in tors {
                topology.link(tor, leaf);
            }
        }
        topology
    }

    /// The network of 003 section 3: a fat tree of three tiers with k = 4, eight hosts, each bonded to the two ToRs of its pod.
    pub fn fat_tree() -> Self {
        let mut topology = Topology::default();
        let cores = [0, 1, 2, 3].map(|index| topology.add_switch(&format!("C{index}")));
        for pod in 0..4 {
            let tors = [0, 1].map(|index| topology.add_switch(&format!("P{pod}T{index}")));
            let aggregates = [0, 1].map(|index| topology.add_switch(&format!("P{pod}A{index}")));
            for host in 0..2 {
                topology.add_host(&format!("P{pod}H{host}"), &tors);
            }
            for (index, aggregate) in aggregates.into_iter().enumerate() {
                tors.iter().for_each(|tor| topology.link(*tor, aggregate));
                cores[2 * index..][..2].iter().for_each(|core| topology.link(aggregate, *core));
            }
        }
        topology
    }

    /// Adds a switch; returns its index.
    pub fn add_switch(&mut self, name: &str) -> usize {
        self.switches.push(name.into());
        self.peers.push(vec![Peer::Nothing; PORTS.into()]);
        self.switches.len() - 1
    }

    /// Adds a host at the next port of each of these switches; returns its number in the FIB. Panics if a port lacks.
    pub fn add_host(&mut self, name: &str, tors: &[usize]) -> u16 {
        let host = self.hosts.len() as u16;
        self.hosts.push(name.into());
        for tor in tors {
            let port = self.next_port(*tor);
            self.peers[*tor][usize::from(port)] = Peer::Host(host);
        }
        host
    }

    /// Joins two switches by the next port of each. Panics if a port lacks.
    pub fn link(&mut self, one: usize, other: usize) {
        let one = End { switch: one, port: self.next_port(one) };
        let other = End { switch: other, port: self.next_port(other) };
        self.peers[one.switch][usize::from(one.port)] = Peer::Switch(other);
        self.peers[other.switch][usize::from(other.port)] = Peer::Switch(one);
    }

    fn next_port(&self, switch: usize) -> u8 {
        let free = self.peers[switch].iter().position(|peer| *peer == Peer::Nothing);
        free.unwrap_or_else(|| panic!("{} has no free port", self.switches[switch])) as u8
    }

    /// Names of the switches, in the order of their indices.
    pub fn switches(&self) -> &[String] {
        &self.switches
    }

    /// Names of the hosts, in the order of their numbers.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Index of a switch. Panics if there is none of this name.
    pub fn switch(&self, name: &str) -> usize {
        self.switches.iter().position(|other| other == name).expect("a switch of this name")
    }

    /// Number of a host. Panics if there is none of this name.
    pub fn host(&self, name: &str) -> u16 {
        self.hosts.iter().position(|other| other == name).expect("a host of this name") as u16
    }

    /// What is at a port.
    pub fn peer(&self, end: End) -> Peer {
        self.peers[end.switch][usize::from(end.port)]
    }

    /// The ports of a switch that `is` holds for.
    pub fn mask(&self, switch: usize, is: impl Fn(Peer) -> bool) -> u64 {
        let bits = self.peers[switch].iter().enumerate();
        bits.filter(|(_, peer)| is(**peer)).fold(0, |mask, (port, _)| mask | 1 << port)
    }

    /// The port of a switch that a host is at.
    pub fn port_to(&self, switch: usize, host: u16) -> Option<u8> {
        let port = self.peers[switch].iter().position(|peer| *peer == Peer::Host(host));
        port.map(|port| port as u8)
    }

    /// The port of a switch that leads to another one, the first of several.
    pub fn port_between(&self, switch: usize, other: usize) -> Option<u8> {
        let is_it = |peer: &Peer| matches!(peer, Peer::Switch(end) if end.switch == other);
        self.peers[switch].iter().position(is_it).map(|port| port as u8)
    }

    /// Links from each switch to the next one that a host is at; `usize::MAX`: there is no way.
    pub fn distances(&self, host: u16) -> Vec<usize> {
        let at_host = |switch| if self.port_to(switch, host).is_some() { 0 } else { usize::MAX };
        let mut distances: Vec<usize> = (0..self.switches.len()).map(at_host).collect();
        for distance in 0..self.switches.len() {
            for switch in 0..self.switches.len() {
                let is_next = |peer| matches!(peer, Peer::Switch(end) if distances[end.switch] == distance);
                if distances[switch] > distance && self.mask(switch, is_next) != 0 {
                    distances[switch] = distance + 1;
                }
            }
        }
        distances
    }

    /// For each switch the ports by which a host is nearest.
    pub fn next_ports(&self, host: u16) -> Vec<u64> {
        let distances = self.distances(host);
        let nearer = |switch: usize| {
            self.mask(switch, |peer| match peer {
                Peer::Host(other) => other == host,
                Peer::Switch(end) => distances[end.switch] < distances[switch],
                Peer::Nothing => false,
            })
        };
        (0..self.switches.len())
            .map(|switch| match self.port_to(switch, host) {
                Some(port) => 1 << port,
                None => nearer(switch),
            })
            .collect()
    }
}
