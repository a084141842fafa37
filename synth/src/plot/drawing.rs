//! A chart as a file of its own, in SVG, for documents and papers.

use std::fmt::Write;

use super::page::Field;
use super::scale::short;
use super::{Chart, STYLE, escape};

/// Width and height of the drawing.
const SIZE: (f64, f64) = (640.0, 300.0);

/// Space around the field: left, right, where the legend stands, top, bottom.
const MARGIN: (f64, f64, f64, f64) = (56.0, 170.0, 44.0, 46.0);

/// What a file has beside the style of pages.
const ALONE: &str = "
svg { --ink: #1f2328; --soft: #59636e; --rule: #d8dee4; font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --soft: #9198a1; --rule: #30363d; } }
text { fill: var(--soft); } .title { fill: var(--ink); font-weight: 600; font-size: 13px; }
";

impl Chart {
    /// A file of its own.
    pub fn svg(&self) -> String {
        let (width, height) = SIZE;
        let (left, right, top, bottom) = MARGIN;
        let (across, up) = self.axes();
        let field = Field {
            across: &across,
            up: &up,
            left,
            top,
            width: width - left - right,
            height: height - top - bottom,
        };
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{0}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title>{0}</title><desc>{1}</desc>\n<style>{2}{ALONE}</style>\n\
             <text class=\"title\" x=\"6\" y=\"16\">{0}</text><text x=\"6\" y=\"34\">{3}</text>\n",
            escape(&self.title),
            escape(&self.in_words()),
            *STYLE,
            escape(&self.up)
        );
        for tick in &up.ticks {
            let y = field.y(*tick);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{left} {y:.1}h{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                field.width,
                left - 6.0,
                y + 4.0,
                short(*tick)
            );
        }
        let below = height - bottom;
        for (at, name) in self.names_across(&across) {
            let x = left + field.width * at;
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                below + 16.0,
                escape(&name)
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n{}",
            left + field.width / 2.0,
            below + 34.0,
            escape(&self.across),
            self.shapes(&field)
        );
        for (place, (colour, _, name, note)) in self.legend_entries().into_iter().enumerate() {
            let (x, y) = (width - right + 14.0, top + 8.0 + 18.0 * place as f64);
            let note = if note.is_empty() { String::new() } else { format!(" {note}") };
            let _ = writeln!(
                svg,
                "<path class=\"line {}\" d=\"M{x} {y}h16\"/><text x=\"{}\" y=\"{}\">{}</text>",
                colour.class(),
                x + 22.0,
                y + 4.0,
                escape(&format!("{name}{note}"))
            );
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use crate::plot::{Chart, Colour, Line};

    #[test]
    fn a_file_of_its_own_has_style_axes_and_legend() {
        let lines = vec![Line::through("ECP5", Colour::Series(1), [(0.0, 10.0), (1.0, 20.0)]).noted("20")];
        let names = ["16", "256"].map(String::from).to_vec();
        let svg = Chart {
            title: "reps: LUT".into(),
            across: "connections".into(),
            names,
            lines,
            ..Chart::default()
        }
        .svg();
        for part in
            ["xmlns=", "<style>", ".series-1 { --hue:", ">reps: LUT<", ">connections<", ">256<", ">ECP5 20<"]
        {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }
}
