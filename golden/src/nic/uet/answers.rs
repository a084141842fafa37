//! Frames that the block makes: ACKs, NACKs and probes.

use crate::nic::headers::{Addressing, Ecn};
use crate::nic::receive::{CE, WaitingSack};
use crate::nic::{Counter, Nic, Sent, Setting, Transmitted};
use crate::psn::segment_base;
use crate::rewrite_rx::Record;
use crate::sack_rx::uet::{OUT_OF_ORDER, Outcome, Sack};
use crate::selector::SendKind;
use crate::wire::uet;

use super::super::engines::Op;
use super::super::peer_table::Number;

/// `next_header` of a response of 12 bytes.
pub(super) const NEXT_RESPONSE: u8 = 4;
/// Bytes of the congestion state of an ACK_CCX, all of which are 0.
const CCX_STATE: usize = 16;

/// What an ACK names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The PSN that it answers, with the message ID of a default response.
    Psn { psn: u32, message: Option<u16> },
    /// The opaque of the probe that it answers.
    Probe { opaque: u16 },
}

impl Nic {
    /// The ACK that the receiver asks for, to the sender of a packet.
    pub(super) fn send_ack(
        &mut self,
        conn: u16,
        sack: &Sack,
        named: Named,
        record: &Record,
        addressing: &Addressing,
    ) {
        let cack = sack.cum_next.wrapping_sub(1);
        let ack_type = self.settings.get(Setting::AckType) as u8;
        let (offset, message) = match named {
            Named::Psn { psn, message } => {
                let carries = self.settings.get(Setting::AckResponse) == 1;
                (psn.wrapping_sub(cack) as u16, message.filter(|_| carries))
            }
            Named::Probe { opaque } => (opaque, None),
        };
        let is_probe = matches!(named, Named::Probe { .. });
        let ack = uet::Ack {
            next_header: if message.is_some() { NEXT_RESPONSE } else { 0 },
            ecn_echo: !is_probe && record.ecn == CE,
            retransmit: !is_probe && record.retransmit,
            probe: is_probe,
            request: 0,
            ack_psn_offset: offset as i16,
            cack_psn: cack,
            source_pdc: conn,
            destination_pdc: record.source_pdc,
            cc: (ack_type != uet::TYPE_ACK)
                .then(|| uet::AckCc { is_ccx: ack_type == uet::TYPE_ACK_CCX, ..self.state(sack, cack) }),
        };
        let mut bytes = ack.to_bytes();
        if ack_type == uet::TYPE_ACK_CCX {
            bytes.resize(bytes.len() + CCX_STATE, 0);
        }
        if let Some(message) = message {
            bytes.extend([0, 0]);
            bytes.extend(message.to_be_bytes());
            bytes.extend([0; 8]);
        }
        self.answer_with(conn, &bytes, false, record, addressing);
    }

    /// What an ACK with a bitmap says of the receiver.
    pub(super) fn state(&self, sack: &Sack, cack: u32) -> uet::AckCc {
        uet::AckCc {
            cc_type: uet::CC_NSCC,
            mpr: sack.mpr,
            sack_psn_offset: sack.base.wrapping_sub(self.settings.sack_from(cack)) as i16,
            sack_bitmap: sack.bitmap,
            rcvd_bytes: sack.rcvd,
            ooo_count: sack.ooo,
            ..uet::AckCc::default()
        }
    }

    /// The NACK that the receiver asks for. `conn`: by which the sender may know the connection, if it is open.
    pub(super) fn send_nack(
        &mut self,
        conn: Option<u16>,
        code: u8,
        outcome: Option<&Outcome>,
        record: &Record,
        addressing: &Addressing,
    ) {
        let epsn = outcome.and_then(|outcome| outcome.epsn).filter(|_| code == OUT_OF_ORDER);
        let nack = uet::Nack {
            ecn_echo: record.ecn == CE,
            retransmit: record.retransmit,
            nack_code: code,
            psn: record.psn,
            source_pdc: conn.unwrap_or(0),
            destination_pdc: record.source_pdc,
            payload: epsn.unwrap_or(0),
            ..uet::Nack::default()
        };
        self.answer_with(conn.unwrap_or(0), &nack.to_bytes(), true, record, addressing);
    }

    fn answer_with(
        &mut self,
        conn: u16,
        header: &[u8],
        is_nack: bool,
        record: &Record,
        addressing: &Addressing,
    ) {
        let frame = self.control_frame(&addressing.swapped(), record.ev, header);
        self.sacks.push_back(WaitingSack { frame, conn, number: Number::default(), is_nack });
    }

    /// A frame of the control class.
    fn control_frame(&self, addressing: &Addressing, ev: u16, header: &[u8]) -> Vec<u8> {
        let addressing = addressing.with_dscp(self.settings.get(Setting::DscpControl) as u8);
        addressing.frame(Ecn::NotEct, ev, self.traffic().udp_port, header)
    }

    /// The probe that waits longest, if something is still outstanding and it has somewhere to go. No path selector is asked: the
    /// control class does not see the queues of data.
    pub(in crate::nic) fn transmit_uet_probe(&mut self) -> Option<Transmitted> {
        while let Some((conn, _)) = self.probes.pop() {
            let stands = self.apply_scoreboard(conn, Op::Read);
            let outstanding = stands.psn.zip(stands.snd_nxt).filter(|(una, nxt)| una != nxt);
            let (Some((una, nxt)), Some(peer), Some(last)) =
                (outstanding, self.flow(conn).peer, self.peers[usize::from(conn)].clone())
            else {
                continue;
            };
            let opaque = self.clock.wire(&self.settings);
            let probe = uet::Control {
                ctl: uet::CTL_PROBE,
                ack_request: true,
                probe_opaque: opaque,
                psn: nxt.wrapping_sub(1),
                source_pdc: conn,
                destination_pdc: peer,
                payload: Some(segment_base(una)),
                ..uet::Control::default()
            };
            let set = u16::MAX.checked_shr(16 - u32::from(self.config.ev_bits)).unwrap_or(0);
            let ev = self.config.ev_base | opaque & set;
            self.counters.count(Counter::TxProbes);
            let frame = self.control_frame(&last.addressing, ev, &probe.to_bytes());
            return Some(Transmitted { frame, user: false, sent: Sent::Probe { kind: SendKind::Explore } });
        }
        None
    }
}
