//! The events of a network, one after the other.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::hash::mix;
use super::link::Link;
use super::{Change, Config, Delivery, End, Entry, Packet, Scheduled, Tally};

/// A network of parallel paths between two ends.
///
/// Its clock moves by [`Network::pop`] alone. What is sent is sent at the time of that clock.
pub struct Network<T> {
    now: u64,
    /// Those from A, then those from B.
    links: [Vec<Link<T>>; 2],
    salts: [u64; 2],
    changes: Vec<Scheduled>,
    events: BinaryHeap<Event<T>>,
    sequence: u64,
}

struct Event<T> {
    at: u64,
    /// Of its cause: events at one time happen in this order.
    sequence: u64,
    what: What<T>,
}

enum What<T> {
    Change(usize),
    /// The first packet of a queue has left it.
    Depart(Place),
    Arrive(Place, Packet<T>),
}

/// One direction of a path, in one of its lives.
#[derive(Clone, Copy)]
struct Place {
    from: End,
    path: usize,
    life: u32,
}

impl<T> Ord for Event<T> {
    /// The heap's greatest is the event that comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}

impl<T> PartialOrd for Event<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Event<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Event<T> {}

impl<T> Network<T> {
    /// The network at time 0, with all paths up and empty.
    ///
    /// # Panics
    /// Without a path, on a value outside its range, and on a change of a path that is not there.
    pub fn new(config: &Config) -> Self {
        let paths = config.paths.len();
        assert!(paths > 0, "a network has at least one path");
        let links = End::BOTH.map(|from| {
            let link = |(path, settings): (usize, &_)| {
                let number = (path * 2 + from.index()) as u64;
                Link::new(*settings, mix(config.seed ^ mix(number + 1)), config.window_ps)
            };
            config.paths.iter().enumerate().map(link).collect()
        });
        let mut network = Network {
            now: 0,
            links,
            salts: [mix(config.seed), mix(!config.seed)],
            changes: config.changes.clone(),
            events: BinaryHeap::new(),
            sequence: 0,
        };
        for (index, change) in config.changes.iter().enumerate() {
            assert!(change.path < paths, "a change is of path {}, but there are {paths}", change.path);
            network.at(change.at_ps, What::Change(index));
        }
        network
    }

    /// The clock, in picoseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// When the next event is due.
    pub fn next_event(&self) -> Option<u64> {
        self.events.peek().map(|event| event.at)
    }

    pub fn paths(&self) -> usize {
        self.links[0].len()
    }

    /// The path that packets of a flow with this EV take.
    pub fn path_of(&self, from: End, flow: u64, ev: u16) -> usize {
        let hash = mix(self.salts[from.index()] ^ mix(flow ^ mix(ev.into())));
        (((hash >> 32) * self.paths() as u64) >> 32) as usize
    }

    pub fn is_up(&self, from: End, path: usize) -> bool {
        self.link(from, path).is_up()
    }

    /// What was counted of one direction of a path.
    pub fn tally(&self, from: End, path: usize) -> &Tally {
        self.link(from, path).tally()
    }

    /// Bytes in the queue of one direction of a path.
    pub fn queued_bytes(&self, from: End, path: usize) -> u64 {
        self.link(from, path).queued_bytes()
    }

    /// Packets in queues or under way, on all paths and in both directions.
    pub fn in_flight(&self) -> u64 {
        self.links.iter().flatten().map(Link::inside).sum()
    }

    /// Sends a packet from an end at the time of the clock.
    pub fn send(&mut self, from: End, packet: Packet<T>) -> Entry {
        let path = self.path_of(from, packet.flow, packet.ev);
        let now = self.now;
        let link = &mut self.links[from.index()][path];
        let place = Place { from, path, life: link.life() };
        let lost = match link.enter(now, packet) {
            Ok(sent_at) => {
                if let Some(at) = sent_at {
                    self.at(at, What::Depart(place));
                }
                None
            }
            Err(loss) => Some(loss),
        };
        Entry { path, lost }
    }

    /// Changes one direction of a path, or both, at the time of the clock.
    pub fn change(&mut self, path: usize, from: Option<End>, change: Change) {
        for end in End::BOTH {
            if from.is_none_or(|from| from == end) {
                self.links[end.index()][path].change(self.now, change);
            }
        }
    }

    /// Runs to the next packet that arrives at an end, at `until` the latest. Without one the clock then shows `until`.
    pub fn pop(&mut self, until: u64) -> Option<Delivery<T>> {
        while self.next_event().is_some_and(|at| at <= until) {
            let event = self.events.pop().expect("it was peeked at");
            self.now = event.at;
            let arrived = match event.what {
                What::Change(index) => {
                    let Scheduled { path, from, change, .. } = self.changes[index];
                    self.change(path, from, change);
                    None
                }
                What::Depart(place) => {
                    self.depart(place);
                    None
                }
                What::Arrive(place, packet) => self.arrive(place, packet),
            };
            if arrived.is_some() {
                return arrived;
            }
        }
        self.now = self.now.max(until);
        None
    }

    fn depart(&mut self, place: Place) {
        let now = self.now;
        let link = &mut self.links[place.from.index()][place.path];
        if link.life() != place.life {
            return;
        }
        let (departure, next) = link.depart(now);
        self.at(departure.arrives, What::Arrive(place, departure.packet));
        if let Some(at) = next {
            self.at(at, What::Depart(place));
        }
    }

    fn arrive(&mut self, place: Place, packet: Packet<T>) -> Option<Delivery<T>> {
        let link = &mut self.links[place.from.index()][place.path];
        if link.life() != place.life {
            return None;
        }
        link.arrive(self.now, packet.bytes);
        Some(Delivery { at_ps: self.now, to: place.from.other(), path: place.path, packet })
    }

    fn link(&self, from: End, path: usize) -> &Link<T> {
        &self.links[from.index()][path]
    }

    fn at(&mut self, at: u64, what: What<T>) {
        self.sequence += 1;
        self.events.push(Event { at, sequence: self.sequence, what });
    }
}
