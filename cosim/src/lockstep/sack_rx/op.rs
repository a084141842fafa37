//! The ops of `sack_rx`: as elements of the stimulus, as lines of an op trace, and made plainer for the shrinker.

use respray_golden::psn::MODULUS;

use crate::lockstep::core::{Entry, Event, Op};
use crate::lockstep::most_frequent;
use crate::traffic::optrace::sack_rx::{Expect, Row, RowOp, Settings, Trace};

/// Bytes that make a SACK due if nothing else is said: four packets of 1024 bytes.
const THRESHOLD: u16 = 4096;

/// One op as it stands at the ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackRxOp {
    /// Port `op_kind`: 0 packet, 1 init.
    pub kind: u8,
    pub ecn: bool,
    pub ack_request: bool,
    pub probe: bool,
    pub conn: u16,
    pub bytes: u16,
    pub ev: u16,
    pub timestamp: u16,
    pub sack_threshold: u16,
    /// 24 bits.
    pub psn: u32,
    /// What the op trace says of this packet.
    pub expect: Option<Expect>,
}

/// A line of an op trace as an element of the stimulus.
pub(super) fn entry_of_row(row: &Row, settings: &Settings) -> Entry<SackRxOp> {
    let kind = match row.op {
        RowOp::Packet => 0,
        RowOp::Init => 1,
        RowOp::Reset => return Entry { idle: row.idle, event: Event::Reset { seed: None } },
    };
    let op = SackRxOp {
        kind,
        ecn: row.ecn,
        ack_request: row.ack_request,
        probe: row.probe,
        conn: row.conn as u16,
        bytes: row.bytes,
        ev: row.ev,
        timestamp: row.timestamp,
        sack_threshold: row.sack_threshold.or(settings.sack_threshold).unwrap_or(THRESHOLD),
        psn: row.psn,
        expect: row.expect,
    };
    Entry { idle: row.idle, event: Event::Op(op) }
}

/// The reverse of [`entry_of_row`], with the threshold that most ops carry.
fn row_of_entry(entry: &Entry<SackRxOp>, threshold: u16) -> Row {
    let op = match entry.event {
        Event::Reset { .. } => return Row { idle: entry.idle, op: RowOp::Reset, ..Row::default() },
        Event::Op(op) => op,
    };
    Row {
        idle: entry.idle,
        op: if op.kind == 0 { RowOp::Packet } else { RowOp::Init },
        conn: u32::from(op.conn),
        psn: op.psn,
        bytes: op.bytes,
        ecn: op.ecn,
        ev: op.ev,
        timestamp: op.timestamp,
        ack_request: op.ack_request,
        probe: op.probe,
        expect: op.expect,
        sack_threshold: (op.sack_threshold != threshold).then_some(op.sack_threshold),
    }
}

/// Entries as an op trace that replays them. The threshold that most ops carry becomes its setting.
pub(super) fn trace_of_entries(entries: &[Entry<SackRxOp>]) -> Trace {
    let thresholds = entries.iter().filter_map(|entry| match entry.event {
        Event::Op(op) => Some(op.sack_threshold),
        Event::Reset { .. } => None,
    });
    let threshold = most_frequent(thresholds).unwrap_or(0);
    Trace {
        seed: None,
        settings: Settings { sack_threshold: Some(threshold) },
        notes: Vec::new(),
        rows: entries.iter().map(|entry| row_of_entry(entry, threshold)).collect(),
    }
}

impl Op for SackRxOp {
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
        let words = [self.conn, self.bytes, self.ev, self.timestamp, self.sack_threshold];
        let flags = [self.ecn, self.ack_request, self.probe];
        // a PSN just below 0 is about as plain as one just above
        bits(self.psn).min(1 + bits(MODULUS - self.psn))
            + words.iter().map(|&word| bits(word.into())).sum::<u64>()
            + flags.iter().map(|&flag| u64::from(flag)).sum::<u64>()
    }

    fn plainer(&self) -> Vec<SackRxOp> {
        let op = *self;
        let plain = SackRxOp { ecn: false, ev: 0, timestamp: 0, ..op };
        vec![
            SackRxOp { bytes: 0, sack_threshold: 0, ack_request: false, ..plain },
            plain,
            SackRxOp { bytes: 0, ..op },
            SackRxOp { bytes: 1, ..op },
            SackRxOp { bytes: op.bytes / 2, ..op },
            SackRxOp { sack_threshold: 0, ..op },
            SackRxOp { sack_threshold: 1, ..op },
            SackRxOp { sack_threshold: op.sack_threshold / 2, ..op },
            SackRxOp { ack_request: false, ..op },
            SackRxOp { probe: false, ..op },
            SackRxOp { ecn: false, ..op },
            SackRxOp { ev: 0, ..op },
            SackRxOp { ev: 1, ..op },
            SackRxOp { ev: op.ev / 2, ..op },
            SackRxOp { timestamp: 0, ..op },
            SackRxOp { timestamp: 1, ..op },
            SackRxOp { timestamp: op.timestamp / 2, ..op },
            SackRxOp { psn: 0, ..op },
            SackRxOp { psn: op.psn / 2, ..op },
            SackRxOp { psn: op.psn & !63, ..op },
            SackRxOp { psn: op.psn.saturating_sub(1), ..op },
        ]
    }

    fn plainer_trace(way: usize, entries: &mut [Entry<SackRxOp>]) -> bool {
        let mut ops: Vec<&mut SackRxOp> = entries
            .iter_mut()
            .filter_map(|entry| if let Event::Op(op) = &mut entry.event { Some(op) } else { None })
            .collect();
        let first = ops.first().map_or(0, |op| op.psn);
        let lowest = ops.iter().map(|op| op.psn).min().unwrap_or(0);
        for op in &mut ops {
            let back = |op: &SackRxOp, psns: u32| op.psn.wrapping_sub(psns) % MODULUS;
            match way {
                0 => (op.ecn, op.ev, op.timestamp) = (false, 0, 0),
                1 => op.psn = back(op, first),
                2 => op.psn = back(op, first & !511),
                3 => op.psn = back(op, first & !63),
                4 => op.psn = back(op, lowest & !63),
                5 => op.psn = back(op, 64),
                6 => op.psn = back(op, 1),
                7 => op.bytes = 0,
                8 => op.bytes = 1,
                9 => op.sack_threshold = 0,
                10 => op.sack_threshold = u16::MAX,
                11 => op.ack_request = false,
                _ => return false,
            }
        }
        way <= 11
    }
}
