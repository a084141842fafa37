//! `nic_timing` beside what the golden `nic` keeps of a connection of `uet`.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_golden::nic::PSNS;
use respray_golden::nic::sack::{Heard, Timing, hear_uet};
use respray_golden::rewrite_rx::{Ack, Record};

use super::bench::{Bench, ensure};

const CONNECTIONS: usize = 16;
/// Cycles from an ACK that is offered to the one that is heard, when all decisions wait before it.
const PATIENCE: u32 = 120;
const CYCLES: u32 = 12_000;

/// What happens to a connection.
#[derive(Clone, Copy, Debug)]
enum Happens {
    Sent(u32),
    Again(u32),
    Opened,
    Probed(u16),
}

/// How often an ACK had what it takes to be of use to the test.
#[derive(Default)]
struct Seen {
    timed: u32,
    untimed: u32,
    of_probe: u32,
    plain: u32,
    older_bytes: u32,
}

/// The ports of an ACK as `rewrite_rx` has them.
fn offer(bench: &mut Bench, conn: u64, ack: &Ack) {
    bench.set("ack_valid", true);
    bench.set("ack_conn", conn);
    bench.set("ack_probe", ack.probe_echo);
    bench.set("ack_epsn", PSNS.wrap(ack.epsn));
    bench.set("ack_offset", ack.offset);
    bench.set("ack_base", ack.base);
    bench.set("ack_ooo", ack.ooo);
    bench.set("ack_bytes", ack.recv_bytes);
    bench.set("ack_bitmap", ack.bitmap);
}

/// An ACK near the packets of a connection whose next one is `psn`, often of its packet `first`, with the bytes that were received
/// so far.
fn random_ack(rng: &mut StdRng, psn: u32, first: Option<u32>, bytes: u32) -> Ack {
    let epsn = psn.wrapping_sub(rng.random_range(0..12));
    let answered = first.filter(|_| rng.random()).unwrap_or(epsn.wrapping_add(rng.random_range(0..8)));
    let plain = Ack {
        epsn,
        offset: answered.wrapping_sub(epsn) as u16,
        probe_echo: rng.random_ratio(1, 5),
        base: u32::from(rng.random::<u16>()),
        ..Ack::default()
    };
    if rng.random_ratio(1, 6) {
        return plain;
    }
    let bytes = if rng.random_ratio(1, 8) { rng.random() } else { bytes };
    Ack {
        recv_bytes: bytes & 0xff_ffff,
        ooo: if rng.random_ratio(1, 8) { rng.random() } else { rng.random_range(0..64) },
        bitmap: if rng.random() { 0 } else { rng.random() },
        ..plain
    }
}

/// The block beside one golden `Timing` a connection.
struct Run {
    bench: Bench,
    rng: StdRng,
    golden: Vec<Timing>,
    next: Vec<u32>,
    /// The first packet that was sent since the last ACK.
    first: Vec<Option<u32>>,
    bytes: Vec<u32>,
    /// What happened, and when: the golden side takes it before the next ACK is heard.
    happened: VecDeque<(usize, Happens, u16)>,
    time: u16,
    next_decision: u32,
    next_probe: u32,
    seen: Seen,
}

impl Run {
    fn new(instance: &str) -> Run {
        Run {
            bench: Bench::new(instance),
            rng: StdRng::seed_from_u64(11),
            golden: vec![Timing::default(); CONNECTIONS],
            // PSNs of 24 bits wrap soon, and so do those of 32
            next: (0..CONNECTIONS as u32).map(|conn| 0xffff_ffe0u32.wrapping_add(conn << 20)).collect(),
            first: vec![None; CONNECTIONS],
            bytes: vec![0; CONNECTIONS],
            happened: VecDeque::new(),
            time: 0xff00,
            next_decision: 0,
            next_probe: 0,
            seen: Seen::default(),
        }
    }

    /// Sets what happens in a cycle: at most four decisions in a row, two cycles apart, and a probe now and then.
    fn happen(&mut self, cycle: u32) {
        self.time = self.time.wrapping_add(self.rng.random_range(0..4));
        self.bench.set("wire_time", self.time);
        for pulse in ["sent", "again", "renewed", "probed"] {
            self.bench.set(pulse, false);
        }
        let conn = self.rng.random_range(0..CONNECTIONS);
        if cycle >= self.next_decision && self.rng.random_ratio(1, 3) {
            let what = self.decision(conn);
            self.next_decision = cycle + if cycle % 64 < 8 { 2 } else { 10 };
            self.bench.set("conn", conn as u64);
            self.happened.push_back((conn, what, self.time));
        }
        let (conn, left) = (self.rng.random_range(0..CONNECTIONS), self.rng.random());
        // of a connection that is being opened no probe is on its way
        let is_new = |(of, what, _): &(usize, Happens, u16)| *of == conn && matches!(what, Happens::Opened);
        if cycle >= self.next_probe && !self.happened.iter().any(is_new) && self.rng.random_ratio(1, 20) {
            self.next_probe = cycle + 20;
            self.bench.set("probed", true);
            self.bench.set("probe_conn", conn as u64);
            self.bench.set("probe_time", left);
            self.happened.push_back((conn, Happens::Probed(left), self.time));
        }
    }

    fn decision(&mut self, conn: usize) -> Happens {
        let psn = self.next[conn];
        let (pulse, psn, what) = match self.rng.random_range(0..40) {
            0 => ("renewed", psn, Happens::Opened),
            1..=9 => {
                let psn = psn.wrapping_sub(self.rng.random_range(1..8));
                ("again", psn, Happens::Again(PSNS.wrap(psn)))
            }
            _ => {
                self.first[conn].get_or_insert(psn);
                self.next[conn] = psn.wrapping_add(1);
                self.bytes[conn] = self.bytes[conn].wrapping_add(self.rng.random_range(0..1 << 20));
                ("sent", psn, Happens::Sent(PSNS.wrap(psn)))
            }
        };
        self.bench.set(pulse, true);
        self.bench.set("psn", PSNS.wrap(psn));
        what
    }

    fn catch_up(&mut self) {
        for (conn, what, time) in self.happened.drain(..) {
            let timing = &mut self.golden[conn];
            match what {
                Happens::Sent(psn) => timing.sent(psn, time),
                Happens::Again(psn) => timing.again(psn),
                Happens::Opened => *timing = Timing::default(),
                Happens::Probed(left) => timing.probed(left),
            }
        }
    }

    /// What is heard of an ACK.
    fn check(&mut self, conn: u64, ack: &Ack, heard: Option<Heard>) -> Result<(), String> {
        let Some(Heard { fields, sent_at }) = heard else { return Ok(()) };
        let is_plain = (ack.bitmap, ack.ooo, ack.recv_bytes) == (0, 0, 0);
        self.seen.timed += u32::from(sent_at.is_some() && !ack.probe_echo);
        self.seen.of_probe += u32::from(sent_at.is_some() && ack.probe_echo);
        self.seen.untimed += u32::from(sent_at.is_none());
        self.seen.plain += u32::from(is_plain);
        self.seen.older_bytes += u32::from(!is_plain && fields.bytes_recvd < self.bytes[conn as usize]);
        let bench = &self.bench;
        let seen = ["epsn", "base", "ooo", "bytes"].map(|name| bench.get(&format!("heard_{name}")));
        let expected: [u64; 4] =
            [fields.epsn.into(), fields.base.into(), fields.ooo.into(), fields.bytes_recvd.into()];
        ensure(seen == expected, || format!("{conn}: EPSN, base, OOO, bytes {seen:x?}, not {expected:x?}"))?;
        let left = (!bench.is_high("heard_untimed")).then(|| bench.get("heard_timestamp") as u16);
        ensure(left == sent_at, || format!("{conn}: left at {left:x?}, not at {sent_at:x?}"))
    }

    /// One ACK, from the cycle in which it is offered until it is taken.
    fn ack(&mut self, cycle: &mut u32) -> Result<(), String> {
        let conn = self.rng.random_range(0..CONNECTIONS + 1);
        let psn = self.next.get(conn).copied().unwrap_or(0);
        let bytes = self.bytes.get(conn).copied().unwrap_or(0);
        let first = self.first.get_mut(conn).and_then(Option::take);
        let ack = random_ack(&mut self.rng, psn, first, bytes);
        // the scoreboard settles those of no connection itself, whatever else they say
        let number = if conn < CONNECTIONS { conn as u64 } else { 0x10_0003 };
        // nobody answers a packet in the cycles in which it is decided about
        for _ in 0..3 {
            self.rest();
            self.step(cycle);
        }
        offer(&mut self.bench, number, &ack);
        let offered = *cycle;
        let mut heard = None;
        loop {
            self.rest();
            let takes = self.rng.random_ratio(1, 3);
            self.bench.set("heard_ready", takes);
            self.bench.model.settle();
            let is_heard = self.bench.is_high("heard_valid");
            if is_heard && heard.is_none() {
                self.catch_up();
                let record = Record { ack, ..Record::default() };
                heard = self.golden.get_mut(conn).map(|timing| hear_uet(&record, timing));
            }
            ensure(self.bench.is_high("ack_ready") == (is_heard && takes), || {
                "when the ACK is taken".into()
            })?;
            if is_heard && takes {
                self.check(number, &ack, heard)?;
                self.step(cycle);
                self.bench.set("ack_valid", false);
                self.bench.set("heard_ready", false);
                return Ok(());
            }
            ensure(*cycle < offered + PATIENCE, || format!("{number}: the ACK is not heard"))?;
            self.step(cycle);
        }
    }

    /// A cycle in which nothing new happens.
    fn rest(&mut self) {
        self.time = self.time.wrapping_add(1);
        self.bench.set("wire_time", self.time);
        for pulse in ["sent", "again", "renewed", "probed"] {
            self.bench.set(pulse, false);
        }
    }

    fn step(&mut self, cycle: &mut u32) {
        self.bench.model.rise();
        *cycle += 1;
    }
}

/// Random traffic.
fn run(instance: &str) -> Result<Seen, String> {
    let mut run = Run::new(instance);
    let mut cycle = 0;
    while cycle < CYCLES {
        for _ in 0..run.rng.random_range(0..40) {
            run.happen(cycle);
            run.bench.model.settle();
            run.step(&mut cycle);
        }
        run.ack(&mut cycle).map_err(|error| format!("cycle {cycle}: {error}"))?;
    }
    Ok(run.seen)
}

#[test]
fn an_ack_of_uet_gives_the_round_trip_of_the_packet_that_is_timed() {
    let seen = run("timing").unwrap_or_else(|error| panic!("{error}"));
    let Seen { timed, untimed, of_probe, plain, older_bytes } = seen;
    let counts = [timed, untimed, of_probe, plain, older_bytes];
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

#[test]
fn a_round_trip_that_is_not_known_or_bytes_that_are_wrong_are_found() {
    for fault in ["ambiguous", "clinging", "of_last_probe", "counting_back", "twice"] {
        let instance = format!("timing_{fault}");
        assert!(run(&instance).is_err(), "{instance}");
    }
}
