//! Tables for the template.

use serde::Serialize;

use crate::report::Table;

/// A table, with the columns that hold numbers.
#[derive(Debug, Serialize)]
pub(crate) struct TableView {
    title: String,
    note: String,
    header: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Serialize)]
struct Cell {
    text: String,
    number: bool,
}

impl TableView {
    pub(crate) fn of(table: &Table) -> TableView {
        // the first column says what a row is of, even where that is a number
        let cell = |(column, text): (usize, &String)| Cell {
            text: text.clone(),
            number: column > 0 && table.is_number(column),
        };
        TableView {
            title: table.title.clone(),
            note: table.note.clone(),
            header: table.header.iter().enumerate().map(cell).collect(),
            rows: table.rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect(),
        }
    }
}
