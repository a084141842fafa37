//! Flowcut in the switch that the sending hosts are connected to: a flow keeps its uplink while any of its bytes are on their way, so that
//! no packet overtakes another, and its host is paused where its round-trip times say that its path is congested. 002 (Flowcut)
//! sections II-A to C.
//!
//! ```text
//!  op ──► 5 cycles ──► read ─────► forward ──────► update ───────► judge ───────► result
//!   │                   │           │  ▲            │   ▲           │  ▲
//!   │                   ▼           ▼  │            ▼   │           ▼  │
//!   │                  control RAM, newest state ──► next state ───► is it hot?
//!   │                        RTT, sample? ─────────► average ────────┤
//!   │                        rtt_min ──────────────► ratio * (rtt_min + serial)
//!   └──► least loaded uplink, 8 cycles ────────────► uplink
//! ```
//!
//! 15 ops in 16 cycles, for any order of buckets; every 16th cycle is the walker's ([`slots`]). An op waits for five cycles before it reads
//! its bucket, as the search for the least loaded uplink takes eight ([`least`] of all, or of [`two`]). From there on the pipeline is that of
//! [`flowcut`](super::flowcut): [`ledger`] has the algorithm, [`drain`] what is known a stage later, [`results`] leads to the outputs,
//! [`engine`] has the wires.

pub mod contract;
pub mod drain;
pub mod engine;
pub mod first;
pub mod least;
pub mod ledger;
pub mod results;
pub mod slots;
pub mod state;
pub mod two;

pub use self::contract::CONTRACT;
use self::engine::{FlowcutSwitch, FlowcutSwitchOfTwo};
use super::GenerateError;
use super::sizes::{FlowcutSwitchSizes, boxed_engine, by_sizes};
use crate::config::{Config, Pick};
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(match config.flowcut_switch.pick {
        Pick::All => by_sizes!("flowcut_switch", config,
        S: FlowcutSwitchSizes(flowcut_switch.buckets, flowcut_switch.uplinks) => boxed_engine(
            FlowcutSwitch::<{ S.bucket }, { S.uplinks }, { S.port }>::new
        )),
        Pick::Two => by_sizes!("flowcut_switch", config,
        S: FlowcutSwitchSizes(flowcut_switch.buckets, flowcut_switch.uplinks) => boxed_engine(
            FlowcutSwitchOfTwo::<{ S.bucket }, { S.uplinks }, { S.port }>::new
        )),
    })
}
