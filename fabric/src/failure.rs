//! Links that fail: what a port does for some time in place of sending what it is given.

use std::collections::HashSet;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::index::sample;
use respray_files::quote::Quoted;
use respray_files::range::Real;
use serde::Serialize;

use crate::error::FabricError;
use crate::time::{self, Picoseconds};
use crate::topology::Map;

/// What fails of a port.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// What arrives is lost: data alone, or control packets too.
    Down { data_only: bool },
    /// The port has this share of its rate, of its queue and of its thresholds.
    Rate(f64),
    /// A packet that arrives is lost with this probability.
    Loss(f64),
}

/// A fault, where it is and how long it lasts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// As the user wrote it.
    pub text: String,
    target: String,
    pub fault: Fault,
    pub from: Picoseconds,
    /// None: for good.
    pub until: Option<Picoseconds>,
}

/// The share of its rate that a port may have, the probability with which it may lose a packet, and the percentage of the ToRs' up-links
/// that may fail.
const RATE: Real = Real::new(0.001, 1.0);
const LOSS: Real = Real::above(0.0, 1.0);
const SHARE: Real = Real::above(0.0, 100.0);

/// Most failures of a run.
pub const MOST: usize = 1000;

/// What a failure looks like, for sentences.
pub fn form() -> String {
    format!(
        "TARGET=down@FROM..UNTIL:data, =down@FROM..UNTIL:all, =rate=SHARE of {RATE} or =p=PROBABILITY {LOSS}, the last two with \
         @FROM..UNTIL where they do not hold for good; FROM and UNTIL are times, {}",
        time::FORM
    )
}

impl Failure {
    /// Reads `tor0.up1=down@100us..200us:data`, `link:tor0.up0=rate=0.5`, `5%=p=1e-4`.
    ///
    /// # Errors
    /// [`FabricError::Failure`].
    pub fn parse(text: &str) -> Result<Failure, FabricError> {
        let refuse = |message: String| FabricError::Failure { text: Quoted(text).to_string(), message };
        let form = || refuse(format!("allowed: {}", form()));
        let (target, what) = text.split_once('=').ok_or_else(form)?;
        let (kind, rest) = what.split_once(['@', '=']).unwrap_or((what, ""));
        let (value, times) = match kind {
            "down" => (None, (!rest.is_empty()).then_some(rest)),
            _ => match rest.split_once('@') {
                Some((value, times)) => (Some(value), Some(times)),
                None => (Some(rest), None),
            },
        };
        let (times, lost) = match times.and_then(|times| times.rsplit_once(':')) {
            Some((times, lost)) if kind == "down" => (Some(times), lost),
            _ => (times, "data"),
        };
        let share = |allowed: Real| {
            let value = value.unwrap_or_default();
            let sentence = || refuse(format!("`{kind}` is `{}`; allowed: {allowed}", Quoted(value)));
            allowed.read(value).ok_or_else(sentence)
        };
        let fault = match (kind, lost) {
            ("down", "data") => Fault::Down { data_only: true },
            ("down", "all") => Fault::Down { data_only: false },
            ("rate", _) => Fault::Rate(share(RATE)?),
            ("p", _) => Fault::Loss(share(LOSS)?),
            _ => return Err(form()),
        };
        let time = |text: &str| {
            let sentence = || refuse(format!("`{}` is no time; allowed: {}", Quoted(text), time::FORM));
            time::parse(text).ok_or_else(sentence)
        };
        let (from, until) = match times {
            None => (0, None),
            Some(times) => match times.split_once("..") {
                None => (time(times)?, None),
                Some((from, "")) => (time(from)?, None),
                Some((from, until)) => (time(from)?, Some(time(until)?)),
            },
        };
        if until.is_some_and(|until| until <= from) {
            return Err(refuse("it ends before it begins; allowed: FROM before UNTIL".into()));
        }
        Ok(Failure { text: text.to_string(), target: target.to_string(), fault, from, until })
    }

    /// The ports that it is of. A share of the ToRs' up-links is drawn by the seed.
    ///
    /// # Errors
    /// [`FabricError::Failure`] where there is nothing of that name.
    pub fn ports(&self, map: &Map, seed: u64) -> Result<Vec<u32>, FabricError> {
        let refuse = |message: String| FabricError::Failure { text: Quoted(&self.text).to_string(), message };
        if let Some(share) = self.target.strip_suffix('%') {
            let share = SHARE.read(share).ok_or_else(|| {
                refuse(format!("the share is `{}`; allowed: {SHARE}, and %", Quoted(&self.target)))
            })?;
            let uplinks: Vec<u32> = map.tor_uplinks().collect();
            let count = (share / 100.0 * uplinks.len() as f64).round().max(1.0) as usize;
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            return Ok(sample(&mut random, uplinks.len(), count)
                .iter()
                .map(|place| uplinks[place])
                .collect());
        }
        let both = self.target.strip_prefix("link:");
        if let Some(port) = map.port(both.unwrap_or(&self.target)) {
            let back = both.map(|_| map.wires[port as usize].back);
            return Ok([port].into_iter().chain(back).collect());
        }
        let of_switch = if both.is_none() { map.ports_around(&self.target) } else { None };
        of_switch.ok_or_else(|| refuse(map.unknown(&self.target)))
    }
}

/// Holds failures against each other: faults of one kind on one port must not overlap, since the end of the first would end both.
///
/// # Errors
/// [`FabricError::Failure`].
pub fn check_apart(failures: &[(Failure, Vec<u32>)]) -> Result<(), FabricError> {
    for (place, (a, of_a)) in failures.iter().enumerate() {
        for (b, of_b) in &failures[..place] {
            let same_kind = std::mem::discriminant(&a.fault) == std::mem::discriminant(&b.fault);
            let ends = |failure: &Failure| failure.until.unwrap_or(Picoseconds::MAX);
            let overlap = a.from <= ends(b) && b.from <= ends(a);
            if same_kind && overlap && meet(of_a, of_b) {
                let message = format!(
                    "it meets `{}` on the same port at the same time; allowed: one after the other",
                    Quoted(&b.text)
                );
                return Err(FabricError::Failure { text: Quoted(&a.text).to_string(), message });
            }
        }
    }
    Ok(())
}

/// Whether two lists have a port in common.
fn meet(a: &[u32], b: &[u32]) -> bool {
    let b: HashSet<&u32> = b.iter().collect();
    a.iter().any(|port| b.contains(port))
}
