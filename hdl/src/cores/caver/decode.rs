//! What stands at the inputs, taken apart. Combinational.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;
use crate::prims::{Param, resize};

/// An op, or in the core's own slot a visit or a decay. Widths as those of [`Op`]; `WALK` is that of the walker's place.
#[block(no_clock)]
pub struct Decode<
    const DST: usize,
    const FLOW: usize,
    const PORT: usize,
    const PORTS: usize,
    const WALK: usize,
> {
    pub valid: Signal<In, bool>,
    pub kind: Signal<In, Bits<2>>,
    pub dst: Signal<In, Bits<DST>>,
    pub in_port: Signal<In, Bits<PORT>>,
    pub hash: Signal<In, Bits<32>>,
    pub bytes: Signal<In, Bits<14>>,
    pub is_local: Signal<In, bool>,
    pub fib_port: Signal<In, Bits<PORT>>,
    pub enable: Signal<In, bool>,
    pub hop: Signal<In, Bits<2>>,
    pub path: Signal<In, Bits<32>>,
    pub ce: Signal<In, Bits<8>>,
    pub len: Signal<In, Bits<2>>,
    pub to_local: Signal<In, bool>,
    pub port: Signal<In, Bits<PORT>>,
    pub shift: Signal<In, Bits<5>>,
    pub now: Signal<In, Bits<8>>,
    pub path_age: Signal<In, Bits<8>>,
    pub flow_timeout: Signal<In, Bits<8>>,
    pub is_host: Signal<In, Bits<PORTS>>,
    pub up: Signal<In, Bits<PORTS>>,
    pub alpha: Signal<In, Bits<3>>,
    /// The core's own slot.
    pub visits: Signal<In, bool>,
    pub walk: Signal<In, Bits<WALK>>,
    pub decays: Signal<In, bool>,
    pub decay_port: Signal<In, Bits<PORT>>,

    pub op: Signal<Out, Op<DST, FLOW, PORT, PORTS>>,

    port_bits: Param<Bits<4>>,
}

#[block]
impl<const DST: usize, const FLOW: usize, const PORT: usize, const PORTS: usize, const WALK: usize>
    Decode<DST, FLOW, PORT, PORTS, WALK>
{
    /// With its parameters.
    pub fn new() -> Self {
        Self { port_bits: Param::new((PORT as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module decode: what stands at the inputs, taken apart");
        let is_data = self.valid & (self.kind == 0);
        let is_ack = self.valid & (self.kind == 1);
        let is_set = self.valid & (self.kind == 3);
        self.op.kind.data = is_data;
        self.op.kind.ack = is_ack;
        self.op.kind.set_shift = is_set;
        self.op.kind.visit = self.visits;
        self.op.kind.decay = self.decays;

        comment!("The walker comes to an entry of each table at a time; the smaller table comes round.");
        self.op.dst = self.dst;
        self.op.place = self.hash.get_bits::<FLOW>(0);
        if self.visits {
            self.op.dst = resize(self.walk);
            self.op.place = resize(self.walk);
        }
        self.op.tag = self.hash.get_bits::<16>(16);
        self.op.port = self.in_port;
        if is_set {
            self.op.port = self.port;
        }
        if self.decays {
            self.op.port = self.decay_port;
        }
        self.op.fib_port = self.fib_port;

        comment!(
            "A route leads from switch to switch: its next port must be one of this switch, with no host at it."
        );
        let next_hop = self.hop + 1;
        let mut step = self.path.get_bits::<8>(8);
        if next_hop == 2 {
            step = self.path.get_bits::<8>(16);
        }
        if next_hop == 3 {
            step = self.path.get_bits::<8>(24);
        }
        let step_port: Bits<PORT> = resize(step);
        let is_port = !(step >> self.port_bits).any();
        self.op.next_port = step_port;
        self.op.next_hop = next_hop;
        self.op.enable = self.enable;
        self.op.is_good = next_hop.any() & is_port & !self.is_host.get_bit(step_port.index());
        self.op.from_host = self.is_host.get_bit(self.in_port.index());
        self.op.to_host = self.is_local;
        if self.kind.get_bit(0) {
            self.op.to_host = self.to_local;
        }

        self.op.bytes = self.bytes;
        self.op.path = self.path;
        self.op.ce = self.ce;
        self.op.len = self.len;
        self.op.shift = self.shift;
        self.op.alpha = self.alpha;
        self.op.now = self.now;
        self.op.path_age = self.path_age;
        self.op.flow_timeout = self.flow_timeout;
        self.op.up = self.up;
    }
}
