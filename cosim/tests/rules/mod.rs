//! The rules of the papers, one by one: op traces that say what each op must return, on the Verilog of the cores beside their
//! golden models.
//!
//! A rule is a small op trace with its expectations. The golden model must meet them, and the Verilog must show in every cycle
//! what the golden model says. So the rule holds for both, and the text of the trace is what a reader checks against the paper.

pub mod caver;
mod caver_observed;
mod caver_per_port;
mod flowcut;
mod flowcut_switch;
mod random;
mod reps;
mod sack_rx;
mod sack_rx_uet;
mod sack_tx;
mod sack_tx_recovery;
mod sack_tx_uet;
mod selectors;
mod strack_cc;
mod walking;

use respray_cosim::lockstep::device::PortDevice;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::run::{Given, Run, run};
use respray_cosim::traffic::optrace::{OpTrace, Settings};
use respray_cosim::traffic::stimulus::Entries;
use respray_golden::psn::PsnSpace;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

/// The wires with the PSNs that their packets carry.
const WIRES: [(&str, PsnSpace); 2] = [("wire=strack", PsnSpace::new(24)), ("wire=uet", PsnSpace::new(32))];

/// A configuration with 16 connections, and these keys set.
fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = ["connections=16"].iter().chain(sets).map(|set| set.to_string()).collect();
    Config::load(None, &sets).expect("a valid configuration")
}

/// The Verilog of a core, compiled for a short run.
fn device<C: OpCore>(generated: &Generated) -> PortDevice {
    PortDevice::of(generated, C::CONTRACT, 1, 0).expect("the Verilog is compiled")
}

/// Runs the ops of a trace on the Verilog of a core.
fn ran<C: OpCore>(trace: &OpTrace<C::Op>, config: &Config) -> Run<C> {
    let ops = trace.ops(C::CONTRACT, &trace.settings, config);
    let given = Given {
        entries: Entries::new(ops.entries.iter().copied()),
        expectations: &ops.expectations,
        seed: trace.seed.unwrap_or(1),
    };
    let generated = generate(C::CONTRACT.core, config).expect("the core is generated");
    run(&generated.manifest, &mut device::<C>(&generated), given, u64::MAX, &mut |_| {})
}

/// Reads a trace whose columns and lines are these.
fn trace<C: OpCore>(text: &str, config: &Config) -> OpTrace<C::Op> {
    OpTrace::parse(text.trim_start().as_bytes(), "rule", C::CONTRACT, config)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A trace's rule holds: every expectation is met, and Verilog and golden model agree in every cycle.
fn holds<C: OpCore>(text: &str, sets: &[&str]) {
    let config = config(sets);
    let trace = trace::<C>(text, &config);
    assert!(trace.lines.iter().any(|line| line.expect.is_some()), "a rule says what it expects");
    if let Some(difference) = ran::<C>(&trace, &config).difference {
        panic!("{sets:?}: {difference}");
    }
}

/// Lines of a trace with these columns, made one by one.
fn lines(columns: &str, lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().fold(columns.to_string(), |text, line| text + "\n" + &line) + "\n"
}

#[test]
fn a_rule_that_does_not_hold_is_found() {
    use respray_cosim::cores::reps::RepsCore;
    let config = config(&["reps.depth=4"]);
    let text =
        "time_ns,op,conn,ev,ecn,expect,expect_ev\n1,ack,3,10,,,\n1,ack,3,11,,,\n1,send,3,,,cached,11\n";
    let difference = ran::<RepsCore>(&trace::<RepsCore>(text, &config), &config).difference;
    let said = difference.expect("the oldest EV comes first").to_string();
    assert!(said.contains("a send returned recycle 10, the op trace expects cached 11"), "{said}");
}

#[test]
fn a_psn_beyond_its_width_is_refused_with_the_range() {
    use respray_cosim::cores::{sack_rx::SackRxCore, sack_tx::SackTxCore};
    fn refused<C: OpCore>(text: &str, config: &Config) -> Option<String> {
        OpTrace::<C::Op>::parse(text.as_bytes(), "t.csv", C::CONTRACT, config).err().map(|e| e.to_string())
    }
    for (wire, psns) in WIRES {
        let (config, last) = (config(&[wire]), u64::from(psns.last()));
        let sent = |psn: u64| refused::<SackTxCore>(&format!("now,op,conn,psn\n1,sent,1,{psn}\n"), &config);
        let packet = |psn: u64| refused::<SackRxCore>(&format!("op,conn,psn\npacket,1,{psn}\n"), &config);
        assert_eq!([sent(last), packet(last)], [None, None], "{wire}");
        let said = Some(format!("t.csv:2: `psn` is `{}`; allowed: 0 to {last}", last + 1));
        assert_eq!([sent(last + 1), packet(last + 1)], [said.clone(), said], "{wire}");
    }
}

#[test]
fn settings_of_a_rule_are_those_of_its_trace() {
    use respray_cosim::cores::reps::RepsCore;
    let text = "# respray: seed=9 bdp_packets=3\ntime_ns,op,conn\n1,send,0\n";
    let trace = trace::<RepsCore>(text, &config(&[]));
    assert_eq!((trace.seed, trace.settings), (Some(9), Settings::default().with("bdp_packets", 3)));
}
