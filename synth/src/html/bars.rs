//! One figure as a bar: against a budget, or against what the device holds.

use serde::Serialize;

/// One figure of one core on one device.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Bar {
    what: &'static str,
    value: f64,
    /// The value as the page shows it.
    shown: String,
    against: Against,
    /// The limit, or how many the device holds; none: a number to know, which nothing is held against.
    limit: Option<f64>,
    /// The limit in words.
    says: String,
    /// Length of the bar in % of its row; none where it would be too short to be seen.
    length: Option<f64>,
    /// Place of the limit's mark in % of the row.
    mark: Option<f64>,
    good: bool,
}

/// What a bar is drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Against {
    Budget,
    Device,
    Nothing,
}

/// A shorter bar, in % of its row, is not drawn.
const SHORTEST: f64 = 1.0;

/// What the row is longer than the larger of figure and limit.
const ROOM: f64 = 1.1;

impl Bar {
    /// A figure that may be so large at most.
    pub(super) fn at_most(what: &'static str, value: f64, most: f64) -> Bar {
        Bar::of_budget(what, value, most, format!("≤ {}", digits(most)), value <= most)
    }

    /// A figure that must be so large at least.
    pub(super) fn at_least(what: &'static str, value: f64, least: f64) -> Bar {
        Bar::of_budget(what, value, least, format!("≥ {}", digits(least)), value >= least)
    }

    fn of_budget(what: &'static str, value: f64, limit: f64, says: String, good: bool) -> Bar {
        let row = limit.max(value) * ROOM;
        let mark = Some(percent(limit, row));
        let against = Against::Budget;
        let (shown, length) = (digits(value), length(value, row));
        Bar { what, value, shown, against, limit: Some(limit), says, length, mark, good }
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
            length: length(value, all),
            mark: None,
            good: value <= all,
        }
    }

    /// A figure that is not held against anything, so that it has no bar.
    pub(super) fn number(what: &'static str, value: f64) -> Bar {
        let (against, says) = (Against::Nothing, String::new());
        Bar {
            what,
            value,
            shown: digits(value),
            against,
            limit: None,
            says,
            length: None,
            mark: None,
            good: true,
        }
    }
}

/// `value` in % of `whole`, to a tenth.
fn percent(value: f64, whole: f64) -> f64 {
    if whole > 0.0 { (1000.0 * value / whole).round() / 10.0 } else { 0.0 }
}

fn length(value: f64, row: f64) -> Option<f64> {
    Some(percent(value, row).min(100.0)).filter(|percent| *percent >= SHORTEST)
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
    fn a_bar_ends_at_its_mark_where_the_budget_is_used_up_and_turns_bad_behind_it() {
        let full = Bar::at_most("LUT", 100.0, 100.0);
        assert!(full.good && full.length == full.mark && full.mark == Some(90.9), "{full:?}");
        assert!(!Bar::at_most("LUT", 101.0, 100.0).good && !Bar::at_least("MHz", 99.0, 100.0).good);
        assert!(Bar::at_least("MHz", 101.0, 100.0).good);
    }

    #[test]
    fn a_bar_that_nobody_would_see_is_not_drawn() {
        assert_eq!(Bar::of_device("COMB", 171.0, 83_640).length, None);
        assert_eq!(Bar::of_device("COMB", 171.0, 83_640).says, "0.20% of 83640");
        assert_eq!(Bar::at_most("BRAM", 0.0, 2.0).length, None);
        assert_eq!(Bar::of_device("RAM", 8.0, 32).length, Some(25.0));
        assert_eq!(Bar::number("MHz", 80.0).length, None);
    }
}
