//! Switches of 16 ports, as Verilog beside their golden models, for a look: 003 Figure 1 with six `caver`, and 002 Figure 3 with a
//! `flowcut_switch`. `cargo run -p respray-cosim --example tor`

use std::error::Error;

use respray_cosim::cores::caver::VerilogSwitch;
use respray_cosim::cores::flowcut_switch::VerilogEnd;
use respray_golden::fabric_tor::{Fabric, figure_1};
use respray_golden::order::figure_3;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

/// The `caver` of 16 ports whose tables are the smallest.
const CAVER: [&str; 3] = ["caver.destinations=64", "caver.ports=16", "caver.flows=1024"];
/// The `flowcut_switch` of 8 uplinks with the fewest buckets.
const FLOWCUT: [&str; 2] = ["flowcut_switch.buckets=512", "flowcut_switch.uplinks=8"];

/// A core with these keys.
fn core(name: &str, sets: &[&str]) -> Result<Generated, Box<dyn Error>> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Ok(generate(name, &Config::load(None, &sets)?)?)
}

/// The network of 003 Figure 1.
pub fn switches() -> Result<Fabric<VerilogSwitch>, Box<dyn Error>> {
    let core = core("caver", &CAVER)?;
    // the first one may fail, and then the others are those of one design
    let mut first = Some(VerilogSwitch::new(&core, false)?);
    Ok(figure_1::network(|| match first.take() {
        Some(switch) => switch,
        None => VerilogSwitch::new(&core, false).expect("a model of a design that is built"),
    }))
}

/// The switch of 002 Figure 3.
pub fn end() -> Result<VerilogEnd, Box<dyn Error>> {
    Ok(VerilogEnd::new(&core("flowcut_switch", &FLOWCUT)?, 1, true, false)?)
}

/// Prints both stories.
pub fn main() -> Result<(), Box<dyn Error>> {
    println!("003 Figure 1: packets from H1 to H3, and what T1 does with them");
    for told in figure_1::story(&mut switches()?)? {
        println!("  {:<62} flow {} {:?} by {}", told.after, told.flow, told.kind, told.way.join(" "));
    }
    println!("002 Figure 3: two flowcuts, the second of them drained");
    for told in figure_3::story(&mut end()?) {
        let outcome = told.outcome;
        let route = outcome.sent.map(|route| format!("{route:?}, flowcut {}", outcome.epoch));
        let pause = match (outcome.xoff, outcome.xon) {
            (true, _) => "XOFF",
            (_, true) => "XON",
            _ => "",
        };
        println!("  {:<76} {}{pause}", told.what, route.unwrap_or_default());
    }
    Ok(())
}
