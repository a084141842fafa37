//! What the networks came to.

use std::fmt;
use std::path::PathBuf;

use respray_golden::network as golden;
use serde::Serialize;

use crate::lockstep::op_core::counts;
use crate::lockstep::report::Failure;
use crate::report::{Finding, Report};

/// The verdict of all networks, and what happened in them. Its `cycles` are those of both engines.
pub type NetworkReport = Report<NetworkFailure>;

counts! {
    /// What happened in all networks together.
    pub struct Tally {
        /// Seeds that were run, the failing one included.
        seeds,
        /// Packets delivered, each once.
        packets,
        /// Clock edges of the two engines that were compared.
        sack_tx_cycles,
        sack_rx_cycles,
        ticks,
        transmissions,
        retransmissions,
        /// Transmissions dropped.
        lost,
        /// Of these, found lost by the out-of-order count, by a probe, by the timeout.
        found_by_ooo,
        found_by_probe,
        found_by_timeout,
        probes,
        lost_sacks,
        reordered,
        duplicates,
    }
}

impl Tally {
    /// Adds a network that delivered so many packets.
    pub(super) fn add(&mut self, happened: &golden::Report, packets: u64) {
        self.packets += packets;
        self.ticks += happened.ticks;
        self.transmissions += u64::from(happened.transmissions);
        self.retransmissions += u64::from(happened.retransmissions);
        self.lost += u64::from(happened.lost);
        let [ooo, probe, timeout] = happened.found_by.map(u64::from);
        self.found_by_ooo += ooo;
        self.found_by_probe += probe;
        self.found_by_timeout += timeout;
        self.probes += u64::from(happened.probes);
        self.lost_sacks += u64::from(happened.lost_sacks);
        self.reordered += u64::from(happened.reordered);
        self.duplicates += u64::from(happened.duplicates);
    }

    /// In words, a line each.
    pub(super) fn summary(&self) -> Vec<String> {
        let Tally { seeds, packets, transmissions, lost, reordered, duplicates, .. } = self;
        let Tally { found_by_ooo, found_by_probe, found_by_timeout, lost_sacks, .. } = self;
        let Tally { sack_tx_cycles, sack_rx_cycles, .. } = self;
        vec![
            format!(
                "{seeds} network(s), {sack_tx_cycles} cycles of sack_tx and {sack_rx_cycles} of sack_rx compared"
            ),
            format!(
                "{packets} packets delivered once in {transmissions} transmissions, {lost} of them lost; \
                 overtaken {reordered}, twice {duplicates}"
            ),
            format!(
                "losses found by the out-of-order count {found_by_ooo}, by a probe {found_by_probe}, \
                 by the timeout {found_by_timeout}; SACKs lost or old {lost_sacks}"
            ),
        ]
    }
}

/// What went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkFailure {
    /// Which network.
    pub network: FailedNetwork,
    /// The first difference, or the property that does not hold.
    pub what: String,
    /// The engine that differs and what was made of it: its ops of this network, run in lockstep without the network, differ as
    /// well. `None` where they do not, and where both engines are as they must be and a property does not hold.
    pub engine: Option<EngineFailure>,
    /// Waves of the engines, where they were asked for and no engine differs: an FST each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waves: Vec<PathBuf>,
    /// The command that fails again: on the engine's shrunken op trace, or on the network.
    pub command: String,
}

/// The network in which something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FailedNetwork {
    pub seed: u64,
}

/// The difference of an engine alone.
#[derive(Clone, Debug, Serialize)]
pub struct EngineFailure {
    pub core: &'static str,
    #[serde(flatten)]
    pub failure: Failure,
}

impl Finding for NetworkFailure {
    fn sentence(&self) -> String {
        format!("network of seed {}: {}", self.network.seed, self.what)
    }
}

impl fmt::Display for NetworkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence())?;
        for wave in &self.waves {
            writeln!(f, "waves of an engine up to its end: {}", wave.display())?;
        }
        match &self.engine {
            Some(EngineFailure { core, failure }) => {
                write!(f, "the ops of {core} without the network: {failure}")
            }
            None => write!(f, "again: {}", self.command),
        }
    }
}
