//! Frames of an initiator of cores.

use rand::RngExt;
use respray_golden::hosts::pds::frame::{ECT_0, Outer};
use respray_golden::hosts::pds::headers::{Control, Ctl, Destination, Header, Mode, Request, next};

use super::super::{A, B, encapsulation, here};
use super::Initiator;

impl Initiator {
    fn outer(&mut self, is_control: bool) -> Outer {
        let ev = if self.case.mode == Mode::Rod { self.ev } else { self.rng.random() };
        let (dscp, ecn) = if is_control { (46, 0) } else { (0, ECT_0) };
        Outer { from: here(A), to: here(B), ev, dscp, ecn }
    }

    /// A control packet without a PSN of its own.
    pub(super) fn control(&mut self, ctl: Ctl, psn: u32, opaque: u16, payload: u32) {
        let Some(peer) = self.peer else { return };
        let control = Control {
            ctl,
            mode: Mode::Rud,
            is_retransmission: false,
            ack_request: ctl == Ctl::Probe,
            opaque,
            psn,
            source: A,
            destination: Destination::Pdc(peer),
            payload,
        };
        let outer = self.outer(true);
        let frame = encapsulation().write(&outer, &Header::Control(control).to_bytes());
        self.out.push_back(frame);
    }

    /// The frame of a packet.
    pub(super) fn frame(&mut self, at: usize, is_again: bool, asks: bool, now: u64) -> Vec<u8> {
        let una = self.una();
        self.packets[at].sent_at = now;
        let psn = self.psn(at);
        let destination = match self.peer {
            Some(peer) => Destination::Pdc(peer),
            None => Destination::Syn { pdc_info: 0, psn_offset: at as u16 },
        };
        self.retransmissions += u64::from(is_again);
        let Some(tail) = self.packets[at].bytes.clone() else {
            let close = Control {
                ctl: Ctl::Close,
                mode: Mode::Rud,
                is_retransmission: is_again,
                ack_request: true,
                opaque: 0,
                psn,
                source: A,
                destination,
                payload: 0,
            };
            return encapsulation().write(&self.outer(true), &Header::Control(close).to_bytes());
        };
        let clear = self.psn(self.cleared.max(una)).wrapping_sub(1);
        let request = Request {
            mode: self.case.mode,
            next_header: next::STANDARD_REQUEST,
            is_retransmission: is_again,
            ack_request: asks || is_again,
            clear_offset: clear.wrapping_sub(psn) as i16,
            psn,
            source: A,
            destination,
            credit: None,
        };
        encapsulation().write(&self.outer(false), &[Header::Request(request).to_bytes(), tail].concat())
    }
}
