//! The windows for one reader.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Reg, SimpleDualPort};

/// The window of each connection in packets, of which one is read at a time: `packets` is that of the connection that stood at
/// `read_conn` a cycle ago, with all that was written up to then. `C` is the width of a connection's number.
#[block(no_reset)]
pub struct Windows<const C: usize> {
    pub write_valid: Signal<In, bool>,
    pub write_conn: Signal<In, Bits<C>>,
    pub write_packets: Signal<In, Bits<12>>,
    pub read_conn: Signal<In, Bits<C>>,
    pub packets: Signal<Out, Bits<12>>,

    memory: SimpleDualPort<Bits<C>, Bits<12>>,
    /// What is read was written at the edge at which it was read.
    is_new: Reg<bool>,
    latest: Reg<Bits<12>>,
}

#[block]
impl<const C: usize> Windows<C> {
    /// The memory, called `name` in the Verilog and described as `about`.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        Self { memory: SimpleDualPort::new(name, about, MemoryKind::Block), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module windows: the window of each connection, for one reader");
        self.memory.write_enable = self.write_valid;
        self.memory.write_address = self.write_conn;
        self.memory.write_data = self.write_packets;
        self.memory.read_address = self.read_conn;
        self.is_new = self.write_valid & (self.write_conn == self.read_conn);
        self.latest = self.write_packets;
        self.packets = self.memory.read_data;
        if self.is_new {
            self.packets = self.latest;
        }
    }
}
