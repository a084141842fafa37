//! The host behind a block that sends: it knows nothing but events.

use std::collections::VecDeque;

use respray_cosim::nic::End;
use respray_golden::hosts::pds::headers::{Ask, Control, Ctl, Destination, Header, Mode, Request, next};
use respray_golden::hosts::pds::ses::Response;
use respray_golden::nic::{Command, Delivery, Event, Kind, Verdict};

use super::{A, CWND, Case, Host, OUTSTANDING, encapsulation, frame_of};

/// `next_header` of a standard request.
const STANDARD: u8 = 3;
/// Every so many packets, one asks for an ACK.
const ASKS: usize = 8;
/// A NACK of a packet that was asked for, and not received: the scoreboard leaves it to the host.
const NOT_RECEIVED: u16 = 0x12;
/// Frames that wait for `tx_in`.
const WAITING: usize = 2;

pub struct Initiator {
    start: u32,
    mode: Mode,
    /// What follows the headers of requests; the last packet is a close.
    packets: Vec<Vec<u8>>,
    next: usize,
    una: usize,
    in_flight: u32,
    again: VecDeque<usize>,
    controls: VecDeque<Control>,
    peer: Option<u16>,
    /// For the last packet of each message, whether its response has come; messages before the first one whose response has not.
    responses: Vec<(usize, bool)>,
    responded: usize,
    wants_responses: bool,
}

impl Initiator {
    pub fn new(case: &Case, end: &mut End) -> Result<Initiator, String> {
        let open = [
            ("command_conn", A.into()),
            ("command_psn", case.start()),
            ("command_peer", 0),
            ("command", Command::OpenTx as u32),
        ];
        let opened = open.into_iter().try_for_each(|(name, value)| end.write(name, value));
        opened.map_err(|difference| difference.to_string())?;
        Ok(Initiator {
            start: case.start(),
            mode: case.mode,
            packets: case.packets(),
            next: 0,
            una: 0,
            in_flight: 0,
            again: VecDeque::new(),
            controls: VecDeque::new(),
            peer: None,
            responses: case.ends().into_iter().map(|end| (end, false)).collect(),
            responded: 0,
            wants_responses: case.wants_responses,
        })
    }

    /// The response of each message came, if that was wanted, and else of none.
    pub fn check_responses(&self, case: &Case) -> Result<(), String> {
        let wanted = if case.wants_responses { case.messages } else { 0 };
        let came = self.responses.iter().filter(|(_, has_come)| *has_come).count();
        (came == wanted).then_some(()).ok_or(format!("{came} responses came, of {wanted}"))
    }

    /// An ACK with a response, or that asks for a clear: the peer may forget all responses before the first one that is missing.
    fn take(&mut self, delivery: &Delivery) -> Result<(), String> {
        let unexpected = || format!("a frame comes: {:?}, {:?}", delivery.record, delivery.verdict);
        let packet = encapsulation().read(&delivery.frame).map_err(|_| unexpected())?;
        let (Header::Ack(ack), length) = Header::parse(packet.bytes).map_err(|_| unexpected())? else {
            return Err(unexpected());
        };
        let response = Response::parse(&packet.bytes[length..])
            .filter(|response| ack.next_header == next::RESPONSE && response.opcode != 0);
        let is_expected = response.is_some() || ack.ask == Ask::Clear;
        if !is_expected || !matches!(delivery.verdict, Some(Verdict::Ack(0 | 1))) {
            return Err(unexpected());
        }
        if let Some(response) = response {
            // it answers the packet that came last of its message
            let at = response.word.wrapping_sub(self.start) as usize;
            let message = self.responses.iter().position(|(end, _)| at <= *end);
            if ack.ack_psn() != Some(response.word) || message != Some(response.message.into()) {
                return Err(format!("{response:?} in {ack:?}"));
            }
            self.responses[usize::from(response.message)].1 = true;
            self.responded = self.responses.iter().take_while(|(_, has_come)| *has_come).count();
        }
        self.clear();
        Ok(())
    }

    /// The last packet up to which the peer may forget its responses, not above this one.
    fn cleared(&self, at: usize) -> i16 {
        let last = self.responded.checked_sub(1).map_or(-1, |last| self.responses[last].0 as i16);
        if self.wants_responses { last.min(at as i16) } else { at as i16 }
    }

    fn clear(&mut self) {
        if let Some(last) = self.responded.checked_sub(1) {
            let psn = self.start.wrapping_add(self.responses[last].0 as u32);
            self.controls.extend(self.control(Ctl::Clear, psn, false));
        }
    }

    fn destination(&self, at: usize) -> Destination {
        let syn = Destination::Syn { pdc_info: 0, psn_offset: at as u16 };
        self.peer.map_or(syn, Destination::Pdc)
    }

    fn control(&self, ctl: Ctl, psn: u32, is_retransmission: bool) -> Option<Control> {
        let destination = Destination::Pdc(self.peer?);
        let (mode, ack_request, source) = (self.mode, true, A);
        Some(Control {
            ctl,
            mode,
            is_retransmission,
            ack_request,
            opaque: 0,
            psn,
            source,
            destination,
            payload: 0,
        })
    }

    fn send(&self, end: &mut End, at: usize, is_again: bool) -> Result<(), String> {
        let psn = self.start.wrapping_add(at as u32);
        let Some(packet) = self.packets.get(at) else {
            let close = self.control(Ctl::Close, psn, is_again).ok_or("it closes before the first ACK")?;
            end.send(frame_of(A, 7, 46, &Header::Control(close), &[]));
            return Ok(());
        };
        let is_last = at + 1 == self.packets.len() || at + 1 == self.una + OUTSTANDING;
        let request = Request {
            mode: self.mode,
            next_header: STANDARD,
            is_retransmission: is_again,
            ack_request: is_again || is_last || at % ASKS == ASKS - 1,
            clear_offset: self.cleared(at) - at as i16,
            psn,
            source: A,
            destination: self.destination(at),
            credit: None,
        };
        end.send(frame_of(A, 0, 0, &Header::Request(request), packet));
        Ok(())
    }

    fn hear(&mut self, event: &Event) -> Result<(), String> {
        let at = event.psn.wrapping_sub(self.start) as usize;
        match event.kind {
            Kind::Bound => self.peer = Some(event.detail),
            Kind::Acknowledged if at > self.next || at < self.una => return Err(format!("{event:?} comes")),
            Kind::Acknowledged => (self.una, self.in_flight) = (at, event.in_flight.into()),
            Kind::Retransmit => self.again.push_back(at),
            Kind::Nack if event.detail == NOT_RECEIVED => self.again.push_back(at),
            Kind::AckRequest => {
                // a clear before may be lost
                self.clear();
                self.controls.extend(self.control(Ctl::AckRequest, event.psn, false));
            }
            // a NACK may come behind the ACK of what was sent again
            Kind::BadAck if event.detail == 1 => {}
            Kind::Refused | Kind::BadAck | Kind::Dead | Kind::Stray => {
                return Err(format!("{event:?} comes"));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Host for Initiator {
    fn serve(&mut self, end: &mut End) -> Result<(), String> {
        while let Some(event) = end.out.events.pop_front() {
            self.hear(&event)?;
        }
        if let Some(delivery) = end.out.delivered.pop_front() {
            self.take(&delivery)?;
        }
        if end.waiting()[0] >= WAITING {
            return Ok(());
        }
        if let Some(control) = self.controls.pop_front() {
            end.send(frame_of(A, 7, 46, &Header::Control(control), &[]));
        } else if let Some(at) = self.again.pop_front() {
            if at >= self.una {
                self.send(end, at, true)?;
            }
        } else {
            // the close goes behind all that it closes
            let is_open =
                self.next < self.packets.len() || (self.next == self.packets.len() && self.una == self.next);
            if is_open && self.in_flight < CWND && self.next - self.una < OUTSTANDING {
                self.send(end, self.next, false)?;
                self.next += 1;
                self.in_flight += 1;
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.una == self.packets.len() + 1
    }

    fn state(&self) -> String {
        let Initiator { una, next, in_flight, responded, .. } = self;
        let of = self.packets.len();
        format!(
            "{una} of {of} packets acknowledged, {next} sent, {in_flight} in flight, {responded} messages answered"
        )
    }
}
