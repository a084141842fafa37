//! Means over seeds with their confidence intervals, and distributions with a confidence band.

use serde::Serialize;

/// The confidence of every interval and of every band.
pub const CONFIDENCE: f64 = 0.95;

/// How intervals are made, for sentences.
pub const INTERVAL: &str = "95% confidence interval of the mean over seeds by Student's t";

/// The mean of some values, one a seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// How many values there are.
    pub count: usize,
    pub mean: f64,
    pub least: f64,
    pub greatest: f64,
    /// Half the width of the 95% confidence interval of the mean, by Student's t; one value has none.
    pub half: Option<f64>,
}

impl Spread {
    /// None of no value.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Spread> {
        let values: Vec<f64> = values.collect();
        let fold = |start: f64, by: fn(f64, f64) -> f64| values.iter().copied().fold(start, by);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then(|| Spread {
            count: values.len(),
            mean,
            least: fold(f64::INFINITY, f64::min),
            greatest: fold(f64::NEG_INFINITY, f64::max),
            half: half_width(&values, mean),
        })
    }

    /// The ends of the confidence interval; one value has none.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.half.map(|half| [self.mean - half, self.mean + half])
    }

    /// The mean with its confidence interval, as `350.6 ± 1.2`.
    pub fn with_interval(&self) -> String {
        let mean = self.text(self.mean);
        self.half.map_or(mean.clone(), |half| format!("{mean} ± {}", self.text(half)))
    }

    fn text(&self, value: f64) -> String {
        let digits = match self.greatest.abs() {
            greatest if greatest >= 10_000.0 => 0,
            greatest if greatest >= 100.0 => 1,
            greatest if greatest >= 10.0 => 2,
            _ => 3,
        };
        format!("{value:.digits$}")
    }
}

/// The mean with the least and the greatest value.
impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [mean, least, greatest] = [self.mean, self.least, self.greatest].map(|value| self.text(value));
        write!(f, "{mean} ({least}..{greatest})")
    }
}

/// Half the width of the confidence interval of a mean.
fn half_width(values: &[f64], mean: f64) -> Option<f64> {
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / freedom as f64).sqrt();
    Some(students_t(freedom) * deviation / (values.len() as f64).sqrt())
}

/// The value that Student's t with so many degrees of freedom, 1 or more, does not exceed in magnitude with probability
/// [`CONFIDENCE`].
pub fn students_t(freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    // as often as halving changes anything
    while low < (low + high) / 2.0 && (low + high) / 2.0 < high {
        let middle = (low + high) / 2.0;
        if within(middle, freedom) < CONFIDENCE { low = middle } else { high = middle }
    }
    high
}

/// The probability that Student's t is at most `t` in magnitude: Abramowitz and Stegun, Handbook of Mathematical
/// Functions, 26.7.3 and 26.7.4, which are exact for whole degrees of freedom.
fn within(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    // factors of the series, each on top of the one before
    let first = if freedom % 2 == 1 { cosine } else { 1.0 };
    let powers = (freedom % 2 + 2..freedom).step_by(2);
    let terms = powers.scan(first, |term, power| {
        *term *= cosine.powi(2) * (power - 1) as f64 / power as f64;
        Some(*term)
    });
    match freedom {
        1 => 2.0 * angle / std::f64::consts::PI,
        _ if freedom % 2 == 1 => 2.0 * (angle + sine * (first + terms.sum::<f64>())) / std::f64::consts::PI,
        _ => sine * (first + terms.sum::<f64>()),
    }
}

/// What one run says of a quantity: its values with how often each came, of so many in all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Values in rising order, each with how many are up to it.
    values: Vec<(f64, u64)>,
    /// All of them, with those that never came to a value, as a flow that was not complete.
    all: u64,
}

impl Sample {
    /// Of values with their counts, and of how many more never came to one.
    pub fn new(values: impl Iterator<Item = (f64, u64)>, never: u64) -> Sample {
        let mut values: Vec<(f64, u64)> = values.filter(|(_, count)| *count > 0).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut up_to = 0;
        for (_, count) in &mut values {
            up_to += *count;
            *count = up_to;
        }
        Sample { values, all: up_to + never }
    }

    /// The share of its values that are at most this.
    fn share(&self, value: f64) -> f64 {
        let behind = self.values.partition_point(|(of, _)| *of <= value);
        let up_to = behind.checked_sub(1).map_or(0, |last| self.values[last].1);
        up_to as f64 / self.all.max(1) as f64
    }
}

/// A point of a cumulative distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    pub value: f64,
    /// The share of what is at most this: the mean over seeds.
    pub share: f64,
    /// Its confidence interval, within 0 to 1; one seed has none.
    pub band: Option<[f64; 2]>,
}

/// Most points of a distribution.
const POINTS: usize = 200;

/// The cumulative distribution of a quantity over seeds, a sample each: at each of its values the mean of the shares of
/// the seeds, with the confidence interval of this mean. So the band is one of each point by itself, and flows of one
/// seed need not be independent.
pub fn distribution(samples: &[Sample]) -> Vec<Point> {
    let mut values: Vec<f64> =
        samples.iter().flat_map(|sample| sample.values.iter().map(|(value, _)| *value)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let points = values.len().min(POINTS);
    // the first and the last are always among them
    let places = (0..points).map(|point| point * (values.len() - 1) / (points - 1).max(1));
    let point = |value: f64| {
        let spread = Spread::of(samples.iter().map(|sample| sample.share(value)))?;
        let band = spread.interval().map(|ends| ends.map(|end| end.clamp(0.0, 1.0)));
        Some(Point { value, share: spread.mean, band })
    };
    places.filter_map(|place| point(values[place])).collect()
}
