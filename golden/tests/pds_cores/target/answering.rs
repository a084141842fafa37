//! Frames of a target of cores: ACKs and NACKs as the receiver has them.

use respray_golden::hosts::pds::AckType;
use respray_golden::hosts::pds::frame::Outer;
use respray_golden::hosts::pds::headers::{Ack, Ask, Congestion, Header, Nack, State, code, next};
use respray_golden::hosts::pds::ses::Response;
use respray_golden::sack_rx::uet::{Op, OpKind, Outcome, Sack};

use super::super::{B, Slip, encapsulation, here};
use super::{Target, Trigger};

impl Target {
    pub(super) fn send(&mut self, trigger: &Trigger, header: &Header, tail: &[u8]) {
        let Outer { from, ev, .. } = trigger.outer;
        let outer = Outer { from: here(B), to: from, ev, dscp: 46, ecn: 0 };
        self.out.push_back(encapsulation().write(&outer, &[&header.to_bytes(), tail].concat()));
    }

    /// The ACK that the receiver asks for. `opaque`: it answers a probe.
    pub(super) fn send_ack(
        &mut self,
        trigger: &Trigger,
        sack: &Sack,
        response: Option<Response>,
        opaque: Option<u16>,
    ) {
        self.acks += 1;
        let cack = sack.cum_next.wrapping_sub(u32::from(!self.case.has(Slip::CumulativeOff)));
        let base = sack.base.wrapping_add(u32::from(self.case.has(Slip::BitmapShifted)));
        let state = State::Nscc {
            service_time: 0,
            restore_cwnd: false,
            rcvd_cwnd_pend: 0,
            rcvd_bytes: sack.rcvd,
            ooo_count: sack.ooo,
        };
        let from = cack - cack % self.case.sack_cack_align;
        let congestion = Congestion {
            cc_type: 0,
            cc_flags: 0,
            mpr: sack.mpr,
            sack_offset: base.wrapping_sub(from) as i16,
            bitmap: sack.bitmap,
            state,
        };
        let ack = Ack {
            next_header: if response.is_some() { next::RESPONSE } else { next::NONE },
            is_marked: opaque.is_none() && trigger.is_marked(),
            is_retransmission: opaque.is_none() && trigger.is_retransmission,
            is_probe: opaque.is_some(),
            ask: if self.held.is_empty() { Ask::Nothing } else { Ask::Clear },
            has_expected_psn: false,
            offset: opaque.unwrap_or(trigger.psn.wrapping_sub(cack) as u16),
            cack,
            source: B,
            destination: trigger.source,
            congestion: (self.case.ack_type != AckType::Plain).then_some(congestion),
        };
        let tail = response.map_or_else(Vec::new, |response| response.to_bytes().to_vec());
        self.send(trigger, &Header::Ack(ack), &tail);
    }

    pub(super) fn send_nack(&mut self, trigger: &Trigger, code: u8, source: u16, payload: u32) {
        *self.nacks.entry(code).or_default() += 1;
        let nack = Nack {
            is_marked: trigger.is_marked(),
            is_retransmission: trigger.is_retransmission,
            code,
            psn: trigger.psn,
            source,
            destination: trigger.source,
            payload,
            ..Nack::default()
        };
        self.send(trigger, &Header::Nack(nack), &[]);
    }

    /// The host's answer to a packet that was received.
    pub(super) fn answer(&mut self, trigger: &Trigger, response: Option<Response>) {
        let op = Op { kind: OpKind::Answer, psn: trigger.psn, cum_next: self.limit(), ..Op::default() };
        let outcome = self.apply(op);
        match outcome.sack {
            Some(sack) => self.send_ack(trigger, &sack, response, None),
            None => self.fail(format!("an answer to {:08x} is {:?}", trigger.psn, outcome.status)),
        }
    }

    pub(super) fn refuse(&mut self, trigger: &Trigger, outcome: &Outcome) {
        if let Some(code) = outcome.nack {
            let payload = outcome.epsn.filter(|_| code == code::ROD_OUT_OF_ORDER).unwrap_or(0);
            self.send_nack(trigger, code, B, payload);
        }
    }
}
