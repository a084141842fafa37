//! CAVER in a switch: 003 section 2. Each ACK carries the best path to the host that it comes from, and how congested that is. A switch
//! on its way takes the path in, if it knows of no better one, and passes its own best on. The first packet of a flow takes the best
//! path that its ToR knows, as a source route, and the rest follow.
//!
//! # What the paper leaves open
//! - Collisions in the flow table "do not incur any correctness issues". A route of another destination misdelivers, so an entry holds
//!   a tag of its flow and the destination, and a flow that finds another's entry goes by ECMP.
//! - When a flow ends is not said: its entry dies after `flow_timeout` ticks without a packet. A flow that was silent for longer may
//!   move, and so may one that collided, once the other one's entry is dead. A flow without a known path stays with ECMP while its
//!   entry lives, for the order of its packets.
//! - An entry holds the congestion behind its port. The port's own is read at each use, as it is then.
//! - A report replaces the stored one if it is not worse, the newer one of equals therefore, or if it comes from the stored one's port:
//!   that the stored path became worse must be believed.
//! - The DRE counts data that leaves by a port. ACKs do not count.
//! - Paths age too, in `path_age` ticks. Ages are exact when an entry is used, and as times have 8 bits, a walker forgets what is dead
//!   before it comes round to look alive. A port that is not `up` kills entries likewise.
//! - That no route loops is not proven. ACKs are taken to go up and then down, and routes have four ports at most. An ACK whose path is
//!   full goes on as it is, and so does one that the stored path would make too long.
//! - A port of a path has a byte, and an unused byte is 0xff.
//!
//! A host's own ToR begins the path: the link to the host counts as congestion, but is no hop of the route.

mod list;
mod op;
mod table;

pub use list::Advertise;
use list::Hosts;
pub use op::{AckShim, DataShim, Kind, Op, OpKind, Outcome, Settings};
pub use table::{Path, SEED, Table, UPLINKS, Uplinks};

use crate::dre::Dre;

/// Ports of a route, the ToR's own included.
pub const ROUTE_PORTS: u8 = 4;
/// Most ports in the path of an ACK that a switch may still pass on, with itself before them.
const LEN_MAX: u8 = ROUTE_PORTS - 1;
/// The bytes of a path that a switch stores: three ports.
const PATH_MASK: u32 = (1 << 24) - 1;

/// The engine's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Hosts that the FIB knows, a power of two, 64..=4096.
    pub destinations: u32,
    /// Ports of the switch, a power of two, 16..=64.
    pub ports: u32,
    /// Entries of the flow table, a power of two, 1024..=16384.
    pub flows: u32,
    /// What the path congestion table has of a host.
    pub table: Table,
    /// Of which host an ACK speaks that begins a path.
    pub advertise: Advertise,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            destinations: 1024,
            ports: 32,
            flows: 4096,
            table: Table::default(),
            advertise: Advertise::default(),
        }
    }
}

/// An entry of the flow table, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    pub valid: bool,
    /// Bits 31:16 of the flow's hash.
    pub tag: u16,
    pub dst: u16,
    /// `None`: by ECMP.
    pub route: Option<u32>,
    /// When it last saw a packet.
    pub t: u8,
}

impl Flow {
    /// Whether it may be used at this time. A flow by ECMP has no port that must be up.
    fn is_live(&self, now: u8, settings: &Settings) -> bool {
        self.valid
            && now.wrapping_sub(self.t) <= settings.flow_timeout
            && self.route.is_none_or(|route| has(settings.up, first_port(route)))
    }
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Engine {
    params: Params,
    flows: Vec<Flow>,
    /// With one path a host.
    paths: Vec<Path>,
    /// With one path a host and uplink.
    uplinks: Option<Uplinks>,
    hosts: Hosts,
    ports: Vec<Dre>,
}

impl Engine {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let check = |name: &str, value: u32, least: u32, most: u32| {
            let is_good = value.is_power_of_two() && (least..=most).contains(&value);
            assert!(is_good, "{name} must be a power of two in {least}..={most}, not {value}");
        };
        check("destinations", params.destinations, 64, 4096);
        check("ports", params.ports, 16, 64);
        check("flows", params.flows, 1024, 16384);
        let places = params.flows.max(params.destinations);
        let uplinks = Uplinks::new(params.ports, params.destinations, places);
        Engine {
            params,
            flows: vec![Flow::default(); params.flows as usize],
            paths: vec![Path::default(); params.destinations as usize],
            uplinks: (params.table == Table::PerPort).then_some(uplinks),
            hosts: Hosts::new(params.ports),
            ports: vec![Dre::default(); params.ports as usize],
        }
    }

    /// `rst`.
    pub fn reset(&mut self) {
        self.flows.fill(Flow::default());
        self.paths.fill(Path::default());
        self.uplinks.iter_mut().for_each(Uplinks::reset);
        self.hosts.reset();
        self.ports.fill(Dre::default());
    }

    /// The configuration.
    pub const fn params(&self) -> Params {
        self.params
    }

    /// Entry of the flow table below `flows`.
    pub fn flow(&self, index: u16) -> &Flow {
        &self.flows[usize::from(index)]
    }

    /// The best path to a host below `destinations`, with one path a host.
    pub fn path(&self, dst: u16) -> &Path {
        &self.paths[usize::from(dst)]
    }

    /// The entries of all uplinks, if there are such.
    pub const fn uplinks(&self) -> Option<&Uplinks> {
        self.uplinks.as_ref()
    }

    /// Sum of a port's DRE in bytes, 26 bits.
    pub fn dre(&self, port: u8) -> u32 {
        self.ports[usize::from(port)].sum()
    }

    /// A port's own congestion, `q` of the contract, 0..=255.
    pub fn congestion(&self, port: u8) -> u8 {
        self.ports[usize::from(port)].congestion()
    }

    /// Executes one op. Panics if a port or `dst` is outside its range, or a shift above 31.
    pub fn apply(&mut self, op: &Op) -> Outcome {
        if matches!(op.kind, OpKind::Visit | OpKind::Decay) {
            self.look_up();
        }
        match op.kind {
            OpKind::Data => self.data(op),
            OpKind::Ack => self.ack(op),
            OpKind::Visit => self.visit(op),
            OpKind::SetShift => {
                self.ports[usize::from(op.port)].set_shift(op.shift);
                Outcome::Nothing
            }
            OpKind::Decay => {
                self.ports[usize::from(op.port)].decay(op.settings.dre_alpha);
                Outcome::Nothing
            }
            OpKind::Host => {
                if self.params.advertise == Advertise::RoundRobin {
                    self.hosts.add(op.dst, op.port);
                }
                Outcome::Nothing
            }
        }
    }

    /// In a slot of the core's own the congestion of one uplink is looked up.
    fn look_up(&mut self) {
        let Some(uplinks) = &mut self.uplinks else { return };
        let port = uplinks.turn();
        uplinks.look_up(port, self.ports[usize::from(port)].congestion());
    }

    /// A random place of the op among the uplinks, where there are such.
    fn place(&mut self) -> usize {
        self.uplinks.as_mut().map_or(0, Uplinks::place)
    }

    /// The best path to the host of an op that may be used.
    fn best(&self, op: &Op, place: usize) -> Option<Path> {
        match &self.uplinks {
            Some(uplinks) => uplinks.best(op.dst, place, op.now, &op.settings),
            None => Some(self.paths[usize::from(op.dst)]).filter(|path| path.is_live(op.now, &op.settings)),
        }
    }

    fn data(&mut self, op: &Op) -> Outcome {
        self.check_in_port(op);
        let place = self.place();
        let (kind, port, shim) = if op.is_local {
            (Kind::Deliver, op.fib_port, None)
        } else if has(op.settings.is_host, op.in_port) {
            self.first_hop(op, place)
        } else if op.enable {
            match self.next_port(op) {
                Some(port) => (Kind::Routed, port, Some(DataShim { hop: op.hop + 1, path: op.path })),
                None => (Kind::BadRoute, op.fib_port, None),
            }
        } else {
            (Kind::Ecmp, op.fib_port, None)
        };
        self.ports[usize::from(port)].count(op.bytes);
        Outcome::Data { kind, port, shim }
    }

    /// Data of a host at this switch: the flow table is asked.
    fn first_hop(&mut self, op: &Op, place: usize) -> (Kind, u8, Option<DataShim>) {
        let index = op.hash % self.params.flows;
        let tag = (op.hash >> 16) as u16;
        let route = self.best(op, place).map(|best| best.route());
        let flow = &mut self.flows[index as usize];
        let kind = if !flow.is_live(op.now, &op.settings) {
            *flow = Flow { valid: true, tag, dst: op.dst, route, t: op.now };
            if route.is_some() { Kind::New } else { Kind::Ecmp }
        } else if (flow.tag, flow.dst) == (tag, op.dst) {
            flow.t = op.now;
            Kind::Same
        } else {
            return (Kind::Collided, op.fib_port, None);
        };
        match flow.route {
            Some(route) => (kind, first_port(route), Some(DataShim { hop: 0, path: route })),
            None => (kind, op.fib_port, None),
        }
    }

    /// The port that the route of a packet gives for this switch, if it can be right: routes lead from switch to switch.
    fn next_port(&self, op: &Op) -> Option<u8> {
        let hop = (op.hop + 1 < ROUTE_PORTS).then_some(op.hop + 1)?;
        let port = op.path.to_le_bytes()[usize::from(hop)];
        (u32::from(port) < self.params.ports && !has(op.settings.is_host, port)).then_some(port)
    }

    fn ack(&mut self, op: &Op) -> Outcome {
        self.check_in_port(op);
        let place = self.place();
        if has(op.settings.is_host, op.in_port) {
            if op.to_local {
                return Outcome::Ack { kind: Kind::Pass, shim: None };
            }
            let (dst, port) = self.hosts.turn().unwrap_or((op.dst, op.in_port));
            let shim = AckShim { ce: self.congestion(port), len: 0, path: u32::MAX, dst };
            return Outcome::Ack { kind: Kind::Advertised, shim: Some(shim) };
        }
        let refused = Outcome::Ack { kind: Kind::Refused, shim: None };
        if op.len == LEN_MAX && !op.to_local {
            return refused;
        }
        let path = op.path & PATH_MASK;
        let reported = Path { valid: true, ce: op.ce, len: op.len, port: op.in_port, path, t: op.now };
        let best = if let Some(uplinks) = &mut self.uplinks {
            if !uplinks.store(op.dst, reported) {
                return refused;
            }
            self.best(op, place)
        } else {
            Some(self.better(op, reported))
        };
        let kind = if best.is_none_or(|best| best.port == op.in_port) { Kind::Took } else { Kind::Kept };
        if op.to_local {
            return Outcome::Ack { kind, shim: None };
        }
        // only a stored path can be that long here
        let Some(best) = best.filter(|best| best.len < LEN_MAX) else { return refused };
        let ce = self.congestion(best.port).max(best.ce);
        let shim = AckShim { ce, len: best.len + 1, path: best.route(), dst: op.dst };
        Outcome::Ack { kind, shim: Some(shim) }
    }

    /// With one path a host: the better one of what is stored and what is reported, which is stored then.
    fn better(&mut self, op: &Op, reported: Path) -> Path {
        let stored = self.paths[usize::from(op.dst)];
        let total = self.congestion(op.in_port).max(op.ce);
        let is_taken = !stored.is_live(op.now, &op.settings)
            || stored.port == op.in_port
            || total <= self.congestion(stored.port).max(stored.ce);
        let better = if is_taken { reported } else { stored };
        self.paths[usize::from(op.dst)] = better;
        better
    }

    fn visit(&mut self, op: &Op) -> Outcome {
        let index = u32::from(op.dst);
        let flow = &mut self.flows[(index % self.params.flows) as usize];
        flow.valid = flow.is_live(op.now, &op.settings);
        let path = &mut self.paths[(index % self.params.destinations) as usize];
        path.valid = path.is_live(op.now, &op.settings);
        if let Some(uplinks) = &mut self.uplinks {
            uplinks.visit((index % self.params.destinations) as u16, op.now, &op.settings);
        }
        Outcome::Nothing
    }

    fn check_in_port(&self, op: &Op) {
        let ports = self.params.ports;
        assert!(u32::from(op.in_port) < ports, "in_port must be below {ports}, not {}", op.in_port);
    }
}

/// Whether a mask has a port.
const fn has(mask: u64, port: u8) -> bool {
    mask >> port & 1 != 0
}

/// The port of hop 0. The table only holds ports of the switch.
const fn first_port(route: u32) -> u8 {
    route as u8
}
