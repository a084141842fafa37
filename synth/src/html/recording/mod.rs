//! A recording on the page: which EVs came back over time, which of them marked, and which share each path had.

mod paths;
mod plots;

use serde::Serialize;

use super::anchor;
use super::runs::grouped;
use paths::PathShares;

/// What a recording's sender did and heard.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub name: String,
    /// What happens in it, one phrase.
    pub says: String,
    /// Time in ns and EV of each packet sent, in the order of time.
    pub sends: Vec<(u64, u16)>,
    /// Time in ns, EV and CE mark of each ACK, in the order of time.
    pub acks: Vec<(u64, u16, bool)>,
    /// Time in ns of each timeout.
    pub timeouts: Vec<u64>,
    /// The EVs that each path carried, in ascending order; no paths where the recording does not list them.
    pub paths: Vec<Vec<u16>>,
}

/// What the page says of it.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) name: String,
    pub(super) anchor: String,
    says: String,
    acks: String,
    marked: String,
    timeouts: String,
    evs: String,
    span_s: String,
    /// Share of the ACKs that are marked, 0 to 1, in equal parts of the time.
    marked_share: Vec<f64>,
    timeouts_ns: Vec<u64>,
    /// None where the recording does not list the EVs of its paths.
    path_shares: Option<PathShares>,
}

/// Its charts.
#[derive(Debug, Serialize)]
pub(super) struct Plots {
    evs: String,
    marks: String,
    paths: Option<String>,
}

/// Parts of the time in which marked ACKs are counted.
const PARTS: usize = 50;

impl Recording {
    pub(super) fn view(&self) -> View {
        let marked = self.acks.iter().filter(|(_, _, ce)| *ce).count();
        let mut evs: Vec<u16> = self.acks.iter().map(|(_, ev, _)| *ev).collect();
        evs.sort_unstable();
        evs.dedup();
        let percent = 100.0 * marked as f64 / self.acks.len().max(1) as f64;
        View {
            name: self.name.clone(),
            anchor: anchor("recording", &self.name),
            says: self.says.clone(),
            acks: grouped(self.acks.len() as u64),
            marked: format!("{} ({percent:.1}%)", grouped(marked as u64)),
            timeouts: grouped(self.timeouts.len() as u64),
            evs: grouped(evs.len() as u64),
            span_s: format!("{:.2}", self.end_ns() as f64 / 1e9),
            marked_share: self.marks().iter().map(|(all, marked)| share(*marked, *all)).collect(),
            timeouts_ns: self.timeouts.clone(),
            path_shares: PathShares::of(self),
        }
    }

    pub(super) fn plots(&self) -> Plots {
        let paths = PathShares::of(self).map(|shares| shares.chart().html());
        Plots { evs: self.evs_over_time().html(), marks: self.marks_over_time().html(), paths }
    }

    /// ACKs, and those of them that are marked, in each of [`PARTS`] equal parts of the time.
    fn marks(&self) -> [(u32, u32); PARTS] {
        let mut counts = [(0, 0); PARTS];
        let part = self.part(PARTS);
        for &(time, _, ce) in &self.acks {
            let (all, marked) = &mut counts[part(time)];
            *all += 1;
            *marked += u32::from(ce);
        }
        counts
    }

    /// In which of so many equal parts of the recording a time in ns is.
    fn part(&self, parts: usize) -> impl Fn(u64) -> usize + use<> {
        let end_ns = u128::from(self.end_ns());
        move |time_ns| {
            let part = u128::from(time_ns) * parts as u128 / end_ns;
            (part as usize).min(parts - 1)
        }
    }

    /// Looks at every event of the recording, so it is asked once for all of them and not for each.
    fn end_ns(&self) -> u64 {
        let acks = self.acks.iter().map(|(time, _, _)| *time);
        let sends = self.sends.iter().map(|(time, _)| *time);
        acks.chain(sends).chain(self.timeouts.iter().copied()).max().unwrap_or(0).max(1)
    }
}

/// Such a part of all, 0 to 1; 0 of nothing.
fn share(part: u32, all: u32) -> f64 {
    f64::from(part) / f64::from(all.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_marked_acks_are_those_of_their_time() {
        let acks: Vec<(u64, u16, bool)> =
            (0..20_000u64).map(|i| (i * 100_000, i as u16, i % 10 == 0)).collect();
        let recording = Recording { acks, timeouts: vec![1_000_000_000], ..Recording::default() };
        let view = recording.view();
        assert_eq!(view.marked, "2\u{202f}000 (10.0%)");
        assert_eq!(view.marked_share, [0.1; PARTS]);
        assert!(view.path_shares.is_none(), "without its paths, nothing is said of them");
    }
}
