//! The joined `nic` as its parts, and what is claimed of some of them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use respray_hdl::config::Config;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::cores::{generate, reps};
use respray_hdl::join::Instance;
use respray_hdl::manifest::{Direction, Port};
use respray_hdl::nic;
use respray_hdl::nic::registers::{self, Register};

use crate::formal::is_proved;

/// Words that a memory is cut to where a proof begins with the reset: no queue takes as many in the edges of one.
const WORDS: &str = "words [0:15]";
/// The block: its parts by name, and the text of the module that joins them.
#[derive(Clone)]
pub struct Whole {
    pub parts: BTreeMap<String, Instance>,
    pub top: String,
    pub registers: Vec<Register>,
}

/// A line of a part, and what stands there in a copy that breaks a rule.
pub type Fault = (&'static str, &'static str);

/// The block, made once.
pub fn whole() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(Whole::new)
}

impl Whole {
    fn new() -> Whole {
        let sets = ["connections=16", "sack.window=64", "bus_bits=64"].map(String::from);
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
        let (lines, _) = rest.split_once(");\n").expect("its end");
        lines
            .lines()
            .filter_map(|line| line.trim().strip_prefix('.')?.trim_end_matches(',').split_once('('))
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

    /// Some parts joined as in the top, with rules about their wires. All their other inputs may do anything.
    fn harness(&self, parts: &[&str], rules: &str) -> String {
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
        format!(
            "module harness ({});\n{wires}wire is_begun;\n{instances}\
             proof_begin proof_begin (.clk(clk), .rst(rst), .is_begun(is_begun));\n{rules}endmodule\n",
            inputs.join(", ")
        )
    }

    /// The Verilog of some parts, with `fault` in it.
    fn verilog(&self, parts: &[&str], fault: Option<Fault>) -> String {
        let verilog: String = parts.iter().map(|part| self.parts[*part].verilog.as_str()).collect();
        let Some((right, wrong)) = fault else { return verilog };
        assert_eq!(
            verilog.matches(right).count(),
            1,
            "`{right}` is generated differently: write the fault anew"
        );
        verilog.replace(right, wrong)
    }

    /// The rule of memories in the module of one: assumed of it, or shown.
    pub fn memory_rules(&self, part: &str, memory: &str, is_assumed: bool) -> String {
        let (_, module) =
            self.parts[part].verilog.split_once(&format!("module {memory} (")).expect("the memory");
        let bits = |port: &str| -> u32 {
            let line =
                module.lines().find(|line| line.trim_end_matches(',').ends_with(port)).expect("the port");
            let high = line.split_once('[').and_then(|(_, range)| range.split_once(':'));
            high.map_or(1, |(high, _)| high.parse::<u32>().expect("a number") + 1)
        };
        format!(
            "memory_rules #(.ADDRESS({}), .BITS({}), .ASSUMED({})) rules (\n    .clk(clk), .read_address(read_address), \
             .read_data(read_data), .write_enable(write_enable), .write_address(write_address)\n);\n",
            bits(" read_address"),
            bits(" read_data"),
            u8::from(is_assumed)
        )
    }

    /// An output of the whole is a wire of a part, and nothing else.
    pub fn is_assigned(&self, output: &str, wire: &str) -> bool {
        let assigned = self.top.lines().filter_map(|line| line.trim().strip_prefix("assign "));
        let mut assigned = assigned.filter_map(|line| line.trim_end_matches(';').split_once('='));
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

/// How what a harness says is proved.
pub enum Engine {
    /// Its assertions, by induction; what a memory gives is anything, but for what [`Whole::memory_rules`] say of it.
    Always,
    /// Its assertions, from reset on for so many clock edges.
    Edges(u32),
    /// No path leads from an input to these wires but through registers.
    Registers(String),
}

/// Rules about some parts.
pub struct Claim {
    pub parts: Vec<&'static str>,
    /// Text of the harness, about the wires of the parts.
    pub rules: String,
    /// Text for the end of modules of the parts, about what is within them.
    pub within: Vec<(&'static str, String)>,
    pub engine: Engine,
}

impl Claim {
    /// Whether it holds of the parts, or of a copy with a fault.
    pub fn holds(&self, whole: &Whole, fault: Option<Fault>) -> bool {
        let mut verilog = whole.verilog(&self.parts, fault);
        for (module, rules) in &self.within {
            let begin = verilog.find(&format!("module {module} (")).expect("the module");
            let end = begin + verilog[begin..].find("endmodule").expect("its end");
            verilog.insert_str(end, rules);
        }
        let proof = match &self.engine {
            Engine::Always => "opt_clean -purge\ncutpoint t:$memrd*\nopt_clean -purge\nasync2sync\nopt\n\
                               sat -tempinduct -seq 1 -maxsteps 6 -prove-asserts -set-assumes -verify\n"
                .to_string(),
            Engine::Edges(edges) => {
                verilog = cut(&verilog);
                format!(
                    "opt_clean -purge\nmemory\nopt_clean -purge\nasync2sync\nsimplemap\nopt_clean -purge\nopt\n\
                     sat -seq {edges} -prove-asserts -set-assumes -verify\n"
                )
            }
            Engine::Registers(wires) => format!(
                "cd harness\nselect -set outputs {wires}\nselect -assert-any @outputs\n\
                 select -set reached @outputs %ci*:-$dff i:* %i\nselect -assert-none @reached\n"
            ),
        };
        let script = format!(
            "read_verilog -formal axis_rules.v axi_lite_rules.v memory_rules.v core.v harness.v\n\
             hierarchy -check -top harness\nproc\nflatten\n{proof}"
        );
        let harness = whole.harness(&self.parts, &self.rules);
        is_proved(&[("core.v", &verilog), ("harness.v", &harness)], &script)
    }

    /// It holds of the parts, and of no copy with one of the faults.
    pub fn check(&self, whole: &Whole, faults: &[Fault]) {
        assert!(self.holds(whole, None), "{:?}", self.parts);
        for fault in faults {
            assert!(!self.holds(whole, Some(*fault)), "`{}` in {:?} is not refuted", fault.1, self.parts);
        }
    }
}

/// Memories with [`WORDS`] instead of more.
fn cut(verilog: &str) -> String {
    let line = |line: &str| match line.split_once(" words [0:") {
        Some((kind, last)) if last.trim_end_matches("];").parse::<u32>().is_ok_and(|last| last > 31) => {
            format!("{kind} {WORDS};\n")
        }
        _ => format!("{line}\n"),
    };
    verilog.lines().map(line).collect()
}
