//! The counters of paths, and the search for one that is 0.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::nibbles::Nibbles;
use crate::comment;
use crate::config::Config;
use crate::parts::Searched;
use crate::prims::{FirstClear, Optional, Param, RandomEv};
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
#[derive(LogicBlock, Default)]
pub struct Rounds {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    fresh_ev: Signal<Local, Bits<16>>,
    word_of_state: Signal<Local, Bits<16>>,
    searches: Signal<Local, bool>,
    is_idle: Signal<Local, bool>,
    is_done: Signal<Local, bool>,
    first_draw: Signal<Local, bool>,
    round_draw: Signal<Local, bool>,
    last_draw: Signal<Local, bool>,
    fetching: Signal<Local, Bits<4>>,
    fetching_again: Signal<Local, bool>,
    order: Signal<Local, Bits<8>>,
    number: Signal<Local, Bits<4>>,
    low_order: Signal<Local, Bits<4>>,
    counts: Signal<Local, Bits<64>>,
    busy: Signal<Local, Bits<16>>,
    freed: Signal<Local, Bits<16>>,
    by_one: Signal<Local, Bits<16>>,
    by_two: Signal<Local, Bits<16>>,
    by_four: Signal<Local, Bits<16>>,
    by_eight: Signal<Local, Bits<16>>,
    below: Signal<Local, Bits<16>>,
    low_full: Signal<Local, bool>,
    candidate: Signal<Local, Bits<8>>,
    is_back: Signal<Local, bool>,
    fits: Signal<Local, bool>,
    ends: Signal<Local, bool>,
    place: Signal<Local, Bits<8>>,
    word_of_place: Signal<Local, Bits<16>>,
    is_last: Signal<Local, bool>,

    is_ahead: DFF<bool>,
    is_found: DFF<bool>,
    start: DFF<Bits<8>>,
    own_path: DFF<Bits<8>>,
    round_word: DFF<Bits<16>>,
    next_x: DFF<Bits<8>>,
    in_fetch: DFF<bool>,
    in_arrive: DFF<bool>,
    in_chosen: DFF<bool>,
    in_octet: DFF<bool>,
    in_place: DFF<bool>,
    next_fetch: DFF<Bits<4>>,
    next_again: DFF<bool>,
    is_live: DFF<bool>,
    arrive_again: DFF<bool>,
    arrive_own: DFF<bool>,
    chosen_again: DFF<bool>,
    chosen_own: DFF<bool>,
    is_busy: DFF<Bits<16>>,
    is_freed: DFF<bool>,
    sought: DFF<Bits<16>>,
    place_in_word: DFF<Bits<4>>,
    has_place: DFF<bool>,
    place_number: DFF<Bits<4>>,
    place_again: DFF<bool>,
    penalised: DFF<bool>,
    forgiven: DFF<bool>,
    was_given_up: DFF<bool>,
    changes: DFF<bool>,

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
}

impl Logic for Rounds {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module rounds: the counters of paths, and the search for one that is 0");
        dff_setup!(self, clk, is_ahead, is_found, start, own_path, round_word, next_x);
        dff_setup!(self, clk, in_fetch, in_arrive, in_chosen, in_octet, in_place);
        dff_setup!(self, clk, next_fetch, next_again, is_live, arrive_again, arrive_own);
        dff_setup!(self, clk, chosen_again, chosen_own, is_busy, is_freed, sought);
        dff_setup!(self, clk, place_in_word, has_place, place_number, place_again);
        dff_setup!(self, clk, penalised, forgiven, was_given_up, changes);
        self.searches.next = self.op.val().send & !self.rests.val();
        self.is_idle.next = !self.op.val().send & !self.op.val().feedback;

        comment!("The generator is one step ahead: a draw takes its word, and lets it go on.");
        self.is_ahead.d.next = self.ready.val();
        self.random.clk.next = self.clk.val();
        self.random.rst.next = self.rst.val();
        self.random.absorb.next = !self.ready.val();
        self.random.seed.next = self.seed.val();
        self.first_draw.next = self.decide.val() & self.searches.val() & !self.state.val().drawn;
        self.random.step.next =
            self.first_draw.val() | self.round_draw.val() | self.last_draw.val() | !self.is_ahead.q.val();
        self.fresh_ev.next = (self.random.word.val() & self.ev_mask.val()) | self.ev_base.val();

        comment!("Decide: where a send begins in which order, or the path of feedback.");
        self.is_found.d.next = self.decide.val();
        self.word_of_state.next = self.state.val().word;
        if !self.state.val().drawn {
            self.word_of_state.next = self.fresh_ev.val();
        }
        if self.decide.val() {
            self.start.d.next = self.state.val().index;
            self.round_word.d.next = self.word_of_state.val();
            self.own_path.d.next =
                self.state.val().index ^ bit_cast::<8, 16>(self.word_of_state.val() & self.path_bits.val());
            if self.op.val().feedback {
                self.own_path.d.next = self.op.val().path;
            }
        }
        if self.is_found.q.val() {
            self.next_x.d.next = bit_cast::<8, 16>(self.fresh_ev.val() & self.path_bits.val());
        }

        comment!("Fetch: the op's own word, then the others in the order of this round and of the next one.");
        self.fetching.next = self.next_fetch.q.val();
        self.fetching_again.next = self.next_again.q.val();
        if self.is_found.q.val() {
            self.fetching.next = self.start.q.val().get_bits::<4>(4);
            self.fetching_again.next = false;
        }
        self.next_fetch.d.next = self.fetching.val() + 1;
        self.next_again.d.next = self.fetching_again.val();
        if self.fetching.val() == self.last_word.val() {
            self.next_fetch.d.next = 0.into();
            self.next_again.d.next = true;
        }
        self.order.next = bit_cast::<8, 16>(self.round_word.q.val() & self.path_bits.val());
        if self.fetching_again.val() {
            self.order.next = self.next_x.q.val();
        }
        self.number.next = self.fetching.val() ^ self.order.val().get_bits::<4>(4);
        if self.is_found.q.val() {
            self.number.next = self.own_path.q.val().get_bits::<4>(4);
        }
        self.fetch.next = self.number.val();
        self.is_live.d.next = self.state.val().live.get_bit(self.number.val().index());
        self.arrive_again.d.next = self.fetching_again.val();
        self.arrive_own.d.next = self.number.val() == self.own_path.q.val().get_bits::<4>(4);
        self.in_fetch.d.next = (self.is_found.q.val() | self.in_fetch.q.val()) & !self.is_done.val();
        self.in_arrive.d.next = (self.is_found.q.val() | self.in_fetch.q.val()) & !self.is_done.val();
        self.in_chosen.d.next = self.in_arrive.q.val() & !self.is_done.val();
        self.in_octet.d.next = self.in_chosen.q.val() & !self.is_done.val();
        self.in_place.d.next = self.in_octet.q.val() & !self.is_done.val();

        comment!("Arrive: which counters are above 0. The first word is kept.");
        self.counts.next = 0.into();
        if self.is_live.q.val() {
            self.counts.next = self.counters.val();
        }
        self.own.clk.next = self.clk.val();
        self.own.load.next = !self.in_chosen.q.val();
        self.own.word.next = self.counts.val();
        self.own.place.next = self.own_path.q.val().get_bits::<4>(0);
        self.own.lowers.next = self.op.val().send;
        self.own.penalty.next = self.op.val().penalty;
        self.busy.next = 0.into();
        for i in 0..16 {
            self.busy.next = self.busy.val().replace_bit(i, self.counts.val().get_bits::<4>(4 * i).any());
        }
        self.is_busy.d.next = self.busy.val();
        self.chosen_again.d.next = self.arrive_again.q.val();
        self.chosen_own.d.next = self.arrive_own.q.val();

        comment!(
            "Chosen: in the order of the round, from the start on. A counter that this send brought to 0 is free."
        );
        self.is_freed.d.next = self.own.is_one.val();
        self.freed.next = 0.into();
        if self.in_octet.q.val() & self.chosen_own.q.val() & self.is_freed.q.val() {
            self.freed.next = bits::<16>(1) << self.own_path.q.val().get_bits::<4>(0);
        }
        self.low_order.next = bit_cast::<4, 16>(self.round_word.q.val() & self.path_bits.val());
        if self.chosen_again.q.val() {
            self.low_order.next = bit_cast::<4, 8>(self.next_x.q.val());
        }
        self.by_one.next = self.is_busy.q.val() & !self.freed.val();
        if self.has_parity.val() {
            comment!("A word with a flipped bit has no counter above 0.");
            self.searched.clk.next = self.clk.val();
            self.searched.rst.next = self.rst.val();
            self.searched.word.next = self.counters.val();
            self.searched.parity.next = self.parity.val();
            self.searched.is_live.next = self.is_live.q.val();
            self.searched.is_first.next = self.in_chosen.q.val() & !self.in_octet.q.val();
            if self.searched.has_flip.val() {
                self.by_one.next = 0.into();
            }
            self.next_ev.next = self.fresh_ev.val();
        }
        self.by_two.next = self.by_one.val();
        if self.low_order.val().get_bit(0) {
            self.by_two.next =
                ((self.by_one.val() >> 1) & self.evens.val()) | ((self.by_one.val() & self.evens.val()) << 1);
        }
        self.by_four.next = self.by_two.val();
        if self.low_order.val().get_bit(1) {
            self.by_four.next =
                ((self.by_two.val() >> 2) & self.pairs.val()) | ((self.by_two.val() & self.pairs.val()) << 2);
        }
        self.by_eight.next = self.by_four.val();
        if self.low_order.val().get_bit(2) {
            self.by_eight.next = ((self.by_four.val() >> 4) & self.fours.val())
                | ((self.by_four.val() & self.fours.val()) << 4);
        }
        self.below.next = self.beyond.val();
        if !self.in_octet.q.val() {
            self.below.next =
                self.beyond.val() | !(bits::<16>(0xFFFF) << self.start.q.val().get_bits::<4>(0));
        }
        self.sought.d.next = self.by_eight.val() | self.below.val();
        if self.low_order.val().get_bit(3) {
            self.sought.d.next = (self.by_eight.val() >> 8) | (self.by_eight.val() << 8) | self.below.val();
        }

        comment!("Octet: the first place whose counter is 0.");
        self.first_low.flags.next = bit_cast::<7, 16>(self.sought.q.val());
        self.first_high.flags.next = self.sought.q.val().get_bits::<7>(8);
        self.low_full.next = bit_cast::<8, 16>(self.sought.q.val()).all();
        self.place_in_word.d.next = bit_cast::<4, 3>(self.first_low.place.val());
        if self.low_full.val() {
            self.place_in_word.d.next = bit_cast::<4, 3>(self.first_high.place.val()) | 8;
        }
        self.has_place.d.next = !self.sought.q.val().all();

        comment!("Place: the search ends there, or in the next round where it began.");
        self.candidate.next =
            (bit_cast::<8, 4>(self.place_number.q.val()) << 4) | bit_cast::<8, 4>(self.place_in_word.q.val());
        self.is_back.next =
            self.place_again.q.val() & (self.place_number.q.val() == self.start.q.val().get_bits::<4>(4));
        self.fits.next =
            self.has_place.q.val() & !(self.is_back.val() & (self.candidate.val() > self.start.q.val()));
        self.ends.next = self.in_place.q.val() & (self.fits.val() | self.is_back.val());
        self.place.next = self.start.q.val();
        if self.fits.val() {
            self.place.next = self.candidate.val();
        }
        self.round_draw.next = false;
        if self.in_place.q.val() & !self.ends.val() {
            self.place_number.d.next = self.place_number.q.val() + 1;
            if self.place_number.q.val() == self.last_word.val() {
                self.place_number.d.next = 0.into();
                self.place_again.d.next = true;
                self.round_draw.next = self.searches.val();
            }
        }
        if self.is_found.q.val() {
            self.place_number.d.next = self.start.q.val().get_bits::<4>(4);
            self.place_again.d.next = false;
        }
        self.is_done.next = (self.is_found.q.val() & self.is_idle.val())
            | (self.in_chosen.q.val() & !self.searches.val())
            | (self.ends.val() & self.searches.val());
        self.done.next = self.is_done.val();

        comment!("After a send the next place begins, in the next round where this one is at its end.");
        self.word_of_place.next = self.round_word.q.val();
        if self.place_again.q.val() {
            self.word_of_place.next =
                (self.round_word.q.val() & !self.path_bits.val()) | bit_cast::<16, 8>(self.next_x.q.val());
        }
        self.ev.next = self.word_of_place.val() ^ bit_cast::<16, 8>(self.place.val());
        self.is_last.next = self.place.val() == self.last_index.val();
        self.last_draw.next = self.is_done.val() & self.searches.val() & self.is_last.val();
        self.writes.next = self.searches.val() | self.op.val().feedback;
        self.after.next.index = self.state.val().index;
        self.after.next.word = self.state.val().word;
        self.after.next.drawn = self.state.val().drawn | self.searches.val();
        self.after.next.live = self.state.val().live;
        if self.searches.val() {
            self.after.next.index = self.place.val() + 1;
            self.after.next.word = self.word_of_place.val();
            if self.is_last.val() {
                self.after.next.index = 0.into();
                self.after.next.word = (self.word_of_place.val() & !self.path_bits.val())
                    | (self.fresh_ev.val() & self.path_bits.val());
            }
        } else if self.op.val().feedback {
            self.after.next.live =
                self.state.val().live | (bits::<16>(1) << self.own_path.q.val().get_bits::<4>(4));
        }
        comment!("The counter is written a cycle behind the end of the op, long before the next one reads.");
        self.changes.d.next =
            self.is_done.val() & (self.op.val().feedback | (self.searches.val() & self.own.is_above.val()));
        self.write.next = self.changes.q.val();
        self.write_number.next = self.own_path.q.val().get_bits::<4>(4);
        self.write_word.next = self.own.changed.val();

        if self.has_parity.val() {
            self.lost.next = (self.op.val().feedback & self.searched.own_has_flip.val())
                | (self.searches.val() & self.in_place.q.val() & self.searched.place_has_flip.val());
            self.penalised.d.next = self.is_done.val()
                & self.op.val().feedback
                & (self.own.rises.val() | (self.op.val().penalty.any() & self.searched.own_has_flip.val()));
            self.forgiven.d.next = self.is_done.val()
                & self.searches.val()
                & self.own.is_above.val()
                & !self.searched.own_has_flip.val();
        } else {
            self.penalised.d.next = self.is_done.val() & self.op.val().feedback & self.own.rises.val();
            self.forgiven.d.next = self.is_done.val() & self.searches.val() & self.own.is_above.val();
        }
        self.was_given_up.d.next = self.is_done.val() & self.searches.val() & !self.fits.val();
        self.path_penalised.next = self.penalised.q.val();
        self.path_forgiven.next = self.forgiven.q.val();
        self.gave_up.next = self.was_given_up.q.val();
        if self.rst.val() {
            self.is_ahead.d.next = false;
            self.is_found.d.next = false;
            self.in_fetch.d.next = false;
            self.in_arrive.d.next = false;
            self.in_chosen.d.next = false;
            self.in_octet.d.next = false;
            self.in_place.d.next = false;
            self.penalised.d.next = false;
            self.forgiven.d.next = false;
            self.was_given_up.d.next = false;
            self.changes.d.next = false;
        }
    }
}
