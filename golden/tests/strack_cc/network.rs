//! An incast: sources that send through one queue, as many packets as their windows allow.
//!
//! The queue drains at 400 Gb/s. It marks a packet that leaves by the backlog behind it: never below a quarter of the BDP, always from
//! three quarters on, and between by chance. It drops what comes when more than 5 BDP wait. A lost packet leaves the flight two base RTTs
//! after it was sent. Each packet gets an ACK of its own. A source sends at line rate at most, and all begin within one base RTT.

use std::collections::VecDeque;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::strack_cc::{Engine, Op, OpKind, Params, Settings};

use super::reals::{Ack, Real};

/// A tick: 4 clocks at 322.265625 MHz.
pub const TICK_NS: f64 = 4e3 / 322.265625;
/// Bytes of a packet.
pub const MTU: u32 = 4096;
const BASE_RTT_NS: f64 = 12_000.0;
/// Time of a packet on the wire.
const PACKET_NS: f64 = MTU as f64 * 8.0 / 400.0;
/// Packets of a BDP.
const BDP: f64 = BASE_RTT_NS / PACKET_NS;
/// What is measured begins behind the first drops and cuts.
const SETTLED_NS: f64 = 2e6;

/// The windows of all sources.
pub trait Windows {
    fn new(sources: u16, starts_ns: &[f64]) -> Self;
    /// An ACK of one packet arrives.
    fn ack(&mut self, source: u16, ecn: bool, sent_ns: f64, now_ns: f64);
    /// In packets.
    fn cwnd(&self, source: u16) -> f64;
}

fn ticks(ns: f64) -> u64 {
    (ns / TICK_NS) as u64
}

pub struct Integers(Engine);

impl Windows for Integers {
    fn new(sources: u16, starts_ns: &[f64]) -> Self {
        let mut engine = Engine::new(Params { connections: sources.into() });
        for (conn, &start) in (0..).zip(starts_ns) {
            engine.apply(&Op { kind: OpKind::Init, conn, now: ticks(start) as u16, ..Op::default() });
        }
        Integers(engine)
    }

    fn ack(&mut self, source: u16, ecn: bool, sent_ns: f64, now_ns: f64) {
        let op = Op {
            kind: OpKind::Ack,
            conn: source,
            ecn,
            bytes: MTU,
            timestamp: ticks(sent_ns) as u16,
            now: ticks(now_ns) as u16,
            ..Op::default()
        };
        self.0.apply(&op).result.expect("an ACK has a result");
    }

    fn cwnd(&self, source: u16) -> f64 {
        f64::from(self.0.connection(source).cwnd) / 65536.0
    }
}

pub struct Reals(Vec<Real>);

impl Windows for Reals {
    fn new(_: u16, starts_ns: &[f64]) -> Self {
        Reals(starts_ns.iter().map(|&ns| Real::new(&Settings::default(), ticks(ns) as f64)).collect())
    }

    fn ack(&mut self, source: u16, ecn: bool, sent_ns: f64, now_ns: f64) {
        let now = ticks(now_ns) as f64;
        let rtt = now - ticks(sent_ns) as f64;
        let ack = Ack { ecn, probe: false, bytes: MTU, rtt, now };
        self.0[usize::from(source)].ack(&ack, &Settings::default());
    }

    fn cwnd(&self, source: u16) -> f64 {
        self.0[usize::from(source)].cwnd
    }
}

/// What was seen once the windows had settled.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Mean time in the queue, over all packets.
    pub delay_us: f64,
    /// Mean window in packets, over all sources and all ACKs of the last half of the run.
    pub window: f64,
    pub packets: u32,
    /// Drops.
    pub late_drops: u32,
}

#[derive(Clone, Copy)]
struct Packet {
    source: u16,
    sent_ns: f64,
    /// When it came to the queue.
    came_ns: f64,
}

#[derive(Clone, Copy)]
struct Source {
    flight: u32,
    /// When the source may send again.
    free_ns: f64,
}

/// Runs an incast for `ms` milliseconds.
pub fn incast<W: Windows>(sources: u16, ms: f64, seed: u64) -> Seen {
    let mut rng = SmallRng::seed_from_u64(seed);
    let starts: Vec<f64> = (0..sources).map(|i| BASE_RTT_NS * f64::from(i) / f64::from(sources)).collect();
    let mut windows = W::new(sources, &starts);
    let mut states = vec![Source { flight: 0, free_ns: 0.0 }; sources.into()];
    // each holds its times in order, since a time is always the present one and a constant
    let mut wakes: VecDeque<(f64, u16)> = starts.iter().copied().zip(0..).collect();
    let mut coming: VecDeque<Packet> = VecDeque::new();
    let mut queue: VecDeque<Packet> = VecDeque::new();
    let mut acks: VecDeque<(f64, Packet, bool)> = VecDeque::new();
    let mut losses: VecDeque<(f64, u16)> = VecDeque::new();
    let mut leaves_ns = f64::INFINITY;
    let (mut delays_ns, mut packets, mut late_drops) = (0.0, 0, 0);
    let (mut cwnds, mut samples) = (0.0, 0_u32);
    loop {
        let times = [
            leaves_ns,
            coming.front().map_or(f64::INFINITY, |packet| packet.came_ns),
            acks.front().map_or(f64::INFINITY, |(at, ..)| *at),
            losses.front().map_or(f64::INFINITY, |(at, _)| *at),
            wakes.front().map_or(f64::INFINITY, |(at, _)| *at),
        ];
        let (event, now) =
            (0..).zip(times).min_by(|(_, a), (_, b)| a.total_cmp(b)).expect("five kinds of event");
        if now >= ms * 1e6 {
            break;
        }
        let source = match event {
            0 => {
                let packet = queue.pop_front().expect("a packet leaves");
                let backlog = queue.len() as f64 / BDP;
                let ecn = rng.random::<f64>() < (backlog - 0.25) / 0.5;
                acks.push_back((now + BASE_RTT_NS / 2.0, packet, ecn));
                leaves_ns = if queue.is_empty() { f64::INFINITY } else { now + PACKET_NS };
                if now >= SETTLED_NS {
                    delays_ns += now - PACKET_NS - packet.came_ns;
                    packets += 1;
                }
                continue;
            }
            1 => {
                let packet = coming.pop_front().expect("a packet comes");
                if queue.len() as f64 > 5.0 * BDP {
                    late_drops += u32::from(now >= SETTLED_NS);
                    losses.push_back((packet.sent_ns + 2.0 * BASE_RTT_NS, packet.source));
                } else {
                    if queue.is_empty() {
                        leaves_ns = now + PACKET_NS;
                    }
                    queue.push_back(packet);
                }
                continue;
            }
            2 => {
                let (_, packet, ecn) = acks.pop_front().expect("an ACK arrives");
                let source = packet.source;
                windows.ack(source, ecn, packet.sent_ns, now);
                if now >= ms * 0.5e6 {
                    cwnds += windows.cwnd(source);
                    samples += 1;
                }
                states[usize::from(source)].flight -= 1;
                source
            }
            3 => {
                let (_, source) = losses.pop_front().expect("a packet is missed");
                states[usize::from(source)].flight -= 1;
                source
            }
            _ => wakes.pop_front().expect("a source wakes").1,
        };
        let state = &mut states[usize::from(source)];
        if now >= state.free_ns && state.flight < windows.cwnd(source) as u32 {
            state.flight += 1;
            state.free_ns = now + PACKET_NS;
            coming.push_back(Packet { source, sent_ns: now, came_ns: now + BASE_RTT_NS / 2.0 });
            wakes.push_back((state.free_ns, source));
        }
    }
    let delay_us = delays_ns / f64::from(packets) / 1e3;
    Seen { delay_us, window: cwnds / f64::from(samples), packets, late_drops }
}
