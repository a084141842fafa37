//! `nic_outlet`: two streams of frames become one.
//!
//! ```text
//!  a_axis_* ─┐ the chosen one
//!  b_axis_* ─┴──► out ──► m_axis_*
//! ```
//!
//! It has no spare place for a beat: the one behind `b` has one already, and a second would cost another multiplexer a bit.

use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

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

    in_frame: DFF<bool>,
    /// The frame is one of `b`.
    is_b: DFF<bool>,
    /// Frames of `a` that were begun while `b` waited, since one of `b`.
    in_a_row: DFF<Bits<4>>,
    /// Nothing of `a` is taken, whether it has something or not.
    yields: Signal<Local, bool>,
    selects_b: Signal<Local, bool>,
    takes_a: Signal<Local, bool>,
    takes_b: Signal<Local, bool>,

    has_out: DFF<bool>,
    out_data: DFF<Bits<W>>,
    out_keep: DFF<Bits<K>>,
    out_last: DFF<bool>,
    out_user: DFF<bool>,
    moves: Signal<Local, bool>,
    /// The frame that was cut is still to be ended.
    owes_end: DFF<bool>,
    accepts: Signal<Local, bool>,
    most: Param<Bits<4>>,
}

impl<const W: usize, const K: usize> Outlet<W, K> {
    /// An empty one.
    ///
    /// # Panics
    /// If `W` bits are not `K` bytes.
    pub fn new() -> Self {
        assert!(W == 8 * K, "a beat of {W} bits has {} bytes, not {K}", W / 8);
        let mut block = Self { most: Param::new(MOST_IN_A_ROW.into()), ..Default::default() };
        block.connect_all();
        block
    }
}

impl<const W: usize, const K: usize> Logic for Outlet<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Two streams of frames become one: those of a first.");
        dff_setup!(self, clk, in_frame, is_b, in_a_row, has_out, owes_end);
        dff_setup!(self, clk, out_data, out_keep, out_last, out_user);
        comment!(
            "Between frames a is chosen, but for b when it has waited for too many: then it waits still."
        );
        self.yields.next = self.in_a_row.q.val() == self.most.val();
        if self.in_frame.q.val() {
            self.yields.next = self.is_b.q.val();
        }
        self.selects_b.next = self.yields.val() || (!self.in_frame.q.val() && !self.a_axis_tvalid.val());
        self.moves.next = self.m_axis_tready.val() || !self.has_out.q.val();
        self.accepts.next = self.moves.val() && !self.cut.val() && !self.owes_end.q.val();
        self.a_axis_tready.next = self.accepts.val() && !self.yields.val();
        self.b_axis_tready.next = self.accepts.val() && self.selects_b.val();
        self.takes_a.next = self.accepts.val() && !self.selects_b.val() && self.a_axis_tvalid.val();
        self.takes_b.next = self.accepts.val() && self.selects_b.val() && self.b_axis_tvalid.val();

        if self.takes_a.val() {
            self.is_b.d.next = false;
            self.in_frame.d.next = !self.a_axis_tlast.val();
            if !self.in_frame.q.val() {
                self.in_a_row.d.next = 0.into();
                if self.b_axis_tvalid.val() {
                    self.in_a_row.d.next = self.in_a_row.q.val() + 1;
                }
            }
        }
        if self.takes_b.val() {
            self.is_b.d.next = true;
            self.in_frame.d.next = !self.b_axis_tlast.val();
            self.in_a_row.d.next = 0.into();
        }

        comment!("The output takes the chosen input's beat.");
        if self.moves.val() {
            self.has_out.d.next = self.takes_a.val() || self.takes_b.val();
        }
        if self.takes_a.val() || self.takes_b.val() {
            self.out_data.d.next = self.a_axis_tdata.val();
            self.out_keep.d.next = self.a_axis_tkeep.val();
            self.out_last.d.next = self.a_axis_tlast.val();
            self.out_user.d.next = false;
            if self.selects_b.val() {
                self.out_data.d.next = self.b_axis_tdata.val();
                self.out_keep.d.next = self.b_axis_tkeep.val();
                self.out_last.d.next = self.b_axis_tlast.val();
                self.out_user.d.next = self.b_axis_tuser.val();
            }
        }
        comment!("A frame that is cut ends with its last beat once more, marked as an error.");
        if self.cut.val() {
            self.in_frame.d.next = false;
            self.is_b.d.next = false;
            self.in_a_row.d.next = 0.into();
            self.owes_end.d.next = self.in_frame.q.val() || self.owes_end.q.val();
        } else if self.moves.val() && self.owes_end.q.val() {
            self.owes_end.d.next = false;
            self.has_out.d.next = true;
            self.out_last.d.next = true;
            self.out_user.d.next = true;
        }
        self.m_axis_tvalid.next = self.has_out.q.val();
        self.m_axis_tdata.next = self.out_data.q.val();
        self.m_axis_tkeep.next = self.out_keep.q.val();
        self.m_axis_tlast.next = self.out_last.q.val();
        self.m_axis_tuser.next = self.out_user.q.val();

        if self.rst.val() {
            self.in_frame.d.next = false;
            self.is_b.d.next = false;
            self.in_a_row.d.next = 0.into();
            self.has_out.d.next = false;
            self.owes_end.d.next = false;
        }
    }
}
