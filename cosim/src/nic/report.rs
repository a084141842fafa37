//! What a run of two blocks came to.

use std::fmt;
use std::path::PathBuf;

use respray_golden::hosts::Setup;
use respray_golden::nic::{Counter, Nic};
use respray_golden::paths::{Counts as PathCounts, End as Side, Network};
use respray_golden::selector::SendKind;
use serde::Serialize;

use super::leaving::name;
use super::pair::Pair;
use crate::report::{Counts, Finding, Report};

/// Picoseconds of a microsecond.
const US: f64 = 1e6;

/// The verdict of a run, and of a pair what happened on the paths.
#[derive(Clone, Debug, Serialize)]
pub struct NicReport {
    #[serde(flatten)]
    pub run: Report<NicFailure>,
    #[serde(flatten)]
    pub pair: Option<PairFigures>,
}

/// What there is to say of a pair alone.
#[derive(Clone, Debug, Serialize)]
pub struct PairFigures {
    /// Messages and network.
    pub scenario: &'static str,
    /// Simulated time in microseconds.
    pub time_us: f64,
    /// Each direction of each path.
    pub paths: Vec<PathReport>,
}

/// One direction of a path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathReport {
    /// The end that sends into it.
    pub from: &'static str,
    pub path: usize,
    /// Of the packets that this end sent, those that took this path.
    pub share: f64,
    pub packets: u64,
    pub bytes: u64,
    /// Packets that it marked.
    pub marked: u64,
    /// Packets lost because the queue was full, by chance, and because the path had failed.
    pub lost_full: u64,
    pub lost_random: u64,
    pub lost_down: u64,
    /// Length of a window in microseconds, and packets of each, from the beginning on.
    pub window_us: f64,
    pub packets_by_window: Vec<u64>,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct NicFailure {
    /// The first difference, or the property that does not hold.
    pub what: String,
    /// The few frames that make a block differ by themselves, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrunk: Option<Shrunk>,
    /// The waves, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<PathBuf>,
    /// The command that fails again.
    pub command: String,
}

/// What is left of a failed run.
#[derive(Clone, Debug, Serialize)]
pub struct Shrunk {
    /// Frames that are left.
    pub frames: usize,
    /// The difference that they make.
    pub what: String,
    /// The list of them.
    pub reproducer: PathBuf,
}

impl Finding for NicFailure {
    fn sentence(&self) -> String {
        self.what.clone()
    }
}

impl fmt::Display for NicFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        if let Some(Shrunk { frames, what, reproducer }) = &self.shrunk {
            writeln!(f, "shrunk to {frames} frame(s), {}: {what}", reproducer.display())?;
        }
        if let Some(wave) = &self.wave {
            writeln!(f, "waves of the cycles before it: {}", wave.display())?;
        }
        write!(f, "again: {}", self.command)
    }
}

/// Both directions of all paths.
pub(super) fn paths(network: &Network<Vec<u8>>, setup: &Setup) -> Vec<PathReport> {
    let of_side = |side: Side| {
        let total = |path| -> PathCounts { network.tally(side, path).total() };
        let all: u64 = (0..network.paths()).map(|path| total(path).packets).sum();
        let path = move |path| {
            let counts = total(path);
            PathReport {
                from: name(side),
                path,
                share: counts.packets as f64 / all.max(1) as f64,
                packets: counts.packets,
                bytes: counts.bytes,
                marked: counts.marked,
                lost_full: counts.lost_full,
                lost_random: counts.lost_random,
                lost_down: counts.lost_down,
                window_us: setup.network.window_ps as f64 / US,
                packets_by_window: network
                    .tally(side, path)
                    .windows()
                    .iter()
                    .map(|counts| counts.packets)
                    .collect(),
            }
        };
        (0..network.paths()).map(path).collect::<Vec<_>>()
    };
    Side::BOTH.into_iter().flat_map(of_side).collect()
}

/// What golden blocks counted together.
pub(super) fn counts(nics: &[&Nic]) -> Counts {
    let total = |counter| nics.iter().map(|nic| nic.counter(counter)).sum::<u64>();
    let named = [
        ("data_packets", Counter::TxData),
        ("data_packets_again", Counter::TxAgain),
        ("packets_delivered", Counter::RxNew),
        ("duplicates", Counter::RxDuplicate),
        ("marked", Counter::RxMarked),
        ("acks", Counter::RxAcks),
        ("sacks", Counter::TxSacks),
        ("probes", Counter::TxProbes),
        ("explore", Counter::Explore),
        ("recycle", Counter::Recycle),
        ("replay", Counter::Replay),
        ("loss_ooo", Counter::LossOoo),
        ("loss_probe", Counter::LossProbe),
        ("loss_timeout", Counter::LossTimeout),
        ("events_lost", Counter::EventsLost),
    ];
    let mut counts: Vec<_> = named.into_iter().map(|(name, counter)| (name, total(counter))).collect();
    let events = nics.first().map_or(&[][..], |nic| nic.selector_events());
    let of_event = |event: &str| {
        let at = events.iter().position(|name| *name == event);
        at.map_or(0, |at| total(Counter::SELECTOR_EVENTS[at]))
    };
    counts.push(("freezes", of_event("freeze_entered")));
    counts.push(("drains", of_event("drain_started")));
    counts.push(("parked", total(Counter::Parked)));
    counts.push(("held", total(Counter::Held)));
    Counts(counts)
}

/// What both ends of a pair counted together, and what the hosts and the network know.
pub(super) fn counts_of_pair(pair: &Pair<'_>) -> Counts {
    let Counts(mut counts) = counts(&pair.golden());
    let again = |rule: usize| pair.tallies.iter().map(|tally| tally.again_by_rule[rule]).sum();
    counts.extend([("again_by_ooo", again(0)), ("again_by_probe", again(1)), ("again_by_timeout", again(2))]);
    let dead = pair.tallies.iter().flat_map(|tally| &tally.into_dead);
    let known = dead.clone().filter(|sent| sent.kind != SendKind::Explore);
    let latest = known.map(|sent| sent.after_ps).max().unwrap_or(0);
    counts.extend([
        ("overtaken", pair.overtaken()),
        ("into_failed_path", dead.count() as u64),
        ("last_known_ev_into_failed_path_ns", latest.div_ceil(1000)),
    ]);
    Counts(counts)
}

/// The counts in words.
pub(super) fn summary(counts: &Counts, paths: &[PathReport], time_us: f64, bytes: [u64; 2]) -> Vec<String> {
    let get = |name: &str| counts.get(name);
    let share = |path: &PathReport| format!("{:.1}", 100.0 * path.share);
    let shares: Vec<String> = paths.iter().filter(|path| path.from == "A").map(share).collect();
    let data = get("data_packets") + get("data_packets_again");
    let mut lines = vec![
        format!(
            "{} bytes from A and {} from B delivered once in {time_us:.0} us: {data} data packets, of them {} again",
            bytes[0],
            bytes[1],
            get("data_packets_again")
        ),
        format!("shares of the paths from A in percent: {}", shares.join(" ")),
        format!(
            "marked {:.1}% of the data; EVs explored {}, recycled {}, replayed {}; freezes {}",
            100.0 * get("marked") as f64 / data.max(1) as f64,
            get("explore"),
            get("recycle"),
            get("replay"),
            get("freezes")
        ),
        format!(
            "sent again by the out-of-order count {}, by a probe {}, by the timeout {}; {} SACKs, {} probes",
            get("again_by_ooo"),
            get("again_by_probe"),
            get("again_by_timeout"),
            get("sacks"),
            get("probes")
        ),
    ];
    if get("drains") > 0 {
        lines.push(format!(
            "drains {}; data packets parked {}, at which tx_in paused {}",
            get("drains"),
            get("parked"),
            get("held")
        ));
    }
    lines.push(format!("data packets overtaken by a later one of their connection: {}", get("overtaken")));
    let lost: u64 = paths.iter().map(|path| path.lost_down).sum();
    if lost > 0 {
        lines.push(format!(
            "{lost} packets lost to the path that failed; an EV that was known led into it {:.1} us after that at the latest",
            get("last_known_ev_into_failed_path_ns") as f64 / 1000.0
        ));
    }
    lines
}

/// The counts of one block in words.
pub(super) fn summary_of_one(counts: &Counts) -> Vec<String> {
    let get = |name: &str| counts.get(name);
    vec![
        format!(
            "sent {} data packets and {} again; EVs explored {}, recycled {}, replayed {}; freezes {}",
            get("data_packets"),
            get("data_packets_again"),
            get("explore"),
            get("recycle"),
            get("replay"),
            get("freezes")
        ),
        format!(
            "received {} data packets, {} of them twice, and {} ACKs; made {} SACKs and {} probes",
            get("packets_delivered"),
            get("duplicates"),
            get("acks"),
            get("sacks"),
            get("probes")
        ),
        format!(
            "lost by the out-of-order count {}, by a probe {}, by the timeout {}",
            get("loss_ooo"),
            get("loss_probe"),
            get("loss_timeout")
        ),
    ]
}
