//! `nic_closing`: connections that drain before they are closed for sending.
//!
//! ```text
//!  commands ──► turns ──► scoreboard ──► sack_tx
//!                 ▲           │ where the sender stands
//!              scan ◄── ends ◄┘
//!                         └──► packets of the host, whose PSNs are compared ──► scoreboard
//! ```

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;
use crate::prims::{Param, Reg, SimpleDualPort, resize};
use crate::{comment, signal_struct};

signal_struct! {
    /// Of a connection: it drains, and its first PSN that is not taken.
    pub struct End {
        pub psn: Bits<24>,
        pub is_there: bool,
    }
}

/// Closes a connection for sending when all that it sent is acknowledged, and until then takes no new packet of the host. `C` is the width of a
/// connection's number.
///
/// A command that drains is a `read` of `sack_tx`: from the PSN on that is next then, packets of the connection are refused. A scan visits all
/// connections, two cycles each. One that drains is read again, at most every 256 cycles, and closed when nothing of it is outstanding. Ops of
/// the block's own and commands of the host go one after the other.
#[block]
pub struct Closing<const C: usize> {
    // Commands of the host, of which one is in work; and the connection that they are for.
    pub has_command: Signal<In, bool>,
    pub host_drain_valid: Signal<In, bool>,
    pub drain_ready: Signal<Out, bool>,
    pub host_close_valid: Signal<In, bool>,
    pub host_read_valid: Signal<In, bool>,
    pub host_conn: Signal<In, Bits<24>>,
    /// What was said of the connection that was opened or closed last is forgotten; and neither is an op of the block's own in work.
    pub peers_has_forgotten: Signal<In, bool>,
    pub has_forgotten: Signal<Out, bool>,

    // To the scoreboard: a read that drains or that looks whether it has, a close, a read; and what it says of these.
    pub drain_valid: Signal<Out, bool>,
    pub close_valid: Signal<Out, bool>,
    pub read_valid: Signal<Out, bool>,
    pub command_conn: Signal<Out, Bits<24>>,
    /// The result of a read of `drain_valid` is there.
    pub drained: Signal<In, bool>,
    pub close_ready: Signal<In, bool>,
    /// A connection is opened or closed.
    pub renewed: Signal<In, bool>,
    pub res_status: Signal<In, Bits<3>>,
    pub res_snd_una: Signal<In, Bits<24>>,
    pub res_snd_nxt: Signal<In, Bits<24>>,
    /// The op in work is one of the block's own.
    pub owns: Signal<Out, bool>,

    // The next packet of the host, and from two cycles later on whether it is refused, if it is data.
    pub req_valid: Signal<In, bool>,
    pub req_ready: Signal<In, bool>,
    pub req_conn: Signal<In, Bits<C>>,
    pub req_psn: Signal<In, Bits<24>>,
    pub req_known: Signal<Out, bool>,
    pub req_is_held: Signal<Out, bool>,

    ends: SimpleDualPort<Bits<C>, End>,
    draining: SimpleDualPort<Bits<C>, bool>,
    #[reset = false]
    is_ready: Reg<bool>,
    /// The connection that is cleared, and later that is visited; whether its bit is there.
    #[reset = 0]
    at: Reg<Bits<C>>,
    #[reset = false]
    looks: Reg<bool>,
    #[reset = 0]
    pause: Reg<Bits<8>>,
    /// It is read, and it is closed.
    #[reset = false]
    asks: Reg<bool>,
    #[reset = false]
    closes: Reg<bool>,
    /// A word was written at the edge before.
    wrote: Reg<bool>,
    conn: Signal<Local, Bits<24>>,
    write_at: Signal<Local, Bits<C>>,
    entry: Signal<Local, End>,
    distance: Signal<Local, Bits<24>>,

    #[reset = false]
    is_read: Reg<bool>,
    #[reset = false]
    is_known: Reg<bool>,
    is_held: Reg<bool>,
    last_conn: Param<Bits<C>>,
}

#[block]
impl<const C: usize> Closing<C> {
    /// No connection drains.
    pub fn new() -> Self {
        Self {
            ends: SimpleDualPort::new(
                "end_memory",
                "of every connection whether it drains, and the PSN from which on nothing is taken",
                MemoryKind::Block,
            ),
            draining: SimpleDualPort::new(
                "draining_memory",
                "which connections drain",
                MemoryKind::Distributed,
            ),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Connections that drain before they are closed for sending.");
        let is_own = self.asks | self.closes;
        self.owns = is_own;
        self.conn = self.host_conn;
        if is_own {
            self.conn = resize(self.at);
        }
        self.command_conn = self.conn;
        comment!("While an op of the block's own is in work no command of the host begins.");
        self.has_forgotten = self.peers_has_forgotten & self.is_ready & !is_own;
        self.drain_valid = self.asks | self.host_drain_valid;
        self.drain_ready = self.drained & !is_own;
        self.close_valid = (self.closes & self.peers_has_forgotten) | self.host_close_valid;
        self.read_valid = self.host_read_valid & !is_own;

        comment!(
            "What is known of each: a drain begins, or it is opened or closed. After a reset all are cleared."
        );
        let begins = self.drained & !is_own & (self.res_status == 0);
        let writes = begins | self.renewed | !self.is_ready;
        self.wrote = writes;
        self.write_at = self.conn.get_bits::<C>(0);
        if !self.is_ready {
            self.write_at = self.at;
        }
        self.entry.psn = self.res_snd_nxt;
        self.entry.is_there = begins;
        self.ends.write_enable = writes;
        self.ends.write_address = self.write_at;
        self.ends.write_data = self.entry;
        self.draining.write_enable = writes;
        self.draining.write_address = self.write_at;
        self.draining.write_data = begins;

        comment!("The scan. What was read while a word was written is read again.");
        self.draining.read_address = self.at;
        let sees = self.looks & !self.wrote;
        let passes = sees & !self.draining.read_data;
        self.looks = self.is_ready & !is_own & !self.pause.any() & !self.looks;
        if self.pause.any() {
            self.pause = self.pause - 1;
        }
        if sees & self.draining.read_data & !self.has_command {
            self.asks = true;
        }
        let answered = self.asks & self.drained;
        let has_drained = (self.res_status == 0) & (self.res_snd_una == self.res_snd_nxt);
        if answered {
            self.asks = false;
            self.pause = 255;
            self.closes = has_drained;
        }
        let closed = self.closes & self.close_ready;
        if closed {
            self.closes = false;
        }
        if !self.is_ready | passes | (answered & !has_drained) | closed {
            self.at = self.at + 1;
        }
        if self.at == self.last_conn {
            self.is_ready = true;
        }

        comment!("The next packet of the host: read, compared, known.");
        let stays = self.req_valid & !self.req_ready & !writes;
        self.ends.read_address = self.req_conn;
        self.is_read = stays;
        self.distance = self.req_psn - self.ends.read_data.psn;
        self.is_held = self.ends.read_data.is_there & !self.distance.get_bit(23);
        self.is_known = self.is_read & stays;
        self.req_known = self.req_valid & self.is_known;
        self.req_is_held = self.is_held;
    }
}
