//! The packet that is being worked on.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Packet;
use crate::comment;
use crate::prims::Reg;

/// Follows the inputs while an op may be taken, then holds them: they are also what the SACK echoes.
#[block(no_reset)]
pub struct Taken<const PSN: usize> {
    pub ready: Signal<In, bool>,
    pub op: Signal<In, Packet<PSN>>,
    pub packet: Signal<Out, Packet<PSN>>,
    held: Reg<Packet<PSN>>,
}

#[block]
impl<const PSN: usize> Taken<PSN> {
    fn update(&mut self) {
        comment!("module taken: the packet that is being worked on");
        if self.ready {
            self.held = self.op;
        }
        self.packet = self.held;
    }
}
