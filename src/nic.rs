//! `respray cosim --core nic`: the joined block in lockstep, two of them over a network or one on a capture.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use respray_cosim::lockstep::report::Report;
use respray_cosim::nic::{
    CaptureReplay, Frames, NicFailure, PAIR_BYTES, PairOptions, PairReport, REGISTER, ReplayOptions,
    RunFiles, SPEEDUP, pair, replay,
};
use respray_golden::hosts::scenarios::Scenario;

use crate::args::{Refusal, RunArgs, Sim, cut};
use crate::number::{Number, within};
use crate::simulator::simulator;
use crate::{netlist, output};

/// What A sends where nothing is given: a second or two of lockstep.
const BYTES: u64 = 1 << 20;

/// What only the joined block understands.
#[derive(Args)]
#[command(next_help_heading = "Of nic")]
pub struct NicArgs {
    /// Stimulus: two blocks, hosts behind them that send messages, and a network of paths between [default: equal].
    #[arg(long, value_name = "SCENARIO", group = "stimulus", num_args = 0..=1, default_missing_value = Scenario::Equal.name(), value_parser = scenarios())]
    pair: Option<Scenario>,
    /// Of a pair: bytes that one host sends to the other, about [default: 1048576].
    #[arg(long, value_name = "N", requires = "pair", value_parser = within::<u64>(PAIR_BYTES))]
    bytes: Option<u64>,
    /// Of a pair: a register that both hosts write before they open a connection, e.g. ratio=6; may be given again.
    #[arg(long = REGISTER, value_name = "NAME=VALUE", requires = "pair", value_parser = register())]
    registers: Vec<(String, u32)>,
    /// Of a capture: let so many nanoseconds of it pass in one; with more than 1 the log of a recording is
    /// not heeded [default: 1].
    #[arg(long, value_name = "N", requires = "traffic", value_parser = within::<u64>(SPEEDUP))]
    speedup: Option<u64>,
}

fn scenarios() -> impl clap::builder::TypedValueParser<Value = Scenario> {
    let value = |scenario: Scenario| PossibleValue::new(scenario.name()).help(scenario.meaning());
    PossibleValuesParser::new(Scenario::ALL.map(value)).map(|name| {
        let known = Scenario::ALL.into_iter().find(|scenario| scenario.name() == name);
        known.expect("the parser lets nothing else pass")
    })
}

/// A register and the value that is written.
fn register() -> Number<(String, u32)> {
    let read = |text: &str| {
        let (name, value) = text.split_once('=')?;
        Some((name.to_string(), value.parse().ok()?))
    };
    Number::new("a name, `=` and a number of 0 to 4294967295", read)
}

/// What a run of the block came to.
pub enum NicRun {
    Pair(Box<PairReport>),
    Replay(Box<Report<NicFailure>>),
}

impl NicArgs {
    /// The first of these options that is given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--pair", self.pair.is_some()),
            ("--bytes", self.bytes.is_some()),
            ("--register", !self.registers.is_empty()),
            ("--speedup", self.speedup.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }

    /// Two blocks in a scenario, or one on the capture of `run` or on a list of frames.
    pub fn run(
        &self,
        run: &RunArgs,
        local: Option<IpAddr>,
        list: Option<&PathBuf>,
        pcap_out: Option<&PathBuf>,
        files: RunFiles,
    ) -> Result<NicRun, Refusal> {
        let config = run.config.load()?;
        let netlist = netlist::synthesis(run)?;
        let bar = output::progress(0, if self.pair.is_some() { "packets" } else { "frames" });
        let mut show = |progress| output::show(&bar, progress);
        let capture = run.traffic.clone().map(|path| {
            let (speedup, cut) = (self.speedup.unwrap_or(1), cut(run.strict));
            Frames::Capture(CaptureReplay { path, local, speedup, cut })
        });
        let done = match (self.pair, capture.or_else(|| list.cloned().map(Frames::List))) {
            (Some(_), _) if run.sim != Sim::Verilator => {
                return Err("--sim of core `nic` is of captures and lists of frames, not of pairs".into());
            }
            (Some(scenario), _) => {
                let options = PairOptions {
                    scenario,
                    bytes: self.bytes.unwrap_or(BYTES),
                    seed: run.seed.unwrap_or(1),
                    registers: self.registers.clone(),
                    netlist,
                    files,
                    pcap_out: pcap_out.cloned(),
                };
                NicRun::Pair(Box::new(pair(&config, &options, &mut show)?))
            }
            (None, Some(frames)) => {
                if pcap_out.is_some() {
                    return Err("--pcap-out of core `nic` is of pairs: --pair SCENARIO".into());
                }
                let options = ReplayOptions { frames, netlist, simulator: simulator(run)?, files };
                NicRun::Replay(Box::new(replay(&config, &options, &mut show)?))
            }
            (None, None) => {
                let ways = "--pair SCENARIO, --traffic FILE or --frames FILE";
                return Err(
                    format!("core `nic` runs in pairs, on captures or on lists of frames: {ways}").into()
                );
            }
        };
        bar.finish_and_clear();
        Ok(done)
    }
}
