//! The less loaded of two random uplinks, for `flowcut_switch.pick = two`.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::first::First;
use crate::manifest::MemoryKind;
use crate::prims::{Delay, Param, Reg, SimpleDualPort};
use crate::{comment, signal_struct};

signal_struct! {
    /// A load that is set.
    pub struct SetLoad<const PORT: usize> {
        pub sets: bool,
        pub port: Bits<PORT>,
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
/// A load is written in the fifth cycle of its own op, so that a packet behind it reads it and one before it does not.
/// `UPLINKS` uplinks have numbers of `PORT` bits.
#[block(no_reset)]
pub struct LeastOfTwo<const UPLINKS: usize, const PORT: usize> {
    /// The memories are cleared: the load of this uplink becomes 0.
    pub clear: Signal<In, bool>,
    pub clear_port: Signal<In, Bits<PORT>>,
    /// Cycle 0: uplinks that are up, and the load of one that is set.
    pub up: Signal<In, Bits<UPLINKS>>,
    pub sets: Signal<In, bool>,
    pub port: Signal<In, Bits<PORT>>,
    pub load: Signal<In, Bits<8>>,
    /// Cycle 1: a random word.
    pub word: Signal<In, Bits<16>>,
    /// Cycle 8: the uplink.
    pub uplink: Signal<Out, Bits<PORT>>,

    candidates: Delay<Bits<UPLINKS>, 2>,
    from_one: Reg<Bits<UPLINKS>>,
    from_other: Reg<Bits<UPLINKS>>,
    members_one: Reg<Bits<UPLINKS>>,
    members_other: Reg<Bits<UPLINKS>>,
    first_one: First<UPLINKS, PORT>,
    first_other: First<UPLINKS, PORT>,
    set_load: Delay<SetLoad<PORT>, 5>,
    load_one: SimpleDualPort<Bits<PORT>, Bits<8>>,
    load_other: SimpleDualPort<Bits<PORT>, Bits<8>>,
    port_one: Delay<Bits<PORT>, 2>,
    port_other: Delay<Bits<PORT>, 2>,
    of_one: Reg<Bits<8>>,
    of_other: Reg<Bits<8>>,
    smaller: Reg<Bits<PORT>>,
    ones: Param<Bits<UPLINKS>>,
}

#[block]
impl<const UPLINKS: usize, const PORT: usize> LeastOfTwo<UPLINKS, PORT> {
    /// With its memories and parameters.
    pub fn new() -> Self {
        let about = "loads of the uplinks";
        Self {
            load_one: SimpleDualPort::new("load_one_ram", about, MemoryKind::Distributed),
            load_other: SimpleDualPort::new("load_other_ram", about, MemoryKind::Distributed),
            ones: Param::new((u64::MAX >> (64 - UPLINKS)).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module least_of_two: the less loaded of two random uplinks of those that are up");
        comment!("The first of those that are up, from each place on and around.");
        self.candidates.input_value = self.up;
        self.from_one = self.ones << self.word.get_bits::<PORT>(0);
        self.from_other = self.ones << self.word.get_bits::<PORT>(8);
        let behind_one = self.candidates.output_value & self.from_one;
        let behind_other = self.candidates.output_value & self.from_other;
        self.members_one = self.candidates.output_value;
        if behind_one.any() {
            self.members_one = behind_one;
        }
        self.members_other = self.candidates.output_value;
        if behind_other.any() {
            self.members_other = behind_other;
        }
        self.first_one.members = self.members_one;
        self.first_other.members = self.members_other;

        comment!("Their loads.");
        self.set_load.input_value.sets = self.sets;
        self.set_load.input_value.port = self.port;
        self.set_load.input_value.load = self.load;
        let writes = self.set_load.output_value.sets | self.clear;
        let mut written_port = self.set_load.output_value.port;
        let mut written_load = self.set_load.output_value.load;
        if self.clear {
            written_port = self.clear_port;
            written_load = 0;
        }
        self.load_one.write_enable = writes;
        self.load_one.write_address = written_port;
        self.load_one.write_data = written_load;
        self.load_one.read_address = self.first_one.number;
        self.load_other.write_enable = writes;
        self.load_other.write_address = written_port;
        self.load_other.write_data = written_load;
        self.load_other.read_address = self.first_other.number;

        comment!("The smaller one.");
        self.of_one = self.load_one.read_data;
        self.of_other = self.load_other.read_data;
        self.port_one.input_value = self.first_one.number;
        self.port_other.input_value = self.first_other.number;
        self.smaller = self.port_one.output_value;
        if self.of_other < self.of_one {
            self.smaller = self.port_other.output_value;
        }
        self.uplink = self.smaller;
    }
}
