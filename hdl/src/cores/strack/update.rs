//! What an op does to its connection.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::search::Search;
use super::target::Target;
use crate::comment;
use crate::config::Config;
use crate::prims::{Optional, Param};
use crate::signal_struct;

signal_struct! {
    /// State of a connection beside its marks: 25 bits.
    pub struct Rotation {
        /// The path sent to last in turn: `rr` of 004 Algorithm 3.
        pub latest: Bits<8>,
        /// The path of the latest good ACK, and whether no send took it yet.
        pub good: Bits<8>,
        pub has_good: bool,
        /// Words of marks that were written since `init`.
        pub live: Bits<8>,
    }
}

signal_struct! {
    /// The op that is being worked on.
    pub struct Op {
        pub send: bool,
        /// An ACK or a NACK, and whether it is of a path of the set.
        pub feedback: bool,
        pub inside: bool,
        /// A NACK or a marked ACK.
        pub marked: bool,
        /// The path of feedback.
        pub path: Bits<8>,
        /// The highest path that a send explores.
        pub highest: Bits<8>,
    }
}

/// Leads an op through its steps, from the state of its connection to the state after it: 004 Algorithm 3.
///
/// ```text
///  cycle     2        3                 5                   7 …
///  timeout   decide ─► done
///  feedback  decide ─► the word ─ ─ ─ ─► its mark: done
///  recycle   decide ─ ─ ─ ─ ─ ─ ─ ─ ─ ─► done
///  explore   decide ─► (remainder) ─► words, one a cycle ─► the first path without a mark: done
/// ```
#[derive(LogicBlock, Default)]
pub struct Update {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub decide: Signal<In, bool>,
    pub op: Signal<In, Op>,
    pub state: Signal<In, Rotation>,

    /// Number of the word of marks to read, and the word a cycle later.
    pub fetch: Signal<Out, Bits<3>>,
    pub word: Signal<In, Bits<32>>,
    /// A word of marks is written.
    pub write: Signal<Out, bool>,
    pub write_number: Signal<Out, Bits<3>>,
    pub write_word: Signal<Out, Bits<32>>,

    pub done: Signal<Out, bool>,
    pub writes: Signal<Out, bool>,
    pub after: Signal<Out, Rotation>,
    pub kind: Signal<Out, Bits<2>>,
    pub ev: Signal<Out, Bits<16>>,
    /// Events, in the cycle of the result.
    pub path_marked: Signal<Out, bool>,
    pub path_unmarked: Signal<Out, bool>,
    pub mark_forgiven: Signal<Out, bool>,
    pub all_marked: Signal<Out, bool>,
    /// With parity: the parity bit of the word of marks. Done: the op looked at a word with a flipped bit.
    pub parity: Optional<Signal<In, bool>>,
    pub lost: Optional<Signal<Out, bool>>,
    has_parity: Param<bool>,

    target: Target,
    search: Search,

    explores: Signal<Local, bool>,
    recycles: Signal<Local, bool>,
    is_idle: Signal<Local, bool>,
    marks: Signal<Local, bool>,
    is_done: Signal<Local, bool>,
    path: Signal<Local, Bits<8>>,
    chosen: Signal<Local, Bits<8>>,
    number: Signal<Local, Bits<3>>,
    octet: Signal<Local, Bits<4>>,
    bit_of_path: Signal<Local, Bits<8>>,
    own_bit: Signal<Local, Bits<8>>,
    value: Signal<Local, Bits<8>>,
    eight: Signal<Local, Bits<8>>,
    changed: Signal<Local, Bits<32>>,

    marked: DFF<bool>,
    unmarked: DFF<bool>,
    forgiven: DFF<bool>,
    came_back: DFF<bool>,

    ev_base: Param<Bits<16>>,
}

impl Update {
    /// The block of a configuration. The EVs of the paths begin at `selector.ev_base`.
    pub fn new(config: &Config) -> Self {
        let has_parity = config.has_parity();
        Self {
            parity: Optional::new(has_parity, Default::default),
            lost: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            search: Search::new(has_parity),
            ev_base: Param::new(u64::from(config.selector.ev_base).into()),
            ..Default::default()
        }
    }
}

impl Logic for Update {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        dff_setup!(self, clk, marked, unmarked, forgiven, came_back);
        self.recycles.next = self.op.val().send & self.state.val().has_good;
        self.explores.next = self.op.val().send & !self.state.val().has_good;
        self.is_idle.next = !self.op.val().send & !self.op.val().feedback;
        self.marks.next = self.op.val().feedback & self.op.val().inside;

        self.target.clk.next = self.clk.val();
        self.target.rst.next = self.rst.val();
        self.target.decide.next = self.decide.val();
        self.target.explores.next = self.explores.val();
        self.target.op_path.next = self.op.val().path;
        self.target.latest.next = self.state.val().latest;
        self.target.highest.next = self.op.val().highest;
        self.path.next = self.target.path.val();

        self.search.clk.next = self.clk.val();
        self.search.rst.next = self.rst.val();
        self.search.found.next = self.target.found.val();
        self.search.path.next = self.target.path.val();
        self.search.highest.next = self.op.val().highest;
        self.search.live.next = self.state.val().live;
        self.search.done.next = self.is_done.val();
        self.search.word.next = self.word.val();
        self.fetch.next = self.search.fetch.val();
        if self.has_parity.val() {
            self.search.parity.next = self.parity.val();
            self.lost.next = (self.marks.val() & self.search.chosen.val() & self.search.own_has_flip.val())
                | (self.explores.val() & self.search.ends.val() & self.search.end_has_flip.val());
        }

        self.is_done.next = (self.target.found.val() & self.is_idle.val())
            | (self.search.chosen.val() & !self.explores.val())
            | (self.search.ends.val() & self.explores.val());
        self.done.next = self.is_done.val();

        comment!("The mark of the path: as the feedback says, or forgiven by a send that meets it.");
        self.number.next = self.path.val().get_bits::<3>(5);
        self.octet.next = bits::<4>(1) << self.path.val().get_bits::<2>(3);
        self.bit_of_path.next = bits::<8>(1) << self.path.val().get_bits::<3>(0);
        self.value.next = 0.into();
        if self.op.val().feedback & self.op.val().marked {
            self.value.next = 255.into();
        }
        self.changed.next = 0.into();
        for i in 0..4 {
            self.own_bit.next = 0.into();
            if self.octet.val().get_bit(i) {
                self.own_bit.next = self.bit_of_path.val();
            }
            self.eight.next = (self.search.kept.val().get_bits::<8>(8 * i) & !self.own_bit.val())
                | (self.value.val() & self.own_bit.val());
            self.changed.next = (self.changed.val() >> 8) | (bit_cast::<32, 8>(self.eight.val()) << 24);
        }
        self.write.next =
            self.is_done.val() & (self.marks.val() | (self.explores.val() & self.search.is_marked.val()));
        self.write_number.next = self.number.val();
        self.write_word.next = self.changed.val();

        comment!(
            "The turn goes on from the path that a send takes. A good ACK names the next path; any other withdraws it."
        );
        self.chosen.next = self.state.val().good;
        if self.explores.val() {
            self.chosen.next = self.search.place.val();
        }
        self.kind.next = 0.into();
        if self.recycles.val() {
            self.kind.next = 1.into();
        }
        self.ev.next = self.ev_base.val() | bit_cast::<16, 8>(self.chosen.val());
        self.writes.next = self.op.val().send | self.marks.val();
        self.after.next.latest = self.state.val().latest;
        self.after.next.good = self.state.val().good;
        self.after.next.has_good = self.op.val().feedback & !self.op.val().marked;
        self.after.next.live = self.state.val().live;
        if self.op.val().send {
            self.after.next.latest = self.chosen.val();
        } else {
            self.after.next.good = self.path.val();
            self.after.next.live = self.state.val().live | (bits::<8>(1) << self.number.val());
        }

        self.marked.d.next =
            self.is_done.val() & self.marks.val() & self.op.val().marked & !self.search.is_marked.val();
        self.unmarked.d.next =
            self.is_done.val() & self.marks.val() & !self.op.val().marked & self.search.is_marked.val();
        self.forgiven.d.next = self.is_done.val() & self.explores.val() & self.search.is_marked.val();
        self.came_back.d.next = self.is_done.val() & self.explores.val() & self.search.comes_back.val();
        self.path_marked.next = self.marked.q.val();
        self.path_unmarked.next = self.unmarked.q.val();
        self.mark_forgiven.next = self.forgiven.q.val();
        self.all_marked.next = self.came_back.q.val();
        if self.rst.val() {
            self.marked.d.next = false;
            self.unmarked.d.next = false;
            self.forgiven.d.next = false;
            self.came_back.d.next = false;
        }
    }
}
