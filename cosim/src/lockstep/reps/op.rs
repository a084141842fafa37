//! The ops of `reps`: as elements of the stimulus, as lines of an op trace, and made plainer for the shrinker.

use respray_hdl::config::Config;

use crate::lockstep::core::{Entry, Event, Op};
use crate::lockstep::most_frequent;
use crate::traffic::optrace::reps::{Expect, Limits, Row, RowOp, Settings, Trace};

/// One op as it stands at the ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepsOp {
    /// Port `op_kind`: 0 send, 1 ack, 2 nack, 3 timeout, 4 init, 5 to 7 nothing.
    pub kind: u8,
    pub ecn: bool,
    pub bdp_packets: u8,
    pub conn: u16,
    pub ev: u16,
    pub now: u32,
    pub freeze_timeout: u32,
    /// What the op trace says that this send returns.
    pub expect: Option<Expect>,
}

/// Run settings for ops of a trace that do not carry their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Defaults {
    /// In ticks of `now`.
    freeze_timeout: u32,
    /// Packets of one BDP.
    bdp_packets: u8,
}

impl Defaults {
    /// The settings, and what they leave open as the reference traces of variant `uet` were recorded with.
    pub(super) fn new(settings: &Settings, config: &Config) -> Defaults {
        // a timeout of more than half the range of times is past at once
        let longest = ((1_u64 << config.selector.time_bits) - 1) / 2;
        Defaults {
            freeze_timeout: settings.freeze_timeout.unwrap_or(longest.min(100_000) as u32),
            bdp_packets: settings.bdp_packets.unwrap_or(16),
        }
    }
}

/// What the op trace may hold in this configuration.
pub(super) fn limits(config: &Config) -> Limits {
    Limits { connections: config.connections, time_bits: config.selector.time_bits }
}

/// A line of an op trace as an element of the stimulus. `now` is the line's time modulo `2^time_bits`.
pub(super) fn entry_of_row(row: &Row, time_bits: u32, defaults: &Defaults) -> Entry<RepsOp> {
    let kind = match row.op {
        RowOp::Send => 0,
        RowOp::Ack => 1,
        RowOp::Nack => 2,
        RowOp::Timeout => 3,
        RowOp::Init => 4,
        RowOp::Reserved(kind) => kind,
        RowOp::Reset => return Entry { idle: row.idle, event: Event::Reset { seed: row.ev } },
    };
    let op = RepsOp {
        kind,
        ecn: row.ecn,
        bdp_packets: row.bdp_packets.unwrap_or(defaults.bdp_packets),
        conn: row.conn as u16,
        ev: row.ev.unwrap_or(0),
        now: (row.time_ns & ((1 << time_bits) - 1)) as u32,
        freeze_timeout: row.freeze_timeout.unwrap_or(defaults.freeze_timeout),
        expect: row.expect,
    };
    Entry { idle: row.idle, event: Event::Op(op) }
}

/// The reverse of [`entry_of_row`].
fn row_of_entry(entry: &Entry<RepsOp>, defaults: &Defaults) -> Row {
    let op = match entry.event {
        Event::Reset { seed } => {
            return Row { idle: entry.idle, op: RowOp::Reset, ev: seed, ..Row::default() };
        }
        Event::Op(op) => op,
    };
    Row {
        idle: entry.idle,
        time_ns: u64::from(op.now),
        op: match op.kind {
            0 => RowOp::Send,
            1 => RowOp::Ack,
            2 => RowOp::Nack,
            3 => RowOp::Timeout,
            4 => RowOp::Init,
            kind => RowOp::Reserved(kind),
        },
        conn: u32::from(op.conn),
        ev: (op.kind == 1 || op.ev != 0).then_some(op.ev),
        ecn: op.ecn,
        expect: op.expect,
        freeze_timeout: (op.freeze_timeout != defaults.freeze_timeout).then_some(op.freeze_timeout),
        bdp_packets: (op.bdp_packets != defaults.bdp_packets).then_some(op.bdp_packets),
    }
}

/// Entries as an op trace that replays them, given the same seed. The values that most ops carry become its settings.
pub(super) fn trace_of_entries(entries: &[Entry<RepsOp>]) -> Trace {
    let ops = || {
        entries.iter().filter_map(|entry| match entry.event {
            Event::Op(op) => Some(op),
            Event::Reset { .. } => None,
        })
    };
    let defaults = Defaults {
        freeze_timeout: most_frequent(ops().map(|op| op.freeze_timeout)).unwrap_or(0),
        bdp_packets: most_frequent(ops().map(|op| op.bdp_packets)).unwrap_or(0),
    };
    Trace {
        seed: None,
        settings: Settings {
            freeze_timeout: Some(defaults.freeze_timeout),
            bdp_packets: Some(defaults.bdp_packets),
        },
        notes: Vec::new(),
        rows: entries.iter().map(|entry| row_of_entry(entry, &defaults)).collect(),
    }
}

impl Op for RepsOp {
    fn connection(&self) -> Option<u32> {
        Some(u32::from(self.conn))
    }

    fn set_connection(&mut self, connection: u32) {
        self.conn = connection as u16;
    }

    fn forget_wish(&mut self) {
        self.expect = None;
    }

    fn weight(&self) -> u64 {
        let bits = |value: u32| u64::from(32 - value.leading_zeros());
        bits(self.conn.into())
            + bits(self.ev.into())
            + bits(self.now)
            + bits(self.freeze_timeout)
            + bits(self.bdp_packets.into())
            + u64::from(self.ecn)
    }

    fn plainer(&self) -> Vec<RepsOp> {
        let op = *self;
        vec![
            RepsOp { now: 0, ev: 0, ecn: false, freeze_timeout: 0, bdp_packets: 0, ..op },
            RepsOp { now: 0, ..op },
            RepsOp { now: 1, ..op },
            RepsOp { now: op.now / 2, ..op },
            RepsOp { freeze_timeout: 0, ..op },
            RepsOp { freeze_timeout: op.freeze_timeout / 2, ..op },
            RepsOp { bdp_packets: 0, ..op },
            RepsOp { bdp_packets: 1, ..op },
            RepsOp { bdp_packets: op.bdp_packets / 2, ..op },
            RepsOp { ev: 0, ..op },
            RepsOp { ev: 1, ..op },
            RepsOp { ev: op.ev / 2, ..op },
            RepsOp { ecn: false, ..op },
        ]
    }

    fn plainer_trace(way: usize, entries: &mut [Entry<RepsOp>]) -> bool {
        let mut ops: Vec<&mut RepsOp> = entries
            .iter_mut()
            .filter_map(|entry| if let Event::Op(op) = &mut entry.event { Some(op) } else { None })
            .collect();
        let start = ops.first().map_or(0, |op| op.now);
        for (index, op) in ops.iter_mut().enumerate() {
            match way {
                0 => (op.now, op.freeze_timeout, op.bdp_packets) = (0, 0, 0),
                1 => (op.now, op.freeze_timeout) = (0, 0),
                2 => (op.now, op.freeze_timeout) = (index as u32, 0),
                3 => op.now = op.now.wrapping_sub(start),
                4 => op.now = index as u32,
                5 => op.freeze_timeout = 0,
                6 => op.freeze_timeout = 1,
                7 => op.bdp_packets = 0,
                8 => op.bdp_packets = 1,
                9 => op.ev = 0,
                10 => op.ev = index as u16 + 1,
                _ => return false,
            }
        }
        way <= 10
    }
}
