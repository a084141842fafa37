//! What the method is worth: the same with the delays of ECP5, against the Fmax of nextpnr, which places and routes.

use crate::common::{FINDER_PORTS, bench, engine, generated, root};
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use respray_synth::device::ECP5;
use respray_synth::figures::ROUTED;
use respray_synth::fmax::Ecp5;
use respray_synth::report::{generate, instances, on_ecp5};
use respray_synth::{baseline::Baseline, routed};

/// The estimated period by that of nextpnr.
fn ratio(generated: &Generated, routed_mhz: f64) -> f64 {
    let netlist = routed::netlist(&bench(), generated, &ECP5).unwrap();
    Ecp5::delays().period_ns(&netlist).unwrap() * routed_mhz / 1000.0
}

#[test]
fn small_designs_are_estimated_near_what_place_and_route_makes_of_them() {
    let finder = generated(include_str!("../common/first_zero.v"), "finder", &FINDER_PORTS);
    for design in [engine(str::to_string), finder] {
        let routed = routed::measure(&bench(), &design, &ECP5).unwrap();
        let ratio = ratio(&design, routed.fmax_mhz.median);
        println!("{}: estimate by routed {ratio:.2}", design.manifest.module);
        assert!((0.75..1.3).contains(&ratio), "{}: {ratio}", design.manifest.module);
    }
}

/// The table of `docs/timing.md`, and its last line: mean and spread of the ratios, both of their logarithms.
fn table() -> (Vec<String>, [f64; 4]) {
    let accepted = Baseline::read(&root().join("synth/baseline.json")).unwrap();
    let mut lines = Vec::new();
    let mut ratios = Vec::new();
    for one in instances(catalogue::NAMES, &Config::default()).iter().filter(|one| one.is_routed()) {
        let generated = generate(&one.core, &on_ecp5(&one.config)).unwrap();
        let made_from = routed::made_from(&generated, &ECP5);
        let figures =
            &accepted.same(&one.label, ROUTED, &made_from).expect("it is accepted as it is").figures;
        let ratio = ratio(&generated, figures["fmax_mhz"]);
        let estimated = figures["fmax_mhz"] / ratio;
        lines.push(format!("| {} | {:.0} | {estimated:.0} | {ratio:.2} |", one.label, figures["fmax_mhz"]));
        ratios.push(ratio);
    }
    let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let count = logarithms.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    let spread = (logarithms.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count).sqrt();
    let [least, most] = [f64::min, f64::max].map(|pick| ratios.iter().copied().reduce(pick).unwrap());
    let all = [mean.exp(), spread, least, most];
    lines.push(format!(
        "| mean {:.2}, spread {:.2}, from {:.2} to {:.2} | | | |",
        all[0], all[1], all[2], all[3]
    ));
    (lines, all)
}

#[test]
#[ignore = "synthesises every core for ECP5: minutes where the runs are not kept"]
fn every_core_is_estimated_near_what_place_and_route_makes_of_it() {
    let (lines, [mean, spread, least, most]) = table();
    println!("{}", lines.join("\n"));
    assert!((0.93..1.07).contains(&mean), "mean {mean}");
    assert!(spread < 0.11, "spread {spread}");
    assert!(least > 0.8 && most < 1.25, "from {least} to {most}");
    let page = std::fs::read_to_string(root().join("docs/timing.md")).unwrap();
    let missing: Vec<&String> = lines.iter().filter(|line| !page.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "docs/timing.md lacks {missing:#?}");
}
