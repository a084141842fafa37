//! What happens next: events in order of time, those of equal times in the order in which they were added.
//!
//! Nearly every event of a network comes a constant time after the one that caused it: a link's delay, or how long a full packet is
//! on the wire. Events of one such delay are added in order of time already, so each delay has a *lane*, a plain queue, and the next
//! event is the earliest head of some ten lanes. That costs the same for a thousand hosts as for eight. What has no constant delay
//! (timers, starts of messages, failures, last packets of messages) goes through a heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::time::Picoseconds;

/// When an event happens: its time, and how many events had been added before it.
type Key = (Picoseconds, u64);

/// Later than any event.
const NEVER: Key = (u64::MAX, u64::MAX);

/// A queue for events of one delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(u16);

/// Events to come.
#[derive(Debug)]
pub struct Events<E> {
    now: Picoseconds,
    added: u64,
    /// The first event of each lane; behind them that of the heap.
    heads: Vec<Key>,
    lanes: Vec<(Picoseconds, VecDeque<(Key, E)>)>,
    others: BinaryHeap<Reverse<(Key, Plain<E>)>>,
}

/// An event without an order of its own.
#[derive(Debug)]
struct Plain<E>(E);

impl<E> PartialEq for Plain<E> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<E> Eq for Plain<E> {}

impl<E> PartialOrd for Plain<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Plain<E> {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        Events { now: 0, added: 0, heads: vec![NEVER], lanes: Vec::new(), others: BinaryHeap::new() }
    }
}

impl<E: Copy> Events<E> {
    /// The time of the latest event that came.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// The lane of a delay.
    ///
    /// # Panics
    /// After 65536 different delays.
    pub fn lane(&mut self, delay: Picoseconds) -> Lane {
        let known = self.lanes.iter().position(|(of, _)| *of == delay);
        let place = known.unwrap_or_else(|| {
            self.lanes.push((delay, VecDeque::new()));
            self.heads.insert(self.lanes.len() - 1, NEVER);
            self.lanes.len() - 1
        });
        Lane(place.try_into().expect("a network has few delays"))
    }

    fn key(&mut self, time: Picoseconds) -> Key {
        self.added += 1;
        (time, self.added)
    }

    /// Adds an event that comes the lane's delay after now.
    #[inline]
    pub fn add(&mut self, lane: Lane, event: E) {
        let place = usize::from(lane.0);
        let key = self.key(self.now + self.lanes[place].0);
        let queue = &mut self.lanes[place].1;
        if queue.is_empty() {
            self.heads[place] = key;
        }
        queue.push_back((key, event));
    }

    /// Adds an event at a time that is not in the past.
    pub fn add_at(&mut self, time: Picoseconds, event: E) {
        debug_assert!(time >= self.now, "an event in the past");
        let key = self.key(time);
        self.others.push(Reverse((key, Plain(event))));
        let head = self.heads.last_mut().expect("the heap has a head");
        *head = key.min(*head);
    }

    /// All events to come, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        let in_lanes = self.lanes.iter().flat_map(|(_, queue)| queue.iter().map(|(_, event)| event));
        in_lanes.chain(self.others.iter().map(|Reverse((_, Plain(event)))| event))
    }

    /// Whether nothing is to come.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.heads.iter().all(|head| *head == NEVER)
    }

    /// The next event. It is no option, because an option of a large event is copied in pieces that do not fit each other, for which a
    /// processor waits.
    ///
    /// # Panics
    /// If nothing is to come.
    #[inline]
    pub fn pop(&mut self) -> E {
        let (mut place, mut first) = (0, NEVER);
        for (at, &key) in self.heads.iter().enumerate() {
            if key < first {
                (place, first) = (at, key);
            }
        }
        self.now = first.0;
        if let Some((_, queue)) = self.lanes.get_mut(place) {
            let event = queue.front().expect("a lane with a head has an event").1;
            queue.pop_front();
            self.heads[place] = queue.front().map_or(NEVER, |(key, _)| *key);
            return event;
        }
        let Reverse((_, Plain(event))) = self.others.pop().expect("something is to come");
        self.heads[place] = self.others.peek().map_or(NEVER, |Reverse((key, _))| *key);
        event
    }
}
