//! What the cores take, measured: within their budgets, equal to their netlists, and as last accepted.

use std::collections::BTreeMap;

use crate::common::{bench, root};
use respray_hdl::catalogue;
use respray_hdl::config::{Config, PathSelector};
use respray_hdl::cores::CORES;
use respray_hdl::manifest::Generated;
use respray_synth::baseline::{self, Baseline};
use respray_synth::budget;
use respray_synth::figures::{Figures, ROUTED, XCUP};
use respray_synth::fmax::Verdict;
use respray_synth::report::{Earlier, generate, instances, tables};
use respray_synth::run::{Options, baseline_path, run};
use respray_synth::xilinx;

fn reps(sets: &[&str]) -> Generated {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    generate("reps", &Config::load(None, &sets).unwrap()).unwrap()
}

/// Holds every core against its budget and the accepted figures. Of `measured` those are measured now that are others than when
/// they were accepted, or all of them where not only the `changed` ones are wanted.
fn hold(measured: &[&str], changed: bool) {
    let options = Options {
        cores: measured.iter().map(|core| core.to_string()).collect(),
        targets: vec!["u50".into(), "ecp5".into()],
        baseline: baseline_path(&root()),
        changed,
        check: true,
        ..Options::default()
    };
    let finished = run(&bench(), &options, catalogue::NAMES, &generate, &|_, _, _| {}).unwrap();
    let differences = finished.gated().unwrap();
    for table in tables(&finished.report).iter().chain([&baseline::table(differences, true)]) {
        println!("{}", table.text());
    }
    let now = Baseline::of(&finished.report, "today").unwrap();
    let mut figures: BTreeMap<&str, BTreeMap<&str, &Figures>> = BTreeMap::new();
    for (label, devices) in &now.cores {
        for (device, measured) in devices {
            figures.entry(label).or_default().insert(device, &measured.figures);
        }
    }
    for Earlier { label, device, accepted } in &finished.report.accepted {
        figures.entry(label).or_default().insert(device, &accepted.figures);
    }
    let labels: Vec<String> =
        instances(measured, &Config::default()).into_iter().map(|instance| instance.label).collect();
    let has_figures = |label: &String| figures.contains_key(label.as_str());
    assert!(labels.iter().all(has_figures), "figures of {:?} for {labels:?}", figures.keys());
    let broken_by = |label: &&str| {
        let devices = &figures[label];
        let of = |device| devices.get(device).copied();
        Some(budget::of(label)?.broken_by(label, of(XCUP), of(ROUTED)))
    };
    let broken: Vec<String> = figures.keys().filter_map(broken_by).flatten().collect();
    assert!(broken.is_empty(), "over budget: {}", broken.join("; "));
    let failing: Vec<String> = differences.iter().filter(|d| d.fails).map(|d| d.sentence()).collect();
    assert!(failing.is_empty(), "worse than accepted: {}", failing.join("; "));
}

#[test]
fn every_core_keeps_its_budget_and_the_accepted_figures() {
    // the block that joins the cores takes Yosys a minute: it is measured in the long tests
    hold(CORES, true);
}

#[test]
#[ignore = "measures every core, which takes some three minutes where nothing is cached: `make test-long`"]
fn every_core_measured_anew_keeps_its_budget_and_the_accepted_figures() {
    hold(catalogue::NAMES, false);
}

#[test]
fn every_core_is_accepted_within_its_budget_and_as_safe_at_322_mhz() {
    let accepted = Baseline::read(&baseline_path(&root())).unwrap();
    for label in instances(catalogue::NAMES, &Config::default()).into_iter().map(|instance| instance.label) {
        let devices = &accepted.cores[&label];
        let of = |device: &str| devices.get(device).map(|measured| &measured.figures);
        assert!(of(XCUP).is_some_and(|figures| figures.contains_key("wide_ns")), "{label} has no estimate");
        let budget = budget::of(&label).unwrap_or_else(|| panic!("{label} has no budget"));
        assert_eq!(budget.broken_by(&label, of(XCUP), of(ROUTED)), Vec::<String>::new());
    }
}

/// The block with each selector, each window, each engine and each profile, as far as they go together.
#[test]
#[ignore = "synthesizes the block 14 times, a minute each: `make test-long`"]
fn the_block_is_safe_at_322_mhz_in_every_configuration() {
    let of_strack = PathSelector::NAMES.map(|selector| vec![format!("nic.selector={selector}")]);
    let others: [&[&str]; 3] =
        [&["wire=uet"], &["wire=uet", "sack.engine=fast"], &["nic.window=strack", "sack.engine=fast"]];
    let others = others.map(|sets| sets.iter().map(|set| set.to_string()).collect());
    let mut unsafe_ones = Vec::new();
    for sets in of_strack.into_iter().chain(others) {
        let block = generate("nic", &Config::load(None, &sets).unwrap()).unwrap();
        let figures = xilinx::measure(&bench(), &block).unwrap();
        let estimate =
            figures.fmax_estimate.estimate().unwrap_or_else(|| panic!("{:?}", figures.fmax_estimate));
        println!("{sets:?}: {} LUTs, {:.2} ns, {}", figures.luts, estimate.wide_ns, estimate.ends());
        if estimate.verdict_at(budget::SAFE_MHZ) != Verdict::Safe {
            unsafe_ones.push(format!("{sets:?}: {:.2} ns, {}", estimate.wide_ns, estimate.path_in_words()));
        }
    }
    assert_eq!(unsafe_ones, Vec::<String>::new());
}

#[test]
fn the_accepted_figures_of_reps_are_those_that_are_measured() {
    let accepted = Baseline::read(&baseline_path(&root())).unwrap();
    let (bench, reps) = (bench(), reps(&[]));
    let figures = xilinx::measure(&bench, &reps).unwrap();
    let accepted = &accepted.cores["reps"][XCUP];
    assert_eq!(accepted.figures["lut"], f64::from(figures.luts));
    assert_eq!(accepted.figures["ff"], f64::from(figures.ff));
    assert_eq!(accepted.made_from, figures.made_from);
}

#[test]
fn the_luts_of_reps_are_the_cells_of_its_netlist() {
    let (bench, reps) = (bench(), reps(&[]));
    let figures = xilinx::measure(&bench, &reps).unwrap();
    let netlist = xilinx::run(&bench, &reps).unwrap().join("netlist.json");
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(netlist).unwrap()).unwrap();
    let mut cells: BTreeMap<&str, u32> = BTreeMap::new();
    for cell in json["modules"]["reps"]["cells"].as_object().unwrap().values() {
        *cells.entry(cell["type"].as_str().unwrap()).or_default() += 1;
    }
    let of = |kind: &str| cells.get(kind).copied().unwrap_or(0);
    let by_prefix =
        |prefix: &str| cells.iter().filter(|(kind, _)| kind.starts_with(prefix)).map(|(_, n)| n).sum::<u32>();
    let by_inputs = [1, 2, 3, 4, 5, 6].map(|inputs| of(&format!("LUT{inputs}")));
    let (small, larger) = (by_inputs[0] + by_inputs[1], by_inputs[2..].iter().sum::<u32>());
    // Small LUTs share the cells of larger ones where they find a place, so the logic cells lie between these two.
    assert!((larger..=larger + small.div_ceil(2)).contains(&figures.lc_estimate), "{cells:?}");
    assert_eq!(figures.lc_estimate, xilinx::lc_estimate(by_inputs));
    assert_eq!(by_prefix("RAM32") + by_prefix("RAM64"), 0, "distributed RAM: count its LUTs here too");
    assert_eq!(figures.luts, figures.lc_estimate + by_prefix("SRL") + of("INV"), "{cells:?}");
    assert_eq!(figures.lut_by_inputs.iter().sum::<u32>(), by_prefix("LUT"));
    assert_eq!(figures.ff, by_prefix("FD"));
    assert_eq!((figures.bram36, figures.bram18), (by_prefix("RAMB36"), by_prefix("RAMB18")));
}

#[test]
#[ignore = "ten seconds of synthesis where nothing is cached: `make test-long`"]
fn sixteen_bit_time_takes_a_half_block_less() {
    let figures = xilinx::measure(&bench(), &reps(&["reps.time_bits=16"])).unwrap();
    assert!(figures.luts <= 230, "{figures:?}");
    assert_eq!((figures.bram36, figures.bram18), (1, 1), "{figures:?}");
}

/// What the SACK engines may take with PSNs of 32 bits: 8% more than is meant for 24.
#[test]
#[ignore = "half a minute where nothing is cached: `make test-long`"]
fn psns_of_32_bits_cost_a_twelfth_more_luts_at_most() {
    let bench = bench();
    for (core, engine, limit) in [
        ("sack_tx", "small", 640),
        ("sack_tx", "fast", 840),
        ("sack_rx", "small", 380),
        ("sack_rx", "fast", 560),
    ] {
        let luts = |wire: &str| {
            let sets = [format!("sack.engine={engine}"), format!("wire={wire}")];
            let config = Config::load(None, &sets).unwrap();
            xilinx::measure(&bench, &generate(core, &config).unwrap()).unwrap().luts
        };
        let (narrow, wide) = (luts("strack"), luts("uet"));
        println!("{core} {engine}: {narrow} LUTs at 24 bits, {wide} at 32");
        assert!(narrow <= limit, "{core} {engine}: {narrow} LUTs at 24 bits");
        assert!(100 * wide <= 108 * limit, "{core} {engine}: {wide} LUTs at 32 bits");
    }
}

#[test]
#[ignore = "half a minute of synthesis where nothing is cached: `make test-long`"]
fn sixteen_times_the_connections_cost_a_quarter_more_luts_at_most() {
    let default = xilinx::measure(&bench(), &reps(&[])).unwrap();
    let large = xilinx::measure(&bench(), &reps(&["connections=4096"])).unwrap();
    assert!(4 * large.luts <= 5 * default.luts, "{} LUTs at 4096, {} at 256", large.luts, default.luts);
}
