//! When the engine takes an op and when it visits a connection instead.
//!
//! It works on one thing at a time. At an edge at which it could take an op, and none is offered, it visits the next
//! connection. After 16 ops in a row it visits in any case: `op_ready` stays low for the cycle in which it would have
//! risen, and the visit begins at that cycle's edge.

/// Ops in a row after which a visit is forced.
pub const OPS_IN_A_ROW: u32 = 16;

/// What happens at a clock edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The engine is at work.
    Wait,
    /// It takes the op on offer.
    Op,
    /// It visits a connection; `forced`: whatever is on offer.
    Visit { conn: u16, forced: bool },
}

/// Where the walker is, and what the engine waits for.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    /// Edges until the engine is done with what it works on.
    wait: u32,
    ops_in_a_row: u32,
    /// Connection to be visited next.
    next: u16,
    last: u16,
}

impl Walker {
    /// Before the first reset.
    ///
    /// # Panics
    /// On more connections than 2^16.
    pub fn new(connections: u32) -> Self {
        let last = u16::try_from(connections - 1).expect("connections are numbered in 16 bits");
        Walker { wait: 0, ops_in_a_row: 0, next: 0, last }
    }

    /// An edge with `rst` high: ready after so many edges with `rst` low.
    pub fn reset(&mut self, reset_cycles: u32) {
        *self = Walker { wait: reset_cycles, ops_in_a_row: 0, next: 0, last: self.last };
    }

    /// `op_ready` before the coming edge.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        self.wait == 0 && self.ops_in_a_row < OPS_IN_A_ROW
    }

    /// Nothing begins at the coming edge.
    #[inline(always)]
    pub fn is_at_work(&self) -> bool {
        self.wait > 0
    }

    /// The coming edge. What begins is to be followed by [`Walker::begin`].
    #[inline(always)]
    pub fn edge(&mut self, op_valid: bool) -> Turn {
        if self.wait > 0 {
            self.wait -= 1;
            return Turn::Wait;
        }
        let forced = self.ops_in_a_row == OPS_IN_A_ROW;
        if op_valid && !forced {
            self.ops_in_a_row += 1;
            return Turn::Op;
        }
        let conn = self.next;
        self.next = if conn == self.last { 0 } else { conn + 1 };
        self.ops_in_a_row = 0;
        Turn::Visit { conn, forced }
    }

    /// What began at this edge takes `interval` cycles, at least 1.
    #[inline(always)]
    pub fn begin(&mut self, interval: u32) {
        self.wait = interval - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventeenth_op_waits_for_a_visit() {
        let mut walker = Walker::new(16);
        walker.reset(2);
        let mut turns = Vec::new();
        for edge in 0..80 {
            assert_eq!(walker.is_ready(), walker.wait == 0 && walker.ops_in_a_row < 16, "edge {edge}");
            let turn = walker.edge(true);
            if turn != Turn::Wait {
                turns.push((edge, turn));
                walker.begin(3);
            }
        }
        let expected = (0..).map(|n| {
            let visit = Turn::Visit { conn: n / 17, forced: true };
            (2 + 3 * i32::from(n), if n % 17 == 16 { visit } else { Turn::Op })
        });
        assert_eq!(turns, expected.take(turns.len()).collect::<Vec<_>>());
        assert_eq!(turns.len(), 26);
    }

    #[test]
    fn idle_engine_walks_round() {
        let mut walker = Walker::new(3);
        walker.reset(0);
        let mut visited = Vec::new();
        for _ in 0..16 {
            if let Turn::Visit { conn, forced } = walker.edge(false) {
                assert!(!forced);
                visited.push(conn);
                walker.begin(2);
            }
        }
        assert_eq!(visited, [0, 1, 2, 0, 1, 2, 0, 1]);
    }

    #[test]
    fn visits_between_restart_the_count() {
        let mut walker = Walker::new(16);
        walker.reset(0);
        for n in 0..200 {
            let turn = walker.edge(n % 16 != 15);
            assert!(!matches!(turn, Turn::Visit { forced: true, .. }), "op {n}");
            walker.begin(1);
        }
    }
}
