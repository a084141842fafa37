//! `nic_probes`: connections that wait for their turn, each at most once.
//!
//! ```text
//!         ┌────────┐ not yet ┌───────┐
//!  add ─┬►│ queued │────────►│ order │──► held ──► head_*
//!       │ └────────┘         └───────┘      │
//!       │ ┌────────┐                        │
//!       └►│ asked  │◄───────────────────────┘ is it still wanted, and with which PSN
//!  cancel►└────────┘
//! ```
//!
//! The order has a place for each connection, so that nothing is ever lost.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::prims::{Fifo, MemoryStyle, Param, Reg, SimpleDualPort};
use crate::{comment, signal_struct};

signal_struct! {
    /// What is asked for a connection.
    pub struct Asked<const P: usize> {
        pub psn: Bits<P>,
        /// It was not cancelled since it was added.
        pub is_wanted: bool,
    }
}

/// `2^C` connections, PSNs of `P` bits; `L = C + 1`.
///
/// A connection leaves the order when `head_*` takes it, or when its turn comes and it is cancelled. Added before that, it keeps its
/// place and only its PSN is replaced; later, it is the last again, also in the cycle in which it leaves. `head_valid` falls
/// for a cycle when its connection is added or cancelled. Whoever has seen `head_valid` may take the connection in any later
/// cycle, also in one in which `head_valid` has fallen because the connection was added again. A connection leaves every
/// third cycle at most.
#[block]
pub struct Probes<const C: usize, const L: usize, const P: usize> {
    /// While it is low nothing is taken.
    pub ready: Signal<Out, bool>,
    /// Always taken; one in four cycles at most.
    pub add_valid: Signal<In, bool>,
    pub add_conn: Signal<In, Bits<C>>,
    pub add_psn: Signal<In, Bits<P>>,
    /// Always taken, but never in the cycle of `add_valid`.
    pub cancel_valid: Signal<In, bool>,
    pub cancel_conn: Signal<In, Bits<C>>,
    pub head_valid: Signal<Out, bool>,
    /// The connection that was shown is taken.
    pub head_ready: Signal<In, bool>,
    pub head_conn: Signal<Out, Bits<C>>,
    pub head_psn: Signal<Out, Bits<P>>,

    order: Fifo<Bits<C>, C, L>,
    /// Whether a connection is in the order.
    queued: SimpleDualPort<Bits<C>, bool>,
    asked: SimpleDualPort<Bits<C>, Asked<P>>,

    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = 0]
    clear_at: Reg<Bits<C>>,
    /// What was added in the cycle before.
    #[reset = false]
    is_added: Reg<bool>,
    added_conn: Reg<Bits<C>>,
    added_is_held: Reg<bool>,

    /// A connection is out of the order and has its turn.
    #[reset = false]
    is_held: Reg<bool>,
    held_conn: Reg<Bits<C>>,
    /// Its mark in `queued` is cleared.
    is_unmarked: Reg<bool>,
    /// What was read of `asked` was not written at the same edge.
    is_read: Reg<bool>,
    last_conn: Param<Bits<C>>,
}

#[block]
impl<const C: usize, const L: usize, const P: usize> Probes<C, L, P> {
    /// Nobody waits.
    ///
    /// # Panics
    /// If `L` is not `C + 1`.
    pub fn new() -> Self {
        let style = MemoryStyle::Block;
        let mut block = Self {
            order: Fifo::new("order_memory", style),
            queued: SimpleDualPort::new("queued_memory", "which connections are in the order", style),
            asked: SimpleDualPort::new("asked_memory", "what is asked for each connection", style),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Connections that wait for their turn, each at most once.");
        self.ready = self.is_ready;
        self.clear_at = self.clear_at + 1;
        if self.clear_at == self.last_conn {
            self.is_ready = true;
        }

        comment!("The connection whose turn it is: its mark is cleared, and what is asked for it is read.");
        let is_shown = self.is_held && self.is_unmarked;
        self.head_valid = is_shown && self.is_read && self.asked.read_data.is_wanted;
        self.head_conn = self.held_conn;
        self.head_psn = self.asked.read_data.psn;
        let is_skipped = self.is_read && !self.asked.read_data.is_wanted;
        let leaves = is_shown && (self.head_ready || is_skipped);

        comment!("An add or a cancel replaces what was asked before.");
        let adds = self.add_valid && self.is_ready;
        let writes = self.add_valid || self.cancel_valid;
        let mut asked_conn = self.cancel_conn;
        if self.add_valid {
            asked_conn = self.add_conn;
        }
        let is_of_held = self.is_held && (asked_conn == self.held_conn);
        self.asked.write_enable = writes;
        self.asked.write_address = asked_conn;
        self.asked.write_data.psn = self.add_psn;
        self.asked.write_data.is_wanted = self.add_valid;
        self.asked.read_address = self.held_conn;
        self.is_read = self.is_held && !leaves && !(writes && is_of_held);

        comment!("A cycle after the add it is known whether the connection waits already.");
        self.queued.read_address = self.add_conn;
        self.is_added = adds;
        self.added_conn = self.add_conn;
        self.added_is_held = is_of_held && !leaves;
        let pushes = self.is_added && !self.added_is_held && !self.queued.read_data;
        self.order.in_valid = pushes;
        self.order.in_data = self.added_conn;

        comment!("A mark is set, or else cleared; after a reset all are.");
        let unmarks = self.is_held && !self.is_unmarked && !pushes;
        self.queued.write_enable = !self.is_ready || pushes || unmarks;
        self.queued.write_data = pushes;
        self.queued.write_address = self.held_conn;
        if !self.is_ready {
            self.queued.write_address = self.clear_at;
        } else if pushes {
            self.queued.write_address = self.added_conn;
        }
        if unmarks {
            self.is_unmarked = true;
        }

        self.order.out_ready = !self.is_held;
        if !self.is_held {
            self.is_held = self.order.out_valid;
            self.held_conn = self.order.out_data;
            self.is_unmarked = false;
        }
        if leaves {
            self.is_held = false;
        }
    }
}
