//! ECMP: one path a connection, 001 section 2.2.
//!
//! The switches hash a header that never changes, so a connection keeps the path that chance gave it, whatever
//! happens there. Here chance is the EV, which is drawn once. (In the simulator that 001 was evaluated with, the EV is
//! the sender's node number.)

use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// The engine's configuration.
pub type Params = selector::Params<()>;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// The connection's EV, once it is drawn.
    pub ev: u16,
    /// A packet was sent since `Init`.
    pub drawn: bool,
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Ecmp;

impl Selector for Ecmp {
    const NAME: &'static str = "ecmp";
    const SETTINGS: &'static [&'static str] = &[];
    const EVENTS: &'static [&'static str] = &[];
    type Keys = ();
    type Connection = Connection;

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        if op.kind != OpKind::Send {
            return Outcome::default(); // no feedback moves the connection
        }
        if connection.drawn {
            return Outcome::sent(SendKind::Replay, connection.ev);
        }
        *connection = Connection { ev: params.draw(rng), drawn: true };
        Outcome::sent(SendKind::Explore, connection.ev)
    }
}
