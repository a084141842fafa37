//! The modules of the block that joins the cores.

mod registers;
mod sender;

use respray_hdl::config::{Config, PathSelector};
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::cores::{generate, reps};
use respray_hdl::manifest::{Generated, Memory};
use respray_hdl::nic;

use crate::differential::warnings;

#[test]
#[ignore = "the same at more sizes"]
fn every_part_is_clean_for_verilator_and_icarus() {
    for sets in [
        &[][..],
        &["connections=16", "bus_bits=64"],
        &["connections=16384", "bus_bits=256"],
        &["connections=1024", "wire=uet", "nic.events=frames", "nic.peer_table=on"],
        &["bus_bits=128", "nic.events=frames", "nic.rx_credit=frames"],
        &["bus_bits=64", "nic.peer_table=on", "nic.close=graceful"],
        &["bus_bits=64", "wire=uet", "sack.acks=uet"],
    ] {
        let config = Config::load(None, &sets.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        for part in nic::parts(&config, &reps::CONTRACT, &Prefix::default()).unwrap() {
            let said = warnings(&part.module, &part.verilog);
            assert!(said.is_empty(), "{sets:?}, {}: {said}", part.name);
        }
    }
}

/// The block in this configuration.
fn whole(sets: &[&str]) -> Generated {
    let config = Config::load(None, &sets.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
    let generated = nic::top::generate(&config, &Prefix::default());
    generated.unwrap_or_else(|error| panic!("{sets:?}: {error}"))
}

fn is_clean(sets: &[&str]) {
    let said = warnings("nic", &whole(sets).verilog);
    assert!(said.is_empty(), "{sets:?}: {said}");
}

#[test]
fn the_whole_is_clean_for_verilator_and_icarus() {
    is_clean(&[]);
    is_clean(&["nic.selector=ecmp", "connections=16", "bus_bits=64", "sack.window=64", "wire=uet"]);
    is_clean(&["connections=16", "bus_bits=64", "sack.window=128", "wire=uet", "sack.acks=uet"]);
    is_clean(&[
        "nic.selector=ecmp",
        "connections=16",
        "bus_bits=64",
        "sack.window=64",
        "sack.engine=fast",
        "nic.events=frames",
        "nic.peer_table=on",
        "nic.close=graceful",
    ]);
}

#[test]
#[ignore = "the same with the other path selectors and sizes"]
fn the_whole_is_clean_with_every_path_selector_and_profile() {
    for selector in PathSelector::NAMES {
        let selector = &*format!("nic.selector={selector}");
        is_clean(&[selector, "bus_bits=64"]);
        let wire = if selector.ends_with("flowcut") { "wire=strack" } else { "wire=uet" };
        is_clean(&[selector, "bus_bits=512", wire]);
        if wire == "wire=uet" {
            is_clean(&[selector, "bus_bits=512", wire, "sack.acks=uet"]);
        }
    }
    is_clean(&[
        "sack.engine=fast",
        "connections=16384",
        "bus_bits=256",
        "nic.events=frames",
        "nic.peer_table=on",
        "nic.close=graceful",
    ]);
    is_clean(&["nic.events=frames", "nic.rx_credit=frames", "nic.rss_port=stable", "nic.peer_table=on"]);
    is_clean(&["nic.window=strack", "nic.rx_credit=frames", "nic.close=graceful"]);
    is_clean(&["selector.time_bits=16", "ops.order=permuted", "nic.selector=ops", "bus_bits=128"]);
}

#[test]
fn the_manifest_has_the_memories_that_the_verilog_declares() {
    let Generated { verilog, manifest } = whole(&[]);
    assert_eq!(manifest.memories.len(), verilog.matches("(* ram_style = ").count());
    let core = generate("sack_tx", &manifest.config).unwrap().manifest;
    let of_core = |name: &str| {
        let find = |memory: &&Memory| memory.name == name;
        manifest.memories.iter().find(find).map(|memory| (memory.words, memory.bits, memory.kind))
    };
    for memory in core.memories {
        assert_eq!(of_core(&memory.name), Some((memory.words, memory.bits, memory.kind)), "{}", memory.name);
    }
}
