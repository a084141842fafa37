//! Times of a run: whole picoseconds from its start.

/// Picoseconds.
pub type Picoseconds = u64;

pub const NANOSECOND: Picoseconds = 1_000;
pub const MICROSECOND: Picoseconds = 1_000_000;
pub const MILLISECOND: Picoseconds = 1_000_000_000;
pub const SECOND: Picoseconds = 1_000_000_000_000;

/// What a time may look like in the input, for sentences.
pub const FORM: &str = "a number with ns, us, ms or s, such as 100us, from 0 to 3600s";

const UNITS: [(&str, Picoseconds); 4] =
    [("ns", NANOSECOND), ("us", MICROSECOND), ("ms", MILLISECOND), ("s", SECOND)];

/// The longest time that is read: an hour.
pub const LONGEST: Picoseconds = 3600 * SECOND;

/// Reads a time such as `100us`, up to an hour.
pub fn parse(text: &str) -> Option<Picoseconds> {
    let (digits, unit) = UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))?;
    let number: f64 = digits.parse().ok()?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let picoseconds = number * unit as f64;
    (is_plain && picoseconds <= LONGEST as f64).then_some(picoseconds.round() as u64)
}

/// As microseconds.
pub fn microseconds(time: Picoseconds) -> f64 {
    time as f64 / MICROSECOND as f64
}

/// How long so many bytes are on a wire of this rate, to the nearest picosecond.
pub fn serialization(bytes: u64, gbps: f64) -> Picoseconds {
    (bytes as f64 * 8000.0 / gbps).round() as u64
}
