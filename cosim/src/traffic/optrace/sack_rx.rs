//! Op traces of `sack_rx`.
//!
//! | column | holds |
//! | --- | --- |
//! | `op` | `packet`, `init` or `reset` |
//! | `conn` | connection, below `connections`; empty for `reset` |
//! | `psn` | the packet's PSN, 0 to 16777215; of a probe: a PSN of the segment asked for; of an `init`: the first PSN expected; empty for `reset` |
//! | `bytes` | payload, 0 to 65535; 0 if empty |
//! | `ecn`, `ack_request`, `probe` | 1 or 0: marked CE, asks for a SACK, is a probe; 0 if empty |
//! | `ev`, `timestamp` | 0 to 65535; 0 if empty |
//! | `expect` | of a `packet`: `sack` (exactly the SACK of the next five columns), `none` (no SACK), `wire` (the SACK of the next five columns was on the wire: the run counts those that the engine gives too), or empty |
//! | `expect_epsn`, `expect_base`, `expect_bitmap`, `expect_ooo`, `expect_bytes` | of a SACK: EPSN, PSN of bit 0 of the bitmap, the bitmap (`0x` and hexadecimal digits), packets held out of order, bytes received |
//! | `idle` | clock edges without an op before this line's, 0 if empty |
//! | `sack_threshold` | this input during this op; if empty, the run's setting |

use super::{Fields, OpTrace, Refusal, optional, text};

/// An op trace of `sack_rx`.
pub type Trace = OpTrace<Row>;

/// Settings of a run that a trace may carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of new packets that make a SACK due, for rows without their own.
    pub sack_threshold: Option<u16>,
}

/// One line of an op trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Clock edges without an op before this one.
    pub idle: u32,
    /// What is done.
    pub op: RowOp,
    /// Connection; 0 for a reset.
    pub conn: u32,
    /// 24 bits.
    pub psn: u32,
    /// Payload bytes.
    pub bytes: u16,
    /// The packet was marked CE.
    pub ecn: bool,
    /// Its EV.
    pub ev: u16,
    /// Its timestamp.
    pub timestamp: u16,
    /// It asks for a SACK.
    pub ack_request: bool,
    /// It is a probe.
    pub probe: bool,
    /// What comes of the packet.
    pub expect: Option<Expect>,
    /// Bytes of new packets that make a SACK due, during this op.
    pub sack_threshold: Option<u16>,
}

/// What a line of an op trace does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOp {
    #[default]
    Packet,
    Init,
    /// One clock edge with `rst` high.
    Reset,
}

/// What a trace says that comes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// No SACK.
    None,
    /// Exactly this SACK.
    Sack(Sack),
    /// This SACK was on the wire. Its receiver may answer by another rule, so another SACK is no difference.
    Wire(Sack),
}

/// What a SACK says of the receiver's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sack {
    /// 24 bits.
    pub epsn: u32,
    /// PSN of the bitmap's bit 0, 24 bits.
    pub base: u32,
    pub bitmap: u64,
    /// Packets held out of order, 12 bits.
    pub ooo: u16,
    /// Bytes received without duplicates, modulo 2^32.
    pub bytes_recvd: u32,
}

/// What the configuration allows in a trace.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections of the engine.
    pub connections: u32,
}

impl super::Settings for Settings {
    const NAMES: &'static [&'static str] = &["sack_threshold"];
    type Limits = Limits;

    fn get(&self, _: usize) -> Option<u64> {
        self.sack_threshold.map(u64::from)
    }

    fn set(&mut self, _: usize, value: u64) {
        self.sack_threshold = Some(value as u16);
    }

    fn last(_: usize, _: &Limits) -> u64 {
        0xffff
    }
}

const OP: usize = 0;
const CONN: usize = 1;
const PSN: usize = 2;
const BYTES: usize = 3;
const ECN: usize = 4;
const EV: usize = 5;
const TIMESTAMP: usize = 6;
const ACK_REQUEST: usize = 7;
const PROBE: usize = 8;
const EXPECT: usize = 9;
const EPSN: usize = 10;
const BASE: usize = 11;
const BITMAP: usize = 12;
const OOO: usize = 13;
const BYTES_RECVD: usize = 14;
const IDLE: usize = 15;
const THRESHOLD: usize = 16;

const LAST_PSN: u64 = (1 << 24) - 1;

impl super::Row for Row {
    const COLUMNS: &'static [&'static str] = &[
        "op",
        "conn",
        "psn",
        "bytes",
        "ecn",
        "ev",
        "timestamp",
        "ack_request",
        "probe",
        "expect",
        "expect_epsn",
        "expect_base",
        "expect_bitmap",
        "expect_ooo",
        "expect_bytes",
        "idle",
        "sack_threshold",
    ];
    const NEEDED: usize = PSN + 1;
    const WRITTEN: usize = BYTES + 1;
    type Settings = Settings;
    type Limits = Limits;

    fn read(fields: &Fields<'_>, limits: &Limits) -> Result<Row, Refusal> {
        let op = fields.choice(OP, &RowOp::NAMES)?;
        let unless_reset = |column, last| match (op, fields.text(column)) {
            (RowOp::Reset, "") => Ok(0),
            _ => fields.number(column, last),
        };
        let word = |column| Ok::<_, Refusal>(fields.optional(column, 0xffff)?.unwrap_or(0) as u16);
        Ok(Row {
            idle: fields.optional(IDLE, u64::from(u32::MAX))?.unwrap_or(0) as u32,
            op,
            conn: unless_reset(CONN, u64::from(limits.connections) - 1)? as u32,
            psn: unless_reset(PSN, LAST_PSN)? as u32,
            bytes: word(BYTES)?,
            ecn: fields.flag(ECN)?,
            ev: word(EV)?,
            timestamp: word(TIMESTAMP)?,
            ack_request: fields.flag(ACK_REQUEST)?,
            probe: fields.flag(PROBE)?,
            expect: Expect::read(op, fields)?,
            sack_threshold: fields.optional(THRESHOLD, 0xffff)?.map(|bytes| bytes as u16),
        })
    }

    fn write(&self, out: &mut [String]) {
        let of_an_op = self.op != RowOp::Reset;
        let flag = |set: bool| optional(u8::from(set), 0);
        out[OP] = self.op.name().to_string();
        out[CONN] = text(of_an_op.then_some(self.conn));
        out[PSN] = text(of_an_op.then_some(self.psn));
        out[BYTES] = text((of_an_op || self.bytes != 0).then_some(self.bytes));
        out[ECN] = flag(self.ecn);
        out[EV] = optional(self.ev, 0);
        out[TIMESTAMP] = optional(self.timestamp, 0);
        out[ACK_REQUEST] = flag(self.ack_request);
        out[PROBE] = flag(self.probe);
        out[IDLE] = optional(self.idle, 0);
        out[THRESHOLD] = text(self.sack_threshold);
        out[EXPECT..=BYTES_RECVD].iter_mut().for_each(String::clear);
        if let Some(expect) = self.expect {
            expect.write(out);
        }
    }
}

impl Expect {
    fn read(op: RowOp, fields: &Fields<'_>) -> Result<Option<Expect>, Refusal> {
        match fields.text(EXPECT) {
            "" => Ok(None),
            _ if op != RowOp::Packet => Err(fields.refused(EXPECT, "nothing, except for a packet")),
            "none" => Ok(Some(Expect::None)),
            "sack" => Ok(Some(Expect::Sack(Sack::read(fields)?))),
            "wire" => Ok(Some(Expect::Wire(Sack::read(fields)?))),
            _ => Err(fields.refused(EXPECT, "sack, none, wire or nothing")),
        }
    }

    fn write(self, out: &mut [String]) {
        let (name, sack) = match self {
            Expect::None => ("none", None),
            Expect::Sack(sack) => ("sack", Some(sack)),
            Expect::Wire(sack) => ("wire", Some(sack)),
        };
        out[EXPECT] = name.to_string();
        if let Some(Sack { epsn, base, bitmap, ooo, bytes_recvd }) = sack {
            out[EPSN] = epsn.to_string();
            out[BASE] = base.to_string();
            out[BITMAP] = format!("{bitmap:#x}");
            out[OOO] = ooo.to_string();
            out[BYTES_RECVD] = bytes_recvd.to_string();
        }
    }
}

impl Sack {
    fn read(fields: &Fields<'_>) -> Result<Sack, Refusal> {
        let bitmap = fields.text(BITMAP).strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
        Ok(Sack {
            epsn: fields.number(EPSN, LAST_PSN)? as u32,
            base: fields.number(BASE, LAST_PSN)? as u32,
            bitmap: bitmap
                .and_then(Result::ok)
                .ok_or_else(|| fields.refused(BITMAP, "0x0 to 0xffffffffffffffff"))?,
            ooo: fields.number(OOO, 0xfff)? as u16,
            bytes_recvd: fields.number(BYTES_RECVD, u64::from(u32::MAX))? as u32,
        })
    }
}

impl RowOp {
    const NAMES: [(&'static str, RowOp); 3] =
        [("packet", RowOp::Packet), ("init", RowOp::Init), ("reset", RowOp::Reset)];

    /// As a trace spells it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, op)| *op == self).map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests;
