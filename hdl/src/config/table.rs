//! From TOML and `KEY=VALUE` to a table whose keys and values are all allowed.

use super::{ConfigError, KEYS, REPS_NAMES, Selector, Wire};

/// Paths of a selector that has a set of them, where nothing is given and the EV set is no smaller.
const MOST_PATHS: u32 = 256;

pub(super) fn parse(text: &str, file: &str) -> Result<toml::Table, ConfigError> {
    text.parse::<toml::Table>().map_err(|error| ConfigError::Syntax {
        file: file.to_string(),
        line: error.span().map_or(0, |span| text[..span.start].lines().count().max(1)),
        message: error.message().replace('\n', ", "),
    })
}

/// Turns `reps.depth=16` into the table that a file with that one key would give. A value that is not TOML is a word.
pub(super) fn parse_set(set: &str) -> Result<toml::Table, ConfigError> {
    let malformed = || ConfigError::Set { given: set.to_string() };
    let (key, value) = set.split_once('=').ok_or_else(malformed)?;
    let mut value = format!("v = {value}")
        .parse::<toml::Table>()
        .ok()
        .and_then(|mut table| table.remove("v"))
        .unwrap_or_else(|| toml::Value::String(value.trim().to_string()));
    let parts: Vec<&str> = key.trim().split('.').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Err(malformed());
    }
    for part in parts[1..].iter().rev() {
        value = toml::Value::Table([(part.to_string(), value)].into_iter().collect());
    }
    Ok([(parts[0].to_string(), value)].into_iter().collect())
}

/// The name in [`KEYS`] of a key that may have another one: `selector.ev_bits` for `reps.ev_bits`.
pub fn canonical(key: &str) -> String {
    match key.split_once('.') {
        Some(("reps", name)) if REPS_NAMES.contains(&name) => format!("selector.{name}"),
        _ => key.to_string(),
    }
}

/// Holds every key of `table` against [`KEYS`].
pub(super) fn check(table: &toml::Table, prefix: &str, place: &str) -> Result<(), ConfigError> {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        let section = format!("{key}.");
        match (KEYS.iter().find(|known| known.name == canonical(&key)), value) {
            (Some(known), value) if known.allowed.holds(value) => {}
            (Some(known), value) => {
                return Err(ConfigError::Value {
                    place: place.to_string(),
                    key,
                    value: value.to_string(),
                    allowed: known.allowed.to_string(),
                });
            }
            (None, toml::Value::Table(inner)) if KEYS.iter().any(|k| k.name.starts_with(&section)) => {
                check(inner, &section, place)?;
            }
            _ => return Err(ConfigError::UnknownKey { place: place.to_string(), key }),
        }
    }
    Ok(())
}

/// Moves what is called `reps.ev_base` and the like to `selector`, and gives the section that `ev_base` was called by.
pub(super) fn under_one_name(table: &mut toml::Table, place: &str) -> Result<&'static str, ConfigError> {
    let mut called = "selector";
    for name in REPS_NAMES {
        let reps = table.get_mut("reps").and_then(toml::Value::as_table_mut);
        let Some(value) = reps.and_then(|reps| reps.remove(name)) else { continue };
        let section = table.entry("selector").or_insert_with(|| toml::Table::new().into());
        let section = section.as_table_mut().expect("`check` holds sections to be tables");
        match section.get(name) {
            Some(other) if *other != value => {
                return Err(ConfigError::Contradiction {
                    place: place.to_string(),
                    name,
                    reps: value.to_string(),
                    selector: other.to_string(),
                });
            }
            _ => section.insert(name.to_string(), value),
        };
        if name == "ev_base" {
            called = "reps";
        }
    }
    Ok(called)
}

/// A key whose default follows from another one.
struct Follower {
    section: &'static str,
    key: &'static str,
    /// What it is where nothing is given, by the configuration without it.
    follows: fn(&toml::Table) -> u32,
}

/// These keys.
const FOLLOWERS: [Follower; 4] = [
    Follower { section: "selector", key: "ev_bits", follows: ev_bits },
    Follower { section: "sack", key: "psn_bits", follows: |table| wire(table).psn_bits() },
    Follower { section: "strack", key: "paths", follows: paths },
    Follower { section: "bitmap", key: "paths", follows: paths },
];

/// The wire profile of a configuration.
fn wire(table: &toml::Table) -> Wire {
    table.get("wire").and_then(|wire| wire.clone().try_into().ok()).unwrap_or(Wire::Strack)
}

/// A number that the table has.
fn given(table: &toml::Table, section: &str, key: &str) -> Option<u32> {
    table.get(section)?.get(key)?.as_integer()?.try_into().ok()
}

/// All EVs, or those of the paths, where these are given and the set does not begin at 0.
fn ev_bits(table: &toml::Table) -> u32 {
    match (given(table, "selector", "ev_base"), given(table, "strack", "paths")) {
        (Some(1..), Some(paths)) => paths.ilog2(),
        _ => Selector::default().ev_bits,
    }
}

/// The usual number of paths, or all EVs of a smaller set.
fn paths(table: &toml::Table) -> u32 {
    MOST_PATHS.min(1 << given(table, "selector", "ev_bits").unwrap_or_else(|| ev_bits(table)))
}

/// Gives each key that follows from another one its value, where no other is given.
pub(super) fn follow(table: &mut toml::Table) {
    for Follower { section, key, follows, .. } in FOLLOWERS {
        let value = follows(table);
        let section = table.entry(section).or_insert_with(|| toml::Table::new().into());
        let section = section.as_table_mut().expect("`check` holds sections to be tables");
        section.entry(key).or_insert(value.into());
    }
}

/// Takes out of the table of a configuration what would follow as it is. The last follower is looked at first: paths follow the
/// EV set, which in turn follows them only where nothing else gives it.
pub(super) fn unfollow(table: &mut toml::Table) {
    let whole = table.clone();
    for Follower { section, key, .. } in FOLLOWERS.iter().rev() {
        let mut without = table.clone();
        without[*section].as_table_mut().and_then(|section| section.remove(*key));
        let mut followed = without.clone();
        follow(&mut followed);
        if followed == whole {
            *table = without;
        }
    }
}

pub(super) fn merge(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(value)) => merge(inner, value),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}
