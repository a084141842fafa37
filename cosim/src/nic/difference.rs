//! How the hardware and the golden block differ.

use std::fmt;

use serde::Serialize;

/// The first difference of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Clock cycle since power-up.
    pub cycle: u64,
    /// What differs.
    pub what: String,
    /// What the golden block has there.
    pub expected: String,
    /// What the hardware has.
    pub seen: String,
}

/// What stands between a tick of a recording and what differs from it there.
pub(super) const OF_RECORDING: &str = " of the recording, ";

impl Difference {
    /// What differs, whenever it does.
    pub fn port(&self) -> &str {
        self.what.split_once(OF_RECORDING).map_or(&self.what, |(_, what)| what)
    }
}

impl std::error::Error for Difference {}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { cycle, what, expected, seen } = self;
        write!(f, "cycle {cycle}: {what}: {seen}, but expected: {expected}")
    }
}

/// Two frames that should be equal, in words: where they begin to differ.
pub(super) fn frames(expected: &[u8], seen: &[u8]) -> (String, String) {
    let at = expected.iter().zip(seen).position(|(expected, seen)| expected != seen);
    let at = at.unwrap_or(expected.len().min(seen.len()));
    let around = |frame: &[u8]| {
        let bytes: Vec<String> = frame.iter().skip(at).take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("{} bytes, from byte {at} on {}", frame.len(), bytes.join(" "))
    };
    (around(expected), around(seen))
}
