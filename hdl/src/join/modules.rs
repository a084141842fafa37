//! The modules of the instances, each once.

use std::collections::{BTreeMap, HashMap};

use super::memories::memory;
use super::{Instance, JoinError};

/// A module of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    /// All of it, with the comment that stands right above it.
    pub text: String,
}

/// The modules of all instances, those that an instance needs ahead of it. An instance without Verilog has its modules in another file.
///
/// Two that differ in their names alone are one, with the name of the first; a memory keeps its own, by which it is listed.
pub fn distinct(instances: &[Instance]) -> Result<Vec<Module>, JoinError> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut alike: HashMap<String, String> = HashMap::new();
    let mut instead: HashMap<String, String> = HashMap::new();
    let mut distinct = vec![];
    for instance in instances.iter().filter(|instance| !instance.verilog.is_empty()) {
        let modules = split(&instance.verilog);
        if !modules.iter().any(|module| module.name == instance.module) {
            let (instance, module) = (instance.name.clone(), instance.module.clone());
            return Err(JoinError::NoModule { instance, module });
        }
        for module in modules {
            match known.get(&module.name) {
                Some(same) if *same == module.text => continue,
                Some(_) => return Err(JoinError::TwoModules { module: module.name }),
                None => known.insert(module.name.clone(), module.text.clone()),
            };
            let text = with_names(&module.text, &instead);
            let nameless = text.replacen(&format!("module {} (", module.name), "module (", 1);
            let is_own = module.name == instance.module || memory(&module.name, &module.text).is_some();
            match alike.get(&nameless).filter(|_| !is_own) {
                Some(same) => _ = instead.insert(module.name, same.clone()),
                None => {
                    alike.entry(nameless).or_insert(module.name.clone());
                    distinct.push(Module { text, ..module });
                }
            }
        }
    }
    Ok(distinct)
}

/// The text of a module, in which instances are of these modules in the place of others.
fn with_names(text: &str, instead: &HashMap<String, String>) -> String {
    let line = |line: &str| {
        let begins = line.strip_prefix("    ").and_then(|code| code.split_once(' '));
        match begins.and_then(|(module, rest)| Some((instead.get(module)?, rest))) {
            Some((module, rest)) => format!("    {module} {rest}"),
            None => line.to_string(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The modules of a source.
///
/// Of what the backend prints, `module` and `endmodule` alone stand at the beginning of a line.
fn split(verilog: &str) -> Vec<Module> {
    let mut modules = vec![];
    let mut text: Vec<&str> = vec![];
    let mut name = None;
    for line in verilog.lines() {
        if let Some(rest) = line.strip_prefix("module ") {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            name = Some(rest[..end].to_string());
        } else if name.is_none() && !line.starts_with("//") {
            text.clear();
            continue;
        }
        text.push(line);
        if line == "endmodule" {
            modules.extend(name.take().map(|name| Module { name, text: text.join("\n") }));
            text.clear();
        }
    }
    modules
}
