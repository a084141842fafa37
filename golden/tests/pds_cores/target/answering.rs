//! Frames of a target of cores: ACKs and NACKs as the receiver has them.

use respray_golden::hosts::pds::AckType;
use respray_golden::hosts::pds::headers::{Ack, Congestion, Header, State, code};
use respray_golden::hosts::pds::ses::Response;
use respray_golden::sack_rx::uet::{Op, OpKind, Outcome, Sack};

use super::super::responder::{Trigger, tail_of};
use super::super::{B, Slip};
use super::Target;

impl Target {
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
        let congestion = (self.case.ack_type != AckType::Plain).then_some(congestion);
        let ack = self.host.ack(trigger, cack, response, congestion);
        let ack = match opaque {
            Some(offset) => Ack { is_marked: false, is_retransmission: false, is_probe: true, offset, ..ack },
            None => ack,
        };
        self.out.push_back(trigger.answered_by(&Header::Ack(ack), &tail_of(response)));
    }

    pub(super) fn send_nack(&mut self, trigger: &Trigger, code: u8, source: u16, payload: u32) {
        self.out.push_back(self.host.nack(trigger, code, source, payload));
    }

    /// The host's answer to a packet that was received.
    pub(super) fn answer(&mut self, trigger: &Trigger, response: Option<Response>) {
        let op = Op {
            kind: OpKind::Answer,
            psn: trigger.psn,
            cum_next: self.host.limit(self.epsn()),
            ..Op::default()
        };
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
