//! The state machine: which op is in work, and which step it is in.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Takes an op and leads it through its steps, one flag a step.
///
/// ```text
///  read, idle,
///  refused ack     1 ─ 2 ─ 3 ─ done                                                  4
///  init            1 ─ 2 ─ 3 ─ 8 ─ 9 ─ clamp ─ done                                  7
///  ack, hold       1 ─ … ─ 13 ─ fair ─ clamp ─ done                                  16
///       achieved   1 ─ … ─ 13 ─ take ─ fair ─ clamp ─ done                           17
///       increase   1 ─ … ─ 8 ─ divide, 24 cycles ─ grow ─ fair ─ clamp ─ done        36
///       multiply   1 ─ … ─ 13 ─ load ─ divide, 16 cycles ─ cut 1 ─ … ─ cut 6
///                                                       ─ fair ─ clamp ─ done        39
///  rst             clear, a cycle per connection
/// ```
///
/// In `done` the result stands at the ports, the last word is written, and the next op may be taken.
#[block]
pub struct Steps<const C: usize> {
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    /// Step 3: the connection is not initialised, or the MTU is out of range.
    pub refused: Signal<In, bool>,
    /// Step 8: the window grows by a quotient.
    pub grows: Signal<In, bool>,
    /// Step 13: the window becomes what was achieved; it becomes a fraction of itself.
    pub takes: Signal<In, bool>,
    pub cuts: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// Connection in work; while clearing, the one to clear.
    pub conn: Signal<Out, Bits<C>>,
    pub clearing: Signal<Out, bool>,
    pub is_ack: Signal<Out, bool>,
    pub is_init: Signal<Out, bool>,
    /// Steps 1 to 13 in bits 0 to 12.
    pub step: Signal<Out, Bits<13>>,
    /// The quotient is for a cut; the divider is loaded for it.
    pub is_cut: Signal<Out, bool>,
    pub load: Signal<Out, bool>,
    pub dividing: Signal<Out, bool>,
    pub take: Signal<Out, bool>,
    pub grow: Signal<Out, bool>,
    /// Steps cut 1 to cut 6 in bits 0 to 5.
    pub cut: Signal<Out, Bits<6>>,
    pub fair: Signal<Out, bool>,
    pub clamp: Signal<Out, bool>,
    /// The window is written.
    pub done: Signal<Out, bool>,
    pub res_valid: Signal<Out, bool>,
    pub res_status: Signal<Out, Bits<3>>,

    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = 0]
    connection: Reg<Bits<C>>,
    #[reset = true]
    is_clearing: Reg<bool>,
    read: Reg<bool>,
    ack: Reg<bool>,
    init: Reg<bool>,
    #[reset = 0]
    at: Reg<Bits<13>>,
    #[reset = false]
    in_load: Reg<bool>,
    #[reset = false]
    in_divide: Reg<bool>,
    left: Reg<Bits<5>>,
    for_cut: Reg<bool>,
    #[reset = false]
    in_take: Reg<bool>,
    #[reset = false]
    in_grow: Reg<bool>,
    #[reset = 0]
    in_cut: Reg<Bits<6>>,
    #[reset = false]
    in_fair: Reg<bool>,
    #[reset = false]
    in_clamp: Reg<bool>,
    #[reset = false]
    in_done: Reg<bool>,
    #[reset = false]
    result: Reg<bool>,
    is_refused: Reg<bool>,
}

#[block]
impl<const C: usize> Steps<C> {
    fn update(&mut self) {
        comment!("module steps: which op is in work, and which step it is in, one flag a step");
        let starts = self.is_ready & self.op_valid;
        comment!("The op is done in its third step already: it reads, changes nothing, or is refused.");
        let early = self.at.get_bit(2) & !self.init & (!self.ack | self.refused);
        let divided = self.in_divide & !self.left.any();
        let clear_done = self.is_clearing & self.connection.all();

        if starts {
            self.connection = self.op_conn;
            self.read = self.op_kind == 0;
            self.ack = self.op_kind == 1;
            self.init = self.op_kind == 4;
        }
        if self.is_clearing {
            self.connection = self.connection + 1;
        }
        self.is_clearing = self.is_clearing & !clear_done;

        let mut next_step = self.at << 1;
        next_step = next_step.replace_bit(0, starts);
        next_step = next_step.replace_bit(3, self.at.get_bit(2) & self.ack & !self.refused);
        next_step = next_step.replace_bit(7, self.at.get_bit(6) | (self.at.get_bit(2) & self.init));
        next_step = next_step.replace_bit(9, self.at.get_bit(8) & self.ack & !self.in_divide);
        self.at = next_step;

        comment!("The division takes as many cycles as the quotient has bits.");
        self.in_load = self.at.get_bit(12) & self.cuts;
        self.in_divide = (self.at.get_bit(7) & self.grows) | self.in_load | (self.in_divide & !divided);
        self.left = self.left - 1;
        if self.in_load {
            self.left = 15;
        }
        if self.at.get_bit(7) {
            self.left = 23;
        }
        if self.at.get_bit(12) {
            self.for_cut = self.cuts;
        }
        if self.at.get_bit(0) {
            self.for_cut = false;
        }

        self.in_take = self.at.get_bit(12) & self.takes;
        self.in_grow = divided & !self.for_cut;
        self.in_cut = (self.in_cut << 1) | bit_cast::<6, 1>((divided & self.for_cut).into());
        self.in_fair = (self.at.get_bit(12) & !self.takes & !self.cuts)
            | self.in_take
            | self.in_grow
            | self.in_cut.get_bit(5);
        self.in_clamp = self.in_fair | (self.at.get_bit(8) & self.init);
        self.in_done = self.in_clamp;
        self.is_ready = (self.is_ready & !self.op_valid) | early | self.in_clamp | clear_done;
        self.result = (early & (self.read | self.ack)) | (self.in_clamp & self.ack);
        if self.at.get_bit(2) {
            self.is_refused = self.refused;
        }

        self.ready = self.is_ready;
        self.conn = self.connection;
        self.clearing = self.is_clearing;
        self.is_ack = self.ack;
        self.is_init = self.init;
        self.step = self.at;
        self.is_cut = self.for_cut;
        self.load = self.in_load;
        self.dividing = self.in_divide;
        self.take = self.in_take;
        self.grow = self.in_grow;
        self.cut = self.in_cut;
        self.fair = self.in_fair;
        self.clamp = self.in_clamp;
        self.done = self.in_done;
        self.res_valid = self.result;
        self.res_status = 0;
        if self.is_refused {
            self.res_status = 7;
        }
    }
}
