//! When the engine takes an op, and when the slot is its own: for the sum of a port to lose its share, or for the walker.

use respray_hdl::cores::caver::contract::SLOTS;

/// What the core does in a slot of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// The sum of this port loses its share.
    Decay(u8),
    /// The walker comes to this place of both tables.
    Visit(u16),
}

/// Slots, periods, and the walker.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    ports: u32,
    places: u32,
    slot: u32,
    place: u32,
    port: u32,
    /// Edges since a port's turn came, and whether one waits for its slot.
    edges: u32,
    is_due: bool,
}

impl Slots {
    /// As after a reset, for so many ports and places in the larger table.
    pub fn new(ports: u32, places: u32) -> Self {
        Slots { ports, places, slot: 0, place: 0, port: 0, edges: 0, is_due: false }
    }

    /// An edge with `rst` high.
    pub fn reset(&mut self) {
        *self = Slots::new(self.ports, self.places);
    }

    /// Whether the coming slot is an op's.
    #[inline(always)]
    pub fn is_ops(&self) -> bool {
        self.slot < SLOTS - 1
    }

    /// A slot passes: what the core does in it, if it is its own.
    #[inline(always)]
    pub fn turn(&mut self) -> Option<Own> {
        if self.is_ops() {
            self.slot += 1;
            return None;
        }
        self.slot = 0;
        if self.is_due {
            self.is_due = false;
            let port = self.port;
            self.port = (port + 1) % self.ports;
            return Some(Own::Decay(port as u8));
        }
        let place = self.place;
        self.place = (place + 1) % self.places;
        Some(Own::Visit(place as u16))
    }

    /// An edge with `rst` low passes; the period of all ports' turns is `dre_period` edges.
    #[inline(always)]
    pub fn edge(&mut self, dre_period: u32) {
        self.edges += 1;
        if self.edges >= dre_period / self.ports {
            self.edges = 0;
            self.is_due = true;
        }
    }
}
