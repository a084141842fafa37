//! Both SACK engines at the ends of a network.

use std::path::Path;

use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::cores::sack_tx::SackTxCore;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{Compiled, CosimOptions, Progress, Stimulus};
use respray_cosim::network::{NetworkOptions, NetworkReport, run};
use respray_golden::network::Limits;
use respray_hdl::manifest::Generated;

use super::generated;

fn engines(sets: &[&str]) -> [Generated; 2] {
    ["sack_tx", "sack_rx"].map(|core| generated(core, sets))
}

fn networks(sets: &[&str], options: &NetworkOptions) -> NetworkReport {
    let [tx, rx] = engines(sets);
    run(&tx, &rx, options, &mut |_| {}).unwrap()
}

fn options(seed: u64, seeds: u64, packets: u32) -> NetworkOptions {
    NetworkOptions { seed, seeds, waves: false, ..NetworkOptions::new(packets) }
}

#[test]
fn two_networks_of_two_thousand_packets_pass_at_a_small_and_a_large_window() {
    networks_pass(&[("64", "wire=strack"), ("512", "wire=uet")], 2);
}

#[test]
#[ignore = "the same with more networks and windows"]
fn twenty_networks_of_two_thousand_packets_pass() {
    let windows = [("64", "wire=strack"), ("128", "wire=uet"), ("256", "wire=strack"), ("512", "wire=uet")];
    networks_pass(&windows, 5);
}

/// So many networks at each window.
fn networks_pass(windows: &[(&str, &str)], seeds: u64) {
    let mut found = [0; 3];
    for (place, (window, wire)) in windows.iter().enumerate() {
        let sets = ["connections=16", &format!("sack.window={window}"), wire];
        let report = networks(&sets, &options(100 * place as u64, seeds, 2000));
        let count = |name| report.counts.get(name);
        assert_eq!(report.result, Verdict::Pass, "{:?}", report.failure);
        assert_eq!((count("seeds"), count("packets"), report.mismatches), (seeds, 2000 * seeds, 0));
        assert!(count("transmissions") == 2000 * seeds + count("retransmissions"));
        assert!(count("sack_tx_cycles") > 20_000 * seeds && count("sack_rx_cycles") > 10_000 * seeds);
        assert!(
            count("reordered") > 200 * seeds
                && count("lost_sacks") > 20 * seeds
                && count("duplicates") > 2 * seeds
        );
        for (sum, more) in
            found.iter_mut().zip([count("found_by_ooo"), count("found_by_probe"), count("found_by_timeout")])
        {
            *sum += more;
        }
    }
    assert!(found.iter().all(|&n| n > 10 * seeds), "every rule has its part: {found:?}");
}

#[test]
fn an_ideal_network_sends_nothing_twice() {
    let limits = Limits { loss: 0.0, reordering: 0 };
    let options = NetworkOptions { limits, ..options(1, 5, 1600) };
    let report = networks(&["connections=16"], &options);
    let count = |name| report.counts.get(name);
    assert_eq!(report.result, Verdict::Pass, "{:?}", report.failure);
    assert_eq!(
        (count("lost"), count("found_by_ooo"), count("found_by_probe"), count("found_by_timeout")),
        (0, 0, 0, 0)
    );
    assert_eq!(count("reordered"), 0);
}

#[test]
fn one_seed_gives_one_run() {
    let once = |seed| {
        let report = networks(&["connections=16"], &options(seed, 1, 800));
        let count = |name| report.counts.get(name);
        (count("ticks"), count("transmissions"), count("sack_tx_cycles"), count("sack_rx_cycles"))
    };
    assert_eq!(once(3), once(3));
    assert_ne!(once(3), once(4));
}

#[test]
fn a_difference_says_which_core_which_seed_and_how_to_see_it_again() {
    let [mut tx, mut rx] = engines(&["connections=16"]);
    let find = |generated: &mut Generated, text: &str, wrong: &str| {
        assert_eq!(generated.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
        generated.verilog = generated.verilog.replace(text, wrong);
    };
    let right = (tx.clone(), rx.clone());
    find(&mut tx, RECOVERY_LEFT.0, RECOVERY_LEFT.1);
    find(&mut rx, SACK_ECN.0, SACK_ECN.1);
    let dir = tempfile::tempdir().unwrap();
    for (tx, rx, said) in [(&tx, &right.1, "sack_tx: cycle "), (&right.0, &rx, "sack_rx: cycle ")] {
        let mut heard = 0;
        let mut hear = |progress| {
            if let Progress::Running { done, .. } = progress {
                heard = heard.max(done);
            }
        };
        let reproducer = dir.path().join("small.csv");
        let options = NetworkOptions { reproducer: reproducer.clone(), ..options(7, 50, 2000) };
        let report = run(tx, rx, &options, &mut hear).unwrap();
        assert_eq!((report.result, report.mismatches), (Verdict::Fail, 1));
        let command = "respray cosim --core sack --packets 2000 --seed 7 --seeds 50 --set connections=16";
        assert_eq!(report.provenance.repeat.command, command);
        let failure = report.failure.expect("a failed run says why");
        assert!(failure.what.starts_with(said), "{}", failure.what);
        let again = NetworkOptions { seed: failure.network.seed, seeds: 1, ..options };
        let again = run(tx, rx, &again, &mut |_| {}).unwrap();
        assert!(again.failure.expect("it fails again").what.starts_with(said));
        // the engine's own ops are shrunk as those of any run, and show it without a network
        let engine = failure.engine.as_ref().expect("its ops alone show it");
        assert!(said.starts_with(engine.core));
        assert!(engine.failure.reproducer_ops.unwrap() <= 40, "{failure}");
        let core = engine.core;
        let replay =
            format!("respray cosim --core {core} --ops {} --set connections=16", reproducer.display());
        assert_eq!(failure.command, replay);
        assert!(failure.to_string().contains(&replay), "{failure}");
        let verdicts = match core {
            "sack_tx" => [tx, &right.0].map(|tx| verdict_on::<SackTxCore>(tx, &reproducer)),
            _ => [rx, &right.1].map(|rx| verdict_on::<SackRxCore>(rx, &reproducer)),
        };
        assert_eq!(verdicts, [Verdict::Fail, Verdict::Pass]);
    }
}

fn verdict_on<C: Compiled>(generated: &Generated, ops: &Path) -> Verdict {
    let options = CosimOptions {
        waves: false,
        reproducer: ops.with_file_name("again.csv"),
        ..CosimOptions::<C>::new(Stimulus::Ops(ops.to_path_buf()))
    };
    super::run(generated, &options).unwrap().result
}

/// `recovery_left` never shows; every packet is said to be marked.
const RECOVERY_LEFT: (&str, &str) = ("ends <= is_sack & recovering & !later;", "ends <= 1'b0;");
const SACK_ECN: (&str, &str) = (".packet_ecn(sack_ecn),", ".packet_ecn(),");

#[test]
fn options_out_of_range_are_refused() {
    let [tx, rx] = engines(&["connections=16"]);
    let refused = |options: NetworkOptions| run(&tx, &rx, &options, &mut |_| {}).unwrap_err().to_string();
    assert_eq!(refused(options(1, 1, 0)), "`packets` is 0; allowed: 1 to 10000000");
    let bad = Limits { loss: 1.5, reordering: 0 };
    assert_eq!(
        refused(NetworkOptions { limits: bad, ..options(1, 1, 10) }),
        "`loss` is 1.5; allowed: 0 to 0.9"
    );
    let swapped = run(&rx, &tx, &options(1, 1, 10), &mut |_| {}).unwrap_err().to_string();
    assert!(
        swapped.contains("the Verilog is of core `sack_rx`, and that of `sack_tx` is needed"),
        "{swapped}"
    );
}

/// The campaign in full.
#[test]
#[ignore = "ten minutes"]
fn campaign_a_thousand_networks_of_ten_thousand_packets() {
    let mut found = [0; 3];
    for (place, window) in ["64", "128", "256", "512"].iter().enumerate() {
        let wire = if place % 2 == 0 { "wire=strack" } else { "wire=uet" };
        let sets = ["connections=16", &format!("sack.window={window}"), wire];
        let report = networks(&sets, &options(1000 * place as u64, 250, 10_000));
        let count = |name| report.counts.get(name);
        println!("{}", serde_json::to_string(&report).unwrap());
        assert_eq!(report.result, Verdict::Pass, "{:?}", report.failure);
        assert_eq!((count("seeds"), count("packets")), (250, 2_500_000));
        for (sum, more) in
            found.iter_mut().zip([count("found_by_ooo"), count("found_by_probe"), count("found_by_timeout")])
        {
            *sum += more;
        }
    }
    assert!(found.iter().all(|&n| n > 10_000), "{found:?}");
}
