//! The scoreboard from its contract, with the acknowledged PSNs as a set.

use std::collections::BTreeSet;

use rand::RngExt;
use rand::rngs::StdRng;

pub const PSNS: u32 = 1 << 24;

/// `op_kind`, and what the walker does.
pub const SENT: u8 = 0;
pub const SACK: u8 = 1;
pub const NEXT_RTX: u8 = 2;
pub const INIT: u8 = 3;
pub const VISIT: u8 = 4;

#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub kind: u8,
    pub conn: u64,
    pub psn: u32,
    pub bytes: u32,
    pub epsn: u32,
    pub base: u32,
    pub bitmap: u64,
    pub ooo: u32,
    pub bytes_recvd: u32,
    pub timestamp: u32,
    pub probe: bool,
    pub now: u32,
    pub cwnd_packets: u32,
    pub probe_timeout: u32,
    pub probe_rtt: u32,
    pub rto: u32,
}

impl Default for Op {
    /// Nothing times out.
    fn default() -> Op {
        Op {
            kind: SENT,
            conn: 0,
            psn: 0,
            bytes: 0,
            epsn: 0,
            base: 0,
            bitmap: 0,
            ooo: 0,
            bytes_recvd: 0,
            timestamp: 0,
            probe: false,
            now: 0,
            cwnd_packets: 8,
            probe_timeout: 0xFFFF,
            probe_rtt: 0,
            rto: 0xFFFF,
        }
    }
}

/// With `res_valid`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct After {
    pub status: u8,
    pub acked: u32,
    pub in_flight: u32,
    pub bytes_in_flight: u32,
    pub in_recovery: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Event {
    pub loss_ooo: bool,
    pub loss_probe: bool,
    pub loss_timeout: bool,
    pub probe_due: bool,
    pub recovery_left: bool,
}

pub struct Outcome {
    pub after: Option<After>,
    pub psn: Option<u32>,
    pub events: Event,
    /// In the manifest's words.
    pub class: &'static str,
    pub cum_segments: u32,
}

#[derive(Clone, Default)]
struct Connection {
    initialised: bool,
    una: u32,
    nxt: u32,
    acked: BTreeSet<u32>,
    high: u32,
    rec_end: u32,
    rtx: u32,
    in_recovery: bool,
    probe_out: bool,
    bytes_sent: u32,
    bytes_flight: u32,
    progress: u32,
    heard: u32,
}

pub struct Model {
    pub window: u32,
    pub timeouts: u32,
    connections: Vec<Connection>,
}

fn ahead(psn: u32, of: u32) -> u32 {
    psn.wrapping_sub(of) % PSNS
}

fn is_below(a: u32, b: u32) -> bool {
    ahead(a, b) >= PSNS / 2
}

fn later(a: u32, b: u32) -> u32 {
    if is_below(a, b) { b } else { a }
}

/// `from..to`, nothing if `to` is below.
fn range(from: u32, to: u32) -> impl Iterator<Item = u32> {
    let count = if is_below(to, from) { 0 } else { ahead(to, from) };
    (0..count).map(move |n| (from + n) % PSNS)
}

fn segments(from: u32, to: u32) -> u32 {
    ahead(to & !63, from & !63) / 64
}

fn ticks(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) & 0xFFFF
}

impl Connection {
    fn enter(&mut self, end: u32) {
        self.in_recovery = true;
        self.rec_end = end;
        self.rtx = self.una;
    }

    fn missing(&self, from: u32, to: u32) -> impl Iterator<Item = u32> {
        range(from, to).filter(|psn| !self.acked.contains(psn))
    }

    fn to_retransmit(&self) -> impl Iterator<Item = u32> {
        let end = if self.in_recovery { self.rec_end } else { self.una };
        self.missing(later(self.rtx, self.una), end)
    }

    fn sent(&mut self, op: &Op, window: u32) -> u8 {
        let outstanding = ahead(self.nxt, self.una);
        let place = ahead(op.psn, self.una);
        if is_below(op.psn, self.una) || place < outstanding {
            return 1;
        }
        if place > outstanding {
            return 2;
        }
        if outstanding == window {
            return 3;
        }
        if outstanding == 0 {
            self.progress = op.now;
            self.heard = op.now;
        }
        self.nxt = (self.nxt + 1) % PSNS;
        self.bytes_sent = self.bytes_sent.wrapping_add(op.bytes);
        self.bytes_flight = self.bytes_flight.wrapping_add(op.bytes);
        0
    }

    fn refused(&self, op: &Op, window: u32) -> u8 {
        let bits = || (0..64).filter(|n| op.bitmap >> n & 1 == 1).map(|n| (op.base + n) % PSNS);
        match () {
            _ if is_below(op.epsn, self.una) => 1,
            _ if ahead(op.epsn, self.una) > ahead(self.nxt, self.una) => 2,
            _ if op.base % 64 != 0 || segments(self.una, op.base) > window / 64 => 3,
            _ if bits().any(|psn| !is_below(psn, self.nxt)) => 4,
            _ => 0,
        }
    }

    fn sack(&mut self, op: &Op, events: &mut Event) -> u32 {
        let before = self.missing(self.una, self.nxt).count();
        if op.epsn != self.una {
            self.progress = op.now;
        }
        self.una = op.epsn;
        self.high = later(self.high, self.una);
        self.acked.retain(|psn| !is_below(*psn, op.epsn));
        for n in (0..64).filter(|n| op.bitmap >> n & 1 == 1) {
            let psn = (op.base + n) % PSNS;
            if !is_below(psn, self.una) {
                self.acked.insert(psn);
                self.high = later(self.high, (psn + 1) % PSNS);
            }
        }
        self.bytes_flight = self.bytes_flight.min(self.bytes_sent.wrapping_sub(op.bytes_recvd));
        self.heard = op.now;
        if self.in_recovery && !is_below(self.una, self.rec_end) {
            events.recovery_left = true;
            self.in_recovery = false;
        }
        let before_probe = later(self.rec_end, self.high);
        let is_quick = ticks(op.timestamp, op.now) <= op.probe_rtt;
        if op.probe && self.probe_out && is_quick && before_probe != self.una {
            self.enter(before_probe);
            events.loss_probe = true;
        } else if !self.in_recovery && op.ooo > op.cwnd_packets && op.ooo > 5 && self.high != self.una {
            self.enter(self.high);
            events.loss_ooo = true;
        }
        self.probe_out = false;
        (before - self.missing(self.una, self.nxt).count()) as u32
    }

    fn visit(&mut self, op: &Op, events: &mut Event) -> Option<u32> {
        if !self.initialised || self.una == self.nxt {
            return None;
        }
        if ticks(self.progress, op.now) >= op.rto {
            self.enter(self.nxt);
            self.progress = op.now;
            self.heard = op.now;
            self.probe_out = false;
            events.loss_timeout = true;
        } else if ticks(self.heard, op.now) >= op.probe_timeout {
            self.heard = op.now;
            self.probe_out = true;
            if !self.in_recovery {
                self.rec_end = self.nxt;
            }
            events.probe_due = true;
            return Some(self.una);
        }
        None
    }
}

impl Model {
    pub fn new(window: u32) -> Model {
        Model { window, timeouts: 0, connections: vec![Connection::default(); 16] }
    }

    pub fn apply(&mut self, op: &Op) -> Outcome {
        let connection = &mut self.connections[op.conn as usize];
        let mut outcome =
            Outcome { after: None, psn: None, events: Event::default(), class: "init", cum_segments: 0 };
        let mut acked = 0;
        let mut status = if connection.initialised { 0 } else { 7 };
        match op.kind {
            INIT => {
                *connection = Connection {
                    initialised: true,
                    una: op.psn,
                    nxt: op.psn,
                    high: op.psn,
                    rec_end: op.psn,
                    rtx: op.psn,
                    progress: op.now,
                    heard: op.now,
                    ..Connection::default()
                };
                return outcome;
            }
            VISIT => {
                outcome.class = "visit";
                outcome.psn = connection.visit(op, &mut outcome.events);
                self.timeouts += u32::from(outcome.events.loss_timeout);
                return outcome;
            }
            SENT => {
                outcome.class = "sent";
                if status == 0 {
                    status = connection.sent(op, self.window);
                }
            }
            SACK => {
                outcome.class = "sack_refused";
                if status == 0 {
                    status = connection.refused(op, self.window);
                }
                if status == 0 {
                    outcome.class = "sack";
                    outcome.cum_segments = segments(connection.una, op.epsn);
                    acked = connection.sack(op, &mut outcome.events);
                }
            }
            _ => {
                outcome.class = "next_rtx";
                if status == 0 {
                    outcome.psn = connection.to_retransmit().next();
                    status = u8::from(outcome.psn.is_none());
                    connection.rtx = outcome.psn.map_or(connection.rtx, |psn| (psn + 1) % PSNS);
                }
            }
        }
        let unacked = connection.missing(connection.una, connection.nxt).count();
        outcome.after = Some(After {
            status,
            acked,
            in_flight: (unacked - connection.to_retransmit().count()) as u32,
            bytes_in_flight: connection.bytes_flight,
            in_recovery: connection.in_recovery,
        });
        outcome
    }

    /// An op that mostly makes sense, without its times. In `mood` 0 few SACKs come, so that the window fills; in 2 the timers are
    /// short.
    pub fn random_op(&self, conn: u64, mood: u32, random: &mut StdRng) -> Op {
        let connection = &self.connections[conn as usize];
        let outstanding = ahead(connection.nxt, connection.una);
        let near = |random: &mut StdRng, psn: u32| {
            let by = random.random_range(0..4 * self.window);
            (psn + PSNS + by - 2 * self.window) % PSNS
        };
        let kind = match random.random_range(0..100u32) {
            _ if !connection.initialised && random.random_bool(0.6) => INIT,
            0 if random.random_bool(0.2) => INIT,
            n if n < [94, 50, 60][mood as usize] => SENT,
            n if n < 97 - 3 * mood => SACK,
            _ => NEXT_RTX,
        };
        let psn = match random.random_range(0..20) {
            0 => near(random, connection.nxt),
            1 => random.random_range(0..PSNS),
            2 => near(random, connection.una + PSNS / 2),
            _ if kind == INIT => PSNS - random.random_range(0..300),
            _ => connection.nxt,
        } % PSNS;
        let epsn = match random.random_range(0..20) {
            0 => near(random, connection.una),
            1 => near(random, connection.una + PSNS / 2),
            2 if random.random_bool(0.3) => connection.nxt,
            3 if mood > 0 => connection.una + random.random_range(0..=outstanding),
            4..8 => connection.una + random.random_range(0..=outstanding.min(8)),
            _ => connection.una,
        } % PSNS;
        let last = segments(connection.una, connection.nxt);
        let base = match random.random_range(0..20) {
            0 => near(random, connection.una),
            1 => near(random, connection.una) & !63,
            _ => (connection.una & !63) + 64 * random.random_range(0..=last),
        } % PSNS;
        let mut bitmap: u64 = random.random();
        match random.random_range(0..6) {
            0 => bitmap = 0,
            1 => bitmap = !0,
            2 => bitmap &= random.random::<u64>() & random.random::<u64>(),
            3 => bitmap |= random.random::<u64>(),
            _ => {}
        }
        let sent = (0..64).filter(|n| is_below((base + n) % PSNS, connection.nxt));
        if random.random_bool(0.95) {
            bitmap &= sent.fold(0, |bits, n| bits | 1 << n);
        }
        let short = mood == 2;
        Op {
            kind,
            conn,
            psn,
            bytes: random.random_range(0..0x1_0000),
            epsn,
            base,
            bitmap,
            ooo: random.random_range(0..30),
            bytes_recvd: match random.random_range(0..10) {
                0 => random.random(),
                1 => connection.bytes_sent,
                _ => connection
                    .bytes_sent
                    .wrapping_sub(connection.bytes_flight)
                    .wrapping_add(random.random_range(0..20_000)),
            },
            probe: random.random_bool(0.5),
            cwnd_packets: if random.random_bool(0.5) { 3 } else { random.random_range(0..4096) },
            probe_timeout: if short { 150 } else { 3000 },
            probe_rtt: random.random_range(0..300),
            rto: if short && random.random_bool(0.3) { 1000 } else { 20_000 },
            ..Op::default()
        }
    }
}
