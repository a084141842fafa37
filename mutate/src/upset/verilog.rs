//! The generated Verilog with memories whose bits can be flipped from outside, and with the state of its random generator shown.
//!
//! Three inputs pass through every module; each instance counts the memories before it off the first one, so that it is 1 in the
//! memory that is hit. Where a flip and a write are of one word at one edge, the write has the word.

use std::collections::BTreeMap;

use respray_cosim::upset::{
    ADDRESS, ADDRESS_BITS, BIT, BIT_BITS, GENERATOR, GENERATOR_BITS, MEMORY, MEMORY_BITS, RECENT_BIT, Site,
};

use crate::verilog::{Module, Sites};

/// Name of the module of a random generator, behind that of its core.
const RANDOM: &str = "random_ev";

/// A text with all of that in it, and its memories by their numbers, from 1 on.
pub struct Hittable {
    pub verilog: String,
    pub sites: Vec<Site>,
}

/// Makes it of a text whose top module is `top`.
pub fn hittable(top: &str, text: &str, found: &Sites) -> Hittable {
    let plan = Plan { text, found };
    let mut edits: BTreeMap<usize, String> = BTreeMap::new();
    let mut connections = found.connections.iter();
    for (module, at) in found.modules.iter().zip(&found.ports) {
        let mut ports = format!(
            " input wire [{}:0] {MEMORY}, input wire [{}:0] {ADDRESS}, input wire [{}:0] {BIT},",
            MEMORY_BITS - 1,
            ADDRESS_BITS - 1,
            BIT_BITS - 1
        );
        if plan.has_generator(&module.name) {
            ports += &format!(" output wire [{}:0] {GENERATOR},", GENERATOR_BITS - 1);
        }
        edits.insert(*at, ports);
        let mut before = 0;
        for (inner, _) in &module.instances {
            let at = connections.next().expect("each instance has its connections");
            let memory =
                if before == 0 { MEMORY.to_string() } else { format!("{MEMORY} - {MEMORY_BITS}'d{before}") };
            let mut made = format!(" .{MEMORY}({memory}), .{ADDRESS}({ADDRESS}), .{BIT}({BIT}),");
            if plan.has_generator(inner) {
                made += &format!(" .{GENERATOR}({GENERATOR}),");
            }
            edits.insert(*at, made);
            before += plan.memories(inner);
        }
        if let Some((end, words, width)) = plan.memory(module) {
            let high = words.ilog2().max(1) - 1;
            let (mut made, mut address) = (String::new(), format!("{ADDRESS}[{high}:0]"));
            if plan.writes_words(module) {
                made = format!(
                    " reg [{high}:0] upset_last; always @(posedge clk) if (write_enable) upset_last <= write_address[{high}:0]; \
                     wire [{high}:0] upset_word = {ADDRESS}[{RECENT_BIT}] ? upset_last - {address} : {address};"
                );
                address = "upset_word".to_string();
            }
            let word = format!("words[{address}]");
            made += &format!(
                " always @(posedge clk) if ({MEMORY} == {MEMORY_BITS}'d1) {word} <= {word} ^ ({width}'d1 << {BIT});"
            );
            edits.insert(end, made);
        }
        if module.name.ends_with(RANDOM) {
            let state = format!("reg [{}:0] state;", GENERATOR_BITS - 1);
            let at = text[module.bytes.clone()].find(&state).expect("the generator has its state");
            edits.insert(module.bytes.start + at + state.len(), format!(" assign {GENERATOR} = state;"));
        }
    }
    let (mut verilog, mut at) = (String::new(), 0);
    for (place, with) in edits {
        verilog += &text[at..place];
        verilog += &with;
        at = place;
    }
    verilog += &text[at..];
    let mut sites = Vec::new();
    plan.list(top, "", &mut sites);
    Hittable { verilog, sites }
}

struct Plan<'a> {
    text: &'a str,
    found: &'a Sites,
}

impl<'a> Plan<'a> {
    fn module(&self, name: &str) -> Option<&'a Module> {
        self.found.modules.iter().find(|module| module.name == name)
    }

    /// The memory of a module: the byte behind its declaration, its words and the bits of each.
    fn memory(&self, module: &Module) -> Option<(usize, u32, u32)> {
        if !module.has_memory {
            return None;
        }
        let text = &self.text[module.bytes.clone()];
        let (before, behind) = text.split_once("] words [0:")?;
        let (last, _) = behind.split_once(']')?;
        let (_, high) = before.rsplit_once('[')?;
        let (high, _) = high.split_once(':')?;
        let end = module.bytes.start + before.len() + text[before.len()..].find(';')? + 1;
        Some((end, last.parse::<u32>().ok()? + 1, high.parse::<u32>().ok()? + 1))
    }

    /// The memory is written word by word, so that there is one that was written last.
    fn writes_words(&self, module: &Module) -> bool {
        self.text[module.bytes.clone()].contains("if (write_enable) words[write_address")
    }

    /// Memories in a module and all that is in it.
    fn memories(&self, name: &str) -> usize {
        let Some(module) = self.module(name) else { return 0 };
        let inner: usize = module.instances.iter().map(|(inner, _)| self.memories(inner)).sum();
        inner + usize::from(self.memory(module).is_some())
    }

    fn has_generator(&self, name: &str) -> bool {
        name.ends_with(RANDOM)
            || self
                .module(name)
                .is_some_and(|module| module.instances.iter().any(|(inner, _)| self.has_generator(inner)))
    }

    /// Lists the memories in the order of their numbers.
    fn list(&self, name: &str, path: &str, sites: &mut Vec<Site>) {
        let Some(module) = self.module(name) else { return };
        if let Some((_, words, width)) = self.memory(module) {
            let has_recent = self.writes_words(module);
            sites.push(Site { path: path.to_string(), module: name.to_string(), words, width, has_recent });
        }
        for (inner, instance) in &module.instances {
            let path = if path.is_empty() { instance.clone() } else { format!("{path}.{instance}") };
            self.list(inner, &path, sites);
        }
    }
}
