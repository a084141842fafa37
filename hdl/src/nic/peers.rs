//! What the last data packet of each connection was like.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{NarrowWrite, Param, SimpleDualPort};

/// Keeps the first 64 bytes of the last data packet that left of each connection, and whether one has left since the connection was
/// opened: what the memory holds before that is of another connection that had the same number.
///
/// `W` is the bus in bits, `C` the width of a connection's number, `B` that of a beat's number in the line, `A = C + B` that of
/// their memory's address, and `K = B + 1`.
#[derive(LogicBlock, Default)]
pub struct Peers<const W: usize, const C: usize, const A: usize, const K: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// A beat leaves, and what it is of.
    pub beat_valid: Signal<In, bool>,
    pub beat_ready: Signal<In, bool>,
    pub beat_last: Signal<In, bool>,
    pub beat_data: Signal<In, Bits<W>>,
    pub is_data: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    /// A connection is opened or closed: nothing of it has left. Only while `has_forgotten` is set.
    pub renewed: Signal<In, bool>,
    pub renewed_conn: Signal<In, Bits<C>>,
    /// From a register: what was said of the connection that was opened or closed last is forgotten.
    pub has_forgotten: Signal<Out, bool>,
    /// Connection that is read; its line an edge later, if it was whole at that edge and not written.
    pub read_conn: Signal<In, Bits<C>>,
    pub line_valid: Signal<Out, bool>,
    pub line: Signal<Out, Bits<512>>,
    /// The line is of a packet of this connection.
    pub line_known: Signal<Out, bool>,

    memory: NarrowWrite<W, A, 512, C>,
    /// The next beat of the frame; the top bit when the line is full.
    at: DFF<Bits<K>>,
    is_apart: DFF<bool>,
    known: SimpleDualPort<Bits<C>, bool>,
    /// A connection was opened or closed, and its bit is not cleared yet.
    is_renewed: DFF<bool>,
    forgotten_conn: DFF<Bits<C>>,
    moves: Signal<Local, bool>,
    write: Signal<Local, bool>,
    /// The line is whole with this beat.
    completes: Signal<Local, bool>,
    forgets: Signal<Local, bool>,
    is_within: Signal<Local, bool>,
    last: Param<Bits<K>>,
    full: Param<Bits<K>>,
    shift: Param<Bits<4>>,
}

impl<const W: usize, const C: usize, const A: usize, const K: usize> Peers<W, C, A, K> {
    /// The block.
    ///
    /// # Panics
    /// If the widths do not belong together.
    pub fn new() -> Self {
        assert!(W << (K - 1) == 512 && A == C + K - 1, "a line of 512 bits is written in beats of {W}");
        Self {
            memory: NarrowWrite::new(
                "line_memory",
                "first bytes of the last data packet of every connection",
                MemoryKind::Block,
            ),
            known: SimpleDualPort::new(
                "known_memory",
                "of which connections a data packet has left since they were opened",
                MemoryKind::Distributed,
            ),
            last: Param::new(((1u64 << (K - 1)) - 1).into()),
            full: Param::new((1u64 << (K - 1)).into()),
            shift: Param::new((K as u64 - 1).into()),
            ..Default::default()
        }
    }
}

impl<const W: usize, const C: usize, const A: usize, const K: usize> Logic for Peers<W, C, A, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("What the last data packet of each connection was like.");
        dff_setup!(self, clk, at, is_apart, is_renewed, forgotten_conn);
        self.moves.next = self.beat_valid.val() & self.beat_ready.val();
        self.write.next = self.moves.val() & self.is_data.val() & (self.at.q.val() != self.full.val());
        if self.moves.val() & (self.at.q.val() != self.full.val()) {
            self.at.d.next = self.at.q.val() + 1;
        }
        if self.moves.val() & self.beat_last.val() {
            self.at.d.next = 0.into();
        }
        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.write.val();
        self.memory.write_address.next =
            (bit_cast::<A, C>(self.conn.val()) << self.shift.val()) | bit_cast::<A, K>(self.at.q.val());
        self.memory.write_data.next = self.beat_data.val();
        self.memory.read_address.next = self.read_conn.val();
        self.is_within.next =
            self.is_data.val() & (self.at.q.val() != 0) & (self.at.q.val() != self.full.val());
        self.is_apart.d.next = !(((self.write.val() | self.is_within.val())
            & (self.conn.val() == self.read_conn.val()))
            | (self.forgets.val() & (self.forgotten_conn.q.val() == self.read_conn.val())));
        self.line_valid.next = self.is_apart.q.val();
        self.line.next = self.memory.read_data.val();

        comment!(
            "A packet that leaves makes the line known, and goes before a connection that is opened or closed."
        );
        self.completes.next =
            self.write.val() & (self.beat_last.val() | (self.at.q.val() == self.last.val()));
        self.forgets.next = self.is_renewed.q.val() & !self.completes.val();
        if self.forgets.val() {
            self.is_renewed.d.next = false;
        }
        if self.renewed.val() {
            self.is_renewed.d.next = true;
            self.forgotten_conn.d.next = self.renewed_conn.val();
        }
        self.has_forgotten.next = !self.is_renewed.q.val();
        self.known.clk.next = self.clk.val();
        self.known.write_enable.next = self.completes.val() | self.forgets.val();
        self.known.write_data.next = self.completes.val();
        self.known.write_address.next = self.forgotten_conn.q.val();
        if self.completes.val() {
            self.known.write_address.next = self.conn.val();
        }
        self.known.read_address.next = self.read_conn.val();
        self.line_known.next = self.known.read_data.val();
        if self.rst.val() {
            self.at.d.next = 0.into();
            self.is_apart.d.next = false;
            self.is_renewed.d.next = false;
        }
    }
}
