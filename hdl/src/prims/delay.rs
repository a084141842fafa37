//! A value some cycles later.

use array_init::array_init;
use rust_hdl::prelude::*;

use super::Word;
use crate::{block, comment};

/// `output` is what `input` was `N` clock edges before, `N >= 1`: registers in a row, without reset.
#[derive(LogicBlock)]
pub struct Delay<D: Word, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub input_value: Signal<In, D>,
    pub output_value: Signal<Out, D>,
    last: Signal<Local, D>,
    after: [DFF<D>; N],
}

impl<D: Word, const N: usize> Default for Delay<D, N> {
    fn default() -> Self {
        block!(Delay { after: array_init(|_| DFF::default()) }; clk, input_value, output_value, last)
    }
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
