//! Figures of `strack`: how many sends go onto bad paths, by how many packets an ACK is for, and how many words a search looks at.

use crate::faults::strack::as_printed;
use crate::faults::{Fault, Faulty};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use respray_golden::selector::{Engine, Op, OpKind, Params, SendKind};
use respray_golden::strack::{Keys, Strack};

const PATHS: u16 = 256;
const WINDOW: u32 = 128;
const SENDS: u32 = 200_000;

/// Shares of all sends.
#[derive(Clone, Copy, Debug, Default)]
struct Shares {
    /// Onto the paths that always mark.
    bad: f64,
    recycled: f64,
    /// That looked at more than two words.
    long: f64,
}

/// How ACKs come.
#[derive(Clone, Copy)]
struct Acks {
    /// Packets that an ACK is for.
    packets: u32,
    /// It returns the EV of the first of them, and else that of the last.
    is_first: bool,
    /// By how many packet times, at most, the RTT of a packet is above that of an empty network. Packets are paced if it is above 0, and
    /// else each ACK lets go at once what it is for.
    spread: u32,
}

const EACH: Acks = Acks { packets: 1, is_first: true, spread: 0 };

/// One connection on 256 paths, of which a quarter, drawn at random, marks every packet, and the others one in ten.
struct Sender {
    rng: SmallRng,
    engine: Engine<Faulty<Strack>>,
    is_bad: [bool; PATHS as usize],
    acks: Acks,
    /// Packets that are not acknowledged.
    flight: u32,
    /// EVs of packets by the time of their arrival, in packet times modulo the length.
    arrivals: Vec<Vec<u16>>,
    time: usize,
    sends: u32,
    bad: u32,
    recycled: u32,
    long: u32,
}

impl Sender {
    fn new(acks: Acks, seed: u64, fault: &Fault<Strack>) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut is_bad = [false; PATHS as usize];
        is_bad[..usize::from(PATHS / 4)].fill(true);
        is_bad.shuffle(&mut rng);
        let keys = Keys { paths: PATHS };
        let params = Params { connections: 1, ev_base: 0, ev_bits: 8, time_bits: 32, seed: 1, keys };
        let arrivals = vec![Vec::new(); (WINDOW + acks.spread + 1) as usize];
        let engine = fault.engine(params);
        let (flight, time, sends, bad, recycled, long) = (0, 0, 0, 0, 0, 0);
        Sender { rng, engine, is_bad, acks, flight, arrivals, time, sends, bad, recycled, long }
    }

    fn send(&mut self) {
        let outcome = self.engine.apply(&Op { more: WINDOW, ..Op::default() });
        let sent = outcome.result.expect("a send");
        self.sends += 1;
        self.bad += u32::from(self.is_bad[usize::from(sent.ev)]);
        self.recycled += u32::from(sent.kind == SendKind::Recycle);
        self.long += u32::from(outcome.class.counts[0] > 2);
        self.flight += 1;
        let rtt = WINDOW + self.rng.random_range(0..=self.acks.spread);
        let slot = (self.time + rtt as usize) % self.arrivals.len();
        self.arrivals[slot].push(sent.ev);
    }

    fn ack(&mut self, ev: u16) {
        let ecn = self.is_bad[usize::from(ev)] || self.rng.random_ratio(1, 10);
        self.engine.apply(&Op { kind: OpKind::Ack, ev, ecn, ..Op::default() });
        self.flight -= self.acks.packets;
    }

    fn run(mut self) -> Shares {
        let mut received = 0;
        while self.sends < SENDS {
            let slot = self.time % self.arrivals.len();
            for ev in std::mem::take(&mut self.arrivals[slot]) {
                // an ACK is sent with the first packet that it is for, or with the last
                let place = received % self.acks.packets;
                received += 1;
                if place == if self.acks.is_first { 0 } else { self.acks.packets - 1 } {
                    self.ack(ev);
                }
                while self.acks.spread == 0 && self.flight < WINDOW {
                    self.send();
                }
            }
            if self.flight < WINDOW {
                self.send();
            }
            self.time += 1;
        }
        let share = |count: u32| f64::from(count) / f64::from(self.sends);
        Shares { bad: share(self.bad), recycled: share(self.recycled), long: share(self.long) }
    }
}

/// The mean over eight draws of the bad paths.
fn mean(acks: Acks, fault: &Fault<Strack>) -> Shares {
    let runs: Vec<Shares> = (0..8).map(|seed| Sender::new(acks, seed, fault).run()).collect();
    let mean = |of: fn(&Shares) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    Shares { bad: mean(|run| run.bad), recycled: mean(|run| run.recycled), long: mean(|run| run.long) }
}

fn near(share: f64, expected: f64, most: f64) -> bool {
    (share - expected).abs() < most
}

#[test]
fn an_ack_a_packet_keeps_sends_off_bad_paths() {
    let shares = mean(EACH, &Fault::<Strack>::NONE);
    assert!(shares.bad < 0.05 && near(shares.bad, 0.035, 0.005), "{shares:?}");
    assert!(near(shares.recycled, 0.87, 0.01), "{shares:?}");
    assert!(shares.long < 0.01 && shares.long > 0.0, "{shares:?}");
    // as 004 prints the marks, sends are no better than by chance
    let printed = mean(EACH, &as_printed());
    assert!(near(printed.bad, 0.255, 0.01), "{printed:?}");
}

/// What 004 says of coalesced SACKs and of one register for all of them costs what the marks gain. The EV of the first packet is that of a
/// recycle, whose path was seen to be good once more; that of the last one was explored.
#[test]
fn an_ack_for_several_packets_costs_what_the_marks_gain() {
    for (packets, is_first, bad) in [(2, true, 0.190), (2, false, 0.152), (4, true, 0.221), (4, false, 0.204)]
    {
        let shares = mean(Acks { packets, is_first, ..EACH }, &Fault::<Strack>::NONE);
        assert!(near(shares.bad, bad, 0.005), "{packets} packets: {shares:?}");
    }
    // RTTs that differ by a tenth let several ACKs come between two sends, and the last of them counts
    let shares = mean(Acks { spread: WINDOW / 10, ..EACH }, &Fault::<Strack>::NONE);
    assert!(near(shares.bad, 0.09, 0.01) && near(shares.recycled, 0.53, 0.03), "{shares:?}");
}
