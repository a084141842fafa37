//! The op that is being worked on.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;
use crate::prims::Reg;

/// Follows the inputs while an op may be taken, then holds them.
#[block(no_reset)]
pub struct Taken {
    pub ready: Signal<In, bool>,
    pub op: Signal<In, Op>,

    pub held: Signal<Out, Op>,
    /// Largest window in packets, at least one.
    pub most: Signal<Out, Bits<10>>,
    /// The packet's size is one that the engine can reckon with, 2^8 to 2^13 bytes.
    pub is_mtu: Signal<Out, bool>,

    sampled: Reg<Op>,
}

#[block]
impl Taken {
    fn update(&mut self) {
        comment!("module taken: the op that is being worked on");
        if self.ready {
            self.sampled = self.op;
        }
        self.held = self.sampled;
        self.most = self.sampled.max_cwnd;
        if !self.sampled.max_cwnd.any() {
            self.most = 1;
        }
        self.is_mtu = self.sampled.mtu_log2.get_bit(3)
            & !(self.sampled.mtu_log2.get_bit(2) & self.sampled.mtu_log2.get_bit(1));
    }
}
