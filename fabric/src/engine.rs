//! The path selector in the loop: as Verilog, as its golden model, or as both.
//!
//! Ops go to the engine in the order of events, one clock edge each. A send is answered late: the packet is asked for its EV at the
//! first switch with a choice, and by then the ops of other connections have mostly pushed the answer through the engine's pipeline.
//! Where they have not, the engine is clocked without an op until it answers.

use std::path::{Path, PathBuf};

use respray_cosim::cores::{CONTRACTS, Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::device::PortDevice;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::produce::RESET_EDGES;
use respray_cosim::lockstep::rows::{Device, Layout};
use respray_cosim::path_selector::{ACK, Beside, FlowPorts, INIT, NACK, Ports, SEND, TIMEOUT};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::stimulus::Entry;
use respray_golden::selector::SendKind;
use respray_hdl::config::{Allowed, Config, KEYS};
use respray_hdl::contract::{Contract, Shown, Words};
use respray_hdl::cores;
use respray_hdl::manifest::Generated;
use serde::{Deserialize, Serialize};

use crate::error::FabricError;

/// What chooses the EVs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The Verilog.
    Rtl,
    /// The golden model.
    Golden,
    /// The Verilog, and the golden model beside it: a run stops where they differ.
    Both,
}

/// What an op says beside its kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Say {
    /// Connection, by its number in the engine.
    pub connection: u16,
    /// The time in ns.
    pub now: u64,
    /// Of an ACK, a NACK or a timeout: the EV of the data packet.
    pub ev: u16,
    /// Of an ACK: its data packet was marked.
    pub is_marked: bool,
    /// The window in whole packets.
    pub window_packets: u64,
    /// Of an ACK: the window lets a packet go.
    pub room: bool,
    /// Of a send: bytes on the wire, and whether the packet was sent before.
    pub bytes: u16,
    pub is_repeated: bool,
    /// Of an ACK: bytes that have come in all, modulo 2^24, when its packet was sent, in ns, and over how many tiers of links it went.
    pub received: u32,
    pub sent_at: u64,
    pub tiers: u8,
}

/// What a selector says of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The packet goes by this EV, which was found so.
    Goes(SendKind, u16),
    /// It does not go now.
    Wait,
}

impl Answer {
    /// Of the code of a result and its EV.
    fn of((code, ev): (u8, u16)) -> Answer {
        let kinds = [SendKind::Explore, SendKind::Recycle, SendKind::Replay];
        let kind = kinds.into_iter().find(|kind| kind.code() == code);
        kind.map_or(Answer::Wait, |kind| Answer::Goes(kind, ev))
    }
}

/// The code of a send that waits, whose EV is not promised.
const WAIT: u8 = 3;

/// What an engine is told of feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    Ack,
    Nack,
    Timeout,
    Init,
}

impl Feedback {
    const fn code(self) -> u64 {
        match self {
            Feedback::Ack => ACK,
            Feedback::Nack => NACK,
            Feedback::Timeout => TIMEOUT,
            Feedback::Init => INIT,
        }
    }
}

/// What was counted of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub ops: u64,
    /// Sends by kind: explore, recycle, replay, wait.
    pub sends: [u64; 4],
    /// Events by port.
    pub events: Vec<(&'static str, u64)>,
    /// Clock edges of the Verilog.
    pub edges: u64,
}

impl Counts {
    /// Adds those of another engine of the same selector.
    pub fn add(&mut self, other: &Counts) {
        self.ops += other.ops;
        self.edges += other.edges;
        self.sends.iter_mut().zip(other.sends).for_each(|(sum, more)| *sum += more);
        if self.events.is_empty() {
            self.events.clone_from(&other.events);
        } else {
            self.events.iter_mut().zip(&other.events).for_each(|(sum, more)| sum.1 += more.1);
        }
    }
}

/// The Verilog and its golden model answered differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Sends that were answered alike before.
    pub sends: u64,
    /// What each answered: kind and EV.
    pub golden: (u64, u16),
    pub seen: (u64, u16),
}

/// A path selector with the connections that share it.
pub trait Engine {
    /// Asks for the EV of a packet. The ticket is the number of sends before.
    fn send(&mut self, say: &Say) -> Result<u32, FabricError>;

    /// Tells it of feedback.
    fn hear(&mut self, feedback: Feedback, say: &Say) -> Result<(), FabricError>;

    /// The EV of a packet, and where it came from.
    fn ev(&mut self, ticket: u32) -> Result<Answer, FabricError>;

    /// Lets everything under way come out, and says what was counted.
    fn finish(&mut self) -> Result<Counts, FabricError>;

    /// The first difference between the Verilog and the golden model.
    fn difference(&self) -> Option<&Difference>;

    /// Writes all ops so far as an op trace for `respray cosim --ops`.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write_ops(&self, path: &Path) -> Result<(), FabricError>;
}

/// How engines are made.
#[derive(Clone, Debug)]
pub struct Maker {
    pub selector: String,
    pub kind: Kind,
    pub generated: Generated,
    /// Values of ports by name: settings of the engine.
    pub settings: Vec<(&'static str, u64)>,
    /// Answers that are kept: packets that can be sent before the first of them comes to a switch and asks for its EV.
    pub kept: usize,
}

/// Names of the path selectors that can be in the loop: every core that answers with an EV.
pub fn selectors() -> Vec<&'static str> {
    let chooses = |contract: &&&Contract| contract.shown_fields().any(|field| field.port == "res_ev");
    CONTRACTS.iter().filter(chooses).map(|contract| contract.core).collect()
}

impl Maker {
    /// # Errors
    /// [`FabricError::Generate`], or [`FabricError::Engine`] where a setting is wider than its port.
    pub fn new(
        selector: &str,
        kind: Kind,
        config: &Config,
        settings: &[(&'static str, u64)],
        kept: usize,
    ) -> Result<Maker, FabricError> {
        let generated = cores::generate(selector, config)?;
        let contract = contract(selector);
        for (_, field, _) in contract.driver_settings() {
            let given = settings.iter().find(|(name, _)| *name == field.name);
            if let Some(&(key, value)) = given.filter(|(_, value)| *value > field.last(config)) {
                let allowed = format!("0 to {}", field.last(config));
                return Err(FabricError::Engine { selector: selector.to_string(), key, value, allowed });
            }
        }
        Ok(Maker { selector: selector.to_string(), kind, generated, settings: settings.to_vec(), kept })
    }

    /// An engine behind its reset with this seed. A run of about so many ops is before it.
    ///
    /// # Errors
    /// [`FabricError::Model`] if the Verilog cannot be compiled, [`FabricError::Stopped`] if it does not come out of reset.
    ///
    /// # Panics
    /// If the selector is none.
    pub fn make(&self, seed: u16, ops: u64) -> Result<Box<dyn Engine>, FabricError> {
        visit(&self.selector, Make { maker: self, seed, ops }).expect("a selector is a core")
    }

    /// Makes the model once, so that the engines of a run find it made.
    ///
    /// # Errors
    /// As [`Maker::make`].
    pub fn prepare(&self, ops: u64) -> Result<(), FabricError> {
        if self.kind == Kind::Golden {
            return Ok(());
        }
        self.make(0, ops).map(|_| ())
    }

    /// Whether a timeout tells the selector the EV of the lost packet.
    pub fn wants_evs_of_timeouts(&self) -> bool {
        let contract = contract(&self.selector);
        let ev = contract.op_fields().find(|field| field.port == "op_ev");
        ev.is_some_and(|field| field.used_by >> TIMEOUT & 1 != 0)
    }

    /// Whether the selector may let a packet wait, so that it is asked before the packet goes.
    pub fn may_wait(&self) -> bool {
        contract(&self.selector).op_fields().any(|field| field.port == "op_bytes")
    }

    /// The smallest number of connections of the menu that holds so many pairs of hosts.
    ///
    /// # Errors
    /// [`FabricError::Connections`] where there is none.
    pub fn connections_for(pairs: usize) -> Result<u32, FabricError> {
        let menu = connections();
        let most = menu.last().copied().unwrap_or(0);
        let found = menu.iter().copied().find(|connections| *connections as usize >= pairs);
        found.ok_or(FabricError::Connections { pairs, most })
    }
}

/// The menu of `connections`, in rising order.
fn connections() -> &'static [u32] {
    match KEYS.iter().find(|key| key.name == "connections").map(|key| key.allowed) {
        Some(Allowed::Menu(menu)) => menu,
        _ => unreachable!("the number of connections comes from a menu"),
    }
}

fn contract(selector: &str) -> &'static Contract {
    CONTRACTS.iter().find(|contract| contract.core == selector).expect("a selector has a contract")
}

struct Make<'a> {
    maker: &'a Maker,
    seed: u16,
    ops: u64,
}

impl Visitor for Make<'_> {
    type Output = Result<Box<dyn Engine>, FabricError>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        Ok(Box::new(Driver::<C>::new(self.maker, self.seed, self.ops)?))
    }
}

/// Clock edges without an op or an answer after which an engine is held for dead: the slowest one searches its paths in some tens.
const PATIENCE: u32 = 100_000;

/// An engine, as Verilog, golden model or both.
struct Driver<C: OpCore> {
    ports: Ports,
    flow: Option<FlowPorts>,
    beside: Beside,
    golden: Option<C>,
    verilog: Option<Verilog>,
    /// Sends so far, and those that have been answered.
    asked: u32,
    answered: u32,
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

/// The Verilated engine and the rows that go in and out.
struct Verilog {
    selector: String,
    device: PortDevice,
    layout: Layout,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

impl Verilog {
    /// One clock edge with the inputs as they are.
    #[inline]
    fn clock(&mut self, counts: &mut Counts) -> Result<(), FabricError> {
        counts.edges += 1;
        match self.device.cycles(&self.inputs, &mut self.outputs) {
            1 => Ok(()),
            _ => Err(self.stopped(counts, "it ended its simulation")),
        }
    }

    #[cold]
    fn stopped(&self, counts: &Counts, reason: &str) -> FabricError {
        FabricError::Stopped {
            selector: self.selector.clone(),
            cycles: counts.edges,
            reason: reason.to_string(),
        }
    }

    fn is_ready(&self) -> bool {
        self.outputs[self.layout.op_ready] != 0
    }
}

impl<C: Compiled> Driver<C> {
    fn new(maker: &Maker, seed: u16, ops: u64) -> Result<Self, FabricError> {
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
            Kind::Rtl | Kind::Both => Some(reset::<C>(maker, seed, ops, &mut counts)?),
        };
        Ok(Driver {
            ports,
            flow,
            beside,
            golden,
            verilog,
            asked: 0,
            answered: 0,
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
                    let place = (self.asked - 1) as usize & (self.answers.len() - 1);
                    self.answers[place] = (sent.kind as u8, sent.ev);
                    if is_alone {
                        self.answered += 1;
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
            verilog.clock(&mut self.counts)?;
            let is_taken = verilog.is_ready();
            self.look();
            if is_taken {
                let verilog = self.verilog.as_mut().expect("it is there");
                verilog.inputs[verilog.layout.op_valid] = 0;
                return Ok(());
            }
        }
        let verilog = self.verilog.as_ref().expect("it is there");
        Err(verilog.stopped(&self.counts, "it takes no op"))
    }

    /// A clock edge without an op.
    fn idle(&mut self) -> Result<(), FabricError> {
        let verilog = self.verilog.as_mut().expect("a golden model has answered");
        verilog.clock(&mut self.counts)?;
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
            self.difference = Some(Difference { sends: self.answered.into(), golden, seen });
        }
        self.answers[place] = (seen.0 as u8, seen.1);
        self.answered += 1;
        self.counts.sends[seen.0 as usize % 4] += 1;
    }

    fn wait_for(&mut self, ticket: u32) -> Result<(), FabricError> {
        for _ in 0..PATIENCE {
            if self.answered > ticket {
                return Ok(());
            }
            self.idle()?;
        }
        let verilog = self.verilog.as_ref().expect("it is there");
        Err(verilog.stopped(&self.counts, "it answers a send with nothing"))
    }
}

/// The Verilog behind its reset, ready for an op.
fn reset<C: OpCore>(maker: &Maker, seed: u16, ops: u64, counts: &mut Counts) -> Result<Verilog, FabricError> {
    let device = PortDevice::of(&maker.generated, C::CONTRACT, seed.into(), ops)?;
    let layout = device.layout().clone();
    let (inputs, outputs) = layout.words;
    let mut verilog = Verilog {
        selector: maker.selector.clone(),
        device,
        inputs: vec![0; inputs],
        outputs: vec![0; outputs],
        layout,
    };
    if let Some(port) = verilog.layout.seed {
        verilog.inputs[port] = seed.into();
    }
    verilog.inputs[verilog.layout.rst] = 1;
    for _ in 0..RESET_EDGES {
        verilog.clock(counts)?;
    }
    verilog.inputs[verilog.layout.rst] = 0;
    for _ in 0..=maker.generated.manifest.reset_cycles {
        verilog.clock(counts)?;
        if verilog.is_ready() {
            return Ok(verilog);
        }
    }
    Err(verilog.stopped(counts, "it does not come out of reset"))
}

impl<C: Compiled> Engine for Driver<C> {
    #[inline]
    fn send(&mut self, say: &Say) -> Result<u32, FabricError> {
        let ticket = self.asked;
        self.asked += 1;
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
        if self.answered <= ticket {
            self.wait_for(ticket)?;
        }
        assert!(
            (self.asked - ticket) as usize <= self.answers.len(),
            "an answer is fetched while it is kept"
        );
        Ok(Answer::of(self.answers[ticket as usize & (self.answers.len() - 1)]))
    }

    fn finish(&mut self) -> Result<Counts, FabricError> {
        if self.asked > 0 {
            self.wait_for(self.asked - 1)?;
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

/// Where the ops of a difference go.
pub fn reproducer(selector: &str, folder: &Path) -> PathBuf {
    folder.join(format!("{selector}_failure.csv"))
}
