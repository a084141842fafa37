//! The fields of one line, with the checks that every core needs.

/// A field that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub column: &'static str,
    pub value: String,
    /// What may stand there.
    pub allowed: String,
}

impl Refusal {
    /// Refuses `value`, of which no more than 40 characters are repeated.
    pub fn new(column: &'static str, value: &str, allowed: impl Into<String>) -> Refusal {
        Refusal { column, value: value.chars().take(40).collect(), allowed: allowed.into() }
    }
}

/// The number `value`, 0 to `last`.
pub(super) fn number(column: &'static str, value: &str, last: u64) -> Result<u64, Refusal> {
    let number = value.parse::<u64>().ok().filter(|number| *number <= last);
    number.ok_or_else(|| Refusal::new(column, value, format!("0 to {last}")))
}

/// The fields of one line, by their column's place in a core's list of columns.
pub struct Fields<'a> {
    pub(super) record: &'a csv::StringRecord,
    /// Where each column stands in the file.
    pub(super) places: &'a [Option<usize>],
    pub(super) names: &'static [&'static str],
}

impl Fields<'_> {
    /// The field's text; empty if the column is absent.
    pub fn text(&self, column: usize) -> &str {
        self.places[column].and_then(|place| self.record.get(place)).unwrap_or("")
    }

    /// A number, 0 to `last`.
    pub fn number(&self, column: usize, last: u64) -> Result<u64, Refusal> {
        number(self.names[column], self.text(column), last)
    }

    /// A number, 0 to `last`, or nothing.
    pub fn optional(&self, column: usize, last: u64) -> Result<Option<u64>, Refusal> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column, last).map(Some) }
    }

    /// 0, 1 or nothing, which is 0.
    pub fn flag(&self, column: usize) -> Result<bool, Refusal> {
        Ok(self.optional(column, 1)? == Some(1))
    }

    /// The one of `choices` that the field names.
    pub fn choice<T: Copy>(&self, column: usize, choices: &[(&str, T)]) -> Result<T, Refusal> {
        let known = choices.iter().find(|(name, _)| *name == self.text(column));
        known.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.refused(column, names.join(", "))
        })
    }

    /// Refuses what stands in a column.
    pub fn refused(&self, column: usize, allowed: impl Into<String>) -> Refusal {
        Refusal::new(self.names[column], self.text(column), allowed)
    }
}

/// The text of a field that may be empty.
pub fn text<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The text of a field that is left empty where it is `empty`.
pub fn optional<T: ToString + PartialEq>(value: T, empty: T) -> String {
    text((value != empty).then_some(value))
}
