//! Permutations by seed: who sends to whom.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use respray_files::quote::Quoted;
use respray_files::range::Whole;

use crate::error::FabricError;
use crate::text::{lines, unread};

/// What the file looks like, for sentences.
pub const FORM: &str = "a CSV file, gzipped or not, with the first line nodes,seed,dst_of_0_to_n_minus_1 and behind it a line for each \
                        permutation: hosts, seed, and the destinations of hosts 0, 1, 2 and so on with spaces between";

const NODES: Whole = Whole::new(2, 65_536);
const SEEDS: Whole = Whole::new(0, u64::MAX);

/// Most destinations of a file: a thousand seeds of 65536 hosts.
const MOST_DESTINATIONS: usize = 1 << 26;

/// The permutations of a file.
#[derive(Clone, Debug, Default)]
pub struct Permutations {
    file: PathBuf,
    rows: Vec<(u32, u64, Vec<u32>)>,
}

impl Permutations {
    /// # Errors
    /// [`FabricError::Read`], [`FabricError::Line`].
    pub fn read(path: &Path) -> Result<Permutations, FabricError> {
        let mut rows = Vec::new();
        let (mut has_head, mut destinations) = (false, 0);
        for (line, text) in lines(path)?.lines().enumerate() {
            let text = text.map_err(|source| unread(path, source))?;
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let refuse =
                |message| FabricError::Line { file: path.to_path_buf(), line: line as u64 + 1, message };
            if !std::mem::replace(&mut has_head, true) {
                check_head(text).map_err(refuse)?;
                continue;
            }
            let (nodes, seed, to) = row(text).map_err(refuse)?;
            destinations += to.len();
            if destinations > MOST_DESTINATIONS {
                return Err(refuse(format!("it has more than {MOST_DESTINATIONS} destinations up to here")));
            }
            if rows.iter().any(|(of, other, _)| (*of, *other) == (nodes, seed)) {
                return Err(refuse(format!("a permutation of {nodes} hosts with seed {seed} stands above")));
            }
            rows.push((nodes, seed, to));
        }
        Ok(Permutations { file: path.to_path_buf(), rows })
    }

    /// That of a seed.
    ///
    /// # Errors
    /// [`FabricError::File`] where there is none.
    pub fn of(&self, hosts: u32, seed: u64) -> Result<&[u32], FabricError> {
        let found = self.rows.iter().find(|(nodes, of, _)| (*nodes, *of) == (hosts, seed));
        let seeds: Vec<String> = self
            .rows
            .iter()
            .filter(|(nodes, ..)| *nodes == hosts)
            .map(|(_, seed, _)| seed.to_string())
            .collect();
        found.map(|(.., to)| to.as_slice()).ok_or_else(|| {
            let allowed = match seeds.is_empty() {
                true => format!("a file with permutations of {hosts} hosts: {FORM}"),
                false => format!("seeds {}", seeds.join(", ")),
            };
            let message =
                format!("it has no permutation of {hosts} hosts with seed {seed}; allowed: {allowed}");
            FabricError::File { file: self.file.display().to_string(), message }
        })
    }
}

fn check_head(text: &str) -> Result<(), String> {
    let mut fields = text.split(',').map(str::trim);
    let is_head = (fields.next(), fields.next()) == (Some("nodes"), Some("seed")) && fields.count() == 1;
    let found = || format!("the first line is `{}`, which names no columns; allowed: {FORM}", Quoted(text));
    is_head.then_some(()).ok_or_else(found)
}

/// Hosts, seed and destinations of a line.
fn row(text: &str) -> Result<(u32, u64, Vec<u32>), String> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [nodes, seed, to] = fields.as_slice() else {
        return Err(format!("it has {} fields, and is no permutation; allowed: {FORM}", fields.len()));
    };
    let number = |name: &str, text: &str, allowed: Whole| {
        let sentence = || format!("`{name}` is `{}`; allowed: a whole number of {allowed}", Quoted(text));
        allowed.read(text).ok_or_else(sentence)
    };
    let (nodes, seed) = (number("nodes", nodes, NODES)?, number("seed", seed, SEEDS)?);
    let of_host = Whole::new(0, nodes - 1);
    let to: Vec<u32> = to
        .split_whitespace()
        .enumerate()
        .map(|(host, to)| Ok(number(&format!("destination of host {host}"), to, of_host)? as u32))
        .collect::<Result<_, String>>()?;
    if to.len() as u64 != nodes {
        return Err(format!("it has {} destinations; allowed: {nodes}", to.len()));
    }
    let mut seen = vec![false; to.len()];
    for (host, &to) in to.iter().enumerate() {
        if to as usize == host {
            return Err(format!("host {host} sends to {to}; allowed: another host"));
        }
        if std::mem::replace(&mut seen[to as usize], true) {
            return Err(format!("host {to} stands there twice"));
        }
    }
    Ok((nodes as u32, seed, to))
}
