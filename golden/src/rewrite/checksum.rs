//! The Internet checksum: RFC 1071, and its incremental update, RFC 1624.

/// One's complement sum of big-endian 16-bit words; an odd byte at the end counts as the upper half of one (RFC 1071).
pub fn sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
    words.fold(0, add)
}

/// One's complement addition: the carry comes in again at the bottom.
pub const fn add(a: u16, b: u16) -> u16 {
    let (sum, carry) = a.overflowing_add(b);
    sum + carry as u16
}

/// The checksum `old` after words changed, each given as it was and as it is: `HC' = ~(~HC + ~m + m')`, RFC 1624 eqn 3.
pub fn update(old: u16, changes: &[(u16, u16)]) -> u16 {
    !changes.iter().fold(!old, |sum, (was, is)| add(add(sum, !was), *is))
}
