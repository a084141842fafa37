//! What is known of each register: the value after reset and the values that may be written.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::register::{Access, Holder, Register};
use crate::comment;
use crate::prims::{Array, Param, Reg};

/// A table of at most `N` registers by the number of their word. One clock cycle after `number` its outputs are those of that register,
/// and all low where there is none.
#[block(no_reset)]
pub struct Words<const N: usize> {
    pub number: Signal<In, Bits<8>>,
    /// `reset` is asked for; else it is 0.
    pub is_reset: Signal<In, Bit>,
    /// Value after reset; of a constant, its value.
    pub reset: Signal<Out, Bits<32>>,
    /// It takes values from `least` to `most`.
    pub is_written: Signal<Out, Bit>,
    pub least: Signal<Out, Bits<5>>,
    pub most: Signal<Out, Bits<32>>,

    reset_held: Reg<Bits<32>>,
    is_written_held: Reg<Bit>,
    least_held: Reg<Bits<5>>,
    most_held: Reg<Bits<32>>,
    is_there: Array<Param<bool>, N>,
    word: Array<Param<Bits<8>>, N>,
    reset_of: Array<Param<Bits<32>>, N>,
    takes: Array<Param<Bit>, N>,
    least_of: Array<Param<Bits<5>>, N>,
    most_of: Array<Param<Bits<32>>, N>,
}

#[block]
impl<const N: usize> Words<N> {
    /// Of the constants, settings, grants, the entry of a peer, `accept` and the command among `table`.
    ///
    /// # Panics
    /// If they are more than `N`.
    pub fn new(table: &[Register]) -> Self {
        let holds = |register: &&Register| {
            matches!(
                register.holder,
                Holder::Constant
                    | Holder::Setting
                    | Holder::Grant
                    | Holder::PeerEntry
                    | Holder::Accept
                    | Holder::Command
            )
        };
        let held: Vec<&Register> = table.iter().filter(holds).collect();
        assert!(held.len() <= N, "{} registers of the table for a block of {N}", held.len());
        let mut words = Self::default();
        for at in 0..N {
            let register = held.get(at);
            let takes = register.is_some_and(|register| register.access != Access::ReadOnly);
            let (least, most) = match register {
                Some(register) if takes => (*register.allowed.start(), *register.allowed.end()),
                _ => (0, 0),
            };
            words.is_there[at] = Param::new(register.is_some());
            words.word[at] = Param::new(register.map_or(0, |register| register.word()).into());
            words.reset_of[at] = Param::new(register.map_or(0, |register| u64::from(register.reset)).into());
            words.takes[at] = Param::new(takes);
            words.least_of[at] = Param::new(u64::from(least).into());
            words.most_of[at] = Param::new(u64::from(most).into());
        }
        words
    }

    fn update(&mut self) {
        comment!("module words: what is known of each register");
        self.reset_held = 0;
        self.is_written_held = false;
        self.least_held = 0;
        self.most_held = 0;
        for i in 0..N {
            if self.is_there[i] {
                if self.number == self.word[i] {
                    self.reset_held = self.reset_of[i];
                    self.is_written_held = self.takes[i];
                    self.least_held = self.least_of[i];
                    self.most_held = self.most_of[i];
                }
            }
        }
        if !self.is_reset {
            self.reset_held = 0;
        }
        self.reset = self.reset_held;
        self.is_written = self.is_written_held;
        self.least = self.least_held;
        self.most = self.most_held;
    }
}
