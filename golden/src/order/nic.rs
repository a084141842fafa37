//! Flows of a NIC with `flowcut`: a connection each, counts of bytes in their ACKs, and retransmissions of what was lost.
//!
//! A sender knows what is lost at its timeout, as SACKs would tell it. Where only ACKs are lost it sends a probe without payload, which
//! is answered with the count.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::calendar::Calendar;
use super::fabric::{Fabric, Paths};
use super::flow::{Arrival, Order, Traffic};
use super::{Report, SenderEnd};
use crate::flowcut::{HALF_CIRCLE, Op, OpKind, Outcome, Route, Settings};

/// Bits of a count of bytes.
const COUNT_MASK: u64 = (1 << 24) - 1;
/// Timeouts of a flow without progress after which it is given up. Only an end with a fault comes to that.
const MOST_TRIES: u32 = 64;

/// The network; an end for it has a connection for each flow and times of 16 bits.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    pub traffic: Traffic,
    pub fabric: Fabric,
    /// Most bytes of a flow that are sent and not acknowledged.
    pub window: u32,
    /// Ticks without progress until a timeout, less than [`super::HORIZON`].
    pub timeout: u32,
    pub settings: Settings,
}

impl Default for Network {
    fn default() -> Self {
        Network {
            traffic: Traffic::default(),
            fabric: Fabric::default(),
            window: 1 << 17,
            timeout: 2500,
            settings: Settings::default(),
        }
    }
}

impl Network {
    /// Runs all packets of the traffic through the network, and on until all is quiet.
    ///
    /// # Panics
    /// On traffic or paths outside their ranges, and on delays of [`super::HORIZON`] ticks or more.
    pub fn run(&self, end: &mut impl SenderEnd, seed: u64) -> Report {
        Run::new(self, end, seed).finish()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Packet {
    /// A first transmission: its number, and the risks of the flow before it.
    First {
        number: u32,
        risks: u32,
    },
    Retransmission,
    Probe,
}

#[derive(Clone, Copy)]
enum Event {
    /// A flow has a packet to send.
    Send { flow: u16 },
    /// A packet arrives.
    Data { flow: u16, bytes: u16, timestamp: u16, packet: Packet },
    /// An ACK arrives: bytes received in all.
    Ack { flow: u16, timestamp: u16, received: u64 },
    /// A flow's timer fires.
    Timer { flow: u16 },
}

/// Why a flow does not send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Held {
    #[default]
    No,
    /// Until the next ACK: the window or the count is full.
    UntilAck,
    /// Until the drain ends.
    UntilDrained,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    // the sender
    number: u32,
    left_of_burst: u32,
    held: Held,
    /// Bytes of the packet that is held, or comes next; 0 for none yet.
    bytes: u32,
    /// Bytes that were sent for the first time.
    sent: u64,
    /// Bytes of which the sender heard.
    known: u64,
    /// Bytes of the last ACK that the end did not refuse.
    accepted: u64,
    /// Bytes of each packet that was lost.
    lost: Vec<u16>,
    deadline: u64,
    has_timer: bool,
    tries: u32,
    // what is known of the end
    ev: Option<u16>,
    draining: bool,
    risks: u32,
    // the receiver
    received: u64,
    order: Order,
}

impl Flow {
    fn is_open(&self) -> bool {
        self.sent != self.known || self.sent != self.accepted
    }
}

struct Run<'a, E> {
    net: &'a Network,
    end: &'a mut E,
    rng: Xoshiro256PlusPlus,
    calendar: Calendar<Event>,
    paths: Paths,
    flows: Vec<Flow>,
    left: u64,
    report: Report,
}

impl<'a, E: SenderEnd> Run<'a, E> {
    fn new(net: &'a Network, end: &'a mut E, seed: u64) -> Self {
        let Traffic { flows, packets, .. } = net.traffic;
        net.traffic.assert_in_range();
        assert!(flows <= 1 << 14, "a NIC has at most 16384 connections, not {flows}");
        let mut run = Run {
            net,
            end,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            calendar: Calendar::new(),
            paths: Paths::new(net.fabric, flows),
            flows: vec![Flow::default(); flows as usize],
            left: packets,
            report: Report { flows, ..Report::default() },
        };
        for flow in 0..flows as u16 {
            run.schedule_send(flow);
        }
        run
    }

    fn finish(mut self) -> Report {
        while let Some(event) = self.calendar.take() {
            match event {
                Event::Send { flow } => self.send(flow),
                Event::Data { flow, bytes, timestamp, packet } => self.arrive(flow, bytes, timestamp, packet),
                Event::Ack { flow, timestamp, received } => self.acknowledge(flow, timestamp, received),
                Event::Timer { flow } => self.expire(flow),
            }
        }
        self.report.ticks = self.calendar.now();
        self.report.in_flight = self.flows.iter().map(|f| f.sent.abs_diff(f.accepted)).sum();
        self.report
    }

    fn schedule_send(&mut self, flow: u16) {
        let gap = self.net.traffic.draw_gap(&mut self.rng, &mut self.flows[usize::from(flow)].left_of_burst);
        self.calendar.after(gap, Event::Send { flow });
    }

    fn op(&self, kind: OpKind, flow: u16) -> Op {
        let now = self.calendar.now() as u32 & 0xffff;
        Op { kind, conn: flow, now, settings: self.net.settings, ..Op::default() }
    }

    /// A flow's next packet.
    fn send(&mut self, flow: u16) {
        if self.left == 0 {
            return;
        }
        let f = &mut self.flows[usize::from(flow)];
        if f.bytes == 0 {
            f.bytes = self.net.traffic.draw_bytes(&mut self.rng);
        }
        let bytes = f.bytes;
        if f.sent - f.known + u64::from(bytes) > self.net.window.into() {
            f.held = Held::UntilAck;
            return;
        }
        let outcome = self.end.apply(&Op { bytes, ..self.op(OpKind::Send, flow) });
        let Some((route, draining)) = outcome.sent else {
            self.report.contradictions += 1;
            return;
        };
        self.check_route(flow, bytes, &outcome);
        let f = &mut self.flows[usize::from(flow)];
        let (Route::New(ev) | Route::Same(ev)) = route else {
            self.report.waits += 1;
            f.held = if draining { Held::UntilDrained } else { Held::UntilAck };
            return;
        };
        f.held = Held::No;
        f.bytes = 0;
        let packet = Packet::First { number: f.number, risks: f.risks };
        f.number += 1;
        f.sent += u64::from(bytes);
        self.left -= 1;
        self.report.sent += 1;
        self.transmit(flow, ev, bytes as u16, packet);
        self.schedule_send(flow);
    }

    /// Holds the outcome of a send against what is known, and notes it.
    fn check_route(&mut self, flow: u16, counted: u32, outcome: &Outcome) {
        let f = &mut self.flows[usize::from(flow)];
        let in_flight = f.sent - f.accepted.min(f.sent);
        let is_full = in_flight + u64::from(counted) >= HALF_CIRCLE.into();
        let is_held = counted != 0 && (f.draining && self.net.settings.hold || is_full);
        let is_right = match outcome.sent {
            Some((Route::New(_), _)) => outcome.order_risk == (in_flight != 0) && !is_held,
            Some((Route::Same(ev), _)) => f.ev == Some(ev) && !is_held,
            Some((Route::Wait, _)) => is_held,
            None => false,
        };
        self.report.contradictions += u64::from(!is_right);
        if let Some((Route::New(ev), _)) = outcome.sent {
            f.ev = Some(ev);
            self.report.flowcuts += 1;
        }
        f.risks += u32::from(outcome.order_risk);
        self.report.order_risks += u64::from(outcome.order_risk);
    }

    fn transmit(&mut self, flow: u16, ev: u16, bytes: u16, packet: Packet) {
        let now = self.calendar.now();
        let path = self.paths.path(ev.into());
        let f = &mut self.flows[usize::from(flow)];
        match self.paths.send(&mut self.rng, path, now).delay {
            Some(delay) => {
                self.calendar.after(delay, Event::Data { flow, bytes, timestamp: now as u16, packet });
            }
            None => {
                self.report.lost += 1;
                if packet != Packet::Probe {
                    f.lost.push(bytes);
                }
            }
        }
        if !f.has_timer {
            f.has_timer = true;
            f.tries = 0;
            f.deadline = now + u64::from(self.net.timeout);
            self.calendar.after(self.net.timeout.into(), Event::Timer { flow });
        }
    }

    fn arrive(&mut self, flow: u16, bytes: u16, timestamp: u16, packet: Packet) {
        let f = &mut self.flows[usize::from(flow)];
        if let Packet::First { number, risks } = packet {
            self.report.delivered += 1;
            match f.order.arrive(number, risks) {
                Arrival::InOrder => {}
                Arrival::Excused => self.report.excused += 1,
                Arrival::OutOfOrder => self.report.out_of_order += 1,
            }
        }
        f.received += u64::from(bytes);
        let received = f.received;
        match self.paths.acknowledge(&mut self.rng, flow.into(), self.calendar.now()) {
            Some(delay) => self.calendar.after(delay, Event::Ack { flow, timestamp, received }),
            None => self.report.acks_lost += 1,
        }
    }

    fn acknowledge(&mut self, flow: u16, timestamp: u16, received: u64) {
        let recvd = (received & COUNT_MASK) as u32;
        let op = Op { recvd, timestamp: timestamp.into(), ..self.op(OpKind::Ack, flow) };
        let outcome = self.end.apply(&op);
        let now = self.calendar.now();
        let f = &mut self.flows[usize::from(flow)];
        let is_stale = received <= f.accepted;
        let ends = !is_stale && received == f.sent;
        let is_right = outcome.ack_refused == is_stale
            && outcome.drain_done == (ends && f.draining)
            && !(outcome.drain_started && (f.draining || ends || is_stale));
        self.report.acks += 1;
        self.report.refused += u64::from(outcome.ack_refused);
        self.report.contradictions += u64::from(!is_right);
        self.report.drains += u64::from(outcome.drain_started);
        self.report.drains_done += u64::from(outcome.drain_done);
        f.draining = (f.draining || outcome.drain_started) && !outcome.drain_done;
        if !outcome.ack_refused {
            f.accepted = received;
        }
        if received > f.known {
            f.known = received;
            f.deadline = now + u64::from(self.net.timeout);
            f.tries = 0;
        }
        self.resume(flow, outcome.drain_done);
    }

    fn expire(&mut self, flow: u16) {
        let now = self.calendar.now();
        let f = &mut self.flows[usize::from(flow)];
        if !f.is_open() || f.tries == MOST_TRIES {
            f.has_timer = false;
            return;
        }
        if now < f.deadline {
            self.calendar.after(f.deadline - now, Event::Timer { flow });
            return;
        }
        f.tries += 1;
        f.deadline = now + u64::from(self.net.timeout);
        self.calendar.after(self.net.timeout.into(), Event::Timer { flow });
        self.report.timeouts += 1;
        let outcome = self.end.apply(&self.op(OpKind::Timeout, flow));
        let f = &mut self.flows[usize::from(flow)];
        self.report.contradictions += u64::from(outcome.drain_given_up != f.draining);
        self.report.drains_given_up += u64::from(outcome.drain_given_up);
        f.draining = false;
        // what is lost again comes into the new list
        let lost = std::mem::take(&mut f.lost);
        if lost.is_empty() {
            self.retransmit(flow, 0, Packet::Probe);
        }
        for bytes in lost {
            self.retransmit(flow, bytes, Packet::Retransmission);
        }
        self.resume(flow, true);
    }

    fn retransmit(&mut self, flow: u16, bytes: u16, packet: Packet) {
        let op = Op { bytes: bytes.into(), is_retransmission: true, ..self.op(OpKind::Send, flow) };
        let outcome = self.end.apply(&op);
        self.check_route(flow, 0, &outcome);
        match outcome.sent {
            Some((Route::New(ev) | Route::Same(ev), _)) => {
                self.report.retransmitted += 1;
                self.transmit(flow, ev, bytes, packet);
            }
            _ if bytes != 0 => self.flows[usize::from(flow)].lost.push(bytes),
            _ => {}
        }
    }

    /// Lets a flow that is held ask again.
    fn resume(&mut self, flow: u16, is_drained: bool) {
        let f = &mut self.flows[usize::from(flow)];
        if f.held == Held::UntilAck || f.held == Held::UntilDrained && is_drained {
            f.held = Held::No;
            self.calendar.after(0, Event::Send { flow });
        }
    }
}
