//! Who chooses the EV of each packet.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// What an endpoint tells a chooser of a packet of RUD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// It arrived by this EV.
    Good(u16),
    /// It arrived by this EV, and a switch had marked it.
    Marked(u16),
    /// It was trimmed on the way of this EV.
    Trimmed(u16),
    /// Packets are held for lost.
    Timeout,
}

/// Chooses an EV for each packet of RUD; for ROD once, when the connection is opened.
pub trait Chooser {
    /// The EV of a packet of the connection `pdc` that leaves now.
    fn choose(&mut self, pdc: u16) -> u16;

    /// Takes in what became of one.
    fn hear(&mut self, _pdc: u16, _feedback: Feedback) {}
}

/// Draws every EV anew.
#[derive(Clone, Debug)]
pub struct AnyEv(Xoshiro256PlusPlus);

impl AnyEv {
    pub fn new(seed: u64) -> Self {
        AnyEv(Xoshiro256PlusPlus::seed_from_u64(seed))
    }
}

impl Chooser for AnyEv {
    fn choose(&mut self, _pdc: u16) -> u16 {
        self.0.random()
    }
}
