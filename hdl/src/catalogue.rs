//! All that is given out: each core by itself, and the block `nic` that joins them.

use crate::config::{self, Allowed, Config, KEYS};
use crate::cores::prefix::Prefix;
use crate::cores::{self, CORES, GenerateError, REGISTRY};
use crate::manifest::Generated;
use crate::nic::{registers, selector, top};

const COUNT: usize = CORES.len() + 1;

/// Names of all that is given out: the cores, and the block behind them.
pub const NAMES: &[&str] = &names();

const fn names() -> [&'static str; COUNT] {
    let mut names = [top::NAME; COUNT];
    let mut at = 0;
    while at < CORES.len() {
        names[at] = CORES[at];
        at += 1;
    }
    names
}

/// Something that is given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its one word.
    pub name: &'static str,
    /// What it is and does.
    pub about: &'static str,
    /// Configuration keys that change it.
    pub keys: Vec<&'static str>,
}

/// All that is given out, in the order of [`NAMES`].
pub fn entries() -> impl Iterator<Item = Entry> {
    let cores =
        REGISTRY.iter().map(|core| Entry { name: core.name, about: core.about, keys: core.keys.to_vec() });
    let keys = KEYS.iter().map(|key| key.name).filter(|key| is_of_nic(key)).collect();
    cores.chain([Entry { name: top::NAME, about: top::ABOUT, keys }])
}

/// Whether a key changes the block `nic`: its engines are joined as they are without parity, for ACKs of STrack and packets without a
/// trailer, and of what only some cores heed it has those keys whose core it has, or may have as its selector.
fn is_of_nic(key: &str) -> bool {
    let Allowed::Words(selectors) = config::key("nic.selector").allowed else {
        unreachable!("it names cores")
    };
    let section = key.split_once('.').map(|(section, _)| section);
    let core = REGISTRY.iter().find(|core| Some(core.name) == section);
    !["protect", "sack.acks", "uet.crc"].contains(&key)
        && core.is_none_or(|core| core.is_of_nic || selectors.contains(&core.name))
}

/// Verilog and manifest of `name` as `config` describes it. The same input gives the same bytes.
///
/// # Errors
/// A name that is not in [`NAMES`], or a size off the menu, which `Config::load` refuses already.
pub fn generate(name: &str, config: &Config) -> Result<Generated, GenerateError> {
    generate_named(name, config, &Prefix::default())
}

/// As [`generate`], with `prefix` before the names of all modules.
///
/// # Errors
/// As [`generate`] has them.
pub fn generate_named(name: &str, config: &Config, prefix: &Prefix) -> Result<Generated, GenerateError> {
    match name {
        top::NAME => top::generate(config, prefix),
        _ if CORES.contains(&name) => cores::generate_named(name, config, prefix),
        _ => Err(GenerateError::Unknown { name: name.to_string(), known: NAMES }),
    }
}

/// What is written beside the Verilog and the manifest of `name`, as names of files and their texts: of the block the
/// descriptions of its registers.
pub fn beside(name: &str, config: &Config, prefix: &Prefix) -> Vec<(String, String)> {
    match name {
        top::NAME => registers::texts::files(config, selector(config), prefix).into(),
        _ => vec![],
    }
}
