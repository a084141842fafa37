//! The skid buffer: a register in a stream that cuts `ready` as well.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::Word;
use crate::comment;

/// Two words between two streams on one clock, so that neither `valid` nor `ready` passes through without a register.
///
/// ```text
///  in_* ──┬───────────► out ──► out_*
///         └──► spare ───┘  the word that came while out was held up
/// ```
///
/// A word moves at an edge with `valid` and `ready` high. It can go out one edge after it came in; one word an edge.
#[derive(LogicBlock, Default)]
pub struct SkidBuffer<D: Word> {
    pub clk: Signal<In, Clock>,
    /// Empties it; `in_ready` is low at the edges with it and rises after.
    pub rst: Signal<In, bool>,
    pub in_valid: Signal<In, bool>,
    pub in_ready: Signal<Out, bool>,
    pub in_data: Signal<In, D>,
    pub out_valid: Signal<Out, bool>,
    pub out_ready: Signal<In, bool>,
    pub out_data: Signal<Out, D>,

    /// The spare is free.
    is_free: DFF<bool>,
    /// It was reset at the last edge, so that `is_free` is low without a word in the spare.
    starts: DFF<bool>,
    spare: DFF<D>,
    has_out: DFF<bool>,
    out: DFF<D>,
    push: Signal<Local, bool>,
    moves: Signal<Local, bool>,
    has_spare: Signal<Local, bool>,
}

impl<D: Word> Logic for SkidBuffer<D> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module skid_buffer: a register in a stream, for ready as well");
        dff_setup!(self, clk, is_free, starts, spare, has_out, out);
        self.push.next = self.in_valid.val() & self.is_free.q.val();
        self.moves.next = self.out_ready.val() | !self.has_out.q.val();
        self.has_spare.next = !self.is_free.q.val() & !self.starts.q.val();
        self.starts.d.next = false;
        self.is_free.d.next = true;
        if self.moves.val() {
            self.has_out.d.next = self.push.val() | self.has_spare.val();
            self.out.d.next = self.in_data.val();
            if self.has_spare.val() {
                self.out.d.next = self.spare.q.val();
            }
        } else if self.push.val() | self.has_spare.val() {
            self.is_free.d.next = false;
        }
        if self.push.val() {
            self.spare.d.next = self.in_data.val();
        }
        self.in_ready.next = self.is_free.q.val();
        self.out_valid.next = self.has_out.q.val();
        self.out_data.next = self.out.q.val();
        if self.rst.val() {
            self.is_free.d.next = false;
            self.starts.d.next = true;
            self.has_out.d.next = false;
        }
    }
}
