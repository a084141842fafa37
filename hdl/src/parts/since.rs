//! How long ago something happened to a connection.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::WordParity;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, SimpleDualPort};

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
#[derive(LogicBlock, Default)]
pub struct Since<const K: usize, const T: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    read_key: DFF<Bits<K>>,
    read_now: DFF<Bits<T>>,
    read_limit: DFF<Bits<T>>,
    same_one: DFF<bool>,
    same_two: DFF<bool>,
    same_three: DFF<bool>,
    same_four: DFF<bool>,
    two_sets: Signal<Local, bool>,
    three_sets: Signal<Local, bool>,
    four_sets: Signal<Local, bool>,
    is_old: Signal<Local, bool>,
    is_odd: Signal<Local, bool>,
    newest: Signal<Local, Bits<T>>,

    forward_key: DFF<Bits<K>>,
    forward_now: DFF<Bits<T>>,
    earliest: DFF<Bits<T>>,
    is_whole: DFF<bool>,
    but_one: DFF<Bits<T>>,
    one_sets: DFF<bool>,
    set_at: Signal<Local, Bits<T>>,
    is_late_enough: Signal<Local, bool>,
    is_early_enough: Signal<Local, bool>,

    update_key: DFF<Bits<K>>,
    update_now: DFF<Bits<T>>,
    update_sets: DFF<bool>,
    write_key: DFF<Bits<K>>,
    write_now: DFF<Bits<T>>,
    write_sets: DFF<bool>,
    behind_now: DFF<Bits<T>>,
    behind_sets: DFF<bool>,

    of_stored: Optional<WordParity<Bits<T>>>,
    looks: Optional<DFF<bool>>,
    has_parity: Param<bool>,
}

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
}

impl<const K: usize, const T: usize> Logic for Since<K, T> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module since: whether more than a limit went by since an op set the time of its key");
        dff_setup!(self, clk, read_key, read_now, read_limit, same_one, same_two, same_three, same_four);
        dff_setup!(self, clk, forward_key, forward_now, earliest, is_whole, but_one, one_sets);
        dff_setup!(self, clk, update_key, update_now, update_sets, write_key, write_now, write_sets);
        dff_setup!(self, clk, behind_now, behind_sets);

        comment!("Inputs: which of the ops ahead have the key.");
        self.ram.clk.next = self.clk.val();
        self.ram.read_address.next = self.key.val();
        self.read_key.d.next = self.key.val();
        self.read_now.d.next = self.now.val();
        self.read_limit.d.next = self.limit.val();
        self.same_one.d.next = self.key.val() == self.read_key.q.val();
        self.same_two.d.next = self.key.val() == self.forward_key.q.val();
        self.same_three.d.next = self.key.val() == self.update_key.q.val();
        self.same_four.d.next = self.key.val() == self.write_key.q.val();

        comment!("Read: the time in the RAM, unless an op two to four places ahead has set a newer one.");
        self.two_sets.next = self.same_two.q.val() & self.update_sets.q.val();
        self.three_sets.next = self.same_three.q.val() & self.write_sets.q.val();
        self.four_sets.next = self.same_four.q.val() & self.behind_sets.q.val();
        self.is_old.next = (self.three_sets.val() | self.four_sets.val()) & !self.two_sets.val();
        self.is_odd.next = (self.four_sets.val() & !self.three_sets.val()) | self.two_sets.val();
        self.newest.next = self.ram.read_data.val();
        if self.is_old.val() {
            self.newest.next = self.write_now.q.val();
            if self.is_odd.val() {
                self.newest.next = self.behind_now.q.val();
            }
        } else if self.is_odd.val() {
            self.newest.next = self.update_now.q.val();
        }
        self.but_one.d.next = self.newest.val();
        self.one_sets.d.next = self.same_one.q.val() & self.sets.val();
        self.forward_key.d.next = self.read_key.q.val();
        self.forward_now.d.next = self.read_now.q.val();
        self.earliest.d.next = self.read_now.q.val() - self.read_limit.q.val();
        self.is_whole.d.next = self.read_now.q.val() >= self.read_limit.q.val();

        comment!("Forward: the interval from earliest to now is whole, or lies across a multiple of 2^T.");
        self.set_at.next = self.but_one.q.val();
        if self.one_sets.q.val() {
            self.set_at.next = self.update_now.q.val();
        }
        self.is_late_enough.next = self.set_at.val() >= self.earliest.q.val();
        self.is_early_enough.next = self.set_at.val() <= self.forward_now.q.val();
        self.past.next = !(self.is_late_enough.val() & self.is_early_enough.val())
            & (self.is_whole.q.val() | !(self.is_late_enough.val() | self.is_early_enough.val()));

        if self.has_parity.val() {
            comment!(
                "The time in the RAM is looked at if no op ahead has set a newer one. The last of them is known only now."
            );
            self.of_stored.clk.next = self.clk.val();
            self.of_stored.load.next = true;
            self.of_stored.word.next = self.ram.read_data.val();
            self.of_stored.parity.next = self.ram.read_parity.val();
            self.looks.clock.next = self.clk.val();
            self.looks.d.next = !(self.is_old.val() | self.is_odd.val());
            self.has_flip.next = self.looks.q.val() & !self.one_sets.q.val() & self.of_stored.has_flip.val();
        }

        comment!("Update, write, behind it.");
        self.update_key.d.next = self.forward_key.q.val();
        self.update_now.d.next = self.forward_now.q.val();
        self.update_sets.d.next = self.sets.val();
        self.write_key.d.next = self.update_key.q.val();
        self.write_now.d.next = self.update_now.q.val();
        self.write_sets.d.next = self.update_sets.q.val();
        self.ram.write_enable.next = self.write_sets.q.val();
        self.ram.write_address.next = self.write_key.q.val();
        self.ram.write_data.next = self.write_now.q.val();
        self.behind_now.d.next = self.write_now.q.val();
        self.behind_sets.d.next = self.write_sets.q.val();

        comment!(
            "Nothing is unknown after reset, and no chain of registers becomes a shift register of LUTs."
        );
        if self.rst.val() {
            self.read_key.d.next = 0.into();
            self.read_now.d.next = 0.into();
            self.read_limit.d.next = 0.into();
            self.same_one.d.next = false;
            self.same_two.d.next = false;
            self.same_three.d.next = false;
            self.same_four.d.next = false;
            self.forward_key.d.next = 0.into();
            self.forward_now.d.next = 0.into();
            self.earliest.d.next = 0.into();
            self.is_whole.d.next = false;
            self.but_one.d.next = 0.into();
            self.one_sets.d.next = false;
            self.update_key.d.next = 0.into();
            self.update_now.d.next = 0.into();
            self.update_sets.d.next = false;
            self.write_key.d.next = 0.into();
            self.write_now.d.next = 0.into();
            self.write_sets.d.next = false;
            self.behind_now.d.next = 0.into();
            self.behind_sets.d.next = false;
            if self.has_parity.val() {
                self.looks.d.next = false;
            }
        }
    }
}
