//! The window of a send, for a path selector that goes by it.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::memory::Windows;
use crate::comment;

/// Holds an op of the selector back for a cycle, in which the window of its connection is read. `C` is the width of a connection's
/// number.
#[derive(LogicBlock, Default)]
pub struct SendWindow<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// A window as it changes.
    pub write_valid: Signal<In, bool>,
    pub write_conn: Signal<In, Bits<C>>,
    pub write_packets: Signal<In, Bits<12>>,
    /// The op that waits.
    pub wanted_valid: Signal<In, bool>,
    pub wanted_ready: Signal<Out, bool>,
    pub wanted_conn: Signal<In, Bits<C>>,
    /// The same with its window.
    pub op_valid: Signal<Out, bool>,
    pub op_ready: Signal<In, bool>,
    pub op_packets: Signal<Out, Bits<12>>,

    windows: Windows<C>,
    is_read: DFF<bool>,
}

impl<const C: usize> SendWindow<C> {
    /// The block.
    pub fn new() -> Self {
        Self {
            windows: Windows::new("send_windows", "window of every connection, for its sends"),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for SendWindow<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The window of a send, for a path selector that goes by it.");
        dff_setup!(self, clk, is_read);
        self.windows.clk.next = self.clk.val();
        self.windows.write_valid.next = self.write_valid.val();
        self.windows.write_conn.next = self.write_conn.val();
        self.windows.write_packets.next = self.write_packets.val();
        self.windows.read_conn.next = self.wanted_conn.val();
        self.op_packets.next = self.windows.packets.val();
        self.op_valid.next = self.wanted_valid.val() & self.is_read.q.val();
        self.wanted_ready.next = self.op_ready.val() & self.is_read.q.val();
        self.is_read.d.next = self.wanted_valid.val() & !(self.is_read.q.val() & self.op_ready.val());
        if self.rst.val() {
            self.is_read.d.next = false;
        }
    }
}
