//! Commands of the host, each to the part that executes it.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Gives a command to the part that executes it, and says when it is done.
///
/// The codes are those of the register `command`: 1 open for sending, 2 open for receiving, 3 read, 4 nack, 5 reset, 6 close for sending,
/// 7 close for receiving, 8 set_min. A reset holds `engine_rst` for four cycles, and is done when every engine has taken ops again.
#[derive(LogicBlock, Default)]
pub struct Commands {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub command_valid: Signal<In, bool>,
    pub command_ready: Signal<Out, bool>,
    pub command_code: Signal<In, Bits<4>>,
    pub open_tx_valid: Signal<Out, bool>,
    pub open_tx_ready: Signal<In, bool>,
    pub close_tx_valid: Signal<Out, bool>,
    pub close_tx_ready: Signal<In, bool>,
    /// The connection that was opened or closed before is forgotten where its packets leave.
    pub has_forgotten: Signal<In, bool>,
    pub open_rx_valid: Signal<Out, bool>,
    pub close_rx_valid: Signal<Out, bool>,
    /// The receiver takes the one or the other.
    pub open_rx_ready: Signal<In, bool>,
    pub read_valid: Signal<Out, bool>,
    pub read_ready: Signal<In, bool>,
    pub nack_valid: Signal<Out, bool>,
    pub nack_ready: Signal<In, bool>,
    pub set_min_valid: Signal<Out, bool>,
    pub set_min_ready: Signal<In, bool>,
    /// High in a cycle in which an engine could take an op.
    pub sack_tx_ready: Signal<In, bool>,
    pub sack_rx_ready: Signal<In, bool>,
    pub selector_ready: Signal<In, bool>,
    /// The lists are empty.
    pub recovery_ready: Signal<In, bool>,
    pub due_ready: Signal<In, bool>,
    /// Reset of everything but registers, counters and clock: of a command, and together with `rst`.
    pub engine_rst: Signal<Out, bool>,

    resets: DFF<bool>,
    hold: DFF<Bits<3>>,
    sack_tx_seen: DFF<bool>,
    sack_rx_seen: DFF<bool>,
    selector_seen: DFF<bool>,
    waits: DFF<bool>,
    is_up: Signal<Local, bool>,
    go: Signal<Local, bool>,
}

impl Logic for Commands {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Commands of the host, each to the part that executes it.");
        dff_setup!(self, clk, resets, hold, sack_tx_seen, sack_rx_seen, selector_seen, waits);
        self.go.next = self.command_valid.val() & !self.waits.q.val();
        self.open_tx_valid.next = self.go.val() & (self.command_code.val() == 1) & self.has_forgotten.val();
        self.open_rx_valid.next = self.go.val() & (self.command_code.val() == 2);
        self.read_valid.next = self.go.val() & (self.command_code.val() == 3);
        self.nack_valid.next = self.go.val() & (self.command_code.val() == 4);
        self.close_tx_valid.next = self.go.val() & (self.command_code.val() == 6) & self.has_forgotten.val();
        self.close_rx_valid.next = self.go.val() & (self.command_code.val() == 7);
        self.set_min_valid.next = self.go.val() & (self.command_code.val() == 8);

        comment!("A reset: four cycles, and then until every engine is ready.");
        self.resets.d.next = self.hold.q.val().any();
        if self.hold.q.val().any() {
            self.hold.d.next = self.hold.q.val() - 1;
        }
        if self.go.val() & (self.command_code.val() == 5) {
            self.hold.d.next = 4.into();
            self.waits.d.next = true;
        }
        self.sack_tx_seen.d.next = self.sack_tx_seen.q.val() | self.sack_tx_ready.val();
        self.sack_rx_seen.d.next = self.sack_rx_seen.q.val() | self.sack_rx_ready.val();
        self.selector_seen.d.next = self.selector_seen.q.val() | self.selector_ready.val();
        if self.resets.q.val() | self.hold.q.val().any() {
            self.sack_tx_seen.d.next = false;
            self.sack_rx_seen.d.next = false;
            self.selector_seen.d.next = false;
        }
        self.is_up.next = self.waits.q.val()
            & !self.hold.q.val().any()
            & !self.resets.q.val()
            & self.sack_tx_seen.q.val()
            & self.sack_rx_seen.q.val()
            & self.selector_seen.q.val()
            & self.recovery_ready.val()
            & self.due_ready.val();
        if self.is_up.val() {
            self.waits.d.next = false;
        }
        comment!(
            "The reset of the block reaches everything at one edge: what is counted afterwards came afterwards."
        );
        self.engine_rst.next = self.rst.val() | self.resets.q.val();
        self.command_ready.next = (self.open_tx_valid.val() & self.open_tx_ready.val())
            | (self.close_tx_valid.val() & self.close_tx_ready.val())
            | ((self.open_rx_valid.val() | self.close_rx_valid.val()) & self.open_rx_ready.val())
            | (self.read_valid.val() & self.read_ready.val())
            | (self.nack_valid.val() & self.nack_ready.val())
            | (self.set_min_valid.val() & self.set_min_ready.val())
            | self.is_up.val();
        if self.rst.val() {
            self.resets.d.next = true;
            self.hold.d.next = 0.into();
            self.waits.d.next = false;
            self.sack_tx_seen.d.next = false;
            self.sack_rx_seen.d.next = false;
            self.selector_seen.d.next = false;
        }
    }
}
