//! Statistics of each EV, as 001 compares REPS with them (section 4.1): packets go round all paths, past those that feedback
//! penalised.
//!
//! The algorithm is that of the public Ultra Ethernet simulator model (class `UecMpBitmap`). A path is the low bits of the EV.
//! Paths are taken in the order of [`crate::ops`], `permuted`: the path at place `index` of a round is `index` xor x, and the end
//! of a round draws the next x. Each path has a counter. Feedback that is bad raises it, and a send that meets it above 0 goes on to
//! the next place. Such a send lowers the first counter that it meets, and no other. If it has met more counters above 0 than there
//! are paths, it takes the path that it stands at. A good ACK forgives nothing.
//!
//! # How often a send draws
//! A draw is one step of the generator. A connection's first send draws the upper bits of its EVs together with the first x. Each end
//! of a round draws an x, when the place behind the last one is asked for: within the search, or behind the send's own place.
//! A send goes through `paths + 1` places at most, so it draws twice at most: a first send with its word and one end of a round,
//! a later one with two ends, if it begins at the last place of a round and goes once round everything.
//!
//! # What the sources leave open
//! - P is at most the size of the EV set. Of feedback the low bits of the EV count, whether it is of the set or not.
//! - A NACK counts 4 as for a packet trimmed on its way. If its last hop trimmed it, the path was not to blame, and the caller gives
//!   an ACK with its mark instead.
//! - The simulator's model does not know the EV of a timeout and penalises path 0 for it. Here a timeout is ignored, or its own EV
//!   penalised, as in the simulator that 001 was evaluated with.

use crate::rng::Rng;
use crate::selector::{self, Class, Op, OpKind, Outcome, Selector, SendKind, SpoiltWord};

/// Most paths of a connection.
pub const MOST_PATHS: usize = 256;
/// Highest value of a counter, where it stays.
pub const MOST_PENALTY: u8 = 15;
/// What a marked ACK adds to a counter.
pub const MARK_PENALTY: u8 = 1;
/// What a NACK adds to a counter.
pub const NACK_PENALTY: u8 = 4;
/// What a timeout adds to a counter under [`TimeoutRule::Ev`].
pub const TIMEOUT_PENALTY: u8 = 15;
/// Counters that are looked at together.
pub const WORD_COUNTERS: u16 = 16;

/// What a timeout does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeoutRule {
    /// Nothing.
    Ignore,
    /// It penalises the path of the lost packet, whose EV the op has.
    Ev,
}

/// The selector's own keys of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Paths of a round, each with a counter: a power of two, 2..=256, and at most `1 << ev_bits`.
    pub paths: u16,
    pub timeout: TimeoutRule,
}

/// The engine's configuration.
pub type Params = selector::Params<Keys>;

/// Event: feedback raised a counter. A counter that already stands at its highest value is not raised.
pub const PATH_PENALISED: u8 = 1 << 0;
/// Event: a send lowered a counter, that of the first path in its search, and went on behind it.
pub const PATH_FORGIVEN: u8 = 1 << 1;
/// Event: a send met more counters above 0 than there are paths, and took the path of the last one.
pub const GAVE_UP: u8 = 1 << 2;

/// The ports of the events, also of [`crate::mixed`].
pub(crate) const EVENTS: &[&str] = &["path_penalised", "path_forgiven", "gave_up"];

/// Index of the class of feedback, also of [`crate::mixed`].
pub(crate) const FEEDBACK: u8 = 1;
/// Index of the class of a send.
pub const SEND: u8 = 2;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// A packet took the next place of a round since `Init`.
    pub drawn: bool,
    /// Place in the round where the next search begins, 0..paths.
    pub index: u8,
    /// The order of the round, 0..paths.
    pub x: u8,
    /// The bits of every EV of the connection above those of the path, at their place.
    pub upper: u16,
    /// The counter of each path, 0..=15; those from `paths` on are unused.
    pub counters: [u8; MOST_PATHS],
    /// Words of counters that feedback was of since `Init`, a bit each; the others are 0.
    pub heard: u16,
}

impl Default for Connection {
    fn default() -> Self {
        Connection { drawn: false, index: 0, x: 0, upper: 0, counters: [0; MOST_PATHS], heard: 0 }
    }
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Bitmap;

impl Selector for Bitmap {
    const NAME: &'static str = "bitmap";
    const SETTINGS: &'static [&'static str] = &[];
    const EVENTS: &'static [&'static str] = EVENTS;
    /// `send` counts the words of counters that were looked at: that of the first path, and one more whenever the search goes into
    /// another word, or begins a new round, be it in the same word.
    const CLASSES: &'static [&'static str] = &["idle", "feedback", "send"];
    type Keys = Keys;
    type Connection = Connection;

    fn check(params: &Params) {
        check_paths(params.keys.paths, params.ev_bits);
    }

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        let Keys { paths, timeout } = params.keys;
        if op.kind == OpKind::Send {
            return connection.send(paths, SEND, || params.draw(rng));
        }
        connection.hear(paths, timeout, op)
    }
}

/// Panics on a number of paths that no configuration has.
pub(crate) fn check_paths(paths: u16, ev_bits: u8) {
    let most = MOST_PATHS.min(1 << ev_bits);
    assert!(
        paths.is_power_of_two() && (2..=most).contains(&paths.into()),
        "paths must be a power of two, 2..={most}, not {paths}"
    );
}

impl Connection {
    /// `UecMpBitmap::processEv`: any op but a send.
    pub(crate) fn hear(&mut self, paths: u16, timeout: TimeoutRule, op: &Op) -> Outcome {
        self.hear_spoilt(paths, timeout, op, None).0
    }

    /// The same beside a word of counters that is spoilt, and whether the op finds it.
    pub fn hear_spoilt(
        &mut self,
        paths: u16,
        timeout: TimeoutRule,
        op: &Op,
        spoilt: Option<SpoiltWord>,
    ) -> (Outcome, bool) {
        let penalty = match (op.kind, timeout) {
            (OpKind::Ack, _) => u8::from(op.ecn) * MARK_PENALTY,
            (OpKind::Nack, _) => NACK_PENALTY,
            (OpKind::Timeout, TimeoutRule::Ev) => TIMEOUT_PENALTY,
            _ => return (Outcome::default(), false),
        };
        let word = op.ev % paths / WORD_COUNTERS;
        let is_found = self.finds(spoilt, word, 0);
        self.heard |= 1 << word;
        let counter = &mut self.counters[usize::from(op.ev % paths)];
        let before = if is_found { 0 } else { *counter };
        *counter = MOST_PENALTY.min(before + penalty);
        let outcome = Outcome {
            result: None,
            events: if *counter > before { PATH_PENALISED } else { 0 },
            class: Class { index: FEEDBACK, counts: [0; 2] },
        };
        (outcome, is_found)
    }

    /// `UecMpBitmap::nextEntropy`: a send that searches; `class` is the index of its class.
    pub(crate) fn send(&mut self, paths: u16, class: u8, draw: impl FnMut() -> u16) -> Outcome {
        self.send_spoilt(paths, class, None, draw).0
    }

    /// The same beside a word of counters that is spoilt, and whether the op finds it.
    #[inline(always)]
    pub fn send_spoilt(
        &mut self,
        paths: u16,
        class: u8,
        spoilt: Option<SpoiltWord>,
        mut draw: impl FnMut() -> u16,
    ) -> (Outcome, bool) {
        let last = paths - 1; // the highest index, and the mask of a path's bits
        if !self.drawn {
            let ev = draw();
            (self.drawn, self.index, self.x, self.upper) = (true, 0, (ev & last) as u8, ev & !last);
        }
        let (mut events, mut words, mut met) = (0, 1, 0);
        let is_found = |connection: &Connection, words: u8| {
            connection.finds(spoilt, connection.path() as u16 / WORD_COUNTERS, words - 1)
        };
        while self.counters[self.path()] > 0 && !is_found(self, words) {
            if met == 0 {
                self.counters[self.path()] -= 1;
                events |= PATH_FORGIVEN;
            }
            met += 1;
            if met > paths {
                events |= GAVE_UP;
                break;
            }
            let word = self.path() / usize::from(WORD_COUNTERS);
            self.step(last, &mut draw);
            words += u8::from(self.path() / usize::from(WORD_COUNTERS) != word || self.index == 0);
        }
        let mut outcome = Outcome::sent(SendKind::Explore, self.upper | self.path() as u16);
        outcome.events = events;
        outcome.class = Class { index: class, counts: [words, 0] };
        let is_found = is_found(self, words);
        self.step(last, &mut draw);
        (outcome, is_found)
    }

    /// Whether an op that looks at a word of counters, as so many before, finds it spoilt: if anything was ever written to it.
    fn finds(&self, spoilt: Option<SpoiltWord>, word: u16, before: u8) -> bool {
        spoilt
            .is_some_and(|spoilt| self.heard >> word & 1 == 1 && spoilt.is_found(word.into(), before.into()))
    }

    /// The path of the present place.
    fn path(&self) -> usize {
        usize::from(self.index ^ self.x)
    }

    /// To the next place, and into the next round behind the last one.
    fn step(&mut self, last: u16, draw: &mut impl FnMut() -> u16) {
        if u16::from(self.index) < last {
            self.index += 1;
        } else {
            self.index = 0;
            self.x = (draw() & last) as u8;
        }
    }
}
