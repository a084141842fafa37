//! Who sends to whom.

use std::path::Path;

use std::collections::BTreeMap;

use respray_fabric::request::Request;
use respray_fabric::topology::{Map, Node, Topology, named};
use respray_fabric::workload::{Start, Workload};

use crate::{records, small};

fn flows(name: &str, topology: &str) -> Vec<respray_fabric::workload::Flow> {
    let topology = Topology::load(topology, Path::new("")).unwrap();
    Workload::parse(name, Path::new("")).unwrap().flows(&topology, 10_000, 3, None).unwrap().flows
}

#[test]
fn each_workload_sends_what_its_name_says() {
    let pairs = |name: &str| -> Vec<(u32, u32)> {
        flows(name, "t32x2").iter().map(|flow| (flow.source, flow.destination)).collect()
    };
    assert_eq!(pairs("tornado:3"), [(0, 16), (1, 17), (2, 18)]);
    assert_eq!(pairs("tornado").len(), 32);
    assert_eq!(pairs("incast:4"), [(16, 0), (17, 0), (18, 0), (19, 0)]);
    let permutation = pairs("permutation");
    let mut to: Vec<u32> = permutation.iter().map(|(_, to)| *to).collect();
    to.sort_unstable();
    assert_eq!(to, (0..32).collect::<Vec<_>>());
    assert!(permutation.iter().all(|(from, to)| from != to));
    assert_eq!(pairs("alltoall:4").len(), 32 * 31);
    assert_eq!(pairs("ring").len(), 32 * 63);
    assert_eq!(pairs("butterfly").len(), 32 * 5);
}

#[test]
fn a_chain_goes_on_when_the_message_before_is_complete() {
    let ring = flows("ring", "t32x2");
    assert_eq!(ring[0].start, Start::At(0));
    assert_eq!(ring[1].start, Start::After(0));
    assert_eq!((ring[1].source, ring[1].destination), (1, 2));
    let run = Request { topology: "t32x2".into(), bytes: Some(10_000), ..small() };
    let record = &records(&Request { workload: "ring".into(), ..run.clone() })[0];
    // 63 messages of three packets, each after the other, over two hops at least
    assert!(record.end_us > 63.0 * 4.0, "{}", record.end_us);
    for workload in ["alltoall:4", "butterfly"] {
        let record = &records(&Request { workload: workload.into(), ..run.clone() })[0];
        assert_eq!(record.times.unfinished, 0, "{workload}");
    }
}

#[test]
fn a_trace_has_the_load_that_is_asked_for() {
    for load in [40.0, 80.0] {
        let flows = flows(&format!("trace:{load}"), "t1024x2");
        let bytes: f64 = flows.iter().map(|flow| flow.bytes as f64).sum();
        let of_rate = bytes * 8.0 / (0.005 * 1024.0 * 400e9);
        assert!((of_rate * 100.0 / load - 1.0).abs() < 0.05, "{of_rate}");
    }
}

#[test]
fn every_host_reaches_every_other_by_every_way() {
    for (name, topology) in named() {
        let map = Map::new(&topology);
        let hosts = topology.hosts;
        // a link's two ends lead into each other
        for (port, wire) in map.wires.iter().enumerate() {
            assert_eq!(map.wires[wire.back as usize].back as usize, port, "{name}: {}", wire.name);
        }
        let names: BTreeMap<&str, ()> = map.wires.iter().map(|wire| (wire.name.as_str(), ())).collect();
        assert_eq!(names.len(), map.wires.len(), "{name}: each port has a name of its own");
        for (from, to) in [(0, hosts - 1), (0, 1), (hosts / 2, 0), (3, hosts / 2 + 1)] {
            let mut at = vec![map.wires[from as usize].to];
            let mut hops = 0;
            while let Some(Node::Switch(switch)) = at.first().copied() {
                hops += 1;
                assert!(hops <= 5, "{name}: from {from} to {to}");
                at = at
                    .iter()
                    .flat_map(|node| match node {
                        Node::Switch(switch) => {
                            let ways = map.ways(*switch, to);
                            (ways.first..ways.first + ways.count).map(|port| map.wires[port as usize].to)
                        }
                        Node::Host(_) => {
                            panic!("{name}: a way ends before the others, behind switch {switch}")
                        }
                    })
                    .collect();
                at.dedup();
            }
            assert!(at.iter().all(|node| *node == Node::Host(to)), "{name}: from {from} to {to}: {at:?}");
        }
    }
}

#[test]
fn the_largest_network_is_that_of_the_paper() {
    let topology = Topology::load("t1024x3", Path::new("")).unwrap();
    assert_eq!((topology.tors(), topology.t1s(), topology.cores(), topology.tiers()), (128, 128, 64, 3));
    assert_eq!(topology.longest_delays(), 6_000_000);
    let two = Topology::load("fpga128", Path::new("")).unwrap();
    assert_eq!((two.tors(), two.t1s(), two.cores(), two.tiers()), (2, 8, 0, 2));
}
