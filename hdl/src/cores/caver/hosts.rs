//! The hosts at the switch, of which its ACKs speak in turn, for `caver.advertise = round_robin`.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;
use crate::prims::{Param, SimpleDualPort};
use crate::{comment, signal_struct};

signal_struct! {
    /// A host in the list: `D + P` bits, where `D` and `P` are the widths of a destination and of a port's number.
    pub struct Host<const D: usize, const P: usize> {
        pub dst: Bits<D>,
        pub port: Bits<P>,
    }
}

/// A list of as many hosts as there are ports. A host is added in the read stage, and the next one in turn is asked for in the compare
/// stage, so that an op sees what those ahead of it have added.
///
/// The place that is asked for is read a cycle ahead. It is written in that cycle only if the list was empty, by the op that is itself
/// in the compare stage then.
#[derive(LogicBlock, Default)]
pub struct Hosts<const D: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: this host is added, if there is room.
    pub adds: Signal<In, bool>,
    pub added: Signal<In, Host<D, P>>,
    /// Compare stage: the op takes the next one.
    pub asks: Signal<In, bool>,
    /// There is one, and which one it is.
    pub is_known: Signal<Out, bool>,
    pub host: Signal<Out, Host<D, P>>,

    ram: SimpleDualPort<Bits<P>, Host<D, P>>,
    count: DFF<Bits<7>>,
    turn: DFF<Bits<7>>,
    writes: Signal<Local, bool>,
    takes: Signal<Local, bool>,
    behind: Signal<Local, Bits<7>>,
    turn_after: Signal<Local, Bits<7>>,
    most: Param<Bits<7>>,
}

impl<const D: usize, const P: usize> Hosts<D, P> {
    /// With its parameters.
    pub fn new() -> Self {
        Self {
            ram: SimpleDualPort::new("hosts_ram", "hosts at the switch", MemoryKind::Distributed),
            most: Param::new((1u64 << P).into()),
            ..Default::default()
        }
    }
}

impl<const D: usize, const P: usize> Logic for Hosts<D, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module hosts: the hosts at the switch, of which its ACKs speak in turn");
        dff_setup!(self, clk, count, turn);
        self.writes.next = self.adds.val() & (self.count.q.val() != self.most.val());
        self.count.d.next = self.count.q.val() + self.writes.val();
        self.is_known.next = self.count.q.val().any();
        self.takes.next = self.asks.val() & self.count.q.val().any();
        self.behind.next = self.turn.q.val() + 1;
        self.turn_after.next = self.turn.q.val();
        if self.takes.val() {
            self.turn_after.next = self.behind.val();
            if self.behind.val() == self.count.q.val() {
                self.turn_after.next = 0.into();
            }
        }
        self.turn.d.next = self.turn_after.val();
        self.ram.clk.next = self.clk.val();
        self.ram.read_address.next = bit_cast::<P, 7>(self.turn_after.val());
        self.host.next = self.ram.read_data.val();
        self.ram.write_enable.next = self.writes.val();
        self.ram.write_address.next = bit_cast::<P, 7>(self.count.q.val());
        self.ram.write_data.next = self.added.val();
        if self.rst.val() {
            self.count.d.next = 0.into();
            self.turn.d.next = 0.into();
        }
    }
}
