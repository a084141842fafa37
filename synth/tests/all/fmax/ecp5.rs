//! What the method is worth: the same with the delays of ECP5, against the Fmax of nextpnr, which places and routes.

use crate::common::{FINDER_PORTS, bench, engine, generated, root};
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_synth::baseline::Baseline;
use respray_synth::device::ECP5;
use respray_synth::report::{generate, instances, on_ecp5};
use respray_synth::routed;
use respray_synth::trust::Trust;

fn accepted() -> Trust {
    let baseline = Baseline::read(&root().join("synth/baseline.json")).unwrap();
    Trust::of(&baseline).expect("ECP5 has accepted figures and estimates")
}

#[test]
fn small_designs_are_estimated_near_what_place_and_route_makes_of_them() {
    let finder = generated(include_str!("../common/first_zero.v"), "finder", &FINDER_PORTS);
    for design in [engine(str::to_string), finder] {
        let routed = routed::measure(&bench(), &design, &ECP5).unwrap();
        let ratio = routed.fmax_mhz.median / routed.estimated_mhz.unwrap();
        assert!((0.75..1.3).contains(&ratio), "{}: {ratio}", design.manifest.module);
    }
}

#[test]
fn every_core_is_estimated_near_what_place_and_route_has_made_of_it() {
    let trust = accepted();
    let routed = instances(catalogue::NAMES, &Config::default()).into_iter().filter(|one| one.is_routed());
    assert_eq!(trust.cores.len(), routed.count(), "every core has both figures");
    assert!((0.93..1.07).contains(&trust.mean), "mean {}", trust.mean);
    assert!(trust.spread < 0.11, "spread {}", trust.spread);
    assert!(trust.least > 0.75 && trust.most < 1.3, "from {} to {}", trust.least, trust.most);
}

#[test]
#[ignore = "places and routes every core: hours where the runs are not kept"]
fn the_accepted_estimates_are_those_of_the_netlists() {
    let trust = accepted();
    for one in instances(catalogue::NAMES, &Config::default()).iter().filter(|one| one.is_routed()) {
        let generated = generate(&one.core, &on_ecp5(&one.config)).unwrap();
        let routed = routed::measure(&bench(), &generated, &ECP5).unwrap();
        let accepted = trust.cores.iter().find(|core| core.label == one.label).unwrap();
        let is = (routed.fmax_mhz.median, routed.estimated_mhz.unwrap());
        let differs = |is: f64, accepted: f64| (is - accepted).abs() > 0.06;
        assert!(
            !differs(is.0, accepted.routed_mhz) && !differs(is.1, accepted.estimated_mhz),
            "{}: {is:?} in place of {accepted:?}",
            one.label
        );
    }
}
