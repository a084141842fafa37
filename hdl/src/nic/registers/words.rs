//! What is known of each register: the value after reset and the values that may be written.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::table::{Access, Holder, Register};
use crate::comment;
use crate::prims::{Array, Param};

/// A table of `N` registers by the number of their word. One clock cycle after `number` its outputs are those of that register,
/// and all low where there is none.
#[derive(LogicBlock, Default)]
pub struct Words<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub number: Signal<In, Bits<8>>,
    /// `reset` is asked for; else it is 0.
    pub is_reset: Signal<In, Bit>,
    /// Value after reset; of a constant, its value.
    pub reset: Signal<Out, Bits<32>>,
    /// It takes values from `least` to `most`.
    pub is_written: Signal<Out, Bit>,
    pub least: Signal<Out, Bits<5>>,
    pub most: Signal<Out, Bits<32>>,

    reset_held: DFF<Bits<32>>,
    is_written_held: DFF<Bit>,
    least_held: DFF<Bits<5>>,
    most_held: DFF<Bits<32>>,
    word: Array<Param<Bits<8>>, N>,
    reset_of: Array<Param<Bits<32>>, N>,
    takes: Array<Param<Bit>, N>,
    least_of: Array<Param<Bits<5>>, N>,
    most_of: Array<Param<Bits<32>>, N>,
}

impl<const N: usize> Words<N> {
    /// Of the constants, settings and the command among `table`.
    ///
    /// # Panics
    /// If they are not `N`.
    pub fn new(table: &[Register]) -> Self {
        let holds = |register: &&Register| {
            matches!(register.holder, Holder::Constant | Holder::Setting | Holder::Command)
        };
        let held: Vec<&Register> = table.iter().filter(holds).collect();
        assert_eq!(held.len(), N, "registers of the table that the block of {N} holds");
        let mut words = Self::default();
        for (at, register) in held.into_iter().enumerate() {
            let takes = register.access != Access::ReadOnly;
            let (least, most) = match takes {
                true => (*register.allowed.start(), *register.allowed.end()),
                false => (0, 0),
            };
            words.word[at] = Param::new(register.word().into());
            words.reset_of[at] = Param::new(u64::from(register.reset).into());
            words.takes[at] = Param::new(takes);
            words.least_of[at] = Param::new(u64::from(least).into());
            words.most_of[at] = Param::new(u64::from(most).into());
        }
        words
    }
}

impl<const N: usize> Logic for Words<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module words: what is known of each register");
        dff_setup!(self, clk, reset_held, is_written_held, least_held, most_held);
        self.reset_held.d.next = bits::<32>(0);
        self.is_written_held.d.next = false;
        self.least_held.d.next = bits::<5>(0);
        self.most_held.d.next = bits::<32>(0);
        for i in 0..N {
            if self.number.val() == self.word[i].val() {
                self.reset_held.d.next = self.reset_of[i].val();
                self.is_written_held.d.next = self.takes[i].val();
                self.least_held.d.next = self.least_of[i].val();
                self.most_held.d.next = self.most_of[i].val();
            }
        }
        if !self.is_reset.val() {
            self.reset_held.d.next = bits::<32>(0);
        }
        self.reset.next = self.reset_held.q.val();
        self.is_written.next = self.is_written_held.q.val();
        self.least.next = self.least_held.q.val();
        self.most.next = self.most_held.q.val();
    }
}
