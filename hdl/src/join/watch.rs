//! Outputs beside those of a top, for a simulation: they are put into its text, which is else as it is, line by line.
//!
//! Whoever has changed the Verilog of a top can so have it watched as the generated one is.

use std::collections::BTreeSet;

use super::check::{self, Checked};
use super::print::Printer;
use super::{JoinError, Netlist, Source};
use crate::emit::range;

/// An output that is added, and what it shows.
#[derive(Clone, Debug)]
pub struct Watch {
    pub name: String,
    /// Width in bits.
    pub width: u32,
    pub source: Source,
}

/// What is put into the text of a top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watches {
    module: String,
    /// Before the first of its ports.
    ports: String,
    /// Before its end.
    assigns: String,
}

/// Why the text of a top cannot be watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    #[error("there is no module `{module}` that begins with a list of ports and has an end")]
    NoModule { module: String },
    #[error("module `{module}` has no `{name}`, at which a simulation watches it")]
    NoName { module: String, name: String },
}

impl Netlist {
    /// What is put into the text of this top so that it has these outputs, too.
    ///
    /// # Errors
    /// As [`Netlist::verilog`] has them.
    pub fn watches(&self, watches: &[Watch]) -> Result<Watches, JoinError> {
        let checked: Checked = check::check(self)?;
        let printer = Printer { netlist: self, checked: &checked };
        let ports = watches.iter().map(|watch| {
            let range = range(watch.width as usize);
            format!(" output wire {range}{},", watch.name)
        });
        let assigns = watches
            .iter()
            .map(|watch| format!("assign {} = {}; ", watch.name, printer.expression(&watch.source)));
        Ok(Watches { module: self.module.clone(), ports: ports.collect(), assigns: assigns.collect() })
    }
}

impl Watches {
    /// The same text with the outputs in it. No line of it becomes another one.
    ///
    /// # Errors
    /// If it has no such module, or the module has not all that is to be shown.
    pub fn put_into(&self, verilog: &str) -> Result<String, WatchError> {
        let no_module = || WatchError::NoModule { module: self.module.clone() };
        let Place { ports, end, names } = place(verilog, &self.module).ok_or_else(no_module)?;
        let mut wanted = words(&self.assigns).filter(|(_, word)| *word != "assign");
        if let Some((_, name)) = wanted.find(|(at, word)| {
            // a signal within an instance is looked for by the name of the instance
            let is_within = self.assigns[..*at].ends_with('.');
            let is_own = self.ports.contains(&format!(" {word},"));
            !is_within && !is_own && !names.contains(word)
        }) {
            return Err(WatchError::NoName { module: self.module.clone(), name: name.to_string() });
        }
        let [before, within, behind] = [&verilog[..ports], &verilog[ports..end], &verilog[end..]];
        Ok([before, &self.ports, within, &self.assigns, behind].concat())
    }
}

/// Where something is put into a module.
struct Place<'a> {
    /// Before the first of its ports.
    ports: usize,
    /// Before its `endmodule`.
    end: usize,
    /// The names in it.
    names: BTreeSet<&'a str>,
}

fn place<'a>(verilog: &'a str, module: &str) -> Option<Place<'a>> {
    let code = without_comments(verilog);
    let all: Vec<(usize, &str)> = words(&code).collect();
    let begin = all.windows(2).position(|pair| pair[0].1 == "module" && pair[1].1 == module)? + 1;
    let end = all[begin..].iter().find(|(_, word)| *word == "endmodule")?.0;
    let name_end = all[begin].0 + module.len();
    let mut opens = code[name_end..end].find('(')?;
    if code[name_end..name_end + opens].trim() == "#" {
        opens += closing(&code[name_end + opens..end])?;
        opens += code[name_end + opens..end].find('(')?;
    }
    let opened = name_end + opens + 1;
    // the line of the parenthesis stays as it is
    let blank = verilog[opened..end].find(|c: char| !c.is_whitespace() || c == '\n').unwrap_or(0);
    let ports = opened + if verilog[opened + blank..].starts_with('\n') { blank + 1 } else { 0 };
    let names = all.iter().filter(|(at, _)| (ports..end).contains(at));
    Some(Place { ports, end, names: names.map(|(at, word)| &verilog[*at..at + word.len()]).collect() })
}

/// Where the parenthesis at the beginning is closed: the byte behind that.
fn closing(code: &str) -> Option<usize> {
    let mut depth = 0;
    code.bytes()
        .position(|byte| {
            depth += i32::from(byte == b'(') - i32::from(byte == b')');
            depth == 0
        })
        .map(|at| at + 1)
}

/// Words of Verilog and where each begins; numbers are none.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || "_$'".contains(c);
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + code[at..].find(is_of_word)?;
        let length = code[begin..].find(|c| !is_of_word(c)).unwrap_or(code.len() - begin);
        at = begin + length;
        Some((begin, &code[begin..at]))
    })
    .filter(|(_, word)| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// The same text with blanks for each byte of a comment, of a string, and for what is no ASCII.
fn without_comments(verilog: &str) -> String {
    let bytes = verilog.as_bytes();
    let mut code = vec![b' '; bytes.len()];
    let mut at = 0;
    let skip = |from: usize, end: &str| {
        verilog[from..].find(end).map_or(bytes.len(), |found| from + found + end.len())
    };
    while at < bytes.len() {
        at = match &bytes[at..] {
            [b'/', b'/', ..] => skip(at, "\n"),
            [b'/', b'*', ..] => skip((at + 2).min(bytes.len()), "*/"),
            [b'"', ..] => skip(at + 1, "\""),
            [byte, ..] => {
                code[at] = if byte.is_ascii() { *byte } else { b' ' };
                at + 1
            }
            [] => at,
        };
    }
    String::from_utf8(code).expect("all of it is ASCII")
}
