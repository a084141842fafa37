//! What the op at the inputs is to the selector.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::rounds::Op;
use crate::comment;
use crate::config::{Config, Timeout};
use crate::prims::Param;

/// Tells an op apart: its kind, the path of its EV, and what it adds to the counter of that.
#[derive(LogicBlock, Default)]
pub struct Inputs {
    pub kind: Signal<In, Bits<3>>,
    pub ev: Signal<In, Bits<16>>,
    pub ecn: Signal<In, bool>,
    pub op: Signal<Out, Op>,
    /// Bit of each kind of op that is feedback.
    feedback: Param<Bits<8>>,
    last_path: Param<Bits<8>>,
}

impl Inputs {
    /// The block of a configuration.
    pub fn new(config: &Config) -> Self {
        let feedback = match config.bitmap.timeout {
            Timeout::Ignore => 0b0110u64,
            Timeout::Ev => 0b1110,
        };
        Self {
            feedback: Param::new(feedback.into()),
            last_path: Param::new(u64::from(config.bitmap.paths - 1).into()),
            ..Default::default()
        }
    }
}

impl Logic for Inputs {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module inputs: what the op is to the selector");
        self.op.next.send = self.kind.val() == 0;
        self.op.next.feedback = self.feedback.val().get_bit(self.kind.val().index());
        self.op.next.path = bit_cast::<8, 16>(self.ev.val()) & self.last_path.val();
        comment!("A marked ACK adds 1, a NACK 4, a timeout 15.");
        self.op.next.penalty = 0.into();
        if (self.kind.val() == 1) & self.ecn.val() {
            self.op.next.penalty = 1.into();
        }
        if self.kind.val() == 2 {
            self.op.next.penalty = 4.into();
        }
        if self.kind.val() == 3 {
            self.op.next.penalty = 15.into();
        }
    }
}
