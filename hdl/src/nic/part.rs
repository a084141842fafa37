//! The modules of the block that are no core, each with its Verilog.

use rust_hdl::prelude::Block;

use super::{Commands, Peers, Prober, Pulses, Scoreboard, Spray, WidePeers};
use crate::config::Config;
use crate::cores::GenerateError;
use crate::cores::prefix::Prefix;
use crate::cores::sizes::{PeerSizes, SelectorSizes, boxed, by_sizes};
use crate::emit::{self, EmitOptions, verilog};
use crate::manifest::Direction;

/// A module that the block instantiates.
pub struct Part {
    /// Its word in the names of the block.
    pub name: &'static str,
    /// Name of the module.
    pub module: String,
    /// Name, direction and width of each port.
    pub ports: Vec<(String, Direction, u32)>,
    /// The module and those below it.
    pub verilog: String,
}

/// The modules of a configuration.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn parts(config: &Config, prefix: &Prefix) -> Result<Vec<Part>, GenerateError> {
    let part = |name, block: Box<dyn Block>| part(name, block.as_ref(), prefix);
    Ok(vec![
        part("commands", Box::<Commands>::default())?,
        part("scoreboard", Box::new(Scoreboard::new(config.connections)))?,
        part("spray", Box::new(Spray::new()))?,
        part("prober", Box::<Prober>::default())?,
        part("pulses", Box::<Pulses>::default())?,
        part("peers", peers(config)?)?,
    ])
}

fn part(name: &'static str, block: &dyn Block, prefix: &Prefix) -> Result<Part, GenerateError> {
    let module = prefix.name(&format!("nic_{name}"));
    let options = EmitOptions { module: &module, ..EmitOptions::default() };
    let (verilog, ports) = (verilog(block, &options)?, emit::ports(block)?);
    Ok(Part { name, module, ports, verilog })
}

fn peers(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    if config.bus_bits == 512 {
        return Ok(
            by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(WidePeers::<{ S.conn }>::new)),
        );
    }
    Ok(by_sizes!("nic", config, S: PeerSizes(bus_bits, connections) => boxed(|| {
        Peers::<{ S.data }, { S.conn }, { S.beat_address }, { S.beats }>::new()
    })))
}
