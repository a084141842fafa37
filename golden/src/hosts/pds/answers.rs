//! Frames that come in: ACKs and NACKs (section 4).

use super::Event;
use super::config::Fault;
use super::counts::{Refusal, Taken};
use super::endpoint::Endpoint;
use super::ev::Feedback;
use super::frame::Outer;
use super::headers::{Ack, Action, Ask, Ctl, Mode, Nack, next};
use super::pdc::{Life, Role};
use super::scoreboard::{Finished, SERVICE_UNIT, has_arrived};
use super::ses::Response;

impl Endpoint {
    pub(super) fn ack(&mut self, outer: &Outer, ack: &Ack, tail: &[u8], now: u64) -> Result<Taken, Refusal> {
        let id = ack.destination;
        let pdc = self.pdcs.get_mut(&id).ok_or(Refusal::UnknownPdc)?;
        let is_peer = pdc.peer.is_none_or(|peer| peer == ack.source) && ack.source != 0;
        if !is_peer && !self.config.has(Fault::AnyPeer) {
            return Err(Refusal::WrongPeer);
        }
        if pdc.mode == Mode::Rud && !ack.is_probe {
            let heard = if ack.is_marked { Feedback::Marked } else { Feedback::Good };
            self.chooser.hear(id, heard(outer.ev));
        }
        // a response of another length is no part of what is tested here
        let response = Some(tail).filter(|_| ack.next_header == next::RESPONSE).and_then(Response::parse);
        let outcome = pdc.sender.ack(ack, response.is_some(), now, &self.config)?;
        if pdc.peer.is_none() && !ack.is_probe {
            pdc.peer = Some(ack.source);
            self.events.push_back(Event::Bound { pdc: id, peer: ack.source });
        }
        if ack.is_probe {
            let ticks = ((now / SERVICE_UNIT) as u16).wrapping_sub(ack.offset);
            self.events.push_back(Event::Probed { pdc: id, rtt: u64::from(ticks) * SERVICE_UNIT });
        }
        if let (Some(message), Some(response)) = (outcome.answered, response) {
            self.events.push_back(Event::Responded { pdc: id, message, response });
        }
        for finished in &outcome.finished {
            match *finished {
                Finished::Message(message) => self.events.push_back(Event::Finished { pdc: id, message }),
                Finished::Control(Ctl::Close) => {
                    self.remove(id);
                    self.events.push_back(Event::Closed { pdc: id });
                }
                Finished::Control(_) => {}
            }
        }
        match ack.ask {
            Ask::Clear => self.asked_to_clear(id, false, now),
            Ask::Close => self.asked_to_close(id),
            Ask::Nothing | Ask::Reserved => {}
        }
        let taken = if outcome.is_overtaken { Taken::OvertakenAck } else { Taken::Ack };
        self.events.push_back(Event::Acknowledged { pdc: id, outcome });
        Ok(taken)
    }

    pub(super) fn nack(&mut self, outer: &Outer, nack: &Nack, now: u64) -> Result<Taken, Refusal> {
        let id = nack.destination;
        let pdc = self.pdcs.get_mut(&id).ok_or(Refusal::UnknownPdc)?;
        if nack.source != 0 && pdc.peer.is_some_and(|peer| peer != nack.source) {
            return Err(Refusal::WrongPeer);
        }
        if pdc.mode == Mode::Rud {
            let heard = match (nack.code, nack.is_marked) {
                (code, _) if !has_arrived(code) => Feedback::Trimmed,
                (_, true) => Feedback::Marked,
                (_, false) => Feedback::Good,
            };
            self.chooser.hear(id, heard(outer.ev));
        }
        let action = pdc.sender.nack(nack, pdc.peer.is_some(), now, &self.config)?;
        if action == Action::NewStart && pdc.peer.is_none() {
            pdc.restart_receiver(nack.payload);
        }
        let Nack { code, psn, payload, .. } = *nack;
        self.events.push_back(Event::Nack { pdc: id, code, psn, payload });
        if matches!(action, Action::Close | Action::Fail) {
            let unfinished = pdc.sender.unfinished();
            self.remove(id);
            self.events.push_back(Event::Ended { pdc: id, code, unfinished });
        }
        Ok(Taken::Nack)
    }

    /// The target holds responses. What has come of them is cleared after a time; once more, if it asks for that
    /// although it was told.
    pub(super) fn asked_to_clear(&mut self, id: u16, again: bool, now: u64) {
        self.events.push_back(Event::ClearRequest { pdc: id });
        if let Some(pdc) = self.pdcs.get_mut(&id)
            && (pdc.has_to_clear() || again && pdc.is_answered())
        {
            pdc.clear_at = pdc.clear_at.or(Some(now + self.config.clear_delay));
        }
    }

    pub(super) fn asked_to_close(&mut self, id: u16) {
        self.events.push_back(Event::CloseRequest { pdc: id });
        if let Some(pdc) = self.pdcs.get_mut(&id)
            && pdc.role == Role::Initiator
            && pdc.life == Life::Open
        {
            pdc.life = Life::Ending;
        }
    }
}
