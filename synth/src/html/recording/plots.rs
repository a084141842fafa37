//! What a recording's sender heard, drawn: an EV for each ACK, and the share of them that is marked.

use super::{PARTS, Recording, share};
use crate::plot::{Chart, Colour, Line, Shape};

/// Unmarked ACKs drawn at most; each marked one is drawn.
const DOTS: usize = 2500;

/// Where timeouts stand, above every EV.
const ABOVE_EVS: f64 = 73_000.0;

impl Recording {
    /// A dot for each ACK: EV upwards, time to the right; timeouts as strokes at the top.
    pub(super) fn evs_over_time(&self) -> Chart {
        let every = self.acks.len().div_ceil(DOTS).max(1);
        let of = |is_marked: bool, every: usize| -> Vec<(f64, f64)> {
            let acks = self.acks.iter().enumerate();
            let kept = acks.filter(|(at, (_, _, ce))| *ce == is_marked && at % every == 0);
            kept.map(|(_, (time_ns, ev, _))| (seconds(*time_ns), f64::from(*ev))).collect()
        };
        let timeouts = self.timeouts.iter().map(|time_ns| (seconds(*time_ns), ABOVE_EVS));
        let lines = [
            Line::through("ACK", Colour::Series(0), of(false, every)).shaped(Shape::Dots),
            Line::through("ACK with CE", Colour::Series(1), of(true, 1)).shaped(Shape::Strokes),
            Line::through("timeout", Colour::Bad, timeouts).shaped(Shape::Strokes),
        ];
        Chart {
            title: "The EVs that came back".into(),
            across: "seconds".into(),
            up: "EV of each ACK".into(),
            holds: [seconds(self.end_ns()), f64::from(u16::MAX)],
            lines: lines.into_iter().filter(|line| !line.points.is_empty()).collect(),
            ..Chart::default()
        }
    }

    /// Share of marked ACKs in each part of the time, as columns.
    pub(super) fn marks_over_time(&self) -> Chart {
        let end_s = seconds(self.end_ns());
        let shares = self.marks().map(|(all, marked)| 100.0 * share(marked, all));
        let points =
            shares.iter().enumerate().map(|(part, percent)| (end_s * part as f64 / PARTS as f64, *percent));
        Chart {
            title: "ACKs with CE".into(),
            across: "seconds".into(),
            up: "share of the ACKs, in %".into(),
            holds: [end_s, 1.0],
            lines: vec![Line::through("", Colour::Series(1), points).shaped(Shape::Columns)],
            ..Chart::default()
        }
    }
}

fn seconds(time_ns: u64) -> f64 {
    time_ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marked_ack_is_drawn_and_of_the_others_as_many_as_can_be_seen() {
        let acks: Vec<(u64, u16, bool)> =
            (0..20_000u64).map(|i| (i * 100_000, i as u16, i % 10 == 0)).collect();
        let recording = Recording { acks, timeouts: vec![1_000_000_000], ..Recording::default() };
        let chart = recording.evs_over_time();
        let drawn: Vec<usize> = chart.lines.iter().map(|line| line.points.len()).collect();
        assert_eq!(drawn[1..], [2000, 1]);
        assert!((2000..=DOTS).contains(&drawn[0]), "{drawn:?}");
        let marks = recording.marks_over_time().html();
        assert_eq!(marks.matches(": 10</title>").count(), PARTS, "a tenth of each part: {marks}");
    }
}
