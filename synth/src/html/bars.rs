//! One figure of one core on one device: against a budget, or against what the device holds.

use serde::Serialize;

/// One figure of one core on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Bar {
    pub(super) what: &'static str,
    pub(super) value: f64,
    /// The value as the page shows it.
    pub(super) shown: String,
    pub(super) against: Against,
    /// The limit, or how many the device holds; none: a number to know, which nothing is held against.
    pub(super) limit: Option<f64>,
    /// The limit in words.
    pub(super) says: String,
    pub(super) good: bool,
}

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Against {
    Budget,
    Device,
    Nothing,
}

impl Bar {
    /// A figure that may be so large at most, where there is a limit.
    pub(super) fn at_most(what: &'static str, value: f64, most: Option<f64>) -> Bar {
        Bar::of_budget(what, value, most, "≤", |most| value <= most)
    }

    /// A figure that must be so large at least, where there is a limit.
    pub(super) fn at_least(what: &'static str, value: f64, least: Option<f64>) -> Bar {
        Bar::of_budget(what, value, least, "≥", |least| value >= least)
    }

    fn of_budget(
        what: &'static str,
        value: f64,
        limit: Option<f64>,
        sign: &str,
        holds: impl Fn(f64) -> bool,
    ) -> Bar {
        Bar {
            what,
            value,
            shown: digits(value),
            against: if limit.is_some() { Against::Budget } else { Against::Nothing },
            limit,
            says: limit.map(|limit| format!("{sign} {}", digits(limit))).unwrap_or_default(),
            good: limit.is_none_or(holds),
        }
    }

    /// A figure of which the device holds `all`.
    pub(super) fn of_device(what: &'static str, value: f64, all: u32) -> Bar {
        let all = f64::from(all);
        Bar {
            what,
            value,
            shown: digits(value),
            against: Against::Device,
            limit: Some(all),
            says: format!("{:.2}% of {}", 100.0 * value / all, digits(all)),
            good: value <= all,
        }
    }
}

/// A number without digits that say nothing.
fn digits(value: f64) -> String {
    match value {
        whole if whole.fract() == 0.0 => format!("{value:.0}"),
        tenths if (10.0 * tenths).round() / 10.0 == tenths => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_bad_behind_its_limit_and_without_one_it_is_only_a_number() {
        assert!(Bar::at_most("LUT", 100.0, Some(100.0)).good);
        assert!(
            !Bar::at_most("LUT", 101.0, Some(100.0)).good && !Bar::at_least("MHz", 99.0, Some(100.0)).good
        );
        assert_eq!(Bar::at_least("MHz", 101.0, Some(100.5)).says, "≥ 100.5");
        let number = Bar::at_most("FF", 7.0, None);
        assert!(number.good && number.says.is_empty() && number.against == Against::Nothing);
        assert_eq!(Bar::of_device("COMB", 171.0, 83_640).says, "0.20% of 83640");
    }
}
