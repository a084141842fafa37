//! The paths of data packets, and the way back of ACKs.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt};

use super::PPM;

/// What the paths do. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fabric {
    /// Paths; an EV or an uplink takes the one of its number modulo this.
    pub paths: u32,
    /// Delay of an idle path, and of an ACK.
    pub base: u32,
    /// Most that is added to each packet's delay at random.
    pub spread: u32,
    /// Chance that a packet finds its path changed: congested or not, and how much, is drawn anew.
    pub turn_ppm: u32,
    /// Chance that a path is congested after that.
    pub congested_ppm: u32,
    /// Most that a congested path adds.
    pub congested: u32,
    /// Chance that a data packet is lost.
    pub data_loss_ppm: u32,
    /// Chance that an ACK is lost.
    pub ack_loss_ppm: u32,
    /// ACKs of a flow overtake each other.
    pub ack_overtakes: bool,
    /// Most that is added to each ACK's delay at random.
    pub ack_spread: u32,
    /// Chance that an ACK is late beyond that.
    pub ack_late_ppm: u32,
    /// Most by which it is.
    pub ack_late: u32,
}

impl Default for Fabric {
    fn default() -> Self {
        Fabric {
            paths: 8,
            base: 100,
            spread: 20,
            turn_ppm: 10_000,
            congested_ppm: 250_000,
            congested: 800,
            data_loss_ppm: 0,
            ack_loss_ppm: 0,
            ack_overtakes: true,
            ack_spread: 30,
            ack_late_ppm: 0,
            ack_late: 0,
        }
    }
}

/// Whether something happens that has this chance.
pub fn chance(rng: &mut Xoshiro256PlusPlus, ppm: u32) -> bool {
    ppm != 0 && (u64::from(rng.next_u32()) * u64::from(PPM)) >> 32 < u64::from(ppm)
}

/// The state of the paths.
pub struct Paths {
    fabric: Fabric,
    /// What congestion adds to each path.
    extra: Vec<u32>,
    /// When the last packet of each path arrives.
    arrives: Vec<u64>,
    /// When the last ACK of each flow arrives.
    ack_arrives: Vec<u64>,
}

/// What a data packet met.
pub struct Passage {
    /// Ticks until it arrives, `None` if it is lost.
    pub delay: Option<u64>,
    /// The path changed.
    pub turned: bool,
}

impl Paths {
    pub fn new(fabric: Fabric, flows: u32) -> Self {
        assert!(fabric.paths > 0, "a network has at least one path");
        Paths {
            fabric,
            extra: vec![0; fabric.paths as usize],
            arrives: vec![0; fabric.paths as usize],
            ack_arrives: vec![0; flows as usize],
        }
    }

    /// Which path an EV or an uplink takes.
    pub fn path(&self, label: u32) -> usize {
        (label % self.fabric.paths) as usize
    }

    /// What congestion adds to a path, in 255ths of the most.
    pub fn fill(&self, path: usize) -> u8 {
        (self.extra[path] * 255 / self.fabric.congested.max(1)).min(255) as u8
    }

    /// Sends a data packet: it arrives after all that are ahead of it.
    pub fn send(&mut self, rng: &mut Xoshiro256PlusPlus, path: usize, now: u64) -> Passage {
        let f = &self.fabric;
        let turned = chance(rng, f.turn_ppm);
        if turned {
            let is_congested = chance(rng, f.congested_ppm);
            self.extra[path] = if is_congested { rng.random_range(0..=f.congested) } else { 0 };
        }
        if chance(rng, f.data_loss_ppm) {
            return Passage { delay: None, turned };
        }
        let delay = f.base + self.extra[path] + rng.random_range(0..=f.spread);
        self.arrives[path] = self.arrives[path].max(now + u64::from(delay));
        Passage { delay: Some(self.arrives[path] - now), turned }
    }

    /// Sends an ACK back: ticks until it arrives, `None` if it is lost.
    pub fn acknowledge(&mut self, rng: &mut Xoshiro256PlusPlus, flow: u32, now: u64) -> Option<u64> {
        let f = &self.fabric;
        if chance(rng, f.ack_loss_ppm) {
            return None;
        }
        let late = if chance(rng, f.ack_late_ppm) { rng.random_range(0..=f.ack_late) } else { 0 };
        let mut arrives = now + u64::from(f.base + rng.random_range(0..=f.ack_spread) + late);
        if !f.ack_overtakes {
            let last = &mut self.ack_arrives[flow as usize];
            arrives = arrives.max(*last);
            *last = arrives;
        }
        Some(arrives - now)
    }
}
