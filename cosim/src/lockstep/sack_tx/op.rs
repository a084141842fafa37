//! The ops of `sack_tx` as they stand at the ports, and made plainer for the shrinker.

use std::collections::BTreeMap;

use respray_golden::psn::{MODULUS, SEGMENT, add, segment_base};
use respray_golden::sack_tx::{Inputs, OpKind, SackFields};

use crate::lockstep::core::{Entry, Event, Op};
use crate::traffic::optrace::sack_tx::{Row, RowOp, Settings, Trace};

/// One op as it stands at the ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackTxOp {
    /// Port `op_kind`: 0 sent, 1 sack, 2 next_rtx, 3 init.
    pub kind: u8,
    pub conn: u16,
    /// Of a `sent`, and the first one after an `init`; 24 bits.
    pub psn: u32,
    pub bytes: u16,
    pub sack: SackFields,
    /// `now` and the settings beside it, which a visit samples too.
    pub settings: Inputs,
}

impl SackTxOp {
    /// As the golden model has it.
    #[inline(always)]
    pub fn kind(&self) -> OpKind {
        match self.kind {
            0 => OpKind::Sent { psn: self.psn, bytes: self.bytes },
            1 => OpKind::Sack(self.sack),
            2 => OpKind::NextRtx,
            _ => OpKind::Init { psn: self.psn },
        }
    }
}

/// The settings, and what they leave open as suits a network of some microseconds: 004 section 3.3.2 asks for a probe after
/// three round-trip times.
pub(super) fn defaults(settings: &Settings) -> Inputs {
    Inputs {
        now: 0,
        cwnd_packets: settings.cwnd_packets.unwrap_or(64),
        probe_timeout: settings.probe_timeout.unwrap_or(300),
        probe_rtt: settings.probe_rtt.unwrap_or(150),
        rto: settings.rto.unwrap_or(20_000),
    }
}

/// A line of an op trace as an element of the stimulus.
pub(super) fn entry_of_row(row: &Row, defaults: &Inputs) -> Entry<SackTxOp> {
    if row.op == RowOp::Reset {
        return Entry { idle: row.idle, event: Event::Reset { seed: None } };
    }
    let op = SackTxOp {
        kind: row.op as u8,
        conn: row.conn as u16,
        psn: row.psn,
        bytes: row.bytes,
        sack: row.sack,
        settings: Inputs {
            now: row.now,
            cwnd_packets: row.settings.cwnd_packets.unwrap_or(defaults.cwnd_packets),
            probe_timeout: row.settings.probe_timeout.unwrap_or(defaults.probe_timeout),
            probe_rtt: row.settings.probe_rtt.unwrap_or(defaults.probe_rtt),
            rto: row.settings.rto.unwrap_or(defaults.rto),
        },
    };
    Entry { idle: row.idle, event: Event::Op(op) }
}

/// The reverse of [`entry_of_row`].
fn row_of_entry(entry: &Entry<SackTxOp>, defaults: &Inputs) -> Row {
    let Event::Op(SackTxOp { kind, conn, psn, bytes, sack, settings }) = entry.event else {
        return Row { idle: entry.idle, op: RowOp::Reset, ..Row::default() };
    };
    let own = |value: u16, default: u16| (value != default).then_some(value);
    Row {
        idle: entry.idle,
        now: settings.now,
        op: [RowOp::Sent, RowOp::Sack, RowOp::NextRtx, RowOp::Init][usize::from(kind)],
        conn: conn.into(),
        psn,
        bytes,
        sack,
        settings: Settings {
            cwnd_packets: own(settings.cwnd_packets, defaults.cwnd_packets),
            probe_timeout: own(settings.probe_timeout, defaults.probe_timeout),
            probe_rtt: own(settings.probe_rtt, defaults.probe_rtt),
            rto: own(settings.rto, defaults.rto),
        },
    }
}

/// Entries as an op trace that replays them. The values that most ops carry become its settings.
pub(super) fn trace_of_entries(entries: &[Entry<SackTxOp>]) -> Trace {
    let most_frequent = |setting: fn(&Inputs) -> u16| {
        let mut uses = BTreeMap::<u16, usize>::new();
        for entry in entries {
            if let Event::Op(op) = &entry.event {
                *uses.entry(setting(&op.settings)).or_default() += 1;
            }
        }
        uses.into_iter().max_by_key(|(_, uses)| *uses).map_or(0, |(value, _)| value)
    };
    let defaults = Inputs {
        now: 0,
        cwnd_packets: most_frequent(|inputs| inputs.cwnd_packets),
        probe_timeout: most_frequent(|inputs| inputs.probe_timeout),
        probe_rtt: most_frequent(|inputs| inputs.probe_rtt),
        rto: most_frequent(|inputs| inputs.rto),
    };
    Trace {
        seed: None,
        settings: Settings {
            cwnd_packets: Some(defaults.cwnd_packets),
            probe_timeout: Some(defaults.probe_timeout),
            probe_rtt: Some(defaults.probe_rtt),
            rto: Some(defaults.rto),
        },
        notes: Vec::new(),
        rows: entries.iter().map(|entry| row_of_entry(entry, &defaults)).collect(),
    }
}

fn bits(value: impl Into<u64>) -> u64 {
    u64::from(64 - value.into().leading_zeros())
}

/// A threshold that nothing reaches is as plain as one that everything does.
fn threshold(value: u16, most: u16) -> u64 {
    bits(value).min(1 + bits(most - value.min(most)))
}

/// Last value of `cwnd_packets`.
const CWND: u16 = 0xfff;
/// Last value of a time.
const TIME: u16 = 0xffff;

impl Op for SackTxOp {
    fn connection(&self) -> Option<u32> {
        Some(u32::from(self.conn))
    }

    fn set_connection(&mut self, connection: u32) {
        self.conn = connection as u16;
    }

    fn forget_wish(&mut self) {}

    fn weight(&self) -> u64 {
        let SackFields { epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe } = self.sack;
        let Inputs { now, cwnd_packets, probe_timeout, probe_rtt, rto } = self.settings;
        bits(self.conn)
            + bits(self.psn)
            + bits(self.bytes)
            + [bits(epsn), bits(base), bits(ooo), bits(bytes_recvd), bits(timestamp)].iter().sum::<u64>()
            + u64::from(probe)
            + 2 * u64::from(bitmap.count_ones())
            + bits(bitmap)
            + bits(now)
            + threshold(cwnd_packets, CWND)
            + threshold(probe_timeout, TIME)
            + threshold(probe_rtt, TIME)
            + threshold(rto, TIME)
    }

    fn plainer(&self) -> Vec<SackTxOp> {
        let op = *self;
        let sack = |change: fn(&mut SackFields)| {
            let mut plainer = op;
            change(&mut plainer.sack);
            plainer
        };
        let settings = |change: fn(&mut Inputs)| {
            let mut plainer = op;
            change(&mut plainer.settings);
            plainer
        };
        let quiet = |inputs: &mut Inputs| {
            (inputs.cwnd_packets, inputs.probe_timeout, inputs.rto) = (CWND, TIME, TIME);
            inputs.probe_rtt = 0;
        };
        vec![
            SackTxOp { psn: 0, bytes: 0, sack: SackFields::default(), settings: Inputs::default(), ..op },
            SackTxOp { sack: SackFields::default(), ..op },
            settings(quiet),
            settings(|i| *i = Inputs::default()),
            SackTxOp { psn: 0, ..op },
            SackTxOp { psn: op.psn / 2, ..op },
            SackTxOp { psn: op.psn.saturating_sub(1), ..op },
            SackTxOp { bytes: 0, ..op },
            SackTxOp { bytes: 1, ..op },
            SackTxOp { bytes: op.bytes / 2, ..op },
            sack(|s| s.bitmap = 0),
            sack(|s| s.bitmap &= s.bitmap.wrapping_neg()),
            sack(|s| s.bitmap &= s.bitmap.wrapping_sub(1)),
            sack(|s| s.bitmap &= 0xffff_ffff),
            sack(|s| s.bitmap &= 0xffff),
            sack(|s| s.bitmap &= 0x5555_5555_5555_5555),
            sack(|s| s.epsn = 0),
            sack(|s| s.epsn /= 2),
            sack(|s| s.epsn = s.epsn.saturating_sub(1)),
            sack(|s| s.base = 0),
            sack(|s| s.base = segment_base(s.base / 2)),
            sack(|s| s.base /= 2),
            sack(|s| s.ooo = 0),
            sack(|s| s.ooo = 6),
            sack(|s| s.ooo /= 2),
            sack(|s| s.bytes_recvd = 0),
            sack(|s| s.bytes_recvd /= 2),
            sack(|s| s.timestamp = 0),
            sack(|s| s.timestamp /= 2),
            sack(|s| s.probe = false),
            settings(|i| i.now = 0),
            settings(|i| i.now = 1),
            settings(|i| i.now /= 2),
            settings(|i| i.cwnd_packets = 0),
            settings(|i| i.cwnd_packets = CWND),
            settings(|i| i.cwnd_packets /= 2),
            settings(|i| i.probe_timeout = 0),
            settings(|i| i.probe_timeout = TIME),
            settings(|i| i.probe_timeout /= 2),
            settings(|i| i.probe_rtt = 0),
            settings(|i| i.probe_rtt = TIME),
            settings(|i| i.probe_rtt /= 2),
            settings(|i| i.rto = 0),
            settings(|i| i.rto = TIME),
            settings(|i| i.rto /= 2),
        ]
    }

    fn plainer_trace(way: usize, entries: &mut [Entry<SackTxOp>]) -> bool {
        let mut ops: Vec<&mut SackTxOp> = entries
            .iter_mut()
            .filter_map(|entry| if let Event::Op(op) = &mut entry.event { Some(op) } else { None })
            .collect();
        let start = ops.first().map_or(0, |op| op.settings.now);
        let first = ops.iter().find(|op| op.kind == 3).map_or(0, |op| segment_base(op.psn));
        // a segment less than down to 0 keeps what lies below the first PSN above 0
        let down = |psn: u32, by: u32| add(psn, MODULUS - by);
        for (index, op) in ops.iter_mut().enumerate() {
            let (sack, inputs) = (&mut op.sack, &mut op.settings);
            let mut move_psns = |by: u32| {
                op.psn = down(op.psn, by);
                sack.epsn = down(sack.epsn, by);
                sack.base = down(sack.base, by);
            };
            match way {
                0 => *inputs = Inputs::default(),
                1 => {
                    (inputs.cwnd_packets, inputs.probe_timeout, inputs.rto) = (CWND, TIME, TIME);
                    (inputs.now, inputs.probe_rtt, sack.timestamp) = (0, 0, 0);
                }
                2 => move_psns(first),
                3 => move_psns(first.saturating_sub(SEGMENT)),
                4 => {
                    inputs.now = inputs.now.wrapping_sub(start);
                    sack.timestamp = sack.timestamp.wrapping_sub(start);
                }
                5 => inputs.now = index as u16,
                6 => (inputs.now, sack.timestamp) = (0, 0),
                7 => inputs.rto = TIME,
                8 => inputs.rto = 0,
                9 => inputs.probe_timeout = TIME,
                10 => inputs.probe_timeout = 0,
                11 => inputs.probe_rtt = 0,
                12 => inputs.probe_rtt = TIME,
                13 => inputs.cwnd_packets = 0,
                14 => inputs.cwnd_packets = CWND,
                15 => op.bytes = 0,
                16 => op.bytes = 1,
                17 => sack.bytes_recvd = 0,
                18 => (sack.timestamp, sack.probe) = (0, false),
                // what an op of another kind does not look at
                19 if op.kind != 1 => *sack = SackFields::default(),
                20 if op.kind != 0 => op.bytes = 0,
                21 if op.kind != 0 && op.kind != 3 => op.psn = 0,
                19..=21 => {}
                _ => return false,
            }
        }
        way <= 21
    }
}
