//! Verilog of wrappers with parameters, which are wires alone: port lists and instances in columns.

use std::fmt::Write;

/// A port list with headings.
#[derive(Default)]
pub struct Table {
    /// A heading, or direction, range and name.
    rows: Vec<Result<[String; 3], String>>,
}

impl Table {
    /// A heading above the ports that follow, unless they are under it already.
    pub fn heading(&mut self, text: &str) {
        let last = self.rows.iter().rev().find_map(|row| row.as_ref().err());
        if last.is_none_or(|last| last != text) {
            self.rows.push(Err(text.to_string()));
        }
    }

    /// A port.
    pub fn port(&mut self, is_output: bool, range: &str, name: &str) {
        let direction = if is_output { "output" } else { "input " };
        self.rows.push(Ok([direction.to_string(), range.to_string(), name.to_string()]));
    }

    /// The lines between the parentheses.
    pub fn text(&self) -> String {
        let ranges = self.rows.iter().flatten().map(|[_, range, _]| range.len());
        let widest = ranges.max().unwrap_or(0);
        let last = self.rows.iter().rposition(Result::is_ok);
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            let comma = if Some(at) == last { "" } else { "," };
            match row {
                Err(heading) => writeln!(text, "    // {heading}"),
                Ok([direction, range, name]) => {
                    writeln!(text, "    {direction} wire {range:widest$} {name}{comma}")
                }
            }
            .expect("into a string");
        }
        text
    }
}

/// An instance, a line a pin.
pub fn instance(module: &str, name: &str, pins: &[(String, String)]) -> String {
    let widest = pins.iter().map(|(pin, _)| pin.len()).max().unwrap_or(0);
    let lines: Vec<String> =
        pins.iter().map(|(pin, value)| format!("        .{pin:widest$} ({value})")).collect();
    format!("    {module} {name} (\n{}\n    );\n", lines.join(",\n"))
}
