//! `respray compare`: path selectors side by side.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::ProgressBar;
use respray_cosim::compare::{Behaviour, Model, Outcome, against_model, model, on_capture};
use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::report::Report;
use respray_cosim::lockstep::{Compiled, given};
use respray_files::output::check_writable;
use respray_hdl::config::{Config, PathSelector};
use respray_hdl::cores;
use respray_hdl::manifest::Generated;
use respray_synth::baseline::{Baseline, BaselineError};
use respray_synth::compare::{Comparison, Cost, Measure, Row};
use respray_synth::report::{Origin, generate};
use respray_synth::run::{Options, run, today};
use serde::Serialize;

use crate::args::{ConfigArgs, ExitStatus, Refusal, cut};
use crate::checkout::Checkout;
use crate::number::{real, whole, within};
use crate::output::{self, Results};

#[derive(Args)]
pub struct Compare {
    /// Path selectors with commas [default: all].
    #[arg(long, value_name = "SELECTOR", value_delimiter = ',', value_parser = PossibleValuesParser::new(comparable()))]
    selectors: Vec<String>,
    /// Send so many packets of one connection over a network in which some paths always mark [default: 100000].
    #[arg(long, value_name = "N", conflicts_with = "traffic", value_parser = within::<u64>(model::PACKETS))]
    random: Option<u64>,
    /// Give each selector the ops of this capture, pcap or pcapng, of a sender.
    #[arg(long, value_name = "FILE")]
    traffic: Option<PathBuf>,
    /// Refuse a capture that ends within a record.
    #[arg(long, requires = "traffic")]
    strict: bool,
    /// Seeds of the network and of the selectors.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<u16>(1, 1000), conflicts_with = "traffic")]
    seeds: u16,
    /// The first of them.
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = whole::<u16>(1, 64_000), conflicts_with = "traffic")]
    seed: u16,
    /// Paths of the network: a path is the EV modulo this.
    #[arg(long, value_name = "N", default_value_t = Model::default().paths, value_parser = within::<u32>(model::PATHS), conflicts_with = "traffic")]
    paths: u32,
    /// Share of the paths that mark every packet.
    #[arg(long, value_name = "SHARE", default_value_t = Model::default().bad, value_parser = real(model::SHARE), conflicts_with = "traffic")]
    bad: f64,
    /// Share of the packets on other paths that are marked by chance.
    #[arg(long, value_name = "SHARE", default_value_t = Model::default().marked, value_parser = real(model::SHARE), conflicts_with = "traffic")]
    mark: f64,
    /// Packets that an ACK answers, at most those of the window, with the EV and the mark of the last one.
    #[arg(long, value_name = "K", default_value_t = Model::default().ack_every, value_parser = within::<u32>(model::WINDOW), conflicts_with = "traffic")]
    ack_every: u32,
    /// Packets of a round trip, and the window.
    #[arg(long, value_name = "N", default_value_t = Model::default().window, value_parser = within::<u32>(model::WINDOW), conflicts_with = "traffic")]
    window: u32,
    /// Ticks from one packet to the next.
    #[arg(long, value_name = "N", default_value_t = Model::default().packet_ticks, value_parser = within::<u32>(model::PACKET_TICKS), conflicts_with = "traffic")]
    packet_ticks: u32,
    /// Measure what the selectors cost in this configuration, which takes minutes, in place of showing what was accepted.
    #[arg(long)]
    measure: bool,
    /// Write all figures as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one HTML page with the table and bars.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the table in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// The class of ops of a selector that change nothing.
const NOTHING: &str = "idle";

/// Runs one selector on all that it is given.
struct Runs<'a> {
    compare: &'a Compare,
    model: &'a Model,
    generated: &'a Generated,
    bar: &'a ProgressBar,
}

impl Visitor for Runs<'_> {
    type Output = Result<Vec<Outcome>, Refusal>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        let Runs { compare, model, generated, bar } = self;
        let outcomes = match &compare.traffic {
            Some(path) => {
                let config = &generated.manifest.config;
                let stimulus = given::capture::<C>(path, None, None, cut(compare.strict), config)?;
                let outcome = on_capture::<C>(generated, stimulus, Path::new("."))?;
                bar.inc(1);
                vec![outcome]
            }
            None => compare
                .all_seeds()
                .map(|seed| {
                    let outcome = against_model::<C>(generated, model, seed, Path::new("."));
                    bar.inc(1);
                    outcome
                })
                .collect::<Result<_, _>>()?,
        };
        Ok(outcomes)
    }
}

/// All of it, as JSON.
#[derive(Serialize)]
struct Figures<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    /// The network, if it was one.
    model: Option<&'a Model>,
    seeds: Vec<u16>,
    /// Every run of each selector.
    runs: BTreeMap<&'a str, Vec<Of<'a>>>,
}

/// One run.
#[derive(Serialize)]
struct Of<'a> {
    behaviour: &'a Behaviour,
    lockstep: &'a Report,
}

impl<'a> Of<'a> {
    fn new(outcome: &'a Outcome) -> Of<'a> {
        Of { behaviour: &outcome.behaviour, lockstep: &outcome.report }
    }
}

/// The path selectors that take the same ops. `flowcut` hears of bytes, and lets packets wait.
fn comparable() -> impl Iterator<Item = &'static str> {
    PathSelector::NAMES.into_iter().filter(|name| *name != PathSelector::Flowcut.name())
}

impl Compare {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let model = self.model();
        model.check()?;
        let config = self.config.load()?;
        let outputs = [("--json", &self.json), ("--html", &self.html), ("--markdown", &self.markdown)];
        let outputs = outputs.map(|(option, path)| (option, path.as_deref()));
        output::one_standard_output(&outputs)?;
        outputs.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?;
        let checkout = Checkout::find();
        let selectors: Vec<&str> = match self.selectors.as_slice() {
            [] => comparable().collect(),
            named => named.iter().map(String::as_str).collect(),
        };
        let commit = checkout.commit();
        let baseline = self.baseline(&checkout, &selectors, &config)?;
        let bar = output::progress(0, "runs");
        bar.set_length((selectors.len() * self.all_seeds().count()) as u64);
        let mut runs = Vec::new();
        for selector in &selectors {
            bar.set_message(selector.to_string());
            let generated = cores::generate(selector, &config)?;
            let run = Runs { compare: self, model: &model, generated: &generated, bar: &bar };
            runs.push((generated.clone(), visit(selector, run).expect("a selector is a core")?));
        }
        bar.finish_and_clear();
        let rows = selectors.iter().zip(&runs).map(|(selector, (generated, outcomes))| {
            let cost = baseline
                .as_ref()
                .map(|baseline| Cost::accepted(baseline, &generate, selector, &config))
                .transpose()?
                .flatten();
            Ok(row(selector, cost, generated, outcomes))
        });
        let comparison = Comparison {
            origin: Origin::new(&config, commit, today()),
            run: self.sentence(&model),
            rows: rows.collect::<Result<_, Refusal>>()?,
        };
        let figures = Figures {
            comparison: &comparison,
            model: self.traffic.is_none().then_some(&model),
            seeds: if self.traffic.is_some() { Vec::new() } else { self.all_seeds().collect() },
            runs: selectors
                .iter()
                .zip(&runs)
                .map(|(selector, (_, of))| (*selector, of.iter().map(Of::new).collect()))
                .collect(),
        };
        let failing: Vec<String> = runs
            .iter()
            .flat_map(|(_, outcomes)| outcomes)
            .filter_map(|Outcome { report, .. }| {
                Some(format!("FAILS: the Verilog of {}: {}\n", report.core, report.failure.as_ref()?))
            })
            .collect();
        let page = comparison.html()?;
        Results::text(format!("{}{}", comparison.table().text(), failing.concat()))
            .json(self.json.as_deref(), &figures)
            .file(self.html.as_deref(), || page)
            .file(self.markdown.as_deref(), || comparison.table().markdown())
            .hand_out()?;
        Ok(if failing.is_empty() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }

    fn model(&self) -> Model {
        Model {
            packets: self.random.unwrap_or(Model::default().packets),
            paths: self.paths,
            bad: self.bad,
            marked: self.mark,
            ack_every: self.ack_every,
            window: self.window,
            packet_ticks: self.packet_ticks,
        }
    }

    fn all_seeds(&self) -> impl Iterator<Item = u16> + use<> {
        let seeds = if self.traffic.is_some() { 1 } else { self.seeds };
        self.seed..self.seed + seeds
    }

    /// The figures of cost: those that were accepted, or measured now.
    fn baseline(
        &self,
        checkout: &Checkout,
        selectors: &[&str],
        config: &Config,
    ) -> Result<Option<Baseline>, Refusal> {
        if !self.measure {
            return match Baseline::read(&checkout.baseline()) {
                Ok(baseline) => Ok(Some(baseline)),
                // outside of a checkout there are none
                Err(BaselineError::Read { .. }) => Ok(None),
                Err(error) => Err(error.into()),
            };
        }
        let options = Options {
            config: config.clone(),
            cores: selectors.iter().map(|selector| selector.to_string()).collect(),
            targets: vec!["u50".into(), "ecp5".into()],
            baseline: checkout.baseline(),
            ..Options::default()
        };
        let bar = output::progress(0, "runs");
        let finished = run(&checkout.bench()?, &options, selectors, &generate, &|done, of, what| {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(what.to_string());
        });
        bar.finish_and_clear();
        Ok(Some(Baseline::of(&finished?.report, &today())?))
    }

    /// What the selectors were run on.
    fn sentence(&self, model: &Model) -> String {
        match &self.traffic {
            Some(path) => format!("Ops of the capture {}.", path.display()),
            None => format!(
                "{} packets of one connection for each of {} seeds, window {}, an ACK for {}; of {} paths {:.0}% mark every packet, the others \
                 {:.0}% by chance.",
                model.packets,
                self.seeds,
                model.window,
                if model.ack_every == 1 { "each".into() } else { format!("every {}", model.ack_every) },
                model.paths,
                100.0 * model.bad,
                100.0 * model.marked,
            ),
        }
    }
}

/// A figure of a selector's behaviour, where the run has one.
type Figure = fn(&Behaviour) -> Option<f64>;

/// What is said of one selector.
fn row(selector: &str, cost: Option<Cost>, generated: &Generated, outcomes: &[Outcome]) -> Row {
    let manifest = &generated.manifest;
    let bits: u64 =
        manifest.memories.iter().map(|memory| u64::from(memory.words) * u64::from(memory.bits)).sum();
    let of = |figure: Figure| {
        let values: Vec<f64> = outcomes.iter().filter_map(|outcome| figure(&outcome.behaviour)).collect();
        let fold = |start, by: fn(f64, f64) -> f64| values.iter().copied().fold(start, by);
        (!values.is_empty()).then(|| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            [mean, fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max)]
        })
    };
    let figures: [(Measure, Figure); 5] = [
        (Measure::OntoBad, |behaviour| behaviour.onto_bad),
        (Measure::OntoMarked, |behaviour| Some(behaviour.onto_marked)),
        (Measure::Evs, |behaviour| Some(behaviour.evs)),
        (Measure::Imbalance, |behaviour| Some(behaviour.imbalance)),
        (Measure::Recycled, |behaviour| Some(behaviour.recycled)),
    ];
    Row {
        selector: selector.to_string(),
        cost,
        state_bits: bits as f64 / f64::from(manifest.config.connections),
        cycles: manifest
            .initiation_interval_cycles
            .iter()
            .filter(|(class, _)| *class != NOTHING)
            .map(|(class, cycles)| (class.to_string(), cycles.to_string()))
            .collect(),
        behaviour: figures.into_iter().filter_map(|(measure, figure)| Some((measure, of(figure)?))).collect(),
        mismatches: outcomes.iter().map(|outcome| outcome.report.mismatches).sum(),
    }
}
