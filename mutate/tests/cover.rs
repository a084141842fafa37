//! Points that the runs of the cores hit, and one that they do not.

use std::path::Path;

use respray_cosim::cores::CORES;
use respray_files::made_from::MadeFrom;
use respray_hdl::catalogue::{NAMES, generate};
use respray_hdl::config::{Config, Wire};
use respray_hdl::corners;
use respray_hdl::nic::top::NAME;
use respray_mutate::cover::report::Report;
use respray_mutate::cover::{Covered, Request, covered, points, sizes};
use respray_mutate::lint::refused;
use respray_mutate::runs::Plan;
use respray_mutate::texts::watched;
use respray_mutate::verilog::sites;

/// What the rounds up to a stage hit in a core.
fn hits(core: &str, cycles: u64, stage: usize, toggles: bool, sizes: bool) -> Covered {
    hits_in(&Config::default(), core, cycles, stage, toggles, sizes)
}

/// The same in a configuration.
fn hits_in(config: &Config, core: &str, cycles: u64, stage: usize, toggles: bool, sizes: bool) -> Covered {
    let generated = generate(core, config).unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // which are of the usual wire
    let recordings = (config.wire == Wire::Strack).then(|| project.join("tb/recordings"));
    let plan = Plan { cycles, seed: 1, recordings };
    covered(&generated, &Request { plan, stage, toggles, sizes }, &|_, _| {})
        .unwrap_or_else(|error| panic!("{error}"))
}

fn report(cores: Vec<Covered>) -> Report {
    let (commit, date) = ("0".to_string(), "2026-01-01".to_string());
    Report::new(cores, MadeFrom::default(), Config::default(), 1, commit, date).unwrap()
}

/// Each point of these cores is hit in the short runs and on the recordings.
#[test]
fn short_runs_hit_each_point_of_an_engine() {
    for core in ["reps", "flowcut"] {
        let covered = hits(core, 20_000, 1, false, false);
        let never: Vec<_> = covered.never_hit().collect();
        assert!(never.is_empty() && covered.points.len() > 15, "{core}: {never:?}");
    }
}

#[test]
#[ignore = "minutes: every core, all rounds"]
fn runs_hit_each_point_of_every_core() {
    let cores = NAMES.iter().map(|core| hits(core, 1_000_000, 3, false, true)).collect();
    let report = report(cores);
    assert!(report.is_whole(), "{}", report.text());
}

/// Where other ops are taken, there are other points.
#[test]
#[ignore = "a model of its own, with the long tests"]
fn random_ops_hit_each_point_of_the_receiver_of_ultra_ethernet() {
    let sets = ["wire=uet", "sack.acks=uet"].map(str::to_string);
    let covered = hits_in(&Config::load(None, &sets).unwrap(), "sack_rx", 1_000_000, 2, false, false);
    let never: Vec<_> = covered.never_hit().collect();
    let has = |name: &str| covered.points.iter().any(|point| point.point == name);
    assert!(
        never.is_empty() && has("op_answer") && has("nack_21") && has("ack_of_the_last_gap"),
        "{never:?}"
    );
}

/// What the lint says of a core in a configuration with its points, each of which is a condition on signals of the Verilog, and whether
/// it has them all.
fn lint_with_points(core: &str, config: &Config) -> Result<usize, String> {
    let generated = generate(core, config).unwrap();
    let (points, _) = points::of(&generated);
    let verilog = watched(&generated).map_err(|error| error.to_string())?.unwrap_or(generated.verilog);
    let with_points = points::beside(core, &verilog, &points);
    let said = refused(core, &with_points, &sites(&with_points), &[]);
    said.map(|_| points.len()).map_err(|error| error.to_string())
}

/// All that a block can have beside what it has at its defaults, each with points of its own.
const WITH_ALL: [&str; 5] = [
    "nic.rx_credit=frames",
    "nic.events=frames",
    "nic.rss_port=stable",
    "nic.peer_table=on",
    "nic.close=graceful",
];

#[test]
fn the_points_of_a_block_with_all_that_it_can_have_are_conditions_on_its_signals() {
    let config = Config::load(None, &WITH_ALL.map(str::to_string)).unwrap();
    let points = lint_with_points(NAME, &config).unwrap_or_else(|error| panic!("{error}"));
    let at_defaults = points::of(&generate(NAME, &Config::default()).unwrap()).0.len();
    assert!(points > at_defaults + 30, "{points} points, and {at_defaults} at the defaults");
}

#[test]
fn the_points_of_the_block_of_ultra_ethernet_are_conditions_on_its_signals() {
    let config = Config::load(None, &["wire=uet", "sack.acks=uet"].map(str::to_string)).unwrap();
    let points = lint_with_points(NAME, &config).unwrap_or_else(|error| panic!("{error}"));
    let at_defaults = points::of(&generate(NAME, &Config::default()).unwrap()).0.len();
    assert!(points > at_defaults + 20, "{points} points, and {at_defaults} at the defaults");
}

/// And a condition on a wire that the Verilog has not is found.
#[test]
fn a_point_of_a_wire_that_is_gone_is_found() {
    let generated = generate("ecmp", &Config::default()).unwrap();
    let (mut points, _) = points::of(&generated);
    points[0].when = "wire_that_is_gone".to_string();
    let with_points = points::beside("ecmp", &generated.verilog, &points);
    let found = refused("ecmp", &with_points, &sites(&with_points), &[]).unwrap_err().to_string();
    assert!(found.contains("wire_that_is_gone"), "{found}");
}

#[test]
#[ignore = "lints every core and the block in hundreds of configurations"]
fn the_points_of_every_core_are_conditions_on_its_signals_in_every_configuration() {
    let of_cores = corners::all(&[]).into_iter().filter(|corner| NAMES.contains(&corner.name));
    let faults: Vec<String> = of_cores
        .filter_map(|corner| {
            let error = lint_with_points(corner.name, &corner.config).err()?;
            Some(format!("{} {}: {error}", corner.name, corner.sets.join(" ")))
        })
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Of a run that is too short some points are never hit: the report says which, and that it failed. Bits that toggle are counted.
#[test]
fn a_point_that_is_never_hit_is_told() {
    let covered = hits("sack_rx", 1, 0, true, false);
    let (toggled, bits) = covered.bits.expect("they were counted");
    assert!(0 < toggled && toggled <= bits, "{toggled} of {bits}");
    let never = covered.never_hit().next().expect("a window is not filled in so short a run").point.clone();
    let report = report(vec![covered]);
    assert!(!report.is_whole());
    assert!(report.text().contains(&format!("never hit: {never}: ")), "{}", report.text());
    assert!(report.text().ends_with("FAILED: a point was never hit\n"));
    assert!(report.markdown().contains(&format!("| `{never}` |")), "{}", report.markdown());
}

/// Rounds of all paths, whole windows, lists that fill up: what random ops come to at the smallest sizes they come to
/// at the default ones, too.
fn hit_when_small_alone(core: &str, cycles: u64, knobs: &[&str]) -> Vec<String> {
    let generated = generate(core, &Config::default()).unwrap();
    let knobs: Vec<String> = knobs.iter().map(|knob| knob.to_string()).collect();
    let found = sizes::random(&generated, 1, cycles, &knobs).unwrap().expect("the core takes ops");
    println!("{core}: {found:?}");
    assert!(found.hit > 0);
    found.only_small
}

#[test]
fn random_ops_hit_at_the_default_sizes_what_they_hit_at_the_smallest() {
    assert_eq!(hit_when_small_alone("mixed", 1_000_000, &[]), Vec::<String>::new());
    let without = hit_when_small_alone("mixed", 1_000_000, &["deep_share=0"]);
    assert!(without.contains(&"gave_up_high".to_string()), "without deep phases: {without:?}");
}

#[test]
#[ignore = "minutes: every core that takes ops, at two sizes"]
fn random_ops_of_every_core_hit_at_the_default_sizes_what_they_hit_at_the_smallest() {
    let found = |knobs: &[&str]| -> Vec<_> {
        CORES.iter().map(|core| (*core, hit_when_small_alone(core, 1_000_000, knobs))).collect()
    };
    let without: usize = found(&["deep_share=0"]).iter().map(|(_, points)| points.len()).sum();
    let found: Vec<_> = found(&[]).into_iter().filter(|(_, points)| !points.is_empty()).collect();
    assert!(found.is_empty() && without > 0, "{found:?}");
}
