//! CAVER's switches in a network: 003 Figure 1 step by step, how news of paths spreads, and that data arrives by its routes, in order.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::caver::{Engine, Kind, Settings};
use respray_golden::fabric_tor::figure_1::{self, UNIT, end, load};
use respray_golden::fabric_tor::topology::{End, Peer, Topology};
use respray_golden::fabric_tor::traffic::{self, Traffic};
use respray_golden::fabric_tor::{Astray, Cargo, Fabric, PARAMS};

type Golden = Fabric<Engine>;

fn fabric(topology: Topology) -> Golden {
    let settings = Settings { path_age: 100, flow_timeout: 250, ..Settings::default() };
    Fabric::new(topology, settings, || Engine::new(PARAMS))
}

fn figure_1() -> Golden {
    fabric(Topology::figure_1())
}

fn ack_by(fabric: &mut Golden, way: &[&str]) {
    figure_1::ack_by(fabric, way).unwrap();
}

/// One ACK of H3 to H1 by each way that there is.
fn acks_by_all_ways(fabric: &mut Golden) {
    figure_1::one_rtt(fabric).unwrap();
}

/// The path to H3 as a switch knows it, by the names of the switches on it, and its congestion.
fn known(fabric: &Golden, name: &str, host: &str) -> Option<(Vec<String>, u8)> {
    let topology = fabric.topology();
    let mut switch = topology.switch(name);
    let host = topology.host(host);
    let best = fabric.switch(switch).path(host);
    if !best.valid {
        return None;
    }
    let ce = fabric.switch(switch).congestion(best.port).max(best.ce);
    let mut names = Vec::new();
    for port in (best.path << 8 | u32::from(best.port)).to_le_bytes() {
        if topology.port_to(switch, host).is_some() {
            assert_eq!(port, 0xff, "the route ends at the host's own ToR");
            return Some((names, ce));
        }
        let Peer::Switch(next) = topology.peer(End { switch, port }) else { panic!("no switch at {port}") };
        switch = next.switch;
        names.push(topology.switches()[switch].clone());
    }
    topology.port_to(switch, host).map(|_| (names, ce))
}

fn path(names: &[&str], ce: u8) -> Option<(Vec<String>, u8)> {
    Some((names.iter().map(|name| name.to_string()).collect(), ce))
}

/// A data packet from H1 to H3; what T1 did with it, and the switches that it passed.
fn send(fabric: &mut Golden, hash: u32, bytes: u16) -> (Kind, Vec<String>) {
    let told = figure_1::send(fabric, "", hash, bytes).unwrap();
    (told.kind, told.way)
}

#[test]
fn the_story_of_figure_1() {
    let mut fabric = figure_1::network(|| Engine::new(PARAMS));
    let story = figure_1::story(&mut fabric).unwrap();
    let ways = story.iter().map(|told| (told.flow, told.kind, told.way[1..].join(" "))).collect::<Vec<_>>();
    let way = |flow, kind, way: &str| (flow, kind, way.to_string());
    assert_eq!(
        ways[1..],
        [
            way(2, Kind::New, "L2 T6"),
            way(3, Kind::New, "L2 T6"),
            way(4, Kind::New, "L2 T5"),
            way(2, Kind::Same, "L2 T6"),
            way(5, Kind::New, "L2 T5"),
            way(6, Kind::New, "L1 T5"),
            way(4, Kind::Same, "L2 T5"),
        ]
    );
    assert_eq!((ways[0].0, ways[0].1), (1, Kind::Ecmp));
}

#[test]
fn figure_1_step_by_step() {
    let mut fabric = figure_1();
    assert_eq!(end(&fabric, "T6", "H3").port, 0, "as the figure has it");
    load(&mut fabric, "T6", "H3", 3);
    load(&mut fabric, "T5", "H3", 1);
    assert_eq!(send(&mut fabric, 1, 0).0, Kind::Ecmp, "nothing is known yet");
    // the green flow's ACK
    ack_by(&mut fabric, &["H3", "T6", "L2", "T1", "H1"]);
    assert_eq!(known(&fabric, "L2", "H3"), path(&["T6"], 3));
    assert_eq!(known(&fabric, "T1", "H3"), path(&["L2", "T6"], 3));
    assert_eq!(send(&mut fabric, 2, 0), (Kind::New, ["T1", "L2", "T6"].map(String::from).into()));
    // the red flow's, which came later
    ack_by(&mut fabric, &["H3", "T5", "L2", "T4", "H4"]);
    assert_eq!(known(&fabric, "L2", "H3"), path(&["T5"], 1));
    assert_eq!(known(&fabric, "T4", "H3"), path(&["L2", "T5"], 1));
    assert_eq!(known(&fabric, "T1", "H3"), path(&["L2", "T6"], 3), "nobody has told it");
    // the green flow's next one brings the red one's path
    ack_by(&mut fabric, &["H3", "T6", "L2", "T1", "H1"]);
    assert_eq!(known(&fabric, "L2", "H3"), path(&["T5"], 1));
    assert_eq!(known(&fabric, "T1", "H3"), path(&["L2", "T5"], 1));
    assert_eq!(send(&mut fabric, 3, 0), (Kind::New, ["T1", "L2", "T5"].map(String::from).into()));
    assert_eq!(send(&mut fabric, 2, 0), (Kind::Same, ["T1", "L2", "T6"].map(String::from).into()));
    assert_eq!(send(&mut fabric, 1, 0).0, Kind::Same, "by ECMP, as before");
}

/// Congestion of the best way from a switch to a host, by trying all.
fn least(fabric: &Golden, switch: usize, host: u16) -> u8 {
    figure_1::least(fabric, switch, host, &Engine::congestion)
}

/// An ACK of a host that reaches a switch by this port.
fn ack_through(fabric: &mut Golden, host: u16, switch: usize, port: u8) {
    let topology = fabric.topology();
    let (mut ports, mut at) = (Vec::new(), End { switch, port });
    let mut passed = vec![switch];
    while let Peer::Switch(before) = topology.peer(at) {
        passed.push(before.switch);
        ports.push(before.port);
        let next = fabric.next_ports(before.switch, host).trailing_zeros() as u8;
        at = End { switch: before.switch, port: next };
    }
    ports.reverse();
    let hosts = 0..topology.hosts().len() as u16;
    // it must not be delivered before it gets there
    let is_apart = |to: u16| passed[1..].iter().all(|switch| topology.port_to(*switch, to).is_none());
    let is_here = |to: u16| topology.port_to(switch, to).is_some();
    let to = hosts.filter(|to| is_apart(*to)).max_by_key(|to| is_here(*to)).expect("a receiver");
    ports.push(match topology.port_to(switch, to) {
        Some(port) => port,
        None => fabric.next_ports(switch, to).trailing_zeros() as u8,
    });
    let mut frame = fabric.ack(host, at.switch, to, 0);
    for port in ports {
        fabric.hop_by(&mut frame, port).unwrap();
    }
    assert!(matches!(frame.cargo, Cargo::Ack { .. }));
}

/// One ACK of a host from each neighbour that is nearer to it, the nearest switches first.
fn one_round(fabric: &mut Golden, host: u16, rng: &mut Xoshiro256PlusPlus) {
    let distances = fabric.topology().distances(host);
    let mut switches: Vec<(usize, u32, usize)> =
        distances.iter().enumerate().map(|(switch, distance)| (*distance, rng.random(), switch)).collect();
    switches.sort_unstable();
    for (_, _, switch) in switches.into_iter().filter(|(distance, ..)| *distance != 0) {
        let ports = fabric.next_ports(switch, host);
        (0..16).filter(|port| ports >> port & 1 == 1).for_each(|port| {
            ack_through(fabric, host, switch, port);
        });
    }
}

fn load_at_random(fabric: &mut Golden, rng: &mut Xoshiro256PlusPlus) {
    for switch in 0..fabric.topology().switches().len() {
        for port in 0..16 {
            fabric.load(End { switch, port }, UNIT * rng.random_range(0..60));
        }
    }
}

fn all_know_the_best(fabric: &Golden) -> bool {
    let topology = fabric.topology();
    (0..topology.hosts().len() as u16).all(|host| {
        (0..topology.switches().len()).filter(|switch| topology.port_to(*switch, host).is_none()).all(
            |switch| {
                let name = &topology.switches()[switch];
                let (_, ce) = known(fabric, name, &topology.hosts()[usize::from(host)]).unwrap();
                ce == least(fabric, switch, host)
            },
        )
    })
}

#[test]
fn one_ack_from_each_neighbour_and_each_switch_knows_the_best_path() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for topology in [Topology::figure_1(), Topology::fat_tree()] {
        for _ in 0..50 {
            let mut fabric = fabric(topology.clone());
            load_at_random(&mut fabric, &mut rng);
            (0..topology.hosts().len() as u16).for_each(|host| one_round(&mut fabric, host, &mut rng));
            assert!(all_know_the_best(&fabric));
        }
    }
}

/// A switch that hears of the others before it hears that its own path became worse keeps none of them. The next ACK of each tells it.
#[test]
fn when_paths_become_worse_a_second_ack_of_each_neighbour_may_be_needed() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut late = 0;
    for topology in [Topology::figure_1(), Topology::fat_tree()] {
        let hosts = topology.hosts().len() as u16;
        let mut fabric = fabric(topology);
        for _ in 0..50 {
            (0..10).for_each(|_| fabric.rest());
            load_at_random(&mut fabric, &mut rng);
            (0..hosts).for_each(|host| one_round(&mut fabric, host, &mut rng));
            late += u32::from(!all_know_the_best(&fabric));
            // each round goes from the nearest switches outward, so that the second one finds all in order
            let rounds = (2..=8).find(|_| {
                (0..hosts).for_each(|host| one_round(&mut fabric, host, &mut rng));
                all_know_the_best(&fabric)
            });
            assert!(rounds.is_some_and(|rounds| rounds <= 2), "{rounds:?} rounds");
        }
    }
    assert!(late > 0, "the premise of this test");
}

#[test]
fn a_congested_link_turns_new_flows_away_after_one_rtt_and_running_ones_stay() {
    let mut fabric = figure_1();
    load(&mut fabric, "T6", "H3", 5);
    load(&mut fabric, "T1", "L1", 2);
    acks_by_all_ways(&mut fabric);
    let by = |leaf: &str, tor: &str| -> Vec<String> { ["T1", leaf, tor].map(String::from).into() };
    assert_eq!(send(&mut fabric, 1, 9000), (Kind::New, by("L2", "T5")));
    // others' data fills the link from L2 to T5, and T1 does not know yet
    load(&mut fabric, "L2", "T5", 30);
    assert_eq!(known(&fabric, "T1", "H3").unwrap().0, ["L2", "T5"]);
    assert_eq!(send(&mut fabric, 2, 64), (Kind::New, by("L2", "T5")));
    // one RTT: an ACK by each way
    acks_by_all_ways(&mut fabric);
    assert_eq!(send(&mut fabric, 3, 64), (Kind::New, by("L2", "T6")), "L2 gives its other one");
    ack_by(&mut fabric, &["H3", "T5", "L1", "T1", "H1"]);
    assert_eq!(known(&fabric, "T1", "H3"), path(&["L1", "T5"], 2));
    assert_eq!(send(&mut fabric, 4, 64), (Kind::New, by("L1", "T5")));
    // the running ones keep theirs, however long that is congested
    for _ in 0..20 {
        assert_eq!(send(&mut fabric, 1, 9000), (Kind::Same, by("L2", "T5")));
        assert_eq!(send(&mut fabric, 2, 64), (Kind::Same, by("L2", "T5")));
        acks_by_all_ways(&mut fabric);
    }
}

#[test]
fn a_flows_own_data_congests_its_path_for_those_that_follow() {
    let mut fabric = figure_1();
    acks_by_all_ways(&mut fabric);
    let (kind, first) = send(&mut fabric, 1, 9000);
    assert_eq!(kind, Kind::New);
    // 270,000 bytes are 32 units
    (0..30).for_each(|_| assert_eq!(send(&mut fabric, 1, 9000), (Kind::Same, first.clone())));
    acks_by_all_ways(&mut fabric);
    acks_by_all_ways(&mut fabric);
    let (kind, second) = send(&mut fabric, 2, 64);
    assert_eq!(kind, Kind::New);
    assert!(first[1] != second[1] && first[2] != second[2], "{first:?} {second:?} share a link");
    assert_eq!(send(&mut fabric, 1, 9000), (Kind::Same, first));
}

#[test]
fn a_link_that_dies_at_the_tor_moves_its_flows_at_once() {
    let mut fabric = figure_1();
    load(&mut fabric, "T1", "L1", 5);
    acks_by_all_ways(&mut fabric);
    assert_eq!(send(&mut fabric, 1, 64).1[1], "L2");
    let link = end(&fabric, "T1", "L2");
    fabric.set_link(link, false);
    let (kind, names) = send(&mut fabric, 1, 64);
    assert_eq!((kind, names[1].as_str()), (Kind::Ecmp, "L1"));
    ack_by(&mut fabric, &["H3", "T6", "L1", "T1", "H1"]);
    let (kind, names) = send(&mut fabric, 2, 64);
    assert_eq!((kind, names[1].as_str()), (Kind::New, "L1"));
}

/// A route is followed whether its link is up or not; a ToR does not hear of a link behind the next switch but by ACKs.
#[test]
fn a_link_that_dies_farther_on_loses_a_running_flow_and_new_ones_leave_it_after_one_rtt() {
    let mut fabric = figure_1();
    load(&mut fabric, "T6", "H3", 5);
    load(&mut fabric, "T1", "L1", 2);
    acks_by_all_ways(&mut fabric);
    assert_eq!(send(&mut fabric, 1, 64).1[1..], ["L2", "T5"]);
    let link = end(&fabric, "L2", "T5");
    fabric.set_link(link, false);
    ack_by(&mut fabric, &["H3", "T6", "L2", "T1", "H1"]);
    assert_eq!(send(&mut fabric, 2, 64).1[1..], ["L2", "T6"]);
    let topology = fabric.topology();
    let (from, to, tor) = (topology.host("H1"), topology.host("H3"), topology.switch("T1"));
    let running = fabric.data(from, tor, to, 1, 64);
    assert_eq!(fabric.carry(running), Err(Astray::NoLink("L2".into(), link.port)));
}

#[test]
fn random_traffic_arrives_by_its_routes_and_in_order() {
    for (name, topology) in [("figure 1", Topology::figure_1()), ("fat tree", Topology::fat_tree())] {
        for seed in 0..8 {
            // 200 ticks, fewer than a flow's 250
            let traffic =
                Traffic { seed, steps: 60_000, flows: 60, ack_loss: 5, tick: 300, is_ordered: true };
            let counts = traffic::run(&mut fabric(topology.clone()), &traffic).unwrap();
            assert_eq!((counts.bad_routes, counts.refused, counts.overtaken), (0, 0, 0), "{name}");
            assert!(counts.data > 4000 && counts.acks > 2000, "{name}: {counts:?}");
            assert!(counts.same > 500 && counts.routed > 1000 && counts.new > 5, "{name}: {counts:?}");
            assert!(counts.took > 1000 && counts.kept > 500 && counts.collided > 20, "{name}: {counts:?}");
        }
    }
}

#[test]
fn where_flows_and_paths_die_data_still_arrives() {
    let mut overtaken = 0;
    for topology in [Topology::figure_1(), Topology::fat_tree()] {
        for seed in 0..8 {
            let settings = Settings { path_age: 20, flow_timeout: 2, ..Settings::default() };
            let mut fabric = Fabric::new(topology.clone(), settings, || Engine::new(PARAMS));
            let traffic =
                Traffic { seed, steps: 60_000, flows: 60, ack_loss: 2, tick: 100, is_ordered: false };
            let counts = traffic::run(&mut fabric, &traffic).unwrap();
            assert_eq!((counts.bad_routes, counts.refused), (0, 0));
            assert!(counts.new > 500, "{counts:?}");
            overtaken += counts.overtaken;
        }
    }
    assert!(overtaken > 0, "a timeout below the paths' difference gives no order: the check can fail");
}
