//! MP-RDMA as 001 compares REPS with it, section 4.1: the packet that an ACK lets go takes the path of that ACK.
//!
//! The algorithm is that of the simulator that 001 was evaluated with. The window is not the selector's: with each ACK its
//! owner says whether there is room, that is whether the window lets a packet go. (In that simulator: whether the window grew
//! by more than `MTU - 66` bytes with the ACK, or exceeds the bytes in flight by more than that.) Marked ACKs name EVs as
//! others do; ECN acts on the window alone.
//!
//! What MP-RDMA itself (001's reference 41) does beyond that is left out, as in 001: it sends by the clock of ACKs, probes new
//! paths now and then, and bounds how far packets come out of order.

use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// The engine's configuration.
pub type Params = selector::Params<()>;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// The EV that feedback named last while there was room.
    pub ev: u16,
    /// There is such an EV.
    pub heard: bool,
    /// The latest ACK found room in the window.
    pub room: bool,
}

/// The selector. An ACK's [`Op::more`] is 1 if the window lets a packet go, and 0 if it does not.
#[derive(Clone, Copy, Debug)]
pub struct Mprdma;

impl Selector for Mprdma {
    const NAME: &'static str = "mprdma";
    const SETTINGS: &'static [&'static str] = &[];
    const EVENTS: &'static [&'static str] = &[];
    type Keys = ();
    type Connection = Connection;

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        match op.kind {
            OpKind::Ack => {
                connection.room = op.more != 0;
                connection.hear(op.ev);
            }
            OpKind::Nack => connection.hear(op.ev),
            OpKind::Send if connection.heard && connection.room => {
                return Outcome::sent(SendKind::Recycle, connection.ev);
            }
            OpKind::Send => return Outcome::sent(SendKind::Explore, params.draw(rng)),
            OpKind::Timeout | OpKind::Init | OpKind::Reserved => (),
        }
        Outcome::default()
    }
}

impl Connection {
    fn hear(&mut self, ev: u16) {
        if self.room {
            self.ev = ev;
            self.heard = true;
        }
    }
}
