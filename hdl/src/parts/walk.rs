//! What the selectors share that work on one op at a time.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::WordParity;
use crate::comment;
use crate::config::Config;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, SimpleDualPort, Word};

/// Takes an op, reads its connection, holds both until the op is done, and brings the result to the outputs:
/// `C = clog2(connections)`, a state `S` a connection, ops as `X`.
///
/// ```text
///  cycle    0        1      2          …   done                next
///  inputs ──► read ──► decide ──► the selector's own steps ──► result, ready
///  rst ─────► clear, a cycle a connection ───────────────────► ready
/// ```
///
/// The state goes back into the memory at the end of the cycle of `done`, and the next op may read it at the end of the cycle after.
///
/// With parity, the state goes back a cycle later, and an op of the connection that is taken then has it from there. The state is that of
/// a connection without a past where its word has a flipped bit. If the op looks at another word of the connection with one, it leaves
/// such a state, as an `init` does.
#[derive(LogicBlock, Default)]
pub struct Walk<const C: usize, S: Word, X: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    /// The op at the inputs, as `X` says it.
    pub op: Signal<In, X>,
    pub op_ready: Signal<Out, bool>,
    /// The memory of states is cleared.
    pub cleared: Signal<Out, bool>,

    /// The op that is being worked on, and its connection.
    pub taken: Signal<Out, X>,
    pub conn: Signal<Out, Bits<C>>,
    /// One cycle: the state of the connection is there. It stays until the next op's.
    pub decide: Signal<Out, bool>,
    pub state: Signal<Out, S>,

    /// The last cycle of the op, and the state after it, if that is written. An `init` leaves a state of zeros.
    pub done: Signal<In, bool>,
    pub writes: Signal<In, bool>,
    pub after: Signal<In, S>,
    /// Done: the op is a send, its kind and its EV.
    pub sent: Signal<In, bool>,
    pub kind: Signal<In, Bits<2>>,
    pub ev: Signal<In, Bits<16>>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<C>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,
    /// With parity. Done: the op looked at a word beside the state with a flipped bit. With the result: the connection started anew, as a
    /// bit of a word of it had flipped.
    pub beside: Optional<Signal<In, bool>>,
    pub state_lost: Optional<Signal<Out, bool>>,

    control_ram: SimpleDualPort<Bits<C>, S>,

    take: Signal<Local, bool>,
    clear_done: Signal<Local, bool>,
    blank: Param<S>,

    is_ready: DFF<bool>,
    is_clearing: DFF<bool>,
    is_init: DFF<bool>,
    in_read: DFF<bool>,
    in_decide: DFF<bool>,
    connection: DFF<Bits<C>>,
    held_op: DFF<X>,
    held_state: DFF<S>,
    result_valid: DFF<bool>,
    result_kind: DFF<Bits<2>>,
    result_ev: DFF<Bits<16>>,

    of_stored: Optional<WordParity<S>>,
    has_flip: Optional<Signal<Local, bool>>,
    after_init: Optional<Signal<Local, S>>,
    late_write: Optional<DFF<bool>>,
    late_state: Optional<DFF<S>>,
    takes_late: Optional<DFF<bool>>,
    is_lost: Optional<Signal<Local, bool>>,
    was_lost: Optional<DFF<bool>>,
    has_parity: Param<bool>,
}

impl<const C: usize, S: Word, X: Word> Walk<C, S, X> {
    /// The block of a configuration whose connections are `2^C`.
    pub fn new(config: &Config) -> Self {
        let has_parity = config.has_parity();
        let ram = SimpleDualPort::new("control_ram", "state of every connection", MemoryKind::Block);
        Self {
            control_ram: ram.with_parity(has_parity),
            blank: Param::new(S::default()),
            beside: Optional::new(has_parity, Default::default),
            state_lost: Optional::new(has_parity, Default::default),
            of_stored: Optional::new(has_parity, Default::default),
            has_flip: Optional::new(has_parity, Default::default),
            after_init: Optional::new(has_parity, Default::default),
            late_write: Optional::new(has_parity, Default::default),
            late_state: Optional::new(has_parity, Default::default),
            takes_late: Optional::new(has_parity, Default::default),
            is_lost: Optional::new(has_parity, Default::default),
            was_lost: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            ..Default::default()
        }
    }
}

impl<const C: usize, S: Word, X: Word> Logic for Walk<C, S, X> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module walk: one op at a time, its connection, and its result");
        dff_setup!(self, clk, is_ready, is_clearing, is_init, in_read, in_decide, connection, held_op);
        dff_setup!(self, clk, held_state, result_valid, result_kind, result_ev);
        self.take.next = self.op_valid.val() & self.is_ready.q.val();
        self.clear_done.next = self.is_clearing.q.val() & self.connection.q.val().all();

        comment!(
            "Inputs go into registers while an op may be taken, the connection only with one. After reset it counts connections."
        );
        if self.take.val() {
            self.connection.d.next = self.op_conn.val();
        }
        if self.is_ready.q.val() {
            self.held_op.d.next = self.op.val();
            self.is_init.d.next = self.op_kind.val() == 4;
        }
        if self.is_clearing.q.val() {
            self.connection.d.next = self.connection.q.val() + 1;
        }
        self.is_clearing.d.next = self.is_clearing.q.val() & !self.clear_done.val();
        self.is_ready.d.next =
            (self.is_ready.q.val() & !self.op_valid.val()) | self.done.val() | self.clear_done.val();
        self.in_read.d.next = self.take.val();
        self.in_decide.d.next = self.in_read.q.val();
        if self.in_read.q.val() {
            self.held_state.d.next = self.control_ram.read_data.val();
        }

        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.op_conn.val();
        if self.has_parity.val() {
            comment!(
                "The state is written a cycle behind done, as its parity takes time. An op of the connection taken then has it from here."
            );
            self.after_init.next = self.after.val();
            if self.is_init.q.val() | self.beside.val() | !self.writes.val() {
                self.after_init.next = self.blank.val();
            }
            self.late_write.clock.next = self.clk.val();
            self.late_write.d.next =
                self.done.val() & (self.writes.val() | self.is_init.q.val() | self.is_lost.val());
            self.late_state.clock.next = self.clk.val();
            self.late_state.d.next = self.late_state.q.val();
            if self.done.val() {
                self.late_state.d.next = self.after_init.val();
            }
            self.takes_late.clock.next = self.clk.val();
            self.takes_late.d.next = self.takes_late.q.val();
            if self.is_ready.q.val() {
                self.takes_late.d.next =
                    self.late_write.q.val() & (self.op_conn.val() == self.connection.q.val());
            }
            if self.in_read.q.val() & self.takes_late.q.val() {
                self.held_state.d.next = self.late_state.q.val();
            }
            self.control_ram.write_enable.next = self.late_write.q.val() | self.is_clearing.q.val();
            self.control_ram.write_data.next = self.late_state.q.val();
            if self.is_clearing.q.val() {
                self.control_ram.write_data.next = self.blank.val();
            }

            self.of_stored.clk.next = self.clk.val();
            self.of_stored.load.next = self.in_read.q.val();
            self.of_stored.word.next = self.control_ram.read_data.val();
            self.of_stored.parity.next = self.control_ram.read_parity.val();
            self.has_flip.next = self.of_stored.has_flip.val() & !self.takes_late.q.val();
            self.is_lost.next = (self.has_flip.val() & !self.is_init.q.val()) | self.beside.val();
            self.was_lost.clock.next = self.clk.val();
            self.was_lost.d.next = self.done.val() & self.is_lost.val();
            self.state_lost.next = self.was_lost.q.val();
        } else {
            self.control_ram.write_enable.next =
                (self.done.val() & (self.writes.val() | self.is_init.q.val())) | self.is_clearing.q.val();
            self.control_ram.write_data.next = self.after.val();
            if self.is_init.q.val() | self.is_clearing.q.val() {
                self.control_ram.write_data.next = self.blank.val();
            }
        }
        self.control_ram.write_address.next = self.connection.q.val();

        self.result_valid.d.next = self.done.val() & self.sent.val();
        if self.done.val() {
            self.result_kind.d.next = self.kind.val();
            self.result_ev.d.next = self.ev.val();
        }
        self.op_ready.next = self.is_ready.q.val();
        self.cleared.next = !self.is_clearing.q.val();
        self.taken.next = self.held_op.q.val();
        self.conn.next = self.connection.q.val();
        self.decide.next = self.in_decide.q.val();
        self.state.next = self.held_state.q.val();
        if self.has_parity.val() {
            comment!("A state with a flipped bit is that of a connection without a past.");
            if self.has_flip.val() {
                self.state.next = self.blank.val();
            }
        }
        self.res_valid.next = self.result_valid.q.val();
        self.res_conn.next = self.connection.q.val();
        self.res_kind.next = self.result_kind.q.val();
        self.res_ev.next = self.result_ev.q.val();

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.is_clearing.d.next = true;
            self.in_read.d.next = false;
            self.in_decide.d.next = false;
            self.connection.d.next = 0.into();
            self.result_valid.d.next = false;
            if self.has_parity.val() {
                self.was_lost.d.next = false;
                self.late_write.d.next = false;
                self.takes_late.d.next = false;
            }
        }
    }
}
