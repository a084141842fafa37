//! The EV engine of a `nic`: any core of the selector contract.

use std::fmt::Debug;

use super::Config;
use crate::bitmap::{self, Bitmap};
use crate::ecmp::Ecmp;
use crate::flowcut;
use crate::flowlet::{self, Flowlet};
use crate::mixed::{self, Mixed};
use crate::mprdma::Mprdma;
use crate::ops::{self, Ops};
use crate::plb::Plb;
use crate::reps::{self, Reps};
use crate::selector::{Engine, Op, OpKind, Params, Selector, SendKind, SendResult};
use crate::strack::{self, Strack};
use crate::subflows::Subflows;

/// The selector and its own keys. A further core of the contract is one more of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Reps(reps::Keys),
    Ops(ops::Keys),
    Ecmp,
    Subflows,
    Mprdma,
    Flowlet(flowlet::Keys),
    Plb,
    Strack(strack::Keys),
    Bitmap(bitmap::Keys),
    Mixed(mixed::Keys),
    Flowcut(flowcut::Variant),
}

impl Choice {
    /// `reps` as 001 evaluates it: Algorithms 1 and 2, eight EVs a connection.
    pub const fn reps() -> Self {
        Choice::Reps(reps::Keys { depth: 8, variant: reps::Variant::Paper })
    }

    /// In the register `selector`.
    pub const fn code(&self) -> u32 {
        match self {
            Choice::Reps(_) => 0,
            Choice::Ops(_) => 1,
            Choice::Ecmp => 2,
            Choice::Subflows => 3,
            Choice::Mprdma => 4,
            Choice::Flowlet(_) => 5,
            Choice::Plb => 6,
            Choice::Strack(_) => 7,
            Choice::Bitmap(_) => 8,
            Choice::Mixed(_) => 9,
            Choice::Flowcut(_) => 10,
        }
    }

    /// Whether it lets packets wait, which are then parked.
    pub const fn parks(&self) -> bool {
        matches!(self, Choice::Flowcut(_))
    }

    pub(super) fn engine(&self, config: &Config, seed: u16) -> Box<dyn Spray> {
        match *self {
            Choice::Reps(keys) => Box::new(engine::<Reps>(config, seed, keys)),
            Choice::Ops(keys) => Box::new(engine::<Ops>(config, seed, keys)),
            Choice::Ecmp => Box::new(engine::<Ecmp>(config, seed, ())),
            Choice::Subflows => Box::new(engine::<Subflows>(config, seed, ())),
            Choice::Mprdma => Box::new(engine::<Mprdma>(config, seed, ())),
            Choice::Flowlet(keys) => Box::new(engine::<Flowlet>(config, seed, keys)),
            Choice::Plb => Box::new(engine::<Plb>(config, seed, ())),
            Choice::Strack(keys) => Box::new(engine::<Strack>(config, seed, keys)),
            Choice::Bitmap(keys) => Box::new(engine::<Bitmap>(config, seed, keys)),
            Choice::Mixed(keys) => Box::new(engine::<Mixed>(config, seed, keys)),
            Choice::Flowcut(variant) => Box::new(flowcut_engine(config, seed, variant)),
        }
    }
}

fn engine<S: Selector>(config: &Config, seed: u16, keys: S::Keys) -> Engine<S> {
    let Config { connections, ev_base, ev_bits, time_bits, .. } = *config;
    Engine::new(Params { connections, ev_base, ev_bits, time_bits, seed, keys })
}

fn flowcut_engine(config: &Config, seed: u16, variant: flowcut::Variant) -> flowcut::Engine {
    let Config { connections, ev_base, ev_bits, .. } = *config;
    let time_bits = config.selector_time_bits();
    flowcut::Engine::new(flowcut::Params { connections, variant, time_bits, ev_base, ev_bits, seed })
}

/// What an op says that only some selectors hear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Send: bytes of payload that will be acknowledged; none of a probe.
    pub bytes: u32,
    /// Send: the packet was sent before.
    pub again: bool,
    /// ACK: bytes that the receiver has got, without those that came twice.
    pub recvd: u32,
    /// ACK: the timestamp that it echoes. Init: the first average RTT.
    pub timestamp: u16,
    /// ACK: class of the connection's paths.
    pub class: u8,
}

/// What a send is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    Ev(SendResult),
    /// The packet has to wait, because the connection drains or, if it does not, because too much is on its way.
    Waits {
        draining: bool,
    },
}

/// What an op brought about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// Of a send.
    pub sent: Option<Drawn>,
    /// Bit `i`: event `i` happened.
    pub events: u8,
    /// A packet of the connection that waits is to ask again: in any case, or if it does not wait for the end of a drain.
    pub wakes: bool,
    pub wakes_unless_draining: bool,
}

/// A path selector, whichever it is.
pub(super) trait Spray: Debug + Send {
    /// The run-time settings, in the order of their registers.
    fn settings(&self) -> &'static [&'static str];
    /// The names of the events, from bit 0 of [`Effect::events`] on.
    fn events(&self) -> &'static [&'static str];
    /// Executes an op. `settings` are the values of all its settings.
    fn apply(&mut self, op: &Op, said: &Said, settings: &[u32; 8]) -> Effect;
    /// Sets the smallest RTT of a class, where there are classes.
    fn set_min(&mut self, _class: u8, _ticks: u16) {}
    fn reset(&mut self, seed: u16);
}

impl<S: Selector<Keys: Send, Connection: Send>> Spray for Engine<S> {
    fn settings(&self) -> &'static [&'static str] {
        S::SETTINGS
    }

    fn events(&self) -> &'static [&'static str] {
        S::EVENTS
    }

    fn apply(&mut self, op: &Op, _: &Said, _: &[u32; 8]) -> Effect {
        let outcome = Engine::apply(self, op);
        Effect { sent: outcome.result.map(Drawn::Ev), events: outcome.events, ..Effect::default() }
    }

    fn reset(&mut self, seed: u16) {
        self.reset_with_seed(seed);
    }
}

impl Spray for flowcut::Engine {
    fn settings(&self) -> &'static [&'static str] {
        // behind those of the engine what the block itself says with ACKs and commands
        &[
            "rtt_floor",
            "ratio",
            "alpha",
            "hold",
            "timeout_reroutes",
            "ack_serial",
            "command_class",
            "command_rtt",
        ]
    }

    fn events(&self) -> &'static [&'static str] {
        &["drain_started", "drain_done", "drain_given_up", "order_risk", "ack_refused"]
    }

    fn apply(&mut self, op: &Op, said: &Said, settings: &[u32; 8]) -> Effect {
        let [rtt_floor, ratio, alpha, hold, timeout_reroutes, serial, ..] = *settings;
        let kind = match op.kind {
            OpKind::Send => flowcut::OpKind::Send,
            OpKind::Ack => flowcut::OpKind::Ack,
            OpKind::Nack => flowcut::OpKind::Nack,
            OpKind::Timeout => flowcut::OpKind::Timeout,
            OpKind::Init => flowcut::OpKind::Init,
            OpKind::Reserved => flowcut::OpKind::Reserved,
        };
        let outcome = flowcut::Engine::apply(
            self,
            &flowcut::Op {
                kind,
                conn: op.conn,
                bytes: said.bytes,
                is_retransmission: said.again,
                recvd: said.recvd & 0xff_ffff,
                timestamp: said.timestamp.into(),
                class: said.class,
                serial,
                now: op.now,
                settings: flowcut::Settings {
                    rtt_floor,
                    ratio: ratio as u8,
                    alpha: alpha as u8,
                    hold: hold == 1,
                    timeout_reroutes: timeout_reroutes == 1,
                },
            },
        );
        let events = [
            outcome.drain_started,
            outcome.drain_done,
            outcome.drain_given_up,
            outcome.order_risk,
            outcome.ack_refused,
        ];
        Effect {
            sent: outcome.sent.map(|(route, draining)| match route {
                flowcut::Route::New(ev) => Drawn::Ev(SendResult { kind: SendKind::Explore, ev }),
                flowcut::Route::Same(ev) => Drawn::Ev(SendResult { kind: SendKind::Replay, ev }),
                flowcut::Route::Wait => Drawn::Waits { draining },
            }),
            events: (0..).zip(events).map(|(at, happened)| u8::from(happened) << at).sum(),
            wakes: outcome.drain_done || outcome.drain_given_up || kind == flowcut::OpKind::Init,
            wakes_unless_draining: kind == flowcut::OpKind::Ack && !outcome.ack_refused,
        }
    }

    fn set_min(&mut self, class: u8, ticks: u16) {
        let (kind, timestamp) = (flowcut::OpKind::SetMin, ticks.into());
        flowcut::Engine::apply(self, &flowcut::Op { kind, class, timestamp, ..flowcut::Op::default() });
    }

    fn reset(&mut self, seed: u16) {
        flowcut::Engine::reset(self, seed);
    }
}
