//! Flowcut in the switch that the sending hosts are connected to: 002 sections II-A to C. A flow keeps its uplink while any of its bytes
//! are on their way, and the first packet after that takes the least loaded one. Where its round-trip times say that the path is
//! congested, the host is asked to pause (XOFF) until all is acknowledged (XON).
//!
//! # What the paper leaves open, or says twice
//! - It keeps flows in a CAM, and does not say what happens when that is full. Here flows share buckets at {input port, hash}, without
//!   a tag: a bucket's port changes only when none of its flows has a byte on its way, and so sharing costs choice, never order.
//! - An ACK that is late subtracts from whatever flowcut the flow is in by then. Here each flowcut has an epoch of 4 bits, which goes
//!   with the packet and comes back with its ACK, and an ACK of another epoch is refused.
//! - A lost packet or a lost ACK leaves its bytes on their way for ever. Here a walker visits all buckets in turn: one that was silent
//!   for `entry_timeout` is emptied, and one that is in use for `drain_after` times 16 ticks is drained, so that it falls silent.
//! - 3 bytes hold the bytes on their way. A bucket with 2^24 and more of them is saturated: what is on its way is not known any more, it
//!   is drained at its next ACK, and only the walker empties it.
//! - "Least loaded" is by what `Load` says of the egress queues, of all uplinks that are up or of two random ones, and ties are broken
//!   at random: otherwise the idle ports herd on the lowest. Each data packet takes one step of the generator, whether it needs it or
//!   not.
//! - The paper does not say what happens when a port goes down. A bucket that is on its way through it takes another, and says so with
//!   `order_risk`.
//! - RTTs, their average and what is hot: as in [`flowcut`](crate::flowcut), with times of 16 bits.

use crate::rng::Rng;

/// Classes of paths with a smallest RTT of their own.
pub const CLASSES: usize = 16;
/// Most bytes that a bucket counts; a saturated bucket stays there.
pub const MOST_IN_FLIGHT: u32 = (1 << 24) - 1;
/// Epochs of a bucket.
pub const EPOCHS: u8 = 16;
/// Times are taken modulo this, plus one.
const TIME_MASK: u32 = 0xffff;
/// Bits of a data op's `bytes` that count.
const DATA_BYTES_MASK: u32 = (1 << 14) - 1;
/// Oldest age of a bucket.
const OLDEST: u8 = 15;

/// Among which uplinks the least loaded is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pick {
    /// All that are up.
    All,
    /// Two random ones of those that are up, which may be one and the same.
    Two,
}

/// The engine's configuration, and the value of its port `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Buckets, 1..=16384.
    pub buckets: u32,
    /// Uplinks, a power of two, 2..=64.
    pub uplinks: u32,
    pub pick: Pick,
    /// Seed of the random generator.
    pub seed: u16,
}

/// What an op does; the discriminants of the first four are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A data packet of a host asks for its uplink.
    #[default]
    Data,
    /// An ACK for a host arrived.
    Ack,
    /// The fill of an uplink's queue is set.
    Load,
    /// The smallest RTT of a class is set.
    SetMin,
    /// The walker comes to a bucket: 0, 1, ... from reset on, cyclically. Not on the port.
    Visit,
}

impl OpKind {
    /// The kind of a code of the port, of which two bits count.
    pub const fn from_code(code: u8) -> Self {
        match code & 3 {
            0 => OpKind::Data,
            1 => OpKind::Ack,
            2 => OpKind::Load,
            _ => OpKind::SetMin,
        }
    }
}

/// What a driver sets, sampled with each op and with each visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// An RTT below this and `serial` is no sample, in ticks, 16 bits.
    pub rtt_floor: u32,
    /// An average above so many halves of the smallest RTT is hot, 0..=63.
    pub ratio: u8,
    /// A sample weighs `2^-alpha`: 1 to 5. Others are taken as the nearest of these.
    pub alpha: u8,
    /// A bucket silent for more ticks of `clock` is emptied.
    pub entry_timeout: u8,
    /// A flowcut of that age, in 16 ticks of `clock`, is drained: 1 to 15, 0 for never.
    pub drain_after: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { rtt_floor: 0, ratio: 8, alpha: 3, entry_timeout: 64, drain_after: 8 }
    }
}

/// One op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// Data, ACK, visit: the bucket, {input port, hash}.
    pub bucket: u16,
    /// Data: bytes of the frame, 1..=16383, of which the low 14 bits count; ACK: bytes acknowledged, 24 bits.
    pub bytes: u32,
    /// Data: the uplinks that are up, bit `i` for uplink `i`.
    pub up: u64,
    /// ACK: the epoch of the acknowledged packets, 0..=15.
    pub epoch: u8,
    /// ACK: when the packet was sent; set_min: the minimum, in ticks, 16 bits.
    pub timestamp: u32,
    /// ACK, set_min: class of the path, 0..=15.
    pub class: u8,
    /// ACK: ticks of the packet's own serialisation, 16 bits.
    pub serial: u32,
    /// Load: the uplink.
    pub port: u8,
    /// Load: fill of its egress queue, in the caller's units.
    pub load: u8,
    /// The time in ticks, 16 bits.
    pub now: u32,
    /// The slow time by which buckets grow old.
    pub clock: u8,
    pub settings: Settings,
}

/// Where a data packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// The least loaded uplink: a flowcut begins.
    New(u8),
    /// The bucket's uplink.
    Same(u8),
    /// The least loaded uplink, because the bucket's own is down, with bytes on their way.
    Forced(u8),
    /// No uplink is up.
    NoRoute,
}

impl Route {
    /// The uplink, if there is one.
    pub const fn port(self) -> Option<u8> {
        match self {
            Route::New(port) | Route::Same(port) | Route::Forced(port) => Some(port),
            Route::NoRoute => None,
        }
    }
}

/// What came of an op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Of a data packet: where it goes.
    pub sent: Option<Route>,
    /// Of a data packet with a route: the epoch that goes with it.
    pub epoch: u8,
    /// Of a data packet with a route: its bucket drains, and its host should have paused.
    pub draining: bool,
    /// The host is to pause the bucket's flows.
    pub xoff: bool,
    /// It may go on.
    pub xon: bool,
    /// A silent bucket was emptied.
    pub entry_cleared: bool,
    /// Another uplink with bytes on their way.
    pub order_risk: bool,
    pub ack_refused: bool,
}

/// State of one bucket, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Bytes on their way, 0..=[`MOST_IN_FLIGHT`].
    pub in_flight: u32,
    /// Uplink of the flowcut.
    pub port: u8,
    /// Number of the flowcut, modulo [`EPOCHS`].
    pub epoch: u8,
    /// Average RTT in 32nds of a tick.
    pub average: Option<u32>,
    pub draining: bool,
    /// More were on their way than the count holds.
    pub saturated: bool,
    /// `clock` at the last packet, or ACK that was not refused.
    pub heard: u8,
    /// Age of the flowcut in 16 ticks of `clock`, 0..=15.
    pub age: u8,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Engine {
    params: Params,
    buckets: Vec<Bucket>,
    rtt_min: [u32; CLASSES],
    loads: Vec<u8>,
    rng: Rng,
    /// `clock / 16` at the start of the walker's round.
    last: u8,
    /// Buckets grow older in this round.
    aging: bool,
}

impl Engine {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let Params { buckets, uplinks, seed, .. } = params;
        assert!((1..=16384).contains(&buckets), "buckets must be 1..=16384, not {buckets}");
        assert!(
            uplinks.is_power_of_two() && (2..=64).contains(&uplinks),
            "uplinks must be a power of two in 2..=64, not {uplinks}"
        );
        Engine {
            params,
            buckets: vec![Bucket::default(); buckets as usize],
            rtt_min: [TIME_MASK; CLASSES],
            loads: vec![0; uplinks as usize],
            rng: Rng::seeded(seed, buckets),
            last: 0,
            aging: false,
        }
    }

    /// `rst`, with this value at the port `seed`.
    pub fn reset(&mut self, seed: u16) {
        self.params.seed = seed;
        self.buckets.fill(Bucket::default());
        self.rtt_min = [TIME_MASK; CLASSES];
        self.loads.fill(0);
        self.rng = Rng::seeded(seed, self.params.buckets);
        (self.last, self.aging) = (0, false);
    }

    /// State of a bucket below `buckets`.
    pub fn bucket(&self, bucket: u16) -> &Bucket {
        &self.buckets[usize::from(bucket)]
    }

    /// The smallest RTT of each class, in ticks, without the packets' own serialisation.
    pub fn rtt_min(&self) -> &[u32; CLASSES] {
        &self.rtt_min
    }

    /// Fill of each uplink's egress queue.
    pub fn loads(&self) -> &[u8] {
        &self.loads
    }

    /// Executes one op. Panics if `op.bucket` is not below `buckets`, `op.port` not below `uplinks`, or `op.class` not below 16,
    /// where the op has that field.
    pub fn apply(&mut self, op: &Op) -> Outcome {
        match op.kind {
            OpKind::Data => self.data(op),
            OpKind::Ack => self.ack(op),
            OpKind::Load => {
                self.loads[usize::from(op.port)] = op.load;
                Outcome::default()
            }
            OpKind::SetMin => {
                self.rtt_min[usize::from(op.class)] = op.timestamp & TIME_MASK;
                Outcome::default()
            }
            OpKind::Visit => self.visit(op),
        }
    }

    fn data(&mut self, op: &Op) -> Outcome {
        let up = op.up & (u64::MAX >> (64 - self.params.uplinks));
        let word = self.rng.step();
        if up == 0 {
            return Outcome { sent: Some(Route::NoRoute), ..Outcome::default() };
        }
        let mut b = self.buckets[usize::from(op.bucket)];
        let route = if b.in_flight == 0 {
            b.port = self.least(up, word);
            b.epoch = (b.epoch + 1) % EPOCHS;
            b.average = None;
            b.age = 0;
            Route::New(b.port)
        } else if up >> b.port & 1 == 0 {
            b.port = self.least(up, word);
            b.average = None;
            Route::Forced(b.port)
        } else {
            Route::Same(b.port)
        };
        let in_flight = b.in_flight + (op.bytes & DATA_BYTES_MASK);
        b.saturated |= in_flight > MOST_IN_FLIGHT;
        b.in_flight = if b.saturated { MOST_IN_FLIGHT } else { in_flight };
        b.heard = op.clock;
        self.buckets[usize::from(op.bucket)] = b;
        Outcome {
            sent: Some(route),
            epoch: b.epoch,
            draining: b.draining,
            order_risk: matches!(route, Route::Forced(_)),
            ..Outcome::default()
        }
    }

    fn ack(&mut self, op: &Op) -> Outcome {
        let b = &mut self.buckets[usize::from(op.bucket)];
        let is_too_much = op.bytes > b.in_flight && !b.saturated;
        if b.in_flight == 0 || op.epoch != b.epoch || is_too_much {
            return Outcome { ack_refused: true, ..Outcome::default() };
        }
        b.heard = op.clock;
        let rtt = op.now.wrapping_sub(op.timestamp) & TIME_MASK;
        let rtt_min = &mut self.rtt_min[usize::from(op.class)];
        if rtt >= op.settings.rtt_floor + op.serial {
            *rtt_min = (*rtt_min).min(rtt - op.serial);
            b.average = Some(match b.average {
                Some(average) => {
                    let change = (32 * i64::from(rtt) - i64::from(average)) >> op.settings.alpha.clamp(1, 5);
                    (i64::from(average) + change) as u32
                }
                None => 32 * rtt,
            });
        }
        let limit = 32 * u64::from(op.settings.ratio) * u64::from(*rtt_min + op.serial);
        let is_hot = b.average.is_some_and(|average| 2 * u64::from(average) > limit);
        if !b.saturated {
            b.in_flight -= op.bytes;
        }
        let mut outcome = Outcome::default();
        if b.in_flight == 0 {
            outcome.xon = b.draining;
            b.draining = false;
        } else if (is_hot || b.saturated) && !b.draining {
            outcome.xoff = true;
            b.draining = true;
        }
        outcome
    }

    fn visit(&mut self, op: &Op) -> Outcome {
        if op.bucket == 0 {
            let sixteenths = op.clock >> 4;
            self.aging = sixteenths != self.last;
            self.last = sixteenths;
        }
        let b = &mut self.buckets[usize::from(op.bucket)];
        let mut outcome = Outcome::default();
        if b.in_flight == 0 {
            return outcome;
        }
        if op.clock.wrapping_sub(b.heard) > op.settings.entry_timeout {
            outcome.xon = b.draining;
            outcome.entry_cleared = true;
            b.in_flight = 0;
            (b.draining, b.saturated) = (false, false);
        } else if self.aging {
            b.age = (b.age + 1).min(OLDEST);
            let Settings { drain_after, .. } = op.settings;
            if drain_after != 0 && b.age == drain_after && !b.draining {
                outcome.xoff = true;
                b.draining = true;
            }
        }
        outcome
    }

    /// The least loaded of the uplinks in `up`, of which there is one at least, by this random word.
    fn least(&self, up: u64, word: u16) -> u8 {
        let place = |bits: u16| u32::from(bits) % self.params.uplinks;
        match self.params.pick {
            Pick::All => {
                let (mut least, mut ties, mut left) = (u8::MAX, 0, up);
                while left != 0 {
                    let load = self.loads[left.trailing_zeros() as usize];
                    let port = left & left.wrapping_neg();
                    if load < least {
                        (least, ties) = (load, 0);
                    }
                    if load == least {
                        ties |= port;
                    }
                    left ^= port;
                }
                first(ties, place(word))
            }
            Pick::Two => {
                let (a, b) = (first(up, place(word & 0xff)), first(up, place(word >> 8)));
                if self.loads[usize::from(b)] < self.loads[usize::from(a)] { b } else { a }
            }
        }
    }
}

/// The first of `members` at or after `place`, going round.
const fn first(members: u64, place: u32) -> u8 {
    let behind = members >> place << place;
    (if behind != 0 { behind } else { members }).trailing_zeros() as u8
}
