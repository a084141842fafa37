//! A recording of the block, from the namespaces to its files.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use respray_cosim::nic::{Log, Logged};
use respray_cosim::report::config_value;
use respray_files::output::write_all;
use respray_golden::nic::Nic;
use respray_golden::paths::End;

use super::scenario::{DECIDING, FIRST_TICK, NicScenario};
use super::station::{LogHeader, Station};
use crate::error::RecordError;
use crate::file::gzip;
use crate::network::{Host, Network, RECEIVER, SENDER};
use crate::socket::Interface;
use crate::tcpdump::Tcpdump;

/// Ticks behind the last acknowledgement, in which what is on its way arrives.
const REST_TICKS: u64 = 200;
/// How often a recording is made until one is of use.
const ATTEMPTS: u32 = 10;
/// Data packets that a stall of ours may keep back and that are still sent one behind the other.
const CATCH_UP: u64 = 16;

/// A recording of the block.
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
            "{}: {} ticks, {} inputs and {} events of the sender's nic; losses found by the out-of-order count {}, by a probe \
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

/// Makes one recording; one that no replay could be held to is made again, some times.
///
/// # Errors
/// Why there is none; nothing is written then.
pub fn record(scenario: &NicScenario, out: &Path, interrupted: &AtomicBool) -> Result<Recorded, RecordError> {
    for _ in 1..ATTEMPTS {
        match attempt(scenario, out, interrupted) {
            Err(RecordError::Together) => {}
            done => return done,
        }
    }
    attempt(scenario, out, interrupted)
}

fn attempt(scenario: &NicScenario, out: &Path, interrupted: &AtomicBool) -> Result<Recorded, RecordError> {
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
    let log = |station: Station, host: &Host| station.finish(header(scenario, host));
    let logs = [log(a, &SENDER)?, log(b, &RECEIVER)?];
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
    scenario: &NicScenario,
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

fn header(scenario: &NicScenario, host: &Host) -> LogHeader {
    let config = scenario.config();
    let value = |key: &str| config_value(&config, key).expect("it is a key");
    LogHeader {
        says: scenario.says.clone(),
        sets: DECIDING.map(|key| (key.to_string(), value(key))).to_vec(),
        local: IpAddr::from(host.address),
        tick_ns: scenario.tick_ns,
    }
}

/// Both hosts in turn, in one thread, and the dark times in another.
fn exchange(
    scenario: &NicScenario,
    network: &Network,
    mut stations: [Station; 2],
    interrupted: &AtomicBool,
) -> Result<[Station; 2], RecordError> {
    let ended = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let weather = scope.spawn(|| darken(scenario, network, start, &ended));
        let exchanged = take_ticks(scenario, &mut stations, start, interrupted);
        ended.store(true, Ordering::Relaxed);
        let weather = weather.join().unwrap_or(Err(RecordError::Interrupted));
        exchanged.and(weather)
    })?;
    Ok(stations)
}

fn take_ticks(
    scenario: &NicScenario,
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

/// Takes the light away and brings it back, each at its time; ends early when the exchange has ended.
fn darken(
    scenario: &NicScenario,
    network: &Network,
    start: Instant,
    ended: &AtomicBool,
) -> Result<(), RecordError> {
    let changes = scenario.dark.iter().flat_map(|dark| [(dark.from_ms, true), (dark.to_ms, false)]);
    for (at_ms, dark) in changes {
        while start.elapsed() < Duration::from_millis(at_ms) {
            if ended.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        network.set_dark(dark)?;
    }
    Ok(())
}
