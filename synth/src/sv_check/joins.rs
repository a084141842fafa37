//! Wires of rules that stand for what is in other modules: where a simulation finds it.

use std::collections::{BTreeMap, BTreeSet};

use super::scan::{identifiers, instances, module_of};

/// The array of a memory in its module.
const WORDS: &str = "words";
/// Ends of the paths by which a proof watches a memory: the address, and what stands there.
const WATCHED: &str = ".watched";
const CONTENT: &str = ".content";

/// What a wire of rules is in a simulation, by paths from the module beside which the rules stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joined {
    /// A net.
    Net(String),
    /// What a memory has at an address, which is a wire of the rules.
    Memory {
        words: String,
        address: String,
        /// The memory is an array of bits, of which several side by side are a word.
        is_of_bits: bool,
    },
}

/// What the wires of rules beside the module `target` of the core `top` are joined to, by their names.
pub fn of(joins: &[(String, String)], verilog: &str, top: &str, target: &str) -> BTreeMap<String, Joined> {
    let mut found = BTreeMap::new();
    let Some(place) = path_to(verilog, top, target) else { return found };
    let within = |path: &str| path.strip_prefix(place.as_str()).map(str::to_string);
    for (to, from) in joins {
        let (Some(name), Some(of)) = (within(to).filter(|name| !name.contains('.')), within(from)) else {
            continue;
        };
        let joined = match of.strip_suffix(CONTENT) {
            None => Joined::Net(of),
            Some(instance) => {
                let watched = format!("{place}{instance}{WATCHED}");
                let address = joins.iter().find(|(to, _)| *to == watched).and_then(|(_, from)| within(from));
                let memory = module_at(verilog, target, instance).and_then(|name| module_of(verilog, name));
                let (Some(address), Some(memory)) = (address, memory) else { continue };
                let is_of_bits = memory.contains(&format!("reg [0:0] {WORDS} ["));
                Joined::Memory { words: format!("{instance}.{WORDS}"), address, is_of_bits }
            }
        };
        found.insert(name, joined);
    }
    found
}

/// Path of the one instance of a module in a core, with a point behind it; empty for the core itself.
fn path_to(verilog: &str, top: &str, target: &str) -> Option<String> {
    if top == target {
        return Some(String::new());
    }
    instances(module_of(verilog, top)?)
        .find_map(|(of, name)| Some(format!("{name}.{}", path_to(verilog, of, target)?)))
}

/// Name of the module of an instance, by its path from another module.
fn module_at<'a>(verilog: &'a str, from: &str, path: &str) -> Option<&'a str> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let (of, _) = instances(module_of(verilog, from)?).find(|(_, name)| *name == first)?;
    match rest {
        Some(rest) => module_at(verilog, of, rest),
        None => Some(of),
    }
}

impl Joined {
    /// Names of the rules that it looks at.
    pub fn uses(&self) -> BTreeSet<String> {
        match self {
            Joined::Net(_) => BTreeSet::new(),
            Joined::Memory { address, .. } => identifiers(address),
        }
    }

    /// The declaration of the wire, which has no value there, with the value that it is joined to.
    pub fn driving(&self, declaration: &str) -> String {
        let open = declaration.trim_end().trim_end_matches(';');
        let name = open.rsplit(' ').next().unwrap_or(open);
        let is_one_bit = !open.contains('[');
        match self {
            Joined::Net(path) => format!("{open} = {path};"),
            Joined::Memory { words, address, is_of_bits } if is_one_bit || !is_of_bits => {
                format!("{open} = {words}[{address}];")
            }
            Joined::Memory { words, address, .. } => format!(
                "{open};\n    generate\n        for (genvar {name}_at = 0; {name}_at < $bits({name}); {name}_at = {name}_at + 1) \
                 begin : of_{name}\n            assign {name}[{name}_at] = {words}[{address} * $bits({name}) + {name}_at];\n        \
                 end\n    endgenerate"
            ),
        }
    }
}
