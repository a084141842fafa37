//! Events in the order of their times, and at one time in the order in which they were caused.

/// Ticks within which all events lie, one more than the longest delay.
pub const HORIZON: u64 = 1 << 16;
const NONE: u32 = u32::MAX;

/// The events of one tick, a list in the order in which they were caused.
#[derive(Clone, Copy)]
struct Slot {
    head: u32,
    tail: u32,
}

struct Node<E> {
    event: E,
    next: u32,
}

/// A ring of ticks. Nothing is allocated for an event once as many have waited at a time.
pub struct Calendar<E> {
    now: u64,
    slots: Vec<Slot>,
    /// A bit for each slot that is not empty.
    taken: Vec<u64>,
    nodes: Vec<Node<E>>,
    free: u32,
    waiting: usize,
}

impl<E: Copy> Calendar<E> {
    pub fn new() -> Self {
        Calendar {
            now: 0,
            slots: vec![Slot { head: NONE, tail: NONE }; HORIZON as usize],
            taken: vec![0; HORIZON as usize / 64],
            nodes: Vec::new(),
            free: NONE,
            waiting: 0,
        }
    }

    /// The time of the last event that was taken out, or later.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Lets a tick pass, in which nothing is left.
    pub fn tick(&mut self) {
        self.now += 1;
    }

    /// Adds an event `delay` ticks from now, less than [`HORIZON`].
    pub fn after(&mut self, delay: u64, event: E) {
        assert!(delay < HORIZON, "a delay of {delay} ticks is beyond the calendar's {HORIZON}");
        let at = if self.free != NONE {
            let at = self.free;
            self.free = self.nodes[at as usize].next;
            self.nodes[at as usize] = Node { event, next: NONE };
            at
        } else {
            self.nodes.push(Node { event, next: NONE });
            (self.nodes.len() - 1) as u32
        };
        let index = ((self.now + delay) % HORIZON) as usize;
        let slot = &mut self.slots[index];
        if slot.head == NONE {
            slot.head = at;
            self.taken[index / 64] |= 1 << (index % 64);
        } else {
            self.nodes[slot.tail as usize].next = at;
        }
        slot.tail = at;
        self.waiting += 1;
    }

    /// The time of the next event.
    pub fn next_time(&self) -> Option<u64> {
        if self.waiting == 0 {
            return None;
        }
        let start = (self.now % HORIZON) as usize;
        let mut word = start / 64;
        let mut bits = self.taken[word] & (u64::MAX << (start % 64));
        while bits == 0 {
            word = (word + 1) % self.taken.len();
            bits = self.taken[word];
        }
        let index = (word * 64) as u64 + u64::from(bits.trailing_zeros());
        Some(self.now + (index + HORIZON - start as u64) % HORIZON)
    }

    /// Takes the next event out.
    pub fn take(&mut self) -> Option<E> {
        self.now = self.next_time()?;
        let index = (self.now % HORIZON) as usize;
        let slot = &mut self.slots[index];
        let at = slot.head;
        let node = &mut self.nodes[at as usize];
        slot.head = node.next;
        if slot.head == NONE {
            slot.tail = NONE;
            self.taken[index / 64] &= !(1 << (index % 64));
        }
        node.next = self.free;
        self.free = at;
        self.waiting -= 1;
        Some(node.event)
    }
}
