//! Which share of the packets each path was sent, over time.

use serde::Serialize;

use super::Recording;
use crate::plot::{Chart, Colour, Line, SERIES_COLOURS};

/// Parts of the time.
const PARTS: usize = 20;

/// The shares of the paths.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct PathShares {
    /// Where each part of the time begins, in seconds.
    from_s: Vec<f64>,
    /// Of each path, its share of the packets sent in each part, in %; none where nothing was sent.
    percent: Vec<Vec<Option<f64>>>,
}

impl PathShares {
    /// None where the recording does not list the EVs of its paths, or has more of them than a chart has lines.
    pub(super) fn of(recording: &Recording) -> Option<PathShares> {
        if recording.paths.is_empty() || recording.paths.len() > SERIES_COLOURS {
            return None;
        }
        let mut sent = vec![[0u32; PARTS]; recording.paths.len()];
        let part = recording.part(PARTS);
        for &(time, ev) in &recording.sends {
            if let Some(path) = recording.paths.iter().position(|evs| evs.binary_search(&ev).is_ok()) {
                sent[path][part(time)] += 1;
            }
        }
        let all: Vec<u32> = (0..PARTS).map(|part| sent.iter().map(|of_path| of_path[part]).sum()).collect();
        let percent = |of_path: &[u32; PARTS]| {
            let share = |(sent, all): (&u32, &u32)| {
                (*all > 0).then(|| (1000.0 * f64::from(*sent) / f64::from(*all)).round() / 10.0)
            };
            of_path.iter().zip(&all).map(share).collect()
        };
        let end_s = recording.end_ns() as f64 / 1e9;
        Some(PathShares {
            from_s: (0..PARTS).map(|part| end_s * part as f64 / PARTS as f64).collect(),
            percent: sent.iter().map(percent).collect(),
        })
    }

    /// A line for each path.
    pub(super) fn chart(&self) -> Chart {
        let line = |(path, values): (usize, &Vec<Option<f64>>)| {
            let points = self.from_s.iter().copied().zip(values.iter().copied());
            Line::with_gaps(format!("path {path}"), Colour::Series(path), points)
        };
        Chart {
            title: "Where the packets went".into(),
            across: "seconds".into(),
            up: "share of the packets sent, in %".into(),
            lines: self.percent.iter().enumerate().map(line).collect(),
            ..Chart::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_counts_for_the_path_of_its_ev_in_its_time() {
        // first half: all on path 0; second half: three of four on path 1
        let sends = (0..8000u64).map(|i| {
            let is_late = i >= 4000;
            (i * 1_000_000, if is_late && i % 4 != 0 { 9 } else { 5 })
        });
        let recording =
            Recording { sends: sends.collect(), paths: vec![vec![5, 7], vec![9]], ..Recording::default() };
        let shares = PathShares::of(&recording).unwrap();
        assert_eq!((shares.percent[0][0], shares.percent[1][0]), (Some(100.0), Some(0.0)));
        assert_eq!((shares.percent[0][15], shares.percent[1][15]), (Some(25.0), Some(75.0)));
        for part in 0..PARTS {
            let all: f64 = shares.percent.iter().filter_map(|path| path[part]).sum();
            assert_eq!(all, 100.0);
        }
        let html = shares.chart().html();
        for path in ["path 0", "path 1"] {
            assert!(
                html.contains(&format!("<span>{path}</span>")),
                "{path} has a name beside its line: {html}"
            );
        }
    }

    #[test]
    fn a_time_in_which_nothing_was_sent_has_no_share_and_more_paths_than_lines_have_no_chart() {
        let sends = vec![(0, 5), (1_000_000_000, 5)];
        let recording = Recording { sends, paths: vec![vec![5]], ..Recording::default() };
        let shares = PathShares::of(&recording).unwrap();
        assert_eq!((shares.percent[0][0], shares.percent[0][7]), (Some(100.0), None));
        let many = Recording { paths: vec![vec![5]; SERIES_COLOURS + 1], ..recording };
        assert_eq!(PathShares::of(&many), None);
    }
}
