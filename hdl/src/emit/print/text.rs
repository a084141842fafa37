//! Text that knows where a line may end, and lines made of it.

use crate::emit::stmt::Comment;

/// Columns after which a line is broken.
pub const WIDTH: usize = 110;

/// Columns of a line before which it is not broken.
const LEAST: usize = 20;

/// A piece of Verilog that becomes one line, or several where it is long.
#[derive(Clone, Default)]
pub struct Text {
    text: String,
    /// Places in the text where something begins or ends, in their order.
    marks: Vec<(usize, Mark)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// A bracket opens.
    Open,
    /// One closes.
    Close,
    /// A space at which the line may end.
    Space,
}

impl Text {
    pub fn of(text: &str) -> Text {
        Text { text: text.to_string(), marks: vec![] }
    }

    pub fn push(&mut self, text: &str) {
        self.text += text;
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Columns that it takes on one line.
    pub fn columns(&self) -> usize {
        self.text.len()
    }

    /// Verilog that is written already: a line may end at its spaces, at the least depth of brackets.
    pub fn of_code(code: &str) -> Text {
        let mut text = Text::default();
        for c in code.chars() {
            let mark = match c {
                '(' | '[' | '{' => Some(Mark::Open),
                ')' | ']' | '}' => Some(Mark::Close),
                ' ' => Some(Mark::Space),
                _ => None,
            };
            text.marks.extend(mark.map(|mark| (text.text.len(), mark)));
            text.text.push(c);
        }
        text
    }

    /// A space at which the line may end.
    pub fn space(&mut self) {
        self.marks.push((self.text.len(), Mark::Space));
        self.text.push(' ');
    }

    /// What `inside` adds, in the brackets `open` and `close`.
    pub fn enclosed(&mut self, open: &str, close: &str, inside: impl FnOnce(&mut Text)) {
        self.marks.push((self.text.len(), Mark::Open));
        self.text += open;
        inside(self);
        self.marks.push((self.text.len(), Mark::Close));
        self.text += close;
    }

    /// Parts with commas between them.
    pub fn list<T>(&mut self, parts: &[T], mut each: impl FnMut(&T, &mut Text)) {
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.push(",");
                self.space();
            }
            each(part, self);
        }
    }

    /// Where a line that begins at `from` and has room for `limit` columns ends: at the least depth, as far right as fits.
    fn line_end(&self, from: usize, limit: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut best: Option<(usize, usize)> = None;
        for (at, mark) in self.marks.iter().filter(|(at, _)| *at >= from && *at < from + limit) {
            match mark {
                Mark::Open => depth += 1,
                Mark::Close => depth = depth.saturating_sub(1),
                Mark::Space if *at > from + LEAST && best.is_none_or(|(_, least)| depth <= least) => {
                    best = Some((*at, depth));
                }
                Mark::Space => {}
            }
        }
        best.map(|(at, _)| at)
    }
}

/// The lines of a module, each indented by four columns a level.
#[derive(Default)]
pub struct Lines(pub Vec<String>);

impl Lines {
    pub fn add(&mut self, indent: usize, text: &str) {
        self.0.push(format!("{:columns$}{text}", "", columns = indent * 4));
    }

    pub(in crate::emit) fn add_comment(&mut self, indent: usize, comment: &Comment) {
        comment.lines.iter().for_each(|line| self.add(indent, &format!("// {line}")));
    }

    /// Adds `text`, a level further in from the second line on.
    pub fn add_text(&mut self, indent: usize, text: &Text) {
        let mut from = 0;
        let mut level = indent;
        while level * 4 + text.text.len() - from > WIDTH {
            let Some(end) = text.line_end(from, WIDTH - level * 4) else { break };
            self.add(level, &text.text[from..end]);
            from = end + 1;
            level = indent + 1;
        }
        self.add(level, &text.text[from..]);
    }
}
