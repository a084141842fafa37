//! Files of waves beside the page.

use std::path::Path;

use serde::Serialize;

/// A file of waves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wave {
    /// Where it is, from the folder of the page, with `/` between folders.
    pub path: String,
    pub bytes: u64,
}

/// A file of waves with what leads to it.
#[derive(Debug, Serialize)]
pub(super) struct View<'a> {
    #[serde(flatten)]
    wave: &'a Wave,
    kib: u64,
    href: String,
}

impl Wave {
    pub(super) fn view(&self) -> View<'_> {
        View { wave: self, kib: self.bytes.div_ceil(1024), href: self.href() }
    }

    /// The address from the page.
    pub(super) fn href(&self) -> String {
        href(&self.path)
    }

    /// Whether a run that says it wrote `path`, from whatever folder it ran in, means this file.
    pub(super) fn is(&self, path: &str) -> bool {
        Path::new(path).ends_with(&self.path)
    }
}

/// The address of a file from a page, by its path from the folder of the page.
pub(super) fn href(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let letter = |byte: u8| if plain(byte) { char::from(byte).into() } else { format!("%{byte:02X}") };
    // a name with a colon in front of its first slash would be read as a protocol
    "./".to_string() + &path.bytes().map(letter).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_files_of_any_name() {
        let wave = Wave { path: "a b/50% #1.fst".into(), bytes: 1025 };
        assert_eq!((wave.href().as_str(), wave.view().kib), ("./a%20b/50%25%20%231.fst", 2));
        assert!(wave.is("out/a b/50% #1.fst") && !wave.is("50% #1.fst") && !wave.is("other.fst"));
    }
}
