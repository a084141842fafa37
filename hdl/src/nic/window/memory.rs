//! The windows for one reader.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::SimpleDualPort;

/// The window of each connection in packets, of which one is read at a time: `packets` is that of the connection that stood at
/// `read_conn` a cycle ago, with all that was written up to then. `C` is the width of a connection's number.
#[derive(LogicBlock, Default)]
pub struct Windows<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub write_valid: Signal<In, bool>,
    pub write_conn: Signal<In, Bits<C>>,
    pub write_packets: Signal<In, Bits<12>>,
    pub read_conn: Signal<In, Bits<C>>,
    pub packets: Signal<Out, Bits<12>>,

    memory: SimpleDualPort<Bits<C>, Bits<12>>,
    /// What is read was written at the edge at which it was read.
    is_new: DFF<bool>,
    latest: DFF<Bits<12>>,
}

impl<const C: usize> Windows<C> {
    /// The memory, called `name` in the Verilog and described as `about`.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        Self { memory: SimpleDualPort::new(name, about, MemoryKind::Block), ..Default::default() }
    }
}

impl<const C: usize> Logic for Windows<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module windows: the window of each connection, for one reader");
        dff_setup!(self, clk, is_new, latest);
        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.write_valid.val();
        self.memory.write_address.next = self.write_conn.val();
        self.memory.write_data.next = self.write_packets.val();
        self.memory.read_address.next = self.read_conn.val();
        self.is_new.d.next = self.write_valid.val() & (self.write_conn.val() == self.read_conn.val());
        self.latest.d.next = self.write_packets.val();
        self.packets.next = self.memory.read_data.val();
        if self.is_new.q.val() {
            self.packets.next = self.latest.q.val();
        }
    }
}
