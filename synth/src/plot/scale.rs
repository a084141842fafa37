//! Axes: where they begin and end, and the few round numbers that stand at them.

/// Steps of an axis upwards, about.
const STEPS: f64 = 4.0;

/// Steps of an axis to the right, for which there is more room, about.
const STEPS_ACROSS: f64 = 6.0;

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    from: f64,
    to: f64,
    is_logarithmic: bool,
    /// Places with a number.
    pub(super) ticks: Vec<f64>,
}

impl Axis {
    /// Upwards: from 0 to a round number that holds `greatest`.
    pub(super) fn upwards(greatest: f64) -> Axis {
        let step = step(greatest, STEPS);
        let to = step * (greatest / step).ceil().max(1.0);
        Axis { from: 0.0, to, is_logarithmic: false, ticks: multiples(step, 0.0, to) }
    }

    /// To the right: it ends at `greatest`, and begins at 0 or, where all is far from that, at a round number.
    pub(super) fn across(least: f64, greatest: f64) -> Axis {
        let is_far = least > 0.5 * greatest;
        let step = step(if is_far { greatest - least } else { greatest }, STEPS_ACROSS);
        let from = if is_far { step * (least / step).floor() } else { least.min(0.0) };
        let to = if greatest > from { greatest } else { from + step };
        Axis { from, to, is_logarithmic: false, ticks: multiples(step, from, to) }
    }

    /// Of what grows by factors: whole powers of ten hold `least` and `greatest`, both above 0.
    pub(super) fn logarithmic(least: f64, greatest: f64) -> Axis {
        let (first, last) = (least.log10().floor(), greatest.log10().ceil());
        let last = if last > first { last } else { first + 1.0 };
        let every = ((last - first) / STEPS_ACROSS).ceil().max(1.0);
        let powers = (0..).map(|step| first + every * f64::from(step)).take_while(|power| *power <= last);
        let ticks = powers.map(|power| 10f64.powf(power)).collect();
        Axis { from: 10f64.powf(first), to: 10f64.powf(last), is_logarithmic: true, ticks }
    }

    /// Of `count` places by name: each at its number, with half a place of room at both ends.
    pub(super) fn named(count: usize) -> Axis {
        let to = count.max(1) as f64 - 0.5;
        Axis { from: -0.5, to, is_logarithmic: false, ticks: (0..count).map(|place| place as f64).collect() }
    }

    /// Where a value stands, 0 at the beginning and 1 at the end.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = match self.is_logarithmic {
            true => (value.max(self.from) / self.from).ln() / (self.to / self.from).ln(),
            false => (value - self.from) / (self.to - self.from),
        };
        share.clamp(0.0, 1.0)
    }
}

/// A round step, of which about so many reach so far.
fn step(far: f64, steps: f64) -> f64 {
    if far <= 0.0 {
        return 1.0;
    }
    let rough = far / steps;
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|m| m * power)
        .into_iter()
        .find(|step| *step >= rough * 0.9999)
        .unwrap_or(rough)
}

fn multiples(step: f64, from: f64, to: f64) -> Vec<f64> {
    let first = (from / step).ceil() as i64;
    (first..).map(|times| step * times as f64).take_while(|value| *value <= to + step * 1e-6).collect()
}

/// A number in a few characters.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 1e9 => format!("{}G", trim(value / 1e9)),
        v if v >= 1e6 => format!("{}M", trim(value / 1e6)),
        v if v >= 10_000.0 => format!("{}k", trim(value / 1000.0)),
        _ => trim(value),
    }
}

fn trim(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 1.0 || v == 0.0 => 1,
        v if v >= 0.01 => 2,
        _ => 4,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| short(*tick)).collect()
    }

    #[test]
    fn an_axis_upwards_ends_at_a_round_number_that_holds_every_value() {
        assert_eq!(names(&Axis::upwards(181.0)), ["0", "50", "100", "150", "200"]);
        assert_eq!(names(&Axis::upwards(1.0)), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(names(&Axis::upwards(0.0)), ["0", "1"]);
        for greatest in [0.3, 7.0, 99.0, 101.0, 12_345.0, 3e9] {
            let axis = Axis::upwards(greatest);
            assert!(axis.to >= greatest && axis.ticks.len() <= 6, "{greatest}: {axis:?}");
        }
    }

    #[test]
    fn an_axis_to_the_right_has_few_round_numbers_and_begins_near_what_is_far_from_0() {
        assert_eq!(names(&Axis::across(0.0, 1387.0)), ["0", "250", "500", "750", "1000", "1250"]);
        let far = Axis::across(744.0, 768.0);
        assert_eq!(
            (far.from, names(&far)),
            (740.0, ["740", "745", "750", "755", "760", "765"].map(String::from).to_vec())
        );
        assert_eq!(Axis::across(5.0, 5.0).share(5.0), 0.0);
        assert_eq!(names(&Axis::logarithmic(3.0, 2000.0)), ["1", "10", "100", "1000", "10k"]);
        assert!((Axis::logarithmic(1.0, 100.0).share(10.0) - 0.5).abs() < 1e-9);
        assert_eq!(Axis::named(3).share(1.0), 0.5);
    }
}
