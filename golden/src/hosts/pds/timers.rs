//! What an endpoint does because time has passed: timeouts, Clears, Clear Requests, probes, and the end of connections.

use super::Event;
use super::config::ClearForm;
use super::endpoint::{Endpoint, Waiting};
use super::ev::Feedback;
use super::frame::Outer;
use super::headers::{Control, Ctl, Destination, Header, Mode};
use super::pdc::{Life, Pdc};
use super::scoreboard::SERVICE_UNIT;
use super::sender::Timeout;

impl Endpoint {
    pub(super) fn run_timers(&mut self, now: u64) {
        let ids: Vec<u16> =
            self.pdcs.values().filter(|pdc| self.is_due(pdc, now)).map(|pdc| pdc.id).collect();
        for id in ids {
            self.run_timers_of(id, now);
        }
    }

    fn is_due(&self, pdc: &Pdc, now: u64) -> bool {
        pdc.is_to_close()
            || pdc.life == Life::Ending && pdc.sender.is_idle()
            || self.wake_of(pdc).is_some_and(|at| at <= now)
    }

    fn run_timers_of(&mut self, id: u16, now: u64) {
        let config = self.config.clone();
        let pdc = self.pdcs.get_mut(&id).expect("it is due");
        if matches!(pdc.life, Life::Lingering { until, .. } if until <= now) {
            return self.remove(id);
        }
        if pdc.is_to_close() {
            pdc.close();
        } else if pdc.life == Life::Ending && pdc.sender.is_idle() {
            // nobody has heard of it
            self.remove(id);
            return self.events.push_back(Event::Closed { pdc: id });
        }
        match pdc.sender.time_out(now, &config) {
            Some(Timeout::Dead) => {
                let unfinished = pdc.sender.unfinished();
                self.remove(id);
                return self.events.push_back(Event::Dead { pdc: id, unfinished });
            }
            Some(Timeout::Stalled { is_loss, ask }) => self.stalled(id, is_loss, ask),
            None => {}
        }
        self.clear_and_probe(id, now);
    }

    fn stalled(&mut self, id: u16, is_loss: bool, ask: Option<u32>) {
        let pdc = self.pdcs.get_mut(&id).expect("it is due");
        if is_loss {
            self.events.push_back(Event::LossTimeout { pdc: id, psn: pdc.sender.una() });
            if pdc.mode == Mode::Rud {
                self.chooser.hear(id, Feedback::Timeout);
            }
        }
        let Some(psn) = ask else { return };
        self.events.push_back(Event::AckRequest { pdc: id, psn });
        // a Clear before may be lost
        if pdc.is_answered() {
            pdc.clear(&self.config);
            self.send_clear(id);
        }
        self.send_control(id, Ctl::AckRequest, psn, 0, 0);
    }

    fn clear_and_probe(&mut self, id: u16, now: u64) {
        let config = self.config.clone();
        let pdc = self.pdcs.get_mut(&id).expect("it is due");
        if pdc.clear_at.is_some_and(|at| at <= now) {
            pdc.clear_at = None;
            if pdc.is_answered() {
                pdc.clear(&config);
                // a request says it as well
                if !pdc.sender.may_send_new(pdc.peer.is_some(), &config) {
                    self.send_clear(id);
                }
            }
        }
        let pdc = self.pdcs.get_mut(&id).expect("it is due");
        if pdc.clear_request_at.is_some_and(|at| at <= now) {
            let holds = pdc.receiver.holds_responses();
            pdc.clear_request_at = config.clear_request.filter(|_| holds).map(|after| now + after);
            let received = pdc.receiver.epsn().wrapping_sub(1);
            if holds {
                self.send_control(id, Ctl::ClearRequest, 0, 0, received);
            }
        }
        let pdc = self.pdcs.get_mut(&id).expect("it is due");
        if pdc.peer.is_some() && pdc.sender.probe_at(&config).is_some_and(|at| at <= now) {
            pdc.sender.probe(now);
            let (last, from) = (pdc.sender.nxt().wrapping_sub(1), pdc.sender.una());
            let opaque = (now / SERVICE_UNIT) as u16;
            self.send_control(id, Ctl::Probe, last, opaque, from - from % 64);
        }
    }

    fn send_clear(&mut self, id: u16) {
        let psn = self.pdcs[&id].clear_psn();
        match self.config.clear_form {
            ClearForm::Payload => self.send_control(id, Ctl::Clear, 0, 0, psn),
            ClearForm::Psn => self.send_control(id, Ctl::Clear, psn, 0, 0),
        }
    }

    /// Sends a control packet without a PSN of its own: the connection is bound.
    fn send_control(&mut self, id: u16, ctl: Ctl, psn: u32, opaque: u16, payload: u32) {
        let pdc = &self.pdcs[&id];
        let Some(peer) = pdc.peer else { return };
        let control = Control {
            ctl,
            mode: Mode::Rud,
            is_retransmission: false,
            ack_request: ctl == Ctl::Probe,
            opaque,
            psn,
            source: id,
            destination: Destination::Pdc(peer),
            payload,
        };
        let to = pdc.peer_address;
        let ev = self.ev(id);
        let outer = Outer { from: self.config.address, to, ev, dscp: self.config.dscp_control, ecn: 0 };
        let header = Header::Control(control);
        self.waiting.push_back(Waiting { outer, header, tail: Vec::new(), arrived: None });
    }
}
