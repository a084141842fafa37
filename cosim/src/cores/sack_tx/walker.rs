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
