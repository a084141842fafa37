//! `nic_events`: the events of three sources, kept for the host.
//!
//! ```text
//!  event0_* ─┐ in      ┌───────┐ is its kind   ┌────────┐
//!  event1_* ─┼ turns ─►│ event │─ enabled, is ─►│ memory │─► event_t* to the host
//!  event2_* ─┘         └───────┘ there a place  └────────┘
//! ```
//!
//! A source never waits for the host: what finds no place is lost, and said to be.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::prims::{MemoryStyle, Optional, Param, Reg, SimpleDualPort, resize};
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
#[block]
pub struct Events<const A: usize, const P: usize> {
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

    #[reset = false]
    is_open: Reg<bool>,
    /// The source that was taken from last.
    #[reset = 2]
    last: Reg<Bits<2>>,
    #[reset = false]
    has_event: Reg<bool>,
    event: Reg<Told>,

    #[reset = false]
    lost_before: Reg<bool>,
    #[reset = false]
    is_lost: Reg<bool>,
    #[reset = false]
    room: Reg<bool>,

    memory: SimpleDualPort<Bits<A>, Bits<RECORD_BITS>>,
    /// Records that went in and out, modulo twice the size.
    #[reset = 0]
    head: Reg<Bits<P>>,
    #[reset = 0]
    tail: Reg<Bits<P>>,
    #[reset = 0]
    waiting: Reg<Bits<P>>,
    #[reset = false]
    has_record: Reg<bool>,

    // Of Ultra Ethernet, which has 32 kinds: the upper bits of those that are let in, and the fifth bit of the kind of the first source.
    pub event_enable_high: Optional<Signal<In, Bits<7>>>,
    pub event0_kind_high: Optional<Signal<In, bool>>,
    kind_high: Optional<Reg<bool>>,
    high_enables: Optional<Signal<Local, Bits<16>>>,
    high_at: Param<Bits<7>>,
    has_types: Param<bool>,
    after_loss_at: Param<Bits<7>>,
    conn_at: Param<Bits<7>>,
    psn_at: Param<Bits<7>>,
    detail_at: Param<Bits<7>>,
    in_flight_at: Param<Bits<7>>,
    value_at: Param<Bits<7>>,
    /// Kind 15 is let in, too.
    tells_closes: Param<bool>,
    size: Param<Bits<P>>,
    size_for_others: Param<Bits<P>>,
}

#[block]
impl<const A: usize, const P: usize> Events<A, P> {
    /// An empty queue.
    ///
    /// # Panics
    /// If `P` is not `A + 1`, or there are no more places than [`KEPT_PLACES`], or more than `events_waiting` can count.
    pub fn new() -> Self {
        Self::telling(false, false)
    }

    /// The same, for a host that hears of closes, or does not: these have no bit in `event_enable`. With types, where they are those of Ultra
    /// Ethernet.
    ///
    /// # Panics
    /// As [`Events::new`].
    pub fn telling(closes: bool, has_types: bool) -> Self {
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
            event_enable_high: Optional::new(has_types, Default::default),
            event0_kind_high: Optional::new(has_types, Default::default),
            kind_high: Optional::new(has_types, Default::default),
            high_at: Param::new((low_bit("reserved") as u64).into()),
            high_enables: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            after_loss_at: place("after_loss"),
            conn_at: place("conn"),
            psn_at: place("psn"),
            detail_at: place("detail"),
            in_flight_at: place("in_flight"),
            value_at: place("value"),
            tells_closes: Param::new(closes),
            size: Param::new((1u64 << A).into()),
            size_for_others: Param::new(((1u64 << A) - KEPT_PLACES).into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("The events of three sources, kept for the host.");

        comment!("Each source in its turn, beginning behind the one that was taken from last.");
        let takes0 = self.is_open
            && self.event0_valid
            && ((self.last == 2) || (!self.event2_valid && ((self.last == 1) || !self.event1_valid)));
        let takes1 = self.is_open
            && self.event1_valid
            && ((self.last == 0) || (!self.event0_valid && ((self.last == 2) || !self.event2_valid)));
        let takes2 = self.is_open
            && self.event2_valid
            && ((self.last == 1) || (!self.event1_valid && ((self.last == 0) || !self.event0_valid)));
        self.event0_ready = takes0;
        self.event1_ready = takes1;
        self.event2_ready = takes2;
        self.is_open = true;
        self.has_event = takes0 || takes1 || takes2;
        self.event = self.event2;
        if takes0 {
            self.event = self.event0;
            self.last = 0;
        } else if takes1 {
            self.event = self.event1;
            self.last = 1;
        } else if takes2 {
            self.last = 2;
        }

        comment!("The last places are kept for PSNs to send again.");
        let mut enables: Bits<16> = resize(self.event_enable);
        if self.tells_closes {
            enables = enables | 0x8000;
        }
        let mut is_wanted = self.has_event && enables.get_bit(self.event.kind.index());
        let mut is_retransmit = self.event.kind == 2;
        if self.has_types {
            comment!("A PSN that a NACK asks for, with detail 1, has no place that is kept.");
            self.kind_high = takes0 & self.event0_kind_high;
            self.high_enables = resize(self.event_enable_high >> 1);
            if self.kind_high {
                is_wanted = self.has_event && self.high_enables.get_bit(self.event.kind.index());
            }
            is_retransmit = (self.event.kind == 2) & !self.kind_high & !self.event.detail.any();
        }
        let has_place =
            (self.waiting < self.size_for_others) || (is_retransmit && (self.waiting != self.size));
        let push = is_wanted && has_place;
        self.is_lost = is_wanted && !has_place;
        if is_wanted {
            self.lost_before = !has_place;
        }
        self.room = self.waiting < self.size_for_others;

        comment!(
            "A record from bit 0 on: kind, after_loss, 3 bits of 0, conn, psn, detail, in_flight, value."
        );
        let mut mark: Bits<1> = 0;
        if self.lost_before {
            mark = 1;
        }
        let mut record: Bits<RECORD_BITS> = bit_cast::<RECORD_BITS, KIND>(self.event.kind)
            | (bit_cast::<RECORD_BITS, 1>(mark) << self.after_loss_at)
            | (bit_cast::<RECORD_BITS, CONN>(self.event.conn) << self.conn_at)
            | (bit_cast::<RECORD_BITS, PSN>(self.event.psn) << self.psn_at)
            | (bit_cast::<RECORD_BITS, DETAIL>(self.event.detail) << self.detail_at)
            | (bit_cast::<RECORD_BITS, IN_FLIGHT>(self.event.in_flight) << self.in_flight_at)
            | (bit_cast::<RECORD_BITS, VALUE>(self.event.value) << self.value_at);

        if self.has_types {
            if self.kind_high {
                record = record | (bits::<RECORD_BITS>(1) << self.high_at);
            }
        }
        let pop = self.has_record && self.event_tready;
        let next_tail = self.tail + pop;
        self.head = self.head + push;
        self.tail = next_tail;
        if push && !pop {
            self.waiting = self.waiting + 1;
        } else if pop && !push {
            self.waiting = self.waiting - 1;
        }
        comment!("A record that goes in at this edge is not there yet for a read at this edge.");
        self.has_record = next_tail != self.head;
        self.memory.write_enable = push;
        self.memory.write_address = resize(self.head);
        self.memory.write_data = record;
        self.memory.read_address = resize(next_tail);
        self.event_tvalid = self.has_record;
        self.event_tdata = self.memory.read_data;
        self.has_room = self.room;
        self.events_lost = self.is_lost;
        self.events_waiting = resize(self.waiting);
    }
}
