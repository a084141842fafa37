//! The gate on the accepted figures, seen to pass and to fail.

use std::fs;
use std::path::Path;

use crate::common::{FINDER_PORTS, bench, engine, generated};
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use respray_synth::baseline::{Baseline, Difference};
use respray_synth::device::Target;
use respray_synth::fmax::Verdict;
use respray_synth::report::{Report, Request, instances, made_from, measure, tables};
use respray_synth::run::{Finished, Options, run};

fn tree(core: &str, _: &Config) -> Result<Generated, String> {
    match core {
        "engine" => Ok(engine(str::to_string)),
        "finder" => Ok(generated(include_str!("common/first_zero.v"), "finder", &FINDER_PORTS)),
        _ => Err(format!("no core {core}")),
    }
}

fn chain(core: &str, config: &Config) -> Result<Generated, String> {
    match core {
        "finder" => Ok(generated(include_str!("common/first_zero_chain.v"), "finder", &FINDER_PORTS)),
        _ => tree(core, config),
    }
}

type Maker = fn(&str, &Config) -> Result<Generated, String>;

fn figures(make: Maker) -> Report {
    let targets = ["u50", "u55c", "ecp5"].map(|name| name.parse::<Target>().unwrap()).to_vec();
    let request = Request {
        instances: instances(&["engine", "finder"], &Config::default()),
        targets,
        place: false,
        sweeps: Vec::new(),
        sweep_targets: Vec::new(),
    };
    measure(&bench(), &request, &make, &|_, _, _| {}).unwrap()
}

#[test]
fn a_chain_in_place_of_a_tree_fails_the_gate_which_names_the_core() {
    let accepted = Baseline::of(&figures(tree), "2026-11-22").unwrap();
    let same =
        accepted.compare(&Baseline::of(&figures(tree), "2026-11-22").unwrap(), Path::new("b")).unwrap();
    assert!(same.iter().all(|difference| !difference.fails && difference.accepted == difference.now));
    assert_eq!(same.len(), 24, "twelve figures of each core");
    let broken =
        accepted.compare(&Baseline::of(&figures(chain), "2026-11-22").unwrap(), Path::new("b")).unwrap();
    let mut with_ice40 = figures(tree);
    with_ice40.tools.push("nextpnr-ice40 0.1 (PATH)".into());
    let with_ice40 = Baseline::of(&with_ice40, "2026-11-22").unwrap();
    assert_eq!(with_ice40.tools.keys().collect::<Vec<_>>(), ["nextpnr-ecp5", "yosys"]);
    let failing: Vec<&Difference> = broken.iter().filter(|difference| difference.fails).collect();
    assert!(failing.iter().all(|difference| difference.core == "finder"), "{failing:?}");
    for figure in ["lut", "levels", "nominal_ns", "comb", "fmax_mhz"] {
        assert!(failing.iter().any(|difference| difference.figure == figure), "{figure}: {failing:?}");
    }
}

#[test]
fn a_report_has_every_core_and_target_in_its_tables() {
    let report = figures(tree);
    let text: String = tables(&report).iter().map(|table| table.text()).collect();
    println!("{text}");
    for row in ["engine", "finder", "u50", "u55c", "ECP5 85k", "levels", "Fmax"] {
        assert!(text.contains(row), "{row}");
    }
    assert!(
        report.tools.iter().any(|tool| tool.starts_with("yosys ") && tool.ends_with(')')),
        "{:?}",
        report.tools
    );
}

#[test]
fn the_block_that_joins_the_cores_is_measured_on_cards_alone() {
    let make: Maker = |_, config| tree("engine", config);
    let targets = ["u50", "ecp5"].map(|name| name.parse::<Target>().unwrap()).to_vec();
    let instances = instances(&["nic", "engine"], &Config::default());
    let devices: Vec<usize> =
        instances.iter().map(|instance| made_from(&make, instance).unwrap().len()).collect();
    assert_eq!(devices, [1, 2]);
    let request = Request { instances, targets, place: false, sweeps: Vec::new(), sweep_targets: Vec::new() };
    let report = measure(&bench(), &request, &make, &|_, _, _| {}).unwrap();
    let measured = report.cores.iter().map(|core| (core.ultrascale.is_some(), core.ecp5.is_some()));
    assert_eq!(measured.collect::<Vec<_>>(), [(true, false), (true, true)]);
    let run_on = |core: &str, target: &str| {
        let options =
            Options { cores: vec![core.into()], targets: vec![target.into()], ..Options::default() };
        run(&bench(), &options, &["nic", "engine"], &make, &|_, _, _| {}).map(drop)
    };
    for target in ["ecp5", "ice40"] {
        let refused = run_on("nic", target).unwrap_err().to_string();
        assert_eq!(
            refused,
            "--core nic: it is not placed and routed; give an Alveo card with --target, e.g. u50"
        );
    }
    run_on("nic", "u50").unwrap();
    run_on("engine", "ecp5").unwrap();
}

#[test]
fn a_core_that_cannot_be_generated_is_named() {
    let request = Request {
        instances: instances(&["none"], &Config::default()),
        targets: Target::all(),
        place: false,
        sweeps: Vec::new(),
        sweep_targets: Vec::new(),
    };
    let error = measure(&bench(), &request, &(tree as Maker), &|_, _, _| {}).unwrap_err().to_string();
    assert_eq!(error, "none cannot be generated: no core none");
}

fn options(change: impl Fn(&mut Options)) -> Options {
    let mut options = Options {
        cores: vec!["engine".into()],
        targets: vec!["u50".into(), "ecp5".into()],
        ..Options::default()
    };
    change(&mut options);
    options
}

#[test]
fn check_compares_with_what_accept_wrote_and_says_where_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("baseline.json");
    let go = |make: Maker, change: &dyn Fn(&mut Options)| {
        let mut options = options(change);
        options.baseline = baseline.clone();
        run(&bench(), &options, &["engine", "finder"], &make, &|_, _, _| {})
    };
    let check = |options: &mut Options| options.check = true;
    let refusal = |change: &dyn Fn(&mut Options)| go(tree, change).unwrap_err().to_string();
    assert!(refusal(&check).contains("there is no baseline"));
    let accept = |options: &mut Options| (options.accept, options.cores) = (true, Vec::new());
    fs::write(&baseline, go(tree, &accept).unwrap().accepted.unwrap()).unwrap();
    let finished = go(tree, &check).unwrap();
    assert!(finished.passes() && finished.gated().unwrap().len() == 12);
    let all = |options: &mut Options| (options.check, options.cores) = (true, Vec::new());
    assert!(go(tree, &all).unwrap().passes());
    assert!(!go(chain, &all).unwrap().passes());
    assert!(refusal(&|o| o.accept = true).contains("it takes no --core"));
    assert!(
        refusal(&|o| (o.check, o.config.connections) = (true, 64)).contains("neither --config nor --set")
    );
    assert!(refusal(&|o| o.cores = vec!["nic".into()]).contains("the cores are engine, finder"));
    assert!(refusal(&|o| o.targets = vec!["u51".into()]).contains("the targets are u50, u200"));
    assert!(
        refusal(&|o| o.sweep_targets = vec!["u51".into()]).starts_with("--sweep-target: no target `u51`")
    );
}

#[test]
fn only_what_changed_since_it_was_accepted_is_measured_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("baseline.json");
    let go = |make: Maker, change: &dyn Fn(&mut Options)| {
        let mut options = options(|options| options.cores.clear());
        options.baseline = baseline.clone();
        change(&mut options);
        run(&bench(), &options, &["engine", "finder"], &make, &|_, _, _| {})
    };
    fs::write(&baseline, go(tree, &|options| options.accept = true).unwrap().accepted.unwrap()).unwrap();
    let labels = |finished: &Finished| {
        let measured: Vec<String> = finished.report.cores.iter().map(|core| core.label.clone()).collect();
        let accepted: Vec<String> =
            finished.report.accepted.iter().map(|one| format!("{} {}", one.label, one.device)).collect();
        (measured.join(", "), accepted.join(", "))
    };
    let changed = |options: &mut Options| (options.changed, options.check) = (true, true);
    let same = go(tree, &changed).unwrap();
    assert_eq!(labels(&same), (String::new(), "engine ecp5, engine xcup, finder ecp5, finder xcup".into()));
    assert!(same.passes() && same.gated().unwrap().is_empty());
    let text: String = tables(&same.report).iter().map(|table| table.text()).collect();
    assert!(text.contains("Accepted figures of what was not measured"), "{text}");
    let other = go(chain, &changed).unwrap();
    assert_eq!(labels(&other), ("finder".into(), "engine ecp5, engine xcup".into()));
    assert!(!other.passes());
    // with other tools all figures are to be measured again
    let mut edited = Baseline::read(&baseline).unwrap();
    edited.tools.insert("yosys".into(), "0.1".into());
    fs::write(&baseline, edited.clone().keep_days(&edited).text()).unwrap();
    assert_eq!(labels(&go(tree, &|options| options.changed = true).unwrap()).0, "engine, finder");
    let named =
        go(tree, &|options| (options.accepted, options.cores) = (true, vec!["engine".into()])).unwrap();
    assert_eq!(labels(&named), ("engine".into(), "finder ecp5, finder xcup".into()));
    let on_cards = go(tree, &|options| {
        (options.accepted, options.cores) = (true, vec!["engine".into()]);
        options.targets = vec!["u50".into()];
    });
    let others = "engine ecp5, finder ecp5, finder xcup";
    assert_eq!(labels(&on_cards.unwrap()), ("engine".into(), others.into()));
}

#[test]
fn a_clock_that_is_not_met_fails_with_path_and_slack_and_says_what_is_an_estimate() {
    let at = |mhz: f64| {
        let options = options(|options| options.clock_mhz = Some(mhz));
        run(&bench(), &options, &["engine"], &(tree as Maker), &|_, _, _| {}).unwrap()
    };
    let slow = at(20.0);
    assert!(slow.passes() && slow.report.timing.iter().all(|timing| timing.met), "{:?}", slow.report.timing);
    let fast = at(2000.0);
    let [estimate, routed] = fast.report.timing.as_slice() else { panic!("{:?}", fast.report.timing) };
    assert!(!fast.passes() && !estimate.met && !routed.met);
    let of_core = fast.report.cores[0].ultrascale.as_ref().unwrap().figures().unwrap();
    let nominal_ns = of_core.fmax_estimate.estimate().unwrap().nominal_ns;
    assert!(estimate.estimated && estimate.path_ns == Some(nominal_ns));
    assert_eq!((estimate.verdict, routed.verdict), (Some(Verdict::OutOfReach), None));
    let said = fast.failures().join("\n");
    assert!(
        said.contains("engine on UltraScale+: timing is not met") && said.contains("an estimate"),
        "{said}"
    );
    assert!(
        said.contains("engine on ECP5 85k") && said.contains("slack -") && said.contains("core.words"),
        "{said}"
    );
    let text: String = tables(&fast.report).iter().map(|table| table.text()).collect();
    assert!(text.contains("Timing at 2000 MHz") && text.contains("estimated"), "{text}");
    assert!(text.contains("An estimate, ±20%") && text.contains("out of reach"), "{text}");
}

#[test]
fn a_clock_that_is_doubtful_by_the_estimate_is_a_warning() {
    let at = |mhz: f64| {
        let options =
            options(|options| (options.clock_mhz, options.targets) = (Some(mhz), vec!["u50".into()]));
        run(&bench(), &options, &["engine"], &(tree as Maker), &|_, _, _| {}).unwrap()
    };
    let estimate = at(100.0).report.timing.remove(0);
    assert!(at(100.0).warnings().is_empty() && estimate.verdict == Some(Verdict::Safe));
    let doubtful = at(1000.0 / estimate.path_ns.unwrap());
    assert!(doubtful.passes() && doubtful.failures().is_empty());
    let said = doubtful.warnings().join("\n");
    assert!(said.starts_with("engine on UltraScale+: timing is doubtful at "), "{said}");
    assert!(said.contains("without any wires") && said.contains(" → "), "{said}");
    let text: String = tables(&doubtful.report).iter().map(|table| table.text()).collect();
    assert!(text.contains("doubtful") && text.contains("slowest path"), "{text}");
}

/// A core whose netlist has a latch, of which the table of delays knows nothing.
fn latched(_: &str, _: &Config) -> Result<Generated, String> {
    let verilog = "module latched (input wire clk, input wire [1:0] op_bits, output reg res_first);\n\
                   reg held;\nalways @(*) if (op_bits[1]) held = op_bits[0];\n\
                   always @(posedge clk) res_first <= held;\nendmodule\n";
    let ports = [("clk", 1, false), ("op_bits", 2, false), ("res_first", 1, true)];
    Ok(generated(verilog, "latched", &ports))
}

#[test]
fn a_cell_without_delays_is_named_in_place_of_an_estimate() {
    let change = |options: &mut Options| {
        (options.clock_mhz, options.targets) = (Some(2000.0), vec!["u50".into()]);
        options.cores = vec!["latched".into()];
    };
    let options = options(change);
    let finished = run(&bench(), &options, &["latched"], &(latched as Maker), &|_, _, _| {}).unwrap();
    assert!(finished.passes(), "{:?}", finished.failures());
    let why = "latched: there is no estimate of Fmax: the table of delays does not know LDCE, the cell `";
    let json = serde_json::to_value(&finished.report).unwrap();
    let said = &json["cores"][0]["ultrascale"]["figures"]["fmax_estimate"]["no_estimate"];
    assert!(said.as_str().unwrap().starts_with(why), "{said}");
    let warning = finished.warnings().remove(0);
    assert!(
        warning.starts_with("latched on UltraScale+: timing is not known at 2000 MHz: latched: "),
        "{warning}"
    );
    let accepted = Baseline::of(&finished.report, "2026-11-22").unwrap();
    let figures = &accepted.cores["latched"]["xcup"].figures;
    assert!(figures.contains_key("levels") && !figures.contains_key("nominal_ns"), "{figures:?}");
}
