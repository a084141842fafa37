//! What an initiator of cores makes of ACKs and NACKs.

use respray_golden::hosts::pds::headers::{Ack, Ask, Nack, State, next};
use respray_golden::hosts::pds::ses::Response;
use respray_golden::sack_tx::uet::{AckFields, OpKind, Rule, Status};

use super::super::{Slip, TICK};
use super::Initiator;

impl Initiator {
    pub(super) fn ack(&mut self, ack: &Ack, tail: &[u8], now: u64) {
        if ack.source == 0 || self.host.peer.is_some_and(|peer| peer != ack.source) {
            return self.fail(format!("an ACK is of connection {}", ack.source));
        }
        let answers = ack.ack_psn().and_then(|psn| self.host.at(psn));
        let from = ack.cack - ack.cack % self.case.sack_cack_align;
        let (has_sack, mpr, base, bitmap, state) = match ack.congestion {
            Some(cc) => (true, cc.mpr, cc.base(from), cc.bitmap, Some(cc.state)),
            None => (false, 0, 0, 0, None),
        };
        let (has_state, rcvd, ooo) = match state {
            Some(State::Nscc { rcvd_bytes, ooo_count: u16::MAX, .. }) => (true, rcvd_bytes, 0),
            Some(State::Nscc { rcvd_bytes, ooo_count, .. }) => (true, rcvd_bytes, ooo_count.min(4095)),
            _ => (false, 0, 0),
        };
        let timestamp = match answers {
            None => ack.offset,
            Some(at) => (self.known[at].sent_at / TICK) as u16,
        };
        let fields = AckFields {
            cum_next: ack.cack.wrapping_add(u32::from(!self.case.has(Slip::CumulativeOff))),
            psn: ack.ack_psn().unwrap_or(0),
            probe: ack.is_probe,
            has_sack,
            mpr,
            base: base.wrapping_add(u32::from(self.case.has(Slip::BitmapShifted))),
            bitmap,
            has_state,
            rcvd,
            ooo,
            timestamp,
        };
        let outcome = self.apply(OpKind::Ack(fields), now);
        let found = self.shadow.ack(ack, outcome.status, self.engine.connection(0), now);
        self.hold(found);
        if !matches!(outcome.status, Some(Status::Ok | Status::Overtaken)) {
            return self.fail(format!("{:?} of {ack:?}", outcome.status));
        }
        self.asks = true;
        self.acks += 1;
        self.probes_answered += u64::from(ack.is_probe);
        if !ack.is_probe {
            self.host.peer = Some(ack.source);
        }
        let bits = (0..64).filter(|bit| has_sack && bitmap >> bit & 1 == 1).map(|bit| base.wrapping_add(bit));
        let named: Vec<usize> = bits.chain(ack.ack_psn()).filter_map(|psn| self.host.at(psn)).collect();
        for at in named {
            self.known[at].is_named = true;
        }
        if let Some(at) = answers {
            let response = if ack.next_header == next::RESPONSE { Response::parse(tail) } else { None };
            if let Err(wrong) = self.host.answer(at, response) {
                self.fail(wrong);
            };
        }
        match ack.ask {
            Ask::Nothing => {}
            Ask::Clear => self.host.asked_to_clear(self.una(), now),
            Ask::Close | Ask::Reserved => self.fail(format!("an ACK asks for {:?}", ack.ask)),
        }
    }

    pub(super) fn nack(&mut self, nack: &Nack, now: u64) {
        if nack.source != 0 && self.host.peer.is_some_and(|peer| peer != nack.source) {
            return self.fail(format!("a NACK is of connection {}", nack.source));
        }
        *self.host.nacks.entry(nack.code).or_default() += 1;
        let outcome = self.apply(OpKind::Nack { psn: nack.psn, code: nack.code }, now);
        let found = self.shadow.nack(nack, outcome.status, self.engine.connection(0), now);
        self.hold(found);
        if outcome.status != Some(Status::Ok) {
            return;
        }
        let at = self.host.at(nack.psn).expect("it is outstanding");
        self.asks |= outcome.loss == Some(Rule::Nack);
        if outcome.retransmit {
            if self.known[at].is_named {
                self.fail(format!("packet {at} is to be sent again, and an ACK has named it"));
            }
            self.host.again.insert(at, now);
        }
        if let Err(wrong) = self.host.nack(at, nack.code, now) {
            self.fail(wrong);
        };
    }
}
