//! A path selector at work on real sockets: it gives each packet of a sender the UDP source port, a Linux kernel hashes that port onto one
//! of four paths, and one of them fails and comes back. What comes of it is a recording of an engine.

mod receiver;
mod sender;
mod sockets;

use std::collections::VecDeque;
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::cores::selector::recorded::{self, chosen_again};
use respray_cosim::traffic::capture::{CaptureOps, CaptureSource, Cut, Kind, ProfileFrames};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::recording::{self, Figures, NetworkSettings, PathEvs, PathFigures, Recording};
use respray_cosim::traffic::stimulus::Line;
use respray_files::output::write_all;
use respray_golden::selector::SendKind;
use respray_golden::wire::Profile as Wire;
use respray_hdl::cores::reps::contract::CONTRACT;
use respray_hdl::cores::selector::SelectorOp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use self::receiver::Receiver;
use self::sender::Sender;
use self::sockets::Sockets;
use crate::error::RecordError;
use crate::file::gzip;
use crate::network::{Network, PATHS, Paths, RECEIVER, SENDER};
use crate::socket::Interface;
use crate::tcpdump::Tcpdump;

/// Bytes of Ethernet, IPv4, UDP and `strack` headers before the payload of a data frame.
const HEADERS: usize = 14 + 20 + 8 + 16;
/// Bytes of a frame that are recorded.
const SNAP_BYTES: usize = 128;
/// After the last data, time for what is on its way.
const DRAIN: Duration = Duration::from_millis(150);
/// A stall of ours is not made good by a burst beyond this many packets.
const CATCH_UP: u64 = 32;
/// ECN codepoints ECT(0) and Not-ECT.
const ECT0: i32 = 2;
const NOT_ECT: i32 = 0;
/// Behind the retransmission timeout and this time, a failed path has lost the traffic.
const SETTLED_NS: u64 = 1_000_000_000;

/// What an engine is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    Ack { ev: u16, is_marked: bool },
    Timeout,
}

/// The engine that chooses the EVs: `reps`, as Verilog or as its golden model.
pub trait Engine {
    /// The EV of a packet that goes now, by a clock in ns.
    ///
    /// # Errors
    /// If the engine stops.
    fn send(&mut self, connection: u16, now_ns: u64) -> Result<(SendKind, u16), RecordError>;

    /// Tells it of feedback.
    ///
    /// # Errors
    /// If the engine stops.
    fn hear(&mut self, feedback: Feedback, connection: u16, now_ns: u64) -> Result<(), RecordError>;

    /// How many freezes it has entered, and how many it has left.
    ///
    /// # Errors
    /// If the engine stops.
    fn freezes(&mut self) -> Result<(u64, u64), RecordError>;
}

/// What happens.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the recording.
    pub name: String,
    /// Active connections, up to 128; their queue pairs are the odd numbers from 1.
    pub connections: u32,
    /// Data packets a second, all connections together.
    pub packets_per_second: u64,
    /// How long data is sent, ms.
    pub duration_ms: u64,
    /// Payload of a data packet in bytes.
    pub payload_bytes: usize,
    /// Rate of a path in data packets a second.
    pub path_packets_per_second: u64,
    /// The path that fails, from when to when in ms after the start.
    pub down: (usize, u64, u64),
    /// Packets that a path's queue holds.
    pub queue_packets: usize,
    /// Unacknowledged packets that a connection may have.
    pub window: usize,
    /// Packets that a connection sends in a row when it is its turn.
    pub burst: usize,
    /// Retransmission timeout, ns.
    pub rto_ns: u64,
    /// The engine's settings. Its seed also seeds the order in which connections send.
    pub engine: recording::Engine,
}

impl Default for Scenario {
    /// Four paths with a load of half; path 1 is down for two of five seconds.
    fn default() -> Scenario {
        Scenario {
            name: "live-failure".into(),
            connections: 64,
            packets_per_second: 2000,
            duration_ms: 5000,
            payload_bytes: 256,
            path_packets_per_second: 1000,
            down: (1, 1000, 3000),
            queue_packets: 40,
            window: 16,
            burst: 8,
            rto_ns: 120_000_000,
            engine: recording::Engine {
                connections: 256,
                depth: 8,
                ev_base: 0,
                ev_bits: 16,
                time_bits: 32,
                seed: 0x11fe,
                freeze_timeout: 1_500_000_000,
                bdp_packets: 16,
            },
        }
    }
}

impl Scenario {
    fn paths(&self) -> Paths {
        Paths {
            frame_bytes: HEADERS + self.payload_bytes,
            packets_per_second: [self.path_packets_per_second; PATHS],
            queue_packets: self.queue_packets,
            mark_burst: 10,
            lost_per_mille: [0; PATHS],
        }
    }

    /// One sentence.
    fn says(&self, engine: &str) -> String {
        let (path, from, to) = self.down;
        format!(
            "real UDP sockets whose source ports {engine} chooses: path {path} goes down at its far end after {} s and comes back after \
             {} s without the routes noticing",
            from as f64 / 1000.0,
            to as f64 / 1000.0
        )
    }

    /// Most data packets that can be sent.
    fn most_packets(&self) -> u64 {
        2 * self.duration_ms * self.packets_per_second / 1000 + 1000
    }
}

/// A live run that was recorded.
#[derive(Clone, Debug)]
pub struct Live {
    pub recording: Recording,
    /// The sends: when each went, in ns after the first, and over which path.
    pub sends: Vec<(u64, usize)>,
    /// The files.
    pub files: Vec<PathBuf>,
}

impl Live {
    /// The share of the failed path among the packets sent from the retransmission timeout and a second behind the failure until the
    /// path is back.
    pub fn share_of_failed(&self) -> f64 {
        let Some((failed, from_ms, to_ms)) = self.recording.network.down else { return 0.0 };
        let from = from_ms * 1_000_000 + self.recording.rto_ns + SETTLED_NS;
        let in_time = self.sends.iter().filter(|(time, _)| (from..to_ms * 1_000_000).contains(time));
        let (all, of) =
            in_time.fold((0u64, 0u64), |(all, of), (_, path)| (all + 1, of + u64::from(*path == failed)));
        of as f64 / all.max(1) as f64
    }

    /// Shares of the paths in bins of so many ns.
    pub fn shares(&self, bin_ns: u64) -> Vec<[f64; PATHS]> {
        let bins = self.sends.last().map_or(0, |(time, _)| time / bin_ns + 1) as usize;
        let mut counts = vec![[0u64; PATHS]; bins];
        for (time, path) in &self.sends {
            counts[(time / bin_ns) as usize][*path] += 1;
        }
        let shares = |counts: [u64; PATHS]| {
            let all = counts.iter().sum::<u64>().max(1) as f64;
            counts.map(|count| count as f64 / all)
        };
        counts.into_iter().map(shares).collect()
    }
}

impl fmt::Display for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = &self.recording.figures;
        write!(
            f,
            "{}: {} sends ({} explore, {} recycle, {} replay), {} ACKs ({} CE), {} timeouts, {} freezes; {} EVs chosen again from the \
             capture; the failed path's share: {:.1}%",
            self.recording.name,
            figures.sends,
            figures.explore,
            figures.recycle,
            figures.replay,
            figures.acks,
            figures.acks_ce,
            figures.timeouts,
            figures.freezes,
            figures.chosen_again,
            100.0 * self.share_of_failed(),
        )
    }
}

/// How often a run is made until its captures alone tell of it.
const ATTEMPTS: u32 = 10;

/// Makes an engine behind its reset.
pub type MakeEngine<'a> = &'a dyn Fn() -> Result<Box<dyn Engine>, RecordError>;

/// Runs it, and writes a recording into a directory that exists. `called` is what the engine is called in a sentence. Takes the
/// scenario's time and a second or two, and as much again where two frames came so close to each other that the order in which a
/// capture has them is not that in which a host heard of them; Ctrl-C ends it and cleans up.
///
/// # Errors
/// Why there is none; nothing is written then.
pub fn run(scenario: &Scenario, make: MakeEngine<'_>, called: &str, out: &Path) -> Result<Live, RecordError> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let signals: Vec<_> = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter_map(|signal| signal_hook::flag::register(signal, interrupted.clone()).ok())
        .collect();
    let attempt = || record(scenario, make()?.as_mut(), called, out, &interrupted);
    let mut made = attempt();
    for _ in 1..ATTEMPTS {
        if !matches!(made, Err(RecordError::Apart { .. } | RecordError::PortZero)) {
            break;
        }
        made = attempt();
    }
    signals.into_iter().for_each(|signal| {
        signal_hook::low_level::unregister(signal);
    });
    made
}

fn record(
    scenario: &Scenario,
    engine: &mut dyn Engine,
    called: &str,
    out: &Path,
    interrupted: &AtomicBool,
) -> Result<Live, RecordError> {
    let network = Network::create(&scenario.paths())?;
    network.give_addresses()?;
    let files =
        tempfile::tempdir().map_err(|source| RecordError::Folder { path: std::env::temp_dir(), source })?;
    let dump = |role: &str| {
        let frames = 2 * scenario.most_packets();
        Tcpdump::start(&network.name(role), &files.path().join(role), SNAP_BYTES, frames)
    };
    let (sender_dump, receiver_dump) = (dump("sender")?, dump("receiver")?);
    let (lines, mut figures) = exchange(scenario, &network, engine, interrupted)?;
    let counters = network.counters()?;
    let captures = [sender_dump.stop()?, receiver_dump.stop()?];
    let paths = counters.iter().map(|path| PathFigures {
        packets: path.packets,
        ce: path.ce,
        dropped: path.dropped,
        evs: PathEvs::Listed(path.evs.clone()),
    });
    figures.paths = paths.collect();
    let mut evs: Vec<u16> = counters.iter().flat_map(|path| path.evs.clone()).collect();
    evs.sort_unstable();
    figures.evs_on_two_paths = evs.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    let says = scenario.says(called);
    let mut recording = Recording {
        name: scenario.name.clone(),
        says: says.clone(),
        engine: scenario.engine,
        local: IpAddr::from(SENDER.address),
        rto_ns: scenario.rto_ns,
        network: network_settings(scenario),
        figures,
    };
    let of_path = |ev: u16| counters.iter().position(|path| path.evs.binary_search(&ev).is_ok());
    let sends: Vec<(u64, usize)> = lines
        .iter()
        .filter(|line| line.expect.is_some())
        .filter_map(|line| Some((line.time, of_path(line.event.as_op()?.ev)?)))
        .collect();
    let trace = OpTrace {
        seed: Some(scenario.engine.seed),
        settings: recorded::settings(&scenario.engine),
        notes: vec![says],
        lines,
        warnings: Vec::new(),
    };
    // the capture alone must tell the same story
    let own = |end: &str| files.path().join(format!("{}{end}", scenario.name));
    write_all(&[(own("-sender.pcap"), captures[0].clone()), (own("-receiver.pcap"), captures[1].clone())])?;
    check_answers(&own("-receiver.pcap"))?;
    let options = recording.capture_options();
    let again = chosen_again(&own("-sender.pcap"), &options, &scenario.engine)?;
    let from_capture = CaptureOps::<SelectorListener>::open(&own("-sender.pcap"), &options)?;
    let from_capture = from_capture.collect::<Result<Vec<_>, _>>()?;
    if again.sends != recording.figures.sends {
        return Err(RecordError::Missed {
            frames: recording.figures.sends.abs_diff(again.sends).to_string(),
        });
    }
    recording.figures.chosen_again = again.equal;
    let seen = trace.lines.iter().map(|line| Line { expect: None, ..line.clone() });
    recording.figures.ops_equal = from_capture.into_iter().eq(seen);
    if !recording.figures.ops_equal {
        return Err(RecordError::Apart { why: "the sender's ops are not those of its capture".into() });
    }
    trace.write(&CONTRACT, &own(".csv.gz"))?;
    let ops = std::fs::read(own(".csv.gz"))
        .map_err(|source| RecordError::Folder { path: own(".csv.gz"), source })?;
    let json = serde_json::to_string_pretty(&recording).expect("plain data is JSON") + "\n";
    let path = |end: &str| out.join(format!("{}{end}", scenario.name));
    let written = [
        (path("-sender.pcap.gz"), gzip(&captures[0])),
        (path("-receiver.pcap.gz"), gzip(&captures[1])),
        (path(".csv.gz"), ops),
        (path(".json"), json.into_bytes()),
    ];
    write_all(&written)?;
    Ok(Live { recording, sends, files: written.into_iter().map(|(path, _)| path).collect() })
}

/// The receiver answers packets in the order in which its capture has them.
fn check_answers(capture: &Path) -> Result<(), RecordError> {
    let source = CaptureSource::open(capture, Cut::Refused)?;
    let mut frames = ProfileFrames::open(&source, Wire::Strack.into())?;
    let mut due = VecDeque::new();
    while let Some(frame) = frames.next_frame()? {
        match frame.kind {
            Kind::Data(data) => due.push_back((frame.id, data.psn)),
            Kind::Ack(ack) if due.pop_front() != Some((frame.id, ack.psn)) => {
                let why =
                    format!("frame {} of the receiver answers another packet than the next", frame.number);
                return Err(RecordError::Apart { why });
            }
            _ => {}
        }
    }
    Ok(())
}

fn network_settings(scenario: &Scenario) -> NetworkSettings {
    let paths = scenario.paths();
    NetworkSettings {
        connections: scenario.connections,
        packets_per_second: scenario.packets_per_second,
        path_packets_per_second: paths.packets_per_second.to_vec(),
        mark_above: (0..PATHS).map(|path| paths.share(path)).collect(),
        queue_packets: scenario.queue_packets,
        down: Some(scenario.down),
    }
}

/// Both hosts in turn, in one thread: the receiver never answers while the sender decides, so that the order of frames at
/// the sender's interface is the order in which its engine hears of them. The failure is in another.
fn exchange(
    scenario: &Scenario,
    network: &Network,
    engine: &mut dyn Engine,
    interrupted: &AtomicBool,
) -> Result<(Vec<Line<SelectorOp>>, Figures), RecordError> {
    let from_sender = Sockets::open(network.file("sender"), SENDER, RECEIVER, ECT0)?;
    let from_receiver = Sockets::open(network.file("receiver"), RECEIVER, SENDER, NOT_ECT)?;
    let mut sending = Interface::open(&network.file("sender"))?;
    let mut receiving = Interface::open(&network.file("receiver"))?;
    let ended = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let weather = scope.spawn(|| fail(scenario, network, start, &ended));
        let mut sender = Sender::new(scenario, engine, &from_sender);
        let mut receiver = Receiver::default();
        let mut exchange = || {
            let duration = Duration::from_millis(scenario.duration_ms);
            let mut due = 0;
            while start.elapsed() < duration + DRAIN {
                if interrupted.load(Ordering::Relaxed) {
                    return Err(RecordError::Interrupted);
                }
                let answers = receiver.answer(&mut receiving, &from_receiver)?;
                sender.hear(&mut sending, answers)?;
                let elapsed = start.elapsed();
                if elapsed < duration && sender.sends() < scenario.most_packets() {
                    let all = elapsed.as_nanos() as u64 * scenario.packets_per_second / 1_000_000_000;
                    due = due.max(all.saturating_sub(CATCH_UP));
                    // whole bursts, so that a connection has as many EVs on their way
                    if all >= due + scenario.burst as u64 {
                        due += sender.send(&mut sending, all - due)?;
                    }
                }
                std::thread::sleep(Duration::from_micros(100));
            }
            Ok(())
        };
        let exchanged = exchange();
        ended.store(true, Ordering::Relaxed);
        let weather = weather.join().unwrap_or(Err(RecordError::Interrupted));
        exchanged.and(weather)?;
        sender.finish()
    })
}

/// Takes the path down and brings it back, each at its time; ends early when the exchange has ended.
fn fail(
    scenario: &Scenario,
    network: &Network,
    start: Instant,
    ended: &AtomicBool,
) -> Result<(), RecordError> {
    let (path, from_ms, to_ms) = scenario.down;
    for (at_ms, up) in [(from_ms, false), (to_ms, true)] {
        while start.elapsed() < Duration::from_millis(at_ms) {
            if ended.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        network.set_path(path, up)?;
    }
    Ok(())
}
