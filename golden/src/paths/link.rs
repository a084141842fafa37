//! One direction of a path: its queue, its sender, and what is under way.

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::{Change, Loss, PPM, Packet, Path, SECOND_PS, Tally};

/// State of one direction of a path.
pub(super) struct Link<T> {
    path: Path,
    is_up: bool,
    /// The first one is being sent.
    queue: VecDeque<Packet<T>>,
    queued_bytes: u64,
    under_way: u64,
    /// Of the last serialisation, what did not fill a picosecond, in parts of `rate_bps`.
    remainder: u128,
    /// Earliest time at which the next packet may arrive.
    arrives: u64,
    /// How often it failed: a packet of an earlier life does not arrive.
    life: u32,
    rng: Xoshiro256PlusPlus,
    tally: Tally,
}

/// A packet that left the queue.
pub(super) struct Departure<T> {
    pub packet: Packet<T>,
    pub arrives: u64,
}

impl<T> Link<T> {
    pub fn new(path: Path, seed: u64, window_ps: u64) -> Self {
        path.check();
        Link {
            path,
            is_up: true,
            queue: VecDeque::new(),
            queued_bytes: 0,
            under_way: 0,
            remainder: 0,
            arrives: 0,
            life: 0,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            tally: Tally::new(window_ps),
        }
    }

    pub fn is_up(&self) -> bool {
        self.is_up
    }

    pub fn life(&self) -> u32 {
        self.life
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    pub fn queued_bytes(&self) -> u64 {
        self.queued_bytes
    }

    /// Packets in the queue or under way.
    pub fn inside(&self) -> u64 {
        self.queue.len() as u64 + self.under_way
    }

    /// A packet is sent into the path. `Ok(Some(time))`: the queue was empty, and the packet will have left it at
    /// `time`.
    pub fn enter(&mut self, now: u64, mut packet: Packet<T>) -> Result<Option<u64>, Loss> {
        assert!(packet.bytes > 0, "a packet has at least one byte");
        let bytes = u64::from(packet.bytes);
        let counts = self.tally.at(now);
        counts.packets += 1;
        counts.bytes += bytes;
        if let Err(loss) = self.admit(bytes) {
            self.tally.at(now).lose(loss, 1);
            return Err(loss);
        }
        if packet.ecn_capable && self.is_marking() {
            packet.marked = true;
            self.tally.at(now).marked += 1;
        }
        self.queued_bytes += bytes;
        self.queue.push_back(packet);
        Ok((self.queue.len() == 1).then(|| self.sent_at(now)))
    }

    fn admit(&mut self, bytes: u64) -> Result<(), Loss> {
        if !self.is_up {
            return Err(Loss::Down);
        }
        if self.rng.random_range(0..PPM) < self.path.loss_ppm {
            return Err(Loss::Random);
        }
        if self.queued_bytes + bytes > self.path.queue_bytes { Err(Loss::Full) } else { Ok(()) }
    }

    fn is_marking(&mut self) -> bool {
        let Path { kmin_bytes, kmax_bytes, .. } = self.path;
        let queued = self.queued_bytes;
        queued > kmin_bytes
            && (queued >= kmax_bytes || self.rng.random_range(kmin_bytes..kmax_bytes) < queued)
    }

    /// When the first packet of the queue will have left it.
    fn sent_at(&mut self, now: u64) -> u64 {
        let rate = u128::from(self.path.rate_bps);
        let bits = u128::from(self.queue[0].bytes) * 8;
        let time = bits * u128::from(SECOND_PS) + self.remainder;
        self.remainder = time % rate;
        now + (time / rate) as u64
    }

    /// The first packet has left the queue. With it the time at which the next one will have.
    pub fn depart(&mut self, now: u64) -> (Departure<T>, Option<u64>) {
        let packet = self.queue.pop_front().expect("the packet that is being sent");
        self.queued_bytes -= u64::from(packet.bytes);
        self.under_way += 1;
        self.arrives = self.arrives.max(now + self.path.delay_ps);
        let arrives = self.arrives + self.rng.random_range(0..=self.path.reorder_ps);
        let next = if self.queue.is_empty() {
            self.remainder = 0; // the line pauses: nothing is owed
            None
        } else {
            Some(self.sent_at(now))
        };
        (Departure { packet, arrives }, next)
    }

    pub fn arrive(&mut self, now: u64, bytes: u32) {
        self.under_way -= 1;
        let counts = self.tally.at(now);
        counts.delivered += 1;
        counts.delivered_bytes += u64::from(bytes);
    }

    pub fn change(&mut self, now: u64, change: Change) {
        let mut path = self.path;
        match change {
            Change::Delay(delay_ps) => path.delay_ps = delay_ps,
            Change::Rate(rate_bps) => {
                path.rate_bps = rate_bps;
                self.remainder = 0;
            }
            Change::Loss(loss_ppm) => path.loss_ppm = loss_ppm,
            Change::Reorder(reorder_ps) => path.reorder_ps = reorder_ps,
            Change::Up => self.is_up = true,
            Change::Down => self.fail(now),
        }
        path.check();
        self.path = path;
    }

    fn fail(&mut self, now: u64) {
        self.is_up = false;
        self.life += 1;
        let lost = self.inside();
        self.tally.at(now).lose(Loss::Down, lost);
        self.queue.clear();
        self.queued_bytes = 0;
        self.under_way = 0;
        self.remainder = 0;
    }
}
