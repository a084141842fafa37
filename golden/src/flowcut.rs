//! Flowcut in a NIC: 002 section II-D. A connection keeps its EV while any of its bytes are on their way, and so no packet overtakes
//! another. Where its round-trip times say that the path is congested, it is drained: it sends nothing until all is acknowledged, and
//! then goes on with another EV.
//!
//! # What the paper leaves open, or says twice
//! - It subtracts each ACK's bytes. Here ACKs say how many bytes were received in all, so that the next one repairs a lost one.
//! - It divides the RTT, less what the packet itself takes (`p h t`), by `r_min + p h t`, and calls that at least 1. Only the whole RTT
//!   over that sum is. `op_serial` is `p h t` in ticks, and `rtt_min` the smallest RTT without it.
//! - The weight of the average is not stated, nor its first value: `2^-alpha`, and the first sample or what `Init` gives.
//! - `Variant::Paper` ends a flowcut whenever nothing is on its way (II-A), and forgets the average with it (III-A2).
//!   `Variant::Sticky` is the public simulator model of a NIC: a flowcut ends with a drain, or where it is hot when it empties, and the
//!   average goes on.
//! - A timeout keeps the EV (IV-A) unless `timeout_reroutes` is set, and ends a drain, whose last ACK may be lost.
//! - A packet without payload, a probe, goes by the connection's EV like a retransmission: it does not wait, and no ACK counts it.
//! - Counts have 24 bits, so that less than 2^23 bytes may be on their way for an old ACK to be told from a new one.

use crate::rng::Rng;

/// Most bytes on their way, and one more: half the circle of counts.
pub const HALF_CIRCLE: u32 = 1 << 23;
/// Bits of a count of bytes.
const COUNT_MASK: u32 = (1 << 24) - 1;
/// Classes of paths with a smallest RTT of their own.
pub const CLASSES: usize = 16;

/// When a flowcut ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Whenever nothing is on its way.
    Paper,
    /// After a drain only.
    Sticky,
}

/// The engine's configuration, and the value of its port `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Connections that share the engine, 1..=16384.
    pub connections: u32,
    pub variant: Variant,
    /// Width of times, 1..=24; times are taken modulo `1 << time_bits`.
    pub time_bits: u8,
    /// First EV of the EV set, a multiple of its size.
    pub ev_base: u16,
    /// The EV set has `1 << ev_bits` EVs, 1..=16.
    pub ev_bits: u8,
    /// Seed of the random generator.
    pub seed: u16,
}

/// What an op does; the discriminants are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A data packet asks for its EV.
    #[default]
    Send,
    /// An ACK arrived.
    Ack,
    /// A trimmed packet: changes nothing.
    Nack,
    /// The oldest packet is held for lost.
    Timeout,
    /// The connection starts anew.
    Init,
    /// The smallest RTT of a class is set.
    SetMin,
    /// Codes 6 and 7: change nothing.
    Reserved,
}

impl OpKind {
    /// The kind of a code of the port.
    pub const fn from_code(code: u8) -> Self {
        match code {
            0 => OpKind::Send,
            1 => OpKind::Ack,
            2 => OpKind::Nack,
            3 => OpKind::Timeout,
            4 => OpKind::Init,
            5 => OpKind::SetMin,
            _ => OpKind::Reserved,
        }
    }
}

/// What a driver sets, sampled with each op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// An RTT below this and `serial` is no sample, in ticks.
    pub rtt_floor: u32,
    /// An average above so many halves of the smallest RTT is hot, 0..=63.
    pub ratio: u8,
    /// A sample weighs `2^-alpha`: 1 to 5. Others are taken as the nearest of these.
    pub alpha: u8,
    /// A draining connection sends nothing new.
    pub hold: bool,
    /// A timeout takes the EV away.
    pub timeout_reroutes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { rtt_floor: 0, ratio: 8, alpha: 3, hold: true, timeout_reroutes: false }
    }
}

/// One op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    pub conn: u16,
    /// Send: bytes of payload, 14 bits; none of a packet whose order is not kept.
    pub bytes: u32,
    /// Send: it is a retransmission.
    pub is_retransmission: bool,
    /// ACK, init: bytes received without duplicates, modulo 2^24.
    pub recvd: u32,
    /// ACK: when the packet was sent; init: the first average; set_min: the minimum, in ticks.
    pub timestamp: u32,
    /// ACK, set_min: class of the path, 0..=15.
    pub class: u8,
    /// ACK: ticks of the packet's own serialisation.
    pub serial: u32,
    /// The time in ticks.
    pub now: u32,
    pub settings: Settings,
}

/// Where a send goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// A random EV: a flowcut begins.
    New(u16),
    /// The connection's EV.
    Same(u16),
    /// The packet is not sent.
    Wait,
}

/// What came of an op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Of a send: where it goes, and whether the connection drains.
    pub sent: Option<(Route, bool)>,
    pub drain_started: bool,
    pub drain_done: bool,
    pub drain_given_up: bool,
    /// A new EV, or an init, with bytes on their way.
    pub order_risk: bool,
    pub ack_refused: bool,
}

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// Bytes sent for the first time, modulo 2^24.
    pub sent: u32,
    /// Of these, bytes that the receiver told of.
    pub recvd: u32,
    /// Average RTT in 32nds of a tick.
    pub average: Option<u32>,
    pub draining: bool,
    /// It has an EV.
    pub placed: bool,
    pub ev: u16,
}

impl Connection {
    /// Bytes on their way.
    pub const fn in_flight(&self) -> u32 {
        self.sent.wrapping_sub(self.recvd) & COUNT_MASK
    }
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Engine {
    params: Params,
    connections: Vec<Connection>,
    rtt_min: [u32; CLASSES],
    rng: Rng,
}

impl Engine {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let Params { connections, time_bits, ev_base, ev_bits, seed, .. } = params;
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        assert!((1..=24).contains(&time_bits), "time_bits must be 1..=24, not {time_bits}");
        assert!((1..=16).contains(&ev_bits), "ev_bits must be 1..=16, not {ev_bits}");
        assert!(
            u32::from(ev_base) % (1 << ev_bits) == 0,
            "ev_base {ev_base} is not a multiple of 2^{ev_bits}"
        );
        Engine {
            params,
            connections: vec![Connection::default(); connections as usize],
            rtt_min: [time_mask(params); CLASSES],
            rng: Rng::seeded(seed, connections),
        }
    }

    /// `rst`, with this value at the port `seed`.
    pub fn reset(&mut self, seed: u16) {
        self.params.seed = seed;
        self.connections.fill(Connection::default());
        self.rtt_min = [time_mask(self.params); CLASSES];
        self.rng = Rng::seeded(seed, self.params.connections);
    }

    /// State of a connection below `connections`.
    pub fn connection(&self, conn: u16) -> &Connection {
        &self.connections[usize::from(conn)]
    }

    /// The smallest RTT of each class, in ticks, without the packets' own serialisation.
    pub fn rtt_min(&self) -> &[u32; CLASSES] {
        &self.rtt_min
    }

    /// The random generator that the connections share.
    pub fn generator(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Executes one op. Panics if `op.conn` is not below `connections`, or `op.class` not below 16.
    pub fn apply(&mut self, op: &Op) -> Outcome {
        match op.kind {
            OpKind::Send => self.send(op),
            OpKind::Ack => self.ack(op),
            OpKind::Timeout => self.timeout(op),
            OpKind::Init => self.init(op),
            OpKind::SetMin => {
                self.rtt_min[usize::from(op.class)] = op.timestamp;
                Outcome::default()
            }
            OpKind::Nack | OpKind::Reserved => Outcome::default(),
        }
    }

    fn send(&mut self, op: &Op) -> Outcome {
        let Params { variant, ev_base, ev_bits, .. } = self.params;
        let c = &mut self.connections[usize::from(op.conn)];
        let draining = c.draining;
        let sent = |route| Outcome { sent: Some((route, draining)), ..Outcome::default() };
        let in_flight = c.in_flight();
        // a packet without payload is never on its way
        let is_uncounted = op.is_retransmission || op.bytes == 0;
        if is_uncounted && c.placed {
            return sent(Route::Same(c.ev));
        }
        if !is_uncounted && (draining && op.settings.hold || in_flight + op.bytes >= HALF_CIRCLE) {
            return sent(Route::Wait);
        }
        let is_new = !c.placed || variant == Variant::Paper && in_flight == 0;
        if is_new {
            c.ev = ev_base | (u32::from(self.rng.step()) % (1 << ev_bits)) as u16;
            c.placed = true;
            if variant == Variant::Paper {
                c.average = None;
            }
        }
        if !is_uncounted {
            c.sent = (c.sent + op.bytes) & COUNT_MASK;
        }
        match is_new {
            true => Outcome { order_risk: in_flight != 0, ..sent(Route::New(c.ev)) },
            false => sent(Route::Same(c.ev)),
        }
    }

    fn ack(&mut self, op: &Op) -> Outcome {
        let mask = time_mask(self.params);
        let c = &mut self.connections[usize::from(op.conn)];
        let bytes = op.recvd.wrapping_sub(c.recvd) & COUNT_MASK;
        if bytes == 0 || bytes > c.in_flight() {
            return Outcome { ack_refused: true, ..Outcome::default() };
        }
        c.recvd = op.recvd;
        let rtt = op.now.wrapping_sub(op.timestamp) & mask;
        let rtt_min = &mut self.rtt_min[usize::from(op.class)];
        if rtt >= op.settings.rtt_floor + op.serial {
            *rtt_min = (*rtt_min).min(rtt - op.serial);
            c.average = Some(match c.average {
                Some(average) => {
                    let change = (32 * i64::from(rtt) - i64::from(average)) >> op.settings.alpha.clamp(1, 5);
                    (i64::from(average) + change) as u32
                }
                None => 32 * rtt,
            });
        }
        let limit = 32 * u64::from(op.settings.ratio) * u64::from(*rtt_min + op.serial);
        let is_hot = c.average.is_some_and(|average| 2 * u64::from(average) > limit);
        let mut outcome = Outcome::default();
        if c.recvd == c.sent {
            outcome.drain_done = c.draining;
            if c.draining || self.params.variant == Variant::Sticky && is_hot {
                c.placed = false;
            }
            c.draining = false;
        } else if is_hot && !c.draining {
            outcome.drain_started = true;
            c.draining = true;
        }
        outcome
    }

    fn timeout(&mut self, op: &Op) -> Outcome {
        let c = &mut self.connections[usize::from(op.conn)];
        let outcome = Outcome { drain_given_up: c.draining, ..Outcome::default() };
        c.draining = false;
        if op.settings.timeout_reroutes && c.in_flight() != 0 {
            c.placed = false;
        }
        outcome
    }

    fn init(&mut self, op: &Op) -> Outcome {
        let c = &mut self.connections[usize::from(op.conn)];
        let outcome = Outcome { order_risk: c.in_flight() != 0, ..Outcome::default() };
        let average = (op.timestamp != 0).then_some(32 * op.timestamp);
        *c = Connection { sent: op.recvd, recvd: op.recvd, average, ..Connection::default() };
        outcome
    }
}

const fn time_mask(params: Params) -> u32 {
    (1 << params.time_bits) - 1
}
