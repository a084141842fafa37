//! A network of CAVER switches: the example of 003 Figure 1, and the fat tree of its section 3. Data goes by shim or by ECMP, ACKs by
//! ECMP, and every switch on the way handles the shim.
//!
//! A frame goes from switch to switch by itself: there are no queues and no time, but for the ticks and periods that the user lets go
//! by, and congestion is what the DREs say. In which order frames move is the user's choice, see `traffic` for a random one.

pub mod figure_1;
pub mod topology;
pub mod traffic;

use thiserror::Error;

use crate::caver::{
    AckShim, Advertise, DataShim, Engine, Kind, Op, OpKind, Outcome, Params, Settings, Table,
};
use topology::{End, PORTS, Peer, Topology};

/// The engine of each switch; `new` of a fabric wants them of this size.
pub const PARAMS: Params = Params {
    destinations: 64,
    ports: PORTS as u32,
    flows: 1024,
    table: Table::Single,
    advertise: Advertise::Source,
};

/// The engine of a switch: the golden model, or a device.
pub trait Switch {
    /// Takes an op that the port knows: data, ACK or set_shift.
    fn apply(&mut self, op: &Op) -> Outcome;

    /// A period of the DRE goes by without an op: each port decays once, and the walker comes to every entry.
    fn rest(&mut self, now: u8, settings: &Settings);
}

impl Switch for Engine {
    fn apply(&mut self, op: &Op) -> Outcome {
        Engine::apply(self, op)
    }

    fn rest(&mut self, now: u8, settings: &Settings) {
        let Params { destinations, ports, flows, .. } = self.params();
        let op = Op { now, settings: *settings, ..Op::default() };
        for port in 0..ports as u8 {
            Engine::apply(self, &Op { kind: OpKind::Decay, port, ..op });
        }
        for index in 0..flows.max(destinations) as u16 {
            Engine::apply(self, &Op { kind: OpKind::Visit, dst: index, ..op });
        }
    }
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cargo {
    Data { bytes: u16, shim: Option<DataShim> },
    Ack { shim: Option<AckShim> },
}

/// What a switch did with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub switch: usize,
    pub in_port: u8,
    pub kind: Kind,
    pub port: u8,
}

/// A frame on its way.
#[derive(Clone, Debug)]
pub struct Frame {
    pub from: u16,
    pub to: u16,
    /// Hash of its flow, of which ECMP makes its choice.
    pub hash: u32,
    pub cargo: Cargo,
    /// Where it comes in next.
    pub at: End,
    /// The switches that it has passed.
    pub trail: Vec<Step>,
}

/// Why a frame will not arrive, or must not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Astray {
    #[error("a frame came to {0} for a second time")]
    Loop(String),
    #[error("a frame left {0} by port {1}, where there is no link")]
    NoLink(String, u8),
    #[error("{0} has no port to {1} that is up")]
    NoWay(String, String),
    #[error("a frame to {0} came to {1}")]
    WrongHost(String, String),
    #[error("{0} gave {1}, which is no result of this op")]
    WrongResult(String, String),
    #[error("frame {0} of flow {1:#x} was overtaken")]
    Overtaken(u32, u32),
}

/// The network.
#[derive(Clone, Debug)]
pub struct Fabric<S> {
    topology: Topology,
    switches: Vec<S>,
    /// By host, then by switch: the ports on the shortest ways.
    next_ports: Vec<Vec<u64>>,
    settings: Vec<Settings>,
    /// The time in ticks, modulo 256.
    pub now: u8,
}

impl<S: Switch> Fabric<S> {
    /// A network of engines as `rst` leaves them, with `PARAMS`. Of `settings` the ages and `dre_alpha` count.
    pub fn new(topology: Topology, settings: Settings, mut engine: impl FnMut() -> S) -> Self {
        let count = topology.switches().len();
        let of = |switch| Settings {
            is_host: topology.mask(switch, |peer| matches!(peer, Peer::Host(_))),
            up: topology.mask(switch, |peer| peer != Peer::Nothing),
            ..settings
        };
        Fabric {
            settings: (0..count).map(of).collect(),
            next_ports: (0..topology.hosts().len() as u16).map(|host| topology.next_ports(host)).collect(),
            switches: (0..count).map(|_| engine()).collect(),
            topology,
            now: 0,
        }
    }

    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The engine of a switch.
    pub fn switch(&self, switch: usize) -> &S {
        &self.switches[switch]
    }

    /// The ports of a switch by which a host is nearest, whether up or not.
    pub fn next_ports(&self, switch: usize, host: u16) -> u64 {
        self.next_ports[usize::from(host)][switch]
    }

    /// The link at a port goes down, or up, at both ends.
    pub fn set_link(&mut self, end: End, is_up: bool) {
        let other = match self.topology.peer(end) {
            Peer::Switch(other) => other,
            _ => end,
        };
        for End { switch, port } in [end, other] {
            let up = &mut self.settings[switch].up;
            *up = if is_up { *up | 1 << port } else { *up & !(1 << port) };
        }
    }

    /// Other data leaves by a port.
    pub fn load(&mut self, end: End, bytes: u32) {
        let mut left = bytes;
        while left != 0 {
            let part = left.min(8192);
            let op = Op {
                bytes: part as u16,
                is_local: true,
                fib_port: end.port,
                in_port: end.port,
                ..self.op(end.switch)
            };
            self.switches[end.switch].apply(&op);
            left -= part;
        }
    }

    /// A period of the DRE goes by at every switch.
    pub fn rest(&mut self) {
        for (switch, settings) in self.switches.iter_mut().zip(&self.settings) {
            switch.rest(self.now, settings);
        }
    }

    /// A data packet that a host gives to one of its ToRs. Panics if the host is not there.
    pub fn data(&self, from: u16, tor: usize, to: u16, hash: u32, bytes: u16) -> Frame {
        self.frame(from, tor, to, hash, Cargo::Data { bytes, shim: None })
    }

    /// An ACK likewise; `hash` is its own flow's.
    pub fn ack(&self, from: u16, tor: usize, to: u16, hash: u32) -> Frame {
        self.frame(from, tor, to, hash, Cargo::Ack { shim: None })
    }

    fn frame(&self, from: u16, tor: usize, to: u16, hash: u32, cargo: Cargo) -> Frame {
        let port = self.topology.port_to(tor, from).expect("a host gives frames to its own ToRs");
        Frame { from, to, hash, cargo, at: End { switch: tor, port }, trail: Vec::new() }
    }

    /// The port that ECMP chooses at a switch.
    pub fn ecmp(&self, switch: usize, to: u16, hash: u32) -> Result<u8, Astray> {
        let ports = self.next_ports(switch, to) & self.settings[switch].up;
        if ports == 0 {
            let to = self.topology.hosts()[usize::from(to)].clone();
            return Err(Astray::NoWay(self.name(switch), to));
        }
        let mixed = (hash ^ switch as u32).wrapping_mul(0x9e37_79b1) >> 16;
        let above = (0..mixed % ports.count_ones()).fold(ports, |left, _| left & (left - 1));
        Ok(above.trailing_zeros() as u8)
    }

    /// Takes a frame through the switch where it is. True: it arrived.
    pub fn hop(&mut self, frame: &mut Frame) -> Result<bool, Astray> {
        let port = self.ecmp(frame.at.switch, frame.to, frame.hash)?;
        self.hop_by(frame, port)
    }

    /// The same with this port in place of ECMP's, unless the host is at this switch.
    pub fn hop_by(&mut self, frame: &mut Frame, fib_port: u8) -> Result<bool, Astray> {
        let End { switch, port: in_port } = frame.at;
        if frame.trail.iter().any(|step| step.switch == switch) {
            return Err(Astray::Loop(self.name(switch)));
        }
        let local = self.topology.port_to(switch, frame.to);
        let (is_local, fib_port) = (local.is_some(), local.unwrap_or(fib_port));
        let op = Op { in_port, hash: frame.hash, ..self.op(switch) };
        let (op, outcome) = match frame.cargo {
            Cargo::Data { bytes, shim } => {
                let DataShim { hop, path } = shim.unwrap_or(DataShim { hop: 0, path: u32::MAX });
                let enable = shim.is_some();
                let op = Op { dst: frame.to, bytes, is_local, fib_port, enable, hop, path, ..op };
                (op, self.switches[switch].apply(&op))
            }
            Cargo::Ack { shim } => {
                let none = AckShim { ce: 0, len: 0, path: u32::MAX, dst: frame.from };
                let AckShim { ce, len, path, dst } = shim.unwrap_or(none);
                let kind = OpKind::Ack;
                let op = Op { kind, dst, ce, len, path, to_local: is_local, ..op };
                (op, self.switches[switch].apply(&op))
            }
        };
        let (kind, port) = match (outcome, op.kind) {
            (Outcome::Data { kind, port, shim }, OpKind::Data) => {
                frame.cargo = Cargo::Data { bytes: op.bytes, shim };
                (kind, port)
            }
            (Outcome::Ack { kind, shim }, OpKind::Ack) => {
                // a refused one leaves as it came
                if kind != Kind::Refused {
                    frame.cargo = Cargo::Ack { shim };
                }
                (kind, fib_port)
            }
            _ => return Err(Astray::WrongResult(self.name(switch), format!("{outcome:?}"))),
        };
        frame.trail.push(Step { switch, in_port, kind, port });
        let end = End { switch, port };
        let is_up = port < PORTS && self.settings[switch].up >> port & 1 == 1;
        match is_up.then(|| self.topology.peer(end)) {
            Some(Peer::Host(host)) if host == frame.to => Ok(true),
            Some(Peer::Host(host)) => {
                let name = |host: u16| self.topology.hosts()[usize::from(host)].clone();
                Err(Astray::WrongHost(name(frame.to), name(host)))
            }
            Some(Peer::Switch(next)) => {
                frame.at = next;
                Ok(false)
            }
            None | Some(Peer::Nothing) => Err(Astray::NoLink(self.name(switch), port)),
        }
    }

    /// Takes a frame to where it goes; returns its trail.
    pub fn carry(&mut self, mut frame: Frame) -> Result<Vec<Step>, Astray> {
        while !self.hop(&mut frame)? {}
        Ok(frame.trail)
    }

    /// Takes an ACK by these ports, one a switch, and loses it then unless it has arrived.
    pub fn carry_by(&mut self, mut frame: Frame, ports: &[u8]) -> Result<Frame, Astray> {
        for port in ports {
            if self.hop_by(&mut frame, *port)? {
                break;
            }
        }
        Ok(frame)
    }

    fn op(&self, switch: usize) -> Op {
        Op { now: self.now, settings: self.settings[switch], ..Op::default() }
    }

    fn name(&self, switch: usize) -> String {
        self.topology.switches()[switch].clone()
    }
}
