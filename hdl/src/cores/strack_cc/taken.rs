//! The op that is being worked on.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;

/// Follows the inputs while an op may be taken, then holds them.
#[derive(LogicBlock, Default)]
pub struct Taken {
    pub clk: Signal<In, Clock>,
    pub ready: Signal<In, bool>,
    pub op: Signal<In, Op>,

    pub held: Signal<Out, Op>,
    /// Largest window in packets, at least one.
    pub most: Signal<Out, Bits<10>>,
    /// The packet's size is one that the engine can reckon with, 2^8 to 2^13 bytes.
    pub is_mtu: Signal<Out, bool>,

    sampled: DFF<Op>,
}

impl Logic for Taken {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module taken: the op that is being worked on");
        dff_setup!(self, clk, sampled);
        if self.ready.val() {
            self.sampled.d.next = self.op.val();
        }
        self.held.next = self.sampled.q.val();
        self.most.next = self.sampled.q.val().max_cwnd;
        if !self.sampled.q.val().max_cwnd.any() {
            self.most.next = 1.into();
        }
        self.is_mtu.next = self.sampled.q.val().mtu_log2.get_bit(3)
            & !(self.sampled.q.val().mtu_log2.get_bit(2) & self.sampled.q.val().mtu_log2.get_bit(1));
    }
}
