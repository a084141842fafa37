//! One recording, from the namespaces to the figures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use respray_cosim::traffic::recording::{Figures, PathEvs, PathFigures};
use respray_cosim::traffic::stimulus::Line;
use respray_hdl::cores::selector::SelectorOp;

use crate::error::RecordError;
use crate::network::Network;
use crate::receiver::Receiver;
use crate::scenario::{Failure, Scenario};
use crate::sender::Sender;
use crate::socket::Interface;
use crate::tcpdump::Tcpdump;

/// Longest wait for frames before the sender looks at the time again.
const TICK: Duration = Duration::from_micros(200);
/// After the last data, time for what is on its way.
const DRAIN: Duration = Duration::from_millis(150);
/// A stall of ours is not made good by a burst beyond this many packets.
const CATCH_UP: u64 = 32;

/// What a session recorded.
pub struct Recorded {
    /// The sender's capture, a pcap.
    pub sender: Vec<u8>,
    /// The receiver's.
    pub receiver: Vec<u8>,
    /// The ops of the sender's engine.
    pub lines: Vec<Line<SelectorOp>>,
    /// What was counted, but for the replay from the capture.
    pub figures: Figures,
}

/// Runs a scenario in a network of its own, which is gone afterwards whatever happens.
pub fn run(scenario: &Scenario, interrupted: &AtomicBool) -> Result<Recorded, RecordError> {
    let network = Network::create(&scenario.paths())?;
    let files =
        tempfile::tempdir().map_err(|source| RecordError::Folder { path: std::env::temp_dir(), source })?;
    // two frames a packet, and room for retransmissions
    let max_frames = 4 * scenario.max_packets + 1000;
    let mut sending = Interface::open(&network.file("sender"))?;
    let mut receiving = Interface::open(&network.file("receiver"))?;
    let dump = |role: &str| {
        Tcpdump::start(&network.name(role), &files.path().join(role), scenario.snap_len, max_frames)
    };
    let (sender_dump, receiver_dump) = (dump("sender")?, dump("receiver")?);
    let (lines, mut figures) = exchange(scenario, &network, &mut sending, &mut receiving, interrupted)?;
    let counters = network.counters()?;
    figures.paths = counters
        .iter()
        .map(|path| PathFigures {
            packets: path.packets,
            ce: path.ce,
            dropped: path.dropped,
            evs: PathEvs::Listed(path.evs.clone()),
        })
        .collect();
    let mut evs: Vec<u16> = counters.into_iter().flat_map(|path| path.evs).collect();
    evs.sort_unstable();
    figures.evs_on_two_paths = evs.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    Ok(Recorded { sender: sender_dump.stop()?, receiver: receiver_dump.stop()?, lines, figures })
}

/// Both hosts in turn, in one thread: the receiver never answers while the sender decides, so that the order of frames at
/// the sender's interface is the order in which its engine hears of them.
fn exchange(
    scenario: &Scenario,
    network: &Network,
    sending: &mut Interface,
    receiving: &mut Interface,
    interrupted: &AtomicBool,
) -> Result<(Vec<Line<SelectorOp>>, Figures), RecordError> {
    let ended = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let weather = scope.spawn(|| match scenario.failure {
            Some(failure) => fail(failure, network, start, &ended),
            None => Ok(()),
        });
        let exchanged = take_turns(scenario, sending, receiving, start, interrupted);
        ended.store(true, Ordering::Relaxed);
        weather.join().unwrap_or(Err(RecordError::Interrupted))?;
        exchanged
    })
}

fn take_turns(
    scenario: &Scenario,
    sending: &mut Interface,
    receiving: &mut Interface,
    start: Instant,
    interrupted: &AtomicBool,
) -> Result<(Vec<Line<SelectorOp>>, Figures), RecordError> {
    let duration = Duration::from_millis(scenario.duration_ms);
    let mut sender = Sender::new(scenario);
    let mut receiver = Receiver::default();
    let mut due = 0;
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Err(RecordError::Interrupted);
        }
        let answers = receiver.answer(receiving)?;
        sender.hear(sending, answers)?;
        let elapsed = start.elapsed();
        if elapsed < duration && sender.sends() < scenario.max_packets {
            let all = elapsed.as_nanos() as u64 * scenario.packets_per_second / 1_000_000_000;
            due = due.max(all.saturating_sub(CATCH_UP));
            if all > due {
                due += sender.send(sending, all - due)?;
            }
        } else if elapsed > duration + DRAIN || sender.sends() >= scenario.max_packets {
            return Ok(sender.finish());
        }
        let mut taps =
            [PollFd::new(receiving.tap(), PollFlags::POLLIN), PollFd::new(sending.tap(), PollFlags::POLLIN)];
        // a signal or a timeout here is as good as a frame: the loop looks at everything
        let _ = ppoll(&mut taps, Some(TimeSpec::from_duration(TICK)), None);
    }
}

/// Takes the path down and brings it back, each at its time; ends early, path or not, when the exchange has ended.
fn fail(failure: Failure, network: &Network, start: Instant, ended: &AtomicBool) -> Result<(), RecordError> {
    for (at_ms, up) in [(failure.from_ms, false), (failure.to_ms, true)] {
        while start.elapsed() < Duration::from_millis(at_ms) {
            if ended.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        network.set_path(failure.path, up)?;
    }
    Ok(())
}
