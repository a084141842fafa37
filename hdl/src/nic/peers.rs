//! What the last data packet of each connection was like.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{NarrowWrite, Param, Reg, SimpleDualPort};

/// Keeps the first 64 bytes of the last data packet that left of each connection, and whether one has left since the connection was
/// opened: what the memory holds before that is of another connection that had the same number.
///
/// `DATA` is the bus in bits, `CONN` the width of a connection's number, `BEAT_ADDRESS` the width of their memory's address,
/// which has the number of a beat in its line below the connection, and `BEATS` the width of a count of these beats.
#[block]
pub struct Peers<const DATA: usize, const CONN: usize, const BEAT_ADDRESS: usize, const BEATS: usize> {
    /// A beat leaves, and what it is of.
    pub beat_valid: Signal<In, bool>,
    pub beat_ready: Signal<In, bool>,
    pub beat_last: Signal<In, bool>,
    pub beat_data: Signal<In, Bits<DATA>>,
    pub is_data: Signal<In, bool>,
    pub conn: Signal<In, Bits<CONN>>,
    /// A connection is opened or closed: nothing of it has left. Only while `has_forgotten` is set.
    pub renewed: Signal<In, bool>,
    pub renewed_conn: Signal<In, Bits<CONN>>,
    /// From a register: what was said of the connection that was opened or closed last is forgotten.
    pub has_forgotten: Signal<Out, bool>,
    /// Connection that is read; its line an edge later, if it was whole at that edge and not written.
    pub read_conn: Signal<In, Bits<CONN>>,
    pub line_valid: Signal<Out, bool>,
    pub line: Signal<Out, Bits<512>>,
    /// The line is of a packet of this connection.
    pub line_known: Signal<Out, bool>,

    memory: NarrowWrite<DATA, BEAT_ADDRESS, 512, CONN>,
    /// The next beat of the frame; the top bit when the line is full.
    #[reset = 0]
    at: Reg<Bits<BEATS>>,
    #[reset = false]
    is_apart: Reg<bool>,
    known: SimpleDualPort<Bits<CONN>, bool>,
    /// A connection was opened or closed, and its bit is not cleared yet.
    #[reset = false]
    is_renewed: Reg<bool>,
    forgotten_conn: Reg<Bits<CONN>>,
    forgets: Signal<Local, bool>,
    last: Param<Bits<BEATS>>,
    full: Param<Bits<BEATS>>,
    shift: Param<Bits<4>>,
}

#[block]
impl<const DATA: usize, const CONN: usize, const BEAT_ADDRESS: usize, const BEATS: usize>
    Peers<DATA, CONN, BEAT_ADDRESS, BEATS>
{
    /// The block.
    ///
    /// # Panics
    /// If the widths do not belong together.
    pub fn new() -> Self {
        assert!(
            DATA << (BEATS - 1) == 512 && BEAT_ADDRESS == CONN + BEATS - 1,
            "a line of 512 bits is written in beats of {DATA}"
        );
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
            last: Param::new(((1u64 << (BEATS - 1)) - 1).into()),
            full: Param::new((1u64 << (BEATS - 1)).into()),
            shift: Param::new((BEATS as u64 - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("What the last data packet of each connection was like.");
        let moves = self.beat_valid & self.beat_ready;
        let write = moves & self.is_data & (self.at != self.full);
        if moves & (self.at != self.full) {
            self.at = self.at + 1;
        }
        if moves & self.beat_last {
            self.at = 0;
        }
        self.memory.write_enable = write;
        self.memory.write_address = (bit_cast::<BEAT_ADDRESS, CONN>(self.conn) << self.shift)
            | bit_cast::<BEAT_ADDRESS, BEATS>(self.at);
        self.memory.write_data = self.beat_data;
        self.memory.read_address = self.read_conn;
        let is_within = self.is_data & (self.at != 0) & (self.at != self.full);
        self.is_apart = !(((write | is_within) & (self.conn == self.read_conn))
            | (self.forgets & (self.forgotten_conn == self.read_conn)));
        self.line_valid = self.is_apart;
        self.line = self.memory.read_data;

        comment!(
            "A packet that leaves makes the line known, and goes before a connection that is opened or closed."
        );
        // The line is whole with this beat.
        let completes = write & (self.beat_last | (self.at == self.last));
        self.forgets = self.is_renewed & !completes;
        if self.forgets {
            self.is_renewed = false;
        }
        if self.renewed {
            self.is_renewed = true;
            self.forgotten_conn = self.renewed_conn;
        }
        self.has_forgotten = !self.is_renewed;
        self.known.write_enable = completes | self.forgets;
        self.known.write_data = completes;
        self.known.write_address = self.forgotten_conn;
        if completes {
            self.known.write_address = self.conn;
        }
        self.known.read_address = self.read_conn;
        self.line_known = self.known.read_data;
    }
}
