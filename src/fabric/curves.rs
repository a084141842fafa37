//! Distributions of a scenario as charts: a line for each selector, with its confidence band where there are several seeds.

use respray_fabric::results::Group;
use respray_fabric::statistics::Point;
use respray_synth::plot::{Chart, Colour, Line, Point as Place, Shape};

/// Where the greatest value is so many times the least, an axis grows by factors.
const FAR: f64 = 50.0;

/// The distributions of the flows' times and, where any packet came out of order, of the packets' reordering depths.
pub fn charts(groups: &[Group<'_>]) -> Vec<Chart> {
    let times: Vec<Vec<Point>> = groups.iter().map(Group::times).collect();
    let depths: Vec<Vec<Point>> = groups.iter().map(Group::depths).collect();
    let mut charts = Vec::new();
    if times.iter().any(|points| !points.is_empty()) {
        charts.push(chart(groups, &times, "Flow completion time", "us", "share of flows"));
    }
    if depths.iter().any(|points| points.len() > 1) {
        charts.push(chart(
            groups,
            &depths,
            "Reordering depth at the receiver",
            "packets",
            "share of packets",
        ));
    }
    charts
}

fn chart(groups: &[Group<'_>], all: &[Vec<Point>], title: &str, across: &str, up: &str) -> Chart {
    let values = || all.iter().flatten().map(|point| point.value);
    let (least, greatest) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let line = |place: usize| {
        let name = groups[place].selector;
        let colour = Colour::of(name);
        // variants of one selector have its colour, and are told apart by their dashes
        let dash = groups[..place].iter().filter(|group| Colour::of(group.selector) == colour).count();
        Line::new(name, colour, places(&all[place], greatest)).shaped(Shape::Steps).dashed(dash)
    };
    Chart {
        title: title.into(),
        across: across.into(),
        up: up.into(),
        is_logarithmic: least > 0.0 && greatest > FAR * least,
        holds: [greatest, 1.0],
        lines: (0..groups.len()).map(line).collect(),
        ..Chart::default()
    }
}

/// The steps of a distribution: up from 0 at its first value, and level from its last one to the end of the axis.
fn places(points: &[Point], end: f64) -> Vec<Place> {
    let place = |x: f64, point: &Point| Place { x, y: Some(point.share), band: point.band };
    let begin = points.first().map(|first| Place { x: first.value, y: Some(0.0), band: None });
    let last = points.last().filter(|last| last.value < end).map(|last| place(end, last));
    begin.into_iter().chain(points.iter().map(|point| place(point.value, point))).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_goes_up_from_0_and_on_to_the_end_of_the_axis() {
        let point = |value, share| Point { value, share, band: Some([share - 0.1, share]) };
        let places = places(&[point(2.0, 0.5), point(3.0, 0.9)], 7.0);
        let course: Vec<(f64, f64)> = places.iter().map(|place| (place.x, place.y.unwrap())).collect();
        assert_eq!(course, [(2.0, 0.0), (2.0, 0.5), (3.0, 0.9), (7.0, 0.9)]);
        assert_eq!(places[3].band, Some([0.8, 0.9]));
        assert!(super::places(&[], 7.0).is_empty());
    }
}
