//! What the result of a packet brings.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::{ResultPulses, TypedResultPulses, TypedTrigger};
use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// Counts results, and says which of them bring a status for a frame, an answer, or an event. The pulses are registers.
#[block]
pub struct Outcome {
    /// A packet is done. With `res_valid` `sack_rx` says what it is; otherwise there is no such connection.
    pub done: Signal<In, bool>,
    pub res_valid: Signal<In, bool>,
    pub res_status: Signal<In, Bits<3>>,
    pub sack_valid: Signal<In, bool>,
    pub is_marked: Signal<In, bool>,
    pub is_probe: Signal<In, bool>,
    pub has_answer_room: Signal<In, bool>,
    /// Where the host says who the peers are: without a result, the packet is one from another address.
    pub is_of_another: Optional<Signal<In, bool>>,

    /// As `res_status`, 7 where there is no such connection, 6 of a packet from another address than the peer's.
    pub status: Signal<Out, Bits<3>>,
    /// A frame waits for the status.
    pub push_status: Signal<Out, bool>,
    /// A SACK is due, and there is room for it.
    pub push_answer: Signal<Out, bool>,
    /// The host is to hear of the packet: that it is a duplicate, or that it was not taken in.
    pub tell_duplicate: Signal<Out, bool>,
    pub tell_stray: Signal<Out, bool>,

    #[flat]
    pub pulses: Signal<Out, ResultPulses>,
    pub rx_other_address: Optional<Signal<Out, bool>>,

    #[reset = false]
    new: Reg<bool>,
    #[reset = false]
    duplicate: Reg<bool>,
    #[reset = false]
    outside: Reg<bool>,
    #[reset = false]
    not_open: Reg<bool>,
    #[reset = false]
    marked: Reg<bool>,
    #[reset = false]
    probe: Reg<bool>,
    #[reset = false]
    dropped: Reg<bool>,
    of_another: Optional<Reg<bool>>,
    has_peers: Param<bool>,
    // Of Ultra Ethernet. A status 6 of `sack_rx`, ahead in a connection in order, is told as 3.
    pub typed: Optional<Signal<In, TypedTrigger>>,
    pub nack_valid: Optional<Signal<In, bool>>,
    /// The result is that of a packet which the host has taken in, and no packet is done.
    pub accepted: Optional<Signal<In, bool>>,
    pub typed_pulses: Optional<Signal<Out, TypedResultPulses>>,
    is_answered: Optional<Signal<Local, bool>>,
    is_data: Optional<Signal<Local, bool>>,
    is_stray: Optional<Signal<Local, bool>>,
    ahead: Optional<Reg<bool>>,
    control: Optional<Reg<bool>>,
    trimmed: Optional<Reg<bool>>,
    /// The host was to hear of a packet at the edge before.
    told: Optional<Reg<bool>>,
    has_types: Param<bool>,
}

#[block]
impl Outcome {
    /// Where packets may be of another than the peer, or may not; with types, where they are those of Ultra Ethernet.
    pub fn new(has_peers: bool, has_types: bool) -> Self {
        Self {
            typed: Optional::new(has_types, Default::default),
            nack_valid: Optional::new(has_types, Default::default),
            accepted: Optional::new(has_types, Default::default),
            typed_pulses: Optional::new(has_types, Default::default),
            is_answered: Optional::new(has_types, Default::default),
            is_data: Optional::new(has_types, Default::default),
            is_stray: Optional::new(has_types, Default::default),
            ahead: Optional::new(has_types, Default::default),
            control: Optional::new(has_types, Default::default),
            trimmed: Optional::new(has_types, Default::default),
            told: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            is_of_another: Optional::new(has_peers, Default::default),
            rx_other_address: Optional::new(has_peers, Default::default),
            of_another: Optional::new(has_peers, Default::default),
            has_peers: Param::new(has_peers),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module outcome: what the result of a packet brings");
        let mut code: Bits<3> = 7;
        if self.res_valid {
            code = self.res_status;
        }
        self.status = code;
        self.push_status = self.done & !self.is_probe;
        self.push_answer = self.sack_valid & self.has_answer_room;
        self.tell_duplicate = self.done & (code == 1);
        self.tell_stray = self.done & ((code == 2) | (code == 7));
        self.new = self.done & (code == 0);
        self.duplicate = self.done & (code == 1);
        self.outside = self.done & (code == 2);
        self.probe = self.done & (code == 3);
        self.not_open = self.done & (code == 7);
        self.marked = self.done & self.is_marked;
        self.dropped = self.sack_valid & !self.has_answer_room;
        if self.has_peers {
            comment!("Of those that sack_rx is not asked about some are refused.");
            if !self.res_valid & self.is_of_another {
                self.status = 6;
            }
            self.not_open = self.done & (code == 7) & (self.res_valid | !self.is_of_another);
            self.of_another = self.done & !self.res_valid & self.is_of_another;
            self.rx_other_address = self.of_another;
            if self.rst {
                self.not_open = false;
                self.of_another = false;
            }
        }
        if self.has_types {
            comment!(
                "What was trimmed has no status of its own, and control packets are counted by themselves."
            );
            self.push_answer = (self.sack_valid | self.nack_valid) & self.has_answer_room;
            self.dropped = (self.sack_valid | self.nack_valid) & !self.has_answer_room;
            comment!("What sack_rx was not asked about is a stray: it is of another, or of no connection.");
            self.is_answered = self.res_valid & !self.typed.is_trimmed;
            self.is_data = self.is_answered & !self.typed.is_control;
            self.is_stray = (self.done & !self.res_valid)
                | (self.is_answered
                    & ((self.res_status == 2) | (self.res_status == 6) | (self.res_status == 7)));
            self.tell_duplicate = self.is_data & (self.res_status == 1);
            self.tell_stray = self.is_stray;
            self.told = self.is_stray | (self.is_data & (self.res_status == 1));
            self.new = (self.is_data | self.accepted) & (self.res_status == 0);
            self.duplicate = (self.is_data | self.accepted) & (self.res_status == 1);
            self.outside = (self.is_data | self.accepted) & (self.res_status == 2);
            self.ahead = (self.is_data | self.accepted) & (self.res_status == 6);
            self.probe = self.is_answered & (self.res_status == 3);
            self.not_open = (self.is_answered & (self.res_status == 7))
                | (self.done & !self.res_valid & !self.is_of_another);
            self.control =
                self.is_answered & self.typed.is_control & (self.res_status != 3) & (self.res_status != 7);
            self.trimmed = self.res_valid & self.typed.is_trimmed;
            if self.res_valid & (code == 6) {
                self.status = 3;
            }
            self.typed_pulses.rx_ahead = self.ahead;
            self.typed_pulses.rx_control = self.control;
            self.typed_pulses.rx_trimmed = self.trimmed;
            self.typed_pulses.rx_told = self.told;
            if self.rst {
                self.ahead = false;
                self.control = false;
                self.trimmed = false;
                self.told = false;
                self.new = false;
                self.duplicate = false;
                self.outside = false;
                self.probe = false;
                self.not_open = false;
                self.dropped = false;
            }
        }
        self.pulses.rx_new = self.new;
        self.pulses.rx_duplicate = self.duplicate;
        self.pulses.rx_outside = self.outside;
        self.pulses.rx_not_open = self.not_open;
        self.pulses.rx_marked = self.marked;
        self.pulses.rx_probes = self.probe;
        self.pulses.sacks_dropped = self.dropped;
    }
}
