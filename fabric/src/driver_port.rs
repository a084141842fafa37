//! The ports by which a driver sets a path selector: those that a user sets, and what follows from the network for the others.

use respray_files::quote::Quoted;

use crate::engine::driver_ports;
use crate::error::FabricError;
use crate::parameters::Parameters;
use crate::time::NANOSECOND;
use crate::topology::Topology;

/// Those that are times: in ns here, and in ticks of its own in a block.
pub const TIMES: [&str; 4] = ["freeze_timeout", "gap", "round_ticks", "rto"];

/// A port by which a driver sets a path selector, and its value.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    pub name: &'static str,
    pub value: u64,
}

impl Port {
    /// A port by its name and the text of its value.
    ///
    /// # Errors
    /// [`FabricError::Port`].
    pub fn parse(name: &str, value: &str) -> Result<Port, FabricError> {
        let all = driver_ports();
        let refuse = |allowed: String| {
            let (name, value) = (Quoted(name).to_string(), Quoted(value).to_string());
            Err(FabricError::Port { name, value, allowed })
        };
        let Some((name, _)) = all.iter().find(|(port, _)| *port == name) else {
            let named =
                |(port, selectors): &(&str, Vec<&str>)| format!("{port} of {}", selectors.join(" and "));
            return refuse(all.iter().map(named).collect::<Vec<_>>().join(", "));
        };
        match value.parse() {
            Ok(value) => Ok(Port { name, value }),
            Err(_) => refuse("a whole number".to_string()),
        }
    }

    /// Refuses a port that none of the path selectors has, which are named by their cores.
    ///
    /// # Errors
    /// [`FabricError::Port`].
    pub fn check<'a>(&self, mut cores: impl Iterator<Item = &'a str>) -> Result<(), FabricError> {
        let all = driver_ports();
        let of = all.iter().find(|(port, _)| *port == self.name).map_or(&[][..], |(_, of)| of.as_slice());
        if cores.any(|core| of.contains(&core)) {
            return Ok(());
        }
        let (name, value) = (self.name.to_string(), self.value.to_string());
        let allowed = format!("with a path selector that has it: {}", of.join(", "));
        Err(FabricError::Port { name, value, allowed })
    }
}

/// The values that follow from a network, for the ports that path selectors have, times in ns.
pub fn usual_ports(parameters: &Parameters, topology: &Topology) -> Vec<(&'static str, u64)> {
    let base_rtt = parameters.base_rtt(topology, topology.longest_delays()) / NANOSECOND;
    let rto = parameters.rto(topology) / NANOSECOND;
    vec![
        ("freeze_timeout", parameters.freeze_timeout_ns.into()),
        ("bdp_packets", parameters.bdp_packets(topology)),
        // an ACK whose packet is forgotten says nothing of a round trip
        ("rtt_floor", 1),
        ("ratio", parameters.flowcut_ratio.into()),
        // 001 section 4.1: "an aggressive flowlet timeout at half of the RTT"
        ("gap", base_rtt / 2),
        // as aggressive as FlowBender: a round is a round trip, and one congested round is enough
        ("round_ticks", base_rtt),
        ("rto", rto),
    ]
}
