//! Whether a mutant does what the text does, whatever comes: both side by side in one Verilog, and a solver that looks for a
//! clock edge behind which they differ.
//!
//! Registers and memories begin equal, since a text that is right from any state is right from that of the mutant. What a
//! memory gives may be anything, the same on both sides as long as they write and read alike. The outputs have to be equal: those of
//! the core that stand beside a `valid` while it is high, as nothing is promised of them otherwise, and those of a module within it
//! where some instance has a use for them. Of the registers as many as can be shown to be equal are, by induction. The changed module is
//! looked at by itself first, and then those around it up to the top, because a module by itself may be given what the others never
//! give it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use respray_files::entry::key;
use respray_synth::SynthError;
use respray_synth::prove::solver::{broken_rules, formulas, question};
use respray_synth::tool::Toolbox;

use crate::MutateError;
use crate::mutants::{Change, Mutant};
use crate::verilog::{Kind, Module, Port, Sites, sites};

/// Clock edges of the induction.
const EDGES: u32 = 6;
/// Seconds of a processor that the solver may take for a question.
const SECONDS: u32 = 150;
/// Sets of registers that are tried, each smaller than the one before.
const TRIES: usize = 30;
/// Longest text of a module with all that is in it that is looked at.
const LONGEST: usize = 200_000;

/// What stands before the names of the mutant's modules.
const GATE: &str = "mutant_";

/// The text that mutants are compared with.
pub struct Equivalence<'a> {
    tools: &'a Toolbox,
    text: &'a str,
    top: &'a str,
    sites: &'a Sites,
    folder: &'a Path,
}

/// What a solver says.
enum Answer {
    Holds,
    /// These do not hold, some of them more than once.
    Fails(Vec<String>),
    /// It takes too long.
    Unknown,
}

impl<'a> Equivalence<'a> {
    pub fn new(
        tools: &'a Toolbox,
        top: &'a str,
        text: &'a str,
        sites: &'a Sites,
        folder: &'a Path,
    ) -> Equivalence<'a> {
        Equivalence { tools, text, top, sites, folder }
    }

    /// In which module a mutant is shown to do what the text does; `None` if it is not shown.
    ///
    /// # Errors
    /// A missing tool, or a full disk.
    pub fn shown(&self, mutant: &Mutant) -> Result<Option<String>, MutateError> {
        let at = mutant.change.replacement().0.start;
        let changed = self.sites.modules.iter().find(|module| module.bytes.contains(&at));
        // the content of a memory that is changed itself is nothing that can be left open
        let Some(changed) = changed.filter(|module| !module.has_memory) else { return Ok(None) };
        let mut name = changed.name.clone();
        loop {
            if self.within(&name).iter().map(|module| module.bytes.len()).sum::<usize>() > LONGEST {
                return Ok(None);
            }
            if self.is_shown_in(&name, mutant)? {
                return Ok(Some(format!("induction over `{name}`")));
            }
            let around = |module: &&Module| module.instances.iter().any(|(inner, _)| *inner == name);
            match self.sites.modules.iter().find(around).filter(|_| name != self.top) {
                Some(module) => name = module.name.clone(),
                None => return Ok(None),
            }
        }
    }

    /// Whether no instance of a module has a use for this output, which its name says: the generator leaves nothing unconnected.
    fn is_unused(&self, name: &str, port: &str) -> bool {
        let mut instances = self.sites.modules.iter().flat_map(|around| {
            let inner = around.instances.iter().filter(|(inner, _)| inner == name);
            inner.map(|(_, instance)| (&self.text[around.bytes.clone()], instance))
        });
        name != self.top
            && instances.all(|(text, instance)| text.contains(&format!(".{port}(unused_{instance}_{port})")))
    }

    fn module(&self, name: &str) -> Option<&'a Module> {
        self.sites.modules.iter().find(|module| module.name == name)
    }

    /// A module and all that is in it, each once.
    fn within(&self, name: &str) -> Vec<&'a Module> {
        let (mut found, mut names, mut at) = (Vec::new(), vec![name.to_string()], 0);
        while at < names.len() {
            if let Some(module) = self.module(&names[at]) {
                found.push(module);
                for (inner, _) in &module.instances {
                    if !names.contains(inner) {
                        names.push(inner.clone());
                    }
                }
            }
            at += 1;
        }
        found
    }

    fn is_shown_in(&self, name: &str, mutant: &Mutant) -> Result<bool, MutateError> {
        let (bytes, with) = mutant.change.replacement();
        let number = match &mutant.change {
            Change::Replaces { .. } => "r",
            Change::LeavesOut { .. } => "l",
            Change::Unknown => return Ok(false),
        };
        let place = format!("{name}_{}_{}_{number}_{}", bytes.start, bytes.end, key(&[with]));
        let folder = self.folder.join(place);
        let modules = self.within(name);
        let other = mutant.text(self.text);
        let others = sites(&other);
        let mut designs = String::new();
        for module in &modules {
            designs += &self.part(self.text, self.sites, module, "");
            let module = others.modules.iter().find(|other| other.name == module.name);
            designs += &self.part(&other, &others, module.expect("a mutant has the same modules"), GATE);
        }
        let pairs = self.pairs(name);
        let mut left: BTreeSet<usize> = (0..pairs.registers.len()).collect();
        for _ in 0..TRIES {
            let top = self.miter(name, &pairs, &left);
            let failed = match self.ask(&folder, &format!("{designs}{top}"), &pairs)? {
                Answer::Holds => return Ok(true),
                Answer::Unknown => return Ok(false),
                Answer::Fails(failed) => failed,
            };
            let registers: Option<Vec<usize>> =
                failed.iter().map(|name| name.strip_prefix("register_")?.parse().ok()).collect();
            // an output, or what a memory is given, can differ
            let Some(registers) = registers.filter(|registers| !registers.is_empty()) else {
                return Ok(false);
            };
            registers.iter().for_each(|place| {
                left.remove(place);
            });
        }
        Ok(false)
    }

    /// The text of a module, or its ports alone where it is a memory, with `before` in front of the names of modules.
    fn part(&self, text: &str, sites: &Sites, module: &Module, before: &str) -> String {
        let mut made = String::from("module");
        let mut at = module.bytes.start;
        let is_module = |word: &str| self.module(word).is_some();
        // the name of an instance stands behind that of its module, and may be that of another module
        let mut is_instance = false;
        for token in sites.tokens.iter().filter(|token| module.bytes.contains(&token.range.start)) {
            let word = &text[token.range.clone()];
            made += &text[at..token.range.start];
            made += match token.kind {
                Kind::Word if is_module(word) && !is_instance => before,
                _ => "",
            };
            is_instance = matches!(token.kind, Kind::Word) && is_module(word) && !is_instance;
            made += if module.has_memory && word == "reg" { "wire" } else { word };
            at = token.range.end;
            if module.has_memory && word == ";" {
                // without any content it would be a module that is defined elsewhere
                return made + "\nwire is_open = clk;\nendmodule\n";
            }
        }
        made + "\n"
    }

    /// What is compared within a module.
    fn pairs(&self, name: &str) -> Pairs<'a> {
        let mut pairs = Pairs::default();
        let mut open = vec![(name.to_string(), String::new())];
        while let Some((name, path)) = open.pop() {
            let Some(module) = self.module(&name) else { continue };
            if module.has_memory {
                pairs.memories.push((path, module));
                continue;
            }
            for register in &module.registers {
                pairs.registers.push((format!("{path}.{register}"), module.width(register)));
            }
            for (inner, instance) in &module.instances {
                open.push((inner.clone(), format!("{path}.{instance}")));
            }
        }
        pairs
    }

    /// The module with both sides, and the rules of it. Wires that are joined with others by their paths are named as
    /// [`Pairs::joins`] has them.
    fn miter(&self, name: &str, pairs: &Pairs<'_>, left: &BTreeSet<usize>) -> String {
        let module = self.module(name).expect("it is looked at");
        let mut text = String::from("module miter (input wire clk");
        let (inputs, outputs): (Vec<_>, Vec<_>) = module.ports.iter().partition(|port| !port.is_output);
        for port in inputs.iter().filter(|port| port.name != "clk") {
            let _ = write!(text, ", input wire [{}:0] {}", module.width(&port.name) - 1, port.name);
        }
        text += ");\nreg started = 1'b0;\nalways @(posedge clk) started <= 1'b1;\n";
        for (side, before) in [("g", ""), ("m", GATE)] {
            let mut connections: Vec<String> =
                inputs.iter().map(|port| format!(".{}({})", port.name, port.name)).collect();
            for port in &outputs {
                let wire = format!("{side}_out_{}", port.name);
                let _ = writeln!(text, "wire [{}:0] {wire};", module.width(&port.name) - 1);
                connections.push(format!(".{}({wire})", port.name));
            }
            let _ = writeln!(text, "{before}{name} {side} ({});", connections.join(", "));
        }
        if inputs.iter().any(|port| port.name == "rst") {
            text += "always @* if (!started) assume (rst);\n";
        }
        for port in outputs.iter().filter(|port| !self.is_unused(name, &port.name)) {
            let only_if = match outputs.iter().find(|valid| name == self.top && promises(valid, port)) {
                Some(valid) => format!("!g_out_{} | ", valid.name),
                None => String::new(),
            };
            let name = &port.name;
            let _ = writeln!(
                text,
                "output_{name}: assert property (!started | {only_if}(g_out_{name} == m_out_{name}));"
            );
        }
        for (place, (_, width)) in pairs.registers.iter().enumerate() {
            let _ = writeln!(text, "wire [{}:0] g_{place}, m_{place};", width - 1);
            let _ = writeln!(text, "always @* if (!started) assume (g_{place} == m_{place});");
            if left.contains(&place) {
                let _ = writeln!(
                    text,
                    "register_{place}: assert property (!started | (g_{place} == m_{place}));"
                );
            }
        }
        for (place, (_, memory)) in pairs.memories.iter().enumerate() {
            text += &of_memory(place, memory);
        }
        text + "endmodule\n"
    }

    fn ask(&self, folder: &Path, verilog: &str, pairs: &Pairs<'_>) -> Result<Answer, MutateError> {
        let yosys = self.tools.yosys().map_err(SynthError::from)?;
        formulas(yosys, folder, ("miter", verilog), (&pairs.joins(), &[]), "")?;
        let smtbmc = self.tools.smtbmc().map_err(SynthError::from)?;
        let edges = EDGES.to_string();
        for how in ["--keep-going", "-i"] {
            let question = question(&["-t", &edges, how]);
            match smtbmc.answer_within(SECONDS, folder, &question).map_err(SynthError::from)? {
                None => return Ok(Answer::Unknown),
                Some((true, _)) => {}
                Some((false, log)) => {
                    return Ok(Answer::Fails(broken_rules(&log).map(str::to_string).collect()));
                }
            }
        }
        Ok(Answer::Holds)
    }
}

/// What is compared: paths of registers with their widths, and memories, within one module.
#[derive(Default)]
struct Pairs<'a> {
    registers: Vec<(String, u32)>,
    memories: Vec<(String, &'a Module)>,
}

impl Pairs<'_> {
    /// The wires of the miter that are one with those within its two sides.
    fn joins(&self) -> Vec<(String, String)> {
        let mut joins = Vec::new();
        let mut join = |to: String, from: String| joins.push((to, from));
        for (place, (path, _)) in self.registers.iter().enumerate() {
            join(format!("g_{place}"), format!("g{path}"));
            join(format!("m_{place}"), format!("m{path}"));
        }
        for (place, (path, memory)) in self.memories.iter().enumerate() {
            for port in memory.ports.iter().filter(|port| port.name != "clk") {
                for side in ["g", "m"] {
                    let (here, there) =
                        (format!("{side}_{place}_{}", port.name), format!("{side}{path}.{}", port.name));
                    if port.is_output { join(there, here) } else { join(here, there) }
                }
            }
        }
        joins
    }
}

/// Whether an output of a core says when another one counts: `res_valid` of `res_ev`, `m_axis_tvalid` of `m_axis_tdata`.
fn promises(valid: &Port, port: &Port) -> bool {
    let before = valid.name.strip_suffix("valid");
    valid.name != port.name && before.is_some_and(|before| port.name.starts_with(before))
}

/// Wires and rules of a memory on both sides. What both write must be equal; what they read is, if they read at the same place.
fn of_memory(place: usize, memory: &Module) -> String {
    let mut text = String::new();
    let has = |name: &str| memory.ports.iter().any(|port| port.name == name);
    let is_registered = memory.ports.iter().filter(|port| port.is_output).all(|port| port.is_register);
    let is_plain = has("write_enable") && memory.width("write_enable") == 1;
    let reads_anywhere = is_plain && is_registered && has("read_address") && !has("read_enable");
    if reads_anywhere {
        let _ = writeln!(text, "reg same_{place};\nalways @* if (!started) assume (same_{place});");
    }
    for port in &memory.ports {
        let (name, last) = (&port.name, memory.width(&port.name) - 1);
        if name == "clk" {
            continue;
        }
        if port.is_output {
            let _ = writeln!(text, "(* anyseq *) wire [{last}:0] g_{place}_{name};");
            let _ = writeln!(text, "(* anyseq *) wire [{last}:0] other_{place}_{name};");
            let equal = if reads_anywhere { format!("same_{place}") } else { "1'b1".to_string() };
            let _ = writeln!(
                text,
                "wire [{last}:0] m_{place}_{name} = {equal} ? g_{place}_{name} : other_{place}_{name};"
            );
            continue;
        }
        let _ = writeln!(text, "wire [{last}:0] g_{place}_{name}, m_{place}_{name};");
        let only_if = match name.as_str() {
            "read_address" if reads_anywhere => {
                let _ = writeln!(
                    text,
                    "always @(posedge clk) same_{place} <= g_{place}_{name} == m_{place}_{name};"
                );
                continue;
            }
            "write_address" | "write_data" if is_plain => format!("!g_{place}_write_enable | "),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "memory_{place}_{name}: assert property (!started | {only_if}(g_{place}_{name} == m_{place}_{name}));"
        );
    }
    text
}
