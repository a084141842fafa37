//! Frames of an initiator of cores.

use rand::RngExt;
use respray_golden::hosts::pds::frame::{ECT_0, Outer};
use respray_golden::hosts::pds::headers::{Ctl, Header, Mode};

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
        if let Some(header) = self.host.control(ctl, psn, opaque, payload) {
            let frame = encapsulation().write(&self.outer(true), &header.to_bytes());
            self.out.push_back(frame);
        }
    }

    /// The frame of a packet.
    pub(super) fn frame(&mut self, at: usize, is_again: bool, asks: bool, now: u64) -> Vec<u8> {
        self.known[at].sent_at = now;
        self.retransmissions += u64::from(is_again);
        let header = self.host.header(at, is_again, asks, self.host.forgets(self.una()));
        let outer = self.outer(matches!(header, Header::Control(_)));
        let tail = self.host.packets[at].bytes.as_deref().unwrap_or_default();
        encapsulation().write(&outer, &[&header.to_bytes(), tail].concat())
    }
}
