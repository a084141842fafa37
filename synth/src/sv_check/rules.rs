//! Rules of a proof as assertions, with what they need.

use std::collections::{BTreeMap, BTreeSet};

use super::joins::Joined;
use super::scan::{balanced, begins_with, blank, identifiers, renamed, statement};
use super::{Assertion, Checker, OF_FIRST_EDGES};
use crate::prove::{Method, Proof};

/// A statement of the text of rules.
#[derive(Clone, Debug)]
struct Statement {
    /// With the comments above it.
    text: String,
    defines: BTreeSet<String>,
    uses: BTreeSet<String>,
    /// A wire that nothing here drives.
    is_open: bool,
}

/// Words of Verilog that are no names.
const KEYWORDS: [&str; 24] = [
    "wire",
    "reg",
    "integer",
    "genvar",
    "localparam",
    "assign",
    "always",
    "initial",
    "begin",
    "end",
    "if",
    "else",
    "for",
    "generate",
    "endgenerate",
    "function",
    "endfunction",
    "input",
    "output",
    "posedge",
    "clk",
    "signed",
    "anyconst",
    "assume",
];

/// Words that SystemVerilog reserves and Verilog does not, which rules may have as names.
const RESERVED: [&str; 20] = [
    "inside", "before", "within", "with", "bit", "byte", "checker", "context", "cover", "expect", "final",
    "global", "let", "local", "priority", "property", "static", "table", "unique", "until",
];

/// The first step of an op, in the rules of a proof of ops one by one.
const FIRST_STEP: &str = "is_first_step";

/// The rules of a text beside a module with these nets, if any of them can be simulated. Of wires that the text leaves open it is said
/// what they are `joined` to.
pub fn checker(
    proof: &Proof,
    text: &str,
    nets: &BTreeSet<String>,
    joined: &BTreeMap<String, Joined>,
) -> Option<Checker> {
    // what is said of a memory alone stands for it in a proof, and a simulation has the memory
    if text.contains("content_when_read") {
        return None;
    }
    let (rest, found) = assertions(text);
    let mut statements = statements(&rest)?;
    let driven: BTreeSet<String> =
        statements.iter().filter(|one| !one.is_open).flat_map(|one| one.defines.clone()).collect();
    for one in statements.iter_mut().filter(|one| one.is_open) {
        let name = one.defines.iter().find(|name| !driven.contains(*name) && joined.contains_key(*name));
        if let Some(joined) = name.and_then(|name| joined.get(name)) {
            (one.text, one.is_open) = (joined.driving(&one.text), false);
            one.uses.extend(joined.uses());
        }
    }
    let mut unknown: BTreeSet<String> = statements
        .iter()
        .filter(|one| one.is_open)
        .flat_map(|one| one.defines.iter().filter(|name| !driven.contains(*name)).cloned())
        .collect();
    loop {
        let before = unknown.len();
        for one in &statements {
            if !one.uses.is_disjoint(&unknown) {
                unknown.extend(one.defines.iter().cloned());
            }
        }
        if unknown.len() == before {
            break;
        }
    }
    let of = |assertion: &Assertion| {
        let mut names = identifiers(&assertion.condition);
        names.extend(assertion.guard.iter().flat_map(|guard| identifiers(guard)));
        names
    };
    let claims =
        |name: &str| proof.claims.iter().find(|claim| claim.rule == name).map(|claim| claim.says.to_string());
    let kept: Vec<Assertion> = found
        .into_iter()
        .filter(|assertion| !assertion.name.starts_with("lemma_") && of(assertion).is_disjoint(&unknown))
        .filter(|assertion| !OF_FIRST_EDGES.contains(&(proof.core, &assertion.name)))
        .map(|assertion| Assertion { says: claims(&assertion.name).unwrap_or_default(), ..assertion })
        .collect();
    if kept.is_empty() {
        return None;
    }
    let begins = matches!(proof.method, Method::EachOp(_)).then_some(FIRST_STEP);
    let mut needed: BTreeSet<String> = kept.iter().flat_map(of).chain(begins.map(str::to_string)).collect();
    loop {
        let before = needed.len();
        for one in &statements {
            if !one.defines.is_disjoint(&needed) {
                needed.extend(one.uses.iter().chain(&one.defines).cloned());
            }
        }
        if needed.len() == before {
            break;
        }
    }
    statements.retain(|one| !one.defines.is_disjoint(&needed));
    // `is_begun` is the checker's own
    statements.retain(|one| !one.defines.contains("is_begun"));
    let defined: BTreeSet<&String> = statements.iter().flat_map(|one| &one.defines).collect();
    let is_known = |name: &&String| {
        defined.contains(name)
            || nets.contains(*name)
            || KEYWORDS.contains(&name.as_str())
            || *name == "is_begun"
    };
    if !needed.iter().all(|name| is_known(&name)) {
        return None;
    }
    let body: String = statements.iter().map(|one| one.text.clone() + "\n").collect();
    let spelt = |text: &str| renamed(text, &RESERVED);
    let assertions = kept
        .into_iter()
        .map(|one| Assertion {
            guard: one.guard.as_deref().map(spelt),
            condition: spelt(&one.condition),
            ..one
        })
        .collect();
    Some(Checker { body: spelt(&body) + "\n", assertions, begins })
}

/// The assertions of a text, and what is left of it.
fn assertions(text: &str) -> (String, Vec<Assertion>) {
    let (mut left, mut found, mut rest) = (String::new(), Vec::new(), text);
    while let Some(at) = rest.find("always @*") {
        left += &rest[..at];
        let behind = &rest[at..];
        match of_block(behind) {
            Some((length, mut these)) => {
                found.append(&mut these);
                rest = &behind[length..];
            }
            None => {
                left += "always @*";
                rest = &behind["always @*".len()..];
            }
        }
    }
    (left + rest, found)
}

/// Length and assertions of an `always @*` that holds nothing else.
fn of_block(text: &str) -> Option<(usize, Vec<Assertion>)> {
    let mut at = "always @*".len();
    at += blank(&text[at..]);
    let mut guard = None;
    if begins_with(&text[at..], "if") {
        at += text[at..].find('(')?;
        let length = balanced(&text[at..])?;
        guard = Some(text[at + 1..at + length - 1].to_string());
        at += length;
        at += blank(&text[at..]);
    }
    let has_block = begins_with(&text[at..], "begin");
    at += if has_block { "begin".len() } else { 0 };
    let mut found = Vec::new();
    loop {
        at += blank(&text[at..]);
        if has_block && begins_with(&text[at..], "end") {
            return Some((at + "end".len(), found));
        }
        let rest = &text[at..];
        let open = rest.find('(')?;
        let head = rest[..open].trim();
        let (name, kind) = head.split_once(':').map_or(("", head), |(name, kind)| (name.trim(), kind.trim()));
        if !matches!(kind, "assert" | "assume") {
            return None;
        }
        let length = balanced(&rest[open..])?;
        let condition = rest[open + 1..open + length - 1].to_string();
        at += open + length;
        at += text[at..].find(';')? + 1;
        // at the first edge there is a reset: a simulation sees for itself
        let is_of_reset = kind == "assume" && identifiers(&condition).contains("is_begun");
        let given = if kind == "assume" { "given_" } else { "" };
        let name = match name {
            "" => format!("given_{}", found.len() + 1),
            "given" => "given_stays".to_string(),
            name => format!("{given}{name}"),
        };
        if !is_of_reset {
            found.push(Assertion { name, guard: guard.clone(), condition, says: String::new() });
        }
        if !has_block {
            return Some((at, found));
        }
    }
}

/// The statements of a text.
fn statements(text: &str) -> Option<Vec<Statement>> {
    let (mut found, mut at, mut comments) = (Vec::new(), 0, String::new());
    loop {
        at += blank(&text[at..]);
        let rest = &text[at..];
        if rest.is_empty() {
            return Some(found);
        }
        if rest.starts_with("//") {
            let line = rest.lines().next().unwrap_or("");
            comments += &format!("    {line}\n");
            at += line.len();
            continue;
        }
        let length = match () {
            () if begins_with(rest, "function") => rest.find("endfunction")? + "endfunction".len(),
            () if begins_with(rest, "generate") => rest.find("endgenerate")? + "endgenerate".len(),
            () if begins_with(rest, "always") => {
                let head = match rest.starts_with("always @*") {
                    true => "always @*".len(),
                    false => rest.find('(')? + balanced(&rest[rest.find('(')?..])?,
                };
                head + statement(&rest[head..])?
            }
            () => rest.find(';')? + 1,
        };
        let code = &rest[..length];
        let has_comments = std::mem::take(&mut comments);
        found.push(read(&has_comments, code));
        at += length;
    }
}

/// A statement, of which is said what it defines and uses.
fn read(comments: &str, code: &str) -> Statement {
    let names = identifiers(code);
    let is_declared =
        ["wire", "reg", "integer", "genvar", "localparam", "(*"].iter().any(|word| code.starts_with(word));
    let mut uses: BTreeSet<String> =
        names.iter().filter(|name| !KEYWORDS.contains(&name.as_str())).cloned().collect();
    let mut defines = BTreeSet::new();
    if is_declared {
        // the first name outside of brackets, and those behind commas where nothing is assigned
        let head = code.split('=').next().unwrap_or(code);
        let outside: String = without_ranges(head);
        let outside = outside.replace("(* anyconst *)", "");
        defines =
            identifiers(&outside).into_iter().filter(|name| !KEYWORDS.contains(&name.as_str())).collect();
    } else if begins_with(code, "function") {
        let name = code.split([';', '\n']).next().unwrap_or("");
        defines = identifiers(&without_ranges(name)).into_iter().filter(|name| name != "function").collect();
        // what it looks at outside of it: not itself, nor its arguments and variables
        uses.retain(|name| !defines.contains(name));
        for own in code
            .split(['\n', ';'])
            .map(str::trim)
            .filter(|line| begins_with(line, "input") || begins_with(line, "reg"))
        {
            let own = identifiers(&without_ranges(own));
            uses.retain(|name| !own.contains(name));
        }
    } else {
        for (at, _) in code.match_indices('=') {
            let head = code[..at].trim_end_matches(['<', ' ']);
            if head.ends_with('}') {
                defines.extend(identifiers(&head[head.rfind('{').unwrap_or(0)..]));
            }
            let head = if head.ends_with(']') { &head[..head.rfind('[').unwrap_or(0)] } else { head };
            let name: String = head
                .chars()
                .rev()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            if uses.contains(&name) {
                defines.insert(name);
            }
        }
        if begins_with(code, "generate") {
            let own = identifiers(&without_ranges(code));
            let named = code.split("wire ").skip(1).filter_map(|rest| {
                without_ranges(rest.split('=').next().unwrap_or(""))
                    .split_whitespace()
                    .next()
                    .map(str::to_string)
            });
            defines.extend(named.filter(|name| own.contains(name)));
            let label = code.split("begin :").nth(1).and_then(|rest| rest.split_whitespace().next());
            defines.extend(label.map(str::to_string));
        }
    }
    uses.retain(|name| !defines.contains(name));
    let is_open = code.starts_with("wire") && !code.contains('=');
    let text = match code.strip_prefix("(* anyconst *) ") {
        Some(code) => {
            let name = defines.iter().next().cloned().unwrap_or_default();
            format!("{comments}    {code}\n    initial {name} = $urandom;")
        }
        None => format!("{comments}    {code}"),
    };
    Statement { text, defines, uses, is_open }
}

/// A text without what stands in square brackets.
fn without_ranges(text: &str) -> String {
    let mut depth = 0;
    let outside = |c: &char| {
        match c {
            '[' => depth += 1,
            ']' => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    text.chars().filter(outside).collect()
}
