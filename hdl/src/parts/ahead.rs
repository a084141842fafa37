//! Which of the ops ahead share the connection of an op.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::prims::{Param, Reg};
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
#[block]
pub struct Hazards<const C: usize> {
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

    #[reset = none_ahead]
    read_ahead: Reg<Ahead>,
    none_ahead: Param<Ahead>,
}

#[block]
impl<const C: usize> Hazards<C> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { none_ahead: Param::new(Ahead::default()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module hazards: which of the ops ahead share the connection of the op at the inputs");
        let same_one = self.read_valid & (self.op_conn == self.read_conn);
        let same_two = self.forward_valid & (self.op_conn == self.forward_conn);
        let same_three = self.update_valid & (self.op_conn == self.update_conn);
        let same_four = self.write_live & (self.op_conn == self.write_conn);
        self.read_ahead.one = same_one;
        self.read_ahead.two = same_two;
        self.read_ahead.three = same_three;
        self.read_ahead.older = same_three | same_four;
        self.read_ahead.only_four = same_four & !same_three;
        self.ahead = self.read_ahead;
    }
}
