//! Frames that come in: requests and control packets (section 3).

use super::answering::Own;
use super::config::Fault;
use super::counts::{Refusal, Taken};
use super::endpoint::Endpoint;
use super::frame::{CE, Carrier, Outer, Packet, Trimmed};
use super::headers::{Control, Ctl, Destination, Header, Mode, Request, code, next};
use super::pdc::{Life, Role};
use super::receiver::{Arrival, Verdict};
use super::ses::{NoPiece, Piece, Response};
use super::{Delivered, Event};

/// Bytes of a request's header without the state of credits, for which nothing is taken off.
const REQUEST: u32 = 12;

impl Endpoint {
    /// Takes a frame in, without its check sequence.
    pub fn receive(&mut self, frame: &[u8], now: u64) {
        let outcome = self.take(frame, now);
        self.counts.count(outcome);
    }

    fn take(&mut self, frame: &[u8], now: u64) -> Result<Taken, Refusal> {
        let encapsulation = self.config.encapsulation;
        let packet = encapsulation.read(frame)?;
        if packet.outer.to != self.config.address {
            return Err(Refusal::OtherAddress);
        }
        if packet.trimmed.is_some() && !Header::begins_request(packet.bytes) {
            return Err(Refusal::TrimmedAnswer);
        }
        let (header, length) = Header::parse(packet.bytes)?;
        let (read, tail) = packet.bytes.split_at(length);
        self.counts.reserved_bits += u64::from(header.to_bytes()[..length] != *read);
        match header {
            Header::Request(request) => match packet.trimmed {
                Some(trimmed) if !self.config.has(Fault::TrimmedReceived) => {
                    self.nack_trimmed(&packet, trimmed, &request)
                }
                _ => self.request(&packet, &request, tail, now),
            },
            Header::Ack(ack) => self.ack(&packet.outer, &ack, tail, now),
            Header::Nack(nack) if nack.is_rudi => Err(Refusal::OtherType),
            Header::Nack(nack) => self.nack(&packet.outer, &nack, now),
            Header::Control(control) => self.control_packet(&packet, &control, now),
            Header::Rudi(_) | Header::Uud(_) | Header::Security(_) => Err(Refusal::OtherType),
        }
    }

    /// A trimmed request gets a NACK at once, whether it was received or not, and changes nothing.
    fn nack_trimmed(
        &mut self,
        packet: &Packet,
        trimmed: Trimmed,
        request: &Request,
    ) -> Result<Taken, Refusal> {
        let code = match trimmed {
            Trimmed::OnItsWay => code::TRIMMED,
            Trimmed::LastHop => code::TRIMMED_LAST_HOP,
        };
        let pdc = match request.destination {
            Destination::Pdc(pdc) => Some(pdc).filter(|pdc| self.pdcs.contains_key(pdc)),
            Destination::Syn { .. } => self.bound.get(&(packet.outer.from.ip, request.source)).copied(),
        };
        let own = Own::of_request(request);
        self.send_nack(&packet.outer, &own, code, pdc.unwrap_or(0), 0);
        Ok(Taken::Trimmed)
    }

    fn request(
        &mut self,
        packet: &Packet,
        request: &Request,
        tail: &[u8],
        now: u64,
    ) -> Result<Taken, Refusal> {
        let own = Own::of_request(request);
        let below = match self.config.encapsulation.carrier {
            Carrier::Udp { .. } => 8,
            Carrier::Native { .. } => 4,
        };
        let length = u32::from(packet.length);
        let (id, verdict, is_due) =
            self.arrive(packet, &own, Some((length, length.saturating_sub(below + REQUEST))))?;
        let config = self.config.clone();
        let pdc = self.pdcs.get_mut(&id).expect("the packet is of it");
        let clear = request.clear_offset;
        if clear > 0 || !pdc.receiver.clear(request.psn.wrapping_add_signed(clear.into())) {
            self.counts.clears_ignored += 1;
        }
        let is_standard = request.next_header == next::STANDARD_REQUEST;
        let piece = Some(tail).filter(|_| is_standard).and_then(Piece::parse);
        let message = piece.map_or(0, |(piece, _)| piece.message);
        let wants = piece.is_some_and(|(piece, _)| piece.wants_response);
        let mut response = Response::default_of(message);
        if verdict == Verdict::New {
            if wants {
                response = Response::guaranteed(message, request.psn);
                pdc.receiver.hold(request.psn, response);
                pdc.clear_request_at =
                    pdc.clear_request_at.or_else(|| config.clear_request.map(|after| now + after));
            }
            self.deliver(id, request, piece, tail);
        } else if let Some(held) = pdc.receiver.held(request.psn)
            && !config.has(Fault::ResponseForgotten)
        {
            response = held;
        }
        if is_due || response.opcode != 0 {
            self.send_ack(id, &packet.outer, &own, Some(response), now);
        }
        Ok(if verdict == Verdict::New { Taken::New } else { Taken::Duplicate })
    }

    /// What a packet that is new carries goes to its message. Behind another header than that of a standard request it
    /// is a message by itself.
    fn deliver(&mut self, id: u16, request: &Request, piece: Option<(Piece, &[u8])>, tail: &[u8]) {
        let pdc = self.pdcs.get_mut(&id).expect("the packet is of it");
        let is_standard = request.next_header == next::STANDARD_REQUEST;
        let whole = match piece {
            Some((piece, data)) => {
                pdc.assembly.take(&piece, data).map(|bytes| bytes.map(|bytes| (piece.message, bytes)))
            }
            None if is_standard => Err(NoPiece),
            None => Ok((!tail.is_empty()).then(|| (0, tail.to_vec()))),
        };
        match whole {
            Ok(Some((message, bytes))) => {
                self.delivered.push_back(Delivered { pdc: id, psn: request.psn, message, bytes });
            }
            Ok(None) => {}
            Err(NoPiece) => self.counts.bad_messages += 1,
        }
    }

    fn control_packet(&mut self, packet: &Packet, control: &Control, now: u64) -> Result<Taken, Refusal> {
        let own = Own {
            // the flag says it of those alone that may open a connection
            mode: if control.ctl.may_open() { control.mode } else { self.mode_of(control) },
            psn: control.psn,
            source: control.source,
            destination: control.destination,
            is_retransmission: control.is_retransmission,
            ack_request: control.ack_request,
        };
        if let Ctl::Reserved(_) = control.ctl {
            return Err(Refusal::ReservedControl);
        }
        if control.ctl.has_own_psn() {
            return self.control_with_psn(packet, control, &own, now);
        }
        let id = match self.locate(&own) {
            // a probe without a connection gets no answer (4.1)
            Err(Refusal::UnknownPdc) if control.ctl != Ctl::Probe => {
                self.send_nack(&packet.outer, &own, code::BAD_DESTINATION, 0, 0);
                return Err(Refusal::UnknownPdc);
            }
            found => found?,
        };
        let pdc = self.pdcs.get_mut(&id).expect("it was found");
        match control.ctl {
            Ctl::AckRequest if !pdc.receiver.can_answer(control.psn) => {
                self.send_nack(&packet.outer, &own, code::OUTSIDE_WINDOW, id, 0);
                return Err(Refusal::OutsideWindow);
            }
            Ctl::AckRequest if !pdc.receiver.is_received(control.psn) => {
                self.send_nack(&packet.outer, &own, code::NOT_RECEIVED, id, 0);
                return Err(Refusal::NotReceived);
            }
            Ctl::AckRequest => {
                let held = pdc.receiver.held(control.psn);
                let response = held.unwrap_or(Response::default_of(control.payload as u16));
                self.send_ack(id, &packet.outer, &own, Some(response), now);
            }
            Ctl::Clear => {
                // of the two forms one has PSN 0, the other payload 0
                let psn = if control.payload != 0 { control.payload } else { control.psn };
                if !pdc.receiver.clear(psn) {
                    return Err(Refusal::ClearBeyond);
                }
            }
            Ctl::ClearRequest => self.asked_to_clear(id, true, now),
            Ctl::Probe => {
                let ack = pdc.receiver.answer_probe(control.opaque, control.payload, &self.config);
                self.send_answer(id, &packet.outer, &own, ack, None, now);
            }
            // credit is not read
            _ => {}
        }
        Ok(Taken::Control)
    }

    fn control_with_psn(
        &mut self,
        packet: &Packet,
        control: &Control,
        own: &Own,
        now: u64,
    ) -> Result<Taken, Refusal> {
        if control.ctl == Ctl::Close {
            let id = self.locate(own);
            if let Some(pdc) = id.ok().and_then(|id| self.pdcs.get(&id))
                && pdc.role == Role::Target
                && !pdc.sender.is_idle()
            {
                let (id, in_flight) = (pdc.id, pdc.sender.in_flight());
                self.send_nack(&packet.outer, own, code::CLOSING_IN_ERROR, id, in_flight);
                return Err(Refusal::Busy);
            }
        }
        let (id, verdict, is_due) = self.arrive(packet, own, None)?;
        // what begins or ends something is answered, whether it asks for that or not (2.6)
        if is_due || control.ctl != Ctl::Noop {
            self.send_ack(id, &packet.outer, own, None, now);
        }
        if verdict != Verdict::New {
            return Ok(Taken::Duplicate);
        }
        let pdc = self.pdcs.get_mut(&id).expect("the packet is of it");
        match (control.ctl, pdc.role) {
            (Ctl::Close, Role::Target) => {
                let until = now + self.config.linger;
                pdc.life = Life::Lingering { close_psn: own.psn, until };
                self.events.push_back(Event::Closed { pdc: id });
            }
            (Ctl::CloseRequest, Role::Initiator) => self.asked_to_close(id),
            _ => {}
        }
        Ok(Taken::New)
    }

    /// Takes a packet with a PSN of its own to the receiver of its connection, which it may open: the connection,
    /// what the receiver makes of it if it is new or a duplicate, and whether an ACK is due. All others get the NACK
    /// that they need.
    fn arrive(
        &mut self,
        packet: &Packet,
        own: &Own,
        bytes: Option<(u32, u32)>,
    ) -> Result<(u16, Verdict, bool), Refusal> {
        let outer = &packet.outer;
        let id = match own.destination {
            Destination::Syn { psn_offset, .. } => self.locate_syn(outer, own, psn_offset)?,
            Destination::Pdc(_) => match self.locate(own) {
                Err(Refusal::UnknownPdc) => {
                    self.send_nack(outer, own, code::BAD_DESTINATION, 0, 0);
                    return Err(Refusal::UnknownPdc);
                }
                found => found?,
            },
        };
        let pdc = self.pdcs.get_mut(&id).expect("it was found");
        if let Life::Lingering { close_psn, .. } = pdc.life
            && own.psn.wrapping_sub(close_psn) as i32 > 0
        {
            self.send_nack(outer, own, code::CLOSING, id, 0);
            return Err(Refusal::Closing);
        }
        let arrival = Arrival {
            psn: own.psn,
            is_syn: own.destination.is_syn(),
            is_retransmission: own.is_retransmission,
            ack_request: own.ack_request,
            is_marked: outer.ecn == CE,
            bytes,
        };
        match pdc.receiver.arrive(&arrival, &self.config) {
            (Verdict::Outside(code), _) => {
                self.send_nack(outer, own, code, id, 0);
                Err(Refusal::OutsideWindow)
            }
            (Verdict::Ahead { tells }, _) => {
                let expected = pdc.receiver.epsn();
                if tells {
                    self.send_nack(outer, own, code::ROD_OUT_OF_ORDER, id, expected);
                }
                Err(Refusal::Ahead)
            }
            (verdict, is_due) => Ok((id, verdict, is_due)),
        }
    }

    /// The connection that a SYN is of: one that is bound, or a new one.
    fn locate_syn(&mut self, outer: &Outer, own: &Own, psn_offset: u16) -> Result<u16, Refusal> {
        let offset = if self.config.has(Fault::SynOffsetUnread) { 0 } else { psn_offset };
        let start = own.psn.wrapping_sub(offset.into());
        if let Some(id) = self.bound.get(&(outer.from.ip, own.source)).copied() {
            let pdc = &self.pdcs[&id];
            if pdc.receiver.start() == start || self.config.has(Fault::SynOffsetUnread) {
                return if pdc.mode == own.mode { Ok(id) } else { Err(Refusal::WrongMode) };
            }
            // the peer uses its PDCID again
            if !matches!(pdc.life, Life::Lingering { .. }) {
                self.send_nack(outer, own, code::SYN_OUTSIDE, id, 0);
                return Err(Refusal::OutsideWindow);
            }
            self.remove(id);
        }
        if u32::from(offset) >= self.config.receive_window {
            self.send_nack(outer, own, code::SYN_OUTSIDE, 0, 0);
            return Err(Refusal::OutsideWindow);
        }
        if own.mode == Mode::Rod && offset != 0 {
            self.send_nack(outer, own, code::ROD_OUT_OF_ORDER, 0, start);
            return Err(Refusal::Ahead);
        }
        let opened = self.accept(outer.from, own.mode, own.source, start);
        opened.ok_or_else(|| {
            self.send_nack(outer, own, code::NO_PDC, 0, 0);
            Refusal::NoRoom
        })
    }

    /// The connection that a packet without SYN is of.
    fn locate(&self, own: &Own) -> Result<u16, Refusal> {
        let Destination::Pdc(id) = own.destination else {
            return Err(Refusal::SynOnControl);
        };
        let pdc = self.pdcs.get(&id).ok_or(Refusal::UnknownPdc)?;
        match pdc.peer {
            None => Err(Refusal::NotBound),
            Some(peer) if peer != own.source => Err(Refusal::WrongPeer),
            Some(_) if pdc.mode != own.mode => Err(Refusal::WrongMode),
            Some(_) => Ok(id),
        }
    }

    fn mode_of(&self, control: &Control) -> Mode {
        match control.destination {
            Destination::Pdc(id) => self.pdcs.get(&id).map_or(Mode::Rud, |pdc| pdc.mode),
            Destination::Syn { .. } => control.mode,
        }
    }
}
