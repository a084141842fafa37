//! Configurations that together show all of the Verilog: each value of each menu is in several of them.
//!
//! Who changes how the hardware is written, and not what it is, shows with the hashes of all these files that they stay the same.
//! `cargo run -p respray-hdl --example hashes` prints them.

use std::collections::BTreeSet;

use crate::catalogue::{self, Entry};
use crate::config::{Allowed, Config, key};
use crate::examples::ecpix5;
use crate::nic::top;
use crate::shells::{self, ShellError};

/// Something that is given out, in one configuration.
#[derive(Clone, Debug)]
pub struct Corner {
    /// Name in the catalogue, or of a shell or an example.
    pub name: &'static str,
    /// What is not the default, as `--set` takes it.
    pub sets: Vec<String>,
    /// The configuration that this is.
    pub config: Config,
}

/// A key and one of its values.
type Set = (&'static str, String);

impl Corner {
    /// All files of it, one behind the other: Verilog and manifest, or the sources of a shell's wrappers. The text is the same each time.
    ///
    /// # Errors
    /// What the generator refuses.
    pub fn text(&self) -> Result<String, ShellError> {
        if shells::NAMES.contains(&self.name) {
            let wrappers = shells::generate(self.name, &self.config)?;
            let files = wrappers.into_iter().flat_map(|wrapper| wrapper.sources);
            return Ok(files.map(|(file, text)| format!("// {file}\n{text}")).collect());
        }
        let made = match self.name {
            ecpix5::NAME => ecpix5::generate(ecpix5::Length::BOARD)?,
            name => catalogue::generate(name, &self.config)?,
        };
        Ok(made.verilog + &made.manifest.json())
    }
}

/// A few corners of each core: the defaults, all keys at the low end of what they allow and all at the high end, and each word of a
/// key that has words.
pub fn quick() -> Vec<Corner> {
    let mut found = Found::default();
    catalogue::entries().filter(|entry| entry.name != top::NAME).for_each(|entry| found.few(&entry));
    found.corners
}

/// All corners: of a core each value of each key beside each value of each other key. Of the block `nic`, whose keys are those of
/// all its cores, each value of each key, and each path selector with each wire, window and bus. Of a shell both wires, and
/// the example. What `sets` lists is added of all whose keys it names.
pub fn all(sets: &[Vec<String>]) -> Vec<Corner> {
    let mut found = Found::default();
    for entry in catalogue::entries() {
        found.few(&entry);
        let is_core = entry.name != top::NAME;
        for (at, first) in entry.keys.iter().enumerate() {
            found.each(&entry, &[first]);
            for second in &entry.keys[at + 1..] {
                let is_pair =
                    is_core || *first == "nic.selector" && ["bus_bits", "nic.window"].contains(second);
                if is_pair {
                    found.each(&entry, &[first, second]);
                }
            }
        }
        if !is_core {
            found.each(&entry, &["nic.selector", "wire"]);
        }
        for set in sets {
            let is_of = |set: &String| {
                entry.keys.iter().any(|key| set.split_once('=').is_some_and(|(k, _)| k == *key))
            };
            if set.iter().any(is_of) {
                found.add(entry.name, &entry.keys, set.clone());
            }
        }
    }
    found.add(ecpix5::NAME, &[], vec![]);
    for shell in shells::NAMES {
        found.add(shell, &["wire"], vec![]);
        found.add(shell, &["wire"], vec!["wire=uet".to_string()]);
    }
    found.corners
}

#[derive(Default)]
struct Found {
    corners: Vec<Corner>,
    /// Their names, and the values of all keys that matter to them.
    known: BTreeSet<(&'static str, Vec<Option<String>>)>,
}

impl Found {
    fn few(&mut self, entry: &Entry) {
        self.each(entry, &[]);
        for end in [|values: &[String]| values.first().cloned(), |values: &[String]| values.last().cloned()] {
            let sets = entry.keys.iter().filter_map(|key| Some(format!("{key}={}", end(&values(key))?)));
            // the EV set begins at a multiple of its size, the engines of Ultra Ethernet have not every size, and a trailer is a corner of
            // its own
            let is_free = |set: &String| {
                !["selector.ev_base", "sack.acks", "uet.crc"].iter().any(|key| set.starts_with(key))
            };
            self.add(entry.name, &entry.keys, sets.filter(is_free).collect());
        }
        let has_words = |name: &&&'static str| matches!(key(name).allowed, Allowed::Words(_));
        entry.keys.iter().filter(has_words).for_each(|key| self.each(entry, &[key]));
    }

    /// Each combination of the values of these keys.
    fn each(&mut self, entry: &Entry, keys: &[&'static str]) {
        let none: Vec<Vec<Set>> = vec![vec![]];
        let all = keys.iter().fold(none, |some, key| {
            let with = |some: &Vec<Set>| {
                let some = some.clone();
                values(key).into_iter().map(move |value| [&some[..], &[(*key, value)]].concat())
            };
            some.iter().flat_map(with).collect()
        });
        for sets in all {
            let sets = sets.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
            self.add(entry.name, &entry.keys, sets);
        }
    }

    /// This corner, with the other wire if it is refused with that of the defaults, unless it is the same as another one.
    fn add(&mut self, name: &'static str, keys: &[&'static str], mut sets: Vec<String>) {
        if Config::load(None, &sets).is_err() && !sets.iter().any(|set| set.starts_with("wire=")) {
            sets.push("wire=uet".to_string());
        }
        let Ok(config) = Config::load(None, &sets) else { return };
        if self.known.insert((name, keys.iter().map(|key| config.value(key)).collect())) {
            self.corners.push(Corner { name, sets, config });
        }
    }
}

/// Values of a key: all of a menu, and of a range its ends and powers of two between them.
fn values(name: &str) -> Vec<String> {
    match key(name).allowed {
        Allowed::Menu(values) => values.iter().map(u32::to_string).collect(),
        Allowed::Words(words) => words.iter().map(ToString::to_string).collect(),
        Allowed::Range(low, high) => {
            let powers = [high.ilog2() / 2, high.ilog2()].map(|power| 1 << power);
            let values = [low].into_iter().chain(powers).chain([high]).collect::<BTreeSet<u32>>();
            values.into_iter().map(|value| value.to_string()).collect()
        }
        Allowed::Real(low, high) => [low, high].map(|value| format!("{value:?}")).into(),
    }
}
