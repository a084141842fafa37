//! The hosts at a switch, of which its ACKs speak in turn where they do not speak of the host that they come from.
//!
//! # What the paper leaves open
//! - An ACK speaks of its source. The public model of the paper was changed to speak of each host of the ToR in turn, so that paths to hosts
//!   which send no ACKs are known, too.
//! - The list holds as many hosts as the switch has ports. It is made by the driver after a reset, and a host more than that is left out.

/// Of which host an ACK speaks that begins a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advertise {
    /// Of the one that it comes from.
    #[default]
    Source,
    /// Of those in the list, in turn; of its own where the list is empty.
    RoundRobin,
}

/// The list.
#[derive(Clone, Debug)]
pub struct Hosts {
    most: usize,
    /// Number of each host, and its port.
    hosts: Vec<(u16, u8)>,
    next: usize,
}

impl Hosts {
    /// An empty list for at most so many.
    pub(super) fn new(most: u32) -> Self {
        Hosts { most: most as usize, hosts: Vec::new(), next: 0 }
    }

    /// `rst`.
    pub(super) fn reset(&mut self) {
        self.hosts.clear();
        self.next = 0;
    }

    /// Adds a host and its port at the end, if there is room.
    pub(super) fn add(&mut self, dst: u16, port: u8) {
        if self.hosts.len() < self.most {
            self.hosts.push((dst, port));
        }
    }

    /// The next host and its port, unless there is none.
    pub(super) fn turn(&mut self) -> Option<(u16, u8)> {
        let host = self.hosts.get(self.next).copied()?;
        self.next = (self.next + 1) % self.hosts.len();
        Some(host)
    }
}
