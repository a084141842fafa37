//! The modules of the instances, each once.

use std::collections::BTreeMap;

use super::{Instance, JoinError};

/// A module of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    /// All of it, with the comment that stands right above it.
    pub text: String,
}

/// The modules of all instances, those that an instance needs ahead of it. An instance without Verilog has its modules in another file.
pub fn distinct(instances: &[Instance]) -> Result<Vec<Module>, JoinError> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut distinct = vec![];
    for instance in instances.iter().filter(|instance| !instance.verilog.is_empty()) {
        let modules = split(&instance.verilog);
        if !modules.iter().any(|module| module.name == instance.module) {
            let (instance, module) = (instance.name.clone(), instance.module.clone());
            return Err(JoinError::NoModule { instance, module });
        }
        for module in modules {
            match known.get(&module.name) {
                Some(same) if *same == module.text => {}
                Some(_) => return Err(JoinError::TwoModules { module: module.name }),
                None => {
                    known.insert(module.name.clone(), module.text.clone());
                    distinct.push(module);
                }
            }
        }
    }
    Ok(distinct)
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
