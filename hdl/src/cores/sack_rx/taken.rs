//! The packet that is being worked on.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Packet;
use crate::comment;

/// Follows the inputs while an op may be taken, then holds them: they are also what the SACK echoes.
#[derive(LogicBlock, Default)]
pub struct Taken<const P: usize> {
    pub clk: Signal<In, Clock>,
    pub ready: Signal<In, bool>,
    pub op: Signal<In, Packet<P>>,
    pub packet: Signal<Out, Packet<P>>,
    held: DFF<Packet<P>>,
}

impl<const P: usize> Logic for Taken<P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module taken: the packet that is being worked on");
        dff_setup!(self, clk, held);
        if self.ready.val() {
            self.held.d.next = self.op.val();
        }
        self.packet.next = self.held.q.val();
    }
}
