//! The less loaded of two random uplinks, for `flowcut_switch.pick = two`.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::first::First;
use crate::manifest::MemoryKind;
use crate::prims::{Delay, Param, SimpleDualPort};
use crate::{comment, signal_struct};

signal_struct! {
    /// A load that is set.
    pub struct SetLoad<const P: usize> {
        pub sets: bool,
        pub port: Bits<P>,
        pub load: Bits<8>,
    }
}

/// Of the uplinks that are up the first one at or after a random place, going round, and the first one at or after another: the less
/// loaded of them, or the first where the loads are equal.
///
/// ```text
///  cycle  0        1         2               3, 4               5           6         7             8
///  up ──► leave ─► places ─► those from the ► first of them ──► address ──► loads ──► the smaller ─► uplink
///                            place on, or                         ▲
///                            all of them                          │
///  load ─► ─────────────────────────────────────────────────► written
/// ```
///
/// A load is written in the fifth cycle of its own op, so that a packet behind it reads it and one before it does not. `U` uplinks have
/// numbers of `P` bits.
#[derive(LogicBlock, Default)]
pub struct LeastOfTwo<const U: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// The memories are cleared: the load of this uplink becomes 0.
    pub clear: Signal<In, bool>,
    pub clear_port: Signal<In, Bits<P>>,
    /// Cycle 0: uplinks that are up, and the load of one that is set.
    pub up: Signal<In, Bits<U>>,
    pub sets: Signal<In, bool>,
    pub port: Signal<In, Bits<P>>,
    pub load: Signal<In, Bits<8>>,
    /// Cycle 1: a random word.
    pub word: Signal<In, Bits<16>>,
    /// Cycle 8: the uplink.
    pub uplink: Signal<Out, Bits<P>>,

    candidates: Delay<Bits<U>, 2>,
    from_one: DFF<Bits<U>>,
    from_other: DFF<Bits<U>>,
    behind_one: Signal<Local, Bits<U>>,
    behind_other: Signal<Local, Bits<U>>,
    members_one: DFF<Bits<U>>,
    members_other: DFF<Bits<U>>,
    first_one: First<U, P>,
    first_other: First<U, P>,
    set_load: Delay<SetLoad<P>, 5>,
    load_one: SimpleDualPort<Bits<P>, Bits<8>>,
    load_other: SimpleDualPort<Bits<P>, Bits<8>>,
    writes: Signal<Local, bool>,
    written_port: Signal<Local, Bits<P>>,
    written_load: Signal<Local, Bits<8>>,
    port_one: Delay<Bits<P>, 2>,
    port_other: Delay<Bits<P>, 2>,
    of_one: DFF<Bits<8>>,
    of_other: DFF<Bits<8>>,
    smaller: DFF<Bits<P>>,
    ones: Param<Bits<U>>,
}

impl<const U: usize, const P: usize> LeastOfTwo<U, P> {
    /// With its memories and parameters.
    pub fn new() -> Self {
        let about = "loads of the uplinks";
        Self {
            load_one: SimpleDualPort::new("load_one_ram", about, MemoryKind::Distributed),
            load_other: SimpleDualPort::new("load_other_ram", about, MemoryKind::Distributed),
            ones: Param::new((u64::MAX >> (64 - U)).into()),
            ..Default::default()
        }
    }
}

impl<const U: usize, const P: usize> Logic for LeastOfTwo<U, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module least_of_two: the less loaded of two random uplinks of those that are up");
        dff_setup!(self, clk, from_one, from_other, members_one, members_other, of_one, of_other, smaller);
        comment!("The first of those that are up, from each place on and around.");
        self.candidates.clk.next = self.clk.val();
        self.candidates.input_value.next = self.up.val();
        self.from_one.d.next = self.ones.val() << self.word.val().get_bits::<P>(0);
        self.from_other.d.next = self.ones.val() << self.word.val().get_bits::<P>(8);
        self.behind_one.next = self.candidates.output_value.val() & self.from_one.q.val();
        self.behind_other.next = self.candidates.output_value.val() & self.from_other.q.val();
        self.members_one.d.next = self.candidates.output_value.val();
        if self.behind_one.val().any() {
            self.members_one.d.next = self.behind_one.val();
        }
        self.members_other.d.next = self.candidates.output_value.val();
        if self.behind_other.val().any() {
            self.members_other.d.next = self.behind_other.val();
        }
        self.first_one.clk.next = self.clk.val();
        self.first_one.members.next = self.members_one.q.val();
        self.first_other.clk.next = self.clk.val();
        self.first_other.members.next = self.members_other.q.val();

        comment!("Their loads.");
        self.set_load.clk.next = self.clk.val();
        self.set_load.input_value.next.sets = self.sets.val();
        self.set_load.input_value.next.port = self.port.val();
        self.set_load.input_value.next.load = self.load.val();
        self.writes.next = self.set_load.output_value.val().sets | self.clear.val();
        self.written_port.next = self.set_load.output_value.val().port;
        self.written_load.next = self.set_load.output_value.val().load;
        if self.clear.val() {
            self.written_port.next = self.clear_port.val();
            self.written_load.next = 0.into();
        }
        self.load_one.clk.next = self.clk.val();
        self.load_one.write_enable.next = self.writes.val();
        self.load_one.write_address.next = self.written_port.val();
        self.load_one.write_data.next = self.written_load.val();
        self.load_one.read_address.next = self.first_one.number.val();
        self.load_other.clk.next = self.clk.val();
        self.load_other.write_enable.next = self.writes.val();
        self.load_other.write_address.next = self.written_port.val();
        self.load_other.write_data.next = self.written_load.val();
        self.load_other.read_address.next = self.first_other.number.val();

        comment!("The smaller one.");
        self.of_one.d.next = self.load_one.read_data.val();
        self.of_other.d.next = self.load_other.read_data.val();
        self.port_one.clk.next = self.clk.val();
        self.port_one.input_value.next = self.first_one.number.val();
        self.port_other.clk.next = self.clk.val();
        self.port_other.input_value.next = self.first_other.number.val();
        self.smaller.d.next = self.port_one.output_value.val();
        if self.of_other.q.val() < self.of_one.q.val() {
            self.smaller.d.next = self.port_other.output_value.val();
        }
        self.uplink.next = self.smaller.q.val();
    }
}
