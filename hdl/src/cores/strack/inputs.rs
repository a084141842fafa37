//! What the op at the inputs is to the selector.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::update::Op;
use crate::comment;
use crate::config::Config;
use crate::prims::Param;

/// Tells an op apart: its kind, the path of its EV, and from the window the paths that a send explores.
#[block(no_clock)]
pub struct Inputs {
    pub kind: Signal<In, Bits<3>>,
    pub ev: Signal<In, Bits<16>>,
    pub ecn: Signal<In, bool>,
    pub cwnd_packets: Signal<In, Bits<12>>,
    pub op: Signal<Out, Op>,
    ev_base: Param<Bits<16>>,
    last: Param<Bits<8>>,
    /// The highest path explored with the smallest window: the eighth, if there is one.
    least: Param<Bits<8>>,
    path_bits: Param<Bits<16>>,
    /// Bits of a window whose double is the number of paths or more.
    wide: Param<Bits<12>>,
}

#[block]
impl Inputs {
    /// The block of a configuration: its paths and the EV of the first one.
    pub fn new(config: &Config) -> Self {
        let paths = u64::from(config.strack.paths);
        Self {
            ev_base: Param::new(u64::from(config.selector.ev_base).into()),
            last: Param::new((paths - 1).into()),
            least: Param::new((paths - 1).min(7).into()),
            path_bits: Param::new((paths - 1).into()),
            wide: Param::new((0xFFF & !(paths / 2 - 1)).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module inputs: what the op is to the selector");
        let is_nack = self.kind == 2;
        self.op.send = self.kind == 0;
        self.op.feedback = (self.kind == 1) | is_nack;
        self.op.marked = is_nack | self.ecn;
        self.op.path = bit_cast::<8, 16>(self.ev) & self.last;
        let foreign = (self.ev ^ self.ev_base) & !self.path_bits;
        self.op.inside = !foreign.any();

        comment!("Twice the window, from 8 paths to all of them, less one.");
        let less_one = self.cwnd_packets - 1;
        self.op.highest = (bit_cast::<8, 12>(less_one) << 1) | 1;
        if !self.cwnd_packets.get_bits::<10>(2).any() {
            self.op.highest = self.least;
        }
        if (self.cwnd_packets & self.wide).any() {
            self.op.highest = self.last;
        }
    }
}
