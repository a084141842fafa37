//! `flowcut_switch` as Verilog, whole and with a guard removed.

use respray_cosim::cores::flowcut_switch::VerilogEnd;
use respray_golden::flowcut_switch::Settings;
use respray_golden::order::switch::Network;
use respray_golden::order::{Fabric, Report, Traffic};
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

use crate::lockstep::pass_flowcut_switch::FEW;

const SEED: u16 = 5;

fn core(pick: &str) -> Generated {
    let sets: Vec<String> = FEW.iter().chain([&pick]).map(|set| set.to_string()).collect();
    generate("flowcut_switch", &respray_hdl::config::Config::load(None, &sets).unwrap()).unwrap()
}

/// Flows of 32 hosts on paths whose delays change; every fiftieth packet and every fifth ACK is lost, and some ACKs come after the
/// walker emptied their bucket.
fn network(packets: u64) -> Network {
    Network {
        traffic: Traffic { flows: 64, packets, ..Traffic::default() },
        fabric: Fabric {
            data_loss_ppm: 20_000,
            ack_loss_ppm: 200_000,
            ack_late_ppm: 20_000,
            ack_late: 1600,
            ..Fabric::default()
        },
        hosts: 32,
        ..Network::default()
    }
}

fn assert_in_order(report: &Report, packets: u64) {
    assert_eq!((report.sent, report.out_of_order, report.order_risks), (packets, 0, 0), "{report:#?}");
    assert_eq!((report.in_flight, report.contradictions), (0, 0), "{report:#?}");
    assert!(report.lost > packets / 100 && report.acks_lost > packets / 20, "{report:#?}");
    assert!(report.drains > packets / 10_000 && report.waits > 0, "{report:#?}");
    assert!(report.cleared > packets / 10_000 && report.refused > packets / 10_000, "{report:#?}");
}

fn arrives_in_order(pick: &str, packets: u64, is_long: bool) {
    let mut end = VerilogEnd::new(&core(pick), SEED, true, is_long).unwrap();
    let report = network(packets).run(&mut end, 1);
    println!("{pick}: {report:#?}");
    assert_in_order(&report, packets);
}

#[test]
fn packets_arrive_in_order_with_verilog_in_the_switch() {
    arrives_in_order("flowcut_switch.pick=all", 20_000, false);
}

#[test]
#[ignore = "minutes: ten million packets, each of some ops that wait for their results"]
fn ten_million_packets_arrive_in_order_with_verilog_in_the_switch() {
    for pick in ["flowcut_switch.pick=all", "flowcut_switch.pick=two"] {
        arrives_in_order(pick, 10_000_000, true);
    }
}

/// The guards, each a text of the Verilog and that without it.
const GUARDS: [(&str, &[(&str, &str)]); 3] = [
    ("epoch", &[("(fields_epoch == state_epoch)", "(fields_epoch == state_epoch | fault == 2'd1)")]),
    // a bucket that drains takes another uplink at once
    (
        "drain",
        &[
            ("wire is_new = op_routed & is_empty;", "wire is_new = op_routed & (is_empty | moves);"),
            ("op_routed ? (is_empty ? 2'd0", "op_routed ? (is_empty | moves ? 2'd0"),
            (
                "wire is_up = fields_up[state_port];",
                "wire is_up = fields_up[state_port];
    wire moves = fault == 2'd2 ? draining : fault == 2'd3;",
            ),
        ],
    ),
    // every packet takes the least loaded uplink: F1 of the contract, beside the one above
    ("a new uplink", &[]),
];

/// The Verilog with its guards removable, which one by the upper bits of the seed.
fn unguarded() -> Generated {
    let Generated { mut verilog, manifest } = core("flowcut_switch.pick=all");
    let mut edit = |text: &str, without: &str| {
        assert_eq!(verilog.matches(text).count(), 1, "`{text}` is generated differently: write it anew");
        verilog = verilog.replace(text, without);
    };
    edit(
        "wire is_empty = !(|state_in_flight);",
        "wire is_empty = !(|state_in_flight);
    wire [1:0] fault = flowcut_switch.seed[15:14];",
    );
    GUARDS.iter().flat_map(|(_, edits)| edits.iter()).for_each(|(text, without)| edit(text, without));
    Generated { verilog, manifest }
}

/// Many late ACKs, an `entry_timeout` that just outlasts the data, and packets of one size, so that a count that is wrong by one of them
/// still comes to 0; and hosts that do not heed XOFF.
#[test]
fn without_any_one_of_its_guards_packets_overtake() {
    let net = Network {
        traffic: Traffic { bytes: (1024, 1024), burst: 8, gap: 250, pause: 1500, ..network(15_000).traffic },
        fabric: Fabric {
            turn_ppm: 100_000,
            congested_ppm: 500_000,
            congested: 300,
            ack_late_ppm: 200_000,
            ..network(0).fabric
        },
        settings: Settings { entry_timeout: 30, ..Settings::default() },
        deaf_ppm: 500_000,
        ..network(0)
    };
    let broken = unguarded();
    for fault in 0..=GUARDS.len() as u16 {
        let mut end = VerilogEnd::new(&broken, SEED | fault << 14, false, false).unwrap();
        let report = net.run(&mut end, 6);
        let name = (fault != 0).then(|| GUARDS[usize::from(fault) - 1].0);
        println!("{name:?}: {} of {} out of order", report.out_of_order, report.sent);
        assert_eq!(report.out_of_order > 0, fault != 0, "{name:?}: {report:#?}");
        assert_eq!(report.contradictions > 0, fault != 0, "{name:?}: {report:#?}");
    }
}
