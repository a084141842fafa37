//! `nic_events`: the events of three sources, kept for the host.
//!
//! ```text
//!  event0_* ─┐ in      ┌───────┐ is its kind   ┌────────┐
//!  event1_* ─┼ turns ─►│ event │─ enabled, is ─►│ memory │─► event_t* to the host
//!  event2_* ─┘         └───────┘ there a place  └────────┘
//! ```
//!
//! A source never waits for the host: what finds no place is lost, and said to be.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::prims::{MemoryStyle, Param, SimpleDualPort};
use crate::{comment, signal_struct};

/// Bits of a record.
pub const RECORD_BITS: usize = 128;

/// Places that only PSNs to send again may take.
pub const KEPT_PLACES: u64 = 8;

const KIND: usize = 4;
const CONN: usize = 24;
const PSN: usize = 32;
const DETAIL: usize = 16;
const IN_FLIGHT: usize = 16;
const VALUE: usize = 32;

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordField {
    pub name: &'static str,
    /// Width in bits.
    pub bits: usize,
    pub meaning: &'static str,
}

const fn field(name: &'static str, bits: usize, meaning: &'static str) -> RecordField {
    RecordField { name, bits, meaning }
}

/// A record from bit 0 on. The host reads it as four 32-bit words, little-endian.
pub const RECORD: [RecordField; 8] = [
    field("kind", KIND, "what happened: its bit of `event_enable`"),
    field("after_loss", 1, "events were lost between the one before and this one"),
    field("reserved", 3, "0"),
    field("conn", CONN, "connection"),
    field("psn", PSN, "PSN"),
    field("detail", DETAIL, "of the kind"),
    field("in_flight", IN_FLIGHT, "packets of the connection in flight"),
    field("value", VALUE, "of the kind"),
];

/// The lowest bit of a field of a record.
///
/// # Panics
/// If no field has that name.
pub fn low_bit(name: &str) -> usize {
    let at = RECORD.iter().position(|field| field.name == name).expect("a field of the record");
    RECORD[..at].iter().map(|field| field.bits).sum()
}

/// The same as a distance by which to shift.
fn place(name: &str) -> Param<Bits<7>> {
    Param::new((low_bit(name) as u64).into())
}

signal_struct! {
    /// An event as its source tells it. What the source does not know is 0.
    pub struct Told {
        pub kind: Bits<KIND>,
        pub conn: Bits<CONN>,
        pub psn: Bits<PSN>,
        pub detail: Bits<DETAIL>,
        pub in_flight: Bits<IN_FLIGHT>,
        pub value: Bits<VALUE>,
    }
}

/// A queue of `2^A` records. `P = A + 1` is the width of its pointers and of its fill.
///
/// One event an edge is taken, from each source in its turn. It can go out four edges later. The last [`KEPT_PLACES`] places
/// are for kind 2, Retransmit: who tells of it asks for no more than as many at a time, and only while `has_room` is high,
/// and none of it is lost.
#[derive(LogicBlock, Default)]
pub struct Events<const A: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// Empties it; every `ready` is low at the edges with it and may rise after.
    pub rst: Signal<In, bool>,
    /// The kinds that are let in, a bit each.
    pub event_enable: Signal<In, Bits<15>>,
    pub event0_valid: Signal<In, bool>,
    pub event0_ready: Signal<Out, bool>,
    pub event0: Signal<In, Told>,
    pub event1_valid: Signal<In, bool>,
    pub event1_ready: Signal<Out, bool>,
    pub event1: Signal<In, Told>,
    pub event2_valid: Signal<In, bool>,
    pub event2_ready: Signal<Out, bool>,
    pub event2: Signal<In, Told>,
    pub event_tvalid: Signal<Out, bool>,
    pub event_tready: Signal<In, bool>,
    pub event_tdata: Signal<Out, Bits<RECORD_BITS>>,
    /// At least [`KEPT_PLACES`] places are free. A register.
    pub has_room: Signal<Out, bool>,
    /// An event was lost: a pulse an event.
    pub events_lost: Signal<Out, bool>,
    /// Events in the queue.
    pub events_waiting: Signal<Out, Bits<16>>,

    is_open: DFF<bool>,
    /// The source that was taken from last.
    last: DFF<Bits<2>>,
    takes0: Signal<Local, bool>,
    takes1: Signal<Local, bool>,
    takes2: Signal<Local, bool>,
    has_event: DFF<bool>,
    event: DFF<Told>,

    enables: Signal<Local, Bits<16>>,
    is_wanted: Signal<Local, bool>,
    is_retransmit: Signal<Local, bool>,
    has_place: Signal<Local, bool>,
    push: Signal<Local, bool>,
    mark: Signal<Local, Bits<1>>,
    record: Signal<Local, Bits<RECORD_BITS>>,
    lost_before: DFF<bool>,
    is_lost: DFF<bool>,
    room: DFF<bool>,

    memory: SimpleDualPort<Bits<A>, Bits<RECORD_BITS>>,
    /// Records that went in and out, modulo twice the size.
    head: DFF<Bits<P>>,
    tail: DFF<Bits<P>>,
    next_tail: Signal<Local, Bits<P>>,
    waiting: DFF<Bits<P>>,
    has_record: DFF<bool>,
    pop: Signal<Local, bool>,

    after_loss_at: Param<Bits<7>>,
    conn_at: Param<Bits<7>>,
    psn_at: Param<Bits<7>>,
    detail_at: Param<Bits<7>>,
    in_flight_at: Param<Bits<7>>,
    value_at: Param<Bits<7>>,
    size: Param<Bits<P>>,
    size_for_others: Param<Bits<P>>,
}

impl<const A: usize, const P: usize> Events<A, P> {
    /// An empty queue.
    ///
    /// # Panics
    /// If `P` is not `A + 1`, or there are no more places than [`KEPT_PLACES`], or more than `events_waiting` can count.
    pub fn new() -> Self {
        assert!(P == A + 1, "a queue of 2^{A} records has pointers of {} bits, not {P}", A + 1);
        assert!(
            (4..16).contains(&A),
            "a queue of 2^{A} records: from 2^4, so that places are kept, to 2^15, which 16 bits count"
        );
        let mut block = Self {
            memory: SimpleDualPort::new(
                "memory",
                "records of events that wait for the host",
                MemoryStyle::Block,
            ),
            after_loss_at: place("after_loss"),
            conn_at: place("conn"),
            psn_at: place("psn"),
            detail_at: place("detail"),
            in_flight_at: place("in_flight"),
            value_at: place("value"),
            size: Param::new((1u64 << A).into()),
            size_for_others: Param::new(((1u64 << A) - KEPT_PLACES).into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }
}

impl<const A: usize, const P: usize> Logic for Events<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The events of three sources, kept for the host.");
        dff_setup!(self, clk, is_open, last, has_event, event, lost_before, is_lost, room);
        dff_setup!(self, clk, head, tail, waiting, has_record);

        comment!("Each source in its turn, beginning behind the one that was taken from last.");
        self.takes0.next = self.is_open.q.val()
            && self.event0_valid.val()
            && ((self.last.q.val() == 2)
                || (!self.event2_valid.val() && ((self.last.q.val() == 1) || !self.event1_valid.val())));
        self.takes1.next = self.is_open.q.val()
            && self.event1_valid.val()
            && ((self.last.q.val() == 0)
                || (!self.event0_valid.val() && ((self.last.q.val() == 2) || !self.event2_valid.val())));
        self.takes2.next = self.is_open.q.val()
            && self.event2_valid.val()
            && ((self.last.q.val() == 1)
                || (!self.event1_valid.val() && ((self.last.q.val() == 0) || !self.event0_valid.val())));
        self.event0_ready.next = self.takes0.val();
        self.event1_ready.next = self.takes1.val();
        self.event2_ready.next = self.takes2.val();
        self.is_open.d.next = true;
        self.has_event.d.next = self.takes0.val() || self.takes1.val() || self.takes2.val();
        self.event.d.next = self.event2.val();
        if self.takes0.val() {
            self.event.d.next = self.event0.val();
            self.last.d.next = 0.into();
        } else if self.takes1.val() {
            self.event.d.next = self.event1.val();
            self.last.d.next = 1.into();
        } else if self.takes2.val() {
            self.last.d.next = 2.into();
        }

        comment!("The last places are kept for PSNs to send again.");
        self.enables.next = bit_cast::<16, 15>(self.event_enable.val());
        self.is_wanted.next =
            self.has_event.q.val() && self.enables.val().get_bit(self.event.q.val().kind.index());
        self.is_retransmit.next = self.event.q.val().kind == 2;
        self.has_place.next = (self.waiting.q.val() < self.size_for_others.val())
            || (self.is_retransmit.val() && (self.waiting.q.val() != self.size.val()));
        self.push.next = self.is_wanted.val() && self.has_place.val();
        self.is_lost.d.next = self.is_wanted.val() && !self.has_place.val();
        if self.is_wanted.val() {
            self.lost_before.d.next = !self.has_place.val();
        }
        self.room.d.next = self.waiting.q.val() < self.size_for_others.val();

        comment!(
            "A record from bit 0 on: kind, after_loss, 3 bits of 0, conn, psn, detail, in_flight, value."
        );
        self.mark.next = 0.into();
        if self.lost_before.q.val() {
            self.mark.next = 1.into();
        }
        self.record.next = bit_cast::<RECORD_BITS, KIND>(self.event.q.val().kind)
            | (bit_cast::<RECORD_BITS, 1>(self.mark.val()) << self.after_loss_at.val())
            | (bit_cast::<RECORD_BITS, CONN>(self.event.q.val().conn) << self.conn_at.val())
            | (bit_cast::<RECORD_BITS, PSN>(self.event.q.val().psn) << self.psn_at.val())
            | (bit_cast::<RECORD_BITS, DETAIL>(self.event.q.val().detail) << self.detail_at.val())
            | (bit_cast::<RECORD_BITS, IN_FLIGHT>(self.event.q.val().in_flight) << self.in_flight_at.val())
            | (bit_cast::<RECORD_BITS, VALUE>(self.event.q.val().value) << self.value_at.val());

        self.pop.next = self.has_record.q.val() && self.event_tready.val();
        self.next_tail.next = self.tail.q.val() + self.pop.val();
        self.head.d.next = self.head.q.val() + self.push.val();
        self.tail.d.next = self.next_tail.val();
        if self.push.val() && !self.pop.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        } else if self.pop.val() && !self.push.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        comment!("A record that goes in at this edge is not there yet for a read at this edge.");
        self.has_record.d.next = self.next_tail.val() != self.head.q.val();
        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = bit_cast::<A, P>(self.head.q.val());
        self.memory.write_data.next = self.record.val();
        self.memory.read_address.next = bit_cast::<A, P>(self.next_tail.val());
        self.event_tvalid.next = self.has_record.q.val();
        self.event_tdata.next = self.memory.read_data.val();
        self.has_room.next = self.room.q.val();
        self.events_lost.next = self.is_lost.q.val();
        self.events_waiting.next = bit_cast::<16, P>(self.waiting.q.val());

        if self.rst.val() {
            self.is_open.d.next = false;
            self.last.d.next = 2.into();
            self.has_event.d.next = false;
            self.lost_before.d.next = false;
            self.is_lost.d.next = false;
            self.room.d.next = false;
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.waiting.d.next = 0.into();
            self.has_record.d.next = false;
        }
    }
}
