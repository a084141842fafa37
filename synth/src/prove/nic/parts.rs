//! The joined `nic` as its parts.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use respray_hdl::config::Config;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::cores::{generate, reps};
use respray_hdl::join::Instance;
use respray_hdl::manifest::{Direction, Port};
use respray_hdl::nic;
use respray_hdl::nic::registers::{self, Register};

/// Keys of the configuration, the smallest one.
pub const SETS: &[&str] = &["connections=16", "sack.window=64", "bus_bits=64"];

/// The block: its parts by name, and the text of the module that joins them.
#[derive(Clone)]
pub struct Whole {
    pub parts: BTreeMap<String, Instance>,
    pub top: String,
    pub registers: Vec<Register>,
}

/// The block, made once.
pub fn whole() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(|| Whole::of(SETS))
}

/// The same keys, and a host that grants frames.
pub const CREDIT_SETS: &[&str] = &[SETS[0], SETS[1], SETS[2], "nic.rx_credit=frames"];

/// The block whose host grants frames, made once.
pub fn whole_with_credit() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(|| Whole::of(CREDIT_SETS))
}

/// The same keys as of [`SETS`], and a host that reads frames of events.
pub const EVENT_FRAME_SETS: &[&str] = &[SETS[0], SETS[1], SETS[2], "nic.events=frames"];

/// The block whose events go in frames, made once.
pub fn whole_with_event_frames() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(|| Whole::of(EVENT_FRAME_SETS))
}

/// The same keys as of [`SETS`], and a host that hears of closes.
pub const CLOSE_SETS: &[&str] = &[SETS[0], SETS[1], SETS[2], "nic.close=graceful"];

/// The block whose host hears of closes, made once.
pub fn whole_with_closes() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(|| Whole::of(CLOSE_SETS))
}

impl Whole {
    fn of(sets: &[&str]) -> Whole {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).unwrap();
        let mut parts = nic::parts(&config, &reps::CONTRACT, &Prefix::default()).unwrap();
        parts.push(Instance::of_core("rewrite_rx", "", &generate("rewrite_rx", &config).unwrap()));
        let verilog = nic::top::generate(&config, &Prefix::default()).unwrap().verilog;
        let (_, top) = verilog.split_once("\nmodule nic (\n").expect("the top");
        Whole {
            parts: parts.into_iter().map(|part| (part.name.clone(), part)).collect(),
            top: top.to_string(),
            registers: registers::table(&config, &reps::CONTRACT),
        }
    }

    /// The ports of an instance, and what is connected to each.
    pub fn connections(&self, part: &str) -> BTreeMap<&str, &str> {
        let (_, rest) = self.top.split_once(&format!(" {part} (\n")).expect("the instance");
        let (ports, _) = rest.split_once(");\n").expect("its end");
        let lines = ports.lines().map(|line| line.trim().trim_end_matches(','));
        let ports = lines.filter(|line| !line.starts_with("//")).flat_map(|line| line.split("), "));
        ports
            .filter_map(|port| port.strip_prefix('.')?.split_once('('))
            .map(|(port, source)| (port.trim(), source.trim_end_matches(')')))
            .collect()
    }

    /// The wire at a port of a part, in the harness and in the top: `<part>_<port>`, or that which drives it among `parts`.
    fn wire(&self, parts: &[&str], part: &str, port: &Port) -> String {
        let own = format!("{part}_{}", port.name);
        if ["clk", "rst"].contains(&port.name.as_str()) {
            return port.name.clone();
        }
        let source = self.connections(part)[port.name.as_str()];
        let is_inner = parts.iter().any(|one| {
            let outputs = self.parts[*one].ports.iter().filter(|port| port.direction == Direction::Output);
            outputs.into_iter().any(|output| source == format!("{one}_{}", output.name))
        });
        if port.direction == Direction::Input && is_inner { source.to_string() } else { own }
    }

    /// Some parts joined as in the top, and nothing else. All their other inputs may do anything.
    fn harness(&self, parts: &[&str]) -> String {
        let mut inputs = vec!["input wire clk".to_string(), "input wire rst".to_string()];
        let (mut wires, mut instances) = (String::new(), String::new());
        for part in parts {
            let instance = &self.parts[*part];
            let mut connections = vec![];
            for port in &instance.ports {
                let (wire, width) = (self.wire(parts, part, port), port.width - 1);
                let is_own = wire == format!("{part}_{}", port.name);
                match port.direction {
                    Direction::Output => wires += &format!("wire [{width}:0] {wire};\n"),
                    Direction::Input if is_own => inputs.push(format!("input wire [{width}:0] {wire}")),
                    Direction::Input => {}
                }
                connections.push(format!(".{}({wire})", port.name));
            }
            instances += &format!("{} {part} ({});\n", instance.module, connections.join(", "));
        }
        format!("module nic (\n{});\n{wires}{instances}endmodule\n", inputs.join(",\n"))
    }

    /// Some parts joined as in the top, in a module `nic`, and their modules.
    pub fn verilog(&self, parts: &[&str]) -> String {
        let modules: String = parts.iter().map(|part| self.parts[*part].verilog.as_str()).collect();
        modules + &self.harness(parts)
    }

    /// An output of the whole is a wire of a part, and nothing else.
    pub fn is_assigned(&self, output: &str, wire: &str) -> bool {
        let assigned = self.top.split(';').filter_map(|statement| statement.trim().strip_prefix("assign "));
        let mut assigned = assigned.filter_map(|assigned| assigned.split_once('='));
        assigned.any(|(to, from)| to.trim() == output && from.trim() == wire)
    }

    /// What stands beside the frames to the host: the outputs `rx_...` of the whole, as wires of the receiver.
    pub fn beside(&self) -> Vec<(String, u32)> {
        let ports = self.top.lines().filter_map(|line| line.trim().strip_prefix("output wire"));
        let names =
            ports.filter_map(|port| port.split("//").next()?.trim().trim_end_matches(',').rsplit(' ').next());
        let is_beside = |name: &&str| {
            name.starts_with("rx_") && !name.starts_with("rx_in_") && !name.starts_with("rx_out_")
        };
        let beside: Vec<&str> = names.filter(is_beside).collect();
        assert!(beside.contains(&"rx_kind") && beside.contains(&"rx_status"), "{beside:?}");
        let wire = |name: &&str| self.outputs("receiver", &format!("receiver_{name}")).remove(0);
        beside.iter().map(wire).collect()
    }

    /// Outputs of a part whose names begin so, as wires.
    pub fn outputs(&self, part: &str, begins: &str) -> Vec<(String, u32)> {
        let outputs = self.parts[part].ports.iter().filter(|port| port.direction == Direction::Output);
        outputs
            .map(|port| (format!("{part}_{}", port.name), port.width))
            .filter(|(wire, _)| wire.starts_with(begins))
            .collect()
    }
}
