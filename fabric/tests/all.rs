//! The simulated fat tree, held against itself, against what can be reckoned, and against the paper's own simulator.

mod bounds;
mod engines;
mod figures;
mod flowcut;
mod hash;
mod input;
mod invariants;
mod nic;
mod ports;
mod results;
mod statistics;
mod suites;
mod whole;
mod workloads;

use respray_fabric::engine::Kind;
use respray_fabric::record::Record;
use respray_fabric::request::{Request, Unit};

/// A small scenario: eight hosts of one ToR with half a MiB each.
pub fn small() -> Request {
    Request {
        bytes: Some(1 << 19),
        selectors: vec!["reps".into()],
        engine: Kind::Golden,
        ..Request::default()
    }
}

/// The only run of a request.
pub fn unit(request: &Request) -> Unit {
    let units = request.plan().expect("the request is right");
    assert_eq!(units.len(), 1, "one selector and one seed");
    units.into_iter().next().unwrap()
}

/// Runs all of it.
pub fn records(request: &Request) -> Vec<Record> {
    let folder = tempfile::tempdir().unwrap();
    let units = request.plan().expect("the request is right");
    let run = |unit: &Unit| {
        let (record, ran, _) = unit.run(folder.path(), &mut |_, _| {}).expect("it runs");
        assert_eq!(ran.difference, None);
        record
    };
    respray_files::parallel::map(&units, run)
}

/// A mean over runs.
pub fn mean(records: &[Record], figure: impl Fn(&Record) -> f64) -> f64 {
    records.iter().map(figure).sum::<f64>() / records.len() as f64
}
