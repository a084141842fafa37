//! `nic_outlet`: two streams of frames become one.
//!
//! ```text
//!  a_axis_* ──► of_a ─┐ either is 0
//!  b_axis_* ──► of_b ─┴───► m_axis_*
//! ```
//!
//! Each input has registers of its own, which are cleared by their reset when the other one is chosen: so the two meet in an OR
//! behind them, and no multiplexer stands before them. It has no spare place for a beat: the one behind `b` has one already.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{NamedBytes, Param, Reg};

/// Frames of `a` that may follow each other while `b` waits.
pub const MOST_IN_A_ROW: u64 = 15;

/// Frames of `a` go before those of `b`, but after [`MOST_IN_A_ROW`] of them one of `b` that waits. A frame is never broken.
///
/// `cut` empties what is behind both inputs. The beat that is offered stays, and if it was not its frame's last, that beat follows
/// once more, with `tlast` and `tuser`: a MAC spoils the frame, and no frame is joined to another.
///
/// A beat of `W` bits, `K` bytes, an edge, without gaps between frames; it goes out an edge after it came in. Both inputs' `tready`
/// follow `m_axis_tready` within a cycle. Whose turn it is stands in a register, as wide registers behind `b` wait for its `tready`.
#[block]
pub struct Outlet<const W: usize, const K: usize> {
    /// Takes nothing, and ends the frame that it is in. It comes with `rst`, too.
    pub cut: Signal<In, bool>,
    pub a_axis_tvalid: Signal<In, bool>,
    /// It is 1 in the next cycle.
    pub a_axis_comes: Signal<In, bool>,
    pub a_axis_tready: Signal<Out, bool>,
    pub a_axis_tdata: Signal<In, Bits<W>>,
    pub a_axis_tkeep: Signal<In, Bits<K>>,
    pub a_axis_tlast: Signal<In, bool>,
    pub b_axis_tvalid: Signal<In, bool>,
    pub b_axis_tready: Signal<Out, bool>,
    pub b_axis_tdata: Signal<In, Bits<W>>,
    pub b_axis_tkeep: Signal<In, Bits<K>>,
    pub b_axis_tlast: Signal<In, bool>,
    pub b_axis_tuser: Signal<In, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tlast: Signal<Out, bool>,
    /// That of `b`, 0 for `a`, and 1 in the beat that ends a frame that was cut.
    pub m_axis_tuser: Signal<Out, bool>,

    /// What `b` has in the bytes that its `tkeep` names, 0 in the others: `a` has 0 there by itself.
    named: NamedBytes<W, K>,
    #[reset = false]
    in_frame: Reg<bool>,
    /// Frames of `a` that were begun while `b` waited, since one of `b`.
    #[reset = 0]
    in_a_row: Reg<Bits<4>>,
    /// So many of them that `b` is next.
    #[reset = false]
    has_waited: Reg<bool>,
    /// Nothing of `a` is taken, whether it has something or not: `b` is next, or the frame is one of `b`. Both `tready` follow from it.
    #[reset = false]
    yields: Reg<bool>,
    /// It is `b`'s turn: `a` has to yield, or has nothing between two frames.
    #[reset = true]
    is_b: Reg<bool>,

    #[reset = false]
    has_out: Reg<bool>,
    /// The beat at the output, if it is one of `a`; and if it is one of `b`. The other is 0.
    data_of_a: Reg<Bits<W>>,
    keep_of_a: Reg<Bits<K>>,
    #[reset = false]
    last_of_a: Reg<bool>,
    data_of_b: Reg<Bits<W>>,
    keep_of_b: Reg<Bits<K>>,
    #[reset = false]
    last_of_b: Reg<bool>,
    user_of_b: Reg<bool>,
    /// The frame that was cut is still to be ended.
    #[reset = false]
    owes_end: Reg<bool>,
    most_before: Param<Bits<4>>,
}

#[block]
impl<const W: usize, const K: usize> Outlet<W, K> {
    /// An empty one.
    ///
    /// # Panics
    /// If `W` bits are not `K` bytes.
    pub fn new() -> Self {
        assert!(W == 8 * K, "a beat of {W} bits has {} bytes, not {K}", W / 8);
        let mut block = Self { most_before: Param::new((MOST_IN_A_ROW - 1).into()), ..Default::default() };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Two streams of frames become one: those of a first.");
        comment!(
            "Between frames a is chosen, but for b when it has waited for too many: then it waits still."
        );
        self.named.data = self.b_axis_tdata;
        self.named.keep = self.b_axis_tkeep;
        let moves = self.m_axis_tready || !self.has_out;
        let accepts = moves && !self.cut && !self.owes_end;
        comment!(
            "While the frame is cut both inputs are emptied, so that it does not matter what they see here."
        );
        self.a_axis_tready = moves && !self.owes_end && !self.yields;
        self.b_axis_tready = moves && !self.owes_end && self.is_b;
        let takes_a = accepts && !self.is_b && self.a_axis_tvalid;
        let takes_b = accepts && self.is_b && self.b_axis_tvalid;

        let mut is_next_b = self.has_waited;
        if !self.in_frame {
            is_next_b = self.b_axis_tvalid && (self.in_a_row == self.most_before);
        }
        let mut stays = self.in_frame;
        let mut is_held = self.yields;
        if takes_a {
            stays = !self.a_axis_tlast;
            self.has_waited = is_next_b;
            is_held = self.a_axis_tlast && is_next_b;
            if !self.in_frame {
                self.in_a_row = 0;
                if self.b_axis_tvalid {
                    self.in_a_row = self.in_a_row + 1;
                }
            }
        }
        if takes_b {
            stays = !self.b_axis_tlast;
            self.in_a_row = 0;
            self.has_waited = false;
            is_held = !self.b_axis_tlast;
        }
        if self.cut {
            stays = false;
            is_held = false;
        }
        self.in_frame = stays;
        self.yields = is_held;
        self.is_b = is_held || (!stays && !self.a_axis_comes);

        comment!("The output takes the chosen input's beat, and clears what it has of the other.");
        if moves {
            self.has_out = takes_a || takes_b;
        }
        if takes_a || takes_b {
            self.data_of_a = self.a_axis_tdata;
            self.keep_of_a = self.a_axis_tkeep;
            self.last_of_a = self.a_axis_tlast;
            self.data_of_b = self.named.zeroed;
            self.keep_of_b = self.b_axis_tkeep;
            self.last_of_b = self.b_axis_tlast;
            self.user_of_b = self.b_axis_tuser;
            if self.is_b {
                self.data_of_a = 0;
                self.keep_of_a = 0;
                self.last_of_a = false;
            } else {
                self.data_of_b = 0;
                self.keep_of_b = 0;
                self.last_of_b = false;
                self.user_of_b = false;
            }
        }
        comment!("A frame that is cut ends with its last beat once more, marked as an error.");
        if self.cut {
            self.in_a_row = 0;
            self.has_waited = false;
            self.owes_end = self.in_frame || self.owes_end;
        } else if moves && self.owes_end {
            self.owes_end = false;
            self.has_out = true;
            self.last_of_a = true;
            self.user_of_b = true;
        }
        self.m_axis_tvalid = self.has_out;
        self.m_axis_tdata = self.data_of_a | self.data_of_b;
        self.m_axis_tkeep = self.keep_of_a | self.keep_of_b;
        self.m_axis_tlast = self.last_of_a | self.last_of_b;
        self.m_axis_tuser = self.user_of_b;
    }
}
