//! What the op at the inputs is to the selector.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::update::Op;
use crate::comment;
use crate::config::Config;
use crate::prims::Param;

/// Tells an op apart: its kind, the path of its EV, and from the window the paths that a send explores.
#[derive(LogicBlock, Default)]
pub struct Inputs {
    pub kind: Signal<In, Bits<3>>,
    pub ev: Signal<In, Bits<16>>,
    pub ecn: Signal<In, bool>,
    pub cwnd_packets: Signal<In, Bits<12>>,
    pub op: Signal<Out, Op>,
    is_nack: Signal<Local, bool>,
    foreign: Signal<Local, Bits<16>>,
    less_one: Signal<Local, Bits<12>>,
    ev_base: Param<Bits<16>>,
    last: Param<Bits<8>>,
    /// The highest path explored with the smallest window: the eighth, if there is one.
    least: Param<Bits<8>>,
    path_bits: Param<Bits<16>>,
    /// Bits of a window whose double is the number of paths or more.
    wide: Param<Bits<12>>,
}

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
}

impl Logic for Inputs {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module inputs: what the op is to the selector");
        self.is_nack.next = self.kind.val() == 2;
        self.op.next.send = self.kind.val() == 0;
        self.op.next.feedback = (self.kind.val() == 1) | self.is_nack.val();
        self.op.next.marked = self.is_nack.val() | self.ecn.val();
        self.op.next.path = bit_cast::<8, 16>(self.ev.val()) & self.last.val();
        self.foreign.next = (self.ev.val() ^ self.ev_base.val()) & !self.path_bits.val();
        self.op.next.inside = !self.foreign.val().any();

        comment!("Twice the window, from 8 paths to all of them, less one.");
        self.less_one.next = self.cwnd_packets.val() - 1;
        self.op.next.highest = (bit_cast::<8, 12>(self.less_one.val()) << 1) | 1;
        if !self.cwnd_packets.val().get_bits::<10>(2).any() {
            self.op.next.highest = self.least.val();
        }
        if (self.cwnd_packets.val() & self.wide.val()).any() {
            self.op.next.highest = self.last.val();
        }
    }
}
