//! The skid buffer: a register in a stream that cuts `ready` as well.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{Reg, Word};
use crate::comment;

/// Two words between two streams on one clock, so that neither `valid` nor `ready` passes through without a register.
///
/// ```text
///  in_* ──┬───────────► out ──► out_*
///         └──► spare ───┘  the word that came while out was held up
/// ```
///
/// A word moves at an edge with `valid` and `ready` high. It can go out one edge after it came in; one word an edge.
#[block]
pub struct SkidBuffer<D: Word> {
    pub in_valid: Signal<In, bool>,
    pub in_ready: Signal<Out, bool>,
    pub in_data: Signal<In, D>,
    pub out_valid: Signal<Out, bool>,
    pub out_ready: Signal<In, bool>,
    pub out_data: Signal<Out, D>,

    /// The spare is free.
    #[reset = false]
    is_free: Reg<bool>,
    /// It was reset at the last edge, so that `is_free` is low without a word in the spare.
    #[reset = true]
    starts: Reg<bool>,
    spare: Reg<D>,
    #[reset = false]
    has_out: Reg<bool>,
    out: Reg<D>,
}

#[block]
impl<D: Word> SkidBuffer<D> {
    fn update(&mut self) {
        comment!("module skid_buffer: a register in a stream, for ready as well");
        let push = self.in_valid & self.is_free;
        let moves = self.out_ready | !self.has_out;
        let has_spare = !self.is_free & !self.starts;
        self.starts = false;
        self.is_free = true;
        if moves {
            self.has_out = push | has_spare;
            self.out = self.in_data;
            if has_spare {
                self.out = self.spare;
            }
        } else if push | has_spare {
            self.is_free = false;
        }
        if push {
            self.spare = self.in_data;
        }
        self.in_ready = self.is_free;
        self.out_valid = self.has_out;
        self.out_data = self.out;
    }
}
