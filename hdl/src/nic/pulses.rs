//! Counts that several parts of the block have in common.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// One pulse for each of several that may come in the same cycle: at most 255 wait.
#[block]
pub struct Merge {
    pub first: Signal<In, bool>,
    pub second: Signal<In, bool>,
    pub third: Signal<In, bool>,
    pub pulse: Signal<Out, bool>,
    #[reset = 0]
    waiting: Reg<Bits<8>>,
}

#[block]
impl Merge {
    fn update(&mut self) {
        comment!("module merge: one pulse for each of several that may come in the same cycle");
        let mut left = self.waiting;
        if self.waiting.any() {
            left = self.waiting - 1;
        }
        let mut sum = left + self.first;
        sum = sum + self.second;
        sum = sum + self.third;
        self.pulse = self.waiting.any();
        self.waiting = sum;
    }
}

/// Joins the pulses of counters that several parts have in common.
///
/// Probes come from the host and from the block itself, each a few cycles apart; events are lost in three places. Those that waited
/// in two of them, and those that malformed frames of one beat bring meanwhile, are lost faster than one a cycle for tens of cycles.
#[block]
pub struct Pulses {
    pub own_probe: Signal<In, bool>,
    pub host_probe: Signal<In, bool>,
    /// A frame of the host leaves unchanged: nothing is wrong with it, or something is.
    pub passed: Signal<In, bool>,
    pub malformed: Signal<In, bool>,
    pub event_lost: Signal<In, bool>,
    pub receiver_event_lost: Signal<In, bool>,
    pub spray_event_lost: Signal<In, bool>,
    pub count_tx_probes: Signal<Out, bool>,
    pub count_tx_other: Signal<Out, bool>,
    pub count_events_lost: Signal<Out, bool>,
    probes: Merge,
    lost: Merge,
    // Of Ultra Ethernet: an answer of the block is made, and whether it is a NACK; a packet, an ACK or NACK is not of the peer.
    pub own_answer: Optional<Signal<In, bool>>,
    pub own_is_nack: Optional<Signal<In, bool>>,
    pub packet_of_other: Optional<Signal<In, bool>>,
    pub ack_of_other: Optional<Signal<In, bool>>,
    pub count_tx_sacks: Optional<Signal<Out, bool>>,
    pub count_tx_nacks: Optional<Signal<Out, bool>>,
    pub count_rx_other_peer: Optional<Signal<Out, bool>>,
    others: Optional<Merge>,
    has_types: Param<bool>,
}

#[block]
impl Pulses {
    /// With types, where they are those of Ultra Ethernet.
    pub fn new(has_types: bool) -> Self {
        Self {
            own_answer: Optional::new(has_types, Default::default),
            own_is_nack: Optional::new(has_types, Default::default),
            packet_of_other: Optional::new(has_types, Default::default),
            ack_of_other: Optional::new(has_types, Default::default),
            count_tx_sacks: Optional::new(has_types, Default::default),
            count_tx_nacks: Optional::new(has_types, Default::default),
            count_rx_other_peer: Optional::new(has_types, Default::default),
            others: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Counts that several parts of the block have in common.");
        self.probes.first = self.own_probe;
        self.probes.second = self.host_probe;
        self.probes.third = false;
        self.count_tx_probes = self.probes.pulse;
        self.lost.first = self.event_lost;
        self.lost.second = self.receiver_event_lost;
        self.lost.third = self.spray_event_lost;
        self.count_events_lost = self.lost.pulse;
        self.count_tx_other = self.passed | self.malformed;
        if self.has_types {
            self.count_tx_sacks = self.own_answer & !self.own_is_nack;
            self.count_tx_nacks = self.own_answer & self.own_is_nack;
            self.others.first = self.packet_of_other;
            self.others.second = self.ack_of_other;
            self.others.third = false;
            self.count_rx_other_peer = self.others.pulse;
        }
    }
}
