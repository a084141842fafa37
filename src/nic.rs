//! `respray cosim --core nic`: the joined block in lockstep, two of them over a network, or one on a capture or on random traffic.

use std::net::IpAddr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use respray_cosim::nic::{
    CaptureReplay, Feed, Frames, Logged, NicOptions, NicReport, PAIR_BYTES, PairOf, REGISTER, SPEEDUP, cosim,
};
use respray_golden::hosts::scenarios::Scenario;
use respray_hdl::config::Config;

use crate::args::{Refusal, RunArgs, cut};
use crate::common::give;
use crate::number::{Number, within};
use crate::output;
use crate::stream::StreamArgs;

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

    /// Whether the stimulus is a pair.
    pub fn is_pair(&self) -> bool {
        self.pair.is_some()
    }

    /// The configuration, and what the block is run on. Keys of the block that a log beside a capture is of hold where no others are given.
    ///
    /// # Errors
    /// What is refused before the run.
    pub fn options(
        &self,
        run: &RunArgs,
        local: Option<IpAddr>,
        stream: &StreamArgs,
    ) -> Result<(Config, NicOptions), Refusal> {
        let beneath = run.traffic.as_deref().map(Logged::keys_beside).transpose()?;
        let config = run.config.load_over(&beneath.unwrap_or_default())?;
        let feed = self.feed(run, local, stream)?;
        let pauses = stream.pace(run.seed.unwrap_or(1));
        if run.seed.is_some() && pauses.is_none() && matches!(feed, Feed::Frames(_)) {
            return Err(
                "--seed of core `nic` is of pairs, of random traffic, and of --gap and --stall".into()
            );
        }
        let mut options = NicOptions::new(feed);
        options.own.seed = run.seed.unwrap_or(options.own.seed);
        options.own.pauses = pauses;
        options.own.pcap_out = stream.pcap_out.clone();
        give(run, &mut options)?;
        Ok((config, options))
    }

    fn feed(&self, run: &RunArgs, local: Option<IpAddr>, stream: &StreamArgs) -> Result<Feed, Refusal> {
        if let Some(sentence) = stream.beside_list(run) {
            return Err(sentence.into());
        }
        if let Some(scenario) = self.pair {
            let (bytes, registers) = (self.bytes.unwrap_or(BYTES), self.registers.clone());
            return Ok(Feed::Pair(PairOf { scenario, bytes, registers }));
        }
        if let Some(path) = run.traffic.clone() {
            let (speedup, cut) = (self.speedup.unwrap_or(1), cut(run.strict));
            return Ok(Feed::Frames(Frames::Capture(CaptureReplay { path, local, speedup, cut })));
        }
        if let Some(path) = stream.frames.clone() {
            return Ok(Feed::Frames(Frames::List(path)));
        }
        if run.random.is_none() && run.minutes.is_none() {
            let ways = "--pair SCENARIO, --traffic FILE, --frames FILE, --random N or --minutes N";
            return Err(format!("core `nic` takes frames, and no ops: {ways}").into());
        }
        // with --minutes, as many as there is time for
        Ok(Feed::Random { cycles: run.random.unwrap_or(u64::MAX) })
    }
}

/// Runs the block.
pub fn run(config: &Config, options: &NicOptions) -> Result<NicReport, Refusal> {
    let unit = match options.own.feed {
        Feed::Pair(_) => "packets",
        Feed::Frames(_) => "frames",
        Feed::Random { .. } => "cycles",
    };
    let bar = output::progress(0, unit);
    let report = cosim(config, options, &mut |progress| output::show(&bar, progress));
    bar.finish_and_clear();
    Ok(report?)
}
