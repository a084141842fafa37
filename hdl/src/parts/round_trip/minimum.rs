//! The smallest RTT of each class of paths, and what an average is hot above.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, Reg, SimpleDualPort, resize};

/// Keeps the smallest RTT of 16 classes, each without its packet's own serialisation, and makes `ratio * (rtt_min + op_serial)` of it
/// in two parts.
///
/// ```text
///   read              forward                                 update                 judge
///   class ──► RAM ──► newest but one ─► + serial ─► times 3 ─► the smallest of it, ─► two parts
///                     ahead                                    the op ahead's, own
/// ```
///
/// Which of the three it is, is known when the update stage begins, as is three times each of them: a row of the product is for two
/// bits of the ratio. A value goes into the RAM only where it changes. `T` is the width of a time, `U = T + 1`, `P = T + 8`.
#[block]
pub struct Minimum<const T: usize, const U: usize, const P: usize> {
    /// The memories are cleared: this class becomes all ones.
    pub clear: Signal<In, bool>,
    pub clear_class: Signal<In, Bits<4>>,
    /// Inputs.
    pub path_class: Signal<In, Bits<4>>,
    pub is_set: Signal<In, bool>,
    pub ratio: Signal<In, Bits<6>>,
    /// Forward stage: what [`super::Rtt`] says.
    pub serial: Signal<In, Bits<T>>,
    pub corrected: Signal<In, Bits<T>>,
    pub forward_rtt: Signal<In, Bits<T>>,
    pub forward_sample: Signal<In, bool>,
    /// Update stage: the op is an ACK that is not refused; the RTT of the op.
    pub takes_ack: Signal<In, bool>,
    pub rtt: Signal<In, Bits<T>>,
    /// Judge stage: they add up to the product.
    pub lower_part: Signal<Out, Bits<P>>,
    pub upper_part: Signal<Out, Bits<P>>,

    ram: SimpleDualPort<Bits<4>, Bits<T>>,

    read_class: Reg<Bits<4>>,
    #[reset = false]
    read_set: Reg<bool>,
    read_ratio: Reg<Bits<6>>,

    forward_class: Reg<Bits<4>>,
    #[reset = false]
    forward_set: Reg<bool>,
    forward_ratio: Reg<Bits<6>>,
    same_one: Reg<bool>,
    #[reset = false]
    two_changes: Reg<bool>,
    #[reset = false]
    three_changes: Reg<bool>,

    update_class: Reg<Bits<4>>,
    #[reset = false]
    update_set: Reg<bool>,
    update_ratio: Reg<Bits<6>>,
    update_corrected: Reg<Bits<T>>,
    #[reset = false]
    is_own: Reg<bool>,
    #[reset = false]
    is_ahead: Reg<bool>,
    from_newest: Reg<Bits<U>>,
    from_ahead: Reg<Bits<U>>,
    newest_thrice: Reg<Bits<P>>,
    ahead_thrice: Reg<Bits<P>>,
    own_thrice: Reg<Bits<P>>,

    judge_class: Reg<Bits<4>>,
    #[reset = false]
    judge_changes: Reg<bool>,
    judge_corrected: Reg<Bits<T>>,
    lower: Reg<Bits<P>>,
    upper: Reg<Bits<P>>,

    behind_corrected: Reg<Bits<T>>,

    none: Param<Bits<P>>,
    largest: Param<Bits<T>>,
}

#[block]
impl<const T: usize, const U: usize, const P: usize> Minimum<T, U, P> {
    /// The block with its memory.
    pub fn new() -> Self {
        let about = "smallest RTT of each class of paths";
        Self {
            ram: SimpleDualPort::new("rtt_min_ram", about, MemoryKind::Distributed),
            none: Param::new(0.into()),
            largest: Param::new(((1u64 << T) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!(
            "module minimum: the smallest RTT of each class, and the two parts of ratio * (rtt_min + serial)"
        );

        comment!("Inputs.");
        self.read_class = self.path_class;
        self.read_set = self.is_set;
        self.read_ratio = self.ratio;

        comment!("Read: which of the three ops ahead have the class, and of the older two, which change it.");
        self.ram.read_address = self.read_class;
        self.forward_class = self.read_class;
        self.forward_set = self.read_set;
        self.forward_ratio = self.read_ratio;
        let changes = (self.takes_ack & self.is_own) | self.update_set;
        self.same_one = self.read_class == self.forward_class;
        self.two_changes = (self.read_class == self.update_class) & changes;
        self.three_changes = (self.read_class == self.judge_class) & self.judge_changes;

        comment!("Forward: the newest one but for that of the op one place ahead, which is known late.");
        let mut newest = self.ram.read_data;
        if self.two_changes {
            newest = self.judge_corrected;
        } else if self.three_changes {
            newest = self.behind_corrected;
        }
        let with_newest: Bits<P> = bit_cast::<P, T>(newest) + bit_cast::<P, T>(self.serial);
        let with_ahead: Bits<P> = bit_cast::<P, T>(self.update_corrected) + bit_cast::<P, T>(self.serial);
        let own: Bits<P> = resize(self.forward_rtt);
        self.from_newest = resize(with_newest);
        self.from_ahead = resize(with_ahead);
        self.newest_thrice = with_newest + (with_newest << 1);
        self.ahead_thrice = with_ahead + (with_ahead << 1);
        self.own_thrice = own + (own << 1);
        let ahead_changes = self.same_one & changes;
        let mut is_less = self.corrected < newest;
        if ahead_changes {
            is_less = self.corrected < self.update_corrected;
        }
        self.is_own = self.forward_sample & is_less;
        self.is_ahead = ahead_changes;
        self.update_class = self.forward_class;
        self.update_set = self.forward_set;
        self.update_ratio = self.forward_ratio;
        self.update_corrected = self.corrected;

        comment!(
            "Update: with the op's own sample. The RTT of a new minimum is that minimum and its serialisation."
        );
        let mut limit = self.from_newest;
        let mut thrice = self.newest_thrice;
        if self.is_own {
            limit = resize(self.rtt);
            thrice = self.own_thrice;
        } else if self.is_ahead {
            limit = self.from_ahead;
            thrice = self.ahead_thrice;
        }
        let once: Bits<P> = resize(limit);
        let twice: Bits<P> = bit_cast::<P, U>(limit) << 1;
        let mut row_0 = self.none;
        if self.update_ratio.get_bit(0) & self.update_ratio.get_bit(1) {
            row_0 = thrice;
        } else if self.update_ratio.get_bit(0) {
            row_0 = once;
        } else if self.update_ratio.get_bit(1) {
            row_0 = twice;
        }
        let mut row_1 = self.none;
        if self.update_ratio.get_bit(2) & self.update_ratio.get_bit(3) {
            row_1 = thrice;
        } else if self.update_ratio.get_bit(2) {
            row_1 = once;
        } else if self.update_ratio.get_bit(3) {
            row_1 = twice;
        }
        let mut row_2 = self.none;
        if self.update_ratio.get_bit(4) & self.update_ratio.get_bit(5) {
            row_2 = thrice;
        } else if self.update_ratio.get_bit(4) {
            row_2 = once;
        } else if self.update_ratio.get_bit(5) {
            row_2 = twice;
        }
        self.lower = row_0 + (row_1 << 2);
        self.upper = row_2 << 4;
        self.judge_class = self.update_class;
        self.judge_changes = changes;
        self.judge_corrected = self.update_corrected;

        comment!("Judge, behind it. After reset the RAM is filled, a class a cycle.");
        self.ram.write_enable = self.judge_changes | self.clear;
        self.ram.write_address = self.judge_class;
        self.ram.write_data = self.judge_corrected;
        if self.clear {
            self.ram.write_address = self.clear_class;
            self.ram.write_data = self.largest;
        }
        self.lower_part = self.lower;
        self.upper_part = self.upper;
        self.behind_corrected = self.judge_corrected;
    }
}
