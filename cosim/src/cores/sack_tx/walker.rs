//! When the engine takes an op and when it visits a connection instead.
//!
//! It works on one thing at a time. At an edge at which it could take an op, and none is offered, it visits the next
//! connection. After 16 ops in a row it visits in any case: `op_ready` stays low for the cycle in which it would have
//! risen, and the visit begins at that cycle's edge.

use crate::lockstep::op_core::Turn;

/// Ops in a row after which a visit is forced.
pub const OPS_IN_A_ROW: u32 = 16;

/// Where the walker is.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    ops_in_a_row: u32,
    /// Connection to be visited next.
    next: u16,
    last: u16,
}

impl Walker {
    /// At the first connection.
    ///
    /// # Panics
    /// On more connections than 2^16.
    pub fn new(connections: u32) -> Self {
        let last = u16::try_from(connections - 1).expect("connections are numbered in 16 bits");
        Walker { ops_in_a_row: 0, next: 0, last }
    }

    /// An edge with `rst` high.
    pub fn reset(&mut self) {
        *self = Walker { ops_in_a_row: 0, next: 0, last: self.last };
    }

    /// A visit begins next, whatever is on offer.
    #[inline(always)]
    pub fn is_forced(&self) -> bool {
        self.ops_in_a_row == OPS_IN_A_ROW
    }

    /// What begins at the coming edge, at which the engine is free.
    #[inline(always)]
    pub fn turn(&mut self, is_offered: bool) -> Turn {
        if is_offered && !self.is_forced() {
            self.ops_in_a_row += 1;
            return Turn::Op;
        }
        let connection = self.next;
        self.next = if connection == self.last { 0 } else { connection + 1 };
        self.ops_in_a_row = 0;
        Turn::Visit(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventeenth_op_waits_for_a_visit() {
        let mut walker = Walker::new(16);
        for n in 0..80_u16 {
            assert_eq!(walker.is_forced(), n % 17 == 16, "turn {n}");
            let expected = if n % 17 == 16 { Turn::Visit(n / 17) } else { Turn::Op };
            assert_eq!(walker.turn(true), expected, "turn {n}");
        }
    }

    #[test]
    fn idle_engine_walks_round() {
        let mut walker = Walker::new(3);
        let visited: Vec<Turn> = (0..8).map(|_| walker.turn(false)).collect();
        assert_eq!(visited, [0, 1, 2, 0, 1, 2, 0, 1].map(Turn::Visit));
    }

    #[test]
    fn visits_between_restart_the_count() {
        let mut walker = Walker::new(16);
        for n in 0..200 {
            assert!(!walker.is_forced(), "op {n}");
            walker.turn(n % 16 != 15);
        }
    }

    #[test]
    fn reset_starts_the_round_anew() {
        let mut walker = Walker::new(16);
        (0..5).for_each(|_| {
            walker.turn(false);
        });
        (0..16).for_each(|_| {
            walker.turn(true);
        });
        walker.reset();
        assert!(!walker.is_forced());
        assert_eq!(walker.turn(false), Turn::Visit(0));
    }
}
