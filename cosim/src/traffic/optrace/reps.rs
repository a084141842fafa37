//! Op traces of `reps`.
//!
//! | column | holds |
//! | --- | --- |
//! | `time_ns` | time of the op; `now` is this modulo `2^reps.time_bits` |
//! | `op` | `send`, `ack`, `nack`, `timeout`, `init`, `reserved5`..`reserved7` (op kinds that change nothing), or `reset` |
//! | `conn` | connection, below `connections`; empty for `reset` |
//! | `ev` | EV, 0 to 65535; an `ack` needs it. Of a `reset`: the seed from here on |
//! | `ecn` | 1 if the ACK's packet was marked CE, 0 or empty if not |
//! | `expect` | of a `send`: `cached` (recycle or replay with exactly `expect_ev`), `explore` (any EV), or empty |
//! | `expect_ev` | EV of a `cached` |
//! | `idle` | clock edges without an op before this line's, 0 if empty |
//! | `freeze_timeout`, `bdp_packets` | these inputs during this op; if empty, the run's setting |

use super::{Fields, OpTrace, Refusal, optional, text};

/// An op trace of `reps`.
pub type Trace = OpTrace<Row>;

/// Settings of a run that a trace may carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Freeze timeout in ticks of `now`, for rows without their own.
    pub freeze_timeout: Option<u32>,
    /// Packets of one BDP, for rows without their own.
    pub bdp_packets: Option<u8>,
}

/// One line of an op trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Clock edges without an op before this one.
    pub idle: u32,
    /// Time of the op in ns.
    pub time_ns: u64,
    /// What is done.
    pub op: RowOp,
    /// Connection; 0 for a reset.
    pub conn: u32,
    /// EV of an ACK, new seed of a reset; of other ops it changes nothing, which is worth testing.
    pub ev: Option<u16>,
    /// The ACK's packet was marked CE.
    pub ecn: bool,
    /// What the send must return.
    pub expect: Option<Expect>,
    /// Freeze timeout in ticks during this op.
    pub freeze_timeout: Option<u32>,
    /// Packets of one BDP during this op.
    pub bdp_packets: Option<u8>,
}

/// What a line of an op trace does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOp {
    #[default]
    Send,
    Ack,
    Nack,
    Timeout,
    Init,
    /// Op kind 5, 6 or 7.
    Reserved(u8),
    /// One clock edge with `rst` high.
    Reset,
}

/// What a trace says that a send returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// A random EV, any.
    Explore,
    /// A cached EV, recycled or replayed: exactly this one.
    Cached(u16),
}

/// What the configuration allows in a trace.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections of the engine.
    pub connections: u32,
    /// Width of `now` and of the freeze timeout in bits, 1 to 32.
    pub time_bits: u32,
}

impl Limits {
    fn last_time(&self) -> u64 {
        (1 << self.time_bits) - 1
    }
}

impl super::Settings for Settings {
    const NAMES: &'static [&'static str] = &["freeze_timeout", "bdp_packets"];
    type Limits = Limits;

    fn get(&self, place: usize) -> Option<u64> {
        if place == 0 { self.freeze_timeout.map(u64::from) } else { self.bdp_packets.map(u64::from) }
    }

    fn set(&mut self, place: usize, value: u64) {
        match place {
            0 => self.freeze_timeout = Some(value as u32),
            _ => self.bdp_packets = Some(value as u8),
        }
    }

    fn last(place: usize, limits: &Limits) -> u64 {
        if place == 0 { limits.last_time() } else { 0xff }
    }
}

const TIME: usize = 0;
const OP: usize = 1;
const CONN: usize = 2;
const EV: usize = 3;
const ECN: usize = 4;
const EXPECT: usize = 5;
const EXPECT_EV: usize = 6;
const IDLE: usize = 7;
const FREEZE: usize = 8;
const BDP: usize = 9;

impl super::Row for Row {
    const COLUMNS: &'static [&'static str] = &[
        "time_ns",
        "op",
        "conn",
        "ev",
        "ecn",
        "expect",
        "expect_ev",
        "idle",
        "freeze_timeout",
        "bdp_packets",
    ];
    const NEEDED: usize = CONN + 1;
    const WRITTEN: usize = EXPECT_EV + 1;
    type Settings = Settings;
    type Limits = Limits;

    fn read(fields: &Fields<'_>, limits: &Limits) -> Result<Row, Refusal> {
        let op = fields.choice(OP, &RowOp::NAMES)?;
        let conn = match (op, fields.text(CONN)) {
            (RowOp::Reset, "") => 0,
            _ => fields.number(CONN, u64::from(limits.connections) - 1)? as u32,
        };
        let ev = fields.optional(EV, 0xffff)?.map(|ev| ev as u16);
        if op == RowOp::Ack && ev.is_none() {
            return Err(fields.refused(EV, "0 to 65535, which an ack needs"));
        }
        Ok(Row {
            idle: fields.optional(IDLE, u64::from(u32::MAX))?.unwrap_or(0) as u32,
            time_ns: fields.number(TIME, u64::MAX)?,
            op,
            conn,
            ev,
            ecn: fields.flag(ECN)?,
            expect: Expect::read(op, fields)?,
            freeze_timeout: fields.optional(FREEZE, limits.last_time())?.map(|ticks| ticks as u32),
            bdp_packets: fields.optional(BDP, 0xff)?.map(|packets| packets as u8),
        })
    }

    fn write(&self, out: &mut [String]) {
        let of_an_op = self.op != RowOp::Reset;
        out[TIME] = self.time_ns.to_string();
        out[OP] = self.op.name().to_string();
        out[CONN] = text(of_an_op.then_some(self.conn));
        out[EV] = text(self.ev);
        out[ECN] = text((self.op == RowOp::Ack || self.ecn).then_some(self.ecn as u8));
        (out[EXPECT], out[EXPECT_EV]) = match self.expect {
            None => (String::new(), String::new()),
            Some(Expect::Explore) => ("explore".into(), String::new()),
            Some(Expect::Cached(ev)) => ("cached".into(), ev.to_string()),
        };
        out[IDLE] = optional(self.idle, 0);
        out[FREEZE] = text(self.freeze_timeout);
        out[BDP] = text(self.bdp_packets);
    }
}

impl Expect {
    fn read(op: RowOp, fields: &Fields<'_>) -> Result<Option<Expect>, Refusal> {
        match fields.text(EXPECT) {
            "" => Ok(None),
            _ if op != RowOp::Send => Err(fields.refused(EXPECT, "nothing, except for a send")),
            "explore" => Ok(Some(Expect::Explore)),
            "cached" => Ok(Some(Expect::Cached(fields.number(EXPECT_EV, 0xffff)? as u16))),
            _ => Err(fields.refused(EXPECT, "cached, explore or nothing")),
        }
    }
}

impl RowOp {
    const NAMES: [(&'static str, RowOp); 9] = [
        ("send", RowOp::Send),
        ("ack", RowOp::Ack),
        ("nack", RowOp::Nack),
        ("timeout", RowOp::Timeout),
        ("init", RowOp::Init),
        ("reserved5", RowOp::Reserved(5)),
        ("reserved6", RowOp::Reserved(6)),
        ("reserved7", RowOp::Reserved(7)),
        ("reset", RowOp::Reset),
    ];

    /// As a trace spells it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, op)| *op == self).map_or("reserved", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests;
