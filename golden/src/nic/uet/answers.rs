//! Frames that the block makes: ACKs, NACKs and probes.

use crate::nic::headers::{Addressing, Ecn, Peer};
use crate::nic::receive::{CE, WaitingSack};
use crate::nic::steps::OwnProbe;
use crate::nic::timers::Due;
use crate::nic::{Nic, Sent, Setting, Transmitted};
use crate::psn::segment_base;
use crate::rewrite_rx::Record;
use crate::sack_rx::uet::{OUT_OF_ORDER, Outcome, Sack};
use crate::selector::SendKind;
use crate::wire::uet;

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

    /// Who the peer of the probe in work is, and whether the block sends probes at all; it is dropped if not, or if nobody knows the peer.
    /// None if that was looked up already, or there is none.
    pub fn look_up_probe(&mut self) -> Option<bool> {
        let mut probe = self.own_probe.take_if(|probe| probe.pdc.is_none())?;
        let sends = self.settings.get(Setting::OwnProbes) == 1;
        probe.pdc = self.flow(probe.conn).peer.filter(|_| sends);
        self.own_probe = Some(probe).filter(|probe| probe.pdc.is_some());
        Some(self.own_probe.is_some())
    }

    /// The time that a probe carries, and its EV. No path selector is asked: the control class does not see the queues of data.
    pub(in crate::nic) fn stamp_uet_probe(&self, probe: &mut OwnProbe) {
        let opaque = self.clock.wire(&self.settings);
        let set = u16::MAX.checked_shr(16 - u32::from(self.config.ev_bits)).unwrap_or(0);
        probe.drawn = Some((self.config.ev_base | opaque & set, SendKind::Explore));
        probe.left_at = Some(opaque);
    }

    /// A probe: it says where its connection stood when it became due.
    pub(in crate::nic) fn uet_probe(
        &self,
        conn: u16,
        pdc: u16,
        due: Due,
        last: &Peer,
        ev: u16,
        opaque: u16,
    ) -> Transmitted {
        let probe = uet::Control {
            ctl: uet::CTL_PROBE,
            ack_request: true,
            probe_opaque: opaque,
            psn: due.snd_nxt.expect("a visit says it").wrapping_sub(1),
            source_pdc: conn,
            destination_pdc: pdc,
            payload: Some(segment_base(due.psn)),
            ..uet::Control::default()
        };
        let addressing = if self.labels() { last.addressing.labelled(ev) } else { last.addressing.clone() };
        let frame = self.control_frame(&addressing, ev, &probe.to_bytes());
        Transmitted { frame, user: false, sent: Sent::Probe { kind: SendKind::Explore } }
    }
}
