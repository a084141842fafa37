//! The smallest RTT of each class of paths, and what an average is hot above.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, SimpleDualPort};

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
    pub forward_rtt: Signal<In, Bits<T>>,
    pub forward_sample: Signal<In, bool>,
    /// Update stage: the op is an ACK that is not refused; the RTT of the op.
    pub takes_ack: Signal<In, bool>,
    pub rtt: Signal<In, Bits<T>>,
    /// Judge stage: they add up to the product.
    pub lower_part: Signal<Out, Bits<P>>,
    pub upper_part: Signal<Out, Bits<P>>,

    ram: SimpleDualPort<Bits<4>, Bits<T>>,

    read_class: DFF<Bits<4>>,
    read_set: DFF<bool>,
    read_ratio: DFF<Bits<6>>,

    forward_class: DFF<Bits<4>>,
    forward_set: DFF<bool>,
    forward_ratio: DFF<Bits<6>>,
    same_one: DFF<bool>,
    two_changes: DFF<bool>,
    three_changes: DFF<bool>,
    newest: Signal<Local, Bits<T>>,
    ahead_changes: Signal<Local, bool>,
    is_less: Signal<Local, bool>,
    with_newest: Signal<Local, Bits<P>>,
    with_ahead: Signal<Local, Bits<P>>,
    own: Signal<Local, Bits<P>>,

    update_class: DFF<Bits<4>>,
    update_set: DFF<bool>,
    update_ratio: DFF<Bits<6>>,
    update_corrected: DFF<Bits<T>>,
    is_own: DFF<bool>,
    is_ahead: DFF<bool>,
    from_newest: DFF<Bits<U>>,
    from_ahead: DFF<Bits<U>>,
    newest_thrice: DFF<Bits<P>>,
    ahead_thrice: DFF<Bits<P>>,
    own_thrice: DFF<Bits<P>>,
    changes: Signal<Local, bool>,
    limit: Signal<Local, Bits<U>>,
    once: Signal<Local, Bits<P>>,
    twice: Signal<Local, Bits<P>>,
    thrice: Signal<Local, Bits<P>>,
    row_0: Signal<Local, Bits<P>>,
    row_1: Signal<Local, Bits<P>>,
    row_2: Signal<Local, Bits<P>>,

    judge_class: DFF<Bits<4>>,
    judge_changes: DFF<bool>,
    judge_corrected: DFF<Bits<T>>,
    lower: DFF<Bits<P>>,
    upper: DFF<Bits<P>>,

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
            "module minimum: the smallest RTT of each class, and the two parts of ratio * (rtt_min + serial)"
        );
        dff_setup!(self, clk, read_class, read_set, read_ratio, forward_class, forward_set, forward_ratio);
        dff_setup!(self, clk, same_one, two_changes, three_changes, update_class, update_set, update_ratio);
        dff_setup!(self, clk, update_corrected, is_own, is_ahead, from_newest, from_ahead);
        dff_setup!(self, clk, newest_thrice, ahead_thrice, own_thrice, judge_class, judge_changes);
        dff_setup!(self, clk, judge_corrected, lower, upper, behind_corrected);

        comment!("Inputs.");
        self.read_class.d.next = self.path_class.val();
        self.read_set.d.next = self.is_set.val();
        self.read_ratio.d.next = self.ratio.val();

        comment!("Read: which of the three ops ahead have the class, and of the older two, which change it.");
        self.ram.clk.next = self.clk.val();
        self.ram.read_address.next = self.read_class.q.val();
        self.forward_class.d.next = self.read_class.q.val();
        self.forward_set.d.next = self.read_set.q.val();
        self.forward_ratio.d.next = self.read_ratio.q.val();
        self.changes.next = (self.takes_ack.val() & self.is_own.q.val()) | self.update_set.q.val();
        self.same_one.d.next = self.read_class.q.val() == self.forward_class.q.val();
        self.two_changes.d.next = (self.read_class.q.val() == self.update_class.q.val()) & self.changes.val();
        self.three_changes.d.next =
            (self.read_class.q.val() == self.judge_class.q.val()) & self.judge_changes.q.val();

        comment!("Forward: the newest one but for that of the op one place ahead, which is known late.");
        self.newest.next = self.ram.read_data.val();
        if self.two_changes.q.val() {
            self.newest.next = self.judge_corrected.q.val();
        } else if self.three_changes.q.val() {
            self.newest.next = self.behind_corrected.q.val();
        }
        self.with_newest.next = bit_cast::<P, T>(self.newest.val()) + bit_cast::<P, T>(self.serial.val());
        self.with_ahead.next =
            bit_cast::<P, T>(self.update_corrected.q.val()) + bit_cast::<P, T>(self.serial.val());
        self.own.next = bit_cast::<P, T>(self.forward_rtt.val());
        self.from_newest.d.next = bit_cast::<U, P>(self.with_newest.val());
        self.from_ahead.d.next = bit_cast::<U, P>(self.with_ahead.val());
        self.newest_thrice.d.next = self.with_newest.val() + (self.with_newest.val() << 1);
        self.ahead_thrice.d.next = self.with_ahead.val() + (self.with_ahead.val() << 1);
        self.own_thrice.d.next = self.own.val() + (self.own.val() << 1);
        self.ahead_changes.next = self.same_one.q.val() & self.changes.val();
        self.is_less.next = self.corrected.val() < self.newest.val();
        if self.ahead_changes.val() {
            self.is_less.next = self.corrected.val() < self.update_corrected.q.val();
        }
        self.is_own.d.next = self.forward_sample.val() & self.is_less.val();
        self.is_ahead.d.next = self.ahead_changes.val();
        self.update_class.d.next = self.forward_class.q.val();
        self.update_set.d.next = self.forward_set.q.val();
        self.update_ratio.d.next = self.forward_ratio.q.val();
        self.update_corrected.d.next = self.corrected.val();

        comment!(
            "Update: with the op's own sample. The RTT of a new minimum is that minimum and its serialisation."
        );
        self.limit.next = self.from_newest.q.val();
        self.thrice.next = self.newest_thrice.q.val();
        if self.is_own.q.val() {
            self.limit.next = bit_cast::<U, T>(self.rtt.val());
            self.thrice.next = self.own_thrice.q.val();
        } else if self.is_ahead.q.val() {
            self.limit.next = self.from_ahead.q.val();
            self.thrice.next = self.ahead_thrice.q.val();
        }
        self.once.next = bit_cast::<P, U>(self.limit.val());
        self.twice.next = bit_cast::<P, U>(self.limit.val()) << 1;
        self.row_0.next = self.none.val();
        if self.update_ratio.q.val().get_bit(0) & self.update_ratio.q.val().get_bit(1) {
            self.row_0.next = self.thrice.val();
        } else if self.update_ratio.q.val().get_bit(0) {
            self.row_0.next = self.once.val();
        } else if self.update_ratio.q.val().get_bit(1) {
            self.row_0.next = self.twice.val();
        }
        self.row_1.next = self.none.val();
        if self.update_ratio.q.val().get_bit(2) & self.update_ratio.q.val().get_bit(3) {
            self.row_1.next = self.thrice.val();
        } else if self.update_ratio.q.val().get_bit(2) {
            self.row_1.next = self.once.val();
        } else if self.update_ratio.q.val().get_bit(3) {
            self.row_1.next = self.twice.val();
        }
        self.row_2.next = self.none.val();
        if self.update_ratio.q.val().get_bit(4) & self.update_ratio.q.val().get_bit(5) {
            self.row_2.next = self.thrice.val();
        } else if self.update_ratio.q.val().get_bit(4) {
            self.row_2.next = self.once.val();
        } else if self.update_ratio.q.val().get_bit(5) {
            self.row_2.next = self.twice.val();
        }
        self.lower.d.next = self.row_0.val() + (self.row_1.val() << 2);
        self.upper.d.next = self.row_2.val() << 4;
        self.judge_class.d.next = self.update_class.q.val();
        self.judge_changes.d.next = self.changes.val();
        self.judge_corrected.d.next = self.update_corrected.q.val();

        comment!("Judge, behind it. After reset the RAM is filled, a class a cycle.");
        self.ram.write_enable.next = self.judge_changes.q.val() | self.clear.val();
        self.ram.write_address.next = self.judge_class.q.val();
        self.ram.write_data.next = self.judge_corrected.q.val();
        if self.clear.val() {
            self.ram.write_address.next = self.clear_class.val();
            self.ram.write_data.next = self.largest.val();
        }
        self.lower_part.next = self.lower.q.val();
        self.upper_part.next = self.upper.q.val();
        self.behind_corrected.d.next = self.judge_corrected.q.val();
        if self.rst.val() {
            self.read_set.d.next = false;
            self.forward_set.d.next = false;
            self.two_changes.d.next = false;
            self.three_changes.d.next = false;
            self.update_set.d.next = false;
            self.is_own.d.next = false;
            self.is_ahead.d.next = false;
            self.judge_changes.d.next = false;
        }
    }
}
