//! What flows send, and in what order it arrives.

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

/// What the flows send. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    pub flows: u32,
    /// Packets of all flows together, retransmissions not counted.
    pub packets: u64,
    /// Fewest and most bytes of a packet, 1..=16383.
    pub bytes: (u32, u32),
    /// Most packets of a burst; 0 for flows that never pause.
    pub burst: u32,
    /// Most ticks between two packets of a burst.
    pub gap: u32,
    /// Most ticks between two bursts.
    pub pause: u32,
}

impl Default for Traffic {
    fn default() -> Self {
        Traffic { flows: 32, packets: 1_000_000, bytes: (64, 4096), burst: 16, gap: 40, pause: 1000 }
    }
}

impl Traffic {
    pub(super) fn assert_in_range(&self) {
        let (fewest, most) = self.bytes;
        assert!(self.flows > 0, "a network has at least one flow");
        assert!(1 <= fewest && fewest <= most && most < 1 << 14, "a packet has 1 to 16383 bytes");
    }

    /// Bytes of the next packet.
    pub(super) fn draw_bytes(&self, rng: &mut Xoshiro256PlusPlus) -> u32 {
        rng.random_range(self.bytes.0..=self.bytes.1)
    }

    /// Ticks until the next packet of a flow with so many left of its burst, which is kept.
    pub(super) fn draw_gap(&self, rng: &mut Xoshiro256PlusPlus, left: &mut u32) -> u64 {
        if self.burst != 0 {
            if *left == 0 {
                *left = rng.random_range(1..=self.burst);
                return rng.random_range(0..=self.pause).into();
            }
            *left -= 1;
        }
        rng.random_range(0..=self.gap).into()
    }
}

/// How many `order_risk`s back a receiver can tell.
const SIDES: usize = 8;

/// In what order the first transmissions of one flow arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order {
    /// For each of the last counts of risks, one more than the latest packet that arrived with it.
    latest: [u32; SIDES],
    /// The highest count of risks that arrived.
    risks: u32,
}

/// How a packet arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    InOrder,
    /// A packet had overtaken it, but an `order_risk` stood between.
    Excused,
    OutOfOrder,
}

impl Order {
    /// A packet arrives: its number, and how many risks the flow had seen when it was sent.
    pub fn arrive(&mut self, number: u32, risks: u32) -> Arrival {
        if risks > self.risks {
            let steps = (risks - self.risks).min(SIDES as u32);
            for side in 0..steps {
                self.latest[(risks - side) as usize % SIDES] = 0;
            }
            self.risks = risks;
        }
        if self.risks - risks >= SIDES as u32 {
            return Arrival::Excused;
        }
        let latest = &mut self.latest[risks as usize % SIDES];
        if number < *latest {
            return Arrival::OutOfOrder;
        }
        *latest = number + 1;
        if risks < self.risks { Arrival::Excused } else { Arrival::InOrder }
    }
}
