//! What the host hears of packets and frames.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::words::Event;
use crate::comment;

/// Makes one stream of the events of results and of malformed frames. A result goes first where both come at one edge, and one
/// malformed frame can wait.
///
/// Each event that finds no place is one pulse of `lost`. Two can be lost at one edge; what is owed is pulsed later. That is never
/// more than the results that can be outstanding, as frames come one an edge at most.
#[derive(LogicBlock, Default)]
pub struct Events {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    has_event: DFF<bool>,
    made: DFF<Event>,
    has_malformed: DFF<bool>,
    malformed_error: DFF<Bits<3>>,
    result: Signal<Local, bool>,
    lost_here: Signal<Local, bool>,
    lost_before: Signal<Local, bool>,
    owed: DFF<Bits<7>>,
    /// `owed` if a malformed frame that waited is lost at this edge, and if none is.
    more: Signal<Local, Bits<7>>,
    fewer: Signal<Local, Bits<7>>,
    loses: DFF<bool>,
}

impl Events {
    /// Without events.
    pub fn new() -> Self {
        Self { waiting: Backlog::new("event_ram", "events that wait to be taken"), ..Default::default() }
    }
}

impl Logic for Events {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module events: what the host hears of packets and frames");
        dff_setup!(self, clk, has_event, made, has_malformed, malformed_error, owed, loses);
        self.result.next = self.duplicate.val() | self.stray.val();
        comment!("Codes of the kinds: 7 duplicate, 10 stray, 11 malformed.");
        self.has_event.d.next = self.result.val() | self.has_malformed.q.val();
        self.made.d.next.kind = bits::<4>(7);
        self.made.d.next.conn = self.conn.val();
        self.made.d.next.psn = self.psn.val();
        self.made.d.next.detail = bits::<3>(0);
        if self.stray.val() {
            self.made.d.next.kind = bits::<4>(10);
            self.made.d.next.detail = self.status.val();
        }
        if !self.result.val() {
            self.made.d.next.kind = bits::<4>(11);
            self.made.d.next.conn = bits::<24>(0);
            self.made.d.next.psn = bits::<32>(0);
            self.made.d.next.detail = self.malformed_error.q.val();
        }
        comment!("A malformed frame whose predecessor still waits is the one that is lost.");
        self.lost_before.next = self.malformed.val() & self.has_malformed.q.val() & self.result.val();
        self.has_malformed.d.next = self.malformed.val() | (self.has_malformed.q.val() & self.result.val());
        if self.malformed.val() & !self.lost_before.val() {
            self.malformed_error.d.next = self.error.val();
        }
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.waiting.push.next = self.has_event.q.val() & self.waiting.has_room.val();
        self.waiting.item.next = self.made.q.val();
        self.lost_here.next = self.has_event.q.val() & !self.waiting.has_room.val();
        comment!("One pulse for each.");
        self.loses.d.next =
            self.lost_here.val() | self.lost_before.val() | (self.owed.q.val() != bits::<7>(0));
        comment!("Both sums are there before it is known whether one is lost that waited.");
        self.more.next = self.owed.q.val();
        if self.lost_here.val() {
            self.more.next = self.owed.q.val() + 1;
        }
        self.fewer.next = self.owed.q.val();
        if !self.lost_here.val() & (self.owed.q.val() != bits::<7>(0)) {
            self.fewer.next = self.owed.q.val() - 1;
        }
        self.owed.d.next = self.fewer.val();
        if self.lost_before.val() {
            self.owed.d.next = self.more.val();
        }
        self.lost.next = self.loses.q.val();
        self.valid.next = self.waiting.valid.val();
        self.waiting.pop.next = self.waiting.valid.val() & self.ready.val();
        self.event.next = self.waiting.head.val();
        if self.rst.val() {
            self.has_event.d.next = false;
            self.has_malformed.d.next = false;
            self.owed.d.next = bits::<7>(0);
            self.loses.d.next = false;
        }
    }
}
