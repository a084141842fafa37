//! Names for a design that holds a core more than once.

use std::fmt;
use std::str::FromStr;

use crate::emit::is_identifier;

/// Most characters of a prefix: names of modules and files stay readable, and short enough for every file system.
const LONGEST: usize = 40;

/// What stands before the names of all modules of a core, so that one design can hold it in two configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix(Option<String>);

/// Why a text is no prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefixError;

impl Prefix {
    /// The name of a module with the prefix: `nic0_reps` of `reps`. Without a prefix, the name as it is.
    pub fn name(&self, module: &str) -> String {
        match &self.0 {
            Some(prefix) => format!("{prefix}_{module}"),
            None => module.to_string(),
        }
    }
}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Prefix, PrefixError> {
        let is_prefix = is_identifier(text) && text.len() <= LONGEST;
        if is_prefix { Ok(Prefix(Some(text.to_string()))) } else { Err(PrefixError) }
    }
}

impl fmt::Display for PrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "allowed are up to {LONGEST} letters, digits and _, a letter or _ first, and no keyword of Verilog"
        )
    }
}

impl std::error::Error for PrefixError {}
