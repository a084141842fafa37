//! `nic_outlet`: two streams of frames become one.
//!
//! ```text
//!  a_axis_* ──► of_a ─┐ either is 0
//!  b_axis_* ──► of_b ─┴───► m_axis_*
//! ```
//!
//! Each input has registers of its own, which are cleared by their reset when the other one is chosen: so the two meet in an OR
//! behind them, and no multiplexer stands before them. It has no spare place for a beat: the one behind `b` has one already.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{NamedBytes, Param};

/// Frames of `a` that may follow each other while `b` waits.
pub const MOST_IN_A_ROW: u64 = 15;

/// Frames of `a` go before those of `b`, but after [`MOST_IN_A_ROW`] of them one of `b` that waits. A frame is never broken.
///
/// `cut` empties what is behind both inputs. The beat that is offered stays, and if it was not its frame's last, that beat follows
/// once more, with `tlast` and `tuser`: a MAC spoils the frame, and no frame is joined to another.
///
/// A beat of `W` bits, `K` bytes, an edge, without gaps between frames; it goes out an edge after it came in. Both inputs' `tready`
/// follow `m_axis_tready` within a cycle, and between two frames `b_axis_tready` follows `a_axis_tvalid`.
#[derive(LogicBlock, Default)]
pub struct Outlet<const W: usize, const K: usize> {
    pub clk: Signal<In, Clock>,
    /// Empties it, and forgets the frame that it is in.
    pub rst: Signal<In, bool>,
    /// Takes nothing, and ends the frame that it is in. It comes with `rst`, too.
    pub cut: Signal<In, bool>,
    pub a_axis_tvalid: Signal<In, bool>,
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
    in_frame: DFF<bool>,
    /// Frames of `a` that were begun while `b` waited, since one of `b`.
    in_a_row: DFF<Bits<4>>,
    /// So many of them that `b` is next.
    has_waited: DFF<bool>,
    /// Nothing of `a` is taken, whether it has something or not: `b` is next, or the frame is one of `b`. Both `tready` follow from it.
    yields: DFF<bool>,
    is_next_b: Signal<Local, bool>,
    selects_b: Signal<Local, bool>,
    takes_a: Signal<Local, bool>,
    takes_b: Signal<Local, bool>,

    has_out: DFF<bool>,
    /// The beat at the output, if it is one of `a`; and if it is one of `b`. The other is 0.
    data_of_a: DFF<Bits<W>>,
    keep_of_a: DFF<Bits<K>>,
    last_of_a: DFF<bool>,
    data_of_b: DFF<Bits<W>>,
    keep_of_b: DFF<Bits<K>>,
    last_of_b: DFF<bool>,
    user_of_b: DFF<bool>,
    moves: Signal<Local, bool>,
    /// The frame that was cut is still to be ended.
    owes_end: DFF<bool>,
    accepts: Signal<Local, bool>,
    most_before: Param<Bits<4>>,
}

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
}

impl<const W: usize, const K: usize> Logic for Outlet<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Two streams of frames become one: those of a first.");
        dff_setup!(self, clk, in_frame, in_a_row, has_waited, yields, has_out, owes_end);
        dff_setup!(self, clk, data_of_a, keep_of_a, last_of_a, data_of_b, keep_of_b, last_of_b, user_of_b);
        comment!(
            "Between frames a is chosen, but for b when it has waited for too many: then it waits still."
        );
        self.named.data.next = self.b_axis_tdata.val();
        self.named.keep.next = self.b_axis_tkeep.val();
        self.selects_b.next = self.yields.q.val() || (!self.in_frame.q.val() && !self.a_axis_tvalid.val());
        self.moves.next = self.m_axis_tready.val() || !self.has_out.q.val();
        self.accepts.next = self.moves.val() && !self.cut.val() && !self.owes_end.q.val();
        comment!(
            "While the frame is cut both inputs are emptied, so that it does not matter what they see here."
        );
        self.a_axis_tready.next = self.moves.val() && !self.owes_end.q.val() && !self.yields.q.val();
        self.b_axis_tready.next = self.moves.val() && !self.owes_end.q.val() && self.selects_b.val();
        self.takes_a.next = self.accepts.val() && !self.selects_b.val() && self.a_axis_tvalid.val();
        self.takes_b.next = self.accepts.val() && self.selects_b.val() && self.b_axis_tvalid.val();

        self.is_next_b.next = self.has_waited.q.val();
        if !self.in_frame.q.val() {
            self.is_next_b.next =
                self.b_axis_tvalid.val() && (self.in_a_row.q.val() == self.most_before.val());
        }
        if self.takes_a.val() {
            self.in_frame.d.next = !self.a_axis_tlast.val();
            self.has_waited.d.next = self.is_next_b.val();
            self.yields.d.next = self.a_axis_tlast.val() && self.is_next_b.val();
            if !self.in_frame.q.val() {
                self.in_a_row.d.next = 0.into();
                if self.b_axis_tvalid.val() {
                    self.in_a_row.d.next = self.in_a_row.q.val() + 1;
                }
            }
        }
        if self.takes_b.val() {
            self.in_frame.d.next = !self.b_axis_tlast.val();
            self.in_a_row.d.next = 0.into();
            self.has_waited.d.next = false;
            self.yields.d.next = !self.b_axis_tlast.val();
        }

        comment!("The output takes the chosen input's beat, and clears what it has of the other.");
        if self.moves.val() {
            self.has_out.d.next = self.takes_a.val() || self.takes_b.val();
        }
        if self.takes_a.val() || self.takes_b.val() {
            self.data_of_a.d.next = self.a_axis_tdata.val();
            self.keep_of_a.d.next = self.a_axis_tkeep.val();
            self.last_of_a.d.next = self.a_axis_tlast.val();
            self.data_of_b.d.next = self.named.zeroed.val();
            self.keep_of_b.d.next = self.b_axis_tkeep.val();
            self.last_of_b.d.next = self.b_axis_tlast.val();
            self.user_of_b.d.next = self.b_axis_tuser.val();
            if self.selects_b.val() {
                self.data_of_a.d.next = 0.into();
                self.keep_of_a.d.next = 0.into();
                self.last_of_a.d.next = false;
            } else {
                self.data_of_b.d.next = 0.into();
                self.keep_of_b.d.next = 0.into();
                self.last_of_b.d.next = false;
                self.user_of_b.d.next = false;
            }
        }
        comment!("A frame that is cut ends with its last beat once more, marked as an error.");
        if self.cut.val() {
            self.in_frame.d.next = false;
            self.in_a_row.d.next = 0.into();
            self.has_waited.d.next = false;
            self.yields.d.next = false;
            self.owes_end.d.next = self.in_frame.q.val() || self.owes_end.q.val();
        } else if self.moves.val() && self.owes_end.q.val() {
            self.owes_end.d.next = false;
            self.has_out.d.next = true;
            self.last_of_a.d.next = true;
            self.user_of_b.d.next = true;
        }
        self.m_axis_tvalid.next = self.has_out.q.val();
        self.m_axis_tdata.next = self.data_of_a.q.val() | self.data_of_b.q.val();
        self.m_axis_tkeep.next = self.keep_of_a.q.val() | self.keep_of_b.q.val();
        self.m_axis_tlast.next = self.last_of_a.q.val() | self.last_of_b.q.val();
        self.m_axis_tuser.next = self.user_of_b.q.val();

        if self.rst.val() {
            self.in_frame.d.next = false;
            self.in_a_row.d.next = 0.into();
            self.has_waited.d.next = false;
            self.yields.d.next = false;
            self.has_out.d.next = false;
            self.last_of_a.d.next = false;
            self.last_of_b.d.next = false;
            self.owes_end.d.next = false;
        }
    }
}
