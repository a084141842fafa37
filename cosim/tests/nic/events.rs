//! `nic_events`: every event comes out in order or is counted as lost, and no PSN to send again is among the lost.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_golden::nic::{Event, Kind};
use respray_hdl::nic::events::{KEPT_PLACES, RECORD, RECORD_BITS, low_bit};

use super::bench::{Bench, ensure};

const PLACES: usize = 16;
const FOR_OTHERS: usize = PLACES - KEPT_PLACES as usize;

/// What the queue is to do, cycle by cycle.
#[derive(Default)]
struct Plain {
    /// Taken in the cycle before.
    taken: Option<Event>,
    queue: VecDeque<Event>,
    lost_before: bool,
    is_lost: bool,
    has_room: bool,
    /// Cycles for which an event has waited unseen.
    unseen: u32,
    came_out: u32,
    marked: u32,
    lost: u32,
    retransmits: u32,
    fullest: usize,
}

impl Plain {
    fn compare(&mut self, bench: &Bench, is_taken: bool) -> Result<(), String> {
        let waiting = self.queue.len();
        ensure(bench.get("events_waiting") == waiting as u64, || format!("{waiting} wait"))?;
        ensure(bench.is_high("events_lost") == self.is_lost, || "events_lost is wrong".into())?;
        ensure(bench.is_high("has_room") == self.has_room, || "has_room is wrong".into())?;
        if !bench.is_high("event_tvalid") {
            self.unseen = if waiting == 0 { 0 } else { self.unseen + 1 };
            return ensure(self.unseen < 3, || "an event does not come out".into());
        }
        self.unseen = 0;
        let expected = self.queue.front().ok_or("an event comes out of an empty queue")?;
        let seen = bench.get_wide("event_tdata");
        ensure(seen == expected.to_bits(), || format!("{expected:?}, but seen {seen:#x}"))?;
        if is_taken {
            self.came_out += 1;
            self.marked += u32::from(expected.after_loss);
            self.queue.pop_front();
        }
        Ok(())
    }

    /// One cycle, in which `taken` is taken from a source.
    fn step(
        &mut self,
        bench: &Bench,
        is_ready: bool,
        enable: u64,
        taken: Option<Event>,
    ) -> Result<(), String> {
        let waiting = self.queue.len();
        self.compare(bench, is_ready)?;
        self.has_room = waiting < FOR_OTHERS;
        self.is_lost = false;
        let arrives = std::mem::replace(&mut self.taken, taken);
        if let Some(event) = arrives.filter(|event| enable >> event.kind.code() & 1 == 1) {
            let is_retransmit = event.kind == Kind::Retransmit;
            self.is_lost = waiting >= if is_retransmit { PLACES } else { FOR_OTHERS };
            if !self.is_lost {
                self.queue.push_back(Event { after_loss: self.lost_before, ..event });
                self.retransmits += u32::from(is_retransmit);
            }
            self.lost += u32::from(self.is_lost);
            self.lost_before = self.is_lost;
            ensure(!(is_retransmit && self.is_lost), || "a PSN to send again is lost".into())?;
        }
        self.fullest = self.fullest.max(self.queue.len());
        Ok(())
    }
}

fn random_event(rng: &mut StdRng, may_retransmit: bool) -> Event {
    let kind = match rng.random_range(0..16) {
        code @ 0..12 => Kind::ALL[code],
        _ => Kind::Retransmit,
    };
    Event {
        kind: if kind == Kind::Retransmit && !may_retransmit { Kind::Loss } else { kind },
        after_loss: false,
        conn: rng.random_range(0..1 << 24),
        psn: rng.random(),
        detail: rng.random(),
        in_flight: rng.random(),
        value: rng.random(),
    }
}

fn offer(bench: &mut Bench, source: usize, event: Option<Event>) {
    bench.set(&format!("event{source}_valid"), event.is_some());
    let Some(event) = event else { return };
    let mut set = |field: &str, value: u64| bench.set(&format!("event{source}_{field}"), value);
    set("kind", event.kind.code().into());
    set("conn", event.conn.into());
    set("psn", event.psn.into());
    set("detail", event.detail.into());
    set("in_flight", event.in_flight.into());
    set("value", event.value.into());
}

/// Which source is taken from; `waits` counts for how long each was passed over.
fn taken(bench: &Bench, offered: &[Option<Event>; 3], waits: &mut [u32; 3]) -> Result<Option<usize>, String> {
    let is_taken =
        |source: usize| offered[source].is_some() && bench.is_high(&format!("event{source}_ready"));
    let sources: Vec<usize> = (0..3).filter(|source| is_taken(*source)).collect();
    let is_offered = offered.iter().any(Option::is_some);
    ensure(sources.len() == usize::from(is_offered), || format!("sources {sources:?} are taken"))?;
    for source in 0..3 {
        waits[source] = if offered[source].is_none() || is_taken(source) { 0 } else { waits[source] + 1 };
        ensure(waits[source] < 3, || format!("source {source} is passed over again and again"))?;
    }
    Ok(sources.first().copied())
}

fn run(instance: &'static str) -> Result<Plain, String> {
    let (mut bench, mut rng) = (Bench::new(instance), StdRng::seed_from_u64(3));
    let (mut plain, mut offered, mut waits) =
        (Plain { has_room: true, ..Plain::default() }, [None; 3], [0; 3]);
    let mut enable = 0xfff;
    for cycle in 0..6000 {
        if cycle % 1000 == 999 {
            enable = rng.random_range(0..0x1000) | 4;
        }
        let phase = cycle / 50 % 4;
        for (source, event) in offered.iter_mut().enumerate() {
            let comes = rng.random_range(0..8) < [7, 1, 3, 5][phase];
            if event.is_none() && comes {
                let may_retransmit = source == 0 && plain.has_room && bench.is_high("has_room");
                *event = Some(random_event(&mut rng, may_retransmit));
            }
            offer(&mut bench, source, *event);
        }
        let is_ready = rng.random_range(0..8) < [1, 8, 2, 5][phase];
        bench.set("event_tready", is_ready);
        bench.set("event_enable", enable);
        bench.model.settle();
        let source = taken(&bench, &offered, &mut waits)?;
        let event = source.and_then(|source| offered[source].take());
        plain.step(&bench, is_ready, enable, event).map_err(|text| format!("cycle {cycle}: {text}"))?;
        bench.model.rise();
    }
    Ok(plain)
}

#[test]
fn every_event_comes_out_in_order_or_is_counted_as_lost() {
    let seen = run("events").unwrap_or_else(|error| panic!("{error}"));
    assert!(seen.came_out > 1000 && seen.lost > 500 && seen.marked > 100 && seen.retransmits > 100);
    assert!(seen.fullest > FOR_OTHERS, "the places that are kept were used");
}

#[test]
fn a_queue_that_does_not_count_or_keeps_no_places_is_found() {
    for instance in ["events_uncounted", "events_crowded"] {
        assert!(run(instance).is_err(), "{instance}");
    }
}

#[test]
fn the_table_of_a_record_is_what_golden_packs() {
    let bits: usize = RECORD.iter().map(|field| field.bits).sum();
    assert_eq!((bits, low_bit("psn") % 32, low_bit("value") % 32), (RECORD_BITS, 0, 0));
    let ones = Event {
        kind: Kind::Malformed,
        after_loss: true,
        conn: 0xff_ffff,
        psn: u32::MAX,
        detail: u16::MAX,
        in_flight: u16::MAX,
        value: u32::MAX,
    };
    let seen = |name: &str| {
        let field = RECORD.iter().find(|field| field.name == name).expect("a field");
        ones.to_bits() >> low_bit(name) & ((1 << field.bits) - 1)
    };
    let fields = RECORD.map(|field| seen(field.name));
    assert_eq!(fields, [11, 1, 0, 0xff_ffff, 0xffff_ffff, 0xffff, 0xffff, 0xffff_ffff]);
}
