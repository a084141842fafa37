//! What the host hears of packets and frames.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::words::Event;
use crate::comment;
use crate::prims::Reg;

/// Makes one stream of the events of results and of malformed frames. A result goes first where both come at one edge, and one
/// malformed frame can wait.
///
/// Each event that finds no place is one pulse of `lost`. Two can be lost at one edge; what is owed is pulsed later. That is never
/// more than the results that can be outstanding, as frames come one an edge at most.
#[block]
pub struct Events {
    pub duplicate: Signal<In, bool>,
    pub stray: Signal<In, bool>,
    /// Of a packet that was a stray.
    pub status: Signal<In, Bits<3>>,
    pub conn: Signal<In, Bits<24>>,
    pub psn: Signal<In, Bits<32>>,
    pub malformed: Signal<In, bool>,
    pub error: Signal<In, Bits<3>>,

    pub valid: Signal<Out, bool>,
    pub ready: Signal<In, bool>,
    pub event: Signal<Out, Event>,
    pub lost: Signal<Out, bool>,

    waiting: Backlog<Event, 4, 5>,
    #[reset = false]
    has_event: Reg<bool>,
    made: Reg<Event>,
    #[reset = false]
    has_malformed: Reg<bool>,
    malformed_error: Reg<Bits<3>>,
    #[reset = 0]
    owed: Reg<Bits<7>>,
    #[reset = false]
    loses: Reg<bool>,
    /// One more is owed. It is counted into `owed` an edge later, because `result` comes late in the cycle.
    #[reset = false]
    owes_more: Reg<bool>,
}

#[block]
impl Events {
    /// Without events.
    pub fn new() -> Self {
        Self { waiting: Backlog::new("event_ram", "events that wait to be taken"), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module events: what the host hears of packets and frames");
        let result = self.duplicate | self.stray;
        comment!("Codes of the kinds: 7 duplicate, 10 stray, 11 malformed.");
        self.has_event = result | self.has_malformed;
        self.made.packet.kind = 7;
        self.made.packet.conn = self.conn;
        self.made.packet.psn = self.psn;
        self.made.detail = 0;
        if self.stray {
            self.made.packet.kind = 10;
            self.made.detail = self.status;
        }
        if !result {
            self.made.packet.kind = 11;
            self.made.packet.conn = 0;
            self.made.packet.psn = 0;
            self.made.detail = self.malformed_error;
        }
        comment!("A malformed frame whose predecessor still waits is the one that is lost.");
        let lost_before = self.malformed & self.has_malformed & result;
        self.has_malformed = self.malformed | (self.has_malformed & result);
        if self.malformed & !lost_before {
            self.malformed_error = self.error;
        }
        self.waiting.push = self.has_event & self.waiting.has_room;
        self.waiting.item = self.made;
        let lost_here = self.has_event & !self.waiting.has_room;
        comment!("One pulse for each.");
        let owes = (self.owed != 0) | self.owes_more;
        self.loses = lost_here | lost_before | owes;
        self.owes_more = lost_before & (lost_here | owes);
        if lost_here & self.owes_more {
            self.owed = self.owed + 1;
        } else if !lost_here & !self.owes_more & (self.owed != 0) {
            self.owed = self.owed - 1;
        }
        self.lost = self.loses;
        self.valid = self.waiting.valid;
        self.waiting.pop = self.waiting.valid & self.ready;
        self.event = self.waiting.head;
    }
}
