//! Bytes as text, two digits each.

/// The bytes of a text; `None` if it is not one byte or more as pairs of hexadecimal digits.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    let is_whole = !text.is_empty() && text.len().is_multiple_of(2) && text.is_ascii();
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).ok();
    is_whole.then(|| (0..text.len()).step_by(2).map(byte).collect())?
}

/// The text of bytes.
pub fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
