//! The header rewriters at every bus width and profile.

#[allow(dead_code)]
mod differential;

use respray_hdl::config::Config;
use respray_hdl::cores::generate;

#[test]
fn every_width_and_profile_is_clean_for_verilator_and_icarus() {
    for core in ["rewrite_tx", "rewrite_rx"] {
        for bus in ["bus_bits=64", "bus_bits=128", "bus_bits=256", "bus_bits=512"] {
            for wire in ["wire=strack", "wire=uet"] {
                let config = Config::load(None, &[bus.into(), wire.into()]).unwrap();
                let said = differential::warnings(core, &generate(core, &config).unwrap().verilog);
                assert!(said.is_empty(), "{core} {bus} {wire}: {said}");
            }
        }
    }
}
