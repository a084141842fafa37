//! The way from the host to the MAC.

use respray_hdl::config::Config;
use respray_hdl::emit::{EmitOptions, verilog};
use respray_hdl::nic::sender::block;

use crate::differential::warnings;

#[test]
#[ignore = "the same at every width"]
fn the_sender_is_clean_for_verilator_and_icarus() {
    for sets in [
        ["bus_bits=64", "wire=strack"],
        ["bus_bits=128", "wire=uet"],
        ["bus_bits=256", "wire=strack"],
        ["bus_bits=512", "wire=uet"],
    ] {
        let config = Config::load(None, &sets.map(String::from)).unwrap();
        let options = EmitOptions { module: "nic_sender", ..EmitOptions::default() };
        let said = warnings("nic_sender", &verilog(block(&config).unwrap().as_ref(), &options).unwrap());
        assert!(said.is_empty(), "{sets:?}: {said}");
    }
}
