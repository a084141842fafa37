//! Connections that wait for their turn.

use std::collections::VecDeque;

/// Connections in the order in which they came, each at most once.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    order: VecDeque<u16>,
    /// Of each connection: it is in `order`.
    waits: Vec<bool>,
}

impl Turns {
    pub fn new(connections: u32) -> Self {
        Turns { order: VecDeque::new(), waits: vec![false; connections as usize] }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// A connection waits. One that does already keeps its place.
    pub fn push(&mut self, conn: u16) {
        let waits = &mut self.waits[usize::from(conn)];
        if !*waits {
            *waits = true;
            self.order.push_back(conn);
        }
    }

    pub fn front(&self) -> Option<u16> {
        self.order.front().copied()
    }

    pub fn pop(&mut self) -> Option<u16> {
        let conn = self.order.pop_front()?;
        self.waits[usize::from(conn)] = false;
        Some(conn)
    }

    pub fn clear(&mut self) {
        self.order.clear();
        self.waits.fill(false);
    }
}
