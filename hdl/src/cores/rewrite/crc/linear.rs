//! Functions whose bits are parities.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// What 64 bits of a message add to the state at the end of the beat.
#[block(no_clock)]
pub struct Added {
    pub message: Signal<In, Bits<64>>,
    pub state: Signal<Out, Bits<32>>,
    rows: [Param<Bits<64>>; 32],
}

#[block]
impl Added {
    /// With the bits of the message that each bit of the state is the parity of.
    pub fn new(rows: [Param<Bits<64>>; 32]) -> Self {
        Self { rows, ..Default::default() }
    }

    fn update(&mut self) {
        comment!("What 64 bits of a message add to the state.");
        self.state = 0;
        for j in 0..32 {
            self.state = self.state.replace_bit(j, (self.message & self.rows[j]).xor());
        }
    }
}

/// The state of a beat before.
#[block(no_clock)]
pub struct Moved {
    pub given: Signal<In, Bits<32>>,
    pub after: Signal<Out, Bits<32>>,
    rows: [Param<Bits<32>>; 32],
}

#[block]
impl Moved {
    /// With the bits of the state that each bit of the next one is the parity of.
    pub fn new(rows: [Param<Bits<32>>; 32]) -> Self {
        Self { rows, ..Default::default() }
    }

    fn update(&mut self) {
        comment!("What becomes of the state in so many bytes of zeros.");
        self.after = 0;
        for j in 0..32 {
            self.after = self.after.replace_bit(j, (self.given & self.rows[j]).xor());
        }
    }
}

/// Takes zeros back that stood behind the message: as many bytes as one bit of their count says, and as the next one.
#[block(no_clock)]
pub struct Undone {
    pub given: Signal<In, Bits<32>>,
    pub count: Signal<In, Bits<2>>,
    pub after: Signal<Out, Bits<32>>,
    once: Moved,
    twice: Moved,
}

#[block]
impl Undone {
    /// For these two functions.
    pub fn new(once: [Param<Bits<32>>; 32], twice: [Param<Bits<32>>; 32]) -> Self {
        Self { once: Moved::new(once), twice: Moved::new(twice), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("Takes back zeros behind the message.");
        self.once.given = self.given;
        let mut between: Bits<32> = self.given;
        if self.count.get_bit(0) {
            between = self.once.after;
        }
        self.twice.given = between;
        self.after = between;
        if self.count.get_bit(1) {
            self.after = self.twice.after;
        }
    }
}
