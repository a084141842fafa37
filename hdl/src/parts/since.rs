//! How long ago something happened to a connection.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::WordParity;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, Reg, SimpleDualPort};

/// Keeps the time at which an op last set its key's time, and says of each op whether more than `limit` ticks went by since.
///
/// ```text
///   inputs            read               forward                     update   write
///   now, limit ─────► now - limit ─────► earliest ────┐
///   key ──► RAM ────► newest but one ──► set_at ─► within? ──► past
///                     ahead                 ▲             sets ─────► now ────► RAM
///                                           └─ the now of the op one place ahead, if that set it
/// ```
///
/// A time goes into the RAM only where it is set, so that it needs no way back and forth. It lies within the limit if it is in the
/// interval from `now - limit` to `now`, which may lie across a multiple of `2^T`: two comparisons beside each other, where the
/// difference and its comparison would come one after the other.
///
/// Whether a time was ever set is for the caller to know: there is garbage before, whose parity may be anything.
#[block]
pub struct Since<const K: usize, const T: usize> {
    /// Inputs: whose time the op looks at and may set, its own time, and the limit, both in ticks.
    pub key: Signal<In, Bits<K>>,
    pub now: Signal<In, Bits<T>>,
    pub limit: Signal<In, Bits<T>>,
    /// Forward stage: more than `limit` ticks went by.
    pub past: Signal<Out, bool>,
    /// Forward stage: the op sets the time to its own.
    pub sets: Signal<In, bool>,
    /// With parity, forward stage: the time is that of the RAM, and a bit of it flipped.
    pub has_flip: Optional<Signal<Out, bool>>,

    ram: SimpleDualPort<Bits<K>, Bits<T>>,

    read_key: Reg<Bits<K>>,
    read_now: Reg<Bits<T>>,
    read_limit: Reg<Bits<T>>,
    same_one: Reg<bool>,
    same_two: Reg<bool>,
    same_three: Reg<bool>,
    same_four: Reg<bool>,

    forward_key: Reg<Bits<K>>,
    forward_now: Reg<Bits<T>>,
    earliest: Reg<Bits<T>>,
    is_whole: Reg<bool>,
    but_one: Reg<Bits<T>>,
    one_sets: Reg<bool>,

    update_key: Reg<Bits<K>>,
    update_now: Reg<Bits<T>>,
    update_sets: Reg<bool>,
    write_key: Reg<Bits<K>>,
    write_now: Reg<Bits<T>>,
    write_sets: Reg<bool>,
    behind_now: Reg<Bits<T>>,
    behind_sets: Reg<bool>,

    of_stored: Optional<WordParity<Bits<T>>>,
    looks: Optional<Reg<bool>>,
    has_parity: Param<bool>,
}

#[block]
impl<const K: usize, const T: usize> Since<K, T> {
    /// The block, whose memory has this name and is described so.
    pub fn new(name: &'static str, about: &'static str, has_parity: bool) -> Self {
        Self {
            ram: SimpleDualPort::new(name, about, MemoryKind::Block).with_parity(has_parity),
            has_flip: Optional::new(has_parity, Default::default),
            of_stored: Optional::new(has_parity, Default::default),
            looks: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module since: whether more than a limit went by since an op set the time of its key");

        comment!("Inputs: which of the ops ahead have the key.");
        self.ram.read_address = self.key;
        self.read_key = self.key;
        self.read_now = self.now;
        self.read_limit = self.limit;
        self.same_one = self.key == self.read_key;
        self.same_two = self.key == self.forward_key;
        self.same_three = self.key == self.update_key;
        self.same_four = self.key == self.write_key;

        comment!("Read: the time in the RAM, unless an op two to four places ahead has set a newer one.");
        let two_sets = self.same_two & self.update_sets;
        let three_sets = self.same_three & self.write_sets;
        let four_sets = self.same_four & self.behind_sets;
        let is_old = (three_sets | four_sets) & !two_sets;
        let is_odd = (four_sets & !three_sets) | two_sets;
        let mut newest = self.ram.read_data;
        if is_old {
            newest = self.write_now;
            if is_odd {
                newest = self.behind_now;
            }
        } else if is_odd {
            newest = self.update_now;
        }
        self.but_one = newest;
        self.one_sets = self.same_one & self.sets;
        self.forward_key = self.read_key;
        self.forward_now = self.read_now;
        self.earliest = self.read_now - self.read_limit;
        self.is_whole = self.read_now >= self.read_limit;

        comment!("Forward: the interval from earliest to now is whole, or lies across a multiple of 2^T.");
        let mut set_at = self.but_one;
        if self.one_sets {
            set_at = self.update_now;
        }
        let is_late_enough = set_at >= self.earliest;
        let is_early_enough = set_at <= self.forward_now;
        self.past =
            !(is_late_enough & is_early_enough) & (self.is_whole | !(is_late_enough | is_early_enough));

        if self.has_parity {
            comment!(
                "The time in the RAM is looked at if no op ahead has set a newer one. The last of them is known only now."
            );
            self.of_stored.load = true;
            self.of_stored.word = self.ram.read_data;
            self.of_stored.parity = self.ram.read_parity;
            self.looks = !(is_old | is_odd);
            self.has_flip = self.looks & !self.one_sets & self.of_stored.has_flip;
        }

        comment!("Update, write, behind it.");
        self.update_key = self.forward_key;
        self.update_now = self.forward_now;
        self.update_sets = self.sets;
        self.write_key = self.update_key;
        self.write_now = self.update_now;
        self.write_sets = self.update_sets;
        self.ram.write_enable = self.write_sets;
        self.ram.write_address = self.write_key;
        self.ram.write_data = self.write_now;
        self.behind_now = self.write_now;
        self.behind_sets = self.write_sets;

        comment!(
            "Nothing is unknown after reset, and no chain of registers becomes a shift register of LUTs."
        );
        if self.rst {
            self.read_key = 0;
            self.read_now = 0;
            self.read_limit = 0;
            self.same_one = false;
            self.same_two = false;
            self.same_three = false;
            self.same_four = false;
            self.forward_key = 0;
            self.forward_now = 0;
            self.earliest = 0;
            self.is_whole = false;
            self.but_one = 0;
            self.one_sets = false;
            self.update_key = 0;
            self.update_now = 0;
            self.update_sets = false;
            self.write_key = 0;
            self.write_now = 0;
            self.write_sets = false;
            self.behind_now = 0;
            self.behind_sets = false;
            if self.has_parity {
                self.looks = false;
            }
        }
    }
}
