//! A table that is printed as text and as Markdown alike.

use serde::Serialize;

/// Title, header, rows, and what must be said beside the numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    pub title: String,
    /// What the numbers are and are not.
    pub note: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(title: impl Into<String>, note: impl Into<String>, header: &[&str]) -> Table {
        let header = header.iter().map(|cell| cell.to_string()).collect();
        Table { title: title.into(), note: note.into(), header, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// For a terminal: columns aligned, numbers to the right.
    pub fn text(&self) -> String {
        let lines: Vec<&Vec<String>> = std::iter::once(&self.header).chain(&self.rows).collect();
        let width = |column: usize| {
            lines
                .iter()
                .filter_map(|line| line.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = format!("{}\n", self.title);
        for line in lines {
            let mut printed = String::from("  ");
            for (column, cell) in line.iter().enumerate() {
                let width = widths[column];
                let padded = if self.is_number(column) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                };
                printed += &padded;
                printed += "  ";
            }
            text += printed.trim_end();
            text.push('\n');
        }
        if !self.note.is_empty() {
            text += &format!("  {}\n", self.note);
        }
        text
    }

    /// GitHub's Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: Vec<String> = (0..self.header.len())
            .map(|column| if self.is_number(column) { "---:".into() } else { "---".into() })
            .collect();
        let mut text = format!("### {}\n\n{}{}", self.title, line(&self.header), line(&rule));
        self.rows.iter().for_each(|row| text += &line(row));
        if !self.note.is_empty() {
            text += &format!("\n{}\n", self.note);
        }
        text
    }

    /// Whether every cell of a column begins like a number (or says that there is none).
    pub fn is_number(&self, column: usize) -> bool {
        let number = |cell: &String| {
            cell.is_empty()
                || cell == "-"
                || cell.trim_start_matches(['+', '-', '<']).starts_with(|c: char| c.is_ascii_digit())
        };
        !self.rows.is_empty() && self.rows.iter().filter_map(|row| row.get(column)).all(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_aligns_numbers_right_and_words_left_and_markdown_says_the_same() {
        let mut table = Table::new("Cost", "LUTs all told.", &["core", "LUT"]);
        table.row(["reps".into(), "171".into()]);
        table.row(["a|b".into(), "9".into()]);
        assert_eq!(table.text(), "Cost\n  core  LUT\n  reps  171\n  a|b     9\n  LUTs all told.\n");
        assert_eq!(
            table.markdown(),
            "### Cost\n\n| core | LUT |\n| --- | ---: |\n| reps | 171 |\n| a\\|b | 9 |\n\nLUTs all told.\n"
        );
    }
}
