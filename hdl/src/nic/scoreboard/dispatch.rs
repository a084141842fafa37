//! What follows from what was found.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::found::{Found, TypedFound};
use crate::comment;
use crate::config::LossFeedback;
use crate::prims::{Optional, Param, Reg, resize};
use crate::signal_struct;

signal_struct! {
    /// Pulses for counters that only the scoreboard of Ultra Ethernet has.
    pub struct TypedPulses {
        pub count_rx_nacks: bool,
        pub count_rx_nacks_bad: bool,
        pub count_loss_nack: bool,
        pub count_ack_requests: bool,
        pub count_dead: bool,
    }
}

/// Tells the host and the selector, and puts connections into the lists of those in recovery and of probes that are due.
///
/// What was found stands in a register until all that follows is done: an event a cycle, in the order of the kinds below, beside it
/// one op of the selector, one decision about a packet, one entry of a list. Counters pulse in the first of these cycles.
#[block]
pub struct Dispatch {
    pub found_valid: Signal<In, bool>,
    pub found_ready: Signal<Out, bool>,
    pub found: Signal<In, Found>,
    pub cwnd_packets: Signal<In, Bits<12>>,

    /// Events for the host; the codes of `kind` are those of its record.
    pub event_valid: Signal<Out, bool>,
    pub event_ready: Signal<In, bool>,
    pub event_kind: Signal<Out, Bits<4>>,
    pub event_conn: Signal<Out, Bits<24>>,
    pub event_psn: Signal<Out, Bits<32>>,
    pub event_detail: Signal<Out, Bits<16>>,
    pub event_in_flight: Signal<Out, Bits<16>>,
    pub event_value: Signal<Out, Bits<32>>,
    /// Ops of the selector: 0 send, 1 ack, 3 timeout, 4 init.
    pub spray_valid: Signal<Out, bool>,
    pub spray_ready: Signal<In, bool>,
    pub spray_kind: Signal<Out, Bits<3>>,
    pub spray_conn: Signal<Out, Bits<24>>,
    pub spray_ev: Signal<Out, Bits<16>>,
    pub spray_ecn: Signal<Out, bool>,
    /// What becomes of the next packet of the host: 0 rewrite, 1 pass, 2 drop.
    pub decide_valid: Signal<Out, bool>,
    pub decide_action: Signal<Out, Bits<2>>,
    pub recovery_add: Signal<Out, bool>,
    pub probe_add: Signal<Out, bool>,
    pub probe_cancel: Signal<Out, bool>,
    pub list_conn: Signal<Out, Bits<24>>,
    pub list_psn: Signal<Out, Bits<32>>,
    pub list_psns: Optional<Signal<Out, Bits<64>>>,
    /// The connection that was looked at may send again; its window is full.
    pub allowed: Signal<Out, bool>,
    pub is_full: Signal<Out, bool>,

    pub count_tx_data: Signal<Out, bool>,
    pub count_tx_again: Signal<Out, bool>,
    pub count_tx_refused: Signal<Out, bool>,
    pub host_probe: Signal<Out, bool>,
    pub count_rx_acks: Signal<Out, bool>,
    pub count_rx_acks_old: Signal<Out, bool>,
    pub count_rx_acks_bad: Signal<Out, bool>,
    /// Where the host says who the peers are.
    pub count_acks_other_address: Optional<Signal<Out, bool>>,
    pub count_loss_ooo: Signal<Out, bool>,
    pub count_loss_probe: Signal<Out, bool>,
    pub count_loss_timeout: Signal<Out, bool>,
    pub count_recovery_left: Signal<Out, bool>,
    pub count_handed_out: Signal<Out, bool>,

    work: Reg<Found>,
    /// In the first cycle of a new one.
    #[reset = false]
    first: Reg<bool>,
    #[reset = false]
    tell_acked: Reg<bool>,
    #[reset = false]
    tell_left: Reg<bool>,
    #[reset = false]
    tell_loss: Reg<bool>,
    #[reset = false]
    tell_rtt: Reg<bool>,
    #[reset = false]
    tell_bad: Reg<bool>,
    #[reset = false]
    tell_refused: Reg<bool>,
    #[reset = false]
    tell_again: Reg<bool>,
    #[reset = false]
    spray: Reg<bool>,
    spray_code: Reg<Bits<3>>,
    #[reset = false]
    decide: Reg<bool>,
    action: Reg<Bits<2>>,
    #[reset = false]
    recover: Reg<bool>,
    #[reset = false]
    due: Reg<bool>,
    #[reset = false]
    renewed: Reg<bool>,
    #[reset = false]
    allow: Reg<bool>,
    #[reset = false]
    full: Reg<bool>,

    // Of Ultra Ethernet: what else was found; and what else is told, in this order: bound or NACK before all that others have, what an ACK
    // asks for behind a loss, and what else a visit found.
    pub typed: Optional<Signal<In, TypedFound>>,
    pub event_kind_high: Optional<Signal<Out, bool>>,
    pub typed_pulses: Optional<Signal<Out, TypedPulses>>,
    typed_work: Optional<Reg<TypedFound>>,
    tell_first: Optional<Reg<bool>>,
    tell_copy: Optional<Reg<bool>>,
    tell_request: Optional<Reg<bool>>,
    tell_ask: Optional<Reg<bool>>,
    tell_dead: Optional<Reg<bool>>,
    has_types: Param<bool>,

    hears_all: Param<bool>,
    hears_none: Param<bool>,
    has_peers: Param<bool>,
    is_graceful: Param<bool>,
}

#[block]
impl Dispatch {
    /// For a selector that hears of these losses, and for a host that says who the peers are, or does not.
    pub fn new(losses: LossFeedback, has_peers: bool, is_graceful: bool, has_types: bool) -> Self {
        Self {
            typed: Optional::new(has_types, Default::default),
            event_kind_high: Optional::new(has_types, Default::default),
            typed_pulses: Optional::new(has_types, Default::default),
            typed_work: Optional::new(has_types, Default::default),
            tell_first: Optional::new(has_types, Default::default),
            tell_copy: Optional::new(has_types, Default::default),
            tell_request: Optional::new(has_types, Default::default),
            tell_ask: Optional::new(has_types, Default::default),
            tell_dead: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            list_psns: Optional::new(has_types, Default::default),
            hears_all: Param::new(losses == LossFeedback::Any),
            hears_none: Param::new(losses == LossFeedback::None),
            count_acks_other_address: Optional::new(has_peers, Default::default),
            has_peers: Param::new(has_peers),
            is_graceful: Param::new(is_graceful),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module dispatch: what follows from what an op or a visit of sack_tx found");
        let is_idle = !(self.tell_acked
            | self.tell_left
            | self.tell_loss
            | self.tell_rtt
            | self.tell_bad
            | self.tell_refused
            | self.tell_again
            | self.spray
            | self.first);
        self.found_ready = is_idle;
        if self.has_types {
            self.found_ready = is_idle
                & !(self.tell_first | self.tell_copy | self.tell_request | self.tell_ask | self.tell_dead);
        }
        let load = self.found_ready & self.found_valid;

        comment!(
            "What it was for, and what follows. Statuses: 0 done, 1 done before; others change nothing."
        );
        let is_ack = self.found.class == 0;
        let is_data = self.found.class == 1;
        let is_probe = self.found.class == 2;
        let is_look = self.found.class == 3;
        let is_again = self.found.class == 4;
        let is_renewed = self.found.class == 7;
        let is_ok = self.found.status == 0;
        let is_known = (self.found.status == 0) | (self.found.status == 1);
        let is_lost = self.found.loss_ooo | self.found.loss_probe | self.found.loss_timeout;
        let has_window = self.found.in_flight < bit_cast::<16, 12>(self.cwnd_packets);
        let passes = (is_data | is_probe) & is_known;
        self.first = load;
        self.decide = false;
        self.recover = false;
        self.due = false;
        self.renewed = false;
        self.allow = false;
        self.full = false;
        if load {
            self.work = self.found;
            self.tell_acked = is_ack & is_ok;
            self.tell_left = self.found.recovery_left;
            self.tell_loss = is_lost;
            self.tell_rtt = is_ack & is_known & !self.found.untimed;
            self.tell_bad = is_ack & !is_known;
            self.tell_refused = is_data & !is_known;
            self.tell_again = is_again & is_ok;
            if self.is_graceful {
                comment!("A close that closed something is told where a PSN to send again is.");
                self.tell_again = (is_again & is_ok) | (is_renewed & is_ok & self.found.untimed);
            }
            self.spray = (is_ack & is_known) | passes | self.found.loss_timeout | is_renewed;
            self.spray_code = 0;
            if self.hears_none {
                if self.found.loss_timeout {
                    self.spray = false;
                }
            }
            if is_ack {
                self.spray_code = 1;
            }
            if self.found.loss_timeout {
                self.spray_code = 3;
            }
            if is_renewed {
                self.spray_code = 4;
            }
            self.decide = is_data | is_probe;
            self.action = 0;
            if !is_known {
                self.action = 2;
                if is_probe {
                    self.action = 1;
                }
            }
            self.recover = is_lost | (is_again & is_ok) | (is_look & !has_window);
            self.due = self.found.probe_due;
            self.renewed = is_renewed;
            self.allow = is_look & has_window;
            self.full = is_look & !has_window;
        }

        if self.has_types {
            comment!(
                "NACKs, and what else ACKs and visits of Ultra Ethernet bring. An overtaken ACK is told as any."
            );
            if load {
                self.typed_work = self.typed;
                self.tell_first = is_ack & is_ok & self.typed.tag.is_nack;
                self.tell_copy = is_ack & is_ok & self.typed.tag.is_nack & self.typed.retransmit;
                self.tell_acked = is_ack & is_known & !self.typed.tag.is_nack;
                self.tell_left = self.found.recovery_left & is_ack & is_known;
                self.tell_loss = is_lost | (self.typed.loss_nack & is_ack);
                self.tell_rtt = is_ack & is_known & !self.typed.tag.is_nack & !self.found.untimed;
                self.tell_bad = is_ack & !is_known;
                self.tell_request = is_ack
                    & is_known
                    & !self.typed.tag.is_nack
                    & ((self.typed.tag.request == 1) | (self.typed.tag.request == 2));
                self.tell_ask = (self.found.class == 6) & self.typed.ack_request;
                self.tell_dead = (self.found.class == 6) & self.typed.dead;
                comment!(
                    "The control class does not see the queues of data: an answer to a probe says nothing of its path."
                );
                comment!("A control packet of the host takes a PSN, and passes.");
                self.tell_refused = (is_data | is_probe) & !is_known;
                if is_probe {
                    self.action = 1;
                    if !is_known {
                        self.action = 2;
                    }
                }
                self.spray = (is_data & is_known) | self.found.loss_timeout | is_renewed;
                if is_ack {
                    self.spray =
                        (self.found.status != 6) & (self.found.status != 7) & !self.typed.tag.is_probe;
                    if self.typed.tag.is_nack {
                        comment!(
                            "A NACK of a PSN that is not outstanding is of no path; code 1 is one of congestion."
                        );
                        self.spray = is_ok;
                        self.tell_bad = !is_ok;
                        if self.typed.tag.code == 1 {
                            self.spray_code = 2;
                        }
                    } else if is_known & self.typed.tag.is_unbound {
                        self.tell_first = true;
                    }
                }
                if self.hears_none {
                    if self.found.loss_timeout {
                        self.spray = false;
                    }
                }
                if self.hears_all {
                    if is_ack & self.typed.tag.is_probe & (self.found.loss_ooo | self.found.loss_probe) {
                        self.spray = true;
                        self.spray_code = 3;
                    }
                }
                self.recover = is_lost
                    | (is_again & is_ok)
                    | (is_look & !has_window)
                    | (is_ack & is_ok & self.typed.loss_nack)
                    | (is_ack & is_known & !self.typed.tag.is_nack & self.typed.in_recovery);
            }
        }

        comment!("Events, one a cycle. They name the PSN as the engines have it.");
        let mut engine_psn: Bits<32> = resize(bit_cast::<24, 32>(self.work.psn));
        if self.has_types {
            engine_psn = self.work.psn;
        }
        self.event_valid = self.tell_acked
            | self.tell_left
            | self.tell_loss
            | self.tell_rtt
            | self.tell_bad
            | self.tell_refused
            | self.tell_again;
        self.event_conn = self.work.conn;
        self.event_psn = engine_psn;
        self.event_in_flight = self.work.in_flight;
        self.event_value = 0;
        self.event_kind = 2;
        self.event_detail = 0;
        if self.is_graceful {
            if self.work.class == 7 {
                self.event_kind = 15;
                self.event_detail = 1;
                self.event_value = self.work.bytes_in_flight;
            }
        }
        if self.tell_refused {
            self.event_kind = 8;
            self.event_detail = resize(self.work.status);
            self.event_in_flight = 0;
        }
        if self.tell_bad {
            self.event_kind = 9;
            self.event_detail = resize(self.work.status);
            self.event_in_flight = 0;
        }
        if self.tell_rtt {
            self.event_kind = 4;
            self.event_psn = 0;
            self.event_detail = self.work.rtt;
            self.event_in_flight = 0;
        }
        if self.tell_loss {
            self.event_kind = 1;
            self.event_detail = 2;
            self.event_psn = engine_psn;
            self.event_in_flight = self.work.in_flight;
            if self.work.loss_ooo {
                self.event_detail = 1;
            }
            if self.work.loss_timeout {
                self.event_detail = 3;
                self.event_psn = 0;
                self.event_in_flight = 0;
            }
        }
        if self.tell_left {
            self.event_kind = 3;
            self.event_psn = engine_psn;
            self.event_detail = 0;
            self.event_in_flight = self.work.in_flight;
        }
        if self.tell_acked {
            self.event_kind = 0;
            self.event_psn = engine_psn;
            self.event_detail = self.work.acked;
            self.event_in_flight = self.work.in_flight;
            self.event_value = self.work.bytes_in_flight;
        }
        if self.has_types {
            comment!(
                "Kinds above 15: 16 bound, 17 NACK, 18 clear and 19 close asked for, 20 the peer is to be asked, 21 dead."
            );
            self.event_valid = self.tell_acked
                | self.tell_left
                | self.tell_loss
                | self.tell_rtt
                | self.tell_bad
                | self.tell_refused
                | self.tell_again
                | self.tell_first
                | self.tell_copy
                | self.tell_request
                | self.tell_ask
                | self.tell_dead;
            self.event_kind_high = false;
            if self.tell_loss & self.typed_work.loss_nack {
                self.event_detail = 4;
                self.event_psn = self.typed_work.tag.psn;
            }
            if self.tell_left {
                self.event_detail = 0;
            }
            if self.tell_acked {
                self.event_detail = self.work.acked;
                self.event_psn = engine_psn;
            }
            comment!("Behind losses come requests, behind these RTTs and what was refused.");
            if self.tell_request & !self.tell_acked & !self.tell_left & !self.tell_loss {
                self.event_kind_high = true;
                self.event_kind = 2;
                if self.typed_work.tag.request == 2 {
                    self.event_kind = 3;
                }
                self.event_psn = self.typed_work.tag.psn;
                self.event_detail = 0;
                self.event_in_flight = 0;
                self.event_value = 0;
            }
            if (self.tell_ask | self.tell_dead) & !self.tell_loss {
                self.event_kind_high = true;
                self.event_kind = 5;
                self.event_psn = 0;
                self.event_detail = 0;
                self.event_in_flight = 0;
                self.event_value = 0;
                if self.tell_ask {
                    self.event_kind = 4;
                    self.event_psn = engine_psn;
                }
            }
            comment!("A packet that a NACK asks for, told with detail 1, has no place that is kept.");
            if self.tell_copy {
                self.event_kind_high = false;
                self.event_kind = 2;
                self.event_psn = self.typed_work.tag.psn;
                self.event_detail = 1;
                self.event_in_flight = self.work.in_flight;
                self.event_value = 0;
            }
            if self.tell_first {
                self.event_kind_high = true;
                self.event_kind = 0;
                self.event_psn = self.typed_work.tag.psn;
                self.event_detail = self.typed_work.tag.source_pdc;
                self.event_in_flight = 0;
                self.event_value = 0;
                if self.typed_work.tag.is_nack {
                    self.event_kind = 1;
                    self.event_detail = resize(self.typed_work.tag.code);
                    self.event_value = self.typed_work.tag.payload;
                }
            }
        }
        let mut others_may_go = self.event_ready;
        if self.has_types {
            others_may_go = self.event_ready & !self.tell_first & !self.tell_copy;
            if self.event_ready {
                if self.tell_first {
                    self.tell_first = false;
                } else if self.tell_copy {
                    self.tell_copy = false;
                } else if !self.tell_acked & !self.tell_left & !self.tell_loss {
                    if self.tell_request {
                        self.tell_request = false;
                    } else if self.tell_ask {
                        self.tell_ask = false;
                    } else if !load {
                        self.tell_dead = false;
                    }
                }
            }
            if !self.tell_acked
                & !self.tell_left
                & !self.tell_loss
                & (self.tell_request | self.tell_ask | self.tell_dead)
            {
                others_may_go = false;
            }
        }
        if others_may_go {
            if self.tell_acked {
                self.tell_acked = false;
            } else if self.tell_left {
                self.tell_left = false;
            } else if self.tell_loss {
                self.tell_loss = false;
            } else if self.tell_rtt {
                self.tell_rtt = false;
            } else if !load {
                self.tell_bad = false;
                self.tell_refused = false;
                self.tell_again = false;
            }
        }

        comment!("Beside them the selector, the decision and the lists.");
        if self.spray & self.spray_ready {
            self.spray = false;
            if self.hears_all {
                comment!("Behind an ACK that shows a loss the selector hears of it.");
                if (self.spray_code == 1) & (self.work.loss_ooo | self.work.loss_probe) {
                    self.spray = true;
                    self.spray_code = 3;
                }
            }
        }
        self.spray_valid = self.spray;
        self.spray_kind = self.spray_code;
        self.spray_conn = self.work.conn;
        self.spray_ev = self.work.ev;
        self.spray_ecn = self.work.ecn;
        self.decide_valid = self.decide;
        self.decide_action = self.action;
        self.recovery_add = self.recover;
        self.probe_add = self.due;
        self.probe_cancel = self.renewed;
        self.list_conn = self.work.conn;
        self.list_psn = self.work.psn;
        if self.has_types {
            if self.work.class == 7 {
                comment!("An init says whether the connection sends in order.");
                self.spray_ev = bit_cast::<16, 1>(self.typed_work.opens_in_order.into());
            }
            self.list_psns =
                bit_cast::<64, 32>(self.work.psn) | (bit_cast::<64, 32>(self.typed_work.snd_nxt) << 32);
        }
        self.allowed = self.allow;
        self.is_full = self.full;

        comment!("Counters.");
        self.count_tx_data = self.first & (self.work.class == 1) & (self.work.status == 0);
        self.count_tx_again = self.first & (self.work.class == 1) & (self.work.status == 1);
        self.count_tx_refused = self.first & self.tell_refused;
        self.host_probe = self.first & (self.work.class == 2) & (self.work.status == 0);
        self.count_rx_acks = self.first & self.tell_acked;
        self.count_rx_acks_old = self.first & (self.work.class == 0) & (self.work.status == 1);
        self.count_rx_acks_bad = self.first & self.tell_bad;
        if self.has_peers {
            comment!("An ACK from another address has status 6, which no engine gives.");
            self.count_rx_acks_bad = self.first & self.tell_bad & (self.work.status != 6);
            self.count_acks_other_address = self.first & self.tell_bad & (self.work.status == 6);
        }
        self.count_loss_ooo = self.first & self.work.loss_ooo;
        self.count_loss_probe = self.first & self.work.loss_probe;
        self.count_loss_timeout = self.first & self.work.loss_timeout;
        self.count_recovery_left = self.first & self.tell_left;
        self.count_handed_out = self.first & self.tell_again;
        if self.has_types {
            self.count_rx_acks =
                self.first & (self.work.class == 0) & (self.work.status == 0) & !self.typed_work.tag.is_nack;
            self.count_rx_acks_old =
                self.first & (self.work.class == 0) & (self.work.status == 1) & !self.typed_work.tag.is_nack;
            self.count_rx_acks_bad =
                self.first & self.tell_bad & (self.work.status != 6) & !self.typed_work.tag.is_nack;
            self.typed_pulses.count_rx_nacks =
                self.first & (self.work.class == 0) & (self.work.status == 0) & self.typed_work.tag.is_nack;
            self.typed_pulses.count_rx_nacks_bad =
                self.first & self.tell_bad & (self.work.status != 6) & self.typed_work.tag.is_nack;
            self.typed_pulses.count_loss_nack = self.first & self.tell_loss & self.typed_work.loss_nack;
            self.typed_pulses.count_ack_requests = self.first & self.tell_ask;
            self.typed_pulses.count_dead = self.first & self.tell_dead;
            self.count_handed_out = self.first & self.tell_again;
            self.host_probe = false;
            if self.rst {
                self.tell_first = false;
                self.tell_copy = false;
                self.tell_request = false;
                self.tell_ask = false;
                self.tell_dead = false;
            }
        }
        if self.is_graceful {
            self.count_handed_out = self.first & self.tell_again & (self.work.class == 4);
        }
    }
}
