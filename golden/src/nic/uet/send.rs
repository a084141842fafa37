//! What the host sends: packets that take a PSN, and ACKs that the block completes.

use super::FlowChange;
use super::timing::Timing;
use crate::nic::host_frame::{Asks, Decision, Request};
use crate::nic::spray::{Drawn, Said};
use crate::nic::steps::Departure;
use crate::nic::{Counter, Event, Kind, Nic, Setting};
use crate::rewrite::{Headers, checksum};
use crate::sack_rx::uet::{Op, OpKind, Outcome, Sack, Status};
use crate::selector;
use crate::wire::{Packet, uet};

use super::super::bus::Accepted;

/// `ctl` of control packets that take a PSN.
const OWN_PSN: [u8; 4] = [0, 4, 5, 9];

impl Nic {
    /// What a frame of the host asks with that is no data, if it asks at all.
    pub(in crate::nic) fn uet_asks(&self, frame: &[u8], headers: &Headers) -> Option<Asks> {
        self.uet()?;
        let parts = self.config.parts();
        let header = &frame[headers.at..];
        if header.len() < headers.bytes {
            return None;
        }
        match uet::parse(header).ok()? {
            Packet::UetControl(control) if parts.host_control && OWN_PSN.contains(&control.ctl) => {
                Some(Asks::Control)
            }
            Packet::UetAck(ack) if parts.host_answers && !ack.probe => Some(Asks::Answer),
            _ => None,
        }
    }

    /// Bytes that a packet of the host counts.
    pub(in crate::nic) fn size(&self, asks: Asks, bytes: u16, header_bytes: usize) -> u16 {
        match (self.uet().is_some(), asks) {
            (false, _) => bytes,
            (true, Asks::Data) => {
                let behind = bytes + (header_bytes - uet::REQUEST.bytes()) as u16;
                behind.wrapping_add(self.settings.get(Setting::NominalExtra) as u16)
            }
            (true, _) => 0,
        }
    }

    /// The EV with which a connection sends in order. Its selector hears of nothing.
    pub(in crate::nic) fn ordered_ev(&self, conn: u16) -> Option<u16> {
        self.uet()?.flows[usize::from(conn)].ordered_ev
    }

    /// An ACK of the host: the receiver says what it is to say beside what the host knows. One of a connection that is not open for
    /// receiving passes as it is.
    pub(in crate::nic) fn complete(&mut self, at: usize, request: &Request) -> Decision {
        let Packet::UetAck(ack) = request.peer.header else { unreachable!("it asks as an ACK") };
        let conn = self.connection(ack.source_pdc.into());
        let Some(conn) = conn.filter(|conn| self.flow(*conn).receives.is_some()) else {
            return Decision::Pass;
        };
        let psn = ack.cack_psn.wrapping_add_signed(ack.ack_psn_offset.into());
        let cum_next = ack.cack_psn.wrapping_add(1);
        let outcome = self.apply_uet_rx(&Op { kind: OpKind::Answer, conn, psn, cum_next, ..Op::default() });
        let Some(sack) = outcome.sack else {
            let status = outcome.status.expect("an answer has a status");
            self.counters.count(Counter::TxRefused);
            let event = Event::new(Kind::Refused, conn.into(), psn);
            self.tell(Event { detail: status as u16, ..event });
            return Decision::Drop;
        };
        self.counters.count(Counter::TxAnswers);
        let completed = self.completed(&ack, psn, &sack).to_bytes();
        let headers = self.headers_of_host(&self.tx_in[at].frame).ok().flatten();
        let headers = headers.expect("the frame was read before");
        write_header(&mut self.tx_in[at].frame, &headers, &completed);
        Decision::Pass
    }

    /// The host's ACK with what the receiver says.
    fn completed(&self, ack: &uet::Ack, psn: u32, sack: &Sack) -> uet::Ack {
        let cack = sack.cum_next.wrapping_sub(1);
        uet::Ack {
            ack_psn_offset: psn.wrapping_sub(cack) as i16,
            cack_psn: cack,
            cc: ack.cc.map(|of_host| uet::AckCc {
                is_ccx: of_host.is_ccx,
                cc_type: of_host.cc_type,
                cc_flags: of_host.cc_flags,
                service_time: of_host.service_time,
                ..self.state(sack, cack)
            }),
            ..*ack
        }
    }

    /// The command `accept`: the receiver takes the packet with SYN that the registers describe.
    pub(in crate::nic) fn accept(&mut self, conn: u16) {
        let flags = self.settings.get(Setting::CommandFlags);
        let op = Op {
            conn,
            psn: self.settings.get(Setting::CommandPsn),
            bytes: self.settings.get(Setting::CommandBytes) as u16,
            ack_request: flags & 1 != 0,
            retransmit: flags & 2 != 0,
            control: flags & 4 != 0,
            syn: true,
            // its ACK is a frame of the host
            host: true,
            settings: self.settings.uet_rx(),
            ..Op::default()
        };
        let Outcome { status, nack, .. } = self.apply_uet_rx(&op);
        let status = status.expect("a packet has a status");
        let counter = match status {
            Status::New => Some(Counter::RxNew),
            Status::Duplicate => Some(Counter::RxDuplicate),
            Status::Outside => Some(Counter::RxOutside),
            Status::Ahead => Some(Counter::RxAhead),
            Status::Probe | Status::Missing | Status::Uninitialised => None,
        };
        counter.into_iter().for_each(|counter| self.counters.count(counter));
        self.accepted(Accepted { status: status as u8, nack: nack.unwrap_or(0) });
    }

    /// `open_tx`: what the scoreboard and the path selector are told is in the order of the register.
    pub(in crate::nic) fn open_uet_tx(&mut self, conn: u16) {
        if self.uet().is_some() {
            let (peer, _) = self.opened_as();
            self.change_flow(FlowChange::OpenTx { conn, peer });
        }
    }

    /// Whether the connection that a command opens sends in order.
    pub(in crate::nic) fn opens_in_order(&self) -> bool {
        self.uet().is_some() && self.opened_as().1.is_ordered
    }

    /// A connection is opened or closed: it has no EV of its own.
    pub(in crate::nic) fn forget_ordered_ev(&mut self, conn: u16) {
        if self.uet().is_some() {
            self.flow_mut(conn).ordered_ev = None;
        }
    }

    /// The EV with which a connection sends in order from now on. No packet counts for it.
    pub(in crate::nic) fn draw_ordered_ev(&mut self, conn: u16) {
        let effect = self.apply_selector(conn, selector::OpKind::Send, 0, false, Said::default());
        if let Some(Drawn::Ev(result)) = effect.sent {
            self.flow_mut(conn).ordered_ev = Some(result.ev);
        }
    }

    /// The same of the connection that was opened first.
    pub fn draw_next_ordered_ev(&mut self) -> Option<()> {
        let conn = self.owed.as_mut()?.draws.pop_front()?;
        self.draw_ordered_ev(conn);
        Some(())
    }

    pub(in crate::nic) fn close_uet_tx(&mut self, conn: u16) {
        if self.uet().is_some() {
            self.change_flow(FlowChange::CloseTx { conn });
        }
    }

    /// A packet leaves, or the connection is opened or closed: its round trip is measured.
    pub(in crate::nic) fn time_uet(&mut self, departure: Departure) {
        match departure {
            Departure::Packet { conn, psn, again, at } => {
                let at = at.expect("the time is taken before");
                let timing = &mut self.flow_mut(conn).timing;
                if again { timing.again(psn, at) } else { timing.sent(psn, at) }
            }
            Departure::Renewed(conn) => self.flow_mut(conn).timing = Timing::default(),
        }
    }

    /// The op of the receiver that `open_rx` or `close_rx` is, with what the registers say now.
    pub(in crate::nic) fn uet_receiver_op(&mut self, opens: bool) -> Op {
        let conn = self.settings.get(Setting::CommandConn) as u16;
        if !opens {
            self.change_flow(FlowChange::CloseRx { conn });
            return Op { kind: OpKind::Close, conn, ..Op::default() };
        }
        let psn = self.settings.get(Setting::CommandPsn);
        let (peer, mode) = self.opened_as();
        self.change_flow(FlowChange::OpenRx { conn, peer, mode });
        let (ordered, host) = (mode.is_ordered, mode.host_answers);
        Op { kind: OpKind::Init, conn, psn, ordered, host, ..Op::default() }
    }
}

/// Writes a header over that of a frame, and puts the UDP checksum right; one of 0 says that none was computed, RFC 768.
fn write_header(frame: &mut [u8], headers: &Headers, header: &[u8]) {
    let word = |bytes: &[u8], at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let words = (0..header.len()).step_by(2);
    let changes: Vec<(u16, u16)> = words.map(|at| (word(frame, headers.at + at), word(header, at))).collect();
    frame[headers.at..headers.at + header.len()].copy_from_slice(header);
    let sum_at = headers.udp_at + 6;
    let old = word(frame, sum_at);
    if old != 0 {
        let sum = match checksum::update(old, &changes) {
            0 => 0xffff,
            sum => sum,
        };
        frame[sum_at..sum_at + 2].copy_from_slice(&sum.to_be_bytes());
    }
}
