//! The modules of the block that joins the cores.

mod registers;
mod sender;

use respray_hdl::config::Config;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::cores::reps;
use respray_hdl::nic;

use crate::differential::warnings;

#[test]
#[ignore = "the same at more sizes"]
fn every_part_is_clean_for_verilator_and_icarus() {
    for sets in [
        &[][..],
        &["connections=16", "bus_bits=64"],
        &["connections=16384", "bus_bits=256"],
        &["connections=1024", "wire=uet"],
    ] {
        let config = Config::load(None, &sets.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        for part in nic::parts(&config, &reps::CONTRACT, &Prefix::default()).unwrap() {
            let said = warnings(&part.module, &part.verilog);
            assert!(said.is_empty(), "{sets:?}, {}: {said}", part.name);
        }
    }
}

#[test]
fn the_whole_is_clean_for_verilator_and_icarus() {
    for (selector, sets) in
        [("reps", &[][..]), ("ecmp", &["connections=16", "bus_bits=64", "sack.window=64", "wire=uet"][..])]
    {
        let config = Config::load(None, &sets.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        let verilog = nic::top::verilog(&config, selector, &Prefix::default());
        let said = warnings("nic", &verilog.unwrap_or_else(|error| panic!("{error}")));
        assert!(said.is_empty(), "{selector}, {sets:?}: {said}");
    }
}
