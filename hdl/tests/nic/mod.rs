//! The modules of the block that joins the cores.

mod registers;
mod sender;

use respray_hdl::config::Config;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::cores::reps;
use respray_hdl::nic;

use crate::differential::warnings;

#[test]
fn every_part_is_clean_for_verilator_and_icarus() {
    for sets in [&[][..], &["connections=16", "bus_bits=64"], &["connections=16384", "bus_bits=256"]] {
        let config = Config::load(None, &sets.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        for part in nic::parts(&config, &reps::CONTRACT, &Prefix::default()).unwrap() {
            if let Ok(folder) = std::env::var("RESPRAY_PARTS") {
                std::fs::write(format!("{folder}/{}.v", part.module), &part.verilog).unwrap();
            }
            let said = warnings(&part.module, &part.verilog);
            assert!(said.is_empty(), "{sets:?}, {}: {said}", part.name);
        }
    }
}

#[test]
fn the_whole_is_clean_for_verilator_and_icarus() {
    for sets in [&[][..], &["connections=16", "bus_bits=64", "sack.window=64"]] {
        let config = Config::load(None, &sets.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        for selector in ["reps", "ecmp"] {
            let verilog = nic::top::verilog(&config, selector, &Prefix::default())
                .unwrap_or_else(|error| panic!("{error}"));
            if let Ok(folder) = std::env::var("RESPRAY_PARTS") {
                std::fs::write(format!("{folder}/nic_{selector}_{}.v", config.bus_bits), &verilog).unwrap();
            }
            let said = warnings("nic", &verilog);
            assert!(said.is_empty(), "{sets:?}, {selector}: {said}");
        }
    }
}
