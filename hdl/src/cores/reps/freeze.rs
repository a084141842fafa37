//! The freeze time of every connection, in a memory of its own beside the pipeline of the control word.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Ahead;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::parts::WordParity;
use crate::prims::{Optional, Param, Reg, SimpleDualPort, resize};

/// Computes `exit_freezing` for the op, finds the one of its connection, and compares.
///
/// ```text
///   read            forward                      update           write
///   now ──────────► now ──────────────► compare ─► past
///   + timeout ────► exit ──────────────────────►  exit ──────────► exit ──► time RAM, if the op sets it
///   RAM word,   ──► time ──────────────► compare
///   newer ones
/// ```
///
/// Only a timeout sets a time, so a time goes into the RAM there and needs no way back and forth. The op one place ahead is too late for
/// the register `time`: it has a comparison of its own. Whether a timeout ahead enters freezing or finds the connection exploring does not
/// matter here, because then the time means nothing.
///
/// `CONN` is the width of a connection's number, `TIME` that of a time, `TIME_DIFFERENCE = TIME + 1` that of a difference.
#[block]
pub struct FreezeTime<const CONN: usize, const TIME: usize, const TIME_DIFFERENCE: usize> {
    /// The connection at the inputs.
    pub op_conn: Signal<In, Bits<CONN>>,
    /// Time at which the op was taken, in ticks.
    pub now: Signal<In, Bits<TIME>>,
    /// Ticks that a freeze entered by this op lasts.
    pub freeze_timeout: Signal<In, Bits<TIME>>,
    /// The memories are cleared.
    pub ready: Signal<In, bool>,
    /// Read stage: an op stands there. While the memories are cleared there is none.
    pub read_valid: Signal<In, bool>,
    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<In, Ahead>,
    /// The op in the forward stage is a timeout.
    pub forward_timeout: Signal<In, bool>,
    /// The op in the update stage is one.
    pub update_timeout: Signal<In, bool>,
    /// Its connection was freezing before it.
    pub update_freezing: Signal<In, bool>,
    /// Write stage: the connection.
    pub write_conn: Signal<In, Bits<CONN>>,

    /// Update stage: `now` is past `exit_freezing`.
    pub past: Signal<Out, bool>,
    /// Update stage: `now` is past the `exit_freezing` that the op would set.
    pub past_own_exit: Signal<Out, bool>,
    /// With parity, forward stage: the time is the word of the RAM, and a bit of it flipped.
    pub has_flip: Optional<Signal<Out, bool>>,

    time_ram: SimpleDualPort<Bits<CONN>, Bits<TIME>>,

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
    forward_one_times_out: Reg<bool>,

    #[reset = 0]
    update_exit: Reg<Bits<TIME>>,
    #[reset = false]
    update_past: Reg<bool>,
    #[reset = false]
    update_past_own_exit: Reg<bool>,

    #[reset = 0]
    write_exit: Reg<Bits<TIME>>,
    #[reset = false]
    write_sets: Reg<bool>,
    #[reset = 0]
    behind_exit: Reg<Bits<TIME>>,
    #[reset = false]
    behind_sets: Reg<bool>,

    of_stored: Optional<WordParity<Bits<TIME>>>,
    looks: Optional<Reg<bool>>,
    has_parity: Param<bool>,
    sign: Param<Bits<8>>,
    borrow: Param<Bits<8>>,
}

#[block]
impl<const CONN: usize, const TIME: usize, const TIME_DIFFERENCE: usize>
    FreezeTime<CONN, TIME, TIME_DIFFERENCE>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new(has_parity: bool) -> Self {
        let about = "time at which each connection may leave freezing";
        Self {
            time_ram: SimpleDualPort::new("time_ram", about, MemoryKind::Block).with_parity(has_parity),
            has_flip: Optional::new(has_parity, Default::default),
            of_stored: Optional::new(has_parity, Default::default),
            looks: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
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
            "Read: the stored time arrives from the RAM, unless an op two to four places ahead has set a newer one."
        );
        self.time_ram.read_address = self.op_conn;
        self.read_now = self.now;
        self.read_ticks = self.freeze_timeout;
        let sets = self.update_timeout & !self.update_freezing;
        let two_sets = self.ahead.two_times_out & !self.update_freezing;
        let three_sets = self.ahead.three & self.write_sets;
        let four_sets = self.ahead.four & self.behind_sets;
        let is_old = (three_sets | four_sets) & !two_sets;
        let is_odd = (four_sets & !three_sets) | two_sets;
        let mut newest = self.time_ram.read_data;
        if is_old {
            newest = self.write_exit;
            if is_odd {
                newest = self.behind_exit;
            }
        } else if is_odd {
            newest = self.update_exit;
        }
        self.forward_now = self.read_now;
        self.forward_past_own_exit =
            self.read_ticks.get_bit(self.sign.index()) & (self.read_ticks << 1).any();
        comment!("Without an op the times are 0, so that the RAM is cleared with what is known.");
        self.forward_exit = 0;
        self.forward_time = 0;
        self.forward_laps = false;
        if self.read_valid {
            self.forward_exit = self.read_now + self.read_ticks;
            self.forward_time = newest;
            self.forward_laps = self.read_now.get_bit(self.sign.index()) ^ newest.get_bit(self.sign.index());
        }
        self.forward_one_laps =
            self.read_now.get_bit(self.sign.index()) ^ self.forward_exit.get_bit(self.sign.index());
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
        let one_sets = self.forward_one_times_out & !self.update_freezing;
        self.update_past = is_past;
        if one_sets {
            self.update_past = is_past_one;
        }
        self.update_exit = self.forward_exit;
        self.update_past_own_exit = self.forward_past_own_exit;
        if self.has_parity {
            comment!(
                "An op looks at the time in the RAM if no op ahead has set a newer one. The last of them is known only now."
            );
            self.of_stored.load = true;
            self.of_stored.word = self.time_ram.read_data;
            self.of_stored.parity = self.time_ram.read_parity;
            self.looks = self.read_valid & !(is_old | is_odd);
            self.has_flip = self.looks & !one_sets & self.of_stored.has_flip;
        }

        comment!("Update: a timeout sets the time unless its connection freezes already.");
        self.past = self.update_past;
        self.past_own_exit = self.update_past_own_exit;
        self.write_exit = self.update_exit;
        self.write_sets = sets;

        comment!(
            "Write, and behind it. Every register has a reset: nothing is unknown, and no chain of them becomes a shift"
        );
        comment!("register of LUTs.");
        self.time_ram.write_enable = self.write_sets | !self.ready;
        self.time_ram.write_address = self.write_conn;
        self.time_ram.write_data = self.write_exit;
        self.behind_exit = self.write_exit;
        self.behind_sets = self.write_sets;

        if self.has_parity && self.rst {
            self.looks = false;
        }
    }
}
