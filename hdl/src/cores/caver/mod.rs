//! CAVER in a switch: data of a host goes by the least congested path that ACKs have told of, as a list of ports, and a flow stays on its
//! path. 003 (CAVER) section 2, with one path a destination, or with one for each destination and uplink.
//!
//! ```text
//!  op ──► hold ──► read ──► compare ──► decide ──► sum ──► shift ──► judge ──► result
//!           ▲       │                    │   │      ▲ │                │
//!           │       ▼                    │   ▼      │ ▼                ▼
//!           │      flow table ◄──────────┘  sums of the ports     path table
//!           └── waits for ops that change an entry of its own
//! ```
//!
//! 15 ops in 16 cycles; every 16th one is the core's own: the sum of a port loses its share, or the walker comes to an entry of each table
//! ([`slots`]). Ops of one destination, or of one place in the flow table, are kept apart by [`interlock`]. [`decode`] takes the inputs
//! apart, [`age`] tells live entries from dead ones, [`decide`] has the algorithm but for the comparison of two paths, which [`judge`] has.
//! [`hosts`] has the hosts that ACKs speak of in turn, [`dre`] estimates the load of each port, [`engine`] has the wires.
//!
//! The picture is that of `caver.table = single`, whose wires are in [`single`]. With `per_port`, [`uplinks`] stands in the place of the path
//! table and finds the best one of all that is reported, [`settle`] in that of [`judge`], and there is a stage more: [`per_port`].

pub mod age;
pub mod contract;
pub mod decide;
pub mod decode;
pub mod dre;
pub mod engine;
pub mod hosts;
pub mod interlock;
pub mod judge;
pub mod least;
pub mod per_port;
pub mod settle;
pub mod single;
pub mod slots;
pub mod state;
pub mod uplink;
pub mod uplinks;

pub use self::contract::CONTRACT;
use self::per_port::{CaverPerPort, CaverPerPortOfHosts};
use self::single::{Caver, CaverOfHosts};
use super::GenerateError;
use super::sizes::{CaverSizes, boxed_engine, by_sizes};
use crate::config::{Advertise, Config, PathTable};
use crate::engine::Engine;

/// Bits by which the sum of a port is shifted after reset, to show as congestion.
pub const SHIFT: u32 = 13;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(match (config.caver.table, config.caver.advertise) {
        (PathTable::Single, Advertise::Source) => by_sizes!("caver", config,
        S: CaverSizes(caver.destinations, caver.flows, caver.ports) => boxed_engine(
            Caver::<{ S.dst }, { S.flow }, { S.port }, { S.ports }, { S.walk }>::new
        )),
        (PathTable::Single, Advertise::RoundRobin) => by_sizes!("caver", config,
        S: CaverSizes(caver.destinations, caver.flows, caver.ports) => boxed_engine(
            CaverOfHosts::<{ S.dst }, { S.flow }, { S.port }, { S.ports }, { S.walk }>::new
        )),
        (PathTable::PerPort, Advertise::Source) => by_sizes!("caver", config,
        S: CaverSizes(caver.destinations, caver.flows, caver.ports) => boxed_engine(
            CaverPerPort::<{ S.dst }, { S.flow }, { S.port }, { S.ports }, { S.walk }, { S.tail }>::new
        )),
        (PathTable::PerPort, Advertise::RoundRobin) => by_sizes!("caver", config,
        S: CaverSizes(caver.destinations, caver.flows, caver.ports) => boxed_engine(
            CaverPerPortOfHosts::<{ S.dst }, { S.flow }, { S.port }, { S.ports }, { S.walk }, { S.tail }>::new
        )),
    })
}
