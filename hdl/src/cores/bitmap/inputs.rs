//! What the op at the inputs is to the selector.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::rounds::Op;
use crate::comment;
use crate::config::{Config, Timeout};
use crate::prims::Param;

/// Tells an op apart: its kind, the path of its EV, and what it adds to the counter of that.
#[block(no_clock)]
pub struct Inputs {
    pub kind: Signal<In, Bits<3>>,
    pub ev: Signal<In, Bits<16>>,
    pub ecn: Signal<In, bool>,
    pub op: Signal<Out, Op>,
    /// Bit of each kind of op that is feedback.
    feedback: Param<Bits<8>>,
    last_path: Param<Bits<8>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("module inputs: what the op is to the selector");
        self.op.send = self.kind == 0;
        self.op.feedback = self.feedback.get_bit(self.kind.index());
        self.op.path = bit_cast::<8, 16>(self.ev) & self.last_path;
        comment!("A marked ACK adds 1, a NACK 4, a timeout 15.");
        self.op.penalty = 0;
        if (self.kind == 1) & self.ecn {
            self.op.penalty = 1;
        }
        if self.kind == 2 {
            self.op.penalty = 4;
        }
        if self.kind == 3 {
            self.op.penalty = 15;
        }
    }
}
