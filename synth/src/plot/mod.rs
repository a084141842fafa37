//! Charts of pages: lines with bands, steps, dots and columns over a common axis, with their names beside them.
//!
//! [`Chart::html`] draws one for a page. It takes the width that there is, and its letters keep their size.
//! [`Chart::svg`] draws one as a file of its own. [`STYLE`] holds the colours and is carried once by each page, light
//! and dark.

mod colour;
mod drawing;
mod page;
mod scale;

use std::sync::LazyLock;

pub use colour::{Colour, SERIES_COLOURS};
use scale::{Axis, short};

/// The style sheet of charts.
pub static STYLE: LazyLock<String> =
    LazyLock::new(|| format!("{}{}", include_str!("chart.css"), *colour::RULES));

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    /// What stands to the right, with its unit.
    pub across: String,
    /// What stands upwards, with its unit; empty where the title says it.
    pub up: String,
    /// Names of the places 0, 1, 2 and so on to the right; without any, places have numbers.
    pub names: Vec<String>,
    /// Whether the axis to the right grows by factors; every place is above 0 then.
    pub is_logarithmic: bool,
    /// What the axes must hold at least, to the right and upwards, so that charts can share a scale.
    pub holds: [f64; 2],
    /// Where the axis upwards ends at the latest: what is above leaves the chart.
    pub ends: Option<f64>,
    pub lines: Vec<Line>,
    pub marks: Vec<Mark>,
}

/// One line of a chart, or dots or columns.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    /// Behind the name in the legend, e.g. a value; may be empty.
    pub note: String,
    pub colour: Colour,
    /// 0: a whole line; others: one of [`DASHES`] patterns, so that lines of one colour can be told apart.
    pub dash: usize,
    /// Thin and pale, as one of many that look alike.
    pub is_pale: bool,
    pub shape: Shape,
    /// In the order of their places.
    pub points: Vec<Point>,
}

/// Patterns of lines that are not whole.
pub const DASHES: usize = 3;

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Straight,
    /// From each point to the right, then up or down to the next.
    Steps,
    Dots,
    /// Short upright strokes, which are told from dots without colours.
    Strokes,
    /// A column from each place to the next.
    Columns,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    /// None: the line has a gap.
    pub y: Option<f64>,
    /// The least and the greatest of what `y` stands for, e.g. a confidence interval.
    pub band: Option<[f64; 2]>,
}

/// A straight line through the whole chart, with a name.
#[derive(Clone, Debug)]
pub struct Mark {
    pub name: String,
    pub at: At,
    pub colour: Colour,
}

/// Where a mark stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// Upright, at a place of the axis to the right.
    Across(f64),
    /// Level, at a value.
    Up(f64),
}

impl Line {
    /// A line of no shape but straight from point to point.
    pub fn new(name: impl Into<String>, colour: Colour, points: Vec<Point>) -> Line {
        let (name, note, shape) = (name.into(), String::new(), Shape::Straight);
        Line { name, note, colour, dash: 0, is_pale: false, shape, points }
    }

    /// A line through places with values.
    pub fn through(
        name: impl Into<String>,
        colour: Colour,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Line {
        Line::with_gaps(name, colour, points.into_iter().map(|(x, y)| (x, Some(y))))
    }

    /// The same with gaps.
    pub fn with_gaps(
        name: impl Into<String>,
        colour: Colour,
        points: impl IntoIterator<Item = (f64, Option<f64>)>,
    ) -> Line {
        Line::new(name, colour, points.into_iter().map(|(x, y)| Point { x, y, band: None }).collect())
    }

    /// A line with a band around it: place, value, and the least and the greatest there.
    pub fn with_band(
        name: impl Into<String>,
        colour: Colour,
        points: impl IntoIterator<Item = (f64, f64, f64, f64)>,
    ) -> Line {
        let point = |(x, y, least, greatest)| Point { x, y: Some(y), band: Some([least, greatest]) };
        Line::new(name, colour, points.into_iter().map(point).collect())
    }

    /// The cumulative distribution of some values, in any order: at each of them, the share that is not greater, 0 to
    /// 1. A CDF with a band is [`Line::with_band`] with [`Shape::Steps`].
    pub fn cdf(name: impl Into<String>, colour: Colour, values: &[f64]) -> Line {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let all = sorted.len().max(1) as f64;
        let begin = sorted.first().map(|first| (*first, 0.0));
        let shares = sorted.iter().enumerate().map(|(at, value)| (*value, (at + 1) as f64 / all));
        // of equal values the last one has the share
        let mut points: Vec<(f64, f64)> = begin.into_iter().chain(shares).collect();
        for at in (2..points.len()).rev() {
            if points[at].0 == points[at - 1].0 {
                points.remove(at - 1);
            }
        }
        Line::through(name, colour, points).shaped(Shape::Steps)
    }

    /// With another shape.
    pub fn shaped(self, shape: Shape) -> Line {
        Line { shape, ..self }
    }

    /// With a note in the legend.
    pub fn noted(self, note: impl Into<String>) -> Line {
        Line { note: note.into(), ..self }
    }

    /// With a pattern, see [`Line::dash`].
    pub fn dashed(self, dash: usize) -> Line {
        Line { dash, ..self }
    }

    /// As one of many that look alike.
    pub fn pale(self) -> Line {
        Line { is_pale: true, ..self }
    }
}

/// A chart that reaches so many times as far to the right as the shortest one keeps an axis of its own, as it would make
/// the others too small to be read.
const FAR: f64 = 2.5;

/// Makes charts of the same quantities share their scales: the one upwards all of them, the one to the right those that
/// reach about as far.
pub fn share_scales(charts: &mut [Chart]) {
    let reach: Vec<[f64; 2]> = charts.iter().map(Chart::greatest).collect();
    let shortest = reach.iter().map(|[far, _]| *far).fold(f64::INFINITY, f64::min);
    let is_near = |far: f64| far <= FAR * shortest;
    let farthest = reach.iter().map(|[far, _]| *far).filter(|far| is_near(*far)).fold(0.0, f64::max);
    let highest = reach.iter().map(|[_, high]| *high).fold(0.0, f64::max);
    for (chart, [far, _]) in charts.iter_mut().zip(reach) {
        chart.holds = [if is_near(far) { farthest } else { far }, highest];
    }
}

impl Chart {
    /// The farthest place and the greatest value that the axes have to hold.
    fn greatest(&self) -> [f64; 2] {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let highest = |point: &Point| {
            point.band.map_or(point.y, |[_, greatest]| Some(greatest.max(point.y.unwrap_or(greatest))))
        };
        let fold = |values: &mut dyn Iterator<Item = f64>, least: f64| values.fold(least, f64::max);
        let marks = |of: fn(At) -> Option<f64>| self.marks.iter().filter_map(move |mark| of(mark.at));
        let x = |at| if let At::Across(x) = at { Some(x) } else { None };
        let y = |at| if let At::Up(y) = at { Some(y) } else { None };
        [
            fold(&mut points().map(|point| point.x).chain(marks(x)), self.holds[0]),
            fold(&mut points().filter_map(highest).chain(marks(y)), self.holds[1]),
        ]
    }

    /// The axis to the right and the one upwards.
    fn axes(&self) -> (Axis, Axis) {
        let [farthest, highest] = self.greatest();
        let places = self.lines.iter().flat_map(|line| line.points.iter().map(|point| point.x));
        let nearest = places.fold(farthest, f64::min);
        let across = match self.is_logarithmic {
            _ if !self.names.is_empty() => Axis::named(self.names.len()),
            true => Axis::logarithmic(nearest.max(f64::MIN_POSITIVE), farthest.max(f64::MIN_POSITIVE)),
            false => Axis::across(nearest, farthest),
        };
        (across, Axis::upwards(self.ends.map_or(highest, |end| end.min(highest))))
    }

    /// What stands at a place to the right.
    fn place(&self, x: f64) -> String {
        match self.names.get(x as usize) {
            Some(name) => name.clone(),
            None => short(x),
        }
    }

    /// Every value of a line with few points, and of one with many its course, for a reader who does not see it.
    fn in_words(&self) -> String {
        let line = |line: &Line| {
            let points: Vec<(f64, f64)> =
                line.points.iter().filter_map(|point| Some((point.x, point.y?))).collect();
            let said = |(x, y): &(f64, f64)| format!("{} at {}", short(*y), self.place(*x));
            let says = match (points.first(), points.last()) {
                (Some(first), Some(last)) if points.len() > FEW => {
                    let greatest = points.iter().map(|(_, y)| *y).fold(f64::MIN, f64::max);
                    format!(
                        "{} points from {} to {}, at most {}",
                        points.len(),
                        said(first),
                        said(last),
                        short(greatest)
                    )
                }
                _ => points.iter().map(said).collect::<Vec<_>>().join(", "),
            };
            format!("{}: {says}.", line.name)
        };
        let mark = |mark: &Mark| {
            format!(
                "{} at {}.",
                mark.name,
                match mark.at {
                    At::Across(x) => self.place(x),
                    At::Up(y) => short(y),
                }
            )
        };
        let all: Vec<String> = self.lines.iter().map(line).chain(self.marks.iter().map(mark)).collect();
        format!("Over {}. {}", self.across, all.join(" "))
    }
}

/// A line with more points has no dots, and is told in short.
const FEW: usize = 12;

/// Text as XML holds it in content and in attributes.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cdf_goes_up_by_its_share_at_each_value_and_equal_values_are_one_step() {
        let line = Line::cdf("ops", Colour::of("ops"), &[3.0, 1.0, 2.0, 2.0]);
        let points: Vec<(f64, f64)> = line.points.iter().map(|point| (point.x, point.y.unwrap())).collect();
        assert_eq!(points, [(1.0, 0.0), (1.0, 0.25), (2.0, 0.75), (3.0, 1.0)]);
        assert_eq!(line.shape, Shape::Steps);
        assert!(Line::cdf("ops", Colour::Plain, &[]).points.is_empty());
        assert_eq!(Line::cdf("ops", Colour::Plain, &[5.0; 3]).points.len(), 2);
    }

    #[test]
    fn charts_that_share_their_scales_have_the_axes_of_the_greatest() {
        let chart = |x: f64, y: f64| Chart {
            lines: vec![Line::with_band("a", Colour::Plain, [(x, y, 0.0, 2.0 * y)])],
            ..Chart::default()
        };
        let mut charts = [chart(5.0, 7.0), chart(9.0, 2.0), chart(90.0, 3.0)];
        assert_ne!(charts[0].axes().1, charts[1].axes().1);
        share_scales(&mut charts);
        assert_eq!(charts[0].greatest(), [9.0, 14.0]);
        assert_eq!(charts[0].axes().1, charts[1].axes().1);
        assert_eq!(
            charts[2].greatest(),
            [90.0, 14.0],
            "what reaches much farther has its own axis to the right"
        );
    }

    #[test]
    fn a_line_with_many_points_is_told_in_short() {
        let of = |count: u32| {
            let line = Line::through("up0", Colour::Plain, (0..count).map(|at| (f64::from(at), 400.0)));
            Chart { across: "us".into(), lines: vec![line], ..Chart::default() }.in_words()
        };
        assert_eq!(of(2), "Over us. up0: 400 at 0, 400 at 1.");
        assert_eq!(of(100), "Over us. up0: 100 points from 400 at 0 to 400 at 99, at most 400.");
    }
}
