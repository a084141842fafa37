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

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::prims::{Fifo, MemoryStyle, Param, SimpleDualPort};
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
/// for a cycle when its connection is added or cancelled. A connection leaves every third cycle at most.
#[derive(LogicBlock, Default)]
pub struct Probes<const C: usize, const L: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// Empties it: `ready` is low for the `2^C` cycles after it.
    pub rst: Signal<In, bool>,
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
    pub head_ready: Signal<In, bool>,
    pub head_conn: Signal<Out, Bits<C>>,
    pub head_psn: Signal<Out, Bits<P>>,

    order: Fifo<Bits<C>, C, L>,
    /// Whether a connection is in the order.
    queued: SimpleDualPort<Bits<C>, bool>,
    asked: SimpleDualPort<Bits<C>, Asked<P>>,

    is_ready: DFF<bool>,
    clear_at: DFF<Bits<C>>,
    asked_conn: Signal<Local, Bits<C>>,
    writes: Signal<Local, bool>,
    adds: Signal<Local, bool>,
    is_of_held: Signal<Local, bool>,
    /// What was added in the cycle before.
    is_added: DFF<bool>,
    added_conn: DFF<Bits<C>>,
    added_is_held: DFF<bool>,
    pushes: Signal<Local, bool>,

    /// A connection is out of the order and has its turn.
    is_held: DFF<bool>,
    held_conn: DFF<Bits<C>>,
    /// Its mark in `queued` is cleared.
    is_unmarked: DFF<bool>,
    /// What was read of `asked` was not written at the same edge.
    is_read: DFF<bool>,
    unmarks: Signal<Local, bool>,
    is_known: Signal<Local, bool>,
    leaves: Signal<Local, bool>,
    last_conn: Param<Bits<C>>,
}

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
}

impl<const C: usize, const L: usize, const P: usize> Logic for Probes<C, L, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Connections that wait for their turn, each at most once.");
        dff_setup!(self, clk, is_ready, clear_at, is_added, added_conn, added_is_held);
        dff_setup!(self, clk, is_held, held_conn, is_unmarked, is_read);
        self.order.clk.next = self.clk.val();
        self.order.rst.next = self.rst.val();
        self.queued.clk.next = self.clk.val();
        self.asked.clk.next = self.clk.val();
        self.ready.next = self.is_ready.q.val();
        self.clear_at.d.next = self.clear_at.q.val() + 1;
        if self.clear_at.q.val() == self.last_conn.val() {
            self.is_ready.d.next = true;
        }

        comment!("The connection whose turn it is: its mark is cleared, and what is asked for it is read.");
        self.is_known.next = self.is_held.q.val() && self.is_unmarked.q.val() && self.is_read.q.val();
        self.head_valid.next = self.is_known.val() && self.asked.read_data.val().is_wanted;
        self.head_conn.next = self.held_conn.q.val();
        self.head_psn.next = self.asked.read_data.val().psn;
        self.leaves.next =
            self.is_known.val() && (self.head_ready.val() || !self.asked.read_data.val().is_wanted);

        comment!("An add or a cancel replaces what was asked before.");
        self.adds.next = self.add_valid.val() && self.is_ready.q.val();
        self.writes.next = self.add_valid.val() || self.cancel_valid.val();
        self.asked_conn.next = self.cancel_conn.val();
        if self.add_valid.val() {
            self.asked_conn.next = self.add_conn.val();
        }
        self.is_of_held.next = self.is_held.q.val() && (self.asked_conn.val() == self.held_conn.q.val());
        self.asked.write_enable.next = self.writes.val();
        self.asked.write_address.next = self.asked_conn.val();
        self.asked.write_data.next.psn = self.add_psn.val();
        self.asked.write_data.next.is_wanted = self.add_valid.val();
        self.asked.read_address.next = self.held_conn.q.val();
        self.is_read.d.next =
            self.is_held.q.val() && !self.leaves.val() && !(self.writes.val() && self.is_of_held.val());

        comment!("A cycle after the add it is known whether the connection waits already.");
        self.queued.read_address.next = self.add_conn.val();
        self.is_added.d.next = self.adds.val();
        self.added_conn.d.next = self.add_conn.val();
        self.added_is_held.d.next = self.is_of_held.val() && !self.leaves.val();
        self.pushes.next =
            self.is_added.q.val() && !self.added_is_held.q.val() && !self.queued.read_data.val();
        self.order.in_valid.next = self.pushes.val();
        self.order.in_data.next = self.added_conn.q.val();

        comment!("A mark is set, or else cleared; after a reset all are.");
        self.unmarks.next = self.is_held.q.val() && !self.is_unmarked.q.val() && !self.pushes.val();
        self.queued.write_enable.next = !self.is_ready.q.val() || self.pushes.val() || self.unmarks.val();
        self.queued.write_data.next = self.pushes.val();
        self.queued.write_address.next = self.held_conn.q.val();
        if !self.is_ready.q.val() {
            self.queued.write_address.next = self.clear_at.q.val();
        } else if self.pushes.val() {
            self.queued.write_address.next = self.added_conn.q.val();
        }
        if self.unmarks.val() {
            self.is_unmarked.d.next = true;
        }

        self.order.out_ready.next = !self.is_held.q.val();
        if !self.is_held.q.val() {
            self.is_held.d.next = self.order.out_valid.val();
            self.held_conn.d.next = self.order.out_data.val();
            self.is_unmarked.d.next = false;
        }
        if self.leaves.val() {
            self.is_held.d.next = false;
        }

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.clear_at.d.next = 0.into();
            self.is_added.d.next = false;
            self.is_held.d.next = false;
        }
    }
}
