//! The path congestion table: the best path to each host, or the latest report of each host by each uplink.
//!
//! # What the paper leaves open, where each uplink has an entry
//! - A report of an uplink replaces the one before it. The path that is passed on, and that a new flow takes, is the least congested one
//!   of those that live, and of equal ones the first at or after a random place, going round.
//! - The congestion of the uplinks themselves is looked up in turn, one of them in each of the core's own slots, and that is used from the
//!   next such slot on: a choice among sixteen that changes what the next one chooses from could not be made at each cycle. What a chosen
//!   path is passed on with is exact.
//! - The generator of places is the same after each reset, as the core has no port for a seed. It takes a step for each data packet and
//!   each ACK, whether that needs it or not.
//! - The last sixteen ports can be uplinks. What comes by another one cannot be stored.

use super::{Settings, has};
use crate::rng::Rng;

/// Ports whose reports are stored, where each has an entry.
pub const UPLINKS: u8 = 16;
/// What the generator of places is seeded with.
pub const SEED: u16 = 0x6b43;

/// What the table has of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Table {
    /// One path.
    #[default]
    Single,
    /// One for each of sixteen uplinks.
    PerPort,
}

/// An entry: a path to a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    pub valid: bool,
    /// Congestion behind `port`.
    pub ce: u8,
    /// Ports in `path`, 0..=3.
    pub len: u8,
    pub port: u8,
    /// The ports behind `port`, 24 bits.
    pub path: u32,
    /// When it was reported.
    pub t: u8,
}

impl Path {
    /// Whether it may be used at this time.
    pub(super) fn is_live(&self, now: u8, settings: &Settings) -> bool {
        self.valid && now.wrapping_sub(self.t) <= settings.path_age && has(settings.up, self.port)
    }

    /// The path with this switch's port before it, its unused bytes 0xff if they were.
    pub(super) fn route(&self) -> u32 {
        self.path << 8 | u32::from(self.port)
    }
}

/// The entries of all uplinks, and what is known of the uplinks themselves.
#[derive(Clone, Debug)]
pub struct Uplinks {
    /// Number of the first uplink, and the places that are cleared after a reset.
    first: u8,
    places: u32,
    rows: Vec<[Path; UPLINKS as usize]>,
    /// Congestion of each uplink as choices see it.
    seen: [u8; UPLINKS as usize],
    /// The uplink that was looked up last, and its congestion then.
    looked_up: (u8, u8),
    rng: Rng,
}

impl Uplinks {
    /// As after `rst`, of a switch with so many ports, for so many hosts and with so many places in its larger table.
    pub(super) fn new(ports: u32, destinations: u32, places: u32) -> Self {
        Uplinks {
            first: ports as u8 - UPLINKS,
            places,
            rows: vec![Default::default(); destinations as usize],
            seen: [0; UPLINKS as usize],
            looked_up: (UPLINKS - 1, 0),
            rng: Rng::seeded(SEED, places),
        }
    }

    /// `rst`.
    pub(super) fn reset(&mut self) {
        *self = Uplinks::new(u32::from(self.first + UPLINKS), self.rows.len() as u32, self.places);
    }

    /// Number of a port among the uplinks.
    fn uplink(&self, port: u8) -> Option<usize> {
        port.checked_sub(self.first).map(usize::from)
    }

    /// The latest report of a host by an uplink.
    pub fn path(&self, dst: u16, uplink: u8) -> &Path {
        &self.rows[usize::from(dst)][usize::from(uplink)]
    }

    /// A place of an op.
    pub(super) fn place(&mut self) -> usize {
        usize::from(self.rng.step()) % usize::from(UPLINKS)
    }

    /// One of the core's own slots: what was looked up is used from now on. Returns the port that is looked up next.
    pub(super) fn turn(&mut self) -> u8 {
        let (uplink, congestion) = self.looked_up;
        self.seen[usize::from(uplink)] = congestion;
        self.first + (uplink + 1) % UPLINKS
    }

    /// The congestion of that port.
    pub(super) fn look_up(&mut self, port: u8, congestion: u8) {
        self.looked_up = (port - self.first, congestion);
    }

    /// Stores a report; false: it did not come by an uplink.
    pub(super) fn store(&mut self, dst: u16, path: Path) -> bool {
        let uplink = self.uplink(path.port);
        if let Some(uplink) = uplink {
            self.rows[usize::from(dst)][uplink] = path;
        }
        uplink.is_some()
    }

    /// The best path to a host, among equals the first from this place on.
    pub(super) fn best(&self, dst: u16, place: usize, now: u8, settings: &Settings) -> Option<Path> {
        let around = (0..self.seen.len()).map(|more| (place + more) % self.seen.len());
        let row = &self.rows[usize::from(dst)];
        let live = around.filter(|uplink| row[*uplink].is_live(now, settings));
        // the first of equal ones
        live.min_by_key(|uplink| self.seen[*uplink].max(row[*uplink].ce)).map(|uplink| row[uplink])
    }

    /// The walker comes to the entries of a host.
    pub(super) fn visit(&mut self, dst: u16, now: u8, settings: &Settings) {
        for path in &mut self.rows[usize::from(dst)] {
            path.valid = path.is_live(now, settings);
        }
    }
}
