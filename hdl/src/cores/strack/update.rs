//! What an op does to its connection.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::search::Search;
use super::target::Target;
use crate::comment;
use crate::config::Config;
use crate::prims::{Optional, Param, Reg};
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
#[block]
pub struct Update {
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

    is_done: Signal<Local, bool>,
    own_bit: Signal<Local, Bits<8>>,
    eight: Signal<Local, Bits<8>>,

    #[reset = false]
    marked: Reg<bool>,
    #[reset = false]
    unmarked: Reg<bool>,
    #[reset = false]
    forgiven: Reg<bool>,
    #[reset = false]
    came_back: Reg<bool>,

    ev_base: Param<Bits<16>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        let recycles = self.op.send & self.state.has_good;
        let explores = self.op.send & !self.state.has_good;
        let is_idle = !self.op.send & !self.op.feedback;
        let marks = self.op.feedback & self.op.inside;
        self.target.decide = self.decide;
        self.target.explores = explores;
        self.target.op_path = self.op.path;
        self.target.latest = self.state.latest;
        self.target.highest = self.op.highest;
        let path = self.target.path;
        self.search.found = self.target.found;
        self.search.path = self.target.path;
        self.search.highest = self.op.highest;
        self.search.live = self.state.live;
        self.search.done = self.is_done;
        self.search.word = self.word;
        self.fetch = self.search.fetch;
        if self.has_parity {
            self.search.parity = self.parity;
            self.lost = (marks & self.search.chosen & self.search.own_has_flip)
                | (explores & self.search.ends & self.search.end_has_flip);
        }

        self.is_done =
            (self.target.found & is_idle) | (self.search.chosen & !explores) | (self.search.ends & explores);
        self.done = self.is_done;

        comment!("The mark of the path: as the feedback says, or forgiven by a send that meets it.");
        let number = path.get_bits::<3>(5);
        let octet = bits::<4>(1) << path.get_bits::<2>(3);
        let bit_of_path = bits::<8>(1) << path.get_bits::<3>(0);
        let mut value: Bits<8> = 0;
        if self.op.feedback & self.op.marked {
            value = 255;
        }
        let mut changed: Bits<32> = 0;
        for i in 0..4 {
            self.own_bit = 0;
            if octet.get_bit(i) {
                self.own_bit = bit_of_path;
            }
            self.eight = (self.search.kept.get_bits::<8>(8 * i) & !self.own_bit) | (value & self.own_bit);
            changed = (changed >> 8) | (bit_cast::<32, 8>(self.eight) << 24);
        }
        self.write = self.is_done & (marks | (explores & self.search.is_marked));
        self.write_number = number;
        self.write_word = changed;

        comment!(
            "The turn goes on from the path that a send takes. A good ACK names the next path; any other withdraws it."
        );
        let mut chosen = self.state.good;
        if explores {
            chosen = self.search.place;
        }
        self.kind = 0;
        if recycles {
            self.kind = 1;
        }
        self.ev = self.ev_base | bit_cast::<16, 8>(chosen);
        self.writes = self.op.send | marks;
        self.after.latest = self.state.latest;
        self.after.good = self.state.good;
        self.after.has_good = self.op.feedback & !self.op.marked;
        self.after.live = self.state.live;
        if self.op.send {
            self.after.latest = chosen;
        } else {
            self.after.good = path;
            self.after.live = self.state.live | (bits::<8>(1) << number);
        }

        self.marked = self.is_done & marks & self.op.marked & !self.search.is_marked;
        self.unmarked = self.is_done & marks & !self.op.marked & self.search.is_marked;
        self.forgiven = self.is_done & explores & self.search.is_marked;
        self.came_back = self.is_done & explores & self.search.comes_back;
        self.path_marked = self.marked;
        self.path_unmarked = self.unmarked;
        self.mark_forgiven = self.forgiven;
        self.all_marked = self.came_back;
    }
}
