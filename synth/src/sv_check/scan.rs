//! Verilog as far as rules and nets need to be found in it.

use std::collections::BTreeSet;

/// A net of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    pub name: String,
    /// Its range with a space behind it, or nothing for one bit.
    pub range: String,
}

/// The text of a module, from its name to `endmodule`.
pub fn module_of<'a>(verilog: &'a str, module: &str) -> Option<&'a str> {
    let begin = verilog.find(&format!("module {module} ("))?;
    let end = verilog[begin..].find("endmodule")?;
    Some(&verilog[begin..begin + end])
}

/// Ports, wires and registers of a module; no memories.
pub fn declared(module: &str) -> Vec<Net> {
    let mut nets = Vec::new();
    for declaration in declarations(module) {
        let mut rest = declaration.as_str();
        while let Some(behind) = behind_kind(rest) {
            rest = behind;
        }
        let mut range = String::new();
        if rest.starts_with('[') {
            let end = rest.find(']').map_or(rest.len(), |end| end + 1);
            range = format!("{} ", &rest[..end]);
            rest = rest[end..].trim_start();
        }
        // `a, b;`, `a = value;` or `a, b,` of ports
        let names = rest.split(['=', ';', ')']).next().unwrap_or("");
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty() && !name.contains('[')) {
            nets.push(Net { name: name.to_string(), range: range.clone() });
        }
    }
    nets
}

/// What stands behind the word that says what a net is.
fn behind_kind(text: &str) -> Option<&str> {
    let kinds = ["input", "output", "wire", "reg"];
    let mut behind = kinds.iter().filter_map(|kind| text.strip_prefix(kind));
    behind.find(|behind| behind.starts_with([' ', '['])).map(str::trim_start)
}

/// Declarations of a module without comments, each with the lines on which it goes on.
fn declarations(module: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in module.lines() {
        let code = line.split("//").next().unwrap_or("").trim();
        match found.last_mut() {
            _ if behind_kind(code).is_some() => found.push(code.to_string()),
            Some(open) if !open.contains([';', ')']) => *open = format!("{open} {code}"),
            _ => {}
        }
    }
    found
}

/// Module and name of each instance in a module.
pub fn instances(module: &str) -> impl Iterator<Item = (&str, &str)> {
    module.lines().filter_map(|line| {
        let (instance, ports) = line.trim().split_once(" (")?;
        let (of, name) = instance.split_once(' ')?;
        let is_name = |text: &str| !text.is_empty() && text.chars().all(is_part);
        let is_instance = ports.is_empty() || ports.starts_with('.');
        (is_instance && of != "module" && is_name(of) && is_name(name)).then_some((of, name))
    })
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Names in a text: no numbers, no system functions, nothing in comments.
pub fn identifiers(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or("");
        let mut before = ' ';
        for word in code.split_inclusive(|c| !is_part(c)) {
            let name = word.trim_end_matches(|c| !is_part(c));
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if is_name && before != '\'' {
                names.insert(name.to_string());
            }
            before = word.chars().next_back().unwrap_or(' ');
        }
    }
    names
}

/// A text in which each of these names has `_` behind it; comments stay as they are.
pub fn renamed(text: &str, names: &[&str]) -> String {
    let line = |line: &str| {
        let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        let mut spelt = String::new();
        for word in code.split_inclusive(|c| !is_part(c)) {
            let name = word.trim_end_matches(|c| !is_part(c));
            let mark = if names.contains(&name) { "_" } else { "" };
            spelt += &format!("{name}{mark}{}", &word[name.len()..]);
        }
        spelt + comment
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Length of the text up to and with the bracket that closes the one it begins with.
pub fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// Whether a word stands at the beginning.
pub fn begins_with(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_part))
}

/// Length of white space at the beginning.
pub fn blank(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Length of the statement that a text begins with, white space before it included.
pub fn statement(text: &str) -> Option<usize> {
    let at = blank(text);
    let rest = &text[at..];
    if begins_with(rest, "begin") {
        return Some(at + block(rest)?);
    }
    if begins_with(rest, "if") || begins_with(rest, "for") {
        let open = rest.find('(')?;
        let mut end = open + balanced(&rest[open..])?;
        end += statement(&rest[end..])?;
        let behind = end + blank(&rest[end..]);
        if begins_with(&rest[behind..], "else") {
            end = behind + 4 + statement(&rest[behind + 4..])?;
        }
        return Some(at + end);
    }
    Some(at + rest.find(';')? + 1)
}

/// Length of `begin` to its `end`.
fn block(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n')?;
            continue;
        }
        let is_word = at == 0 || !text[..at].ends_with(is_part);
        if is_word && begins_with(rest, "begin") {
            depth += 1;
        } else if is_word && begins_with(rest, "end") {
            depth -= 1;
            if depth == 0 {
                return Some(at + 3);
            }
        }
        at += rest.chars().next()?.len_utf8();
    }
    None
}
