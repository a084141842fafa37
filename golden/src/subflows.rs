//! A few paths a connection in turn: MPTCP as 001 compares REPS with it, section 4.1.
//!
//! A connection owns n subflows. They differ in their EVs, which are n neighbours in the EV set from a first one on, and each
//! packet goes out on the subflow after that of the packet before. No feedback is heard. In the simulator that 001 was
//! evaluated with, the first EV is the sender's node number; here it is drawn.
//!
//! # What the sources leave open
//! - A setting of 0 is one subflow, one above 16 is sixteen.
//! - Where the setting falls to the place of the next packet or below it, the rotation begins anew with the packet after.

use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// Most subflows of a connection.
pub const MOST_SUBFLOWS: u32 = 16;

/// The engine's configuration.
pub type Params = selector::Params<()>;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// EV of the first subflow, once it is drawn.
    pub base: u16,
    /// A packet was sent since `Init`.
    pub drawn: bool,
    /// The subflow of the next packet, 0..16.
    pub next: u8,
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Subflows;

impl Selector for Subflows {
    const NAME: &'static str = "subflows";
    /// The number n of subflows, 5 bits.
    const SETTINGS: &'static [&'static str] = &["subflow_count"];
    const EVENTS: &'static [&'static str] = &[];
    type Keys = ();
    type Connection = Connection;

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        if op.kind != OpKind::Send {
            return Outcome::default();
        }
        if !connection.drawn {
            *connection = Connection { base: params.draw(rng), drawn: true, next: 0 };
        }
        let of_set = (u32::from(connection.base) + u32::from(connection.next)) % (1 << params.ev_bits);
        let [subflows, ..] = op.settings;
        let following = connection.next + 1;
        let ends = u32::from(following) >= subflows.min(MOST_SUBFLOWS);
        connection.next = if ends { 0 } else { following };
        Outcome::sent(SendKind::Explore, params.ev_base | of_set as u16)
    }
}
