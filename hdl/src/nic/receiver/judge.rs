//! What becomes of a frame.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Decides about a frame with its last beat, and counts what is dropped. The pulses are registers.
#[derive(LogicBlock, Default)]
pub struct Judge {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// As [`Intake`](super::intake::Intake) says.
    pub is_bad: Signal<In, bool>,
    pub is_ack: Signal<In, bool>,
    pub is_probe: Signal<In, bool>,
    pub is_data: Signal<In, bool>,
    pub is_other: Signal<In, bool>,
    pub is_malformed: Signal<In, bool>,
    /// Room towards the host, among the ACKs, and among the ops that wait.
    pub has_host_room: Signal<In, bool>,
    pub has_ack_room: Signal<In, bool>,
    pub has_op_room: Signal<In, bool>,

    /// The frame goes to the host, is an ACK for the scoreboard, is an op for `sack_rx`.
    pub commit: Signal<Out, bool>,
    pub push_ack: Signal<Out, bool>,
    pub push_op: Signal<Out, bool>,
    /// A malformed frame goes to the host.
    pub tell_malformed: Signal<Out, bool>,

    pub rx_bad: Signal<Out, bool>,
    pub rx_other: Signal<Out, bool>,
    pub rx_malformed: Signal<Out, bool>,
    pub rx_dropped_host: Signal<Out, bool>,
    pub rx_dropped_engine: Signal<Out, bool>,
    pub acks_dropped: Signal<Out, bool>,

    bad: DFF<bool>,
    other: DFF<bool>,
    malformed: DFF<bool>,
    dropped_host: DFF<bool>,
    dropped_engine: DFF<bool>,
    dropped_ack: DFF<bool>,
}

impl Logic for Judge {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module judge: decides about a frame with its last beat");
        dff_setup!(self, clk, bad, other, malformed, dropped_host, dropped_engine, dropped_ack);
        comment!(
            "Data has to have room towards the host before sack_rx hears of it, or it would be acknowledged."
        );
        self.commit.next =
            self.has_host_room.val() & (self.is_other.val() | (self.is_data.val() & self.has_op_room.val()));
        self.push_op.next =
            self.has_op_room.val() & (self.is_probe.val() | (self.is_data.val() & self.has_host_room.val()));
        self.push_ack.next = self.is_ack.val() & self.has_ack_room.val();
        self.tell_malformed.next = self.is_malformed.val() & self.has_host_room.val();

        self.bad.d.next = self.is_bad.val();
        self.other.d.next = self.is_other.val() & !self.is_malformed.val() & self.has_host_room.val();
        self.malformed.d.next = self.is_malformed.val() & self.has_host_room.val();
        self.dropped_host.d.next = (self.is_data.val() | self.is_other.val()) & !self.has_host_room.val();
        self.dropped_engine.d.next =
            !self.has_op_room.val() & (self.is_probe.val() | (self.is_data.val() & self.has_host_room.val()));
        self.dropped_ack.d.next = self.is_ack.val() & !self.has_ack_room.val();
        self.rx_bad.next = self.bad.q.val();
        self.rx_other.next = self.other.q.val();
        self.rx_malformed.next = self.malformed.q.val();
        self.rx_dropped_host.next = self.dropped_host.q.val();
        self.rx_dropped_engine.next = self.dropped_engine.q.val();
        self.acks_dropped.next = self.dropped_ack.q.val();
        if self.rst.val() {
            self.bad.d.next = false;
            self.other.d.next = false;
            self.malformed.d.next = false;
            self.dropped_host.d.next = false;
            self.dropped_engine.d.next = false;
            self.dropped_ack.d.next = false;
        }
    }
}
