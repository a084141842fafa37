//! Packets on their way, kept in one table so that queues and events hold nothing but their numbers.

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Data,
    /// The header of a data packet that a queue had no room for.
    Trimmed,
    Ack,
    Nack,
}

impl Kind {
    /// Whether it goes before data and is neither marked nor trimmed.
    #[inline]
    pub fn is_control(self) -> bool {
        self != Kind::Data
    }

    /// Whether it goes from the sender to the receiver.
    #[inline]
    pub fn is_forward(self) -> bool {
        matches!(self, Kind::Data | Kind::Trimmed)
    }
}

/// The EV of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The engine was asked for it; so many sends of its engine were before.
    Asked(u32),
    Known(u16),
}

/// One packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub kind: Kind,
    /// Of data: a queue marked it. Of an ACK: its data packet was marked.
    pub is_marked: bool,
    /// Of data: it filled its window, so that the sender waits for its ACK.
    pub asks_for_ack: bool,
    /// Bytes on the wire.
    pub bytes: u16,
    pub connection: u32,
    /// Of data; of an ACK or a NACK: that of its data packet.
    pub psn: u32,
    /// Of data; an ACK or a NACK goes by the EV that its data packet had.
    pub path: Path,
    /// Of an ACK: every packet below this PSN has come.
    pub cumulative: u32,
    /// Of an ACK: bit `i` says that packet `cumulative + 1 + i` has come.
    pub bitmap: u64,
    /// Of an ACK: bytes on the wire of all packets that have come.
    pub received: u64,
}

/// The packets on their way.
#[derive(Debug, Default)]
pub struct Packets {
    packets: Vec<Packet>,
    free: Vec<u32>,
}

impl Packets {
    /// Takes a packet in.
    #[inline]
    pub fn add(&mut self, packet: Packet) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.packets[number as usize] = packet;
                number
            }
            None => {
                self.packets.push(packet);
                self.packets.len() as u32 - 1
            }
        }
    }

    #[inline]
    pub fn get(&self, number: u32) -> &Packet {
        &self.packets[number as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut Packet {
        &mut self.packets[number as usize]
    }

    /// Takes a packet out.
    #[inline]
    pub fn remove(&mut self, number: u32) -> Packet {
        self.free.push(number);
        self.packets[number as usize]
    }

    /// Packets that are in.
    pub fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most that there ever were at once.
    pub fn most(&self) -> usize {
        self.packets.len()
    }
}
