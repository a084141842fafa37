//! Commands of the host, each to the part that executes it.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// Gives a command to the part that executes it, and says when it is done.
///
/// The codes are those of the register `command`: 1 open for sending, 2 open for receiving, 3 read, 4 nack, 5 reset, 6 close for sending,
/// 7 close for receiving, 8 set_min. A reset holds `engine_rst` for four cycles, and is done when every engine has taken ops again.
#[block]
pub struct Commands {
    pub command_valid: Signal<In, bool>,
    pub command_ready: Signal<Out, bool>,
    pub command_code: Signal<In, Bits<4>>,
    pub open_tx_valid: Signal<Out, bool>,
    pub open_tx_ready: Signal<In, bool>,
    pub close_tx_valid: Signal<Out, bool>,
    pub close_tx_ready: Signal<In, bool>,
    // Where the host hears of closes: close_tx is to drain first.
    pub drains: Optional<Signal<In, bool>>,
    pub drain_valid: Optional<Signal<Out, bool>>,
    pub drain_ready: Optional<Signal<In, bool>>,
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

    resets: Reg<bool>,
    hold: Reg<Bits<3>>,
    sack_tx_seen: Reg<bool>,
    sack_rx_seen: Reg<bool>,
    selector_seen: Reg<bool>,
    waits: Reg<bool>,
    is_graceful: Param<bool>,
}

#[block]
impl Commands {
    /// Where the host hears of closes, or does not.
    pub fn new(is_graceful: bool) -> Self {
        Self {
            drains: Optional::new(is_graceful, Default::default),
            drain_valid: Optional::new(is_graceful, Default::default),
            drain_ready: Optional::new(is_graceful, Default::default),
            is_graceful: Param::new(is_graceful),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Commands of the host, each to the part that executes it.");
        let go = self.command_valid & !self.waits;
        self.open_tx_valid = go & (self.command_code == 1) & self.has_forgotten;
        self.open_rx_valid = go & (self.command_code == 2);
        self.read_valid = go & (self.command_code == 3);
        self.nack_valid = go & (self.command_code == 4);
        self.close_tx_valid = go & (self.command_code == 6) & self.has_forgotten;
        self.close_rx_valid = go & (self.command_code == 7);
        if self.is_graceful {
            self.close_tx_valid = go & (self.command_code == 6) & self.has_forgotten & !self.drains;
            self.drain_valid = go & (self.command_code == 6) & self.has_forgotten & self.drains;
        }
        self.set_min_valid = go & (self.command_code == 8);

        comment!("A reset: four cycles, and then until every engine is ready.");
        self.resets = self.hold.any();
        if self.hold.any() {
            self.hold = self.hold - 1;
        }
        if go & (self.command_code == 5) {
            self.hold = 4;
            self.waits = true;
        }
        self.sack_tx_seen = self.sack_tx_seen | self.sack_tx_ready;
        self.sack_rx_seen = self.sack_rx_seen | self.sack_rx_ready;
        self.selector_seen = self.selector_seen | self.selector_ready;
        if self.resets | self.hold.any() {
            self.sack_tx_seen = false;
            self.sack_rx_seen = false;
            self.selector_seen = false;
        }
        let is_up = self.waits
            & !self.hold.any()
            & !self.resets
            & self.sack_tx_seen
            & self.sack_rx_seen
            & self.selector_seen
            & self.recovery_ready
            & self.due_ready;
        if is_up {
            self.waits = false;
        }
        comment!(
            "The reset of the block reaches everything at one edge: what is counted afterwards came afterwards."
        );
        self.engine_rst = self.rst | self.resets;
        self.command_ready = (self.open_tx_valid & self.open_tx_ready)
            | (self.close_tx_valid & self.close_tx_ready)
            | ((self.open_rx_valid | self.close_rx_valid) & self.open_rx_ready)
            | (self.read_valid & self.read_ready)
            | (self.nack_valid & self.nack_ready)
            | (self.set_min_valid & self.set_min_ready)
            | is_up;
        if self.is_graceful {
            self.command_ready = self.command_ready | (self.drain_valid & self.drain_ready);
        }
        if self.rst {
            self.resets = true;
            self.hold = 0;
            self.waits = false;
            self.sack_tx_seen = false;
            self.sack_rx_seen = false;
            self.selector_seen = false;
        }
    }
}
