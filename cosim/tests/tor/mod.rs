//! Switches out of Verilog, joined as the figures of 003 and 002 have them, each of whose results is held against its golden model.

#[path = "../../examples/tor.rs"]
mod example;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_cosim::cores::caver::VerilogSwitch;
use respray_golden::caver::{Engine, Kind};
use respray_golden::fabric_tor::figure_1::{self, UNIT, along, least, one_rtt, send};
use respray_golden::fabric_tor::topology::{End, PORTS};
use respray_golden::fabric_tor::traffic::{self, Traffic};
use respray_golden::fabric_tor::{Fabric, PARAMS};
use respray_golden::flowcut_switch::{self, Pick, Route};
use respray_golden::order::figure_3;

#[test]
fn the_example_runs() {
    example::main().unwrap();
}

#[test]
fn figure_1_of_caver_is_the_same_with_verilog() {
    let golden = figure_1::story(&mut figure_1::network(|| Engine::new(PARAMS))).unwrap();
    let verilog = figure_1::story(&mut example::switches().unwrap()).unwrap();
    assert_eq!(verilog, golden);
    // the flow after one RTT avoids the link that became congested
    assert_eq!(verilog[6].way, ["T1", "L1", "T5"]);
    assert_eq!((verilog[5].kind, &verilog[5].way[1]), (Kind::New, &"L2".to_string()));
}

fn congestion(switch: &VerilogSwitch, port: u8) -> u8 {
    switch.golden().congestion(port)
}

/// Whether a new flow takes a path than which none is better.
fn takes_the_best(fabric: &mut Fabric<VerilogSwitch>, flow: u32) -> bool {
    let t1 = fabric.topology().switch("T1");
    let host = fabric.topology().host("H3");
    let best = least(fabric, t1, host, &congestion);
    let told = send(fabric, "", flow, 0).unwrap();
    assert_eq!(told.kind, Kind::New);
    along(fabric, &told.way, &congestion) == best
}

/// The first ACK of each neighbour tells a switch of the best path as it is then. Where the stored path became worse meanwhile, a switch
/// may hear of the others before it hears of that, and knows the best one after the second.
#[test]
fn the_best_path_is_known_one_rtt_after_a_change() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut fabric = example::switches().unwrap();
    let mut flow = 0;
    let mut next = || {
        flow += 1;
        flow
    };
    for switch in 0..fabric.topology().switches().len() {
        for port in 0..PORTS {
            fabric.load(End { switch, port }, UNIT * rng.random_range(1..40));
        }
    }
    one_rtt(&mut fabric).unwrap();
    assert!(takes_the_best(&mut fabric, next()));
    let mut moved = 0;
    for _ in 0..12 {
        let before = send(&mut fabric, "", next(), 0).unwrap().way;
        let link = rng.random_range(0..2);
        figure_1::load(&mut fabric, &before[link], &before[link + 1], rng.random_range(1..12));
        one_rtt(&mut fabric).unwrap();
        if !takes_the_best(&mut fabric, next()) {
            one_rtt(&mut fabric).unwrap();
            assert!(takes_the_best(&mut fabric, next()), "after two");
        }
        moved += u32::from(send(&mut fabric, "", next(), 0).unwrap().way != before);
    }
    assert!(moved > 0, "the premise of this test");
}

#[test]
fn random_traffic_arrives_by_its_routes_and_in_order() {
    let traffic = Traffic { seed: 3, steps: 6000, flows: 60, ack_loss: 5, tick: 1500, is_ordered: true };
    let verilog = traffic::run(&mut example::switches().unwrap(), &traffic).unwrap();
    let golden = traffic::run(&mut figure_1::network(|| Engine::new(PARAMS)), &traffic).unwrap();
    assert_eq!(verilog, golden);
    assert_eq!((verilog.bad_routes, verilog.refused, verilog.overtaken), (0, 0, 0));
    assert!(verilog.same > 50 && verilog.routed > 100 && verilog.kept > 50, "{verilog:?}");
}

#[test]
fn figure_3_of_flowcut_is_the_same_with_verilog() {
    let params = flowcut_switch::Params {
        buckets: 512,
        uplinks: u32::from(figure_3::UPLINKS),
        pick: Pick::All,
        seed: 1,
    };
    let golden = figure_3::story(&mut flowcut_switch::Engine::new(params));
    let verilog = figure_3::story(&mut example::end().unwrap());
    assert_eq!(verilog, golden);
    let sent = verilog.iter().filter_map(|told| told.outcome.sent.map(|route| (route, told.outcome.epoch)));
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [
            (Route::New(3), 1),
            (Route::Same(3), 1),
            (Route::New(5), 2),
            (Route::Same(5), 2),
            (Route::Same(5), 2),
            (Route::New(6), 3)
        ]
    );
    let pauses = verilog.iter().map(|told| (told.outcome.xoff, told.outcome.xon));
    let pauses: Vec<_> = pauses.enumerate().filter(|(_, pause)| *pause != (false, false)).collect();
    assert_eq!(pauses, [(6, (true, false)), (9, (false, true))]);
}
