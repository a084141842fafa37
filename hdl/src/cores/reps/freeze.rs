//! The freeze time of every connection, beside the pipeline of the control word.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Ahead;
use crate::comment;
use crate::prims::{Param, Reg, resize};

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
/// `TIME` is the width of a time, `TIME_HIGH = TIME - 8` that of its part beside the control state, `TIME_DIFFERENCE =
/// TIME + 1` that of a difference.
#[block]
pub struct FreezeTime<const TIME: usize, const TIME_HIGH: usize, const TIME_DIFFERENCE: usize> {
    /// Time at which the op was taken, in ticks.
    pub now: Signal<In, Bits<TIME>>,
    /// Ticks that a freeze entered by this op lasts.
    pub freeze_timeout: Signal<In, Bits<TIME>>,
    /// Read stage: an op stands there. While the control RAM is cleared there is none.
    pub read_valid: Signal<In, bool>,
    /// Read stage: the low byte and the rest of the time in the control RAM.
    pub stored_low: Signal<In, Bits<8>>,
    pub stored_high: Signal<In, Bits<TIME_HIGH>>,
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
    pub time_high: Signal<Out, Bits<TIME_HIGH>>,

    #[reset = 0]
    read_now: Reg<Bits<TIME>>,
    #[reset = 0]
    read_ticks: Reg<Bits<TIME>>,

    #[reset = 0]
    forward_now: Reg<Bits<TIME>>,
    #[reset = 0]
    forward_exit: Reg<Bits<TIME>>,
    #[reset = false]
    forward_past_own_exit: Reg<bool>,
    #[reset = 0]
    forward_time: Reg<Bits<TIME>>,
    #[reset = false]
    forward_laps: Reg<bool>,
    #[reset = false]
    forward_one_laps: Reg<bool>,
    #[reset = false]
    forward_one: Reg<bool>,
    #[reset = false]
    forward_one_times_out: Reg<bool>,

    #[reset = 0]
    update_exit: Reg<Bits<TIME>>,
    #[reset = false]
    update_past: Reg<bool>,
    #[reset = false]
    update_past_own_exit: Reg<bool>,
    #[reset = 0]
    update_time: Reg<Bits<TIME>>,
    #[reset = false]
    update_one: Reg<bool>,

    #[reset = 0]
    write_time: Reg<Bits<TIME>>,
    #[reset = 0]
    after_time: Reg<Bits<TIME>>,

    sign: Param<Bits<8>>,
    borrow: Param<Bits<8>>,
}

#[block]
impl<const TIME: usize, const TIME_HIGH: usize, const TIME_DIFFERENCE: usize>
    FreezeTime<TIME, TIME_HIGH, TIME_DIFFERENCE>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            sign: Param::new((TIME as u64 - 1).into()),
            borrow: Param::new((TIME as u64).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!(
            "module freeze_time: the time at which each connection may leave freezing, and the test for it"
        );

        comment!(
            "Read: the stored time arrives from the control RAM, unless an op ahead still has a newer one."
        );
        self.read_now = self.now;
        self.read_ticks = self.freeze_timeout;
        let stored =
            (bit_cast::<TIME, TIME_HIGH>(self.stored_high) << 8) | bit_cast::<TIME, 8>(self.stored_low);
        let two_sets = self.ahead.two_times_out & !self.update_freezing;
        // The newest time is that of the write stage or behind it.
        let old = self.ahead.older & !two_sets;
        // The newest time is that of the update stage or that behind the write stage.
        let odd = self.ahead.only_four | two_sets;
        let mut newest = stored;
        if old {
            newest = self.write_time;
            if odd {
                newest = self.after_time;
            }
        } else if odd {
            newest = self.update_exit;
        }
        self.forward_now = self.read_now;
        self.forward_exit = self.read_now + self.read_ticks;
        self.forward_past_own_exit =
            self.read_ticks.get_bit(self.sign.index()) & (self.read_ticks << 1).any();
        comment!("Without an op the time is 0, so that the control RAM is cleared with what is known.");
        self.forward_time = 0;
        self.forward_laps = false;
        if self.read_valid {
            self.forward_time = newest;
            self.forward_laps = self.read_now.get_bit(self.sign.index()) ^ newest.get_bit(self.sign.index());
        }
        self.forward_one_laps =
            self.read_now.get_bit(self.sign.index()) ^ self.forward_exit.get_bit(self.sign.index());
        self.forward_one = self.ahead.one;
        self.forward_one_times_out = self.ahead.one & self.forward_timeout;

        comment!(
            "Forward: past means that now - time, as a signed number, is above 0. With the top bits equal that is"
        );
        comment!("now > time of the rest, with the top bits different now < time: not(now >= time).");
        let now_scaled = self.forward_now << 1;
        let time_scaled = self.forward_time << 1;
        let ahead_scaled = self.update_exit << 1;
        let now_lapped: Bits<TIME_DIFFERENCE> = resize(now_scaled.replace_bit(0, self.forward_laps));
        let now_one_lapped: Bits<TIME_DIFFERENCE> = resize(now_scaled.replace_bit(0, self.forward_one_laps));
        let difference: Bits<TIME_DIFFERENCE> = bit_cast::<TIME_DIFFERENCE, TIME>(time_scaled) - now_lapped;
        let difference_one: Bits<TIME_DIFFERENCE> =
            bit_cast::<TIME_DIFFERENCE, TIME>(ahead_scaled) - now_one_lapped;
        let is_past = (difference >> self.borrow).any() ^ self.forward_laps;
        let is_past_one = (difference_one >> self.borrow).any() ^ self.forward_one_laps;
        self.update_past = is_past;
        if self.forward_one_times_out & !self.update_freezing {
            self.update_past = is_past_one;
        }
        self.update_exit = self.forward_exit;
        self.update_past_own_exit = self.forward_past_own_exit;
        self.update_time = self.forward_time;
        self.update_one = self.forward_one;

        comment!(
            "Update: a timeout sets the time. Otherwise it stays, and the op one place ahead has the latest."
        );
        self.past = self.update_past;
        self.past_own_exit = self.update_past_own_exit;
        self.exit_low = resize(self.update_exit);
        let sets = self.update_timeout & !self.update_freezing;
        if sets | !self.update_one {
            self.write_time = self.update_time;
            if sets {
                self.write_time = self.update_exit;
            }
        }

        comment!("Write.");
        self.time_high = self.write_time.get_bits::<TIME_HIGH>(8);
        self.after_time = self.write_time;

        comment!(
            "Every register has a reset: nothing is unknown, and no chain of them becomes a shift register of LUTs."
        );
    }
}
