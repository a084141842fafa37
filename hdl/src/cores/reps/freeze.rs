//! The freeze time of every connection, beside the pipeline of the control word.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Ahead;
use crate::comment;
use crate::prims::Param;

/// Computes `exit_freezing` for the op, finds the one of its connection, and compares.
///
/// ```text
///   read            forward                      update           write
///   now ──────────► now ──────────────► compare ─► past
///   + timeout ────► exit ──────────────────────►  exit ─► keep ─► time ─► control RAM, update after two more ops
///   RAM word,   ──► time ──────────────► compare
///   newer ones
/// ```
///
/// The op one place ahead is too late for the register `time`: it has a comparison of its own. Whether a timeout ahead
/// enters freezing or finds the connection exploring does not matter here, because then the time means nothing.
///
/// `T` is the width of a time, `H = T - 8` that of its part beside the control state, `W = T + 1` that of a difference.
#[derive(LogicBlock, Default)]
pub struct FreezeTime<const T: usize, const H: usize, const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Time at which the op was taken, in ticks.
    pub now: Signal<In, Bits<T>>,
    /// Ticks that a freeze entered by this op lasts.
    pub freeze_timeout: Signal<In, Bits<T>>,
    /// Read stage: an op stands there. While the control RAM is cleared there is none.
    pub read_valid: Signal<In, bool>,
    /// Read stage: the low byte and the rest of the time in the control RAM.
    pub stored_low: Signal<In, Bits<8>>,
    pub stored_high: Signal<In, Bits<H>>,
    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<In, Ahead>,
    /// The op in the forward stage is a timeout.
    pub forward_timeout: Signal<In, bool>,
    /// The op in the update stage is one.
    pub update_timeout: Signal<In, bool>,
    /// Its connection was freezing before it.
    pub update_freezing: Signal<In, bool>,

    /// Update stage: `now` is past `exit_freezing`.
    pub past: Signal<Out, bool>,
    /// Update stage: `now` is past the `exit_freezing` that the op would set.
    pub past_own_exit: Signal<Out, bool>,
    /// Update stage: low byte of the `exit_freezing` that the op would set.
    pub exit_low: Signal<Out, Bits<8>>,
    /// Write stage: the connection's time after the op, without its low byte.
    pub time_high: Signal<Out, Bits<H>>,

    read_now: DFF<Bits<T>>,
    read_ticks: DFF<Bits<T>>,
    stored: Signal<Local, Bits<T>>,
    two_sets: Signal<Local, bool>,
    /// The newest time is that of the write stage or behind it.
    old: Signal<Local, bool>,
    /// The newest time is that of the update stage or that behind the write stage.
    odd: Signal<Local, bool>,
    newest: Signal<Local, Bits<T>>,

    forward_now: DFF<Bits<T>>,
    forward_exit: DFF<Bits<T>>,
    forward_past_own_exit: DFF<bool>,
    forward_time: DFF<Bits<T>>,
    forward_laps: DFF<bool>,
    forward_one_laps: DFF<bool>,
    forward_one: DFF<bool>,
    forward_one_times_out: DFF<bool>,
    now_scaled: Signal<Local, Bits<T>>,
    time_scaled: Signal<Local, Bits<T>>,
    ahead_scaled: Signal<Local, Bits<T>>,
    now_lapped: Signal<Local, Bits<W>>,
    now_one_lapped: Signal<Local, Bits<W>>,
    difference: Signal<Local, Bits<W>>,
    difference_one: Signal<Local, Bits<W>>,
    is_past: Signal<Local, bool>,
    is_past_one: Signal<Local, bool>,

    update_exit: DFF<Bits<T>>,
    update_past: DFF<bool>,
    update_past_own_exit: DFF<bool>,
    update_time: DFF<Bits<T>>,
    update_one: DFF<bool>,
    sets: Signal<Local, bool>,

    write_time: DFF<Bits<T>>,
    after_time: DFF<Bits<T>>,

    sign: Param<Bits<8>>,
    borrow: Param<Bits<8>>,
}

impl<const T: usize, const H: usize, const W: usize> FreezeTime<T, H, W> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            sign: Param::new((T as u64 - 1).into()),
            borrow: Param::new((T as u64).into()),
            ..Default::default()
        }
    }
}

impl<const T: usize, const H: usize, const W: usize> Logic for FreezeTime<T, H, W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module freeze_time: the time at which each connection may leave freezing, and the test for it"
        );
        dff_setup!(self, clk, read_now, read_ticks);
        dff_setup!(self, clk, forward_now, forward_exit, forward_past_own_exit, forward_time);
        dff_setup!(self, clk, forward_laps, forward_one_laps, forward_one, forward_one_times_out);
        dff_setup!(self, clk, update_exit, update_past, update_past_own_exit, update_time, update_one);
        dff_setup!(self, clk, write_time, after_time);

        comment!(
            "Read: the stored time arrives from the control RAM, unless an op ahead still has a newer one."
        );
        self.read_now.d.next = self.now.val();
        self.read_ticks.d.next = self.freeze_timeout.val();
        self.stored.next =
            (bit_cast::<T, H>(self.stored_high.val()) << 8) | bit_cast::<T, 8>(self.stored_low.val());
        self.two_sets.next = self.ahead.val().two_times_out & !self.update_freezing.val();
        self.old.next = self.ahead.val().older & !self.two_sets.val();
        self.odd.next = self.ahead.val().only_four | self.two_sets.val();
        self.newest.next = self.stored.val();
        if self.old.val() {
            self.newest.next = self.write_time.q.val();
            if self.odd.val() {
                self.newest.next = self.after_time.q.val();
            }
        } else if self.odd.val() {
            self.newest.next = self.update_exit.q.val();
        }
        self.forward_now.d.next = self.read_now.q.val();
        self.forward_exit.d.next = self.read_now.q.val() + self.read_ticks.q.val();
        self.forward_past_own_exit.d.next =
            self.read_ticks.q.val().get_bit(self.sign.val().index()) & (self.read_ticks.q.val() << 1).any();
        comment!("Without an op the time is 0, so that the control RAM is cleared with what is known.");
        self.forward_time.d.next = 0.into();
        self.forward_laps.d.next = false;
        if self.read_valid.val() {
            self.forward_time.d.next = self.newest.val();
            self.forward_laps.d.next = self.read_now.q.val().get_bit(self.sign.val().index())
                ^ self.newest.val().get_bit(self.sign.val().index());
        }
        self.forward_one_laps.d.next = self.read_now.q.val().get_bit(self.sign.val().index())
            ^ self.forward_exit.q.val().get_bit(self.sign.val().index());
        self.forward_one.d.next = self.ahead.val().one;
        self.forward_one_times_out.d.next = self.ahead.val().one & self.forward_timeout.val();

        comment!(
            "Forward: past means that now - time, as a signed number, is above 0. With the top bits equal that is"
        );
        comment!("now > time of the rest, with the top bits different now < time: not(now >= time).");
        self.now_scaled.next = self.forward_now.q.val() << 1;
        self.time_scaled.next = self.forward_time.q.val() << 1;
        self.ahead_scaled.next = self.update_exit.q.val() << 1;
        self.now_lapped.next =
            bit_cast::<W, T>(self.now_scaled.val().replace_bit(0, self.forward_laps.q.val()));
        self.now_one_lapped.next =
            bit_cast::<W, T>(self.now_scaled.val().replace_bit(0, self.forward_one_laps.q.val()));
        self.difference.next = bit_cast::<W, T>(self.time_scaled.val()) - self.now_lapped.val();
        self.difference_one.next = bit_cast::<W, T>(self.ahead_scaled.val()) - self.now_one_lapped.val();
        self.is_past.next = (self.difference.val() >> self.borrow.val()).any() ^ self.forward_laps.q.val();
        self.is_past_one.next =
            (self.difference_one.val() >> self.borrow.val()).any() ^ self.forward_one_laps.q.val();
        self.update_past.d.next = self.is_past.val();
        if self.forward_one_times_out.q.val() & !self.update_freezing.val() {
            self.update_past.d.next = self.is_past_one.val();
        }
        self.update_exit.d.next = self.forward_exit.q.val();
        self.update_past_own_exit.d.next = self.forward_past_own_exit.q.val();
        self.update_time.d.next = self.forward_time.q.val();
        self.update_one.d.next = self.forward_one.q.val();

        comment!(
            "Update: a timeout sets the time. Otherwise it stays, and the op one place ahead has the latest."
        );
        self.past.next = self.update_past.q.val();
        self.past_own_exit.next = self.update_past_own_exit.q.val();
        self.exit_low.next = bit_cast::<8, T>(self.update_exit.q.val());
        self.sets.next = self.update_timeout.val() & !self.update_freezing.val();
        if self.sets.val() | !self.update_one.q.val() {
            self.write_time.d.next = self.update_time.q.val();
            if self.sets.val() {
                self.write_time.d.next = self.update_exit.q.val();
            }
        }

        comment!("Write.");
        self.time_high.next = self.write_time.q.val().get_bits::<H>(8);
        self.after_time.d.next = self.write_time.q.val();

        comment!(
            "Every register has a reset: nothing is unknown, and no chain of them becomes a shift register of LUTs."
        );
        if self.rst.val() {
            self.read_now.d.next = 0.into();
            self.read_ticks.d.next = 0.into();
            self.forward_now.d.next = 0.into();
            self.forward_exit.d.next = 0.into();
            self.forward_past_own_exit.d.next = false;
            self.forward_time.d.next = 0.into();
            self.forward_laps.d.next = false;
            self.forward_one_laps.d.next = false;
            self.forward_one.d.next = false;
            self.forward_one_times_out.d.next = false;
            self.update_exit.d.next = 0.into();
            self.update_past.d.next = false;
            self.update_past_own_exit.d.next = false;
            self.update_time.d.next = 0.into();
            self.update_one.d.next = false;
            self.write_time.d.next = 0.into();
            self.after_time.d.next = 0.into();
        }
    }
}
