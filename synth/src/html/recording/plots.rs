//! What a recording's sender heard, drawn: an EV for each ACK, and the share of them that is marked.

use std::fmt::Write;

use super::{PARTS, Recording, share};

/// Width of the plots, and space to their left and right. It is that of a phone, so that the letters stay readable there.
const WIDTH: f64 = 400.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 12.0;

/// Unmarked ACKs drawn at most; each marked one is drawn.
const DOTS: usize = 2500;

impl Recording {
    /// A dot per ACK: EV upwards, time to the right; timeouts as strokes at the top.
    pub(super) fn evs_over_time(&self) -> String {
        let (height, top, bottom) = (230.0, 26.0, 22.0);
        let y = |ev: u16| height - bottom - (height - top - bottom) * f64::from(ev) / 65535.0;
        let says = format!(
            "A dot for each of {} ACKs, its EV upwards and its time to the right; a stroke at the top for each of {} timeouts.",
            self.acks.len(),
            self.timeouts.len()
        );
        let mut svg = self.frame(height, bottom, "EV of each ACK", &says);
        for (ev, name) in [(0, "0"), (32768, "32768"), (65535, "65535")] {
            svg += &rule(y(ev), name);
        }
        let every = self.acks.len().div_ceil(DOTS).max(1);
        let x_of = self.x();
        let (mut plain, mut marked) = (String::new(), String::new());
        for (index, &(time, ev, ce)) in self.acks.iter().enumerate() {
            let (x, y) = (x_of(time), y(ev));
            if ce {
                // a cross, which is told from a dot without colours as well
                let _ = write!(marked, "M{:.1} {:.1}l4 4m-4 0l4-4", x - 2.0, y - 2.0);
            } else if index % every == 0 {
                let _ = write!(plain, "M{x:.1} {y:.1}h0");
            }
        }
        let _ = writeln!(
            svg,
            "<path class=\"dots s0\" d=\"{plain}\"/><path class=\"crosses s1\" d=\"{marked}\"/>"
        );
        let strokes: String =
            self.timeouts.iter().map(|&time| format!("M{:.1} {:.1}v6", x_of(time), top - 8.0)).collect();
        if !strokes.is_empty() {
            let _ = writeln!(svg, "<path class=\"strokes\" d=\"{strokes}\"/>");
        }
        svg + "</svg>\n"
    }

    /// Share of marked ACKs in each part of the time, as columns.
    pub(super) fn marks_over_time(&self) -> String {
        let (height, top, bottom) = (110.0, 26.0, 22.0);
        let marks = self.marks();
        let highest = marks.iter().map(|(all, marked)| share(*marked, *all)).fold(0.01, f64::max);
        let ceiling =
            [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0].into_iter().find(|c| *c >= highest).unwrap_or(1.0);
        let y = |share: f64| height - bottom - (height - top - bottom) * share / ceiling;
        let says = format!("At most {:.1}% in one of {PARTS} equal parts of the time.", 100.0 * highest);
        let mut svg = self.frame(height, bottom, "CE-marked share of the ACKs", &says);
        for part in [0.0, ceiling] {
            svg += &rule(y(part), &format!("{:.0}%", 100.0 * part));
        }
        let width = (WIDTH - LEFT - RIGHT) / PARTS as f64;
        for (index, (all, marked)) in marks.iter().enumerate() {
            let (share, at) = (share(*marked, *all), LEFT + width * index as f64);
            if share > 0.0 {
                let _ = write!(
                    svg,
                    "<rect class=\"d1\" x=\"{at:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{:.1}% of {all} ACKs\
                     </title></rect>",
                    y(share),
                    width - 1.0,
                    height - bottom - y(share),
                    100.0 * share,
                );
            }
        }
        svg + "</svg>\n"
    }

    /// Where a time in ns stands from left to right.
    fn x(&self) -> impl Fn(u64) -> f64 + use<> {
        let end_ns = self.end_ns() as f64;
        move |time_ns| LEFT + (WIDTH - LEFT - RIGHT) * time_ns as f64 / end_ns
    }

    /// Head of an SVG with its title, what it shows in a sentence, and the seconds below.
    fn frame(&self, height: f64, bottom: f64, title: &str, says: &str) -> String {
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title><desc>{says}</desc>\n<text class=\"title\" x=\"6\" y=\"12\">{title}</text>\n"
        );
        let end_s = self.end_ns() as f64 / 1e9;
        let step = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0, 600.0]
            .into_iter()
            .find(|s| end_s / s <= 8.0)
            .unwrap_or(end_s);
        let (x_of, mut second) = (self.x(), 0.0);
        while second <= end_s * 1.0001 {
            let at = x_of((second * 1e9) as u64);
            let name = if second == 0.0 { "0 seconds".into() } else { format!("{second}") };
            let align = if second == 0.0 { "start" } else { "middle" };
            let _ = writeln!(
                svg,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{align}\">{name}</text>",
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
    fn every_marked_ack_is_drawn_and_of_the_others_as_many_as_can_be_seen() {
        let acks: Vec<(u64, u16, bool)> =
            (0..20_000u64).map(|i| (i * 100_000, i as u16, i % 10 == 0)).collect();
        let recording = Recording { acks, timeouts: vec![1_000_000_000], ..Recording::default() };
        let svg = recording.evs_over_time();
        let drawn = |class: &str| {
            let path = svg.split(class).nth(1).unwrap();
            path.split("/>").next().unwrap().matches('M').count()
        };
        assert_eq!(drawn("crosses s1"), 2000);
        assert!((2000..=DOTS).contains(&drawn("dots s0")));
        assert!(svg.contains("class=\"strokes\""));
        assert_eq!(recording.marks_over_time().matches("10.0% of 400 ACKs").count(), PARTS);
    }
}
