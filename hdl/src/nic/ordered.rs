//! `nic_ordered`: connections of Ultra Ethernet that send in order (ROD), each with one EV.
//!
//! ```text
//!  op_* ───► kept? ──no──► to_* ───► selector
//!  res_* ◄── the EV that is kept, or from_* ◄── selector
//! ```

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, Reg, SimpleDualPort};
use crate::signal_struct;

signal_struct! {
    /// What is kept of a connection: whether it sends in order, and its EV.
    pub struct KeptEv {
        pub is_there: bool,
        pub ev: Bits<16>,
    }
}

/// Stands before the selector and keeps EVs of `2^C` connections.
///
/// An `init`, kind 4, passes, and says in bit 0 of its EV whether the connection sends in order. If so an EV is drawn behind it, by
/// a `send` of this block's own. From then on the selector hears nothing of the connection: a `send` is answered here, and all else is
/// dropped. Each op is looked up first, and so takes two cycles.
#[block]
pub struct Ordered<const C: usize> {
    pub op_valid: Signal<In, bool>,
    pub op_ready: Signal<Out, bool>,
    /// 0 send, 4 init.
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    pub op_ev: Signal<In, Bits<16>>,
    /// The result of a send.
    pub res_valid: Signal<Out, bool>,
    /// 2: an EV that was used before.
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,

    /// To and from the selector.
    pub to_valid: Signal<Out, bool>,
    pub to_ready: Signal<In, bool>,
    pub to_kind: Signal<Out, Bits<3>>,
    pub to_conn: Signal<Out, Bits<C>>,
    pub from_valid: Signal<In, bool>,
    pub from_kind: Signal<In, Bits<2>>,
    pub from_ev: Signal<In, Bits<16>>,
    /// The selector takes the op that draws an EV.
    pub draws: Signal<Out, bool>,

    kept: SimpleDualPort<Bits<C>, KeptEv>,
    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = 0]
    clear_at: Reg<Bits<C>>,
    /// The memory has the word of the op.
    #[reset = false]
    looked: Reg<bool>,
    /// Sends that the selector has taken, and whose results are to come.
    #[reset = 0]
    sends: Reg<Bits<5>>,
    /// An EV is to be drawn; it is being drawn.
    #[reset = false]
    is_wanted: Reg<bool>,
    #[reset = false]
    is_drawn: Reg<bool>,
    conn: Reg<Bits<C>>,
    /// A send is answered with the EV, one and two cycles behind it.
    #[reset = false]
    answers_1: Reg<bool>,
    #[reset = false]
    answers_2: Reg<bool>,
    ev: Reg<Bits<16>>,
    last_conn: Param<Bits<C>>,
}

#[block]
impl<const C: usize> Ordered<C> {
    /// No connection sends in order.
    pub fn new() -> Self {
        let about = "which connections send in order, and with which EV";
        Self {
            kept: SimpleDualPort::new("kept_memory", about, MemoryKind::Block),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Connections that send in order, each with one EV.");
        comment!("What is kept of the connection of the op is read first.");
        self.kept.read_address = self.op_conn;
        let is_busy = self.is_wanted | self.is_drawn | self.answers_1 | self.answers_2;
        let is_init = self.op_kind == 4;
        let is_send = self.op_kind == 0;
        let is_kept = self.kept.read_data.is_there & !is_init;
        let passes = self.op_valid & self.looked & !is_kept;
        comment!("The results of the sends before come first.");
        let is_idle = self.sends == 0;
        let keeps = self.op_valid & self.looked & is_kept & (!is_send | is_idle);
        let taken = (passes & self.to_ready) | keeps;
        self.op_ready = taken;
        self.looked = self.op_valid & self.is_ready & !is_busy & !taken;
        self.answers_1 = keeps & is_send;
        self.answers_2 = self.answers_1;
        if keeps {
            self.ev = self.kept.read_data.ev;
        }

        comment!("An EV is drawn behind the init.");
        let takes_draw = self.is_wanted & is_idle & self.to_ready;
        self.draws = takes_draw;
        self.to_valid = passes | (self.is_wanted & is_idle);
        self.to_kind = self.op_kind;
        self.to_conn = self.op_conn;
        if self.is_wanted {
            self.to_kind = 0;
            self.to_conn = self.conn;
        }
        let renews = passes & self.to_ready & is_init;
        if renews {
            self.is_wanted = self.op_ev.get_bit(0);
            self.conn = self.op_conn;
        }
        if takes_draw {
            self.is_wanted = false;
            self.is_drawn = true;
        }
        let is_sent = passes & self.to_ready & is_send;
        let is_passed_on = self.from_valid & !self.is_drawn;
        if self.from_valid {
            self.is_drawn = false;
        }
        if is_sent & !is_passed_on {
            self.sends = self.sends + 1;
        }
        if is_passed_on & !is_sent {
            self.sends = self.sends - 1;
        }

        comment!("Results.");
        self.res_valid = is_passed_on | self.answers_2;
        self.res_kind = self.from_kind;
        self.res_ev = self.from_ev;
        if self.answers_2 {
            self.res_kind = 2;
            self.res_ev = self.ev;
        }

        comment!("The memory. After a reset nothing is kept.");
        self.kept.write_enable = !self.is_ready | renews | (self.from_valid & self.is_drawn);
        self.kept.write_address = self.conn;
        self.kept.write_data.is_there = self.is_drawn;
        self.kept.write_data.ev = self.from_ev;
        if renews {
            self.kept.write_address = self.op_conn;
        }
        if !self.is_ready {
            self.kept.write_address = self.clear_at;
            self.kept.write_data.is_there = false;
        }
        self.clear_at = self.clear_at + 1;
        if self.clear_at == self.last_conn {
            self.is_ready = true;
        }
    }
}
