//! What all path selectors share: ops, what they show outside, and the engine that keeps the connections.
//!
//! A selector chooses the EV of each packet that a connection sends. It says by [`Selector`] what its connections
//! remember and what an op does to one of them; [`Engine`] holds the connections and the random generator that they
//! share, and executes one op after the other.

use std::fmt::Debug;

use crate::rng::Rng;

/// The configuration of a selector's engine, and the value of its port `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params<Keys> {
    /// Connections that share the engine, 1..=16384.
    pub connections: u32,
    /// First EV of the EV set, a multiple of its size.
    pub ev_base: u16,
    /// The EV set has `1 << ev_bits` EVs, 1..=16, but where the selector says otherwise: [`Selector::ev_set_bits`].
    pub ev_bits: u8,
    /// Width of times, 1..=32; times are taken modulo `1 << time_bits`.
    pub time_bits: u8,
    /// Seed of the random generator.
    pub seed: u16,
    /// The selector's own keys of the configuration.
    pub keys: Keys,
}

impl<Keys> Params<Keys> {
    /// Draws an EV: one step of the generator, its word taken modulo the size of the EV set, from `ev_base` on.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Rng) -> u16 {
        self.ev_base | (u32::from(rng.step()) % (1 << self.ev_bits)) as u16
    }

    /// The EV of the latest draw, or of the word that the seed left behind.
    pub fn latest(&self, rng: &Rng) -> u16 {
        self.ev_base | (u32::from(rng.latest()) % (1 << self.ev_bits)) as u16
    }

    /// Ticks from `then` to `now`, modulo `2^time_bits` and without sign.
    #[inline(always)]
    pub fn elapsed(&self, then: u32, now: u32) -> u32 {
        now.wrapping_sub(then) & (u32::MAX >> (32 - self.time_bits))
    }

    fn check_ranges(&self) {
        let Params { connections, ev_bits, time_bits, .. } = *self;
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        assert!((1..=16).contains(&ev_bits), "ev_bits must be 1..=16, not {ev_bits}");
        assert!((1..=32).contains(&time_bits), "time_bits must be 1..=32, not {time_bits}");
    }

    fn check_base(&self, ev_set_bits: u32) {
        let ev_base = self.ev_base;
        assert!(
            u32::from(ev_base) % (1 << ev_set_bits) == 0,
            "ev_base {ev_base} is not a multiple of 2^{ev_set_bits}"
        );
    }
}

/// What an op does; the discriminants are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A data packet asks for its EV.
    #[default]
    Send,
    /// An ACK arrived.
    Ack,
    /// A packet was reported as trimmed, or was sent back.
    Nack,
    /// A packet is held for lost.
    Timeout,
    /// The connection starts anew.
    Init,
    /// Codes 5 to 7: no result, no change.
    Reserved,
}

impl OpKind {
    /// From the port `op_kind`, 3 bits; every code above 4 is `Reserved`.
    #[inline]
    pub const fn from_code(code: u8) -> Self {
        match code {
            0 => OpKind::Send,
            1 => OpKind::Ack,
            2 => OpKind::Nack,
            3 => OpKind::Timeout,
            4 => OpKind::Init,
            _ => OpKind::Reserved,
        }
    }

    /// The code on the port `op_kind`; 5 for `Reserved`.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// One op with everything that is sampled with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// 0..connections.
    pub conn: u16,
    /// Of an ACK or a NACK: the EV that it returns. Of a timeout: the lost packet's, where the selector asks for it.
    pub ev: u16,
    /// Of an ACK: its data packet was CE-marked.
    pub ecn: bool,
    /// Time in the caller's ticks.
    pub now: u32,
    /// Run-time settings, in the order of [`Selector::SETTINGS`], each within the width of its port.
    pub settings: [u32; 4],
    /// The further op field of a selector that has one.
    pub more: u32,
}

/// Where a send's EV came from; the discriminants are the codes of the port `res_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendKind {
    /// Drawn, or the next one of a rotation.
    Explore,
    /// Named by feedback.
    Recycle,
    /// Used before, again.
    Replay,
}

impl SendKind {
    /// The code on the port `res_kind`.
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// Result of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendResult {
    pub kind: SendKind,
    pub ev: u16,
}

/// What the time of an op depends on. The default is that of every op of a pipelined selector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Class {
    /// Index in [`Selector::CLASSES`].
    pub index: u8,
    /// What the class counts, for instance the words that a send looked at; 0 where it counts nothing.
    pub counts: [u8; 2],
}

/// Everything that an op shows outside: the result of a send, the event pulses, and its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Of a send, and of no other op.
    pub result: Option<SendResult>,
    /// Bit `i`: event `i` of [`Selector::EVENTS`] pulses.
    pub events: u8,
    pub class: Class,
}

impl Outcome {
    /// A send's result, without an event.
    #[inline]
    pub const fn sent(kind: SendKind, ev: u16) -> Self {
        Outcome {
            result: Some(SendResult { kind, ev }),
            events: 0,
            class: Class { index: 0, counts: [0; 2] },
        }
    }

    /// Whether the event pulses that `event` is the bit of.
    pub const fn has(&self, event: u8) -> bool {
        self.events & event != 0
    }
}

/// A word of a connection that a search looks at is found spoilt: all in it is 0 to the op that finds it, and the connection is without a
/// past behind that op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpoiltWord {
    /// Its number among those of the connection.
    pub word: u32,
    /// Words that an op looks at before the first that would find it; the same word counts each time.
    pub from: u32,
}

impl SpoiltWord {
    /// Whether an op finds it that looks at a word, as so many before.
    pub fn is_found(&self, word: u32, before: u32) -> bool {
        word == self.word && before >= self.from
    }
}

/// A path selector: an algorithm that chooses the EV of each packet.
///
/// It is a type without fields, which names the algorithm for [`Engine`].
pub trait Selector: Copy + Debug {
    /// The core's name.
    const NAME: &'static str;
    /// The ports whose values are [`Op::settings`], in that order; at most four.
    const SETTINGS: &'static [&'static str];
    /// The ports of the event pulses, from bit 0 of [`Outcome::events`] on; at most four.
    const EVENTS: &'static [&'static str];
    /// Classes of ops by the time that they take. The first is also that of `Init` and of the reserved kinds.
    const CLASSES: &'static [&'static str] = &["op"];
    /// The selector's own keys of the configuration; `()` if it has none.
    type Keys: Copy + Debug;
    /// State of one connection. Its default is a connection without a past.
    type Connection: Copy + Debug + Default + PartialEq;

    /// The EV set has 2 to the power of this many EVs.
    fn ev_set_bits(params: &Params<Self::Keys>) -> u32 {
        params.ev_bits.into()
    }

    /// Panics on keys outside their range, as a checked configuration never has.
    fn check(_params: &Params<Self::Keys>) {}

    /// Executes a send, an ACK, a NACK or a timeout on its connection.
    fn apply(
        params: &Params<Self::Keys>,
        connection: &mut Self::Connection,
        op: &Op,
        rng: &mut Rng,
    ) -> Outcome;

    /// Executes `Init`.
    #[inline(always)]
    fn init(_params: &Params<Self::Keys>, connection: &mut Self::Connection, _op: &Op) -> Outcome {
        *connection = Self::Connection::default();
        Outcome::default()
    }
}

/// A selector's connections and the random generator that they share.
#[derive(Clone, Debug)]
pub struct Engine<S: Selector> {
    params: Params<S::Keys>,
    connections: Vec<S::Connection>,
    rng: Rng,
}

impl<S: Selector> Engine<S> {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params<S::Keys>) -> Self {
        const { assert!(S::SETTINGS.len() <= 4 && S::EVENTS.len() <= 4) };
        params.check_ranges();
        S::check(&params);
        params.check_base(S::ev_set_bits(&params));
        let connections = vec![S::Connection::default(); params.connections as usize];
        Engine { params, connections, rng: Rng::seeded(params.seed, params.connections) }
    }

    /// `rst`: every connection without a past, the generator seeded anew.
    pub fn reset(&mut self) {
        self.connections.fill(S::Connection::default());
        self.rng = Rng::seeded(self.params.seed, self.params.connections);
    }

    /// `rst` with another value at the port `seed`.
    pub fn reset_with_seed(&mut self, seed: u16) {
        self.params.seed = seed;
        self.reset();
    }

    pub fn params(&self) -> &Params<S::Keys> {
        &self.params
    }

    /// State of a connection below `connections`.
    pub fn connection(&self, conn: u16) -> &S::Connection {
        &self.connections[usize::from(conn)]
    }

    /// The random generator that the connections share.
    pub fn generator(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// What was stored of a connection is found spoilt: it is without a past from here on.
    pub fn lose(&mut self, conn: u16) {
        self.connections[usize::from(conn)] = S::Connection::default();
    }

    /// Executes an op by `apply`, which says whether the op finds a word of its connection spoilt: then the connection is without a past
    /// behind it.
    pub fn apply_spoilt(
        &mut self,
        conn: u16,
        apply: impl FnOnce(&Params<S::Keys>, &mut S::Connection, &mut Rng) -> (Outcome, bool),
    ) -> (Outcome, bool) {
        let (outcome, is_found) =
            apply(&self.params, &mut self.connections[usize::from(conn)], &mut self.rng);
        if is_found {
            self.lose(conn);
        }
        (outcome, is_found)
    }

    /// A connection and the random generator as they were once.
    pub fn restore(&mut self, conn: u16, connection: S::Connection, rng: Rng) {
        self.connections[usize::from(conn)] = connection;
        self.rng = rng;
    }

    /// Result of a send whose EV is found spoilt where it was cached: the latest random EV once more, as an explore. No number is drawn.
    pub fn send_without_ev(&self) -> SendResult {
        SendResult { kind: SendKind::Explore, ev: self.params.latest(&self.rng) }
    }

    /// Executes one op. Panics if `op.conn` is not below `connections`.
    #[inline(always)]
    pub fn apply(&mut self, op: &Op) -> Outcome {
        let connection = &mut self.connections[usize::from(op.conn)];
        match op.kind {
            OpKind::Send | OpKind::Ack | OpKind::Nack | OpKind::Timeout => {
                S::apply(&self.params, connection, op, &mut self.rng)
            }
            OpKind::Init => S::init(&self.params, connection, op),
            OpKind::Reserved => Outcome::default(),
        }
    }
}
