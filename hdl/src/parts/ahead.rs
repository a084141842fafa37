//! Which of the ops ahead share the connection of an op.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::prims::Param;
use crate::{comment, signal_struct};

signal_struct! {
    /// Which of the ops ahead have the connection of the op in the read stage.
    pub struct Ahead {
        /// The one a place ahead has.
        pub one: bool,
        /// The one two places ahead has.
        pub two: bool,
        /// The one three places ahead has.
        pub three: bool,
        /// The one three or the one four places ahead has.
        pub older: bool,
        /// The one four places ahead has, the one three places ahead has not.
        pub only_four: bool,
    }
}

/// Compares the connection of the op at the inputs with those of the four ops ahead of it.
///
/// That is a stage before the answer is needed, so that forwarding starts from registers. An op up to three places ahead has
/// not written the control RAM yet; the one four places ahead writes it at the very edge at which the op at the inputs
/// reads it.
#[derive(LogicBlock, Default)]
pub struct Hazards<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_conn: Signal<In, Bits<C>>,
    /// Whether an op stands in the stages behind the inputs, and its connection.
    pub read_valid: Signal<In, bool>,
    pub read_conn: Signal<In, Bits<C>>,
    pub forward_valid: Signal<In, bool>,
    pub forward_conn: Signal<In, Bits<C>>,
    pub update_valid: Signal<In, bool>,
    pub update_conn: Signal<In, Bits<C>>,
    pub write_live: Signal<In, bool>,
    pub write_conn: Signal<In, Bits<C>>,

    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<Out, Ahead>,

    same_one: Signal<Local, bool>,
    same_two: Signal<Local, bool>,
    same_three: Signal<Local, bool>,
    same_four: Signal<Local, bool>,
    read_ahead: DFF<Ahead>,
    none_ahead: Param<Ahead>,
}

impl<const C: usize> Hazards<C> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { none_ahead: Param::new(Ahead::default()), ..Default::default() }
    }
}

impl<const C: usize> Logic for Hazards<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module hazards: which of the ops ahead share the connection of the op at the inputs");
        dff_setup!(self, clk, read_ahead);
        self.same_one.next = self.read_valid.val() & (self.op_conn.val() == self.read_conn.val());
        self.same_two.next = self.forward_valid.val() & (self.op_conn.val() == self.forward_conn.val());
        self.same_three.next = self.update_valid.val() & (self.op_conn.val() == self.update_conn.val());
        self.same_four.next = self.write_live.val() & (self.op_conn.val() == self.write_conn.val());
        self.read_ahead.d.next.one = self.same_one.val();
        self.read_ahead.d.next.two = self.same_two.val();
        self.read_ahead.d.next.three = self.same_three.val();
        self.read_ahead.d.next.older = self.same_three.val() | self.same_four.val();
        self.read_ahead.d.next.only_four = self.same_four.val() & !self.same_three.val();
        self.ahead.next = self.read_ahead.q.val();
        if self.rst.val() {
            self.read_ahead.d.next = self.none_ahead.val();
        }
    }
}
