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

/// The text of a comment, which the AST may still hold with the macro around it.
pub fn comment_text(text: &str) -> String {
    let inner = text
        .split_once('(')
        .filter(|(name, _)| name.trim_end().ends_with('!'))
        .map_or(text, |(_, rest)| rest);
    inner
        .trim()
        .trim_start_matches('"')
        .trim_end_matches([')', ';', '"'])
        .replace("\\\"", "\"")
        .trim()
        .to_string()
}
