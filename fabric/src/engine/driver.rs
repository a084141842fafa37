//! One engine that is driven: each op is given to the Verilog, to the golden model, or to both, and answers are kept until they are
//! fetched.

use std::path::Path;

use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::path_selector::{Beside, FlowPorts, Ports, SEND};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::stimulus::Entry;
use respray_hdl::contract::{Shown, Words};

use super::verilog::{PATIENCE, Verilog};
use super::{Answer, Counts, Difference, Engine, Feedback, Kind, Maker, Say, WAIT};
use crate::error::FabricError;

/// The first ticket: a few before they go round, so that every run of some length shows that this does no harm.
const FIRST_TICKET: u32 = 100_u32.wrapping_neg();

/// An engine, as Verilog, golden model or both.
pub(super) struct Driver<C: OpCore> {
    ports: Ports,
    flow: Option<FlowPorts>,
    beside: Beside,
    golden: Option<C>,
    verilog: Option<Verilog>,
    /// Tickets of the next send, and of the next that is answered.
    asked: u32,
    answered: u32,
    /// Sends that have been answered alike.
    alike: u64,
    /// Kind and EV by ticket, modulo their number; where there are both, first as the golden model says it, then as the Verilog does.
    answers: Vec<(u8, u16)>,
    /// Places of event ports among what the outputs show.
    event_places: Vec<usize>,
    counts: Counts,
    /// All ops, where they may be wanted.
    entries: Option<Vec<Entry<C::Op>>>,
    seed: u16,
    difference: Option<Difference>,
}

impl<C: Compiled> Driver<C> {
    pub(super) fn new(maker: &Maker, seed: u16, ops: u64) -> Result<Self, FabricError> {
        let (contract, config) = (C::CONTRACT, &maker.generated.manifest.config);
        let ports = Ports::of(contract);
        let flow = FlowPorts::of(contract, config);
        let mut beside = Beside::of(contract, config);
        for &(name, value) in &maker.settings {
            beside.set(contract, name, value);
        }
        let events: Vec<(usize, &'static str)> = contract
            .shown_fields()
            .enumerate()
            .filter(|(_, field)| !field.port.starts_with("res_") && field.width.bits(config) == 1)
            .map(|(place, field)| (place, field.port))
            .collect();
        let golden = (maker.kind != Kind::Rtl).then(|| {
            let mut core = C::new(config);
            core.reset(seed);
            core
        });
        let mut counts =
            Counts { events: events.iter().map(|(_, port)| (*port, 0)).collect(), ..Counts::default() };
        let verilog = match maker.kind {
            Kind::Golden => None,
            Kind::Rtl | Kind::Both => Some(Verilog::reset::<C>(maker, seed, ops, &mut counts.edges)?),
        };
        Ok(Driver {
            ports,
            flow,
            beside,
            golden,
            verilog,
            asked: FIRST_TICKET,
            answered: FIRST_TICKET,
            alike: 0,
            answers: vec![(0, 0); maker.kept.next_power_of_two()],
            event_places: events.into_iter().map(|(place, _)| place).collect(),
            counts,
            entries: (maker.kind == Kind::Both).then(Vec::new),
            seed,
            difference: None,
        })
    }

    /// The op that says this.
    #[inline]
    fn op(&self, code: u64, say: &Say) -> C::Op {
        let mut op = C::Op::default();
        op.set(0, code);
        op.set(self.ports.conn, say.connection.into());
        self.ports.say_ack(&mut op, say.ev, say.is_marked);
        if let Some(flow) = &self.flow {
            flow.say(&mut op, say.bytes, say.is_repeated, say.received, say.sent_at, say.tiers);
        }
        self.beside.say(&mut op, say.now, say.window_packets, say.room);
        op
    }

    fn issue(&mut self, op: &C::Op) -> Result<(), FabricError> {
        self.counts.ops += 1;
        if let Some(entries) = &mut self.entries {
            entries.push(Entry::op(*op));
        }
        if let Some(golden) = &mut self.golden {
            let shown = golden.apply(op).shown;
            let is_alone = self.verilog.is_none();
            let places = &self.event_places;
            if let Some(shown) = shown {
                if is_alone {
                    let counted = &mut self.counts.events;
                    shown.each(|place, word, _| {
                        if let Some(event) = places.iter().position(|of| *of == place) {
                            counted[event].1 += word;
                        }
                    });
                }
                if let Some(sent) = self.ports.sent(&shown) {
                    let place = self.asked.wrapping_sub(1) as usize & (self.answers.len() - 1);
                    self.answers[place] = (sent.kind as u8, sent.ev);
                    if is_alone {
                        self.answered = self.answered.wrapping_add(1);
                        self.counts.sends[sent.kind as usize % 4] += 1;
                    }
                }
            }
        }
        let Some(verilog) = &mut self.verilog else { return Ok(()) };
        verilog.inputs[verilog.layout.op_valid] = 1;
        op.each(|place, word| {
            // the type of an op has words for the fields of every selector
            if let Some(&column) = verilog.layout.op.get(place) {
                verilog.inputs[column] = word;
            }
        });
        for _ in 0..PATIENCE {
            let verilog = self.verilog.as_mut().expect("it is there");
            verilog.clock(&mut self.counts.edges)?;
            let is_taken = verilog.is_ready();
            self.look();
            if is_taken {
                let verilog = self.verilog.as_mut().expect("it is there");
                verilog.inputs[verilog.layout.op_valid] = 0;
                return Ok(());
            }
        }
        let verilog = self.verilog.as_ref().expect("it is there");
        Err(verilog.stopped(self.counts.edges, "it takes no op"))
    }

    /// A clock edge without an op.
    fn idle(&mut self) -> Result<(), FabricError> {
        let verilog = self.verilog.as_mut().expect("a golden model has answered");
        verilog.clock(&mut self.counts.edges)?;
        self.look();
        Ok(())
    }

    /// Looks at what the outputs of the Verilog showed before the latest edge.
    #[inline]
    fn look(&mut self) {
        let Some(verilog) = &self.verilog else { return };
        let shown = |place: usize| verilog.outputs[verilog.layout.shown[place]];
        for (place, count) in self.event_places.iter().zip(&mut self.counts.events) {
            count.1 += shown(*place);
        }
        if shown(self.ports.res_valid) == 0 {
            return;
        }
        let seen = (shown(self.ports.res_kind), shown(self.ports.res_ev) as u16);
        let place = self.answered as usize & (self.answers.len() - 1);
        let golden = (u64::from(self.answers[place].0), self.answers[place].1);
        let is_same = golden.0 == seen.0 && (golden.1 == seen.1 || golden.0 == u64::from(WAIT));
        if self.golden.is_some() && !is_same && self.difference.is_none() {
            self.difference = Some(Difference::Ev { sends: self.alike, golden, seen });
        }
        self.answers[place] = (seen.0 as u8, seen.1);
        self.answered = self.answered.wrapping_add(1);
        self.alike += 1;
        self.counts.sends[seen.0 as usize % 4] += 1;
    }

    /// Whether the send of this ticket was answered. Tickets go round, and all that matter are close to each other.
    #[inline]
    fn is_answered(&self, ticket: u32) -> bool {
        self.answered.wrapping_sub(ticket) as i32 > 0
    }

    fn wait_for(&mut self, ticket: u32) -> Result<(), FabricError> {
        for _ in 0..PATIENCE {
            if self.is_answered(ticket) {
                return Ok(());
            }
            self.idle()?;
        }
        let verilog = self.verilog.as_ref().expect("it is there");
        Err(verilog.stopped(self.counts.edges, "it answers a send with nothing"))
    }
}

impl<C: Compiled> Engine for Driver<C> {
    #[inline]
    fn send(&mut self, say: &Say) -> Result<u32, FabricError> {
        let ticket = self.asked;
        self.asked = self.asked.wrapping_add(1);
        let op = self.op(SEND, say);
        self.issue(&op)?;
        Ok(ticket)
    }

    #[inline]
    fn hear(&mut self, feedback: Feedback, say: &Say) -> Result<(), FabricError> {
        let op = self.op(feedback.code(), say);
        self.issue(&op)
    }

    #[inline]
    fn ev(&mut self, ticket: u32) -> Result<Answer, FabricError> {
        if !self.is_answered(ticket) {
            self.wait_for(ticket)?;
        }
        assert!(
            self.asked.wrapping_sub(ticket) as usize <= self.answers.len(),
            "an answer is fetched while it is kept"
        );
        Ok(Answer::of(self.answers[ticket as usize & (self.answers.len() - 1)]))
    }

    fn finish(&mut self) -> Result<Counts, FabricError> {
        if self.asked != self.answered {
            self.wait_for(self.asked.wrapping_sub(1))?;
        }
        if self.verilog.is_some() {
            for _ in 0..FLUSH {
                self.idle()?;
            }
        }
        Ok(self.counts.clone())
    }

    fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }

    fn write_ops(&self, path: &Path) -> Result<(), FabricError> {
        let entries = self.entries.as_deref().unwrap_or_default();
        let mut trace = OpTrace::of_entries(C::CONTRACT, entries, &[]);
        trace.seed = Some(self.seed);
        Ok(trace.write(C::CONTRACT, path)?)
    }
}

/// Clock edges behind the last op after which no event of it is to come: more than any latency.
const FLUSH: u32 = 1024;
