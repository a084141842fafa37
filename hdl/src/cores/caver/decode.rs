//! What stands at the inputs, taken apart. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;
use crate::prims::Param;

/// An op, or in the core's own slot a visit or a decay. Widths as those of [`Op`]; `W` is that of the walker's place.
#[derive(LogicBlock, Default)]
pub struct Decode<const D: usize, const F: usize, const P: usize, const Q: usize, const W: usize> {
    pub valid: Signal<In, bool>,
    pub kind: Signal<In, Bits<2>>,
    pub dst: Signal<In, Bits<D>>,
    pub in_port: Signal<In, Bits<P>>,
    pub hash: Signal<In, Bits<32>>,
    pub bytes: Signal<In, Bits<14>>,
    pub is_local: Signal<In, bool>,
    pub fib_port: Signal<In, Bits<P>>,
    pub enable: Signal<In, bool>,
    pub hop: Signal<In, Bits<2>>,
    pub path: Signal<In, Bits<32>>,
    pub ce: Signal<In, Bits<8>>,
    pub len: Signal<In, Bits<2>>,
    pub to_local: Signal<In, bool>,
    pub port: Signal<In, Bits<P>>,
    pub shift: Signal<In, Bits<5>>,
    pub now: Signal<In, Bits<8>>,
    pub path_age: Signal<In, Bits<8>>,
    pub flow_timeout: Signal<In, Bits<8>>,
    pub is_host: Signal<In, Bits<Q>>,
    pub up: Signal<In, Bits<Q>>,
    pub alpha: Signal<In, Bits<3>>,
    /// The core's own slot.
    pub visits: Signal<In, bool>,
    pub walk: Signal<In, Bits<W>>,
    pub decays: Signal<In, bool>,
    pub decay_port: Signal<In, Bits<P>>,

    pub op: Signal<Out, Op<D, F, P, Q>>,

    is_data: Signal<Local, bool>,
    is_ack: Signal<Local, bool>,
    is_set: Signal<Local, bool>,
    next_hop: Signal<Local, Bits<2>>,
    step: Signal<Local, Bits<8>>,
    step_port: Signal<Local, Bits<P>>,
    is_port: Signal<Local, bool>,
    port_bits: Param<Bits<4>>,
}

impl<const D: usize, const F: usize, const P: usize, const Q: usize, const W: usize> Decode<D, F, P, Q, W> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { port_bits: Param::new((P as u64).into()), ..Default::default() }
    }
}

impl<const D: usize, const F: usize, const P: usize, const Q: usize, const W: usize> Logic
    for Decode<D, F, P, Q, W>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module decode: what stands at the inputs, taken apart");
        self.is_data.next = self.valid.val() & (self.kind.val() == 0);
        self.is_ack.next = self.valid.val() & (self.kind.val() == 1);
        self.is_set.next = self.valid.val() & (self.kind.val() == 3);
        self.op.next.kind.data = self.is_data.val();
        self.op.next.kind.ack = self.is_ack.val();
        self.op.next.kind.set_shift = self.is_set.val();
        self.op.next.kind.visit = self.visits.val();
        self.op.next.kind.decay = self.decays.val();

        comment!("The walker comes to an entry of each table at a time; the smaller table comes round.");
        self.op.next.dst = self.dst.val();
        self.op.next.place = self.hash.val().get_bits::<F>(0);
        if self.visits.val() {
            self.op.next.dst = bit_cast::<D, W>(self.walk.val());
            self.op.next.place = bit_cast::<F, W>(self.walk.val());
        }
        self.op.next.tag = self.hash.val().get_bits::<16>(16);
        self.op.next.port = self.in_port.val();
        if self.is_set.val() {
            self.op.next.port = self.port.val();
        }
        if self.decays.val() {
            self.op.next.port = self.decay_port.val();
        }
        self.op.next.fib_port = self.fib_port.val();

        comment!(
            "A route leads from switch to switch: its next port must be one of this switch, with no host at it."
        );
        self.next_hop.next = self.hop.val() + 1;
        self.step.next = self.path.val().get_bits::<8>(8);
        if self.next_hop.val() == 2 {
            self.step.next = self.path.val().get_bits::<8>(16);
        }
        if self.next_hop.val() == 3 {
            self.step.next = self.path.val().get_bits::<8>(24);
        }
        self.step_port.next = bit_cast::<P, 8>(self.step.val());
        self.is_port.next = !(self.step.val() >> self.port_bits.val()).any();
        self.op.next.next_port = self.step_port.val();
        self.op.next.next_hop = self.next_hop.val();
        self.op.next.enable = self.enable.val();
        self.op.next.is_good = self.next_hop.val().any()
            & self.is_port.val()
            & !self.is_host.val().get_bit(self.step_port.val().index());
        self.op.next.from_host = self.is_host.val().get_bit(self.in_port.val().index());
        self.op.next.to_host = self.is_local.val();
        if self.kind.val().get_bit(0) {
            self.op.next.to_host = self.to_local.val();
        }

        self.op.next.bytes = self.bytes.val();
        self.op.next.path = self.path.val();
        self.op.next.ce = self.ce.val();
        self.op.next.len = self.len.val();
        self.op.next.shift = self.shift.val();
        self.op.next.alpha = self.alpha.val();
        self.op.next.now = self.now.val();
        self.op.next.path_age = self.path_age.val();
        self.op.next.flow_timeout = self.flow_timeout.val();
        self.op.next.up = self.up.val();
    }
}
