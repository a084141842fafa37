//! What the golden `nic` makes of the same frames.

use respray_cosim::stream::{ack_fields, meta_fields};
use respray_golden::hosts::Port;
use respray_golden::nic::sack;
use respray_golden::nic::{Config, Counter, Delivery, Kind, Limits, Nic, PSNS};
use respray_golden::rewrite::{self, FrameError};
use respray_golden::rewrite_rx::{self, Record};
use respray_golden::sack_rx::{Op, OpKind, Params, Sack, SackRx};

use super::Setup;
use super::run::Log;
use super::stimulus::Arrival;

pub const WINDOW: u32 = 64;
pub const SACK_THRESHOLD: u16 = 1500;

/// Positions in [`DECISIONS`](super::run::DECISIONS).
const BAD: u8 = 1 << 0;
const OTHER: u8 = 1 << 1;
const MALFORMED: u8 = 1 << 2;
const DROPPED_HOST: u8 = 1 << 3;
const DROPPED_ENGINE: u8 = 1 << 4;
const ACK_DROPPED: u8 = 1 << 5;

/// The golden side, whose queues hold everything: what the RTL drops it is not given.
struct Golden {
    nic: Nic,
    /// The engine once more, for the fields of SACKs.
    engine: SackRx,
    heard: Vec<Vec<u64>>,
    sacks: Vec<(Vec<u8>, Vec<u64>)>,
}

impl Golden {
    fn new(Setup { profile, connections, udp_port, .. }: Setup) -> Golden {
        let limits = Limits {
            rx_frames: usize::MAX,
            sacks: usize::MAX,
            events: usize::MAX,
            engine_ops: 1 << 40,
            ..Limits::default()
        };
        let config = Config { connections, window: WINDOW, profile, limits, ..Config::default() };
        let engine = SackRx::new(Params { connections, window: WINDOW, psns: PSNS });
        let nic = Nic::new(config);
        let mut golden = Golden { nic, engine, heard: Vec::new(), sacks: Vec::new() };
        golden.write("udp_port", udp_port.into());
        golden.write("sack_threshold", SACK_THRESHOLD.into());
        golden
    }

    fn write(&mut self, register: &str, value: u32) {
        self.nic.write_register(register, value);
    }

    fn open(&mut self, conn: u32, psn: u32) {
        self.write("command_conn", conn);
        self.write("command_psn", psn);
        self.write("command", 2);
        self.engine.apply(&Op { kind: OpKind::Init, conn: conn as u16, psn, ..Op::default() });
    }

    /// A SACK that a packet makes due.
    fn packet(&mut self, frame: &[u8], record: &Record, probe: bool) {
        let outcome = self.engine.apply(&Op {
            kind: OpKind::Packet,
            conn: record.connection as u16,
            psn: PSNS.wrap(record.psn),
            bytes: record.bytes,
            ecn: record.ecn == 3,
            ev: record.ev,
            timestamp: record.timestamp,
            ack_request: record.ack_request,
            probe,
            sack_threshold: SACK_THRESHOLD,
        });
        if let Some(sack) = outcome.sack {
            let line = frame[..frame.len().min(64)].to_vec();
            self.sacks.push((line, answer(&sack, record)));
        }
    }
}

fn answer(sack: &Sack, record: &Record) -> Vec<u64> {
    vec![
        sack.psn.into(),
        sack.epsn.into(),
        sack.base.into(),
        sack.bitmap,
        sack.ooo.into(),
        sack.bytes_recvd.into(),
        sack.ecn.into(),
        sack.ev.into(),
        sack.timestamp.into(),
        sack.probe.into(),
        record.connection.into(),
        record.psn.into(),
        record.source_pdc.into(),
        record.retransmit.into(),
    ]
}

/// In the order of [`HEARD`](super::run::HEARD).
fn heard(record: &Record) -> Vec<u64> {
    [&[record.connection.into()][..], &ack_fields(&record.ack)].concat()
}

/// In the order of [`SIDE`](super::run::SIDE).
fn side(delivery: &Delivery) -> Vec<u64> {
    [&meta_fields(&delivery.record)[..], &[delivery.status_code().into()]].concat()
}

/// Compares all that came out, in order. The error says what differs first.
pub fn check<'a>(setup: Setup, arrivals: impl Iterator<Item = &'a Arrival>, log: &Log) -> Result<(), String> {
    let Setup { profile, connections, .. } = setup;
    let mut golden = Golden::new(setup);
    let mut ops = log.ops.iter().peekable();
    let mut decisions = log.decisions.iter();
    for (number, (frame, is_bad)) in arrivals.enumerate() {
        let decision = *decisions.next().ok_or_else(|| format!("frame {number} was never decided about"))?;
        let record = rewrite_rx::record(frame, setup.traffic());
        let is_ack = record.flow_kind() == Some(rewrite::Kind::Ack);
        let is_probe = sack::is_probe(profile, &record);
        let is_data = record.flow_kind().is_some() && !is_ack && !is_probe;
        let is_malformed = record.error.is_some_and(FrameError::is_malformed);
        let allowed = match record.flow_kind() {
            _ if *is_bad => &[BAD][..],
            None if is_malformed => &[MALFORMED, DROPPED_HOST],
            None => &[OTHER, DROPPED_HOST],
            _ if is_ack => &[0, ACK_DROPPED],
            _ if is_probe => &[0, DROPPED_ENGINE],
            _ => &[0, DROPPED_HOST, DROPPED_ENGINE],
        };
        if !allowed.contains(&decision) {
            return Err(format!("frame {number}, {record:?}: pulses {decision:#b}"));
        }
        if decision & (DROPPED_HOST | DROPPED_ENGINE | ACK_DROPPED) != 0 {
            continue;
        }
        if is_ack && !is_bad {
            golden.heard.push(heard(&record));
        }
        if !is_bad && (is_data || is_probe) && record.connection < connections {
            while let Some((conn, Some(psn))) = ops.next_if(|(_, init)| init.is_some()) {
                golden.open(*conn, *psn);
            }
            if ops.next() != Some(&(record.connection, None)) {
                return Err(format!("frame {number}: sack_rx did not hear of it"));
            }
            golden.packet(frame, &record, is_probe);
        }
        golden.nic.receive(frame.clone(), *is_bad);
    }
    same("ops of sack_rx at the end", ops.filter(|(_, init)| init.is_none()).count(), 0)?;
    outputs(golden, log)
}

fn outputs(mut golden: Golden, log: &Log) -> Result<(), String> {
    let deliveries = std::iter::from_fn(|| golden.nic.deliver());
    let delivered: Vec<_> = deliveries.map(|delivery| (side(&delivery), delivery.frame)).collect();
    let seen: Vec<_> = log.delivered.iter().map(|(frame, side)| (side.clone(), frame.clone())).collect();
    all_same("frames for the host", &seen, &delivered)?;
    all_same("ACKs", &log.heard, &golden.heard)?;
    same("SACKs that are due", log.sacks_dropped.len(), golden.sacks.len())?;
    let kept = golden.sacks.iter().zip(&log.sacks_dropped).filter(|(_, dropped)| !**dropped);
    let kept: Vec<_> = kept.map(|(sack, _)| sack.clone()).collect();
    let cut = |(at, (line, fields)): (usize, &(Vec<u8>, Vec<u64>))| {
        let known = kept.get(at).map_or(64, |(line, _)| line.len());
        (line[..known].to_vec(), fields.clone())
    };
    let answers: Vec<_> = log.answers.iter().enumerate().map(cut).collect();
    all_same("answers", &answers, &kept)?;
    let counters = [
        Counter::RxNew,
        Counter::RxDuplicate,
        Counter::RxOutside,
        Counter::RxNotOpen,
        Counter::RxMarked,
        Counter::RxProbes,
    ];
    same("counts of results", log.results, counters.map(|counter| golden.nic.counter(counter)))?;
    let counters = [Counter::RxBad, Counter::RxOther, Counter::RxMalformed];
    same(
        "counts of frames",
        log.dropped[..3].to_vec(),
        counters.map(|counter| golden.nic.counter(counter)).to_vec(),
    )?;
    events(golden, log)
}

/// Events of results and of malformed frames are each in order, and what is missing was lost.
fn events(mut golden: Golden, log: &Log) -> Result<(), String> {
    let wanted = [Kind::Duplicate, Kind::Stray, Kind::Malformed];
    let all = std::iter::from_fn(|| golden.nic.event()).filter(|event| wanted.contains(&event.kind));
    let expected: Vec<Vec<u64>> = all
        .map(|event| vec![event.kind.code().into(), event.conn.into(), event.psn.into(), event.detail.into()])
        .collect();
    same("events with those that were lost", log.events.len() + log.events_lost, expected.len())?;
    let malformed = u64::from(Kind::Malformed.code());
    for of_frames in [false, true] {
        let is_one = |event: &&Vec<u64>| (event[0] == malformed) == of_frames;
        let mut expected = expected.iter().filter(is_one);
        for event in log.events.iter().filter(is_one) {
            if !expected.any(|known| known == event) {
                return Err(format!("event {event:?} is not expected, or not there"));
            }
        }
    }
    Ok(())
}

fn all_same<T: PartialEq + std::fmt::Debug>(what: &str, seen: &[T], expected: &[T]) -> Result<(), String> {
    if let Some(at) = seen.iter().zip(expected).position(|(seen, expected)| seen != expected) {
        return Err(format!("{what}, number {at}: {:?}, expected {:?}", seen[at], expected[at]));
    }
    same(what, seen.len(), expected.len())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, seen: T, expected: T) -> Result<(), String> {
    if seen == expected { Ok(()) } else { Err(format!("{what}: {seen:?}, expected {expected:?}")) }
}
