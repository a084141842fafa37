//! `respray new-core`: the skeleton of a path selector.

mod edits;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use respray_files::output::write_all;
use respray_hdl::catalogue;
use respray_hdl::config::PathSelector;
use respray_hdl::emit::is_identifier;

use self::edits::{EDITS, Edit, MODEL, Put};
use crate::args::{ExitStatus, Refusal};
use crate::output::Results;

/// Words of Rust that are no words of Verilog.
const RUST_WORDS: [&str; 28] = [
    "as", "async", "await", "box", "crate", "dyn", "fn", "gen", "impl", "in", "let", "loop", "match", "mod",
    "move", "mut", "pub", "ref", "self", "trait", "try", "unsafe", "use", "where", "yield", "core", "std",
    "alloc",
];
const LONGEST: usize = 16;

#[derive(Args)]
pub struct NewCore {
    /// Name of the core: a word of lower-case letters and digits, a letter first, of at most 16 characters.
    #[arg(value_name = "NAME")]
    name: Name,
    /// Folder of the project, with hdl/, golden/, cosim/ and docs/.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
}

/// The name of a core, as the files have it.
#[derive(Clone, Debug)]
struct Name(String);

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        let is_plain = text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
        if !is_plain || !is_identifier(text) || text.len() > LONGEST || RUST_WORDS.contains(&text) {
            return Err(format!(
                "allowed are up to {LONGEST} lower-case letters and digits, a letter first, and no word of Rust or Verilog"
            ));
        }
        if catalogue::NAMES.contains(&text) {
            return Err("there is such a core; allowed is a new name".into());
        }
        Ok(Name(text.to_string()))
    }
}

impl Name {
    /// The name as that of a type.
    fn of_type(&self) -> String {
        let (first, rest) = self.0.split_at(1);
        first.to_uppercase() + rest
    }

    /// A text about the model as one about the new core.
    fn instead_of_model(&self, text: &str) -> String {
        let (first, rest) = MODEL.split_at(1);
        text.replace(MODEL, &self.0)
            .replace(&(first.to_uppercase() + rest), &self.of_type())
            .replace(&MODEL.to_uppercase(), &self.0.to_uppercase())
    }

    /// A text with the words of [`Put::With`].
    fn filled(&self, text: &str) -> String {
        let code = PathSelector::NAMES.len();
        let last = PathSelector::NAMES[code - 1];
        text.replace("{name}", &self.0)
            .replace("{Type}", &self.of_type())
            .replace("{code}", &code.to_string())
            .replace("{count}", &(code + 1).to_string())
            .replace("{last}", last)
    }
}

impl NewCore {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let mut texts = BTreeMap::new();
        for edit in EDITS {
            self.apply(edit, &mut texts)?;
        }
        let files: Vec<(PathBuf, Vec<u8>)> =
            texts.into_iter().map(|(file, text)| (self.project.join(file), text.into_bytes())).collect();
        write_all(&files)?;
        let written = files.iter().map(|(path, _)| format!("{}\n", path.display()));
        let name = &self.name.0;
        let next = format!(
            "\n`{name}` is a copy of `{MODEL}`. Next:\n  \
             cargo fmt --all\n  \
             cargo build --profile checks --locked\n  \
             target/checks/respray generate -o generated\n  \
             target/checks/respray docs\n  \
             target/checks/respray cosim --core {name} --random 100000\n\
             docs/add-a-core.md says what is written by hand, and how to try a change within a minute.\n"
        );
        Results::text(written.chain([next]).collect::<String>()).hand_out()?;
        Ok(ExitStatus::Success)
    }

    /// Changes the text of a file, which is read where no edit before has changed it.
    fn apply(&self, edit: &Edit, texts: &mut BTreeMap<String, String>) -> Result<(), String> {
        let read = |file: &str| {
            let path = self.project.join(file);
            std::fs::read_to_string(&path).map_err(|error| {
                format!("{}: cannot be read: {error}; allowed: the folder of the project", path.display())
            })
        };
        let so_far = |file: &str| texts.get(file).cloned().map_or_else(|| read(file), Ok);
        match edit {
            Edit::Copy { from, changes } => {
                let file = self.name.instead_of_model(from);
                let path = self.project.join(&file);
                if path.exists() {
                    return Err(format!("{}: is there already; nothing was written", path.display()));
                }
                let mut text = read(from)?;
                let mut kept = Vec::new();
                for (at, (old, new)) in changes.iter().enumerate() {
                    let mark = format!("\0{at}\0");
                    text = replaced(from, &text, old, &mark)?;
                    kept.push((mark, self.name.filled(new)));
                }
                let text = self.name.instead_of_model(&text);
                let text = kept.iter().fold(text, |text, (mark, new)| text.replace(mark, new));
                texts.insert(file, text);
            }
            Edit::Change { file, find, put } => {
                let text = so_far(file)?;
                let text = match put {
                    Put::Again => {
                        replaced(file, &text, find, &format!("{find}{}", self.name.instead_of_model(find)))?
                    }
                    Put::AgainBehind(place) => {
                        once(file, &text, find)?;
                        replaced(file, &text, place, &format!("{place}{}", self.name.instead_of_model(find)))?
                    }
                    Put::With(new) => replaced(file, &text, &self.name.filled(find), &self.name.filled(new))?,
                };
                texts.insert((*file).to_string(), text);
            }
            Edit::Block { file, begin, end } => {
                let text = so_far(file)?;
                once(file, &text, begin)?;
                let from = text.find(begin).unwrap_or_default();
                let length = text[from..].find(end).ok_or_else(|| lacks(file, end))? + end.len();
                let (before, behind) = text.split_at(from + length);
                let block = self.name.instead_of_model(&before[from..]);
                texts.insert((*file).to_string(), format!("{before}{block}{behind}"));
            }
        }
        Ok(())
    }
}

fn lacks(file: &str, text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    format!("{file}: does not have once what the skeleton is put beside: `{line}`; nothing was written")
}

/// # Errors
/// If a file does not have a text exactly once.
fn once(file: &str, text: &str, find: &str) -> Result<(), String> {
    if text.matches(find).count() == 1 { Ok(()) } else { Err(lacks(file, find)) }
}

fn replaced(file: &str, text: &str, find: &str, put: &str) -> Result<String, String> {
    once(file, text, find)?;
    Ok(text.replacen(find, put, 1))
}
