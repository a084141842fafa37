//! A network of paths, some of which always mark.

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use thiserror::Error;

use respray_files::range::{Real, Whole};
use respray_hdl::config::Config;
use respray_hdl::contract::Words as _;

use crate::lockstep::op_core::OpCore;
use crate::path_selector::{ACK, Beside, Ports, SEND};
use crate::traffic::stimulus::Entry;

/// One connection sends over paths without end, at the rate of its window. A path is the EV modulo the number of paths. Some of them,
/// drawn by the seed, mark every packet; on the others a packet is marked by chance. An ACK comes one window of packets after the
/// packet that it answers, and says its EV and its mark. Of several packets that one ACK answers that is the last one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Model {
    /// Packets that are sent: [`PACKETS`].
    pub packets: u64,
    /// Paths: [`PATHS`].
    pub paths: u32,
    /// Share of the paths that mark every packet: [`SHARE`].
    pub bad: f64,
    /// Share of the packets on other paths that are marked: [`SHARE`].
    pub marked: f64,
    /// Packets that an ACK answers: 1 to those of the window.
    pub ack_every: u32,
    /// Packets of a round trip, and the window: [`WINDOW`].
    pub window: u32,
    /// Ticks from one packet to the next: [`PACKET_TICKS`].
    pub packet_ticks: u32,
}

/// What the numbers of a model may be; its ops stand in memory.
pub const PACKETS: Whole = Whole::new(1, 10_000_000);
pub const PATHS: Whole = Whole::new(1, 65_536);
pub const SHARE: Real = Real::new(0.0, 1.0);
pub const WINDOW: Whole = Whole::new(1, 4095);
pub const PACKET_TICKS: Whole = Whole::new(1, 1_000_000_000);

/// What the model cannot be. Its text is the whole sentence for the user.
#[derive(Debug, Error, PartialEq)]
#[error("--{option} is {value}; allowed: {allowed}")]
pub struct ModelError {
    option: &'static str,
    value: String,
    allowed: String,
}

impl Default for Model {
    /// Section 3 of 004 and section 4.1 of 001: 256 paths, packets of 4 KiB at 400 Gb/s with ticks of a nanosecond, so that 128 of
    /// them take a round trip of 12 us.
    fn default() -> Model {
        Model {
            packets: 100_000,
            paths: 256,
            bad: 0.25,
            marked: 0.1,
            ack_every: 1,
            window: 128,
            packet_ticks: 94,
        }
    }
}

impl Model {
    /// Holds every figure against its range.
    ///
    /// # Errors
    /// [`ModelError`] for the first that is outside.
    pub fn check(&self) -> Result<(), ModelError> {
        let refuse = |option, value: String, allowed: String| Err(ModelError { option, value, allowed });
        for (option, value, allowed) in [
            ("random", self.packets, PACKETS),
            ("paths", self.paths.into(), PATHS),
            ("window", self.window.into(), WINDOW),
            ("ack-every", self.ack_every.into(), Whole::new(WINDOW.least, self.window.into())),
            ("packet-ticks", self.packet_ticks.into(), PACKET_TICKS),
        ] {
            if !allowed.contains(value) {
                return refuse(option, value.to_string(), allowed.to_string());
            }
        }
        for (option, value) in [("bad", self.bad), ("mark", self.marked)] {
            if !SHARE.contains(value) {
                return refuse(option, value.to_string(), SHARE.to_string());
            }
        }
        Ok(())
    }

    /// The paths that mark every packet, by a seed.
    pub fn bad_paths(&self, seed: u16) -> Vec<bool> {
        let (paths, mut is_bad) = (self.paths as usize, vec![false; self.paths as usize]);
        let count = (self.bad * f64::from(self.paths)).round() as usize;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(seed) << 1);
        sample(&mut rng, paths, count).iter().for_each(|path| is_bad[path] = true);
        is_bad
    }

    /// The ops of a run: those that a selector's golden model and this network make of each other.
    pub(super) fn ops<C: OpCore>(&self, config: &Config, seed: u16) -> Vec<Entry<C::Op>> {
        let (ports, beside) = (Ports::of(C::CONTRACT), Beside::of(C::CONTRACT, config));
        let is_bad = self.bad_paths(seed);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(seed) << 1 | 1);
        let mut core = C::new(config);
        core.reset(seed);
        let mut entries = Vec::with_capacity(2 * self.packets as usize);
        let mut in_flight: VecDeque<(u16, bool)> = VecDeque::new();
        let mut unanswered = 0;
        let op = |kind, ev: u16, is_marked: bool, now| {
            let mut op = C::Op::default();
            op.set(0, kind);
            ports.say_ack(&mut op, ev, is_marked);
            beside.say(&mut op, now, self.window.into(), true);
            op
        };
        for packet in 0..self.packets {
            let now = packet * u64::from(self.packet_ticks);
            if in_flight.len() == self.window as usize {
                let (ev, is_marked) = in_flight.pop_front().expect("packets are in flight");
                unanswered += 1;
                if unanswered == self.ack_every {
                    unanswered = 0;
                    let ack = op(ACK, ev, is_marked, now);
                    core.apply(&ack);
                    entries.push(Entry::op(ack));
                }
            }
            let send = op(SEND, 0, false, now);
            let shown = core.apply(&send).shown;
            entries.push(Entry::op(send));
            let sent = shown.and_then(|shown| ports.sent(&shown)).expect("a send has a result");
            let is_marked = rng.random_bool(self.marked);
            in_flight.push_back((sent.ev, is_bad[usize::from(sent.ev) % is_bad.len()] || is_marked));
        }
        entries
    }
}
