//! Frames and their records, brought together.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::words::Beat;
use crate::comment;
use crate::config::Wire;
use crate::prims::{NamedBytes, Param};

/// Takes beats at once, but for the last of a frame, which is taken together with its record.
///
/// A record comes at most five edges after its last beat, and the queues of `rewrite_rx` hold more than what arrives
/// meanwhile. So nothing here makes its input wait. The outputs are registers: a beat, and with a frame's last one what
/// becomes of the frame.
#[derive(LogicBlock, Default)]
pub struct Intake<const W: usize, const K: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub tdata: Signal<In, Bits<W>>,
    pub tkeep: Signal<In, Bits<K>>,
    pub tvalid: Signal<In, bool>,
    pub tlast: Signal<In, bool>,
    pub tuser: Signal<In, Bits<1>>,
    pub tready: Signal<Out, bool>,
    pub meta_valid: Signal<In, bool>,
    pub meta_ready: Signal<Out, bool>,
    pub kind: Signal<In, Bits<2>>,
    pub error: Signal<In, Bits<3>>,
    pub bytes: Signal<In, Bits<16>>,
    pub ack_request: Signal<In, bool>,

    /// A beat came.
    pub valid: Signal<Out, bool>,
    pub beat: Signal<Out, Beat<W, K>>,
    /// The beat is its frame's last.
    pub is_last: Signal<Out, bool>,
    /// With the last beat, one of these: the MAC found the frame bad, or a good one is an ACK, a probe, data or something else.
    pub is_bad: Signal<Out, bool>,
    pub is_ack: Signal<Out, bool>,
    pub is_probe: Signal<Out, bool>,
    pub is_data: Signal<Out, bool>,
    pub is_other: Signal<Out, bool>,
    /// Beside `is_other`: it is malformed.
    pub is_malformed: Signal<Out, bool>,

    named: NamedBytes<W, K>,
    take: Signal<Local, bool>,
    ends: Signal<Local, bool>,
    asks_without_data: Signal<Local, bool>,
    came: DFF<bool>,
    held: DFF<Beat<W, K>>,
    last: DFF<bool>,
    bad: DFF<bool>,
    ack: DFF<bool>,
    probe: DFF<bool>,
    data: DFF<bool>,
    other: DFF<bool>,
    malformed: DFF<bool>,
    is_uet: Param<bool>,
}

impl<const W: usize, const K: usize> Intake<W, K> {
    /// For the packets of a profile.
    pub fn new(wire: Wire) -> Self {
        Self { is_uet: Param::new(wire == Wire::Uet), ..Default::default() }
    }
}

impl<const W: usize, const K: usize> Logic for Intake<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module intake: brings frames and their records together, and says what each frame is");
        dff_setup!(self, clk, came, held, last, bad, ack, probe, data, other, malformed);
        self.tready.next = !self.tlast.val() | self.meta_valid.val();
        self.meta_ready.next = self.tvalid.val() & self.tlast.val();
        self.take.next = self.tvalid.val() & (!self.tlast.val() | self.meta_valid.val());
        self.came.d.next = self.take.val();
        comment!("Of a kept beat the first byte is there, so its place tells the last beat.");
        self.named.data.next = self.tdata.val();
        self.named.keep.next = self.tkeep.val();
        self.held.d.next.data = self.named.zeroed.val();
        self.held.d.next.keep = self.tkeep.val().replace_bit(0, self.tlast.val());
        self.last.d.next = self.take.val() & self.tlast.val();
        self.bad.d.next = self.take.val() & self.tlast.val() & self.tuser.val().get_bit(0);
        self.ends.next = self.take.val() & self.tlast.val() & !self.tuser.val().get_bit(0);
        comment!("A request of uet without payload that asks for an ACK is a probe.");
        self.asks_without_data.next =
            self.is_uet.val() & self.ack_request.val() & (self.bytes.val() == bits::<16>(0));
        self.ack.d.next = self.ends.val() & (self.kind.val() == bits::<2>(1));
        self.probe.d.next = self.ends.val()
            & ((self.kind.val() == bits::<2>(2))
                | ((self.kind.val() == bits::<2>(0)) & self.asks_without_data.val()));
        self.data.d.next =
            self.ends.val() & (self.kind.val() == bits::<2>(0)) & !self.asks_without_data.val();
        self.other.d.next = self.ends.val() & (self.kind.val() == bits::<2>(3));
        comment!("What is unsupported, error 4, is not malformed.");
        self.malformed.d.next = self.ends.val()
            & (self.kind.val() == bits::<2>(3))
            & (self.error.val() != bits::<3>(0))
            & (self.error.val() != bits::<3>(4));
        self.valid.next = self.came.q.val();
        self.beat.next = self.held.q.val();
        self.is_last.next = self.last.q.val();
        self.is_bad.next = self.bad.q.val();
        self.is_ack.next = self.ack.q.val();
        self.is_probe.next = self.probe.q.val();
        self.is_data.next = self.data.q.val();
        self.is_other.next = self.other.q.val();
        self.is_malformed.next = self.malformed.q.val();
        if self.rst.val() {
            self.came.d.next = false;
            self.last.d.next = false;
            self.bad.d.next = false;
            self.ack.d.next = false;
            self.probe.d.next = false;
            self.data.d.next = false;
            self.other.d.next = false;
            self.malformed.d.next = false;
        }
    }
}
