//! A chart as HTML: the lines are an SVG that is stretched to the width that there is, all letters are HTML, so that
//! they keep their size.

use std::fmt::Write;

use super::scale::{Axis, short};
use super::{At, Chart, Colour, DASHES, FEW, Line, Mark, Point, Shape, escape};

/// Width and height of the field in units of the drawing.
const FIELD: (f64, f64) = (1000.0, 400.0);

/// Names at the axis to the right at most.
const NAMES: usize = 7;

/// Patterns of marks.
const MARKS: usize = 2;

/// Where a value stands in the drawing.
pub(super) struct Field<'a> {
    pub(super) across: &'a Axis,
    pub(super) up: &'a Axis,
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Field<'_> {
    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + self.width * self.across.share(value)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.top + self.height * (1.0 - self.up.share(value))
    }
}

impl Chart {
    /// For a page that carries [`STYLE`](super::STYLE).
    pub fn html(&self) -> String {
        let (across, up) = self.axes();
        let (width, height) = FIELD;
        let field = Field { across: &across, up: &up, left: 0.0, top: 0.0, width, height };
        let mut html = String::from("<figure class=\"chart\">");
        if !self.title.is_empty() {
            let _ = write!(html, "<figcaption>{}</figcaption>", escape(&self.title));
        }
        html += "<div class=\"sides\"><div class=\"plot\">";
        if !self.up.is_empty() {
            let _ = write!(html, "<div class=\"up-name\">{}</div>", escape(&self.up));
        }
        html += "<div class=\"field\"><div class=\"ups\">";
        for tick in &up.ticks {
            let _ = write!(
                html,
                "<span style=\"bottom:{:.1}%\">{}</span>",
                100.0 * up.share(*tick),
                short(*tick)
            );
        }
        let _ = write!(
            html,
            "</div><svg viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{0}\"><title>{0}</title>\
             <desc>{1}</desc>",
            escape(if self.title.is_empty() { &self.up } else { &self.title }),
            escape(&self.in_words())
        );
        for tick in &up.ticks {
            let _ = write!(html, "<path class=\"grid\" d=\"M0 {:.1}H{width}\"/>", field.y(*tick));
        }
        html += &self.shapes(&field);
        html += "</svg></div><div class=\"acrosses\">";
        for (at, name) in self.names_across(&across) {
            let _ = write!(html, "<span style=\"left:{:.1}%\">{}</span>", 100.0 * at, escape(&name));
        }
        let _ = writeln!(
            html,
            "</div><div class=\"across-name\">{}</div></div>{}</div></figure>",
            escape(&self.across),
            self.legend()
        );
        html
    }

    /// Names or round numbers below, each with its place, 0 to 1. No more of them than there is room for.
    pub(super) fn names_across(&self, across: &Axis) -> Vec<(f64, String)> {
        let every = across.ticks.len().div_ceil(NAMES).max(1);
        across.ticks.iter().step_by(every).map(|tick| (across.share(*tick), self.place(*tick))).collect()
    }

    /// All lines and marks.
    pub(super) fn shapes(&self, field: &Field) -> String {
        // the many below the few
        let (pale, strong): (Vec<&Line>, Vec<&Line>) = self.lines.iter().partition(|line| line.is_pale);
        let marks = self.marks.iter().enumerate().map(|(place, mark)| mark.shape(place, field));
        let lines = pale.into_iter().chain(strong).map(|line| self.line(line, field));
        marks.chain(lines).collect()
    }

    fn line(&self, line: &Line, field: &Field) -> String {
        let class = line.class();
        let band = line.band(field);
        let mut svg = match band.is_empty() {
            true => String::new(),
            false => format!("<path class=\"band {class}\" d=\"{band}\"/>"),
        };
        match line.shape {
            Shape::Columns => svg += &self.columns(line, field),
            Shape::Dots | Shape::Strokes => {
                let at = |point: &Point| Some((field.x(point.x), field.y(point.y?)));
                let dots: String = line
                    .points
                    .iter()
                    .filter_map(at)
                    .map(|(x, y)| match line.shape {
                        Shape::Dots => format!("M{x:.1} {y:.1}h0"),
                        _ => format!("M{x:.1} {:.1}v10", y - 5.0),
                    })
                    .collect();
                let kind = if line.shape == Shape::Dots { "dots" } else { "strokes" };
                let _ = write!(svg, "<path class=\"{kind} {class}\" d=\"{dots}\"/>");
            }
            Shape::Straight | Shape::Steps => {
                let _ = write!(svg, "<path class=\"line {class}\" d=\"{}\"/>", line.course(field));
                if line.points.len() <= FEW && line.shape == Shape::Straight {
                    svg += &self.dots(line, field);
                }
            }
        }
        svg
    }

    /// A dot for each value, which says it.
    fn dots(&self, line: &Line, field: &Field) -> String {
        let dot = |point: &Point| {
            let y = point.y?;
            Some(format!(
                "<path class=\"dot {}\" d=\"M{:.1} {:.1}h0\"><title>{} at {}: {}</title></path>",
                line.colour.class(),
                field.x(point.x),
                field.y(y),
                escape(&line.name),
                escape(&self.place(point.x)),
                short(y)
            ))
        };
        line.points.iter().filter_map(dot).collect()
    }

    /// A column for each value above 0, up to the next place.
    fn columns(&self, line: &Line, field: &Field) -> String {
        let width = match line.points.as_slice() {
            [first, second, ..] => field.x(second.x) - field.x(first.x),
            _ => field.width,
        };
        let base = field.y(0.0);
        let column = |point: &Point| {
            let y = point.y.filter(|y| *y > 0.0)?;
            Some(format!(
                "<rect class=\"column {}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{} at {}: {}</title></rect>",
                line.colour.class(),
                field.x(point.x),
                field.y(y),
                (width - 2.0).min(field.left + field.width - field.x(point.x)).max(1.0),
                base - field.y(y),
                escape(&line.name),
                escape(&self.place(point.x)),
                short(y)
            ))
        };
        line.points.iter().filter_map(column).collect()
    }

    /// Names of lines and marks, without the nameless.
    pub(super) fn legend_entries(&self) -> Vec<(Colour, String, &str, &str)> {
        let kind = |line: &Line| match line.shape {
            Shape::Dots => "key-dot".to_string(),
            Shape::Strokes => "key-stroke".to_string(),
            Shape::Columns => "key-column".to_string(),
            Shape::Straight | Shape::Steps if line.is_pale => "key-pale".to_string(),
            Shape::Straight | Shape::Steps => format!("key-{}", line.dash % (DASHES + 1)),
        };
        let lines =
            self.lines.iter().map(|line| (line.colour, kind(line), line.name.as_str(), line.note.as_str()));
        let marks = self.marks.iter().enumerate().map(|(place, mark)| {
            (mark.colour, format!("key-mark-{}", place % MARKS), mark.name.as_str(), "")
        });
        lines.chain(marks).filter(|(_, _, name, _)| !name.is_empty()).collect()
    }

    fn legend(&self) -> String {
        let entry = |(colour, kind, name, note): (Colour, String, &str, &str)| {
            let note = if note.is_empty() { String::new() } else { format!(" <b>{}</b>", escape(note)) };
            format!("<li><i class=\"{kind} {}\"></i><span>{}{note}</span></li>", colour.class(), escape(name))
        };
        let entries: String = self.legend_entries().into_iter().map(entry).collect();
        if entries.is_empty() { entries } else { format!("<ul class=\"keys\">{entries}</ul>") }
    }
}

impl Line {
    fn class(&self) -> String {
        let dash = match self.dash % (DASHES + 1) {
            0 => String::new(),
            dash => format!(" dash-{dash}"),
        };
        format!("{}{dash}{}", self.colour.class(), if self.is_pale { " pale" } else { "" })
    }

    /// The line as the data of an SVG path.
    fn course(&self, field: &Field) -> String {
        let mut course = String::new();
        let mut is_begun = false;
        for point in &self.points {
            let Some(y) = point.y else {
                is_begun = false;
                continue;
            };
            let (x, y) = (field.x(point.x), field.y(y));
            let _ = match (is_begun, self.shape) {
                (false, _) => write!(course, "M{x:.1} {y:.1}"),
                (true, Shape::Steps) => write!(course, "H{x:.1}V{y:.1}"),
                (true, _) => write!(course, "L{x:.1} {y:.1}"),
            };
            is_begun = true;
        }
        // a CDF stays where it is up to the end
        if is_begun && self.shape == Shape::Steps {
            let _ = write!(course, "H{:.1}", field.left + field.width);
        }
        course
    }

    /// The outline of the band; empty without one.
    fn band(&self, field: &Field) -> String {
        let edges: Vec<(f64, [f64; 2])> =
            self.points.iter().filter_map(|point| Some((field.x(point.x), point.band?))).collect();
        let edge = |which: usize| {
            let mut corners: Vec<(f64, f64)> = Vec::new();
            for (x, values) in &edges {
                let y = field.y(values[which]);
                if let (Shape::Steps, Some((_, before))) = (self.shape, corners.last()) {
                    corners.push((*x, *before));
                }
                corners.push((*x, y));
            }
            corners
        };
        let mut outline = edge(1);
        outline.extend(edge(0).into_iter().rev());
        let corner =
            |(at, (x, y)): (usize, &(f64, f64))| format!("{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
        outline.iter().enumerate().map(corner).collect()
    }
}

impl Mark {
    /// The mark that stands at this place among those of its chart, which have patterns of their own.
    fn shape(&self, place: usize, field: &Field) -> String {
        let course = match self.at {
            At::Across(x) => format!("M{:.1} {:.1}v{:.1}", field.x(x), field.top, field.height),
            At::Up(y) => format!("M{:.1} {:.1}h{:.1}", field.left, field.y(y), field.width),
        };
        format!("<path class=\"mark mark-{} {}\" d=\"{course}\"/>", place % MARKS, self.colour.class())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_dot_per_value_and_its_names_beside_it() {
        let line = |name: &str, values: &[(f64, Option<f64>)]| {
            Line::with_gaps(name, Colour::Series(0), values.to_vec())
        };
        let chart = Chart {
            title: "LUT <&>".into(),
            across: "connections".into(),
            names: ["16", "256", "4096"].map(String::from).to_vec(),
            lines: vec![
                line("UltraScale+", &[(0.0, Some(148.0)), (1.0, Some(171.0)), (2.0, Some(181.0))])
                    .noted("181"),
                line("ECP5", &[(0.0, Some(200.0)), (1.0, None), (2.0, Some(210.0))]),
            ],
            marks: vec![Mark { name: "limit".into(), at: At::Up(205.0), colour: Colour::Bad }],
            ..Chart::default()
        };
        let html = chart.html();
        assert_eq!(html.matches("class=\"dot ").count(), 5, "{html}");
        assert!(
            html.contains("<title>UltraScale+ at 4096: 181</title>") && html.contains("LUT &lt;&amp;&gt;")
        );
        assert!(
            html.contains("<span>UltraScale+ <b>181</b></span>") && html.contains("<span>limit</span>"),
            "{html}"
        );
        assert!(html.contains(
            "<desc>Over connections. UltraScale+: 148 at 16, 171 at 256, 181 at 4096. ECP5: 200 at 16, 210 at 4096. limit at 205.</desc>"
        ));
        let gap = html.split("class=\"line series-0\" d=\"").nth(2).unwrap();
        assert_eq!(gap.split('"').next().unwrap().matches('M').count(), 2, "a gap is not drawn over: {gap}");
    }

    #[test]
    fn a_band_goes_along_its_greatest_and_back_along_its_least() {
        let line = Line::with_band("ops", Colour::of("ops"), [(0.0, 5.0, 0.0, 10.0), (10.0, 5.0, 5.0, 10.0)]);
        let chart = Chart { lines: vec![line.clone()], ..Chart::default() };
        assert!(
            chart.html().contains("class=\"band of-ops\" d=\"M0.0 0.0L1000.0 0.0L1000.0 200.0L0.0 400.0\""),
            "{}",
            chart.html()
        );
        let steps = Chart { lines: vec![line.shaped(Shape::Steps)], ..Chart::default() };
        assert!(
            steps.html().contains("d=\"M0.0 0.0L1000.0 0.0L1000.0 0.0L1000.0 200.0L1000.0 400.0L0.0 400.0\""),
            "{}",
            steps.html()
        );
        assert!(steps.html().contains("class=\"line of-ops\" d=\"M0.0 200.0H1000.0V200.0H1000.0\""));
    }

    #[test]
    fn no_more_names_stand_below_than_there_is_room_for() {
        let names: Vec<String> = (0..20).map(|name| format!("{name}")).collect();
        let chart = Chart { names, ..Chart::default() };
        assert!(chart.names_across(&chart.axes().0).len() <= NAMES);
    }
}
