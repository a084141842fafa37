//! What is left of a network in which both engines are as they must be and a property does not hold.

use std::fs::File;
use std::io::BufReader;

use fst_reader::FstReader;
use respray_cosim::network::{NetworkOptions, run_on};
use respray_cosim::report::Verdict;
use respray_cosim::verilator::CYCLE_NS;
use respray_golden::network::Network;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;

/// Packets of the one connection.
const PACKETS: u32 = 800;

#[test]
#[ignore = "models of both engines that record waves"]
fn a_property_that_does_not_hold_leaves_the_last_cycles_of_both_engines() {
    let folder = tempfile::tempdir().unwrap();
    let [tx, rx] = ["sack_tx", "sack_rx"].map(|core| generate(core, &Config::default()).unwrap());
    let options = NetworkOptions {
        seed: 11,
        wave: Some(folder.path().join("run.fst")),
        ..NetworkOptions::new(PACKETS)
    };
    let network = |restart| {
        move |seed| Network {
            seed,
            packets: PACKETS,
            receiver_restarts_at: restart,
            duplicate: 1.0,
            jitter: 30,
            ..Network::default()
        }
    };
    let report = run_on(&tx, &rx, &options, &network(Some(700)), &mut |_| {}).unwrap();
    assert_eq!((report.result, report.not_done.as_slice()), (Verdict::Fail, &[][..]));
    let failure = report.failure.expect("a receiver that starts anew accepts a packet twice");
    assert!(failure.engine.is_none() && failure.what.contains("tick "), "{failure}");
    let names = ["run_sack_tx.fst", "run_sack_rx.fst"];
    assert_eq!(failure.waves, names.map(|name| folder.path().join(name)));
    for (wave, cycles) in failure.waves.iter().zip(["sack_tx_cycles", "sack_rx_cycles"]) {
        assert!(failure.to_string().contains(&wave.display().to_string()), "{failure}");
        let header = FstReader::open(BufReader::new(File::open(wave).unwrap())).unwrap().get_header();
        let [first, last] = [header.start_time, header.end_time].map(|time| time / CYCLE_NS);
        let all = report.counts.get(cycles);
        assert!(first > 0 && last > first && last.abs_diff(all) < 64, "{first} to {last} of {all}");
    }
    // the same network without the fault
    let whole =
        run_on(&tx, &rx, &NetworkOptions { wave: None, ..options.clone() }, &network(None), &mut |_| {});
    assert_eq!(whole.unwrap().result, Verdict::Pass);
}
