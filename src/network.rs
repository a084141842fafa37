//! `respray cosim --core sack`: both SACK engines in lockstep, with a network between them.

use std::path::Path;

use clap::Args;
pub use respray_cosim::network::NAME;
use respray_cosim::network::{NetworkOptions, NetworkReport, run};
use respray_golden::network::Limits;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;

use crate::args::{ExitStatus, Refusal};
use crate::output::{self, Results};

#[derive(Args)]
#[command(next_help_heading = "Networks, of core `sack`")]
pub struct Networks {
    /// Stimulus: a random network that delivers so many packets, rounded up to the same number on each connection.
    #[arg(long, value_name = "N", group = "stimulus")]
    packets: Option<u32>,
    /// So many networks, of seeds in a row.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "packets")]
    seeds: u64,
    /// Share of packets, SACKs and probes that a network loses at most.
    #[arg(long, value_name = "SHARE", default_value_t = Limits::default().loss, requires = "packets")]
    loss: f64,
    /// Packets that overtake one at most.
    #[arg(long, value_name = "N", default_value_t = Limits::default().reordering, requires = "packets")]
    reordering: u64,
}

impl Networks {
    /// Whether the stimulus is networks.
    pub fn are_given(&self) -> bool {
        self.packets.is_some()
    }

    pub fn run(&self, seed: u64, json: Option<&Path>, config: &Config) -> Result<ExitStatus, Refusal> {
        let limits = Limits { loss: self.loss, reordering: self.reordering };
        let packets = self.packets.unwrap_or_default();
        let options = NetworkOptions { seed, seeds: self.seeds, packets, limits };
        let bar = output::progress(0, "packets");
        let mut heard = |done, of| {
            bar.set_length(of);
            bar.set_position(done);
        };
        let report = run(&generate("sack_tx", config)?, &generate("sack_rx", config)?, &options, &mut heard);
        bar.finish_and_clear();
        let report = report?;
        let results = Results::text(text(&report)).json(json, &report);
        output::conclude(report.result, results, &[])
    }
}

fn text(report: &NetworkReport) -> String {
    let mut text = format!("{NAME} over {} network(s): {}\n", report.seeds, report.result.word());
    text += &format!(
        "  {} packets delivered once in {} transmissions, {} of them lost; overtaken {}, twice {}\n",
        report.packets, report.transmissions, report.lost, report.reordered, report.duplicates
    );
    text += &format!(
        "  losses found by the out-of-order count {}, by a probe {}, by the timeout {}; SACKs lost or old {}\n",
        report.found_by_ooo, report.found_by_probe, report.found_by_timeout, report.lost_sacks
    );
    text += &format!(
        "  mismatches {}; {} cycles of sack_tx and {} of sack_rx compared, {:.2} M cycles/s\n",
        report.mismatches,
        report.sack_tx_cycles,
        report.sack_rx_cycles,
        report.cycles_per_second / 1e6
    );
    if let Some(failure) = &report.failure {
        text += &format!("seed {}: {}\nagain: {}\n", failure.seed, failure.what, failure.command);
    }
    text
}
