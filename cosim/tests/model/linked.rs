//! Models that the build script links in.
#![cfg(feature = "linked")]

use respray_cosim::verilator::{Model, Stimulus, build, linked};

#[test]
fn every_core_of_a_nic_is_linked_in_and_runs_as_the_loaded_model_does() {
    let of_nic = respray_hdl::cores::REGISTRY.iter().filter(|core| core.is_of_nic);
    let mut cores: Vec<&str> = of_nic.map(|core| core.name).collect();
    cores.sort_unstable();
    assert_eq!(linked::names(), cores);
    for core in cores {
        let source = linked::source(core).unwrap();
        let (linked, loaded) = (linked::design(core).unwrap(), build(&source, &super::quick()).unwrap());
        let ports = |design: &respray_cosim::verilator::Design| {
            design.ports().iter().map(|p| (p.name.clone(), p.width, p.direction)).collect::<Vec<_>>()
        };
        assert_eq!(ports(linked), ports(loaded), "{core}");
        let stimulus = Stimulus::random(linked, 500, 11, &[]).unwrap();
        let run = |mut model: Model| stimulus.run(&mut model, 5000).unwrap();
        let seen = run(linked.model(3).unwrap());
        assert_eq!(seen, run(loaded.model(3).unwrap()), "{core}");
        assert_ne!(seen, run(loaded.model(4).unwrap()), "{core}: memories start with random contents");
    }
}
