//! Comments as the AST holds them.

use crate::emit::names::is_identifier;

/// What the comment at the head of a block says of its module.
#[derive(Default)]
pub struct About {
    pub name: Option<String>,
    pub lines: Vec<String>,
}

/// `module name: text` names a module and describes it; any other text only describes it.
pub fn about(text: &str) -> About {
    let named = text.strip_prefix("module ").and_then(|rest| rest.split_once(':'));
    match named.filter(|(name, _)| is_identifier(name.trim())) {
        Some((name, lines)) => {
            About { name: Some(name.trim().to_string()), lines: vec![lines.trim().to_string()] }
        }
        None => About { name: None, lines: vec![text.to_string()] },
    }
}

/// The text of a `comment!`; `None` for a check that only runs in Rust, which the AST holds as a comment too.
///
/// The AST has the macro's call as it is written, without each `")`. So a comment in which that occurs is not whole any more; it
/// shows by an escape that no string has, and is refused.
pub fn comment_text(call: &str) -> Result<Option<String>, String> {
    let literal = match call.split_once('"') {
        Some((before, literal)) if before.starts_with("comment") => literal,
        _ => return Ok(None),
    };
    let mut text = String::new();
    let mut chars = literal.chars();
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('\\', Some('"' | '\\')) => text.extend(chars.next()),
            ('\\', _) => {
                let what = "a comment with a parenthesis behind a quotation mark, or with another escape than that mark,";
                return Err(what.to_string());
            }
            (c, _) => text.push(c),
        }
    }
    Ok(Some(text))
}
