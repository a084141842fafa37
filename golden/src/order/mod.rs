//! Order, packet by packet: a network for the two cores that promise it, with either the models or devices in their places.
//!
//! ```text
//!              EV or uplink mod paths       each a FIFO, delays change at will
//!  senders ───► the end under test ───┬────► path 0 ────┬───► receivers: was a later packet of the flow here before?
//!     ▲              ▲                └────► …      ────┘          │
//!     └── XOFF, XON ─┤                                             │
//!                    └──────── ACKs: lost, late, overtaking ◄──────┘
//! ```
//!
//! [`nic`] has a connection of `flowcut` for each flow, counts that repair lost ACKs, and retransmissions; [`switch`] has buckets of
//! `flowcut_switch` that flows share, ACKs of bytes, and hosts that pause, or do not.
//!
//! # What is decided here
//! - Order is that of first transmissions. A retransmission comes late by its nature, and is not counted.
//! - What is sent after an `order_risk` may overtake what was sent before it, as the end said. That is counted apart, as `excused`, and
//!   only where no packet of the same side of the risk overtook it, too.
//! - The network keeps its own books of what is on its way, from ops and outcomes alone, so that an end need not be readable.
//! - One seed gives one run: nothing that decides is a floating point number, and events at one tick happen in the order in which they
//!   were caused.

mod calendar;
mod fabric;
pub mod figure_3;
mod flow;
pub mod nic;
mod report;
pub mod switch;

pub use calendar::HORIZON;
pub use fabric::Fabric;
pub use flow::Traffic;
pub use report::Report;

use crate::{flowcut, flowcut_switch};

/// Parts of a whole in which a chance is given.
pub const PPM: u32 = 1_000_000;

/// Something in the place of `flowcut`: the model, a device, or one with a fault.
pub trait SenderEnd {
    /// Executes one op of a connection below the number of flows.
    fn apply(&mut self, op: &flowcut::Op) -> flowcut::Outcome;
}

/// Something in the place of `flowcut_switch`: the model, a device, or one with a fault.
pub trait SwitchEnd {
    /// Executes one op that the port knows.
    fn apply(&mut self, op: &flowcut_switch::Op) -> flowcut_switch::Outcome;

    /// The walker comes to its next bucket; returns which one that is, and what came of it. `op` has the time and the settings, and the
    /// bucket of an end whose walker goes where the network says.
    fn visit(&mut self, op: &flowcut_switch::Op) -> (u16, flowcut_switch::Outcome);

    /// What came of a visit that the network did not ask for and that came before the last op, the oldest of those first: a device's
    /// walker has slots of its own.
    fn visited(&mut self) -> Option<(u16, flowcut_switch::Outcome)> {
        None
    }
}

impl SenderEnd for flowcut::Engine {
    fn apply(&mut self, op: &flowcut::Op) -> flowcut::Outcome {
        flowcut::Engine::apply(self, op)
    }
}

impl SwitchEnd for flowcut_switch::Engine {
    fn apply(&mut self, op: &flowcut_switch::Op) -> flowcut_switch::Outcome {
        flowcut_switch::Engine::apply(self, op)
    }

    fn visit(&mut self, op: &flowcut_switch::Op) -> (u16, flowcut_switch::Outcome) {
        (op.bucket, flowcut_switch::Engine::apply(self, op))
    }
}
