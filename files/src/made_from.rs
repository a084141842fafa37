//! What the figures of a page were made from: a hash of each design, so that anybody can see whether the design has changed since.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::entry::key;

/// Hexadecimal digits of a hash on a page.
const DIGITS: usize = 16;
const BEGIN: &str = "<!-- begin made from -->";
const END: &str = "<!-- end made from -->";
const FENCE: &str = "```";
/// What stands behind the hash of a design that has changed since.
const CHANGED: &str = "changed since";

/// The hash of a design's Verilog. Comments and empty lines are left out, since they change no figure.
#[must_use]
pub fn hash(verilog: &str) -> String {
    let code = verilog.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    let code: Vec<&str> = code.filter(|line| !line.is_empty()).collect();
    let mut hash = key(&code);
    hash.truncate(DIGITS);
    hash
}

/// The hash of each design, by the design's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFrom(pub BTreeMap<String, String>);

impl MadeFrom {
    /// What a page says that it was made from, and where in the page it says so. `None` where it says nothing.
    #[must_use]
    pub fn read(page: &str) -> Option<(MadeFrom, Range<usize>)> {
        let begin = page.find(BEGIN)?;
        let end = begin + page[begin..].find(END)? + END.len();
        let rows = page[begin..end].split(FENCE).nth(1)?.lines().skip(1);
        let row = |line: &str| {
            let line = line.trim_end();
            let line = line.strip_suffix(CHANGED).unwrap_or(line).trim_end();
            line.rsplit_once(' ').map(|(name, hash)| (name.trim_end().to_string(), hash.to_string()))
        };
        Some((MadeFrom(rows.filter_map(row).collect()), begin..end))
    }

    /// The names of the designs whose hash is another one now. A design that is gone has none.
    pub fn changed(&self, now: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let is_changed = |(name, hash): &(&String, &String)| now(name).as_ref() != Some(*hash);
        self.0.iter().filter(is_changed).map(|(name, _)| name.clone()).collect()
    }

    /// The part of a page that says what its figures were made from, and which of these designs have changed since.
    #[must_use]
    pub fn block(&self, changed: &[String]) -> String {
        let widest = self.0.keys().map(String::len).max().unwrap_or(0);
        let row = |(name, hash): (&String, &String)| {
            let since = if changed.contains(name) { format!("  {CHANGED}") } else { String::new() };
            format!("{name:widest$}  {hash}{since}\n")
        };
        let rows: String = self.0.iter().map(row).collect();
        format!(
            "{BEGIN}\n\nThe figures were made from these designs. Behind each name stands a hash of the design's code without \
             comments, and\nwhether the code has changed since.\n\n{FENCE}text\n{rows}{FENCE}\n\n{END}"
        )
    }

    /// The page with this part as it is now.
    /// `None` where it has no such part.
    pub fn refreshed(page: &str, now: impl Fn(&str) -> Option<String>) -> Option<String> {
        let (made_from, place) = MadeFrom::read(page)?;
        let block = made_from.block(&made_from.changed(now));
        Some([&page[..place.start], &block, &page[place.end..]].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(&str, &str)]) -> MadeFrom {
        MadeFrom(rows.iter().map(|(name, hash)| (name.to_string(), hash.to_string())).collect())
    }

    #[test]
    fn comments_change_no_hash_and_code_does() {
        let text = "module a (\n);\n  assign b = c; // why\n\nendmodule\n";
        assert_eq!(hash(text), hash("// head\nmodule a (\n);\n  assign b = c;\nendmodule\n"));
        assert_ne!(hash(text), hash(&text.replace("b = c", "b = d")));
        assert_eq!(hash(text).len(), DIGITS);
    }

    #[test]
    fn what_a_page_says_is_read_again() {
        let made_from = of(&[("reps", "00ff"), ("nic connections=16", "aa00")]);
        for changed in [vec![], vec!["reps".to_string()]] {
            let page = format!("# Page\n\n{}\n\nMore.\n", made_from.block(&changed));
            let (read, place) = MadeFrom::read(&page).unwrap();
            assert_eq!(read, made_from);
            assert_eq!(page[..place.start], *"# Page\n\n");
            assert_eq!(page[place.end..], *"\n\nMore.\n");
            let told = page.lines().filter(|line| line.ends_with(&format!("  {CHANGED}"))).count();
            assert_eq!(told, changed.len(), "{page}");
        }
        assert_eq!(MadeFrom::read("# Page\n"), None);
    }

    #[test]
    fn a_design_that_is_another_one_or_gone_is_told() {
        let page = of(&[("ecmp", "11"), ("plb", "22"), ("reps", "33")]).block(&[]);
        let now = |name: &str| {
            Some(if name == "ecmp" { "12" } else { "22" }.to_string()).filter(|_| name != "reps")
        };
        let refreshed = MadeFrom::refreshed(&page, now).unwrap();
        let told: Vec<&str> = refreshed.lines().filter(|line| line.ends_with(CHANGED)).collect();
        assert!(told.len() == 2 && told[0].starts_with("ecmp") && told[1].starts_with("reps"), "{refreshed}");
        assert_eq!(
            MadeFrom::refreshed(&refreshed, |name| Some(
                if name == "ecmp" {
                    "11"
                } else if name == "plb" {
                    "22"
                } else {
                    "33"
                }
                .into()
            ))
            .unwrap(),
            page
        );
    }
}
