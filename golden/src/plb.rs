//! PLB as 001 compares REPS with it, section 4.1: a connection leaves its path after congested rounds in a row, or a timeout.
//!
//! The algorithm is that of the simulator that 001 was evaluated with (class `UecSrc`, algorithm PLB). It counts feedback in
//! rounds of an RTT. A round in which more than K of the feedback was marked is congested. The first send after more than
//! `congested_rounds` of them draws an EV; so does a timeout, if the latest one that did lies more than an RTO back.
//!
//! # As found there
//! - K is a quarter, but kept in a whole number, so 001's PLB ran with K = 0: any mark makes a round congested. Here the
//!   setting `mark_threshold` is K in 256ths: 0 is what ran, 64 what was meant.
//! - The first feedback of a connection closes a round, which has no packet but its own.
//! - "More than 1" is two congested rounds in a row.
//! - An ACK counts as one packet, whatever it covers. A NACK counts as marked.
//! - The send after a timeout that drew is a replay: its EV is new, but it draws nothing.
//!
//! PLB itself (SIGCOMM 2022, and Linux) has K = 1/2 with "at least", 12 rounds, or 3 where nothing is in flight, and does not
//! move for a minute after a timeout; the last two are left out.
//!
//! # What the sources leave open
//! - Elapsed time is the difference of two times without sign, modulo `2^time_bits`, compared strictly.
//! - Excess marks saturate at 17 bits with sign, congested rounds at 15.
//! - The event `path_moved` tells of a drawn EV that takes the place of another, so not of a connection's first one.

use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// The engine's configuration.
pub type Params = selector::Params<()>;

/// Event: an EV was drawn in place of another.
pub const PATH_MOVED: u8 = 1 << 0;
/// Event: a congested round closed.
pub const ROUND_CONGESTED: u8 = 1 << 1;

/// Bounds of the excess marks.
const LEAST_SUM: i32 = -(1 << 16);
const MOST_SUM: i32 = (1 << 16) - 1;
/// Bound of the congested rounds in a row.
const MOST_ROUNDS: u8 = 15;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// The EV in use, once it is drawn.
    pub ev: u16,
    /// An EV was drawn since `Init`.
    pub drawn: bool,
    /// When the latest round closed.
    pub round_at: u32,
    /// A round closed since `Init`.
    pub in_round: bool,
    /// What the marks of the round exceed K by, in 256ths of a packet.
    pub sum: i32,
    /// Congested rounds in a row.
    pub rounds: u8,
    /// When a timeout drew an EV.
    pub timed_out_at: u32,
    /// A timeout came since `Init`.
    pub timed_out: bool,
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Plb;

impl Selector for Plb {
    const NAME: &'static str = "plb";
    /// A round and an RTO in ticks, K in 256ths, 8 bits, and rounds, 4 bits.
    const SETTINGS: &'static [&'static str] = &["round_ticks", "rto", "mark_threshold", "congested_rounds"];
    const EVENTS: &'static [&'static str] = &["path_moved", "round_congested"];
    type Keys = ();
    type Connection = Connection;

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        let c = connection;
        let [_, _, mark_threshold, congested_rounds] = op.settings;
        let mut outcome = Outcome::default();
        match op.kind {
            OpKind::Ack | OpKind::Nack => {
                let mark = if op.kind == OpKind::Nack || op.ecn { 256 } else { 0 };
                c.sum = (c.sum + mark - mark_threshold as i32).clamp(LEAST_SUM, MOST_SUM);
                if c.closes_round(params, op) {
                    if c.sum > 0 {
                        outcome.events |= ROUND_CONGESTED;
                        c.rounds = MOST_ROUNDS.min(c.rounds + 1);
                    } else {
                        c.rounds = 0;
                    }
                    c.sum = 0;
                    c.round_at = op.now;
                    c.in_round = true;
                }
            }
            OpKind::Send => {
                let moves = !c.drawn || u32::from(c.rounds) > congested_rounds;
                let kind = if moves { SendKind::Explore } else { SendKind::Replay };
                if moves {
                    outcome.events |= c.draw(params, rng);
                }
                outcome.result = Outcome::sent(kind, c.ev).result;
            }
            OpKind::Timeout => {
                if c.counts(params, op) {
                    outcome.events |= c.draw(params, rng);
                    c.timed_out_at = op.now;
                    c.timed_out = true;
                }
            }
            OpKind::Init | OpKind::Reserved => (),
        }
        outcome
    }
}

impl Connection {
    /// Whether an op is feedback that closes the round.
    pub fn closes_round(&self, params: &Params, op: &Op) -> bool {
        let is_past = || params.elapsed(self.round_at, op.now) > op.settings[0];
        matches!(op.kind, OpKind::Ack | OpKind::Nack) && (!self.in_round || is_past())
    }

    /// Whether an op is a timeout that draws an EV.
    pub fn counts(&self, params: &Params, op: &Op) -> bool {
        let is_past = || params.elapsed(self.timed_out_at, op.now) > op.settings[1];
        op.kind == OpKind::Timeout && (!self.timed_out || is_past())
    }

    /// Draws an EV, and gives the event that tells of it.
    fn draw(&mut self, params: &Params, rng: &mut Rng) -> u8 {
        let events = if self.drawn { PATH_MOVED } else { 0 };
        self.ev = params.draw(rng);
        self.drawn = true;
        self.rounds = 0;
        events
    }
}
