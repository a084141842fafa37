//! Path selectors side by side: what each makes of a network in which some paths always mark.

use std::path::Path;

use respray_cosim::compare::{Behaviour, Model, Outcome, against_model, on_capture};
use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::ops::OpsCore;
use respray_cosim::cores::reps::RepsCore;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{Compiled, Stimulus};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::stimulus::Entry;
use respray_hdl::config::Config;
use respray_hdl::contract::Words as _;
use respray_hdl::cores::generate;
use respray_hdl::cores::selector::SelectorOp;
use respray_hdl::manifest::Generated;

fn of<C: Compiled>() -> Generated {
    generate(C::CONTRACT.core, &Config::default()).expect("the core is generated")
}

fn run<C: Compiled>(model: &Model, seed: u16) -> Behaviour {
    let folder = tempfile::tempdir().unwrap();
    let Outcome { behaviour, report } = against_model::<C>(&of::<C>(), model, seed, folder.path()).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{:?}", report.failure);
    assert_eq!(behaviour.sends, model.packets);
    behaviour
}

#[test]
fn reps_keeps_off_the_paths_that_always_mark_and_oblivious_spraying_does_not() {
    for seed in [1, 2] {
        let model = Model { packets: 60_000, ..Model::default() };
        let reps = run::<RepsCore>(&model, seed);
        assert!(reps.onto_bad.unwrap() < 0.05, "{reps:?}");
        assert!(reps.recycled > 0.8 && reps.onto_marked < 0.05, "{reps:?}");
        let ops = run::<OpsCore>(&model, seed);
        assert!((ops.onto_bad.unwrap() - 0.25).abs() < 0.02, "{ops:?}");
        assert_eq!((ops.explored, ops.recycled, ops.replayed), (1.0, 0.0, 0.0));
        assert!(ops.evs > 30_000.0 && ops.imbalance < 0.15, "{ops:?}");
    }
}

#[test]
fn fewer_acks_leave_reps_more_to_chance() {
    let share =
        |ack_every| run::<RepsCore>(&Model { packets: 20_000, ack_every, ..Model::default() }, 3).recycled;
    let [each, fourth] = [share(1), share(4)];
    assert!(each > 0.8 && fourth < each / 2.0, "{each}, {fourth}");
}

/// One EV loads one of 32 uplinks with all packets: 31 more than the mean.
#[test]
fn a_connection_of_one_ev_has_the_greatest_imbalance() {
    let ecmp = run::<EcmpCore>(&Model { packets: 2_000, bad: 0.0, marked: 0.0, ..Model::default() }, 1);
    assert_eq!((ecmp.evs, ecmp.imbalance, ecmp.onto_marked, ecmp.onto_bad), (1.0, 31.0, 0.0, Some(0.0)));
}

/// What the latest ACK of an EV said counts: two of four sends go onto the EV while it is marked.
#[test]
fn a_send_is_onto_a_marked_ev_until_an_ack_says_otherwise() {
    let first = run::<EcmpCore>(&Model { packets: 1, ..Model::default() }, 1);
    assert_eq!((first.sends, first.onto_marked), (1, 0.0));
    let op = |kind: u8, ev: u16, ecn: bool| Entry::op(SelectorOp { kind, ev, ecn, ..SelectorOp::default() });
    // the only EV of the connection is that of its first send
    let mut rng = respray_golden::rng::Rng::seeded(1, Config::default().connections);
    let ev = rng.step();
    let entries = [
        op(0, 0, false),
        op(1, ev, true),
        op(0, 0, false),
        op(0, 0, false),
        op(1, ev ^ 1, false),
        op(1, ev, false),
        op(0, 0, false),
    ];
    assert_eq!(entries[1].event.as_op().unwrap().code(), 1);
    let trace = OpTrace::of_entries(<EcmpCore as OpCore>::CONTRACT, &entries, &[]);
    let stimulus = Stimulus::Made { trace, arguments: Vec::new(), warnings: Vec::new(), account: None };
    let outcome = on_capture::<EcmpCore>(&of::<EcmpCore>(), stimulus, Path::new(".")).unwrap();
    assert_eq!((outcome.behaviour.sends, outcome.behaviour.onto_marked), (4, 0.5));
    assert_eq!(outcome.behaviour.onto_bad, None, "a capture does not say which paths are bad");
}

#[test]
#[ignore = "a model of the Verilog with a fault, with the long tests"]
fn a_selector_whose_verilog_is_wrong_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut core = of::<EcmpCore>();
    let right = "assign draw = send & !state_drawn;";
    assert!(core.verilog.contains(right), "the text stands in the Verilog");
    core.verilog = core.verilog.replace(right, "assign draw = send;");
    let model = Model { packets: 1_000, ..Model::default() };
    let outcome = against_model::<EcmpCore>(&core, &model, 1, folder.path()).unwrap();
    assert_eq!(outcome.report.result, Verdict::Fail);
    assert!(folder.path().join("ecmp_failure.csv").is_file(), "the ops that show it");
}

#[test]
fn what_the_network_cannot_be_is_refused() {
    let refused = |model: Model| model.check().unwrap_err().to_string();
    let usual = Model::default;
    assert_eq!(usual().check(), Ok(()));
    assert_eq!(refused(Model { bad: 1.5, ..usual() }), "--bad is 1.5; allowed: 0 to 1");
    assert!(refused(Model { bad: f64::NAN, ..usual() }).starts_with("--bad is NaN"));
    assert_eq!(refused(Model { marked: -0.1, ..usual() }), "--mark is -0.1; allowed: 0 to 1");
    assert_eq!(refused(Model { paths: 0, ..usual() }), "--paths is 0; allowed: 1 to 65536");
    assert_eq!(refused(Model { window: 4096, ..usual() }), "--window is 4096; allowed: 1 to 4095");
    assert!(refused(Model { ack_every: 129, ..usual() }).starts_with("--ack-every is 129"));
    assert!(refused(Model { packets: 0, ..usual() }).starts_with("--random is 0"));
    assert!(refused(Model { packet_ticks: 0, ..usual() }).starts_with("--packet-ticks is 0"));
}

#[test]
fn so_many_paths_are_bad_as_were_asked_for_and_others_with_another_seed() {
    let [first, second] = [1, 2].map(|seed| Model::default().bad_paths(seed));
    assert_eq!(first.iter().filter(|is_bad| **is_bad).count(), 64);
    assert_ne!(first, second);
    assert_eq!(first, Model::default().bad_paths(1));
}
