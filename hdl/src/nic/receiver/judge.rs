//! What becomes of a frame.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Decides about a frame with its last beat, and counts what is dropped. The pulses are registers.
#[block]
pub struct Judge {
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

    #[reset = false]
    bad: Reg<bool>,
    #[reset = false]
    other: Reg<bool>,
    #[reset = false]
    malformed: Reg<bool>,
    #[reset = false]
    dropped_host: Reg<bool>,
    #[reset = false]
    dropped_engine: Reg<bool>,
    #[reset = false]
    dropped_ack: Reg<bool>,
}

#[block]
impl Judge {
    fn update(&mut self) {
        comment!("module judge: decides about a frame with its last beat");
        comment!(
            "Data has to have room towards the host before sack_rx hears of it, or it would be acknowledged."
        );
        self.commit = self.has_host_room & (self.is_other | (self.is_data & self.has_op_room));
        self.push_op = self.has_op_room & (self.is_probe | (self.is_data & self.has_host_room));
        self.push_ack = self.is_ack & self.has_ack_room;
        self.tell_malformed = self.is_malformed & self.has_host_room;
        self.bad = self.is_bad;
        self.other = self.is_other & !self.is_malformed & self.has_host_room;
        self.malformed = self.is_malformed & self.has_host_room;
        self.dropped_host = (self.is_data | self.is_other) & !self.has_host_room;
        self.dropped_engine = !self.has_op_room & (self.is_probe | (self.is_data & self.has_host_room));
        self.dropped_ack = self.is_ack & !self.has_ack_room;
        self.rx_bad = self.bad;
        self.rx_other = self.other;
        self.rx_malformed = self.malformed;
        self.rx_dropped_host = self.dropped_host;
        self.rx_dropped_engine = self.dropped_engine;
        self.acks_dropped = self.dropped_ack;
    }
}
