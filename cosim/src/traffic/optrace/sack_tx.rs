//! Op traces of `sack_tx`.
//!
//! | column | holds |
//! | --- | --- |
//! | `now` | this input during the op, 0 to 65535 |
//! | `op` | `sent`, `sack`, `next_rtx`, `init` or `reset` |
//! | `conn` | connection, below `connections`; empty for `reset` |
//! | `psn` | of a `sent` and an `init`: 24 bits |
//! | `bytes` | of a `sent`: payload |
//! | `epsn`, `base`, `bitmap`, `ooo`, `bytes_recvd`, `timestamp`, `probe` | of a `sack`: its fields, `bitmap` in hexadecimal |
//! | `idle` | clock edges without an op before this line's, 0 if empty; in them the walker goes round |
//! | `cwnd_packets`, `probe_timeout`, `probe_rtt`, `rto` | these inputs during this op; if empty, the run's setting |
//!
//! Fields that an op does not use may hold anything; empty is 0. Visits take `now` and the settings of the line whose fields
//! stand at the inputs, which before an op is its own line.

use respray_golden::psn::MODULUS;
use respray_golden::sack_tx::SackFields;

use super::{Fields, OpTrace, Refusal, optional, text};

/// An op trace of `sack_tx`.
pub type Trace = OpTrace<Row>;

/// Settings of a run that a trace may carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Window in packets, 12 bits, for rows without their own.
    pub cwnd_packets: Option<u16>,
    /// In ticks of `now`, as the two below.
    pub probe_timeout: Option<u16>,
    pub probe_rtt: Option<u16>,
    pub rto: Option<u16>,
}

/// One line of an op trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Clock edges without an op before this one.
    pub idle: u32,
    pub now: u16,
    /// What is done.
    pub op: RowOp,
    /// Connection; 0 for a reset.
    pub conn: u32,
    pub psn: u32,
    pub bytes: u16,
    pub sack: SackFields,
    /// The settings during this op.
    pub settings: Settings,
}

/// What a line of an op trace does; an op's discriminant is its code on the port `op_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOp {
    #[default]
    Sent,
    Sack,
    NextRtx,
    Init,
    /// One clock edge with `rst` high.
    Reset,
}

/// What the configuration allows in a trace.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections of the engine.
    pub connections: u32,
}

/// Largest window in packets.
const LAST_CWND: u64 = 0xfff;

impl super::Settings for Settings {
    const NAMES: &'static [&'static str] = &["cwnd_packets", "probe_timeout", "probe_rtt", "rto"];
    type Limits = Limits;

    fn get(&self, place: usize) -> Option<u64> {
        let all = [self.cwnd_packets, self.probe_timeout, self.probe_rtt, self.rto];
        all[place].map(u64::from)
    }

    fn set(&mut self, place: usize, value: u64) {
        let setting = match place {
            0 => &mut self.cwnd_packets,
            1 => &mut self.probe_timeout,
            2 => &mut self.probe_rtt,
            _ => &mut self.rto,
        };
        *setting = Some(value as u16);
    }

    fn last(place: usize, _: &Limits) -> u64 {
        if place == 0 { LAST_CWND } else { 0xffff }
    }
}

const NOW: usize = 0;
const OP: usize = 1;
const CONN: usize = 2;
const PSN: usize = 3;
const BYTES: usize = 4;
const EPSN: usize = 5;
const BASE: usize = 6;
const BITMAP: usize = 7;
const OOO: usize = 8;
const BYTES_RECVD: usize = 9;
const TIMESTAMP: usize = 10;
const PROBE: usize = 11;
const IDLE: usize = 12;
const SETTINGS: usize = 13;

impl super::Row for Row {
    const COLUMNS: &'static [&'static str] = &[
        "now",
        "op",
        "conn",
        "psn",
        "bytes",
        "epsn",
        "base",
        "bitmap",
        "ooo",
        "bytes_recvd",
        "timestamp",
        "probe",
        "idle",
        "cwnd_packets",
        "probe_timeout",
        "probe_rtt",
        "rto",
    ];
    const NEEDED: usize = CONN + 1;
    const WRITTEN: usize = CONN + 1;
    type Settings = Settings;
    type Limits = Limits;

    fn read(fields: &Fields<'_>, limits: &Limits) -> Result<Row, Refusal> {
        let op = fields.choice(OP, &RowOp::NAMES)?;
        let conn = match (op, fields.text(CONN)) {
            (RowOp::Reset, "") => 0,
            _ => fields.number(CONN, u64::from(limits.connections) - 1)? as u32,
        };
        let value = |column, last| Ok::<_, Refusal>(fields.optional(column, last)?.unwrap_or(0));
        let psn = |column| Ok::<_, Refusal>(value(column, u64::from(MODULUS) - 1)? as u32);
        let mut settings = Settings::default();
        for place in 0..<Settings as super::Settings>::NAMES.len() {
            let last = <Settings as super::Settings>::last(place, limits);
            if let Some(value) = fields.optional(SETTINGS + place, last)? {
                super::Settings::set(&mut settings, place, value);
            }
        }
        Ok(Row {
            idle: value(IDLE, u64::from(u32::MAX))? as u32,
            now: fields.number(NOW, 0xffff)? as u16,
            op,
            conn,
            psn: psn(PSN)?,
            bytes: value(BYTES, 0xffff)? as u16,
            sack: SackFields {
                epsn: psn(EPSN)?,
                base: psn(BASE)?,
                bitmap: bitmap(fields)?,
                ooo: value(OOO, 0xfff)? as u16,
                bytes_recvd: value(BYTES_RECVD, u64::from(u32::MAX))? as u32,
                timestamp: value(TIMESTAMP, 0xffff)? as u16,
                probe: fields.flag(PROBE)?,
            },
            settings,
        })
    }

    fn write(&self, out: &mut [String]) {
        let of_an_op = self.op != RowOp::Reset;
        let SackFields { epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe } = self.sack;
        out[NOW] = self.now.to_string();
        out[OP] = self.op.name().to_string();
        out[CONN] = text(of_an_op.then_some(self.conn));
        // what an op uses is written also where it is 0
        let (sent, init, sack) = (self.op == RowOp::Sent, self.op == RowOp::Init, self.op == RowOp::Sack);
        let field = |value: u64, used: bool| text((used || value != 0).then_some(value));
        out[PSN] = field(self.psn.into(), sent || init);
        out[BYTES] = field(self.bytes.into(), sent);
        out[EPSN] = field(epsn.into(), sack);
        out[BASE] = field(base.into(), sack);
        out[BITMAP] = text((sack || bitmap != 0).then(|| format!("{bitmap:x}")));
        out[OOO] = field(ooo.into(), sack);
        out[BYTES_RECVD] = field(bytes_recvd.into(), sack);
        out[TIMESTAMP] = field(timestamp.into(), sack);
        out[PROBE] = field(probe.into(), sack);
        out[IDLE] = optional(self.idle, 0);
        for place in 0..<Settings as super::Settings>::NAMES.len() {
            out[SETTINGS + place] = text(super::Settings::get(&self.settings, place));
        }
    }
}

/// 64 bits in hexadecimal.
fn bitmap(fields: &Fields<'_>) -> Result<u64, Refusal> {
    match fields.text(BITMAP) {
        "" => Ok(0),
        hex => u64::from_str_radix(hex, 16)
            .map_err(|_| fields.refused(BITMAP, "0 to ffffffffffffffff, hexadecimal")),
    }
}

impl RowOp {
    const NAMES: [(&'static str, RowOp); 5] = [
        ("sent", RowOp::Sent),
        ("sack", RowOp::Sack),
        ("next_rtx", RowOp::NextRtx),
        ("init", RowOp::Init),
        ("reset", RowOp::Reset),
    ];

    /// As a trace spells it.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

#[cfg(test)]
mod tests;
