//! Text of a user in a sentence: on one line and not too long, whatever a file or a command line holds.

use std::fmt;

/// Characters of a value, and of a parser's message, that a sentence shows.
const SHOWN: usize = 80;
const SHOWN_OF_MESSAGE: usize = 300;

/// A value as a sentence shows it: at most 80 characters, the others counted; what does not print is escaped.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

/// What a parser says, which may hold values of the user: the same, with at most 300 characters.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        cut(self.0, SHOWN, f)
    }
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        cut(self.0, SHOWN_OF_MESSAGE, f)
    }
}

fn cut(text: &str, shown: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    text.chars().take(shown).try_for_each(|character| escape(character, f))?;
    match text.chars().count().saturating_sub(shown) {
        0 => Ok(()),
        more => write!(f, "… ({more} more characters)"),
    }
}

/// A sentence on one line.
pub fn one_line(sentence: &str) -> String {
    struct Line<'a>(&'a str);
    impl fmt::Display for Line<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.chars().try_for_each(|character| escape(character, f))
        }
    }
    Line(sentence.trim_end()).to_string()
}

fn escape(character: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use fmt::Write as _;
    // what changes the direction of text, or has no width, would hide what a value is
    let is_hidden = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    if character.is_control() || is_hidden {
        write!(f, "{}", character.escape_default())
    } else {
        f.write_char(character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_cut_and_what_does_not_print_is_escaped() {
        assert_eq!(Quoted("plain `ä`").to_string(), "plain `ä`");
        assert_eq!(Quoted("a\nb\x1b[2J\u{202e}").to_string(), "a\\nb\\u{1b}[2J\\u{202e}");
        let long = "x".repeat(1000);
        assert_eq!(Quoted(&long).to_string(), format!("{}… (920 more characters)", "x".repeat(80)));
    }

    #[test]
    fn a_sentence_is_one_line() {
        assert_eq!(one_line("a\nb\n"), "a\\nb");
    }
}
