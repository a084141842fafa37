//! The results that a core showed in a run, a line for each cycle in which it showed one.

use std::path::Path;

use respray_files::output::OutputError;
use respray_hdl::config::Config;
use respray_hdl::contract::{Field, Shown as _};

use super::op_core::OpCore;
use super::rows::Layout;
use crate::results::Results;
use crate::traffic::optrace::number;

/// One cycle of a run.
#[derive(Clone, Copy)]
pub struct SeenRow<'a> {
    pub cycle: u64,
    /// What the outputs showed, what they had to show, and which bits of that are promised.
    pub seen: &'a [u64],
    pub expected: &'a [u64],
    pub care: &'a [u64],
}

/// The table. Its columns are the cycle and all that the contract says the outputs show, by port, as op traces spell numbers.
pub(super) struct OpResults {
    table: Results,
    fields: Vec<&'static Field>,
    /// Whether the port is promised in every cycle: such a one says that there is a result, or is an event.
    always: Vec<bool>,
}

impl OpResults {
    /// # Errors
    /// If the file cannot be made.
    pub fn create<C: OpCore>(path: &Path, config: &Config) -> Result<Self, OutputError> {
        let fields: Vec<&Field> = C::CONTRACT.shown_in(config).collect();
        let columns: Vec<&str> = ["cycle"].into_iter().chain(fields.iter().map(|field| field.port)).collect();
        let mut always = vec![false; fields.len()];
        C::Shown::default().each(|place, _, is_promised| {
            if let Some(always) = always.get_mut(place) {
                *always = is_promised;
            }
        });
        Ok(OpResults { table: Results::create(path, &columns)?, fields, always })
    }

    /// Adds the row if it shows something. A value is empty where the result promises none.
    pub fn hear(&mut self, layout: &Layout, row: &SeenRow<'_>) {
        // before the first reset nothing means anything
        if row.care[layout.op_ready] == 0 {
            return;
        }
        let shows = |words: &[u64]| {
            let mut promised = layout.shown.iter().zip(&self.always).filter(|(_, always)| **always);
            promised.any(|(column, _)| words[*column] != 0)
        };
        if !shows(row.seen) {
            return;
        }
        // of a result that the golden model has not, all is told
        let is_unexpected = !shows(row.expected);
        let values =
            self.fields.iter().zip(&layout.shown).zip(&self.always).map(|((field, column), always)| {
                let is_told = *always || is_unexpected || row.care[*column] != 0;
                if is_told { number(field, row.seen[*column]) } else { String::new() }
            });
        let line: Vec<String> = [row.cycle.to_string()].into_iter().chain(values).collect();
        self.table.write(&line);
    }

    /// # Errors
    /// If not all of it could be written.
    pub fn finish(self) -> Result<(), OutputError> {
        self.table.finish()
    }
}
