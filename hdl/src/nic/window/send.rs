//! The window of a send, for a path selector that goes by it.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::memory::Windows;
use crate::comment;
use crate::prims::Reg;

/// Holds an op of the selector back for a cycle, in which the window of its connection is read. `C` is the width of a connection's
/// number.
#[block]
pub struct SendWindow<const C: usize> {
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
    #[reset = false]
    is_read: Reg<bool>,
}

#[block]
impl<const C: usize> SendWindow<C> {
    /// The block.
    pub fn new() -> Self {
        Self {
            windows: Windows::new("send_windows", "window of every connection, for its sends"),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("The window of a send, for a path selector that goes by it.");
        self.windows.write_valid = self.write_valid;
        self.windows.write_conn = self.write_conn;
        self.windows.write_packets = self.write_packets;
        self.windows.read_conn = self.wanted_conn;
        self.op_packets = self.windows.packets;
        self.op_valid = self.wanted_valid & self.is_read;
        self.wanted_ready = self.op_ready & self.is_read;
        self.is_read = self.wanted_valid & !(self.is_read & self.op_ready);
    }
}
