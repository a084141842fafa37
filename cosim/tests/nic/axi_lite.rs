//! A manager of AXI4-Lite that checks what its subordinate does in every cycle.

use rand::RngExt;
use rand::rngs::StdRng;
use respray_cosim::verilator::{Model, Port};

/// Most cycles that an answer may take: a command waits, and after `rst` all settings are given their values.
const PATIENCE: u64 = 10_000;

/// Cycles with `rst` high.
pub const RESET: u64 = 3;

/// An access.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    Read { address: u32 },
    Write { address: u32, value: u32, strobes: u64 },
}

/// How an access was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Of a read; 0 of a write.
    pub data: u32,
    pub is_error: bool,
    /// Cycle in which the address was taken, and the first one with the answer.
    pub taken: u64,
    pub answered: u64,
}

/// What is at the other ports of the block.
pub trait Side {
    /// Sets the inputs of the cycle, and sees the outputs that come from registers.
    fn cycle(&mut self, model: &mut Model, cycle: u64);

    /// Sees the outputs that follow from the inputs.
    fn settled(&mut self, _: &Model) {}
}

/// A channel: the ports `valid` and `ready`, and the payload with its mask.
struct Channel {
    valid: Port,
    ready: Port,
    payload: Vec<(Port, u64)>,
}

/// The manager. It drives one access, or a read and a write at once.
pub struct Manager {
    pub model: Model,
    /// Cycles that were since the model was made.
    pub cycle: u64,
    rng: StdRng,
    aw: Channel,
    w: Channel,
    b: Channel,
    ar: Channel,
    r: Channel,
}

/// One transfer that the manager makes on a channel.
struct Transfer {
    /// Cycles until `valid` or `ready` is given.
    delay: u64,
    /// Cycle of the transfer, once it was.
    done: Option<u64>,
}

impl Manager {
    /// On a model that was just made; holds `rst` for some cycles.
    pub fn new(mut model: Model, rng: StdRng) -> Self {
        let port = |name: &str| model.port(&format!("s_axil_{name}")).expect("the block has the port");
        let channel = |name: &str, payload: &[(&str, u32)]| Channel {
            valid: port(&format!("{name}valid")),
            ready: port(&format!("{name}ready")),
            payload: payload
                .iter()
                .map(|(part, bits)| (port(&format!("{name}{part}")), (1 << bits) - 1))
                .collect(),
        };
        let (aw, w) = (channel("aw", &[("addr", 12)]), channel("w", &[("data", 32), ("strb", 4)]));
        let (b, ar) = (channel("b", &[("resp", 2)]), channel("ar", &[("addr", 12)]));
        let r = channel("r", &[("data", 32), ("resp", 2)]);
        let rst = model.port("rst").expect("the block has the port");
        model.set(rst, 1);
        (0..RESET).for_each(|_| model.tick());
        model.set(rst, 0);
        Manager { model, cycle: RESET, rng, aw, w, b, ar, r }
    }

    /// The inputs of the bus, with their masks.
    fn inputs(&self) -> Vec<(Port, u64)> {
        let requests = [&self.aw, &self.w, &self.ar].map(|channel| {
            let valid = std::iter::once((channel.valid, 1));
            valid.chain(channel.payload.iter().copied()).collect::<Vec<_>>()
        });
        requests.into_iter().flatten().chain([(self.b.ready, 1), (self.r.ready, 1)]).collect()
    }

    /// What the outputs of the bus show.
    fn outputs(&self) -> Vec<u64> {
        let answers = [&self.b, &self.r].map(|channel| {
            let valid = std::iter::once(channel.valid);
            valid.chain(channel.payload.iter().map(|(port, _)| *port)).collect::<Vec<_>>()
        });
        let ports = answers.into_iter().flatten().chain([self.aw.ready, self.w.ready, self.ar.ready]);
        ports.map(|port| self.model.get(port)).collect()
    }

    /// Makes the accesses at once, at most one of each kind, with random delays on each channel. The answers are in the order of
    /// `accesses`.
    ///
    /// # Panics
    /// If a rule of the bus is broken, or an answer does not come.
    pub fn access(&mut self, accesses: &[Access], side: &mut dyn Side) -> Vec<Answer> {
        let delays: [u64; 5] = std::array::from_fn(|_| match self.rng.random_range(0..3) {
            0 => 0,
            1 => self.rng.random_range(0..6),
            _ => self.rng.random_range(0..90),
        });
        let mut transfers = delays.map(|delay| Transfer { delay, done: None });
        let (mut write, mut read) = (None, None);
        for access in accesses {
            match *access {
                Access::Read { address } => read = Some(address),
                Access::Write { address, value, strobes } => write = Some((address, value, strobes)),
            }
        }
        let begin = self.cycle;
        let (mut bresp, mut rdata) = (None, None);
        while (write.is_some() && transfers[2].done.is_none())
            || (read.is_some() && transfers[4].done.is_none())
        {
            assert!(self.cycle < begin + PATIENCE, "no answer to {accesses:x?}");
            let due = |transfer: &Transfer, cycle| transfer.done.is_none() && cycle >= begin + transfer.delay;
            let now = self.cycle;
            let (address, value, strobes) = write.unwrap_or_default();
            let gives = [
                write.is_some() && due(&transfers[0], now),
                write.is_some() && due(&transfers[1], now),
                due(&transfers[2], now),
                read.is_some() && due(&transfers[3], now),
                due(&transfers[4], now),
            ];
            self.model.set(self.aw.valid, gives[0].into());
            self.model.set(self.aw.payload[0].0, address.into());
            self.model.set(self.w.valid, gives[1].into());
            self.model.set(self.w.payload[0].0, value.into());
            self.model.set(self.w.payload[1].0, strobes);
            self.model.set(self.b.ready, gives[2].into());
            self.model.set(self.ar.valid, gives[3].into());
            self.model.set(self.ar.payload[0].0, read.unwrap_or_default().into());
            self.model.set(self.r.ready, gives[4].into());
            self.cycle(side);
            let is_high = |port| self.model.get(port) == 1;
            let at = [(&self.aw.ready, 0), (&self.w.ready, 1), (&self.ar.ready, 3)];
            for (ready, transfer) in at {
                if gives[transfer] && is_high(*ready) {
                    transfers[transfer].done = Some(now);
                }
            }
            if is_high(self.b.valid) {
                assert!(
                    transfers[0].done < Some(now) && transfers[1].done < Some(now),
                    "answered before it was given"
                );
                bresp.get_or_insert((now, self.model.get(self.b.payload[0].0)));
                transfers[2].done = gives[2].then_some(now);
            }
            if is_high(self.r.valid) {
                assert!(transfers[3].done.is_some_and(|taken| taken < now), "answered before it was given");
                let (data, resp) = (self.model.get(self.r.payload[0].0), self.model.get(self.r.payload[1].0));
                rdata.get_or_insert((now, data, resp));
                transfers[4].done = gives[4].then_some(now);
            }
            self.rise();
        }
        self.model.set(self.b.ready, 0);
        self.model.set(self.r.ready, 0);
        let is_error = |resp| match resp {
            0 => false,
            2 => true,
            other => panic!("neither OKAY nor SLVERR: {other}"),
        };
        let taken = |transfer: usize| transfers[transfer].done.expect("it was taken");
        let answer = |access: &Access| match access {
            Access::Read { .. } => {
                let (answered, data, resp) = rdata.expect("it was answered");
                Answer { data: data as u32, is_error: is_error(resp), taken: taken(3), answered }
            }
            Access::Write { .. } => {
                let (answered, resp) = bresp.expect("it was answered");
                Answer { data: 0, is_error: is_error(resp), taken: taken(0), answered }
            }
        };
        accesses.iter().map(answer).collect()
    }

    /// A cycle without an access.
    pub fn rest(&mut self, side: &mut dyn Side) {
        self.cycle(side);
        self.rise();
    }

    /// First half of a cycle: settles, and now and then sees that no output follows an input without an edge.
    fn cycle(&mut self, side: &mut dyn Side) {
        side.cycle(&mut self.model, self.cycle);
        self.model.settle();
        if self.cycle.is_multiple_of(61) {
            let outputs = self.outputs();
            let inputs: Vec<(Port, u64, u64)> =
                self.inputs().into_iter().map(|(port, mask)| (port, self.model.get(port), mask)).collect();
            inputs.iter().for_each(|(port, value, mask)| self.model.set(*port, !value & mask));
            self.model.settle();
            assert_eq!(self.outputs(), outputs, "cycle {}: an output follows an input", self.cycle);
            inputs.iter().for_each(|(port, value, _)| self.model.set(*port, *value));
            self.model.settle();
        }
        side.settled(&self.model);
    }

    /// Second half: the edge. An answer that was not taken has to stay as it is.
    fn rise(&mut self) {
        let shown = |manager: &Self, channel: &Channel| {
            let payload: Vec<u64> =
                channel.payload.iter().map(|(port, _)| manager.model.get(*port)).collect();
            (manager.model.get(channel.valid), payload)
        };
        let waits = |manager: &Self, channel: &Channel| {
            manager.model.get(channel.valid) == 1 && manager.model.get(channel.ready) == 0
        };
        let before = [&self.b, &self.r].map(|channel| waits(self, channel).then(|| shown(self, channel)));
        self.model.rise();
        self.cycle += 1;
        for (channel, before) in [&self.b, &self.r].into_iter().zip(before) {
            if let Some(before) = before {
                assert_eq!(
                    shown(self, channel),
                    before,
                    "cycle {}: an answer changed while it waited",
                    self.cycle
                );
            }
        }
    }
}
