//! Hosts at a switch with `flowcut_switch`: flows share buckets, ACKs count bytes of one epoch, and hosts pause at XOFF, or do not.
//!
//! Nothing is sent again: a lost packet, or a lost ACK, leaves its bytes to the walker.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::calendar::Calendar;
use super::fabric::{Fabric, Paths, chance};
use super::flow::{Arrival, Order, Traffic};
use super::{Report, SwitchEnd};
use crate::flowcut_switch::{EPOCHS, MOST_IN_FLIGHT, Op, OpKind, Outcome, Route, Settings};

/// Ops between two visits, at most.
const OPS_A_VISIT: u32 = 15;

/// The network; an end for it has `hosts << hash_bits` buckets. `entry_timeout` must outlast a data packet, and no bucket may begin 16
/// flowcuts within an ACK's life.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    pub traffic: Traffic,
    pub fabric: Fabric,
    /// Hosts, among which the flows are dealt.
    pub hosts: u32,
    /// Buckets of a host: 2 to this.
    pub hash_bits: u32,
    /// Uplinks, 1..=64.
    pub uplinks: u32,
    /// A tick of `clock` is 2 to this ticks.
    pub clock_shift: u32,
    /// Ticks until a host hears of XOFF and XON, at least 1.
    pub pause_delay: u32,
    /// Chance that a host ignores XOFF.
    pub deaf_ppm: u32,
    /// Chance that a receiver holds an ACK back for the flow's next packet.
    pub hold_ack_ppm: u32,
    /// Most ticks that it does.
    pub hold_ack: u32,
    /// Chance of a data packet that a random uplink goes down.
    pub flap_ppm: u32,
    /// Ticks until it is up again.
    pub flap: u32,
    pub settings: Settings,
}

impl Default for Network {
    fn default() -> Self {
        Network {
            traffic: Traffic::default(),
            fabric: Fabric::default(),
            hosts: 4,
            hash_bits: 4,
            uplinks: 8,
            clock_shift: 4,
            pause_delay: 10,
            deaf_ppm: 0,
            hold_ack_ppm: 0,
            hold_ack: 30,
            flap_ppm: 0,
            flap: 500,
            settings: Settings::default(),
        }
    }
}

impl Network {
    /// Buckets that an end needs.
    pub fn buckets(&self) -> u32 {
        self.hosts << self.hash_bits
    }

    /// Runs all packets of the traffic through the network, and on until all is quiet and the walker has been everywhere.
    ///
    /// # Panics
    /// On traffic or paths outside their ranges, where `entry_timeout` does not outlast a data packet, where a round of the walker takes
    /// too long for `clock`, and on delays of [`super::HORIZON`] ticks or more.
    pub fn run(&self, end: &mut impl SwitchEnd, seed: u64) -> Report {
        Run::new(self, end, seed).finish()
    }
}

#[derive(Clone, Copy)]
enum Event {
    /// A flow has a packet to send.
    Send { flow: u32 },
    /// A packet arrives.
    Data { flow: u32, number: u32, risks: u32, bytes: u16, timestamp: u16, epoch: u8 },
    /// A receiver holds its ACK back no longer.
    Flush { flow: u32 },
    /// An ACK arrives.
    Ack { bucket: u16, held: Held },
    /// A host hears of XOFF or XON.
    Pause { bucket: u16, is_off: bool },
    /// An uplink is up again.
    Up { port: u32 },
}

/// What an ACK says.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: u32,
    timestamp: u16,
    epoch: u8,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    bucket: u16,
    number: u32,
    left_of_burst: u32,
    /// It waits for XON.
    is_paused: bool,
    /// What its receiver has not acknowledged yet.
    held: Held,
    order: Order,
}

/// What is known of a bucket from ops and outcomes.
#[derive(Clone, Debug, Default)]
struct Bucket {
    in_flight: u32,
    saturated: bool,
    port: u8,
    epoch: u8,
    draining: bool,
    risks: u32,
    /// Its host heard of XOFF.
    is_off: bool,
    flows: Vec<u32>,
}

struct Run<'a, E> {
    net: &'a Network,
    end: &'a mut E,
    rng: Xoshiro256PlusPlus,
    calendar: Calendar<Event>,
    paths: Paths,
    flows: Vec<Flow>,
    buckets: Vec<Bucket>,
    is_deaf: Vec<bool>,
    up: u64,
    left: u64,
    /// Where the walker comes next, and the ops since its last visit.
    next_visit: u32,
    ops: u32,
    report: Report,
}

impl<'a, E: SwitchEnd> Run<'a, E> {
    fn new(net: &'a Network, end: &'a mut E, seed: u64) -> Self {
        let Traffic { flows, packets, .. } = net.traffic;
        let Fabric { base, congested, spread, .. } = net.fabric;
        net.traffic.assert_in_range();
        assert!((1..=64).contains(&net.uplinks), "uplinks must be 1..=64, not {}", net.uplinks);
        assert!(net.buckets() <= 1 << 14, "a switch has at most 16384 buckets, not {}", net.buckets());
        assert!(net.pause_delay > 0, "XOFF takes a tick at least");
        let timeout = u32::from(net.settings.entry_timeout);
        assert!(
            base + congested + spread < timeout << net.clock_shift,
            "entry_timeout must outlast a data packet"
        );
        assert!(net.buckets() < (256 - timeout) << net.clock_shift, "a round of the walker takes too long");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut run = Run {
            net,
            end,
            calendar: Calendar::new(),
            paths: Paths::new(net.fabric, flows),
            flows: vec![Flow::default(); flows as usize],
            buckets: vec![Bucket::default(); net.buckets() as usize],
            is_deaf: (0..net.hosts).map(|_| chance(&mut rng, net.deaf_ppm)).collect(),
            rng,
            up: u64::MAX >> (64 - net.uplinks),
            left: packets,
            next_visit: 0,
            ops: 0,
            report: Report { flows, ..Report::default() },
        };
        for flow in 0..flows {
            let hash = run.rng.random_range(0..1 << net.hash_bits);
            let bucket = (flow % net.hosts) << net.hash_bits | hash;
            run.flows[flow as usize].bucket = bucket as u16;
            run.buckets[bucket as usize].flows.push(flow);
            run.schedule_send(flow);
        }
        let company = run.buckets.iter().map(|bucket| bucket.flows.len()).filter(|flows| *flows > 1);
        run.report.flows_with_company = company.sum::<usize>() as u32;
        run
    }

    fn finish(mut self) -> Report {
        // a clock that goes round, and two rounds of the walker
        let most_quiet = (256 << self.net.clock_shift) + 2 * self.net.buckets();
        let mut quiet = 0;
        while quiet < most_quiet {
            let next = self.calendar.next_time();
            if next == Some(self.calendar.now()) {
                let event = self.calendar.take();
                event.into_iter().for_each(|event| self.happen(event));
                continue;
            }
            quiet = if next.is_some() { 0 } else { quiet + 1 };
            self.calendar.tick();
            self.visit();
        }
        self.report.ticks = self.calendar.now();
        self.report.in_flight = self.buckets.iter().map(|b| u64::from(b.in_flight)).sum();
        self.report
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Send { flow } => self.send(flow),
            Event::Data { flow, number, risks, bytes, timestamp, epoch } => {
                match self.flows[flow as usize].order.arrive(number, risks) {
                    Arrival::InOrder => {}
                    Arrival::Excused => self.report.excused += 1,
                    Arrival::OutOfOrder => self.report.out_of_order += 1,
                }
                self.report.delivered += 1;
                self.receive(flow, bytes, timestamp, epoch);
            }
            Event::Flush { flow } => self.flush(flow),
            Event::Ack { bucket, held } => self.acknowledge(bucket, held),
            Event::Pause { bucket, is_off } => self.pause(bucket, is_off),
            Event::Up { port } => self.up |= 1 << port,
        }
    }

    fn schedule_send(&mut self, flow: u32) {
        let gap = self.net.traffic.draw_gap(&mut self.rng, &mut self.flows[flow as usize].left_of_burst);
        self.calendar.after(gap, Event::Send { flow });
    }

    fn op(&self, kind: OpKind, bucket: u16) -> Op {
        let now = self.calendar.now();
        let clock = (now >> self.net.clock_shift) as u8;
        Op { kind, bucket, now: now as u32 & 0xffff, clock, settings: self.net.settings, ..Op::default() }
    }

    /// Executes an op, after a visit if one is due.
    fn apply(&mut self, op: &Op) -> Outcome {
        if self.ops == OPS_A_VISIT {
            self.visit();
        }
        self.ops += 1;
        let outcome = self.end.apply(op);
        self.note_visits();
        outcome
    }

    fn send(&mut self, flow: u32) {
        if self.left == 0 {
            return;
        }
        let bucket = self.flows[flow as usize].bucket;
        if self.buckets[usize::from(bucket)].is_off {
            self.report.waits += 1;
            self.flows[flow as usize].is_paused = true;
            return;
        }
        if chance(&mut self.rng, self.net.flap_ppm) {
            let port = self.rng.random_range(0..self.net.uplinks);
            if self.up >> port & 1 != 0 {
                self.up &= !(1 << port);
                self.calendar.after(self.net.flap.into(), Event::Up { port });
            }
        }
        let bytes = self.net.traffic.draw_bytes(&mut self.rng);
        let outcome = self.apply(&Op { bytes, up: self.up, ..self.op(OpKind::Data, bucket) });
        self.left -= 1;
        self.note_data(bucket, bytes, &outcome);
        match outcome.sent.and_then(Route::port) {
            Some(port) => self.transmit(flow, port, bytes as u16, outcome.epoch),
            None => self.report.no_route += 1,
        }
        self.schedule_send(flow);
    }

    /// Holds the outcome of a data packet against what is known, and notes it.
    fn note_data(&mut self, bucket: u16, bytes: u32, outcome: &Outcome) {
        let b = &mut self.buckets[usize::from(bucket)];
        let is_live = |port: u8| self.up >> port & 1 != 0;
        let of_bucket = outcome.epoch == b.epoch && outcome.draining == b.draining && b.in_flight != 0;
        let is_right = match outcome.sent {
            Some(Route::New(port)) => {
                b.in_flight == 0
                    && is_live(port)
                    && outcome.epoch == (b.epoch + 1) % EPOCHS
                    && !outcome.draining
            }
            Some(Route::Same(port)) => of_bucket && port == b.port && is_live(port),
            Some(Route::Forced(port)) => of_bucket && !is_live(b.port) && is_live(port),
            Some(Route::NoRoute) => self.up == 0,
            None => false,
        };
        let is_forced = matches!(outcome.sent, Some(Route::Forced(_)));
        self.report.contradictions += u64::from(!is_right || outcome.order_risk != is_forced);
        self.report.flowcuts += u64::from(matches!(outcome.sent, Some(Route::New(_))));
        self.report.forced += u64::from(is_forced);
        self.report.order_risks += u64::from(outcome.order_risk);
        b.risks += u32::from(outcome.order_risk);
        if let Some(port) = outcome.sent.and_then(Route::port) {
            self.report.unheeded += u64::from(outcome.draining);
            (b.port, b.epoch) = (port, outcome.epoch);
            b.saturated |= b.in_flight + bytes > MOST_IN_FLIGHT;
            b.in_flight = if b.saturated { MOST_IN_FLIGHT } else { b.in_flight + bytes };
        }
    }

    fn transmit(&mut self, flow: u32, port: u8, bytes: u16, epoch: u8) {
        let now = self.calendar.now();
        let path = self.paths.path(port.into());
        let passage = self.paths.send(&mut self.rng, path, now);
        let f = &mut self.flows[flow as usize];
        let (number, risks) = (f.number, self.buckets[usize::from(f.bucket)].risks);
        f.number += 1;
        self.report.sent += 1;
        match passage.delay {
            Some(delay) => {
                let timestamp = now as u16;
                self.calendar.after(delay, Event::Data { flow, number, risks, bytes, timestamp, epoch });
            }
            None => self.report.lost += 1,
        }
        if passage.turned {
            let load = self.paths.fill(path);
            for port in 0..self.net.uplinks {
                if self.paths.path(port) == path {
                    self.apply(&Op { port: port as u8, load, ..self.op(OpKind::Load, 0) });
                }
            }
        }
    }

    fn receive(&mut self, flow: u32, bytes: u16, timestamp: u16, epoch: u8) {
        // an ACK is of one epoch
        if self.flows[flow as usize].held.epoch != epoch {
            self.flush(flow);
        }
        let held = &mut self.flows[flow as usize].held;
        let is_first = held.bytes == 0;
        *held = Held { bytes: held.bytes + u32::from(bytes), timestamp, epoch };
        if !chance(&mut self.rng, self.net.hold_ack_ppm) {
            self.flush(flow);
        } else if is_first {
            self.calendar.after(self.net.hold_ack.into(), Event::Flush { flow });
        }
    }

    fn flush(&mut self, flow: u32) {
        let f = &mut self.flows[flow as usize];
        let held = std::mem::take(&mut f.held);
        if held.bytes == 0 {
            return;
        }
        let bucket = f.bucket;
        match self.paths.acknowledge(&mut self.rng, flow, self.calendar.now()) {
            Some(delay) => self.calendar.after(delay, Event::Ack { bucket, held }),
            None => self.report.acks_lost += 1,
        }
    }

    fn acknowledge(&mut self, bucket: u16, held: Held) {
        let Held { bytes, timestamp, epoch } = held;
        let op = Op { bytes, epoch, timestamp: timestamp.into(), ..self.op(OpKind::Ack, bucket) };
        let outcome = self.apply(&op);
        let b = &mut self.buckets[usize::from(bucket)];
        let is_foreign = b.in_flight == 0 || epoch != b.epoch || bytes > b.in_flight && !b.saturated;
        let is_right = outcome.ack_refused == is_foreign && !(is_foreign && (outcome.xoff || outcome.xon));
        self.report.contradictions += u64::from(!is_right);
        self.report.acks += 1;
        self.report.refused += u64::from(outcome.ack_refused);
        if !outcome.ack_refused && !b.saturated {
            b.in_flight = b.in_flight.saturating_sub(bytes);
        }
        self.report.drains_done += u64::from(outcome.xon);
        self.note_pause(bucket, &outcome);
    }

    fn visit(&mut self) {
        let bucket = self.next_visit as u16;
        self.next_visit = (self.next_visit + 1) % self.net.buckets();
        self.ops = 0;
        let (bucket, outcome) = self.end.visit(&self.op(OpKind::Visit, bucket));
        self.note_visits();
        self.note_visit(bucket, &outcome);
    }

    /// Notes what came of visits that an end made by itself, before the latest op or visit.
    fn note_visits(&mut self) {
        while let Some((bucket, outcome)) = self.end.visited() {
            self.note_visit(bucket, &outcome);
        }
    }

    fn note_visit(&mut self, bucket: u16, outcome: &Outcome) {
        if outcome.entry_cleared {
            let b = &mut self.buckets[usize::from(bucket)];
            self.report.contradictions += u64::from(b.in_flight == 0);
            self.report.cleared += 1;
            (b.in_flight, b.saturated) = (0, false);
        }
        self.note_pause(bucket, outcome);
    }

    /// XOFF and XON come in turn, XON at once when nothing is on its way any more.
    fn note_pause(&mut self, bucket: u16, outcome: &Outcome) {
        let Outcome { xoff, xon, .. } = *outcome;
        let b = &mut self.buckets[usize::from(bucket)];
        let is_right = !(xoff && b.draining) && xon == (b.draining && b.in_flight == 0);
        self.report.contradictions += u64::from(!is_right);
        self.report.drains += u64::from(xoff);
        b.draining = (b.draining || xoff) && !xon;
        if xoff || xon {
            self.calendar.after(self.net.pause_delay.into(), Event::Pause { bucket, is_off: xoff });
        }
    }

    fn pause(&mut self, bucket: u16, is_off: bool) {
        if self.is_deaf[usize::from(bucket) >> self.net.hash_bits] {
            return;
        }
        let Bucket { is_off: was_off, flows, .. } = &mut self.buckets[usize::from(bucket)];
        *was_off = is_off;
        for flow in flows.iter().filter(|_| !is_off) {
            if std::mem::take(&mut self.flows[*flow as usize].is_paused) {
                self.calendar.after(0, Event::Send { flow: *flow });
            }
        }
    }
}
