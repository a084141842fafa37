//! A value some cycles later.

use rust_hdl::prelude::*;

use super::{Array, Word};
use crate::comment;

/// `output` is what `input` was `N` clock edges before, `N >= 1`: registers in a row, without reset.
#[derive(LogicBlock, Default)]
pub struct Delay<D: Word, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub input_value: Signal<In, D>,
    pub output_value: Signal<Out, D>,
    last: Signal<Local, D>,
    after: Array<DFF<D>, N>,
}

impl<D: Word, const N: usize> Logic for Delay<D, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module delay: a value some cycles later");
        self.last.next = self.input_value.val();
        for i in 0..N {
            self.after[i].clock.next = self.clk.val();
            self.after[i].d.next = self.last.val();
            self.last.next = self.after[i].q.val();
        }
        self.output_value.next = self.last.val();
    }
}
