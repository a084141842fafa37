//! A recording on the page: which EVs came back over time, which of them marked, and how the marks went.

use std::fmt::Write;

use serde::Serialize;

use super::runs::grouped;

/// What a recording's sender heard.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub name: String,
    /// What happens in it, one phrase.
    pub says: String,
    /// Time in ns, EV and CE mark of each ACK, in the order of time.
    pub acks: Vec<(u64, u16, bool)>,
    /// Time in ns of each timeout.
    pub timeouts: Vec<u64>,
}

/// What the template shows of it.
#[derive(Debug, Serialize)]
pub(super) struct View {
    name: String,
    says: String,
    acks: String,
    marked: String,
    timeouts: String,
    evs: String,
    span_s: String,
    /// SVG.
    evs_over_time: String,
    share_over_time: String,
}

/// Width of the plots, and space to their left.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;

/// Unmarked ACKs drawn at most; each marked one is drawn.
const DOTS: usize = 2500;

/// Buckets of time of the lower plot.
const BUCKETS: usize = 50;

impl Recording {
    pub(super) fn view(&self) -> View {
        let marked = self.acks.iter().filter(|(_, _, ce)| *ce).count();
        let mut evs: Vec<u16> = self.acks.iter().map(|(_, ev, _)| *ev).collect();
        evs.sort_unstable();
        evs.dedup();
        let percent = 100.0 * marked as f64 / self.acks.len().max(1) as f64;
        View {
            name: self.name.clone(),
            says: self.says.clone(),
            acks: grouped(self.acks.len() as u64),
            marked: format!("{} ({percent:.1}%)", grouped(marked as u64)),
            timeouts: grouped(self.timeouts.len() as u64),
            evs: grouped(evs.len() as u64),
            span_s: format!("{:.2}", self.end_ns() as f64 / 1e9),
            evs_over_time: self.evs_over_time(),
            share_over_time: self.share_over_time(),
        }
    }

    fn end_ns(&self) -> u64 {
        let last_ack = self.acks.iter().map(|(time, _, _)| *time).max().unwrap_or(0);
        last_ack.max(self.timeouts.iter().copied().max().unwrap_or(0)).max(1)
    }

    fn x(&self, time_ns: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * time_ns as f64 / self.end_ns() as f64
    }

    /// A dot per ACK: EV upwards, time to the right; timeouts as strokes at the top.
    fn evs_over_time(&self) -> String {
        let (height, top, bottom) = (230.0, 26.0, 22.0);
        let y = |ev: u16| height - bottom - (height - top - bottom) * f64::from(ev) / 65535.0;
        let mut svg = self.frame(height, bottom, "EV of each ACK", "seconds");
        for (ev, name) in [(0, "0"), (32768, "32768"), (65535, "65535")] {
            svg += &rule(y(ev), name);
        }
        let every = self.acks.len().div_ceil(DOTS).max(1);
        let (mut plain, mut marked) = (String::new(), String::new());
        for (index, &(time, ev, ce)) in self.acks.iter().enumerate() {
            if ce {
                let _ = write!(marked, "M{:.1} {:.1}h0", self.x(time), y(ev));
            } else if index % every == 0 {
                let _ = write!(plain, "M{:.1} {:.1}h0", self.x(time), y(ev));
            }
        }
        let _ =
            writeln!(svg, "<path class=\"dots s0\" d=\"{plain}\"/><path class=\"dots s1\" d=\"{marked}\"/>");
        let strokes: String =
            self.timeouts.iter().map(|&time| format!("M{:.1} {:.1}v6", self.x(time), top - 8.0)).collect();
        if !strokes.is_empty() {
            let _ = writeln!(svg, "<path class=\"strokes\" d=\"{strokes}\"/>");
        }
        svg + "</svg>\n"
    }

    /// Share of marked ACKs, and timeouts a bucket, as steps.
    fn share_over_time(&self) -> String {
        let (height, top, bottom) = (110.0, 26.0, 22.0);
        let bucket =
            |time: u64| ((time as u128 * BUCKETS as u128 / self.end_ns() as u128) as usize).min(BUCKETS - 1);
        let (mut all, mut marked) = ([0u32; BUCKETS], [0u32; BUCKETS]);
        for &(time, _, ce) in &self.acks {
            all[bucket(time)] += 1;
            marked[bucket(time)] += u32::from(ce);
        }
        let share = |index: usize| f64::from(marked[index]) / f64::from(all[index].max(1));
        let highest = (0..BUCKETS).map(share).fold(0.01, f64::max);
        let ceiling =
            [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0].into_iter().find(|c| *c >= highest).unwrap_or(1.0);
        let y = |share: f64| height - bottom - (height - top - bottom) * share / ceiling;
        let mut svg = self.frame(height, bottom, "CE-marked share of the ACKs", "seconds");
        for part in [0.0, ceiling] {
            svg += &rule(y(part), &format!("{:.0}%", 100.0 * part));
        }
        let width = (WIDTH - LEFT - RIGHT) / BUCKETS as f64;
        for (index, count) in all.iter().enumerate() {
            let (share, at) = (share(index), LEFT + width * index as f64);
            if share > 0.0 {
                let _ = write!(
                    svg,
                    "<rect class=\"d1\" x=\"{at:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{:.1}% of {} ACKs\
                     </title></rect>",
                    y(share),
                    width - 1.5,
                    height - bottom - y(share),
                    100.0 * share,
                    count
                );
            }
        }
        svg + "</svg>\n"
    }

    /// Head of an SVG with its title and the seconds below.
    fn frame(&self, height: f64, bottom: f64, title: &str, unit: &str) -> String {
        let mut svg = format!(
            "<svg class=\"chart wide\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">\n\
             <text class=\"title\" x=\"6\" y=\"12\">{title}</text>\n"
        );
        let end_s = self.end_ns() as f64 / 1e9;
        let step = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0, 600.0]
            .into_iter()
            .find(|s| end_s / s <= 8.0)
            .unwrap_or(end_s);
        let mut second = 0.0;
        while second <= end_s * 1.0001 {
            let at = self.x((second * 1e9) as u64);
            let anchor = if second == 0.0 { format!("0 {unit}") } else { format!("{second}") };
            let align = if second == 0.0 { "start" } else { "middle" };
            let _ = writeln!(
                svg,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{align}\">{anchor}</text>",
                height - bottom + 15.0
            );
            second += step;
        }
        svg
    }
}

fn rule(at: f64, name: &str) -> String {
    format!(
        "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>\n",
        WIDTH - RIGHT,
        LEFT - 6.0,
        at + 4.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marked_ack_is_drawn_and_the_shares_add_up() {
        let acks: Vec<(u64, u16, bool)> =
            (0..20_000u64).map(|i| (i * 100_000, i as u16, i % 10 == 0)).collect();
        let recording = Recording { name: "r".into(), says: "s".into(), acks, timeouts: vec![1_000_000_000] };
        let view = recording.view();
        assert_eq!(view.marked, "2\u{202f}000 (10.0%)");
        let dots = |class: &str| {
            let path = view.evs_over_time.split(class).nth(1).unwrap();
            path.split("/>").next().unwrap().matches("h0").count()
        };
        assert_eq!(dots("dots s1"), 2000);
        assert!((2000..=DOTS).contains(&dots("dots s0")));
        assert_eq!(view.share_over_time.matches("10.0% of 400 ACKs").count(), BUCKETS);
        assert!(view.evs_over_time.contains("class=\"strokes\""));
    }
}
