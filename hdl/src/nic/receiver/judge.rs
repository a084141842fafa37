//! What becomes of a frame.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::{Found, FramePulses, TypedFramePulses};
use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// Decides about a frame with its last beat, and counts what is dropped. The pulses are registers.
#[block]
pub struct Judge {
    #[flat]
    pub found: Signal<In, Found>,
    /// Room towards the host, among the ACKs, and among the ops that wait.
    pub has_host_room: Signal<In, bool>,
    pub has_ack_room: Signal<In, bool>,
    pub has_op_room: Signal<In, bool>,
    /// Where the host grants frames: data may go to it.
    pub has_credit: Optional<Signal<In, bool>>,

    /// The frame goes to the host, is an ACK for the scoreboard, is an op for `sack_rx`.
    pub commit: Signal<Out, bool>,
    pub push_ack: Signal<Out, bool>,
    pub push_op: Signal<Out, bool>,
    /// A malformed frame goes to the host.
    pub tell_malformed: Signal<Out, bool>,

    #[flat]
    pub pulses: Signal<Out, FramePulses>,
    // Of Ultra Ethernet.
    pub is_unbound: Optional<Signal<In, bool>>,
    pub is_trimmed_other: Optional<Signal<In, bool>>,
    /// If it is an ACK, it is for the host, too.
    pub is_ack_for_host: Optional<Signal<In, bool>>,
    pub typed_pulses: Optional<Signal<Out, TypedFramePulses>>,
    /// Where the host grants frames: data is dropped because it has no credit.
    pub is_without_credit: Optional<Signal<Out, bool>>,

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
    asks_for_credit: Param<bool>,
    unbound: Optional<Reg<bool>>,
    trimmed_other: Optional<Reg<bool>>,
    has_types: Param<bool>,
}

#[block]
impl Judge {
    /// With credit, where the host grants frames; with types, where they are those of Ultra Ethernet.
    pub fn new(has_credit: bool, has_types: bool) -> Self {
        Self {
            is_unbound: Optional::new(has_types, Default::default),
            is_trimmed_other: Optional::new(has_types, Default::default),
            is_ack_for_host: Optional::new(has_types, Default::default),
            typed_pulses: Optional::new(has_types, Default::default),
            unbound: Optional::new(has_types, Default::default),
            trimmed_other: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            has_credit: Optional::new(has_credit, Default::default),
            is_without_credit: Optional::new(has_credit, Default::default),
            asks_for_credit: Param::new(has_credit),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module judge: decides about a frame with its last beat");
        comment!(
            "Data has to have room towards the host before sack_rx hears of it, or it would be acknowledged."
        );
        if self.asks_for_credit {
            self.commit = self.has_host_room
                & (self.found.is_other | (self.found.is_data & self.has_op_room & self.has_credit));
            self.push_op = self.has_op_room
                & (self.found.is_probe | (self.found.is_data & self.has_host_room & self.has_credit));
        } else {
            self.commit =
                self.has_host_room & (self.found.is_other | (self.found.is_data & self.has_op_room));
            self.push_op =
                self.has_op_room & (self.found.is_probe | (self.found.is_data & self.has_host_room));
        }
        self.push_ack = self.found.is_ack & self.has_ack_room;
        self.tell_malformed = self.found.is_malformed & self.has_host_room;
        self.bad = self.found.is_bad;
        self.other = self.found.is_other & !self.found.is_malformed & self.has_host_room;
        self.malformed = self.found.is_malformed & self.has_host_room;
        self.dropped_host = (self.found.is_data | self.found.is_other) & !self.has_host_room;
        if self.asks_for_credit {
            self.is_without_credit = self.found.is_data & self.has_host_room & !self.has_credit;
            self.dropped_engine = !self.has_op_room
                & (self.found.is_probe | (self.found.is_data & self.has_host_room & self.has_credit));
        } else {
            self.dropped_engine =
                !self.has_op_room & (self.found.is_probe | (self.found.is_data & self.has_host_room));
        }
        self.dropped_ack = self.found.is_ack & !self.has_ack_room;
        if self.has_types {
            self.other =
                self.found.is_other & !self.found.is_malformed & !self.is_unbound & self.has_host_room;
            self.unbound = self.is_unbound & self.has_host_room;
            self.trimmed_other = self.is_trimmed_other;
            comment!("An ACK for the host, too, has room towards both, or neither gets it.");
            self.commit = self.has_host_room
                & (self.found.is_other
                    | (self.found.is_data & self.has_op_room)
                    | (self.found.is_ack & self.is_ack_for_host & self.has_ack_room));
            self.push_ack =
                self.found.is_ack & self.has_ack_room & (self.has_host_room | !self.is_ack_for_host);
            self.dropped_ack =
                self.found.is_ack & !self.has_ack_room & (self.has_host_room | !self.is_ack_for_host);
            self.dropped_host = !self.has_host_room
                & (self.found.is_data | self.found.is_other | (self.found.is_ack & self.is_ack_for_host));
            self.typed_pulses.rx_unbound = self.unbound;
            self.typed_pulses.rx_trimmed_other = self.trimmed_other;
            if self.rst {
                self.unbound = false;
                self.trimmed_other = false;
            }
        }
        self.pulses.rx_bad = self.bad;
        self.pulses.rx_other = self.other;
        self.pulses.rx_malformed = self.malformed;
        self.pulses.rx_dropped_host = self.dropped_host;
        self.pulses.rx_dropped_engine = self.dropped_engine;
        self.pulses.acks_dropped = self.dropped_ack;
    }
}
