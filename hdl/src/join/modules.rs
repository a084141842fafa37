//! The modules of the instances, each once.

use std::collections::BTreeMap;

use super::{Instance, JoinError};

/// The modules of all instances, those that an instance needs ahead of it.
pub fn distinct(instances: &[Instance]) -> Result<Vec<String>, JoinError> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut texts = vec![];
    for instance in instances {
        let modules = split(&instance.verilog);
        if !modules.iter().any(|(name, _)| *name == instance.module) {
            let (instance, module) = (instance.name.clone(), instance.module.clone());
            return Err(JoinError::NoModule { instance, module });
        }
        for (name, text) in modules {
            match known.get(&name) {
                Some(same) if *same == text => {}
                Some(_) => return Err(JoinError::TwoModules { module: name }),
                None => {
                    texts.push(text.clone());
                    known.insert(name, text);
                }
            }
        }
    }
    Ok(texts)
}

/// Name and text of each module of a source, with the comment that stands right above it.
///
/// Of what the backend prints, `module` and `endmodule` alone stand at the beginning of a line.
fn split(verilog: &str) -> Vec<(String, String)> {
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
            modules.extend(name.take().map(|name| (name, text.join("\n"))));
            text.clear();
        }
    }
    modules
}
