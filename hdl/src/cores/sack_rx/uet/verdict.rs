//! What an op is, and what answers it.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Decides what a packet is, whether an ACK is due, and which NACK.
#[block(no_reset)]
pub struct Verdict {
    pub compare: Signal<In, bool>,
    pub decide: Signal<In, bool>,
    pub fill: Signal<In, bool>,
    pub is_packet: Signal<In, bool>,
    pub is_probe: Signal<In, bool>,
    pub is_ask: Signal<In, bool>,
    pub is_answer: Signal<In, bool>,
    pub is_trimmed: Signal<In, bool>,
    /// Of the op: it asks for an ACK; the host answers this packet; it was trimmed at the last hop.
    pub ack_request: Signal<In, bool>,
    pub syn: Signal<In, bool>,
    pub retransmit: Signal<In, bool>,
    pub ecn: Signal<In, bool>,
    pub on_ecn: Signal<In, bool>,
    pub op_host: Signal<In, bool>,
    pub last_hop: Signal<In, bool>,
    /// Compare: state of the connection.
    pub initialised: Signal<In, bool>,
    pub ordered: Signal<In, bool>,
    pub host: Signal<In, bool>,
    pub told: Signal<In, bool>,
    pub asked: Signal<In, bool>,
    /// Decide: where the op's PSN lies.
    pub below: Signal<In, bool>,
    pub recent: Signal<In, bool>,
    pub in_window: Signal<In, bool>,
    pub is_first: Signal<In, bool>,
    pub too_far: Signal<In, bool>,
    /// Decide: its bit in the bitmap.
    pub arrived: Signal<In, bool>,
    /// After decide: the bytes since the last ACK reach the trigger.
    pub reached: Signal<In, bool>,
    /// After finish: something is held beyond `epsn`.
    pub holds: Signal<In, bool>,

    /// Decide: the packet is new.
    pub is_new: Signal<Out, bool>,
    /// Decide: the op is not the host's to answer.
    pub answers: Signal<Out, bool>,

    /// From here on after decide. The packet's PSN was `epsn`.
    pub in_order: Signal<Out, bool>,
    pub status: Signal<Out, Bits<3>>,
    /// The op changes nothing.
    pub refused: Signal<Out, bool>,
    pub sack_due: Signal<Out, bool>,
    pub nack_due: Signal<Out, bool>,
    pub nack_code: Signal<Out, Bits<8>>,
    /// After finish: the last gap is filled, so that an ACK is due to what asked for it before.
    pub late: Signal<Out, bool>,
    pub told_after: Signal<Out, bool>,
    pub asked_after: Signal<Out, bool>,

    is_open: Reg<bool>,
    keeps_order: Reg<bool>,
    is_hosts: Reg<bool>,
    was_told: Reg<bool>,
    was_asked: Reg<bool>,
    in_order_after: Reg<bool>,
    status_after: Reg<Bits<3>>,
    refused_after: Reg<bool>,
    sack_due_after: Reg<bool>,
    counts_bytes: Reg<bool>,
    nack_due_after: Reg<bool>,
    nack_code_after: Reg<Bits<5>>,
    fills_gap: Reg<bool>,
    has_told: Reg<bool>,
    has_asked: Reg<bool>,
}

#[block]
impl Verdict {
    fn update(&mut self) {
        comment!("module verdict: what an op is, and what answers it");
        comment!("Compare.");
        if self.compare {
            self.is_open = self.initialised;
            self.keeps_order = self.ordered;
            self.is_hosts = self.host;
            self.was_told = self.told;
            self.was_asked = self.asked;
        }

        comment!("Decide.");
        let received = self.recent | (self.in_window & self.arrived);
        let fresh = self.in_window & !self.arrived & !(self.is_hosts & self.too_far);
        let fits = !self.keeps_order | self.is_first;
        let too_old = self.below & !self.recent;
        let takes = self.is_open & self.is_packet & fresh & fits;
        let early = self.is_open & self.is_packet & fresh & !fits;
        let asks = self.ack_request | self.syn | self.retransmit | (self.ecn & self.on_ecn);
        let by_host = self.is_hosts | (self.is_packet & self.op_host);
        let replies = self.is_answer | !by_host;
        let named = received & (self.is_packet | self.is_ask | self.is_answer);
        self.answers = replies;
        self.is_new = takes;

        comment!("Outside the window 11 and with SYN 21, out of order 13, not received 18.");
        let outside = self.is_packet & !received & !fresh;
        let missing = self.is_ask & !self.is_hosts & !received;
        if self.decide {
            self.in_order_after = takes & self.is_first;
            self.status_after = 2;
            if takes {
                self.status_after = 0;
            }
            if early {
                self.status_after = 6;
            }
            if self.is_trimmed | ((self.is_ask | self.is_answer) & !too_old) {
                self.status_after = 4;
            }
            if named {
                self.status_after = 1;
            }
            if self.is_probe {
                self.status_after = 3;
            }
            if !self.is_open {
                self.status_after = 7;
            }
            self.refused_after = !(takes
                | early
                | (self.is_open & named & (self.is_packet | self.is_answer | !self.is_hosts)));
            self.sack_due_after = self.is_open & (self.is_probe | (replies & (named | (takes & asks))));
            self.counts_bytes = takes & replies;
            self.nack_due_after = self.is_trimmed
                | (self.is_open & (outside | missing))
                | (early & (!self.was_told | self.retransmit));
            self.nack_code_after = 11;
            if outside & self.syn & !too_old & !self.in_window {
                self.nack_code_after = 21;
            }
            if early {
                self.nack_code_after = 13;
            }
            if missing & !too_old {
                self.nack_code_after = 18;
            }
            if self.is_trimmed {
                self.nack_code_after = 1;
                if self.last_hop {
                    self.nack_code_after = 2;
                }
            }
            self.fills_gap = takes & replies & self.was_asked;
            self.has_asked = self.was_asked | (takes & self.ack_request);
            self.has_told = (self.was_told | early) & !(takes & self.is_first);
        }
        if self.fill {
            self.has_told = false;
        }

        self.in_order = self.in_order_after;
        self.status = self.status_after;
        self.refused = self.refused_after;
        self.sack_due = self.sack_due_after | (self.counts_bytes & self.reached);
        self.nack_due = self.nack_due_after;
        self.nack_code = bit_cast::<8, 5>(self.nack_code_after);
        self.late = self.fills_gap & !self.holds;
        self.told_after = self.has_told;
        self.asked_after = self.has_asked & self.holds;
    }
}
