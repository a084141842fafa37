//! Placement by the placer itself, and what a report says of it.

use respray_files::made_from::{MadeFrom, hash};
use respray_synth::cache::Cache;
use respray_synth::device::Target;
use respray_synth::fmax::{Estimate, UltraScale, Verdict, ends};
use respray_synth::report::{Fit, Request, generate, instances, measure, tables};
use respray_synth::tool::Toolbox;
use respray_synth::{Bench, SynthError, xilinx};

use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::cores::find;

use super::hand::netlist;
use crate::common::{bench, root};

/// Whether the placer is here.
fn has_placer(bench: &Bench) -> bool {
    let missing = bench.tools.nextpnr_generic().err();
    missing.iter().for_each(|missing| println!("skipped: {missing}"));
    missing.is_none()
}

fn request(cores: &[&str], config: &Config) -> Request {
    Request {
        instances: instances(cores, config),
        targets: vec!["u50".parse::<Target>().unwrap()],
        place: true,
        sweeps: Vec::new(),
        sweep_targets: Vec::new(),
    }
}

/// The estimates of these cores, by label, and all that a report says of them.
fn placed(
    bench: &Bench,
    cores: &[&str],
    config: &Config,
) -> Result<(Vec<(String, Estimate)>, String), SynthError> {
    let report = measure(bench, &request(cores, config), &generate, &|_, _, _| {})?;
    let estimates = report.cores.iter().map(|core| {
        let figures = core.ultrascale.as_ref().and_then(Fit::figures).unwrap();
        (core.label.clone(), figures.fmax_estimate.estimate().unwrap().clone())
    });
    Ok((estimates.collect(), tables(&report).iter().map(|table| table.text()).collect()))
}

#[test]
fn a_small_core_is_placed_twice_alike_and_the_verdict_is_by_the_placement() {
    let folder = tempfile::tempdir().unwrap();
    let tools = || Toolbox::new(&root());
    let own = Bench { tools: tools(), cache: Cache::new(folder.path()) };
    if !has_placer(&own) {
        return;
    }
    let config = Config { connections: 16, ..Config::default() };
    let (estimates, said) = placed(&own, &["ops"], &config).unwrap();
    let estimate = &estimates[0].1;
    let of = estimate.placed.clone().unwrap();
    assert!(estimate.bound_ns < of.nominal_ns && of.nominal_ns < of.wide_ns, "{estimate:?}");
    assert!(of.nominal_ns < 2.0 * estimate.nominal_ns, "{estimate:?}");
    assert_eq!((of.seed, of.tool.starts_with("nextpnr-generic 0.")), (1, true), "{}", of.tool);
    // between the two kinds of wires the clock is doubtful by one and safe by the other
    let between_mhz = 1000.0 / (0.2 + 0.5 * (estimate.wide_ns + of.wide_ns));
    let by_fan_out = Estimate { placed: None, ..estimate.clone() };
    assert_ne!(estimate.verdict_at(between_mhz), by_fan_out.verdict_at(between_mhz));
    assert_eq!(estimate.verdict, Verdict::Safe);
    for words in
        ["nominal, placed", "wide, placed", "Verdict and path are by the placement", "placed by nextpnr"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.contains(&format!("{:.2}", of.nominal_ns)), "{said}");
    // the second run is taken from the cache: it needs no more folders; elsewhere it comes to the same
    let runs = || std::fs::read_dir(folder.path()).unwrap().count();
    let before = runs();
    assert_eq!(placed(&own, &["ops"], &config).unwrap().0, estimates);
    assert_eq!(runs(), before);
    let elsewhere = tempfile::tempdir().unwrap();
    let other = Bench { tools: tools(), cache: Cache::new(elsewhere.path()) };
    let chain = netlist("FDRE a D=0 Q=q\nLUT1 l I0=q O=n\nLUT1 m I0=n O=d\nFDRE b D=d Q=z");
    let design = UltraScale::delays().design(&chain).unwrap();
    assert_eq!(design.place(&own).unwrap(), design.place(&other).unwrap());
}

/// Clocks in MHz that cards are run at, as in the table of estimates.
const CLOCKS_MHZ: [f64; 2] = [322.265625, 250.0];

/// What is on the page: core and what differs from the default configuration.
fn on_the_page() -> Vec<(&'static str, Vec<String>)> {
    let mut all = Vec::new();
    for core in catalogue::NAMES {
        match find(core).and_then(|core| core.structures) {
            None => all.push((*core, Vec::new())),
            Some((key, structures)) => {
                all.extend(structures.iter().map(|structure| (*core, vec![format!("{key}={structure}")])));
            }
        }
    }
    all
}

/// Writes the table of the page anew where UPDATE_PAGES is set, else compares it.
#[test]
#[ignore = "places every core and the block: twenty minutes"]
fn the_page_of_placed_figures_has_what_a_placement_gives() {
    let bench = bench();
    if !has_placer(&bench) {
        return;
    }
    let clocks = CLOCKS_MHZ.map(|mhz| format!("at {mhz} MHz"));
    let mut table = format!(
        "| design | bound, ns | nominal, ns | wide, ns | {} | slowest path |\n{}\n",
        clocks.join(" | "),
        "| --- ".repeat(7) + "|"
    );
    let mut made_from = MadeFrom::default();
    for (core, sets) in on_the_page() {
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let config = sets.iter().try_fold(Config::default(), |config, set| config.with(set)).unwrap();
        let generated = generate(core, &config).unwrap();
        let mut figures = xilinx::measure(&bench, &generated).unwrap();
        xilinx::place(&bench, &generated, &mut figures).unwrap();
        let estimate = figures.fmax_estimate.estimate().unwrap();
        let Estimate { bound_ns, nominal_ns, .. } = *estimate;
        let of = estimate.placed.as_ref().unwrap();
        let (nominal, wide) = (of.nominal_ns, of.wide_ns);
        assert!(bound_ns < nominal && nominal < wide && nominal < 2.0 * nominal_ns, "{core}: {estimate:?}");
        let design = [&[core], sets.as_slice()].concat().join(" ");
        let verdicts = CLOCKS_MHZ.map(|mhz| estimate.verdict_at(mhz).to_string()).join(" | ");
        let path = ends(&of.path);
        table +=
            &format!("| `{design}` | {bound_ns:.2} | {nominal:.2} | {wide:.2} | {verdicts} | {path} |\n");
        made_from.0.insert(design, hash(&generated.verilog));
    }
    let path = root().join("docs/placed_figures.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("| design | bound, ns |").unwrap();
    let (_, behind) = rest.split_once("\n\n").unwrap();
    let now = format!("{before}{table}\n{behind}");
    let (_, place) = MadeFrom::read(&now).unwrap();
    let now = [&now[..place.start], &made_from.block(&[]), &now[place.end..]].concat();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        now,
        "`make placed` writes docs/placed_figures.md anew"
    );
}
