//! The block that joins the cores: instances, and which port drives which.

mod acks;
mod closing;
mod credit;
mod describe;
mod event_frames;
mod in_shell;
mod layer;
mod observed;
mod parked;
mod peer_table;
mod ports;
mod profiles;
mod rss_ports;
mod windows;
mod wires;

use std::collections::BTreeSet;

pub use self::in_shell::{HOST_GETS_EVENTS, NAME as NAME_IN_SHELL, in_shell};
pub use self::observed::{SEEN, SEEN_NUMBERS, Seen, observed, watched};
use self::wires::Tables;
use super::part::parts;
use super::registers::own_name;
use super::selector;
use crate::config::{Config, Sack, WindowEngine};
use crate::cores::prefix::Prefix;
use crate::cores::{GenerateError, generate_named};
use crate::join::{Instance, Netlist, Pin, Source};
use crate::manifest::{Direction, Generated, Port};

pub use describe::{ABOUT, NAME};

/// Bits of a PSN in engines, registers and events, whatever the profile's packets carry; with acknowledgements of Ultra Ethernet they are those of
/// the packets.
const PSN_BITS: u32 = 24;

/// An engine: its name in the block, what it does there, and its core.
type Engine = (&'static str, &'static str, Generated);

/// Verilog and manifest of the block as `config` describes it, with `prefix` before the names of all modules. The same input gives
/// the same bytes.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn generate(config: &Config, prefix: &Prefix) -> Result<Generated, GenerateError> {
    let (top, source) = top(config, prefix)?;
    let verilog = top.netlist.verilog()?;
    let (_, ports) = top.ports.into_iter().next().expect("those of the top come first");
    let manifest = describe::manifest(config, prefix, source, ports, top.netlist.memories()?);
    Ok(Generated { verilog, manifest })
}

/// The block, and what it follows.
fn top(config: &Config, prefix: &Prefix) -> Result<(Top, String), GenerateError> {
    top_named(NAME, config, prefix)
}

/// The same with another name of its top module.
fn top_named(name: &str, config: &Config, prefix: &Prefix) -> Result<(Top, String), GenerateError> {
    if config.has_parity() {
        return Err(GenerateError::Unprotected { name: NAME });
    }
    if config.has_crc() {
        return Err(GenerateError::NoTrailer { name: NAME });
    }
    let psn_bits = if config.has_uet_acks() { config.sack.psn_bits } else { PSN_BITS };
    let sack = Sack { psn_bits, ..config.sack.clone() };
    let config = &Config { sack, ..config.clone() };
    let engines = engines(config, prefix)?;
    let source = describe::source(engines.iter().map(|(_, _, core)| core.manifest.source.as_str()));
    let mut top = Top::new(&prefix.name(name), config, &describe::header(config, &source));
    for (name, about, core) in &engines {
        top.add(Instance::of_core(name, about, core));
    }
    parts(config, selector(config), prefix)?.into_iter().for_each(|part| top.add(part));
    top.join();
    Ok((top, source))
}

fn engines(config: &Config, prefix: &Prefix) -> Result<Vec<Engine>, GenerateError> {
    let core = |core: &str| generate_named(core, config, prefix);
    let mut engines = vec![
        ("rewrite_rx", "Reads the frames from the network.", core("rewrite_rx")?),
        ("sack_rx", "Which packets came, and when a SACK is due.", core("sack_rx")?),
        ("sack_tx", "Which packets are acknowledged, and which are lost.", core("sack_tx")?),
        ("selector", "The EV of each packet.", core(config.nic.selector.name())?),
    ];
    if config.nic.selector.parks() {
        engines.push((
            "rewrite_tx",
            "Writes EVs and times into packets that were parked.",
            core("rewrite_tx")?,
        ));
    }
    if config.nic.window == WindowEngine::Strack {
        engines.push(("congestion", "The window of each connection.", core("strack_cc")?));
    }
    Ok(engines)
}

/// The netlist as it grows, and the width of every port in it.
struct Top {
    netlist: Netlist,
    tables: Tables,
    selector: &'static str,
    /// Of each instance, in the order in which they are printed; those of the top stand under an empty name.
    ports: Vec<(String, Vec<Port>)>,
}

impl Top {
    fn new(module: &str, config: &Config, header: &str) -> Top {
        let ports = ports::ports(config);
        Top {
            netlist: Netlist::new(module, header, ports.clone()),
            tables: Tables::new(config),
            selector: config.nic.selector.name(),
            ports: vec![(String::new(), ports)],
        }
    }

    fn add(&mut self, instance: Instance) {
        self.ports.push((instance.name.clone(), instance.ports.clone()));
        self.netlist.add(instance);
    }

    fn join(&mut self) {
        self.clocks();
        self.same_names();
        for (sink, source) in self.tables.wires.clone() {
            self.wire(sink, source);
        }
        for (sink, source) in self.tables.cut.clone() {
            if self.find(sink).is_some() {
                self.wire(sink, source);
            }
        }
        for (sink, width) in &self.tables.zeros {
            self.netlist.connect(pin(sink), Source::Constant { value: 0, width: *width });
        }
        for sink in &self.tables.ones {
            self.netlist.connect(pin(sink), Source::Constant { value: 1, width: 1 });
        }
        for source in &self.tables.open {
            self.netlist.open(pin(source));
        }
        self.kinds();
        self.operand();
        self.settings_of("selector", self.selector);
        if self.has("congestion") {
            self.settings_of("congestion", "strack_cc");
        }
        self.ops_of_selector();
        self.of_selector();
        self.open_cut();
    }

    /// The command `reset` reaches everything but the registers and what executes it, and the outlet, which ends its frame instead.
    fn clocks(&mut self) {
        let instances: Vec<String> = self.ports[1..].iter().map(|(name, _)| name.clone()).collect();
        for name in instances {
            let is_kept = ["registers", "commands", "outlet"].contains(&name.as_str());
            let reset = if is_kept { "rst" } else { "commands.engine_rst" };
            self.wire(&format!("{name}.clk"), "clk");
            self.wire(&format!("{name}.rst"), reset);
        }
    }

    /// Streams whose fields have the same names at both ends, or differ by a prefix.
    fn same_names(&mut self) {
        for (to, prefix_there, from, prefix_here) in [
            ("receiver", "meta_", "rewrite_rx", "meta_"),
            ("receiver", "ack_", "rewrite_rx", "ack_"),
            ("receiver", "rx_sack_", "sack_rx", "sack_"),
            ("sack_rx", "op_", "receiver", "rx_op_"),
            ("registers", "s_axil_", "", "s_axil_"),
            ("", "s_axil_", "registers", "s_axil_"),
            ("", "rx_", "receiver", "rx_"),
        ] {
            for (name, direction) in self.ports_of(to) {
                let is_sink = (direction == Direction::Input) != to.is_empty();
                let Some(field) = name.strip_prefix(prefix_there).filter(|_| is_sink) else { continue };
                let (sink, source) = (at(to, &name), at(from, &format!("{prefix_here}{field}")));
                if sink == "rx_status" && self.find("receiver.rx_status_high").is_some() {
                    let bits = ["receiver.rx_status_high", "receiver.rx_status"].map(|name| pin(name).into());
                    self.netlist.connect(pin(&sink), Source::Joined(bits.into()));
                    continue;
                }
                if !self.tables.is_listed(&sink) && self.find(&source).is_some() {
                    self.wire(&sink, &source);
                }
            }
        }
    }

    /// Bits of a number that says several things.
    fn kinds(&mut self) {
        let retransmit = Source::Slice { pin: pin("registers.event_enable"), high: 2, low: 2 };
        self.netlist.connect(pin("scoreboard.hands_out"), retransmit);
    }

    /// The connection of a command, which is below their number: the upper bits of its register are never read.
    fn operand(&mut self) {
        let bits = self.find("sack_tx.op_conn").expect("an engine has connections");
        let of_commands = if self.has("closing") { "closing.host_conn" } else { "scoreboard.command_conn" };
        for sink in [of_commands, "spray.nack_conn"] {
            let conn = Source::Slice { pin: pin("registers.command_conn"), high: bits - 1, low: 0 };
            let width = self.find(sink).expect("a port of a part");
            self.netlist.connect(pin(sink), Source::Extended { source: Box::new(conn), width });
        }
    }

    /// The upper bits of what every sink takes the lower bits of go nowhere.
    fn open_cut(&mut self) {
        let Tables { wires, cut, .. } = &self.tables;
        let sources: BTreeSet<&str> = cut.iter().map(|(_, source)| *source).collect();
        for source in sources {
            let from = self.find(source).expect("it was wired");
            let mut sinks = wires.iter().chain(cut).filter(|(_, read)| *read == source);
            if sinks.all(|(sink, _)| self.find(sink).is_none_or(|to| to < from)) {
                self.netlist.open(pin(source));
            }
        }
    }

    /// The settings of an engine that only some configurations have.
    fn settings_of(&mut self, engine: &str, core: &str) {
        for (name, _) in self.ports_of(engine) {
            let (sink, source) = (format!("{engine}.{name}"), format!("registers.{}", own_name(core, &name)));
            if !["clk", "rst", "seed"].contains(&name.as_str()) && self.find(&source).is_some() {
                self.wire(&sink, &source);
            }
        }
    }

    /// The ops of the selector, some of which have to wait for the window of their connection.
    fn ops_of_selector(&mut self) {
        if !self.has("send_window") {
            if self.has("window") {
                for source in ["window.write_valid", "window.write_conn", "window.write_packets"] {
                    self.netlist.open(pin(source));
                }
            }
            if self.has("ordered") {
                self.wire("ordered.op_valid", "spray.op_valid");
                self.wire("spray.op_ready", "ordered.op_ready");
                self.wire("selector.op_valid", "ordered.to_valid");
                self.wire("ordered.to_ready", "selector.op_ready");
            } else {
                self.wire("selector.op_valid", "spray.op_valid");
                self.wire("spray.op_ready", "selector.op_ready");
            }
            if self.find("selector.op_cwnd_packets").is_some() {
                self.wire("selector.op_cwnd_packets", "registers.cwnd_packets");
            }
            return;
        }
        for (sink, source) in [
            ("send_window.write_valid", "window.write_valid"),
            ("send_window.write_conn", "window.write_conn"),
            ("send_window.write_packets", "window.write_packets"),
            ("send_window.wanted_valid", "spray.op_valid"),
            ("spray.op_ready", "send_window.wanted_ready"),
            ("selector.op_valid", "send_window.op_valid"),
            ("send_window.op_ready", "selector.op_ready"),
            ("selector.op_cwnd_packets", "send_window.op_packets"),
        ] {
            self.wire(sink, source);
        }
    }

    /// What else only some selectors have: room, events, freezing.
    fn of_selector(&mut self) {
        if self.find("selector.op_room").is_some() {
            // who sends stops at the window by himself: an ACK lets a packet go
            self.netlist.connect(pin("selector.op_room"), Source::Constant { value: 1, width: 1 });
        }
        if self.has("rewrite_tx") {
            self.netlist.connect(pin("rewrite_tx.s_enable"), Source::Constant { value: 1, width: 1 });
        }
        for name in ["freeze_entered", "freeze_left"] {
            if self.has("park") {
                continue;
            }
            let (sink, source) = (format!("spray.{name}"), format!("selector.{name}"));
            match self.find(&source) {
                Some(_) => self.wire(&sink, &source),
                None => {
                    self.netlist.connect(pin(&sink), Source::Constant { value: 0, width: 1 });
                }
            }
        }
        for (name, _) in self.ports_of("registers") {
            if let Some(event) = name.strip_prefix("count_")
                && self.find(&format!("selector.{event}")).is_some()
            {
                self.wire(&format!("registers.{name}"), &format!("selector.{event}"));
            }
        }
    }

    /// `source` drives `sink`, widened or cut to its width.
    ///
    /// # Panics
    /// On a port that does not exist: an error of these tables.
    fn wire(&mut self, sink: &str, source: &str) {
        let width = |name: &str| self.find(name).unwrap_or_else(|| panic!("there is no port {name}"));
        let (to, from) = (width(sink), width(source));
        let whole = Source::from(pin(source));
        let source = match to.cmp(&from) {
            std::cmp::Ordering::Equal => whole,
            std::cmp::Ordering::Greater => Source::Extended { source: Box::new(whole), width: to },
            std::cmp::Ordering::Less => {
                let is_cut = self.tables.cut.iter().any(|(listed, _)| *listed == sink);
                assert!(is_cut, "{sink} has {to} bits, {source} {from}");
                Source::Slice { pin: pin(source), high: to - 1, low: 0 }
            }
        };
        self.netlist.connect(pin(sink), source);
    }

    /// The width of a port.
    fn find(&self, name: &str) -> Option<u32> {
        let (instance, port) = name.split_once('.').unwrap_or(("", name));
        let (_, ports) = self.ports.iter().find(|(name, _)| name == instance)?;
        ports.iter().find(|one| one.name == port).map(|port| port.width)
    }

    /// Whether there is an instance of this name.
    fn has(&self, instance: &str) -> bool {
        self.ports.iter().any(|(name, _)| name == instance)
    }

    /// Names and directions of the ports of an instance, or of the top.
    fn ports_of(&self, instance: &str) -> Vec<(String, Direction)> {
        let (_, ports) = self.ports.iter().find(|(name, _)| name == instance).expect("it was added");
        ports.iter().map(|port| (port.name.clone(), port.direction)).collect()
    }
}

fn at(instance: &str, port: &str) -> String {
    if instance.is_empty() { port.to_string() } else { format!("{instance}.{port}") }
}

fn pin(name: &str) -> Pin {
    match name.split_once('.') {
        Some((instance, port)) => Pin::of(instance, port),
        None => Pin::top(name),
    }
}
