//! Round trips: nothing that an ACK brings back says when the packet left that it answers.

use super::UET_PSNS;

/// A packet whose round trip is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Timed {
    psn: u32,
    /// When it left last, in ticks of the wire.
    at: u16,
    /// It left twice.
    is_again: bool,
}

/// One packet of a connection at a time is timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    packet: Option<Timed>,
}

impl Timing {
    /// A packet leaves for the first time. It is timed if none is.
    pub fn sent(&mut self, psn: u32, now: u16) {
        self.packet.get_or_insert(Timed { psn, at: now, is_again: false });
    }

    /// A packet leaves again. By RETX its ACK says which of two was answered; of three it cannot.
    pub fn again(&mut self, psn: u32, now: u16) {
        self.packet = match self.packet {
            Some(Timed { psn: timed, is_again, .. }) if timed == psn => {
                (!is_again).then_some(Timed { psn, at: now, is_again: true })
            }
            packet => packet,
        };
    }

    /// When the packet left that an ACK answers, if that is known. An ACK of a copy that was sent again has RETX.
    pub fn answered(&mut self, psn: u32, has_retx: bool) -> Option<u16> {
        let timed = self.packet.take_if(|timed| timed.psn == psn)?;
        (timed.is_again == has_retx).then_some(timed.at)
    }

    /// All below this PSN is acknowledged, the timed packet perhaps without an answer of its own.
    pub fn passed(&mut self, una: u32) {
        self.packet = self.packet.filter(|timed| !UET_PSNS.is_below(timed.psn, una));
    }
}
