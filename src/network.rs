//! `respray cosim --core sack`: both SACK engines in lockstep, with a network between them.

use std::path::{Path, PathBuf};

use clap::Args;
pub use respray_cosim::network::NAME;
use respray_cosim::network::{LOSS, NetworkOptions, NetworkReport, PACKETS, REORDERING, SEEDS};
use respray_golden::network::Limits;
use respray_hdl::cores::generate;

use crate::args::{Refusal, RunArgs};
use crate::number::{real, within};
use crate::output;

#[derive(Args)]
#[command(next_help_heading = "Networks, of core `sack`")]
pub struct Networks {
    /// Stimulus: a random network that delivers so many packets, rounded up to the same number on each connection.
    #[arg(long, value_name = "N", group = "stimulus", value_parser = within::<u32>(PACKETS))]
    packets: Option<u32>,
    /// So many networks, of seeds in a row.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "packets", value_parser = within::<u64>(SEEDS))]
    seeds: u64,
    /// Share of packets, SACKs and probes that a network loses at most.
    #[arg(long, value_name = "SHARE", default_value_t = Limits::default().loss, requires = "packets", value_parser = real(LOSS))]
    loss: f64,
    /// Packets that overtake one at most.
    #[arg(long, value_name = "N", default_value_t = Limits::default().reordering, requires = "packets", value_parser = within::<u64>(REORDERING))]
    reordering: u64,
}

impl Networks {
    /// Whether the stimulus is networks.
    pub fn are_given(&self) -> bool {
        self.packets.is_some()
    }

    /// Runs the networks; `place` says where the reproducer goes that is usually called so.
    pub fn run(&self, run: &RunArgs, place: impl FnOnce(&Path) -> PathBuf) -> Result<NetworkReport, Refusal> {
        let config = run.config.load()?;
        if !config.sack.acks.is_default() {
            return Err("`sack.acks` is \"uet\"; allowed with core `sack`, whose networks have ACKs of STrack: strack".into());
        }
        let usual = NetworkOptions::new(self.packets.unwrap_or_default());
        let options = NetworkOptions {
            seed: run.seed.unwrap_or(usual.seed),
            seeds: self.seeds,
            limits: Limits { loss: self.loss, reordering: self.reordering },
            wave: run.wave.clone(),
            reproducer: place(&usual.reproducer),
            ..usual
        };
        let (sack_tx, sack_rx) = (generate("sack_tx", &config)?, generate("sack_rx", &config)?);
        let bar = output::progress(0, "packets");
        let report = respray_cosim::network::run(&sack_tx, &sack_rx, &options, &mut |progress| {
            output::show(&bar, progress);
        });
        bar.finish_and_clear();
        Ok(report?)
    }
}
