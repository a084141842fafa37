//! `respray cosim` on the cores that packets stream through.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_cosim::stream::report::StreamReport;
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{PAUSES, Pace, Pacing, StreamOptions, Traffic, cosim};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_golden::rewrite::{Carried, Trimmed};
use respray_hdl::config::Wire;
use respray_hdl::cores;

use crate::args::{Refusal, RunArgs, cut};
use crate::common::give;
use crate::number::{Number, real, whole};
use crate::output;

/// What only cores that packets stream through understand.
#[derive(Args)]
#[command(next_help_heading = "Of rewrite_tx, rewrite_rx, shim_push, shim_pop and nic")]
pub struct StreamArgs {
    /// Stimulus: a list of frames, as a failing run leaves it; it brings its own --gap, --stall and --seed.
    #[arg(long, value_name = "FILE", group = "stimulus")]
    pub frames: Option<PathBuf>,
    /// Share of cycles in which the sender has nothing to send [default: 0; with --random and without --stall it
    /// changes by phases].
    #[arg(long, value_name = "SHARE", value_parser = real(PAUSES))]
    gap: Option<f64>,
    /// Share of cycles in which a receiver takes nothing [default: 0; with --random and without --gap it changes
    /// by phases].
    #[arg(long, value_name = "SHARE", value_parser = real(PAUSES))]
    stall: Option<f64>,
    /// Write the frames that leave the core, up to the first difference, as pcap; of `nic` those to the MAC, of a pair for each end,
    /// with its name before the file's extension.
    #[arg(long, value_name = "FILE")]
    pub pcap_out: Option<PathBuf>,
    #[arg(long, value_name = "PORT", help = format!("UDP destination port of the profile [default: {}]", Wire::udp_ports()), value_parser = whole::<u16>(0, 65_535))]
    udp_port: Option<u16>,
    /// Rewriters with `wire` = uet: IP protocol of the entropy header that carries the profile in place of UDP, 253 as a rule
    /// [default: UDP].
    #[arg(long, value_name = "PROTOCOL", value_parser = whole::<u8>(1, 255))]
    ip_proto: Option<u8>,
    /// `rewrite_rx` with `wire` = uet: DSCP of trimmed packets [default: none].
    #[arg(long, value_name = "DSCP", value_parser = whole::<u8>(1, 63))]
    dscp_trimmed: Option<u8>,
    /// `rewrite_rx` with `wire` = uet: DSCP of packets that were trimmed at the last hop [default: none].
    #[arg(long, value_name = "DSCP", value_parser = whole::<u8>(1, 63))]
    dscp_trimmed_last: Option<u8>,
    /// `rewrite_tx`: write the EV into IPv6 flow labels as well.
    #[arg(long)]
    flow_label: bool,
    /// `shim_push`, `shim_pop`: EtherType of the shim, decimal or 0x... [default: 0x88b5].
    #[arg(long, value_name = "TYPE", value_parser = ethertype())]
    ethertype: Option<u16>,
}

/// An EtherType, decimal or hexadecimal.
fn ethertype() -> Number<u16> {
    Number::new("0 to 65535, or 0x0 to 0xffff", |text| match text.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    })
}

impl StreamArgs {
    /// Those of these options that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("--frames", self.frames.is_some()),
            ("--gap", self.gap.is_some()),
            ("--stall", self.stall.is_some()),
            ("--pcap-out", self.pcap_out.is_some()),
            ("--udp-port", self.udp_port.is_some()),
            ("--ip-proto", self.ip_proto.is_some()),
            ("--dscp-trimmed", self.dscp_trimmed.is_some()),
            ("--dscp-trimmed-last", self.dscp_trimmed_last.is_some()),
            ("--flow-label", self.flow_label),
            ("--ethertype", self.ethertype.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option)
    }

    /// An option that the run would not heed, and why.
    fn unheeded(&self, run: &RunArgs) -> Option<String> {
        if self.flow_label && run.core != "rewrite_tx" {
            return Some(format!("--flow-label is of rewrite_tx; {} writes nothing", run.core));
        }
        if self.trims() && run.core != "rewrite_rx" {
            return Some(format!("--dscp-trimmed is of rewrite_rx; {} looks at no DSCP", run.core));
        }
        let is_of_shims = matches!(run.core.as_str(), "shim_push" | "shim_pop");
        if self.ethertype.is_some() && !is_of_shims {
            return Some(format!("--ethertype is of shim_push and shim_pop; {} knows no shim", run.core));
        }
        if self.udp_port.is_some() && is_of_shims {
            return Some(format!(
                "--udp-port is of rewrite_tx and rewrite_rx; {} looks at no port",
                run.core
            ));
        }
        if self.ip_proto.is_some() && !matches!(run.core.as_str(), "rewrite_tx" | "rewrite_rx") {
            return Some(format!(
                "--ip-proto is of rewrite_tx and rewrite_rx; {} knows no entropy header",
                run.core
            ));
        }
        self.beside_list(run)
    }

    /// A DSCP of trimmed packets is given.
    fn trims(&self) -> bool {
        self.dscp_trimmed.is_some() || self.dscp_trimmed_last.is_some()
    }

    /// An option that does not go with a list of frames, and why.
    pub fn beside_list(&self, run: &RunArgs) -> Option<String> {
        let of_list = [
            ("--gap", self.gap.is_some()),
            ("--stall", self.stall.is_some()),
            ("--seed", run.seed.is_some()),
        ];
        let (option, _) = of_list.into_iter().find(|(_, is_given)| *is_given && self.frames.is_some())?;
        Some(format!("{option} does not go with --frames: the list of frames brings its own"))
    }

    /// The pace that is asked for, if one is.
    pub fn pace(&self, seed: u64) -> Option<Pace> {
        match (self.gap, self.stall) {
            (None, None) => None,
            (gap, stall) => {
                Some(Pace { gap: gap.unwrap_or_default(), stall: stall.unwrap_or_default(), seed })
            }
        }
    }

    /// Runs the core on its frames; `place` says where the reproducer goes that is usually called so.
    pub fn run(&self, run: &RunArgs, place: impl FnOnce(&Path) -> PathBuf) -> Result<StreamReport, Refusal> {
        if let Some(sentence) = self.unheeded(run) {
            return Err(sentence.into());
        }
        let config = run.config.load()?;
        if self.trims() && config.wire != Wire::Uet {
            return Err("--dscp-trimmed goes with `wire` = uet; no packets of strack are trimmed".into());
        }
        if self.ip_proto.is_some() && config.wire != Wire::Uet {
            return Err("--ip-proto goes with `wire` = uet; strack is carried by UDP alone".into());
        }
        let core = run.core.as_str();
        let generated = cores::generate(core, &config)?;
        let traffic = self.traffic(run);
        let seed = run.seed.unwrap_or(1);
        let pacing = self.pace(seed).map_or_else(|| traffic.pacing(seed), Pacing::from);
        let mut options = StreamOptions::new(core, traffic);
        options.own.pacing = pacing;
        options.own.settings = RewriterSettings {
            udp_port: self.udp_port,
            carried: Carried::of(self.ip_proto.unwrap_or_default()),
            trimmed: Trimmed {
                dscp: self.dscp_trimmed.unwrap_or_default(),
                dscp_last: self.dscp_trimmed_last.unwrap_or_default(),
            },
            flow_label: self.flow_label,
            ethertype: self.ethertype,
        };
        options.own.pcap_out = self.pcap_out.clone();
        options.own.cut = cut(run.strict);
        options.reproducer = place(&options.reproducer);
        give(run, &mut options)?;
        let bar = output::progress(0, "");
        let report = cosim(&generated, &options, &mut |progress| output::show(&bar, progress));
        bar.finish_and_clear();
        Ok(report?)
    }

    fn traffic(&self, run: &RunArgs) -> Traffic {
        match (&self.frames, &run.traffic, run.random) {
            (Some(path), ..) => Traffic::List(path.clone()),
            (_, Some(path), _) => Traffic::Capture(path.clone()),
            (.., cycles) => {
                // with --minutes, as many as there is time for
                Traffic::Random { cycles: cycles.unwrap_or(u64::MAX), knobs: FrameKnobs::default() }
            }
        }
    }
}
