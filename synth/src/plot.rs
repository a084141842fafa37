//! Small line charts as SVG, made to stand in a row: a few points a line, both axes named, the last value written out.
//!
//! A chart has no colours of its own but those of its style sheet: [`STYLE`] holds a light and a dark set, and a page
//! that shows many charts carries it once.

use std::fmt::Write;

/// Width and height of a chart.
const SIZE: (f64, f64) = (320.0, 200.0);

/// Space around the plot: left, right, top, bottom.
const MARGIN: (f64, f64, f64, f64) = (46.0, 74.0, 28.0, 34.0);

/// Colours of lines that there are.
pub const HUES: usize = 4;

/// Names of positions that have room below a chart.
const NAMES: usize = 8;

/// Colours and type of charts, for light and dark.
pub const STYLE: &str = "
.chart { --ink: #1f2328; --soft: #656d76; --rule: #d8dee4; --line-0: #2563c9; --line-1: #c2570c; --line-2: #1a7f5a; \
--line-3: #8250df; font: 11px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .chart { --ink: #e6edf3; --soft: #9198a1; --rule: #30363d; --line-0: #6ea8fe; \
--line-1: #f0a35e; --line-2: #56c596; --line-3: #bc8cff; } }
.chart text { fill: var(--soft); }
.chart .title { fill: var(--ink); font-weight: 600; font-size: 12px; }
.chart .grid { stroke: var(--rule); stroke-width: 1; }
.chart polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.chart .s0 { stroke: var(--line-0); } .chart .s1 { stroke: var(--line-1); } .chart .s2 { stroke: var(--line-2); }
.chart .s3 { stroke: var(--line-3); }
.chart polyline.s1 { stroke-dasharray: 7 3; } .chart polyline.s2 { stroke-dasharray: 2 3; } .chart polyline.s3 { stroke-dasharray: 9 3 2 3; }
.chart .d0 { fill: var(--line-0); } .chart .d1 { fill: var(--line-1); } .chart .d2 { fill: var(--line-2); } .chart .d3 { fill: var(--line-3); }
";

/// A chart over a few named positions.
#[derive(Clone, Debug)]
pub struct Chart {
    pub title: String,
    /// Name of the horizontal axis.
    pub across: String,
    /// Positions on it, evenly spaced.
    pub positions: Vec<String>,
    /// At most [`HUES`].
    pub lines: Vec<Line>,
}

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    /// Which of the [`HUES`] colours, each with dashes of its own: the same thing has the same one in every chart.
    pub hue: usize,
    /// Value at each position; none where there is none.
    pub values: Vec<Option<f64>>,
}

impl Chart {
    /// The chart as an SVG element. `alone`: as a file of its own, with its style.
    pub fn svg(&self, alone: bool) -> String {
        let (width, height) = SIZE;
        let (left, right, top, bottom) = MARGIN;
        let highest =
            self.lines.iter().flat_map(|line| &line.values).flatten().fold(0.0, |a: f64, &b| a.max(b));
        let (step, ceiling) = ticks(highest);
        let last = self.positions.len().saturating_sub(1).max(1) as f64;
        let x = |position: usize| left + (width - left - right) * position as f64 / last;
        let y = |value: f64| height - bottom - (height - top - bottom) * value / ceiling;
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{0}\"{1}>\n<title>{0}</title><desc>{2}</desc>\n",
            escape(&self.title),
            if alone { " xmlns=\"http://www.w3.org/2000/svg\"" } else { "" },
            escape(&self.in_words())
        );
        if alone {
            let _ = writeln!(svg, "<style>{STYLE}</style>");
        }
        let _ = writeln!(svg, "<text class=\"title\" x=\"6\" y=\"15\">{}</text>", escape(&self.title));
        let mut value = 0.0;
        while value <= ceiling * 1.0001 {
            let at = y(value);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                width - right,
                left - 6.0,
                at + 4.0,
                short(value)
            );
            value += step;
        }
        let every = self.positions.len().div_ceil(NAMES).max(1);
        for (position, name) in self.positions.iter().enumerate().step_by(every) {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x(position),
                height - bottom + 15.0,
                escape(name)
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            (left + width - right) / 2.0,
            height - 5.0,
            escape(&self.across)
        );
        let mut labels: Vec<(f64, String)> = Vec::new();
        for line in &self.lines {
            let hue = line.hue;
            let points: Vec<(usize, f64)> =
                line.values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).collect();
            let path: Vec<String> =
                points.iter().map(|&(at, v)| format!("{:.1},{:.1}", x(at), y(v))).collect();
            let _ = writeln!(svg, "<polyline class=\"s{hue}\" points=\"{}\"/>", path.join(" "));
            for &(at, value) in &points {
                let _ = writeln!(
                    svg,
                    "<circle class=\"d{hue}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>{} at {}: {}</title></circle>",
                    x(at),
                    y(value),
                    escape(&line.name),
                    escape(&self.positions[at]),
                    short(value)
                );
            }
            if let Some(&(at, value)) = points.last() {
                let (dot, name) = (y(value), escape(&line.name));
                labels.push((
                    dot,
                    format!(
                        "<text class=\"d{hue}\" x=\"{:.1}\" y=\"@\">{name} {}</text>\n",
                        x(at) + 7.0,
                        short(value)
                    ),
                ));
            }
        }
        // Labels of lines that end close together are pushed apart.
        labels.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = 0.0f64;
        for (at, label) in labels {
            let at = (at + 4.0).max(free);
            free = at + 12.0;
            svg += &label.replace('@', &format!("{at:.1}"));
        }
        svg + "</svg>\n"
    }
}

impl Chart {
    /// Every value, for a reader who does not see the lines.
    fn in_words(&self) -> String {
        let line = |line: &Line| {
            let points = self.positions.iter().zip(&line.values);
            let points: Vec<String> = points
                .filter_map(|(position, value)| Some(format!("{} at {position}", short((*value)?))))
                .collect();
            format!("{}: {}.", line.name, points.join(", "))
        };
        let lines: Vec<String> = self.lines.iter().map(line).collect();
        format!("Over {}. {}", self.across, lines.join(" "))
    }
}

/// Step and end of an axis from 0 that holds `highest`, both round numbers.
fn ticks(highest: f64) -> (f64, f64) {
    if highest <= 0.0 {
        return (1.0, 1.0);
    }
    let rough = highest / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|m| m * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    (step, step * (highest / step).ceil())
}

/// A number in at most four characters or so.
fn short(value: f64) -> String {
    match value {
        v if v >= 10_000.0 => format!("{}k", trim(v / 1000.0)),
        v => trim(v),
    }
}

fn trim(value: f64) -> String {
    let text = if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") };
    text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
}

/// Text as XML holds it in content and in attributes.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number_that_holds_every_value() {
        assert_eq!(ticks(181.0), (50.0, 200.0));
        assert_eq!(ticks(3.0), (1.0, 3.0));
        assert_eq!(ticks(0.0), (1.0, 1.0));
        for highest in [0.3, 7.0, 99.0, 101.0, 12_345.0] {
            let (step, ceiling) = ticks(highest);
            assert!(ceiling >= highest && ceiling / step <= 5.01, "{highest}: {step} {ceiling}");
        }
    }

    #[test]
    fn a_chart_has_a_dot_per_value_and_leaves_gaps() {
        let line = |name: &str, values: [Option<f64>; 3]| Line {
            name: name.into(),
            hue: 0,
            values: values.to_vec(),
        };
        let chart = Chart {
            title: "LUT <&>".into(),
            across: "connections".into(),
            positions: ["16", "256", "4096"].map(String::from).to_vec(),
            lines: vec![
                line("xcup", [Some(148.0), Some(171.0), Some(181.0)]),
                line("ECP5", [Some(200.0), None, None]),
            ],
        };
        let svg = chart.svg(true);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("xcup at 4096: 181") && svg.contains("LUT &lt;&amp;&gt;"));
        assert!(svg.contains(
            "<desc>Over connections. xcup: 148 at 16, 171 at 256, 181 at 4096. ECP5: 200 at 16.</desc>"
        ));
        assert!(svg.contains("xmlns") && !chart.svg(false).contains("xmlns"));
    }
}
