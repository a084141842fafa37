//! What follows from what was found.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::found::Found;
use crate::comment;

/// Tells the host and the selector, and puts connections into the lists of those in recovery and of probes that are due.
///
/// What was found stands in a register until all that follows is done: an event a cycle, in the order of the kinds below, beside it
/// one op of the selector, one decision about a packet, one entry of a list. Counters pulse in the first of these cycles.
#[derive(LogicBlock, Default)]
pub struct Dispatch {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    pub count_loss_ooo: Signal<Out, bool>,
    pub count_loss_probe: Signal<Out, bool>,
    pub count_loss_timeout: Signal<Out, bool>,
    pub count_recovery_left: Signal<Out, bool>,
    pub count_handed_out: Signal<Out, bool>,

    load: Signal<Local, bool>,
    is_ack: Signal<Local, bool>,
    is_data: Signal<Local, bool>,
    is_probe: Signal<Local, bool>,
    is_look: Signal<Local, bool>,
    is_again: Signal<Local, bool>,
    is_renewed: Signal<Local, bool>,
    is_ok: Signal<Local, bool>,
    is_known: Signal<Local, bool>,
    is_lost: Signal<Local, bool>,
    has_window: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    engine_psn: Signal<Local, Bits<32>>,

    work: DFF<Found>,
    /// In the first cycle of a new one.
    first: DFF<bool>,
    tell_acked: DFF<bool>,
    tell_left: DFF<bool>,
    tell_loss: DFF<bool>,
    tell_rtt: DFF<bool>,
    tell_bad: DFF<bool>,
    tell_refused: DFF<bool>,
    tell_again: DFF<bool>,
    spray: DFF<bool>,
    spray_code: DFF<Bits<3>>,
    decide: DFF<bool>,
    action: DFF<Bits<2>>,
    recover: DFF<bool>,
    due: DFF<bool>,
    renewed: DFF<bool>,
    allow: DFF<bool>,
    full: DFF<bool>,
    is_idle: Signal<Local, bool>,
}

impl Logic for Dispatch {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module dispatch: what follows from what an op or a visit of sack_tx found");
        dff_setup!(
            self,
            clk,
            work,
            first,
            tell_acked,
            tell_left,
            tell_loss,
            tell_rtt,
            tell_bad,
            tell_refused
        );
        dff_setup!(
            self, clk, tell_again, spray, spray_code, decide, action, recover, due, renewed, allow, full
        );
        self.is_idle.next = !(self.tell_acked.q.val()
            | self.tell_left.q.val()
            | self.tell_loss.q.val()
            | self.tell_rtt.q.val()
            | self.tell_bad.q.val()
            | self.tell_refused.q.val()
            | self.tell_again.q.val()
            | self.spray.q.val()
            | self.first.q.val());
        self.load.next = self.is_idle.val() & self.found_valid.val();
        self.found_ready.next = self.is_idle.val();

        comment!(
            "What it was for, and what follows. Statuses: 0 done, 1 done before; others change nothing."
        );
        self.is_ack.next = self.found.val().class == 0;
        self.is_data.next = self.found.val().class == 1;
        self.is_probe.next = self.found.val().class == 2;
        self.is_look.next = self.found.val().class == 3;
        self.is_again.next = self.found.val().class == 4;
        self.is_renewed.next = self.found.val().class == 7;
        self.is_ok.next = self.found.val().status == 0;
        self.is_known.next = (self.found.val().status == 0) | (self.found.val().status == 1);
        self.is_lost.next =
            self.found.val().loss_ooo | self.found.val().loss_probe | self.found.val().loss_timeout;
        self.has_window.next = self.found.val().in_flight < bit_cast::<16, 12>(self.cwnd_packets.val());
        self.passes.next = (self.is_data.val() | self.is_probe.val()) & self.is_known.val();
        self.first.d.next = self.load.val();
        self.decide.d.next = false;
        self.recover.d.next = false;
        self.due.d.next = false;
        self.renewed.d.next = false;
        self.allow.d.next = false;
        self.full.d.next = false;
        if self.load.val() {
            self.work.d.next = self.found.val();
            self.tell_acked.d.next = self.is_ack.val() & self.is_ok.val();
            self.tell_left.d.next = self.found.val().recovery_left;
            self.tell_loss.d.next = self.is_lost.val();
            self.tell_rtt.d.next = self.is_ack.val() & self.is_known.val() & !self.found.val().untimed;
            self.tell_bad.d.next = self.is_ack.val() & !self.is_known.val();
            self.tell_refused.d.next = self.is_data.val() & !self.is_known.val();
            self.tell_again.d.next = self.is_again.val() & self.is_ok.val();
            self.spray.d.next = (self.is_ack.val() & self.is_known.val())
                | self.passes.val()
                | self.found.val().loss_timeout
                | self.is_renewed.val();
            self.spray_code.d.next = 0.into();
            if self.is_ack.val() {
                self.spray_code.d.next = 1.into();
            }
            if self.found.val().loss_timeout {
                self.spray_code.d.next = 3.into();
            }
            if self.is_renewed.val() {
                self.spray_code.d.next = 4.into();
            }
            self.decide.d.next = self.is_data.val() | self.is_probe.val();
            self.action.d.next = 0.into();
            if !self.is_known.val() {
                self.action.d.next = 2.into();
                if self.is_probe.val() {
                    self.action.d.next = 1.into();
                }
            }
            self.recover.d.next = self.is_lost.val()
                | (self.is_again.val() & self.is_ok.val())
                | (self.is_look.val() & !self.has_window.val());
            self.due.d.next = self.found.val().probe_due;
            self.renewed.d.next = self.is_renewed.val();
            self.allow.d.next = self.is_look.val() & self.has_window.val();
            self.full.d.next = self.is_look.val() & !self.has_window.val();
        }

        comment!("Events, one a cycle. They name the PSN as the engines have it.");
        self.engine_psn.next = bit_cast::<32, 24>(bit_cast::<24, 32>(self.work.q.val().psn));
        self.event_valid.next = self.tell_acked.q.val()
            | self.tell_left.q.val()
            | self.tell_loss.q.val()
            | self.tell_rtt.q.val()
            | self.tell_bad.q.val()
            | self.tell_refused.q.val()
            | self.tell_again.q.val();
        self.event_conn.next = self.work.q.val().conn;
        self.event_psn.next = self.engine_psn.val();
        self.event_in_flight.next = self.work.q.val().in_flight;
        self.event_value.next = 0.into();
        self.event_kind.next = 2.into();
        self.event_detail.next = 0.into();
        if self.tell_refused.q.val() {
            self.event_kind.next = 8.into();
            self.event_detail.next = bit_cast::<16, 3>(self.work.q.val().status);
            self.event_in_flight.next = 0.into();
        }
        if self.tell_bad.q.val() {
            self.event_kind.next = 9.into();
            self.event_detail.next = bit_cast::<16, 3>(self.work.q.val().status);
            self.event_in_flight.next = 0.into();
        }
        if self.tell_rtt.q.val() {
            self.event_kind.next = 4.into();
            self.event_psn.next = 0.into();
            self.event_detail.next = self.work.q.val().rtt;
            self.event_in_flight.next = 0.into();
        }
        if self.tell_loss.q.val() {
            self.event_kind.next = 1.into();
            self.event_detail.next = 2.into();
            self.event_psn.next = self.engine_psn.val();
            self.event_in_flight.next = self.work.q.val().in_flight;
            if self.work.q.val().loss_ooo {
                self.event_detail.next = 1.into();
            }
            if self.work.q.val().loss_timeout {
                self.event_detail.next = 3.into();
                self.event_psn.next = 0.into();
                self.event_in_flight.next = 0.into();
            }
        }
        if self.tell_left.q.val() {
            self.event_kind.next = 3.into();
            self.event_psn.next = self.engine_psn.val();
            self.event_detail.next = 0.into();
            self.event_in_flight.next = self.work.q.val().in_flight;
        }
        if self.tell_acked.q.val() {
            self.event_kind.next = 0.into();
            self.event_psn.next = self.engine_psn.val();
            self.event_detail.next = self.work.q.val().acked;
            self.event_in_flight.next = self.work.q.val().in_flight;
            self.event_value.next = self.work.q.val().bytes_in_flight;
        }
        if self.event_ready.val() {
            if self.tell_acked.q.val() {
                self.tell_acked.d.next = false;
            } else if self.tell_left.q.val() {
                self.tell_left.d.next = false;
            } else if self.tell_loss.q.val() {
                self.tell_loss.d.next = false;
            } else if self.tell_rtt.q.val() {
                self.tell_rtt.d.next = false;
            } else if !self.load.val() {
                self.tell_bad.d.next = false;
                self.tell_refused.d.next = false;
                self.tell_again.d.next = false;
            }
        }

        comment!("Beside them the selector, the decision and the lists.");
        if self.spray.q.val() & self.spray_ready.val() {
            self.spray.d.next = false;
        }
        self.spray_valid.next = self.spray.q.val();
        self.spray_kind.next = self.spray_code.q.val();
        self.spray_conn.next = self.work.q.val().conn;
        self.spray_ev.next = self.work.q.val().ev;
        self.spray_ecn.next = self.work.q.val().ecn;
        self.decide_valid.next = self.decide.q.val();
        self.decide_action.next = self.action.q.val();
        self.recovery_add.next = self.recover.q.val();
        self.probe_add.next = self.due.q.val();
        self.probe_cancel.next = self.renewed.q.val();
        self.list_conn.next = self.work.q.val().conn;
        self.list_psn.next = self.work.q.val().psn;
        self.allowed.next = self.allow.q.val();
        self.is_full.next = self.full.q.val();

        comment!("Counters.");
        self.count_tx_data.next =
            self.first.q.val() & (self.work.q.val().class == 1) & (self.work.q.val().status == 0);
        self.count_tx_again.next =
            self.first.q.val() & (self.work.q.val().class == 1) & (self.work.q.val().status == 1);
        self.count_tx_refused.next = self.first.q.val() & self.tell_refused.q.val();
        self.host_probe.next =
            self.first.q.val() & (self.work.q.val().class == 2) & (self.work.q.val().status == 0);
        self.count_rx_acks.next = self.first.q.val() & self.tell_acked.q.val();
        self.count_rx_acks_old.next =
            self.first.q.val() & (self.work.q.val().class == 0) & (self.work.q.val().status == 1);
        self.count_rx_acks_bad.next = self.first.q.val() & self.tell_bad.q.val();
        self.count_loss_ooo.next = self.first.q.val() & self.work.q.val().loss_ooo;
        self.count_loss_probe.next = self.first.q.val() & self.work.q.val().loss_probe;
        self.count_loss_timeout.next = self.first.q.val() & self.work.q.val().loss_timeout;
        self.count_recovery_left.next = self.first.q.val() & self.tell_left.q.val();
        self.count_handed_out.next = self.first.q.val() & self.tell_again.q.val();

        if self.rst.val() {
            self.first.d.next = false;
            self.tell_acked.d.next = false;
            self.tell_left.d.next = false;
            self.tell_loss.d.next = false;
            self.tell_rtt.d.next = false;
            self.tell_bad.d.next = false;
            self.tell_refused.d.next = false;
            self.tell_again.d.next = false;
            self.spray.d.next = false;
            self.decide.d.next = false;
            self.recover.d.next = false;
            self.due.d.next = false;
            self.renewed.d.next = false;
            self.allow.d.next = false;
            self.full.d.next = false;
        }
    }
}
