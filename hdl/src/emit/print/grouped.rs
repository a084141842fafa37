//! Names of one kind side by side: what is declared alike, and what is connected to an instance.

use super::expressions::{print, range};
use super::text::{Lines, Text, WIDTH};
use crate::emit::module::{Connection, Instance, Net};

/// Declarations of nets with `word`, those of one width in one of them, in the order in which the widths come first.
pub fn declarations<'a>(
    word: &str,
    nets: impl IntoIterator<Item = &'a Net>,
    indent: usize,
    lines: &mut Lines,
) {
    let mut groups: Vec<(usize, Vec<&str>)> = vec![];
    for net in nets {
        match groups.iter_mut().find(|(width, _)| *width == net.width) {
            Some((_, names)) => names.push(&net.name),
            None => groups.push((net.width, vec![&net.name])),
        }
    }
    for (width, names) in groups {
        let mut text = Text::of(&format!("{word} {}", range(width)));
        text.list(&names, |name, text| text.push(name));
        text.push(";");
        lines.add_text(indent, &text);
    }
}

/// An instance: on one line where it fits, else with as many connections a line as fit.
pub fn instance(instance: &Instance, nets: &[Net]) -> Lines {
    let mut connections = vec![];
    let mut has_comment = false;
    for (at, Connection { comments, port, pin }) in instance.connections.iter().enumerate() {
        let mut text = Text::of(&format!(".{port}"));
        text.enclosed("(", ")", |text| print(pin, nets, text));
        text.push(if at + 1 < instance.connections.len() { "," } else { "" });
        has_comment |= !comments.is_empty();
        connections.push((comments, text));
    }
    let head = format!("{} {} (", instance.module, instance.name);
    let mut lines = Lines::default();
    let length: usize = connections.iter().map(|(_, text)| text.columns() + 1).sum();
    if !has_comment && 4 + head.len() + length < WIDTH {
        let inside: Vec<&str> = connections.iter().map(|(_, text)| text.as_str()).collect();
        lines.add(1, &format!("{head}{});", inside.join(" ")));
        return lines;
    }
    lines.add(1, &head);
    let mut row = Row::default();
    for (comments, text) in &connections {
        if !comments.is_empty() {
            row.end(2, &mut lines);
            comments.iter().for_each(|comment| lines.add_comment(2, comment));
        }
        row.push(2, text, &mut lines);
    }
    row.end(2, &mut lines);
    lines.add(1, ");");
    lines
}

/// Texts side by side, until a line is full.
#[derive(Default)]
pub struct Row(String);

impl Row {
    /// Puts `text` behind those of the line, or on the next one.
    pub fn push(&mut self, indent: usize, text: &Text, lines: &mut Lines) {
        let is_full = indent * 4 + self.0.len() + 1 + text.columns() > WIDTH;
        if is_full {
            self.end(indent, lines);
        }
        if indent * 4 + text.columns() > WIDTH {
            return lines.add_text(indent, text);
        }
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0 += text.as_str();
    }

    /// Ends the line, if something stands on it.
    pub fn end(&mut self, indent: usize, lines: &mut Lines) {
        if !self.0.is_empty() {
            lines.add(indent, &std::mem::take(&mut self.0));
        }
    }
}
