//! What the selectors share that work on one op at a time.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::WordParity;
use crate::comment;
use crate::config::Config;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, Reg, SimpleDualPort, Word};

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
#[block]
pub struct Walk<const C: usize, S: Word, X: Word> {
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

    blank: Param<S>,

    is_ready: Reg<bool>,
    is_clearing: Reg<bool>,
    is_init: Reg<bool>,
    in_read: Reg<bool>,
    in_decide: Reg<bool>,
    connection: Reg<Bits<C>>,
    held_op: Reg<X>,
    held_state: Reg<S>,
    result_valid: Reg<bool>,
    result_kind: Reg<Bits<2>>,
    result_ev: Reg<Bits<16>>,

    of_stored: Optional<WordParity<S>>,
    has_flip: Optional<Signal<Local, bool>>,
    after_init: Optional<Signal<Local, S>>,
    late_write: Optional<Reg<bool>>,
    late_state: Optional<Reg<S>>,
    takes_late: Optional<Reg<bool>>,
    is_lost: Optional<Signal<Local, bool>>,
    was_lost: Optional<Reg<bool>>,
    has_parity: Param<bool>,
}

#[block]
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

    fn update(&mut self) {
        comment!("module walk: one op at a time, its connection, and its result");
        let take = self.op_valid & self.is_ready;
        let clear_done = self.is_clearing & self.connection.all();

        comment!(
            "Inputs go into registers while an op may be taken, the connection only with one. After reset it counts connections."
        );
        if take {
            self.connection = self.op_conn;
        }
        if self.is_ready {
            self.held_op = self.op;
            self.is_init = self.op_kind == 4;
        }
        if self.is_clearing {
            self.connection = self.connection + 1;
        }
        self.is_clearing = self.is_clearing & !clear_done;
        self.is_ready = (self.is_ready & !self.op_valid) | self.done | clear_done;
        self.in_read = take;
        self.in_decide = self.in_read;
        if self.in_read {
            self.held_state = self.control_ram.read_data;
        }
        self.control_ram.read_address = self.op_conn;
        if self.has_parity {
            comment!(
                "The state is written a cycle behind done, as its parity takes time. An op of the connection taken then has it from here."
            );
            self.after_init = self.after;
            if self.is_init | self.beside | !self.writes {
                self.after_init = self.blank;
            }
            self.late_write = self.done & (self.writes | self.is_init | self.is_lost);
            if self.done {
                self.late_state = self.after_init;
            }
            if self.is_ready {
                self.takes_late = self.late_write & (self.op_conn == self.connection);
            }
            if self.in_read & self.takes_late {
                self.held_state = self.late_state;
            }
            self.control_ram.write_enable = self.late_write | self.is_clearing;
            self.control_ram.write_data = self.late_state;
            if self.is_clearing {
                self.control_ram.write_data = self.blank;
            }

            self.of_stored.load = self.in_read;
            self.of_stored.word = self.control_ram.read_data;
            self.of_stored.parity = self.control_ram.read_parity;
            self.has_flip = self.of_stored.has_flip & !self.takes_late;
            self.is_lost = (self.has_flip & !self.is_init) | self.beside;
            self.was_lost = self.done & self.is_lost;
            self.state_lost = self.was_lost;
        } else {
            self.control_ram.write_enable = (self.done & (self.writes | self.is_init)) | self.is_clearing;
            self.control_ram.write_data = self.after;
            if self.is_init | self.is_clearing {
                self.control_ram.write_data = self.blank;
            }
        }
        self.control_ram.write_address = self.connection;

        self.result_valid = self.done & self.sent;
        if self.done {
            self.result_kind = self.kind;
            self.result_ev = self.ev;
        }
        self.op_ready = self.is_ready;
        self.cleared = !self.is_clearing;
        self.taken = self.held_op;
        self.conn = self.connection;
        self.decide = self.in_decide;
        self.state = self.held_state;
        if self.has_parity {
            comment!("A state with a flipped bit is that of a connection without a past.");
            if self.has_flip {
                self.state = self.blank;
            }
        }
        self.res_valid = self.result_valid;
        self.res_conn = self.connection;
        self.res_kind = self.result_kind;
        self.res_ev = self.result_ev;

        if self.rst {
            self.is_ready = false;
            self.is_clearing = true;
            self.in_read = false;
            self.in_decide = false;
            self.connection = 0;
            self.result_valid = false;
            if self.has_parity {
                self.was_lost = false;
                self.late_write = false;
                self.takes_late = false;
            }
        }
    }
}
