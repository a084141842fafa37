//! The hosts at the switch, of which its ACKs speak in turn, for `caver.advertise = round_robin`.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;
use crate::prims::{Param, Reg, SimpleDualPort, resize};
use crate::{comment, signal_struct};

signal_struct! {
    /// A host in the list: `DST + PORT` bits, where `DST` and `PORT` are the widths of a destination and of a port's number.
    pub struct Host<const DST: usize, const PORT: usize> {
        pub dst: Bits<DST>,
        pub port: Bits<PORT>,
    }
}

/// A list of as many hosts as there are ports. A host is added in the read stage, and the next one in turn is asked for in the compare
/// stage, so that an op sees what those ahead of it have added.
///
/// The place that is asked for is read a cycle ahead. It is written in that cycle only if the list was empty, by the op that is itself
/// in the compare stage then.
#[block]
pub struct Hosts<const DST: usize, const PORT: usize> {
    /// Read stage: this host is added, if there is room.
    pub adds: Signal<In, bool>,
    pub added: Signal<In, Host<DST, PORT>>,
    /// Compare stage: the op takes the next one.
    pub asks: Signal<In, bool>,
    /// There is one, and which one it is.
    pub is_known: Signal<Out, bool>,
    pub host: Signal<Out, Host<DST, PORT>>,

    ram: SimpleDualPort<Bits<PORT>, Host<DST, PORT>>,
    #[reset = 0]
    count: Reg<Bits<7>>,
    #[reset = 0]
    turn: Reg<Bits<7>>,
    most: Param<Bits<7>>,
}

#[block]
impl<const DST: usize, const PORT: usize> Hosts<DST, PORT> {
    /// With its parameters.
    pub fn new() -> Self {
        Self {
            ram: SimpleDualPort::new("hosts_ram", "hosts at the switch", MemoryKind::Distributed),
            most: Param::new((1u64 << PORT).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module hosts: the hosts at the switch, of which its ACKs speak in turn");
        let writes = self.adds & (self.count != self.most);
        self.count = self.count + writes;
        self.is_known = self.count.any();
        let takes = self.asks & self.count.any();
        let behind = self.turn + 1;
        let mut turn_after = self.turn;
        if takes {
            turn_after = behind;
            if behind == self.count {
                turn_after = 0;
            }
        }
        self.turn = turn_after;
        self.ram.read_address = resize(turn_after);
        self.host = self.ram.read_data;
        self.ram.write_enable = writes;
        self.ram.write_address = resize(self.count);
        self.ram.write_data = self.added;
    }
}
