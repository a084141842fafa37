//! What is counted of one direction of a path, window by window.

use super::Loss;

/// Packets and bytes of one window, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sent into the path, the lost ones included.
    pub packets: u64,
    pub bytes: u64,
    pub delivered: u64,
    pub delivered_bytes: u64,
    /// Marked by this path.
    pub marked: u64,
    pub lost_full: u64,
    pub lost_random: u64,
    /// Lost because the path had failed, or failed while they were in it.
    pub lost_down: u64,
}

impl Counts {
    pub const fn lost(&self) -> u64 {
        self.lost_full + self.lost_random + self.lost_down
    }

    pub(super) fn lose(&mut self, loss: Loss, packets: u64) {
        match loss {
            Loss::Full => self.lost_full += packets,
            Loss::Random => self.lost_random += packets,
            Loss::Down => self.lost_down += packets,
        }
    }

    fn add(&mut self, other: &Counts) {
        let Counts { packets, bytes, delivered, delivered_bytes, marked, lost_full, lost_random, lost_down } =
            *other;
        self.packets += packets;
        self.bytes += bytes;
        self.delivered += delivered;
        self.delivered_bytes += delivered_bytes;
        self.marked += marked;
        self.lost_full += lost_full;
        self.lost_random += lost_random;
        self.lost_down += lost_down;
    }
}

/// The counts of one direction of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    window_ps: u64,
    windows: Vec<Counts>,
}

impl Tally {
    pub(super) fn new(window_ps: u64) -> Self {
        assert!(window_ps > 0, "window_ps must be 1 or more");
        Tally { window_ps, windows: Vec::new() }
    }

    /// The counts of the window of a time.
    pub(super) fn at(&mut self, now: u64) -> &mut Counts {
        let index = (now / self.window_ps) as usize;
        if self.windows.len() <= index {
            self.windows.resize(index + 1, Counts::default());
        }
        &mut self.windows[index]
    }

    /// Window `i` is that of the times from `i * window_ps` to below `(i + 1) * window_ps`. A window behind the last
    /// one with a packet is not there.
    pub fn windows(&self) -> &[Counts] {
        &self.windows
    }

    /// All windows that begin from `from_ps` to below `to_ps`.
    pub fn between(&self, from_ps: u64, to_ps: u64) -> Counts {
        let index = |time: u64| (time.div_ceil(self.window_ps) as usize).min(self.windows.len());
        let mut sum = Counts::default();
        self.windows[index(from_ps)..index(to_ps).max(index(from_ps))]
            .iter()
            .for_each(|window| sum.add(window));
        sum
    }

    pub fn total(&self) -> Counts {
        self.between(0, u64::MAX)
    }
}
