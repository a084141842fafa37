//! The words of generated Verilog, with their places in the text.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or a name.
    Word,
    /// A number with its width, such as `8'hff`.
    Sized,
    /// A number without one, such as the bounds of a range.
    Plain,
    /// An operator, a bracket, a comma and the like.
    Mark,
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// Marks of more than one character, the longer ones first.
const LONG_MARKS: [&str; 13] =
    ["<<<", ">>>", "===", "!==", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "+:"];

/// The tokens of a text, in order. Comments, attributes and what is compiled for simulation alone have none.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let first = bytes[at];
        let end_of_line = || at + rest.find('\n').unwrap_or(rest.len());
        if first.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") {
            at = end_of_line();
        } else if rest.starts_with("(*") {
            at += rest.find("*)").map_or(rest.len(), |end| end + 2);
        } else if rest.starts_with("`ifndef SYNTHESIS") {
            at += rest.find("`endif").map_or(rest.len(), |end| end + "`endif".len());
        } else if first == b'`' {
            at = end_of_line();
        } else {
            let (kind, length) = token(rest);
            tokens.push(Token { kind, range: at..at + length });
            at += length;
        }
    }
    tokens
}

/// Kind and length of the token that a text begins with.
fn token(rest: &str) -> (Kind, usize) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let length = |text: &str| text.find(|c| !is_name(c)).unwrap_or(text.len());
    let first = rest.chars().next().expect("a token is not empty");
    if first.is_ascii_digit() {
        let digits = length(rest);
        return match rest[digits..].strip_prefix('\'') {
            Some(value) => (Kind::Sized, digits + 1 + length(value)),
            None => (Kind::Plain, digits),
        };
    }
    if is_name(first) {
        return (Kind::Word, length(rest));
    }
    let long = LONG_MARKS.iter().find(|mark| rest.starts_with(**mark));
    (Kind::Mark, long.map_or(first.len_utf8(), |mark| mark.len()))
}
