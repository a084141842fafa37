//! Random ops on every core's engine in rust-hdl's own simulation, beside the golden model, in every cycle: what the Rust side
//! of the hardware does is what its Verilog does, which the campaigns run at length.

use respray_cosim::cores::{CORES, Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::run::{Given, Run, run};
use respray_cosim::lockstep::rust_device::RustDevice;
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::Entries;
use respray_hdl::cores::generate;

use super::config;

/// Clock edges of a run, beside those in which the memories are cleared first.
const CYCLES: u64 = 1500;

struct Agrees<'a>(&'a [&'a str]);

impl Visitor for Agrees<'_> {
    type Output = u64;

    fn visit<C: Compiled + 'static>(self) -> u64 {
        let config = config(self.0);
        let connections = C::CONTRACT.connections(&config);
        let mut knobs = C::Knobs::new(connections);
        knobs.set("ops_per_reset=900", connections).expect("every core has this knob");
        let manifest = generate(C::CONTRACT.core, &config).expect("the core is generated").manifest;
        let mut device = RustDevice::new(C::CONTRACT, &config).expect("the engine is made");
        let cycles = CYCLES + u64::from(manifest.reset_cycles);
        let given =
            Given { entries: Entries::new(C::random(7, &knobs, &config)), expectations: &[], seed: 7 };
        let run: Run<C> = run(&manifest, &mut device, given, cycles, &mut |_| {});
        if let Some(difference) = run.difference {
            panic!("{}, {:?}: {difference}", C::CONTRACT.core, self.0);
        }
        run.taken.ops
    }
}

#[test]
fn every_engine_agrees_with_its_golden_model_in_every_cycle() {
    for (core, sets) in [
        ("reps", &["reps.depth=4", "reps.time_bits=16"][..]),
        ("reps", &["reps.depth=4", "reps.time_bits=16", "reps.variant=uet"]),
        ("reps", &["reps.depth=4", "reps.time_bits=16", "protect=parity"]),
        ("ops", &[]),
        ("ops", &["ops.order=permuted", "ops.paths=16"]),
        ("ops", &["ops.order=permuted", "ops.paths=16", "protect=parity"]),
        ("ecmp", &["selector.ev_bits=4", "selector.ev_base=32"]),
        ("subflows", &["selector.ev_bits=4", "selector.ev_base=32"]),
        ("mprdma", &["selector.ev_bits=4", "selector.ev_base=32"]),
        ("flowlet", &["selector.time_bits=16"]),
        ("flowlet", &["flowlet.since=ack"]),
        ("plb", &[]),
        ("strack", &["strack.paths=64"]),
        ("bitmap", &["bitmap.paths=32"]),
        ("mixed", &["bitmap.paths=16", "mixed.depth=8", "bitmap.timeout=ev"]),
        ("strack_cc", &[]),
        ("flowcut", &[]),
        ("flowcut", &["flowcut.variant=sticky", "flowcut.time_bits=24"]),
        ("flowcut_switch", &["flowcut_switch.buckets=512", "flowcut_switch.uplinks=8"]),
        ("flowcut_switch", &["flowcut_switch.buckets=512", "flowcut_switch.pick=two"]),
        ("caver", &["caver.destinations=256", "caver.flows=1024", "caver.ports=16"]),
        ("sack_rx", &["sack.window=64"]),
        ("sack_rx", &["sack.window=128"]),
        ("sack_rx", &["sack.window=64", "sack.engine=fast"]),
        ("sack_rx", &["sack.window=128", "sack.engine=fast"]),
        ("sack_tx", &["sack.window=64"]),
        ("sack_tx", &["sack.window=128"]),
        ("sack_tx", &["sack.window=64", "sack.engine=fast"]),
        ("sack_rx", &["sack.window=64", "sack.psn_bits=32", "wire=uet"]),
        ("sack_rx", &["sack.window=64", "sack.psn_bits=32", "wire=uet", "sack.engine=fast"]),
        ("sack_tx", &["sack.window=64", "sack.psn_bits=32", "wire=uet"]),
        ("sack_tx", &["sack.window=64", "sack.psn_bits=32", "wire=uet", "sack.engine=fast"]),
    ] {
        let ops = visit(core, Agrees(sets)).unwrap_or_else(|| panic!("there is no core {core}"));
        assert!(ops > 100, "{core}, {sets:?}: only {ops} ops");
    }
    assert_eq!(CORES.len(), 16, "every core that takes ops stands above");
}

#[test]
#[ignore = "seconds in rust-hdl's simulation, with the long tests"]
fn caver_with_an_entry_for_each_uplink_agrees_with_its_golden_model() {
    for advertise in ["source", "round_robin"] {
        let advertise = format!("caver.advertise={advertise}");
        let sets = ["caver.destinations=64", "caver.flows=1024", "caver.table=per_port", &advertise];
        let ops = visit("caver", Agrees(&sets)).expect("there is such a core");
        assert!(ops > 100, "{sets:?}: only {ops} ops");
    }
}
