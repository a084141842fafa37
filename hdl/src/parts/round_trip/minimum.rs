//! The smallest RTT of each class of paths, and what an average is hot above.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, SimpleDualPort};

/// Keeps the smallest RTT of 16 classes, each without its packet's own serialisation, and makes `ratio * (rtt_min + op_serial)` of it
/// as three rows, a row for two bits of the ratio.
///
/// ```text
///   read              forward                         update                 judge
///   class ──► RAM ──► newest but one ──► + serial ──► the smallest of it, ─► rows
///                     ahead                           the op ahead's, own
/// ```
///
/// A value goes into the RAM only where it changes. `T` is the width of a time, `U = T + 1`, `P = T + 8`.
#[derive(LogicBlock, Default)]
pub struct Minimum<const T: usize, const U: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    /// Update stage: the op is a sample that is not refused, or would be one; its RTT.
    pub accepts: Signal<In, bool>,
    pub sample: Signal<In, bool>,
    pub rtt: Signal<In, Bits<T>>,
    /// Judge stage: times 1, 4 and 16 they add up to the product.
    pub row_0: Signal<Out, Bits<P>>,
    pub row_1: Signal<Out, Bits<P>>,
    pub row_2: Signal<Out, Bits<P>>,

    ram: SimpleDualPort<Bits<4>, Bits<T>>,

    read_class: DFF<Bits<4>>,
    read_set: DFF<bool>,
    read_ratio: DFF<Bits<6>>,

    forward_class: DFF<Bits<4>>,
    forward_set: DFF<bool>,
    forward_ratio: DFF<Bits<6>>,
    same_one: DFF<bool>,
    same_two: DFF<bool>,
    same_three: DFF<bool>,
    newest: Signal<Local, Bits<T>>,

    update_class: DFF<Bits<4>>,
    update_set: DFF<bool>,
    update_ratio: DFF<Bits<6>>,
    update_corrected: DFF<Bits<T>>,
    follows: DFF<bool>,
    from_newest: DFF<Bits<U>>,
    from_ahead: DFF<Bits<U>>,
    below_newest: DFF<bool>,
    below_ahead: DFF<bool>,
    takes_ahead: Signal<Local, bool>,
    is_less: Signal<Local, bool>,
    limit: Signal<Local, Bits<U>>,
    once: Signal<Local, Bits<P>>,
    twice: Signal<Local, Bits<P>>,

    judge_class: DFF<Bits<4>>,
    judge_changes: DFF<bool>,
    judge_corrected: DFF<Bits<T>>,
    first_row: DFF<Bits<P>>,
    second_row: DFF<Bits<P>>,
    third_row: DFF<Bits<P>>,

    behind_changes: DFF<bool>,
    behind_corrected: DFF<Bits<T>>,

    none: Param<Bits<P>>,
    largest: Param<Bits<T>>,
}

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
}

impl<const T: usize, const U: usize, const P: usize> Logic for Minimum<T, U, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module minimum: the smallest RTT of each class, and the rows of ratio * (rtt_min + serial)"
        );
        dff_setup!(self, clk, read_class, read_set, read_ratio, forward_class, forward_set, forward_ratio);
        dff_setup!(self, clk, same_one, same_two, same_three, update_class, update_set, update_ratio);
        dff_setup!(self, clk, update_corrected, follows, from_newest, from_ahead, below_newest, below_ahead);
        dff_setup!(self, clk, judge_class, judge_changes, judge_corrected, first_row, second_row, third_row);
        dff_setup!(self, clk, behind_changes, behind_corrected);

        comment!("Inputs.");
        self.read_class.d.next = self.path_class.val();
        self.read_set.d.next = self.is_set.val();
        self.read_ratio.d.next = self.ratio.val();

        comment!("Read: which of the three ops ahead have the class.");
        self.ram.clk.next = self.clk.val();
        self.ram.read_address.next = self.read_class.q.val();
        self.forward_class.d.next = self.read_class.q.val();
        self.forward_set.d.next = self.read_set.q.val();
        self.forward_ratio.d.next = self.read_ratio.q.val();
        self.same_one.d.next = self.read_class.q.val() == self.forward_class.q.val();
        self.same_two.d.next = self.read_class.q.val() == self.update_class.q.val();
        self.same_three.d.next = self.read_class.q.val() == self.judge_class.q.val();

        comment!("Forward: the newest one but for that of the op one place ahead, which is not known yet.");
        self.newest.next = self.ram.read_data.val();
        if self.same_two.q.val() & self.judge_changes.q.val() {
            self.newest.next = self.judge_corrected.q.val();
        } else if self.same_three.q.val() & self.behind_changes.q.val() {
            self.newest.next = self.behind_corrected.q.val();
        }
        self.from_newest.d.next = bit_cast::<U, T>(self.newest.val()) + bit_cast::<U, T>(self.serial.val());
        self.from_ahead.d.next =
            bit_cast::<U, T>(self.update_corrected.q.val()) + bit_cast::<U, T>(self.serial.val());
        self.below_newest.d.next = self.corrected.val() < self.newest.val();
        self.below_ahead.d.next = self.corrected.val() < self.update_corrected.q.val();
        self.follows.d.next = self.same_one.q.val();
        self.update_class.d.next = self.forward_class.q.val();
        self.update_set.d.next = self.forward_set.q.val();
        self.update_ratio.d.next = self.forward_ratio.q.val();
        self.update_corrected.d.next = self.corrected.val();

        comment!(
            "Update: with the op's own sample. The RTT of a new minimum is that minimum and its serialisation."
        );
        self.takes_ahead.next = self.follows.q.val() & self.judge_changes.q.val();
        self.is_less.next = self.below_newest.q.val();
        self.limit.next = self.from_newest.q.val();
        if self.takes_ahead.val() {
            self.is_less.next = self.below_ahead.q.val();
            self.limit.next = self.from_ahead.q.val();
        }
        if self.sample.val() & self.is_less.val() {
            self.limit.next = bit_cast::<U, T>(self.rtt.val());
        }
        self.once.next = bit_cast::<P, U>(self.limit.val());
        self.twice.next = bit_cast::<P, U>(self.limit.val()) << 1;
        self.first_row.d.next = self.none.val();
        if self.update_ratio.q.val().get_bit(0) & self.update_ratio.q.val().get_bit(1) {
            self.first_row.d.next = self.once.val() + self.twice.val();
        } else if self.update_ratio.q.val().get_bit(0) {
            self.first_row.d.next = self.once.val();
        } else if self.update_ratio.q.val().get_bit(1) {
            self.first_row.d.next = self.twice.val();
        }
        self.second_row.d.next = self.none.val();
        if self.update_ratio.q.val().get_bit(2) & self.update_ratio.q.val().get_bit(3) {
            self.second_row.d.next = self.once.val() + self.twice.val();
        } else if self.update_ratio.q.val().get_bit(2) {
            self.second_row.d.next = self.once.val();
        } else if self.update_ratio.q.val().get_bit(3) {
            self.second_row.d.next = self.twice.val();
        }
        self.third_row.d.next = self.none.val();
        if self.update_ratio.q.val().get_bit(4) & self.update_ratio.q.val().get_bit(5) {
            self.third_row.d.next = self.once.val() + self.twice.val();
        } else if self.update_ratio.q.val().get_bit(4) {
            self.third_row.d.next = self.once.val();
        } else if self.update_ratio.q.val().get_bit(5) {
            self.third_row.d.next = self.twice.val();
        }
        self.judge_class.d.next = self.update_class.q.val();
        self.judge_changes.d.next = (self.accepts.val() & self.is_less.val()) | self.update_set.q.val();
        self.judge_corrected.d.next = self.update_corrected.q.val();

        comment!("Judge, behind it. After reset the RAM is filled, a class a cycle.");
        self.ram.write_enable.next = self.judge_changes.q.val() | self.clear.val();
        self.ram.write_address.next = self.judge_class.q.val();
        self.ram.write_data.next = self.judge_corrected.q.val();
        if self.clear.val() {
            self.ram.write_address.next = self.clear_class.val();
            self.ram.write_data.next = self.largest.val();
        }
        self.row_0.next = self.first_row.q.val();
        self.row_1.next = self.second_row.q.val();
        self.row_2.next = self.third_row.q.val();
        self.behind_changes.d.next = self.judge_changes.q.val();
        self.behind_corrected.d.next = self.judge_corrected.q.val();
        if self.rst.val() {
            self.read_set.d.next = false;
            self.forward_set.d.next = false;
            self.update_set.d.next = false;
            self.judge_changes.d.next = false;
            self.behind_changes.d.next = false;
        }
    }
}
