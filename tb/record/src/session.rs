//! A recording, from the namespaces to its files.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use respray_cosim::nic::{Log, Logged};
use respray_cosim::report::config_value;
use respray_cosim::traffic::recording::{PathEvs, PathFigures};
use respray_files::output::write_all;
use respray_golden::nic::Nic;
use respray_golden::paths::End;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::RecordError;
use crate::file::gzip;
use crate::network::{Host, Network, PathCounters, RECEIVER, SENDER};
use crate::scenario::{DECIDING, FIRST_TICK, Outage, Scenario};
use crate::socket::Interface;
use crate::station::{LogHeader, Station};
use crate::tcpdump::Tcpdump;

/// Ticks behind the last acknowledgement, in which what is on its way arrives.
const REST_TICKS: u64 = 200;
/// How often a recording is made until one is of use.
const ATTEMPTS: u32 = 10;
/// Data packets that a stall of ours may keep back and that are still sent one behind the other.
const CATCH_UP: u64 = 16;

/// A recording that was made.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Name: the files' names begin with it.
    pub name: String,
    /// Captures at the sender and at the receiver.
    pub captures: [PathBuf; 2],
    /// Logs of both blocks.
    pub logs: [Log; 2],
    /// Where they are.
    pub log_files: [PathBuf; 2],
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [log, _] = &self.logs;
        let [ooo, probe, timeout] = log.losses();
        write!(
            f,
            "{}: {} ticks, {} inputs and {} events of the sender's nic; losses found by the \
             out-of-order count {}, by a probe \
             {}, by the timeout {}",
            self.name,
            log.last_tick() - log.first_tick(),
            log.inputs(),
            log.events().count(),
            ooo.0,
            probe.0,
            timeout.0,
        )
    }
}

/// Makes one recording, into a directory that exists; one that no replay could be held to is made again, some
/// times. Takes the scenario's time and a second or two; Ctrl-C ends it and cleans up.
///
/// # Errors
/// Why there is none; nothing is written then.
pub fn record(scenario: &Scenario, out: &Path) -> Result<Recorded, RecordError> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let signals: Vec<_> = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter_map(|signal| signal_hook::flag::register(signal, interrupted.clone()).ok())
        .collect();
    let mut made = attempt(scenario, out, &interrupted);
    for _ in 1..ATTEMPTS {
        if !matches!(made, Err(RecordError::Together)) {
            break;
        }
        made = attempt(scenario, out, &interrupted);
    }
    signals.into_iter().for_each(|signal| {
        signal_hook::low_level::unregister(signal);
    });
    made
}

fn attempt(scenario: &Scenario, out: &Path, interrupted: &AtomicBool) -> Result<Recorded, RecordError> {
    let network = Network::create(&scenario.paths)?;
    let files =
        tempfile::tempdir().map_err(|source| RecordError::Folder { path: std::env::temp_dir(), source })?;
    let open = |role: &str| Interface::open(&network.file(role));
    let setup = scenario.setup();
    let stations =
        [Station::new(&setup, End::A, open("sender")?), Station::new(&setup, End::B, open("receiver")?)];
    let whole = scenario.paths.frame_bytes + 64;
    let dump = |role: &str| Tcpdump::start(&network.name(role), &files.path().join(role), whole, 1_000_000);
    let dumps = [dump("sender")?, dump("receiver")?];
    let [a, b] = exchange(scenario, &network, stations, interrupted)?;
    let [sender, receiver] = dumps;
    let captured = [sender.stop()?, receiver.stop()?];
    if interrupted.load(Ordering::Relaxed) {
        return Err(RecordError::Interrupted);
    }
    let logs = [
        a.finish(header(scenario, &SENDER, paths(&network)?))?,
        b.finish(header(scenario, &RECEIVER, Vec::new()))?,
    ];
    let path = |role: &str, end: &str| out.join(format!("{}-{role}{end}", scenario.name));
    let captures = ["sender", "receiver"].map(|role| path(role, ".pcap.gz"));
    let log_files = ["sender", "receiver"].map(|role| path(role, ".log.gz"));
    check(scenario, &files, &captured, &logs)?;
    let written: Vec<(PathBuf, Vec<u8>)> = captures
        .iter()
        .cloned()
        .zip(captured.iter().map(|bytes| gzip(bytes)))
        .chain(log_files.iter().cloned().zip(logs.iter().map(|log| gzip(log.text().as_bytes()))))
        .collect();
    write_all(&written)?;
    Ok(Recorded { name: scenario.name.clone(), captures, logs, log_files })
}

/// Captures and logs belong together: each holds as many frames of each way.
fn check(
    scenario: &Scenario,
    files: &tempfile::TempDir,
    captured: &[Vec<u8>; 2],
    logs: &[Log; 2],
) -> Result<(), RecordError> {
    let config = scenario.config();
    let golden = Nic::new(scenario.setup().nic);
    for (at, (capture, log)) in captured.iter().zip(logs).enumerate() {
        let path = |end: &str| files.path().join(format!("{at}{end}"));
        write_all(&[(path(".pcap"), capture.clone()), (path(".log"), log.text().into_bytes())])?;
        let known = |name: &str| golden.address(name).is_some();
        Logged::open(&path(".pcap"), &path(".log"), &config, &known)
            .map_err(|error| RecordError::Apart { why: error.to_string() })?;
    }
    Ok(())
}

/// What the paths' counters say.
fn paths(network: &Network) -> Result<Vec<PathFigures>, RecordError> {
    let figures = |path: PathCounters| PathFigures {
        packets: path.packets,
        ce: path.ce,
        dropped: path.dropped,
        evs: PathEvs::Listed(path.evs),
    };
    Ok(network.counters()?.into_iter().map(figures).collect())
}

fn header(scenario: &Scenario, host: &Host, paths: Vec<PathFigures>) -> LogHeader {
    let config = scenario.config();
    let value = |key: &str| config_value(&config, key).expect("it is a key");
    LogHeader {
        says: scenario.says.clone(),
        sets: DECIDING.map(|key| (key.to_string(), value(key))).to_vec(),
        local: IpAddr::from(host.address),
        tick_ns: scenario.tick_ns,
        paths,
    }
}

/// Both hosts in turn, in one thread, and the outages in another.
fn exchange(
    scenario: &Scenario,
    network: &Network,
    mut stations: [Station; 2],
    interrupted: &AtomicBool,
) -> Result<[Station; 2], RecordError> {
    let ended = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let weather = scope.spawn(|| go_dark(scenario, network, start, &ended));
        let exchanged = take_ticks(scenario, &mut stations, start, interrupted);
        ended.store(true, Ordering::Relaxed);
        let weather = weather.join().unwrap_or(Err(RecordError::Interrupted));
        exchanged.and(weather)
    })?;
    Ok(stations)
}

fn take_ticks(
    scenario: &Scenario,
    stations: &mut [Station; 2],
    start: Instant,
    interrupted: &AtomicBool,
) -> Result<(), RecordError> {
    let limit = Duration::from_millis(scenario.limit_ms);
    let (mut sent, mut rest) = (0u64, 0);
    for tick in 0.. {
        let elapsed = Duration::from_nanos(tick * scenario.tick_ns);
        if interrupted.load(Ordering::Relaxed) {
            return Err(RecordError::Interrupted);
        }
        if elapsed > limit {
            return Err(RecordError::Broken { what: "not every message is delivered".into() });
        }
        std::thread::sleep((start + elapsed).saturating_duration_since(Instant::now()));
        let all = elapsed.as_nanos() as u64 * scenario.packets_per_second / 1_000_000_000;
        // what windows or a stall kept back for long is not sent at once
        sent = sent.max(all.saturating_sub(CATCH_UP));
        let [sender, receiver] = stations;
        sender.hear()?;
        sent += u64::from(sender.tick(FIRST_TICK + tick, all > sent)?);
        receiver.hear()?;
        receiver.tick(FIRST_TICK + tick, false)?;
        rest = if stations.iter().all(Station::is_done) { rest + 1 } else { 0 };
        if rest == REST_TICKS {
            return Ok(());
        }
    }
    unreachable!("ticks do not end")
}

/// Begins and ends each outage at its time; ends early when the exchange has ended.
fn go_dark(
    scenario: &Scenario,
    network: &Network,
    start: Instant,
    ended: &AtomicBool,
) -> Result<(), RecordError> {
    for Outage { path, from_ms, to_ms } in &scenario.outages {
        for (at_ms, is_out) in [(from_ms, true), (to_ms, false)] {
            while start.elapsed() < Duration::from_millis(*at_ms) {
                if ended.load(Ordering::Relaxed) {
                    return Ok(());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            match path {
                Some(path) => network.set_path(*path, !is_out)?,
                None => network.set_dark(is_out)?,
            }
        }
    }
    Ok(())
}
