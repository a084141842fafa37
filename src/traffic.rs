//! `respray traffic`: what is in a capture, and a recording of one's own.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use respray_cosim::traffic::capture::{Profile, info};
use respray_fabric::engine::{Answer, Engine, Feedback as Told, Kind, Maker, Say};
use respray_files::output::check_writable;
use respray_golden::rewrite::Carried;
use respray_golden::selector::SendKind;
use respray_hdl::config::{Config, Wire};
use respray_record::live::{self, Feedback};
use respray_record::{RecordError, Scenario, page, record};
use respray_synth::plot::{At, Chart, Colour, Line, Mark};
use respray_synth::sheet::{Part, Sheet, Tile};

use crate::args::{ConfigArgs, ExitStatus, Refusal, cut};
use crate::number::whole;
use crate::output::{self, Results};

#[derive(Subcommand)]
pub enum Traffic {
    /// Show frames, profile, connections, EVs, ECN codepoints, span and rate of a capture.
    Info(Info),
    /// Record sprayed traffic between two hosts in network namespaces, over four paths (needs root).
    Record(Record),
    /// Let the engine `reps` choose the UDP source ports of real sockets, over four paths of which one fails (needs root).
    Live(Live),
}

#[derive(Args)]
pub struct Info {
    /// pcap or pcapng, gzipped or not.
    file: PathBuf,
    /// Write the figures as JSON too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Refuse a capture that ends within a record, in place of reading it up to there with a warning.
    #[arg(long)]
    strict: bool,
    /// With `wire` = uet: IP protocol of the entropy header that carries the profile in place of UDP, 253 as a rule
    /// [default: UDP].
    #[arg(long, value_name = "PROTOCOL", value_parser = whole::<u8>(1, 255))]
    ip_proto: Option<u8>,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Traffic {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        match self {
            Traffic::Info(command) => command.run(),
            Traffic::Record(command) => command.run(),
            Traffic::Live(command) => command.run(),
        }
    }
}

impl Info {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        let config = self.config.load()?;
        if self.ip_proto.is_some() && config.wire != Wire::Uet {
            return Err("--ip-proto goes with `wire` = uet; strack is carried by UDP alone".into());
        }
        let carried = Carried::of(self.ip_proto.unwrap_or_default());
        let wire = Profile { carried, ..Profile::of(&config) };
        let figures = info(&self.file, wire, cut(self.strict))?;
        output::warn(&figures.warnings);
        Results::text(format!("{figures}\n")).json(self.json.as_deref(), &figures).hand_out()?;
        Ok(ExitStatus::Success)
    }
}

#[derive(Args)]
pub struct Record {
    /// Folder of the recordings; it must exist.
    #[arg(short, long, value_name = "DIR", default_value = "tb/recordings")]
    output: PathBuf,
    /// Which to make: losses, overload, flowcut-steady, flowcut-slow-path, reps-slow-path; all if none is named.
    #[arg(value_parser = scenario)]
    scenarios: Vec<Scenario>,
}

impl Record {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        let scenarios = if self.scenarios.is_empty() { Scenario::all() } else { self.scenarios.clone() };
        for scenario in scenarios {
            let recorded = record(&scenario, &self.output)?;
            Results::text(format!("{recorded}\n")).hand_out()?;
        }
        page::update(&self.output)?;
        Ok(ExitStatus::Success)
    }
}

fn scenario(name: &str) -> Result<Scenario, String> {
    Scenario::by_name(name).ok_or_else(|| format!("allowed: {}", Scenario::names()))
}

#[derive(Args)]
pub struct Live {
    /// Let the Verilog choose, in Verilator, in place of the golden model.
    #[arg(long)]
    verilog: bool,
    /// Folder of the recording; it must exist.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Name of the recording, with which its files begin.
    #[arg(long, value_name = "NAME", default_value_t = live::Scenario::default().name)]
    name: String,
    /// Seed of the engine.
    #[arg(long, value_name = "SEED", default_value_t = live::Scenario::default().engine.seed, value_parser = whole::<u16>(0, 65_535))]
    seed: u16,
    /// The path that fails.
    #[arg(long, value_name = "PATH", default_value_t = live::Scenario::default().down.0 as u8, value_parser = whole::<u8>(0, 3))]
    path: u8,
    /// When it fails, in ms from the start.
    #[arg(long, value_name = "MS", default_value_t = live::Scenario::default().down.1, value_parser = whole::<u64>(1, 60_000))]
    down: u64,
    /// When it comes back.
    #[arg(long, value_name = "MS", default_value_t = live::Scenario::default().down.2, value_parser = whole::<u64>(2, 120_000))]
    up: u64,
    /// How long the sender sends, in ms.
    #[arg(long, value_name = "MS", default_value_t = live::Scenario::default().duration_ms, value_parser = whole::<u64>(100, 180_000))]
    duration: u64,
    /// Data packets a second.
    #[arg(long, value_name = "N", default_value_t = live::Scenario::default().packets_per_second, value_parser = whole::<u64>(10, 3000))]
    rate: u64,
    /// Write one HTML page with the shares of the paths over time.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write settings and figures as JSON too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The engine of a live run: that of the fabric, of which each packet waits for its EV.
struct Waited(Box<dyn Engine>);

fn stopped(error: &dyn std::fmt::Display) -> RecordError {
    RecordError::Engine { said: error.to_string() }
}

impl live::Engine for Waited {
    fn send(&mut self, connection: u16, now: u64) -> Result<(SendKind, u16), RecordError> {
        let ticket =
            self.0.send(&Say { connection, now, ..Say::default() }).map_err(|error| stopped(&error))?;
        match self.0.ev(ticket).map_err(|error| stopped(&error))? {
            Answer::Goes(kind, ev) => Ok((kind, ev)),
            Answer::Wait => Err(stopped(&"it lets a packet wait, and those of a live run do not")),
        }
    }

    fn hear(&mut self, feedback: Feedback, connection: u16, now: u64) -> Result<(), RecordError> {
        let say = Say { connection, now, ..Say::default() };
        let (told, say) = match feedback {
            Feedback::Ack { ev, is_marked } => (Told::Ack, Say { ev, is_marked, ..say }),
            Feedback::Timeout => (Told::Timeout, say),
        };
        self.0.hear(told, &say).map_err(|error| stopped(&error))
    }

    fn freezes(&mut self) -> Result<(u64, u64), RecordError> {
        let counts = self.0.finish().map_err(|error| stopped(&error))?;
        let of =
            |port: &str| counts.events.iter().find(|(name, _)| *name == port).map_or(0, |(_, count)| *count);
        Ok((of("freeze_entered"), of("freeze_left")))
    }
}

/// Width of a bin of the shares.
const BIN_MS: u64 = 100;

impl Live {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        if !(self.down < self.up && self.up <= self.duration) {
            return Err(format!(
                "--down is {}, --up {} and --duration {}; allowed: one after the other",
                self.down, self.up, self.duration
            )
            .into());
        }
        let files = [("--json", self.json.as_deref()), ("--html", self.html.as_deref())];
        output::one_standard_output(&files)?;
        files.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?;
        check_writable(&self.output.join(format!("{}.json", self.name)))?;
        let scenario = self.scenario();
        let kind = if self.verilog { Kind::Rtl } else { Kind::Golden };
        let settings = &scenario.engine;
        let ports = [
            ("freeze_timeout", u64::from(settings.freeze_timeout)),
            ("bdp_packets", u64::from(settings.bdp_packets)),
        ];
        let maker = Maker::new("reps", kind, &Config::default(), &ports, 1)?;
        let make = || {
            let engine = maker.make(settings.seed, 0).map_err(|error| stopped(&error))?;
            Ok(Box::new(Waited(engine)) as Box<dyn live::Engine>)
        };
        let called = if self.verilog { "the Verilog of reps" } else { "the golden model of reps" };
        let live = live::run(&scenario, &make, called, &self.output)?;
        page::update(&self.output)?;
        let page = self.sheet(&live).html()?;
        Results::text(format!("{live}\n"))
            .json(self.json.as_deref(), &live.recording)
            .file(self.html.as_deref(), || page)
            .hand_out()?;
        Ok(ExitStatus::Success)
    }

    fn scenario(&self) -> live::Scenario {
        let usual = live::Scenario::default();
        live::Scenario {
            name: self.name.clone(),
            packets_per_second: self.rate,
            duration_ms: self.duration,
            down: (self.path.into(), self.down, self.up),
            engine: respray_cosim::traffic::recording::Engine { seed: self.seed, ..usual.engine },
            ..usual
        }
    }

    /// The shares of the paths over time.
    fn sheet(&self, live: &live::Live) -> Sheet {
        let shares = live.shares(BIN_MS * 1_000_000);
        let (failed, ..) = live.recording.network.down.unwrap_or_default();
        let seconds = |bin: usize| (bin as u64 * BIN_MS) as f64 / 1000.0;
        let lines = (0..4).map(|path| {
            let points = shares.iter().enumerate().map(|(bin, shares)| (seconds(bin), 100.0 * shares[path]));
            match path == failed {
                true => Line::through(format!("path {path}, which fails"), Colour::Bad, points),
                false => Line::through(format!("path {path}"), Colour::Series(path), points),
            }
        });
        let mark = |name: &str, ms: u64| Mark {
            name: name.into(),
            at: At::Across(ms as f64 / 1000.0),
            colour: Colour::Plain,
        };
        let chart = Chart {
            across: "seconds".into(),
            up: "share of the packets, in %".into(),
            lines: lines.collect(),
            marks: vec![mark("the path fails", self.down), mark("it is back", self.up)],
            ..Chart::default()
        };
        let text = vec![
            format!("{}.", live.recording.says),
            format!(
                "From {} ms on, that is a retransmission timeout and a second behind the failure, until the path is back, path {failed} gets \
                 {:.1}% of the packets.",
                self.down + live.recording.rto_ns / 1_000_000 + 1000,
                100.0 * live.share_of_failed()
            ),
        ];
        let heading = "Where the packets went".into();
        let part = Part { heading, charts: vec![chart], is_large: true, ..Part::default() };
        let tile = Tile {
            value: format!("{:.1}%", 100.0 * live.share_of_failed()),
            name: format!("of the packets on path {failed} while it is down and known to be"),
            ..Tile::default()
        };
        let origin = format!("respray {}", env!("CARGO_PKG_VERSION"));
        Sheet {
            title: format!("respray: {}", Path::new(&live.recording.name).display()),
            origin,
            text,
            tiles: vec![tile],
            parts: vec![part],
        }
    }
}
