//! STrack's adaptive load balancing: 004 section 3.1 and Algorithm 3 (`A3:20` is its line 20).
//!
//! A connection keeps a mark for each of its paths and one path that an ACK named as good. A send takes the named path if there is
//! one, and else goes round robin among as many paths as twice its window, past those that are marked. It forgives one mark at
//! most. A path is an EV: `ev_base` and the path's number.
//!
//! # Where the paper contradicts itself
//! - A3:5 and A3:8 write 0 for a marked path and 1 for a good one, while A3:1, A3:20 and the text read 1 as marked. Here 1 is marked,
//!   for otherwise a connection would seek the paths that are congested.
//! - A3:12 takes `next_path_id > 0` for valid, which never holds for path 0. Here a bit of its own says so.
//! - Section 1 resets the bitmap after one or two round-trip times. Algorithm 3 has no reset, so there is none here: marks go one by
//!   one, by an unmarked ACK or by a send (A3:21-24).
//!
//! # What the paper leaves open
//! - A NACK marks its path as a marked ACK does. EVs outside the set and timeouts change nothing.
//! - Of the ACKs between two sends only the last one counts, being in one register: a marked one discards the path that was named
//!   before (A3:4), a good one replaces it (A3:7).
//! - The window of A3:17 is in whole packets.
//! - `rr` may lie far above the number of paths after the window fell; A3:19 and A3:25 are true remainders. Marks beyond the number
//!   of paths stay as they are.

use crate::rng::Rng;
use crate::selector::{self, Class, Op, OpKind, Outcome, Selector, SendKind, SpoiltWord};

/// Most paths of a connection: `max_paths` of A3:1.
pub const MOST_PATHS: usize = 256;
/// Fewest paths that a send chooses among: A3:18.
pub const LEAST_CHOICE: u16 = 8;
/// Marks that are looked at together.
pub const WORD_BITS: u16 = 32;

/// The selector's own keys of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Paths of a connection: a power of two, 2..=256. `ev_base` is a multiple of it.
    pub paths: u16,
}

/// The engine's configuration. The EV set has `keys.paths` EVs, whatever `ev_bits` says.
pub type Params = selector::Params<Keys>;

/// Event: an ACK or a NACK marked a path that was not.
pub const PATH_MARKED: u8 = 1 << 0;
/// Event: an ACK took the mark from a path.
pub const PATH_UNMARKED: u8 = 1 << 1;
/// Event: a send took the mark from a path, and went on to another one if there was any.
pub const MARK_FORGIVEN: u8 = 1 << 2;
/// Event: a send found every path marked that it chooses among, and took the one that it had forgiven.
pub const ALL_MARKED: u8 = 1 << 3;

const FEEDBACK: u8 = 1;
const SEND_RECYCLE: u8 = 2;
const SEND_SEARCH: u8 = 3;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// Path of the latest send, 0..paths.
    pub rr: u8,
    /// Path that the latest ACK named as good: `next_path_id`.
    pub next: u8,
    /// No send took `next` yet.
    pub has_next: bool,
    /// Bit `p % 32` of word `p / 32`: path `p` is marked.
    pub marks: [u32; MOST_PATHS / WORD_BITS as usize],
    /// Words of marks that feedback was of since `Init`, a bit each; the others are 0.
    pub heard: u8,
}

/// The selector. A send's [`Op::more`] is the window in whole packets, 12 bits.
#[derive(Clone, Copy, Debug)]
pub struct Strack;

impl Selector for Strack {
    const NAME: &'static str = "strack";
    const SETTINGS: &'static [&'static str] = &[];
    const EVENTS: &'static [&'static str] = &["path_marked", "path_unmarked", "mark_forgiven", "all_marked"];
    /// `send_search` counts the words of marks that were looked at, and 1 if `rr` lay beyond the paths that the send chooses
    /// among, so that a remainder has to be made. The first word is that of the first path. One more is counted whenever the search
    /// enters another word, and when it begins anew at path 0, be it in the same word.
    const CLASSES: &'static [&'static str] = &["idle", "feedback", "send_recycle", "send_search"];
    type Keys = Keys;
    type Connection = Connection;

    fn ev_set_bits(params: &Params) -> u32 {
        u32::from(params.keys.paths).ilog2()
    }

    fn check(params: &Params) {
        let paths = params.keys.paths;
        assert!(
            paths.is_power_of_two() && (2..=256).contains(&paths),
            "paths must be a power of two, 2..=256, not {paths}"
        );
    }

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, _: &mut Rng) -> Outcome {
        match op.kind {
            OpKind::Ack => connection.update_ecn_bitmap(params, op.ecn, op.ev),
            OpKind::Nack => connection.update_ecn_bitmap(params, true, op.ev),
            OpKind::Send => connection.choose_path(params, op.more),
            OpKind::Timeout | OpKind::Init | OpKind::Reserved => Outcome::default(),
        }
    }
}

impl Connection {
    /// Whether a path below [`MOST_PATHS`] is marked.
    pub fn is_marked(&self, path: u8) -> bool {
        let path = u16::from(path);
        self.marks[usize::from(path / WORD_BITS)] >> (path % WORD_BITS) & 1 == 1
    }

    /// Whether an op that looks at the word of a path's mark, as so many before, finds it spoilt: if anything was ever written to it.
    fn finds(&self, spoilt: Option<SpoiltWord>, path: u8, before: u8) -> bool {
        let word = u16::from(path) / WORD_BITS;
        spoilt
            .is_some_and(|spoilt| self.heard >> word & 1 == 1 && spoilt.is_found(word.into(), before.into()))
    }

    fn set_mark(&mut self, path: u8, marked: bool) {
        let word = &mut self.marks[usize::from(u16::from(path) / WORD_BITS)];
        let bit = 1 << (u16::from(path) % WORD_BITS);
        *word = if marked { *word | bit } else { *word & !bit };
    }

    /// A3:2-10.
    fn update_ecn_bitmap(&mut self, params: &Params, ecn: bool, ev: u16) -> Outcome {
        self.hear_spoilt(params, ecn, ev, None).0
    }

    /// The same beside a word of marks that is spoilt, and whether the op finds it.
    pub fn hear_spoilt(
        &mut self,
        params: &Params,
        ecn: bool,
        ev: u16,
        spoilt: Option<SpoiltWord>,
    ) -> (Outcome, bool) {
        let class = Class { index: FEEDBACK, counts: [0; 2] };
        let mut outcome = Outcome { class, ..Outcome::default() };
        let place = ev.wrapping_sub(params.ev_base);
        if place >= params.keys.paths {
            return (outcome, false);
        }
        let path = place as u8;
        let is_found = self.finds(spoilt, path, 0);
        self.heard |= 1 << (place / WORD_BITS);
        if (self.is_marked(path) && !is_found) != ecn {
            outcome.events = if ecn { PATH_MARKED } else { PATH_UNMARKED };
        }
        self.set_mark(path, ecn); // A3:5, A3:8
        self.has_next = !ecn; // A3:4, A3:7
        if !ecn {
            self.next = path; // A3:7
        }
        (outcome, is_found)
    }

    /// A3:11-29.
    fn choose_path(&mut self, params: &Params, cwnd_packets: u32) -> Outcome {
        self.choose_spoilt(params, cwnd_packets, None).0
    }

    /// The same beside a word of marks that is spoilt, and whether the op finds it.
    #[inline(always)]
    pub fn choose_spoilt(
        &mut self,
        params: &Params,
        cwnd_packets: u32,
        spoilt: Option<SpoiltWord>,
    ) -> (Outcome, bool) {
        let mut outcome;
        if self.has_next {
            self.rr = self.next; // A3:13
            self.has_next = false; // A3:14
            outcome = Outcome::sent(SendKind::Recycle, params.ev_base + u16::from(self.rr));
            outcome.class.index = SEND_RECYCLE;
            return (outcome, false);
        }
        let paths = u32::from(params.keys.paths).min(2 * cwnd_packets) as u16; // A3:17
        let paths = paths.max(LEAST_CHOICE.min(params.keys.paths)); // A3:18
        let following = u16::from(self.rr) + 1;
        let first = (following % paths) as u8;
        let (mut events, mut words) = (0, 1);
        self.rr = first; // A3:19
        if self.is_marked(first) && !self.finds(spoilt, first, words - 1) {
            self.set_mark(first, false); // A3:22
            events |= MARK_FORGIVEN;
            loop {
                let before = self.rr;
                self.rr = ((u16::from(before) + 1) % paths) as u8; // A3:25
                let word = |path: u8| u16::from(path) / WORD_BITS;
                words += u8::from(word(self.rr) != word(before) || self.rr == 0);
                if !self.is_marked(self.rr) || self.finds(spoilt, self.rr, words - 1) {
                    break; // A3:20
                }
            }
            if self.rr == first && !self.finds(spoilt, self.rr, words - 1) {
                events |= ALL_MARKED;
            }
        }
        outcome = Outcome::sent(SendKind::Explore, params.ev_base + u16::from(self.rr));
        outcome.events = events;
        outcome.class = Class { index: SEND_SEARCH, counts: [words, u8::from(following > paths)] };
        (outcome, self.finds(spoilt, self.rr, words - 1))
    }
}
