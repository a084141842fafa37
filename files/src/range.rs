//! Numbers that an option, a key or a field takes: their range is said once, for the help and for the sentence that refuses another.

use std::fmt;

/// Whole numbers from the least to the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    pub least: u64,
    pub most: u64,
}

/// Real numbers from the least to the greatest; an end that is open is none of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Real {
    pub least: f64,
    pub most: f64,
    /// The least is none of them.
    pub is_above: bool,
    /// The greatest is none of them.
    pub is_below: bool,
}

impl Whole {
    pub const fn new(least: u64, most: u64) -> Whole {
        Whole { least, most }
    }

    pub const fn contains(self, value: u64) -> bool {
        self.least <= value && value <= self.most
    }

    /// The number that a text is, if it is one of these.
    pub fn read(self, text: &str) -> Option<u64> {
        text.parse().ok().filter(|value| self.contains(*value))
    }
}

impl Real {
    /// Both ends are among them.
    pub const fn new(least: f64, most: f64) -> Real {
        Real { least, most, is_above: false, is_below: false }
    }

    /// The least is not among them.
    pub const fn above(least: f64, most: f64) -> Real {
        Real { is_above: true, ..Real::new(least, most) }
    }

    /// The greatest is not among them.
    pub const fn below(least: f64, most: f64) -> Real {
        Real { is_below: true, ..Real::new(least, most) }
    }

    /// Whether it is one of them; what is no number is not.
    pub fn contains(self, value: f64) -> bool {
        let from = if self.is_above { value > self.least } else { value >= self.least };
        let to = if self.is_below { value < self.most } else { value <= self.most };
        from && to
    }

    /// The number that a text is, if it is one of these.
    pub fn read(self, text: &str) -> Option<f64> {
        text.parse().ok().filter(|value| self.contains(*value))
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.least, self.most)
    }
}

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (above, below) =
            (if self.is_above { "above " } else { "" }, if self.is_below { "below " } else { "" });
        write!(f, "{above}{} to {below}{}", self.least, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_taken_and_what_lies_beyond_or_is_no_number_is_not() {
        let whole = Whole::new(1, 1000);
        let read = ["0", "1", "1000", "1001", "-1", "1e3", "1.0", "", "x"].map(|text| whole.read(text));
        assert_eq!(read, [None, Some(1), Some(1000), None, None, None, None, None, None]);
        assert_eq!(whole.to_string(), "1 to 1000");
        assert_eq!(Whole::new(0, u64::MAX).read("18446744073709551616"), None);
        let all = Real::new(0.0, 1.0);
        let above = Real::above(0.0, 1.0);
        let below = Real::below(0.0, 1.0);
        for (text, taken) in [
            ("0", [true, false, true]),
            ("1", [true, true, false]),
            ("0.5", [true, true, true]),
            ("1e-320", [true, true, true]),
            ("nan", [false; 3]),
            ("inf", [false; 3]),
            ("-0.1", [false; 3]),
            ("half", [false; 3]),
        ] {
            assert_eq!([all, above, below].map(|range| range.read(text).is_some()), taken, "{text}");
        }
        let said = [all, above, below].map(|range| range.to_string());
        assert_eq!(said, ["0 to 1", "above 0 to 1", "0 to below 1"]);
    }
}
