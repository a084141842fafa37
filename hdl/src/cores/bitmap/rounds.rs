//! The counters of paths, and the search for one that is 0.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::nibbles::Nibbles;
use crate::comment;
use crate::config::Config;
use crate::parts::Searched;
use crate::prims::{FirstClear, Optional, Param, RandomEv, Reg, resize};
use crate::signal_struct;

signal_struct! {
    /// State of a connection beside its counters: 41 bits.
    pub struct Round {
        /// Place in the round at which the next search begins.
        pub index: Bits<8>,
        /// The upper bits of every EV, and in the low ones the x that gives the order: path `index ^ x`.
        pub word: Bits<16>,
        /// The word was drawn.
        pub drawn: bool,
        /// Words of counters that were written since `init`.
        pub live: Bits<16>,
    }
}

signal_struct! {
    /// The op that is being worked on.
    pub struct Op {
        pub send: bool,
        /// An ACK, a NACK, or a timeout that says something of its path.
        pub feedback: bool,
        /// What feedback adds to the counter of its path.
        pub penalty: Bits<4>,
        /// The path of feedback.
        pub path: Bits<8>,
    }
}

/// Leads an op through its steps, from the state of its connection to the state after it.
///
/// ```text
///  cycle     2        3         4         5                       6        7 …
///  timeout   decide ─► done
///  feedback  decide ─► fetch ─► arrive ─► its counter: done
///  send      decide ─► fetch ─► arrive ─► in the round's order ─► octet ─► place: the first counter that is 0: done
/// ```
///
/// A send searches a word of 16 counters a cycle; words that were fetched too many are forgotten. The search ends in the next round
/// at the place where it began, for there it has met as many counters as there are paths and one. The x of the next round is drawn
/// ahead, and counts as drawn when the search needs it.
///
/// The counter that a send lowers is written behind its end, so that a search which comes to its word again overrides what it reads.
///
/// With parity, all counters of a word with a flipped bit are 0 to the op, so that a search ends with it.
#[block]
pub struct Rounds {
    /// The seed is absorbed.
    pub ready: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    pub decide: Signal<In, bool>,
    pub op: Signal<In, Op>,
    pub state: Signal<In, Round>,
    /// The op is a send that does not search.
    pub rests: Signal<In, bool>,

    /// Number of the word of counters to read, and the word a cycle later.
    pub fetch: Signal<Out, Bits<4>>,
    pub counters: Signal<In, Bits<64>>,
    /// A word of counters is written.
    pub write: Signal<Out, bool>,
    pub write_number: Signal<Out, Bits<4>>,
    pub write_word: Signal<Out, Bits<64>>,

    pub done: Signal<Out, bool>,
    pub writes: Signal<Out, bool>,
    pub after: Signal<Out, Round>,
    pub ev: Signal<Out, Bits<16>>,
    /// Events, in the cycle of the result.
    pub path_penalised: Signal<Out, bool>,
    pub path_forgiven: Signal<Out, bool>,
    pub gave_up: Signal<Out, bool>,
    /// With parity: the parity bit of the word of counters. Done: the op looked at a word with a flipped bit. The EV that the next draw takes.
    pub parity: Optional<Signal<In, bool>>,
    pub lost: Optional<Signal<Out, bool>>,
    pub next_ev: Optional<Signal<Out, Bits<16>>>,

    random: RandomEv,
    own: Nibbles,
    first_low: FirstClear,
    first_high: FirstClear,

    is_done: Signal<Local, bool>,
    round_draw: Signal<Local, bool>,
    last_draw: Signal<Local, bool>,

    #[reset = false]
    is_ahead: Reg<bool>,
    #[reset = false]
    is_found: Reg<bool>,
    start: Reg<Bits<8>>,
    own_path: Reg<Bits<8>>,
    round_word: Reg<Bits<16>>,
    next_x: Reg<Bits<8>>,
    #[reset = false]
    in_fetch: Reg<bool>,
    #[reset = false]
    in_arrive: Reg<bool>,
    #[reset = false]
    in_chosen: Reg<bool>,
    #[reset = false]
    in_octet: Reg<bool>,
    #[reset = false]
    in_place: Reg<bool>,
    next_fetch: Reg<Bits<4>>,
    next_again: Reg<bool>,
    is_live: Reg<bool>,
    arrive_again: Reg<bool>,
    arrive_own: Reg<bool>,
    chosen_again: Reg<bool>,
    chosen_own: Reg<bool>,
    is_busy: Reg<Bits<16>>,
    is_freed: Reg<bool>,
    sought: Reg<Bits<16>>,
    place_in_word: Reg<Bits<4>>,
    has_place: Reg<bool>,
    place_number: Reg<Bits<4>>,
    place_again: Reg<bool>,
    #[reset = false]
    penalised: Reg<bool>,
    #[reset = false]
    forgiven: Reg<bool>,
    #[reset = false]
    was_given_up: Reg<bool>,
    #[reset = false]
    changes: Reg<bool>,

    ev_base: Param<Bits<16>>,
    ev_mask: Param<Bits<16>>,
    path_bits: Param<Bits<16>>,
    last_index: Param<Bits<8>>,
    last_word: Param<Bits<4>>,
    /// Places of a word that no index has.
    beyond: Param<Bits<16>>,
    /// Places whose number has a 0 in its lowest bit, in the second, in the third.
    evens: Param<Bits<16>>,
    pairs: Param<Bits<16>>,
    fours: Param<Bits<16>>,

    searched: Optional<Searched<Bits<64>>>,
    has_parity: Param<bool>,
}

#[block]
impl Rounds {
    /// The block of a configuration.
    pub fn new(config: &Config) -> Self {
        let paths = u64::from(config.bitmap.paths);
        let has_parity = config.has_parity();
        Self {
            parity: Optional::new(has_parity, Default::default),
            lost: Optional::new(has_parity, Default::default),
            next_ev: Optional::new(has_parity, Default::default),
            searched: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            ev_base: Param::new(u64::from(config.selector.ev_base).into()),
            ev_mask: Param::new(((1u64 << config.selector.ev_bits) - 1).into()),
            path_bits: Param::new((paths - 1).into()),
            last_index: Param::new((paths - 1).into()),
            last_word: Param::new(((paths - 1) / 16).into()),
            beyond: Param::new((0xFFFF & !((1u64 << paths.min(16)) - 1)).into()),
            evens: Param::new(0x5555u64.into()),
            pairs: Param::new(0x3333u64.into()),
            fours: Param::new(0x0F0Fu64.into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module rounds: the counters of paths, and the search for one that is 0");
        let searches = self.op.send & !self.rests;
        let is_idle = !self.op.send & !self.op.feedback;

        comment!("The generator is one step ahead: a draw takes its word, and lets it go on.");
        self.is_ahead = self.ready;
        self.random.absorb = !self.ready;
        self.random.seed = self.seed;
        let first_draw = self.decide & searches & !self.state.drawn;
        self.random.step = first_draw | self.round_draw | self.last_draw | !self.is_ahead;
        let fresh_ev = (self.random.word & self.ev_mask) | self.ev_base;

        comment!("Decide: where a send begins in which order, or the path of feedback.");
        self.is_found = self.decide;
        let mut word_of_state = self.state.word;
        if !self.state.drawn {
            word_of_state = fresh_ev;
        }
        if self.decide {
            self.start = self.state.index;
            self.round_word = word_of_state;
            self.own_path = self.state.index ^ bit_cast::<8, 16>(word_of_state & self.path_bits);
            if self.op.feedback {
                self.own_path = self.op.path;
            }
        }
        if self.is_found {
            self.next_x = resize(fresh_ev & self.path_bits);
        }

        comment!("Fetch: the op's own word, then the others in the order of this round and of the next one.");
        let mut fetching = self.next_fetch;
        let mut fetching_again = self.next_again;
        if self.is_found {
            fetching = self.start.get_bits::<4>(4);
            fetching_again = false;
        }
        self.next_fetch = fetching + 1;
        self.next_again = fetching_again;
        if fetching == self.last_word {
            self.next_fetch = 0;
            self.next_again = true;
        }
        let mut order: Bits<8> = resize(self.round_word & self.path_bits);
        if fetching_again {
            order = self.next_x;
        }
        let mut number = fetching ^ order.get_bits::<4>(4);
        if self.is_found {
            number = self.own_path.get_bits::<4>(4);
        }
        self.fetch = number;
        self.is_live = self.state.live.get_bit(number.index());
        self.arrive_again = fetching_again;
        self.arrive_own = number == self.own_path.get_bits::<4>(4);
        self.in_fetch = (self.is_found | self.in_fetch) & !self.is_done;
        self.in_arrive = (self.is_found | self.in_fetch) & !self.is_done;
        self.in_chosen = self.in_arrive & !self.is_done;
        self.in_octet = self.in_chosen & !self.is_done;
        self.in_place = self.in_octet & !self.is_done;

        comment!("Arrive: which counters are above 0. The first word is kept.");
        let mut counts: Bits<64> = 0;
        if self.is_live {
            counts = self.counters;
        }
        self.own.load = !self.in_chosen;
        self.own.word = counts;
        self.own.place = self.own_path.get_bits::<4>(0);
        self.own.lowers = self.op.send;
        self.own.penalty = self.op.penalty;
        let mut busy: Bits<16> = 0;
        for i in 0..16 {
            busy = busy.replace_bit(i, counts.get_bits::<4>(4 * i).any());
        }
        self.is_busy = busy;
        self.chosen_again = self.arrive_again;
        self.chosen_own = self.arrive_own;

        comment!(
            "Chosen: in the order of the round, from the start on. A counter that this send brought to 0 is free."
        );
        self.is_freed = self.own.is_one;
        let mut freed: Bits<16> = 0;
        if self.in_octet & self.chosen_own & self.is_freed {
            freed = bits::<16>(1) << self.own_path.get_bits::<4>(0);
        }
        let mut low_order: Bits<4> = resize(self.round_word & self.path_bits);
        if self.chosen_again {
            low_order = resize(self.next_x);
        }
        let mut by_one = self.is_busy & !freed;
        if self.has_parity {
            comment!("A word with a flipped bit has no counter above 0.");
            self.searched.word = self.counters;
            self.searched.parity = self.parity;
            self.searched.is_live = self.is_live;
            self.searched.is_first = self.in_chosen & !self.in_octet;
            if self.searched.has_flip {
                by_one = 0;
            }
            self.next_ev = fresh_ev;
        }
        let mut by_two = by_one;
        if low_order.get_bit(0) {
            by_two = ((by_one >> 1) & self.evens) | ((by_one & self.evens) << 1);
        }
        let mut by_four = by_two;
        if low_order.get_bit(1) {
            by_four = ((by_two >> 2) & self.pairs) | ((by_two & self.pairs) << 2);
        }
        let mut by_eight = by_four;
        if low_order.get_bit(2) {
            by_eight = ((by_four >> 4) & self.fours) | ((by_four & self.fours) << 4);
        }
        let mut below = self.beyond;
        if !self.in_octet {
            below = self.beyond | !(bits::<16>(0xFFFF) << self.start.get_bits::<4>(0));
        }
        self.sought = by_eight | below;
        if low_order.get_bit(3) {
            self.sought = (by_eight >> 8) | (by_eight << 8) | below;
        }

        comment!("Octet: the first place whose counter is 0.");
        self.first_low.flags = resize(self.sought);
        self.first_high.flags = self.sought.get_bits::<7>(8);
        let low_full: bool = bit_cast::<8, 16>(self.sought).all();
        self.place_in_word = resize(self.first_low.place);
        if low_full {
            self.place_in_word = bit_cast::<4, 3>(self.first_high.place) | 8;
        }
        self.has_place = !self.sought.all();

        comment!("Place: the search ends there, or in the next round where it began.");
        let candidate = (bit_cast::<8, 4>(self.place_number) << 4) | bit_cast::<8, 4>(self.place_in_word);
        let is_back = self.place_again & (self.place_number == self.start.get_bits::<4>(4));
        let fits = self.has_place & !(is_back & (candidate > self.start));
        let ends = self.in_place & (fits | is_back);
        let mut place = self.start;
        if fits {
            place = candidate;
        }
        self.round_draw = false;
        if self.in_place & !ends {
            self.place_number = self.place_number + 1;
            if self.place_number == self.last_word {
                self.place_number = 0;
                self.place_again = true;
                self.round_draw = searches;
            }
        }
        if self.is_found {
            self.place_number = self.start.get_bits::<4>(4);
            self.place_again = false;
        }
        self.is_done = (self.is_found & is_idle) | (self.in_chosen & !searches) | (ends & searches);
        self.done = self.is_done;

        comment!("After a send the next place begins, in the next round where this one is at its end.");
        let mut word_of_place = self.round_word;
        if self.place_again {
            word_of_place = (self.round_word & !self.path_bits) | bit_cast::<16, 8>(self.next_x);
        }
        self.ev = word_of_place ^ bit_cast::<16, 8>(place);
        let is_last = place == self.last_index;
        self.last_draw = self.is_done & searches & is_last;
        self.writes = searches | self.op.feedback;
        self.after.index = self.state.index;
        self.after.word = self.state.word;
        self.after.drawn = self.state.drawn | searches;
        self.after.live = self.state.live;
        if searches {
            self.after.index = place + 1;
            self.after.word = word_of_place;
            if is_last {
                self.after.index = 0;
                self.after.word = (word_of_place & !self.path_bits) | (fresh_ev & self.path_bits);
            }
        } else if self.op.feedback {
            self.after.live = self.state.live | (bits::<16>(1) << self.own_path.get_bits::<4>(4));
        }
        comment!("The counter is written a cycle behind the end of the op, long before the next one reads.");
        self.changes = self.is_done & (self.op.feedback | (searches & self.own.is_above));
        self.write = self.changes;
        self.write_number = self.own_path.get_bits::<4>(4);
        self.write_word = self.own.changed;

        if self.has_parity {
            self.lost = (self.op.feedback & self.searched.own_has_flip)
                | (searches & self.in_place & self.searched.place_has_flip);
            self.penalised = self.is_done
                & self.op.feedback
                & (self.own.rises | (self.op.penalty.any() & self.searched.own_has_flip));
            self.forgiven = self.is_done & searches & self.own.is_above & !self.searched.own_has_flip;
        } else {
            self.penalised = self.is_done & self.op.feedback & self.own.rises;
            self.forgiven = self.is_done & searches & self.own.is_above;
        }
        self.was_given_up = self.is_done & searches & !fits;
        self.path_penalised = self.penalised;
        self.path_forgiven = self.forgiven;
        self.gave_up = self.was_given_up;
    }
}
