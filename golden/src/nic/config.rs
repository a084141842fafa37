//! What a `nic` is built with.

use super::spray::{Choice, Spray};
use super::uet::Parts;
use super::window::WindowEngine;
use crate::sack_tx::MAX_WINDOW;
use crate::wire::Profile;

/// Which losses the selector hears of as timeouts (001 section 3.2 calls a packet's timeout a sign of failure).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossFeedback {
    /// Those that rule 3 of 004 finds: the expected PSN stands still.
    Stalled,
    /// All that a rule finds. Behind the ACK that shows a loss the selector hears of the loss.
    Any,
    None,
}

/// A `nic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Connections that share the engines, 1..=16384. A connection has one number in all engines.
    pub connections: u32,
    /// Bitmap of both SACK engines in packets: 64, 128, 256 or 512.
    pub window: u32,
    pub profile: Profile,
    /// The EV engine.
    pub selector: Choice,
    /// Packets that may wait in the block, one of a connection, where the selector lets packets wait; 1 or more.
    pub park: u32,
    /// First EV of the EV set, aligned to `1 << ev_bits`.
    pub ev_base: u16,
    /// The EV set has `1 << ev_bits` EVs, 1..=16.
    pub ev_bits: u8,
    /// Width of the selector's times: 16, in ticks of the wire, or 32, in ticks of its own. Those of `flowcut` have 16 bits, whatever this is.
    pub time_bits: u8,
    /// Who chooses the window of a connection; STrack does with packets of profile `strack` alone.
    pub window_engine: WindowEngine,
    /// Data goes to the host only as far as the host has granted frames.
    pub rx_credit: bool,
    /// Data of an open connection goes to the host with a UDP source port of its connection.
    pub stable_port: bool,
    /// Events go to the host in frames, and not on a stream of their own.
    pub event_frames: bool,
    /// Which losses the selector hears of as timeouts.
    pub loss_feedback: LossFeedback,
    /// The host says who the peer of each connection is; not where the selector lets packets wait.
    pub peer_table: bool,
    /// The host hears of it when a way of a connection is closed, and a connection may drain before; not where the selector lets packets
    /// wait.
    pub graceful_close: bool,
    /// The block has the engines of Ultra Ethernet, and these parts; else those of 004.
    pub uet: Option<Parts>,
    /// Width of the packet streams: 64, 128, 256 or 512.
    pub bus_bits: u32,
    /// The clock, for a driver that turns times into ticks.
    pub clock_khz: u32,
    pub limits: Limits,
}

impl Default for Config {
    /// That of `nic.toml`.
    fn default() -> Self {
        Config {
            connections: 256,
            window: 256,
            profile: Profile::Strack,
            selector: Choice::reps(),
            park: 16,
            ev_base: 0,
            ev_bits: 16,
            time_bits: 32,
            window_engine: WindowEngine::Fixed,
            rx_credit: false,
            stable_port: false,
            event_frames: false,
            loss_feedback: LossFeedback::Any,
            peer_table: false,
            graceful_close: false,
            uet: None,
            bus_bits: 512,
            clock_khz: 322_266,
            limits: Limits::default(),
        }
    }
}

/// How much waits inside, and how long the engines take: what the MAC's side never waits for.
///
/// The model executes an op as soon as its packet is there. That an engine takes time shows in one thing alone: where
/// more ops wait than `engine_ops`, the packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Frames of the host that wait for `tx_out`; then `tx_in` pauses.
    pub tx_frames: usize,
    /// Frames that wait for the host; what comes then is dropped before any engine hears of it.
    pub rx_frames: usize,
    /// SACKs that wait for `tx_out`; a further one is dropped.
    pub sacks: usize,
    /// Events that wait for the host; a further one is lost and counted.
    pub events: usize,
    /// Ops that wait for an engine of the receiving side.
    pub engine_ops: u64,
    /// Clock cycles of an op `sack` of `sack_tx`.
    pub ack_cycles: u64,
    /// Clock cycles of an op `packet` of `sack_rx`.
    pub data_cycles: u64,
    /// Clock cycles from one visit of the walker to the next.
    pub visit_cycles: u64,
}

impl Default for Limits {
    /// Queues of 64, and the cycles that the pages of the cores have for the usual op.
    fn default() -> Self {
        Limits {
            tx_frames: 4,
            rx_frames: 64,
            sacks: 64,
            events: 1024,
            engine_ops: 64,
            ack_cycles: 17,
            data_cycles: 7,
            visit_cycles: 8,
        }
    }
}

/// Cycles of a walker's visit and of the ops between it and the next one, where every packet brings a `sent` and a
/// SACK: `docs/sack_tx.md`, "Grain", of engine `small`, which takes the more.
const BUSY_VISIT_CYCLES: u64 = 200;
/// Ticks of `sack_tx` that a round of its walker may take, so that no timer wraps unseen.
const LONGEST_ROUND_TICKS: u64 = 1 << 15;

impl Config {
    /// Panics on a value outside its range, as a checked configuration never has; the engines check their own.
    pub(super) fn check(&self) {
        let Config { time_bits, bus_bits, limits, .. } = self;
        assert!(matches!(time_bits, 16 | 32), "time_bits must be 16 or 32, not {time_bits}");
        assert!(
            matches!(bus_bits, 64 | 128 | 256 | 512),
            "bus_bits must be 64, 128, 256 or 512, not {bus_bits}"
        );
        assert!(self.window <= MAX_WINDOW, "window must be at most {MAX_WINDOW}, not {}", self.window);
        assert!(
            self.window_engine == WindowEngine::Fixed || self.profile.has_timestamps(),
            "a window by delays needs ACKs that echo timestamps"
        );
        assert!(
            !self.selector.parks() || self.profile.has_timestamps(),
            "flowcut needs ACKs that echo timestamps"
        );
        assert!(!self.selector.parks() || !self.peer_table, "packets that wait carry no number of a peer");
        assert!(
            !self.selector.parks() || !self.graceful_close,
            "a selector that lets packets wait takes what only a command of the host says where a connection ends"
        );
        if self.uet.is_some() {
            assert!(self.profile == Profile::Uet, "the block of Ultra Ethernet needs profile uet");
            assert!(!self.peer_table, "the peers of Ultra Ethernet are known by what they send");
            assert!(!self.graceful_close, "a connection of Ultra Ethernet is closed at once");
        }
        assert!(self.park > 0, "one packet may wait at least");
        let queues = [limits.tx_frames, limits.rx_frames, limits.sacks, limits.events];
        assert!(queues.iter().all(|places| *places > 0), "every queue has at least one place");
        assert!(
            limits.engine_ops > 0
                && limits.ack_cycles > 0
                && limits.data_cycles > 0
                && limits.visit_cycles > 0,
            "an engine takes time, and one op may wait for it"
        );
    }

    /// The parts of a block of Ultra Ethernet.
    pub(super) fn parts(&self) -> Parts {
        self.uet.unwrap_or(Parts::ALL)
    }

    /// Width of the times that the selector takes.
    pub(super) fn selector_time_bits(&self) -> u8 {
        if self.selector.parks() { 16 } else { self.time_bits }
    }

    pub(super) fn spray(&self, seed: u16) -> Box<dyn Spray> {
        self.selector.engine(self, seed)
    }

    /// Smallest `sack_prescale` with which a round of the walker takes 2^15 ticks at most.
    pub fn least_sack_prescale(&self) -> u32 {
        let round = u64::from(self.connections) * BUSY_VISIT_CYCLES;
        (0..).find(|shift| round >> shift <= LONGEST_ROUND_TICKS).expect("some shift is enough")
    }
}
