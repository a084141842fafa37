//! The simulation: one packet a tick at most, one connection, absolute PSNs on the network's side.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::psn::{MODULUS, add, distance};
use respray_golden::sack_rx::{self, Sack, SackRx};
use respray_golden::sack_tx::{Inputs, OpKind, Outcome, Params, Rule, SackFields, SackTx, Status};
use respray_golden::sack_tx::{Op as TxOp, Status as TxStatus};

#[derive(Clone, Debug)]
pub struct Network {
    pub seed: u64,
    pub packets: u32,
    pub window: u32,
    pub first_psn: u32,
    /// Window of the sender, and threshold of rule 1, in packets.
    pub cwnd: u16,
    pub sack_threshold: u16,
    /// Ticks one way, and how many more at most.
    pub delay: u64,
    pub jitter: u64,
    pub loss: f64,
    pub duplicate: f64,
    pub sack_loss: f64,
    pub probe_loss: f64,
    /// Packets (from 0) whose first or second transmission is dropped.
    pub drop_first: Vec<u32>,
    pub drop_second: Vec<u32>,
    /// Packets whose first transmission takes ten times the delay.
    pub straggle: Vec<u32>,
    /// Ticks from and to which every SACK is dropped.
    pub sack_blackout: Option<(u64, u64)>,
    pub probe_timeout: u16,
    pub probe_rtt: u16,
    pub rto: u16,
    /// Fault: SACKs reach the scoreboard without their bitmap.
    pub forget_bitmaps: bool,
    /// Fault: the receiver starts anew, a few PSNs back, when it has got that many packets.
    pub receiver_restarts_at: Option<u32>,
}

impl Default for Network {
    fn default() -> Self {
        Network {
            seed: 0,
            packets: 0,
            window: 256,
            first_psn: 0,
            cwnd: 32,
            sack_threshold: 0,
            delay: 1,
            jitter: 0,
            loss: 0.0,
            duplicate: 0.0,
            sack_loss: 0.0,
            probe_loss: 0.0,
            drop_first: Vec::new(),
            drop_second: Vec::new(),
            straggle: Vec::new(),
            sack_blackout: None,
            probe_timeout: u16::MAX,
            probe_rtt: 1000,
            rto: u16::MAX,
            forget_bitmaps: false,
            receiver_restarts_at: None,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub transmissions: u32,
    pub retransmissions: u32,
    /// Transmissions dropped; those found lost by the out-of-order count, by a probe, by the timeout.
    pub lost: u32,
    pub found_by: [u32; 3],
    /// Times that recovery was entered or started anew, by rule.
    pub recoveries: [u32; 3],
    pub probes: u32,
    pub lost_sacks: u32,
    /// Packets that arrived after a later one.
    pub reordered: u32,
}

enum Message {
    Data { index: u32, sent: u64 },
    Probe { psn: u32, sent: u64 },
    Sack(Sack),
}

/// What the network knows of a packet.
#[derive(Clone, Default)]
struct Packet {
    transmissions: u32,
    /// Copies on their way.
    flying: u32,
    received: bool,
    /// Dropped, and neither received nor found lost since.
    missing: bool,
    /// A SACK that the scoreboard took said that it was received.
    reported: bool,
}

struct Simulation<'a> {
    network: &'a Network,
    rng: SmallRng,
    now: u64,
    tx: SackTx,
    rx: SackRx,
    packets: Vec<Packet>,
    on_the_way: BTreeMap<(u64, u64), Message>,
    sequence: u64,
    /// Packets sent for the first time; all below `una` are acknowledged.
    next: u32,
    una: u32,
    handed_out: BTreeSet<u32>,
    first_sent_bytes: u64,
    /// By the newest SACK that the scoreboard took.
    newest_bytes: u64,
    received: u32,
    received_bytes: u64,
    highest_arrived: Option<u32>,
    report: Report,
}

/// Payload of a packet: sizes differ, so that a byte count tells which packets it counts.
fn bytes(index: u32) -> u16 {
    (index.wrapping_mul(2_654_435_761) >> 19) as u16 % 4096 + 1
}

/// Runs until everything is acknowledged, with every property checked on the way.
pub fn run(network: &Network) -> Report {
    let params = Params { connections: 1, window: network.window };
    let mut sim = Simulation {
        network,
        rng: SmallRng::seed_from_u64(network.seed),
        now: 0,
        tx: SackTx::new(params),
        rx: SackRx::new(params),
        packets: vec![Packet::default(); network.packets as usize],
        on_the_way: BTreeMap::new(),
        sequence: 0,
        next: 0,
        una: 0,
        handed_out: BTreeSet::new(),
        first_sent_bytes: 0,
        received: 0,
        newest_bytes: 0,
        received_bytes: 0,
        highest_arrived: None,
        report: Report::default(),
    };
    sim.op(OpKind::Init { psn: network.first_psn });
    let init = sack_rx::Op { kind: sack_rx::OpKind::Init, psn: network.first_psn, ..Default::default() };
    sim.rx.apply(&init);
    while sim.una < network.packets {
        assert!(sim.now < 40_000_000, "no end: {} of {} acknowledged", sim.una, network.packets);
        sim.tick();
    }
    sim.finish()
}

impl Simulation<'_> {
    fn inputs(&self) -> Inputs {
        Inputs {
            now: self.now as u16,
            cwnd_packets: self.network.cwnd,
            probe_timeout: self.network.probe_timeout,
            probe_rtt: self.network.probe_rtt,
            rto: self.network.rto,
        }
    }

    fn op(&mut self, kind: OpKind) -> Outcome {
        let outcome = self.tx.apply(&TxOp { kind, conn: 0, inputs: self.inputs() });
        if let Some(rule) = outcome.loss {
            self.recovery(rule);
        }
        outcome
    }

    fn tick(&mut self) {
        self.now += 1;
        while let Some(entry) = self.on_the_way.first_entry() {
            if entry.key().0 > self.now {
                break;
            }
            match entry.remove() {
                Message::Data { index, sent } => self.arrives(index, sent),
                Message::Probe { psn, sent } => self.probe_arrives(psn, sent),
                Message::Sack(sack) => self.sack_arrives(&sack),
            }
        }
        if self.una == self.network.packets {
            return;
        }
        let visit = self.op(OpKind::Visit);
        if visit.probe_due {
            self.report.probes += 1;
            let probe = Message::Probe { psn: visit.psn.expect("a probe has a PSN"), sent: self.now };
            let lost = self.rng.random_bool(self.network.probe_loss);
            self.send(probe, self.network.delay, lost);
        }
        self.transmit();
    }

    /// The sender: retransmissions first, then new packets, both as the window allows.
    fn transmit(&mut self) {
        let state = self.tx.connection(0);
        let in_flight = state.unacked(self.network.window) - state.claimed(self.network.window);
        if in_flight >= self.network.cwnd {
            return;
        }
        let rtx = self.op(OpKind::NextRtx);
        if rtx.status == Some(TxStatus::Ok) {
            let psn = rtx.psn.expect("a PSN is handed out");
            let index = self.index(psn);
            let packet = &self.packets[index as usize];
            assert!(!packet.reported, "packet {index} is retransmitted, but was reported to the sender");
            assert!(!packet.missing || packet.flying > 0, "packet {index} is lost, and no rule found it");
            assert!(index >= self.una && index < self.next, "packet {index} is not outstanding");
            assert!(self.handed_out.insert(index), "packet {index} handed out twice in a recovery");
            assert_eq!(rtx.in_flight, in_flight + 1);
            self.report.retransmissions += 1;
            self.transmission(index, psn, Status::Again);
        } else if self.next < self.network.packets && self.next - self.una < self.network.window {
            let index = self.next;
            self.next += 1;
            self.first_sent_bytes += u64::from(bytes(index));
            self.transmission(index, add(self.network.first_psn, index), Status::Ok);
        }
    }

    fn transmission(&mut self, index: u32, psn: u32, expected: Status) {
        let sent = self.op(OpKind::Sent { psn, bytes: bytes(index) });
        assert_eq!(sent.status, Some(expected), "packet {index}");
        self.check_in_flight(&sent);
        self.report.transmissions += 1;
        let packet = &mut self.packets[index as usize];
        packet.transmissions += 1;
        let chosen = match packet.transmissions {
            1 => self.network.drop_first.contains(&index),
            2 => self.network.drop_second.contains(&index),
            _ => false,
        };
        let lost = chosen || self.rng.random_bool(self.network.loss);
        if lost {
            self.report.lost += 1;
            packet.missing = !packet.received;
        } else {
            packet.flying += 1;
        }
        let straggles = packet.transmissions == 1 && self.network.straggle.contains(&index);
        let delay = if straggles { 10 * self.network.delay } else { self.network.delay };
        self.send(Message::Data { index, sent: self.now }, delay, lost);
        if !lost && self.rng.random_bool(self.network.duplicate) {
            self.packets[index as usize].flying += 1;
            self.send(Message::Data { index, sent: self.now }, self.network.delay, false);
        }
    }

    fn send(&mut self, message: Message, delay: u64, lost: bool) {
        if !lost {
            let delay = delay + self.rng.random_range(0..=self.network.jitter);
            self.sequence += 1;
            self.on_the_way.insert((self.now + delay, self.sequence), message);
        }
    }

    fn arrives(&mut self, index: u32, sent: u64) {
        self.report.reordered += u32::from(self.highest_arrived > Some(index));
        self.highest_arrived = self.highest_arrived.max(Some(index));
        let op = sack_rx::Op {
            psn: add(self.network.first_psn, index),
            bytes: bytes(index),
            ecn: index % 5 == 0,
            ev: index as u16,
            timestamp: sent as u16,
            // the last one asks, as a sender does that has nothing more to send
            ack_request: index + 1 == self.network.packets,
            sack_threshold: self.network.sack_threshold,
            ..Default::default()
        };
        let outcome = self.rx.apply(&op);
        let packet = &mut self.packets[index as usize];
        packet.flying -= 1;
        match outcome.status.expect("a packet has a result") {
            sack_rx::Status::New => {
                assert!(!packet.received, "packet {index} delivered twice");
                packet.received = true;
                packet.missing = false;
                self.received += 1;
                self.received_bytes += u64::from(bytes(index));
            }
            sack_rx::Status::Duplicate => assert!(packet.received, "packet {index} is no duplicate"),
            other => panic!("packet {index} is {other:?}"),
        }
        if self.network.receiver_restarts_at == Some(self.received) {
            let psn = add(self.network.first_psn, self.received - 20);
            self.rx.apply(&sack_rx::Op { kind: sack_rx::OpKind::Init, psn, ..Default::default() });
        }
        if let Some(sack) = outcome.sack {
            self.answer(sack);
        }
    }

    fn probe_arrives(&mut self, psn: u32, sent: u64) {
        let op = sack_rx::Op { psn, probe: true, timestamp: sent as u16, ..Default::default() };
        let sack = self.rx.apply(&op).sack.expect("a probe is answered");
        self.answer(sack);
    }

    fn answer(&mut self, sack: Sack) {
        let blackout = self.network.sack_blackout.is_some_and(|(from, to)| (from..to).contains(&self.now));
        let lost = blackout || self.rng.random_bool(self.network.sack_loss);
        self.report.lost_sacks += u32::from(lost);
        self.send(Message::Sack(sack), self.network.delay, lost);
    }

    fn sack_arrives(&mut self, sack: &Sack) {
        let fields = SackFields {
            epsn: sack.epsn,
            base: sack.base,
            bitmap: if self.network.forget_bitmaps { 0 } else { sack.bitmap },
            ooo: sack.ooo,
            bytes_recvd: sack.bytes_recvd,
            timestamp: sack.timestamp,
            probe: sack.probe,
        };
        let epsn = self.index(sack.epsn);
        let outcome = self.op(OpKind::Sack(fields));
        let old = epsn < self.una;
        assert_eq!(outcome.status, Some(if old { Status::Old } else { Status::Ok }), "{sack:?}");
        if old {
            self.report.lost_sacks += 1;
            return;
        }
        let mut newly = 0;
        let in_segment = (0..64).filter(|i| sack.bitmap >> i & 1 == 1).map(|i| add(sack.base, i));
        // PSNs below the first one read 1, too
        let told: Vec<u32> = (self.una..epsn)
            .chain(
                in_segment
                    .filter(|&p| distance(self.network.first_psn, p) < MODULUS / 2)
                    .map(|p| self.index(p)),
            )
            .collect();
        for index in told {
            let packet = &mut self.packets[index as usize];
            assert!(packet.received, "packet {index} is acknowledged, but was not received");
            newly += u16::from(!packet.reported);
            packet.reported = true;
        }
        if !self.network.forget_bitmaps {
            assert_eq!(outcome.acked, newly);
        }
        self.una = epsn;
        self.newest_bytes = self.newest_bytes.max(self.received_bytes_of(sack));
        self.check_in_flight(&outcome);
    }

    /// The SACK's byte count, unwrapped: at most what was received by now.
    fn received_bytes_of(&self, sack: &Sack) -> u64 {
        self.received_bytes - u64::from((self.received_bytes as u32).wrapping_sub(sack.bytes_recvd))
    }

    fn index(&self, psn: u32) -> u32 {
        distance(self.network.first_psn, psn)
    }

    fn check_in_flight(&self, outcome: &Outcome) {
        let in_flight = self.first_sent_bytes - self.newest_bytes;
        assert_eq!(u64::from(outcome.in_flight_bytes), in_flight, "bytes in flight");
        if self.network.forget_bitmaps {
            return;
        }
        let state = self.tx.connection(0);
        let unacked =
            self.packets[self.una as usize..self.next as usize].iter().filter(|p| !p.reported).count();
        assert_eq!(usize::from(state.unacked(self.network.window)), unacked, "unacked");
        assert!(usize::from(outcome.in_flight) <= unacked, "in flight is never negative");
    }

    /// Recovery was entered: everything unacknowledged in its range is held for lost.
    fn recovery(&mut self, rule: Rule) {
        let rule = match rule {
            Rule::Ooo => 0,
            Rule::Probe => 1,
            Rule::Timeout => 2,
        };
        self.report.recoveries[rule] += 1;
        self.handed_out.clear();
        let state = self.tx.connection(0);
        let range = self.index(state.snd_una)..self.index(state.rec_end);
        assert!(range.start < range.end && range.end <= self.next, "recovery of {range:?} of {}", self.next);
        for packet in &mut self.packets[range.start as usize..range.end as usize] {
            if packet.missing && packet.flying == 0 {
                self.report.found_by[rule] += 1;
                packet.missing = false;
            }
        }
    }

    fn finish(self) -> Report {
        assert!(self.packets.iter().all(|p| p.received && p.transmissions > 0), "everything is received");
        let total: u64 = (0..self.network.packets).map(|i| u64::from(bytes(i))).sum();
        assert_eq!(self.received_bytes, total, "every byte is delivered once");
        assert_eq!(self.rx.connection(0).bytes_recvd, total as u32);
        let state = self.tx.connection(0);
        assert_eq!(
            (state.bytes_flight, state.unacked(self.network.window), state.in_recovery),
            (0, 0, false)
        );
        self.report
    }
}
