//! The path selector in the loop: as Verilog, as its golden model, or as both.
//!
//! Ops go to the engine in the order of events, one clock edge each. A send is answered late: the packet is asked for its EV at the
//! first switch with a choice, and by then the ops of other connections have mostly pushed the answer through the engine's pipeline.
//! Where they have not, the engine is clocked without an op until it answers.

mod driver;
pub(crate) mod verilog;

use std::path::{Path, PathBuf};

use respray_cosim::cores::{CONTRACTS, Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::path_selector::{ACK, INIT, NACK, TIMEOUT};
use respray_files::made_from;
use respray_golden::selector::SendKind;
use respray_hdl::config::{Allowed, Config, key};
use respray_hdl::contract::Contract;
use respray_hdl::cores;
use respray_hdl::manifest::Generated;
use serde::{Deserialize, Serialize};

use self::driver::Driver;
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
    /// Clock edges of the Verilog, of engines of the transport too.
    pub edges: u64,
    /// Ops of the engines of the transport: `sack_tx`, `sack_rx`, `strack_cc`.
    pub transport_ops: [u64; 3],
}

impl Counts {
    /// Adds those of engines of the transport: ops, and edges.
    pub fn add_transport(&mut self, (ops, edges): ([u64; 3], u64)) {
        self.transport_ops.iter_mut().zip(ops).for_each(|(sum, more)| *sum += more);
        self.edges += edges;
    }

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
pub enum Difference {
    /// A path selector, after so many sends that were answered alike: kind and EV.
    Ev { sends: u64, golden: (u64, u16), seen: (u64, u16) },
    /// An engine of the transport, after so many ops, at a port. Where the Verilog runs alone, `golden` is what the network
    /// knows of the result.
    Port { core: &'static str, ops: u64, port: &'static str, golden: u64, seen: u64 },
}

impl Difference {
    /// In words.
    pub fn said(&self) -> String {
        match self {
            Difference::Ev { sends, golden, seen } => {
                let word = |(kind, ev): &(u64, u16)| format!("EV {ev} of kind {kind}");
                let (seen, golden) = (word(seen), word(golden));
                format!("send {sends} gets {seen} from the Verilog and {golden} from the golden model")
            }
            Difference::Port { core, ops, port, golden, seen } => {
                format!("at op {ops} the Verilog of {core} shows {port} {seen} in place of {golden}")
            }
        }
    }
}

/// A path selector with the connections that share it.
pub trait Engine {
    /// Asks for the EV of a packet, by a ticket that names it for a while.
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
    /// The core, with the Verilog that runs.
    pub generated: Generated,
    /// The file that this Verilog is of, where it is not the core's own.
    pub file: Option<PathBuf>,
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

/// The ports by which a driver sets path selectors, by name, and the selectors that have each.
pub fn driver_ports() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut ports: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for selector in selectors() {
        for (_, field, _) in contract(selector).driver_settings() {
            match ports.iter_mut().find(|(name, _)| *name == field.name) {
                Some((_, of)) => of.push(selector),
                None => ports.push((field.name, vec![selector])),
            }
        }
    }
    ports
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
        let (selector, settings) = (selector.to_string(), settings.to_vec());
        Ok(Maker { selector, kind, generated, file: None, settings, kept })
    }

    /// The ports by which a driver sets the selector, and their values.
    pub fn ports(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let config = &self.generated.manifest.config;
        contract(&self.selector).driver_settings().map(|(_, field, setting)| {
            let given = self.settings.iter().find(|(name, _)| *name == field.name);
            (field.name, given.map_or(setting.default.of(config), |(_, value)| *value))
        })
    }

    /// The same with the Verilog of a file in the place of the core's own.
    pub fn with_verilog(self, file: &Path, verilog: &str) -> Maker {
        let generated = Generated { verilog: verilog.to_string(), ..self.generated };
        Maker { generated, file: Some(file.to_path_buf()), ..self }
    }

    /// The hash of the Verilog that runs, without comments; none where the golden model runs alone.
    pub fn verilog_hash(&self) -> Option<String> {
        (self.kind != Kind::Golden).then(|| made_from::hash(&self.generated.verilog))
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
    match key("connections").allowed {
        Allowed::Menu(menu) => menu,
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

/// Where the ops of a difference go.
pub fn reproducer(selector: &str, folder: &Path) -> PathBuf {
    folder.join(format!("{selector}_failure.csv"))
}
