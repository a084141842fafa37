//! What hosts and lines need of a `nic`, whatever it is made of.

use crate::nic::{Command, Counter, Delivery, Event, Nic, Transmitted};

/// Where a connection's sender stands, by the command `read`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub snd_una: u32,
    pub snd_nxt: u32,
    /// Packets.
    pub in_flight: u32,
    pub in_recovery: bool,
}

/// A `nic` as its host sees it.
pub trait Port {
    /// Offers a frame on `tx_in`.
    ///
    /// # Errors
    /// The frame itself, while `tx_in` pauses.
    fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>>;

    /// The next frame on `rx_out`. A host looks at its bytes and its status, and at kind, connection, PSN and payload bytes of
    /// its record.
    fn deliver(&mut self) -> Option<Delivery>;

    /// The next event.
    fn event(&mut self) -> Option<Event>;

    /// Events that were lost since power-up.
    fn events_lost(&mut self) -> u64;

    /// Reads a register by its name.
    ///
    /// # Panics
    /// If there is no such register, or nothing to be read.
    fn read_register(&mut self, name: &str) -> u32;

    /// Writes a register by its name; a command is done when this returns.
    ///
    /// # Panics
    /// If there is no such register, or it takes no such value.
    fn write_register(&mut self, name: &str, value: u32);

    /// Opens a connection in both directions, with what was written before of its peer.
    fn open(&mut self, conn: u16, psn: u32) {
        self.write_register("command_conn", conn.into());
        self.write_register("command_psn", psn);
        self.write_register("command", Command::OpenTx as u32);
        self.write_register("command", Command::OpenRx as u32);
    }

    /// Where the sender of a connection stands.
    fn state(&mut self, conn: u16) -> State {
        self.write_register("command_conn", conn.into());
        self.write_register("command", Command::Read as u32);
        State {
            snd_una: self.read_register("result_snd_una"),
            snd_nxt: self.read_register("result_snd_nxt"),
            in_flight: self.read_register("result_in_flight"),
            in_recovery: self.read_register("result_in_recovery") == 1,
        }
    }
}

/// A `nic` as its MAC sees it, too.
pub trait Device: Port {
    /// Time goes on to a clock cycle, counted from the beginning of the run. One that is past already changes nothing, if
    /// accesses to registers take time.
    fn advance(&mut self, cycles: u64);

    /// A whole frame on `rx_in`, at the present time.
    fn receive(&mut self, frame: Vec<u8>);

    /// The next whole frame on `tx_out`. It is asked for when the line is free.
    fn transmit(&mut self) -> Option<Transmitted>;
}

impl Port for Nic {
    fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        Nic::offer(self, frame)
    }

    fn deliver(&mut self) -> Option<Delivery> {
        Nic::deliver(self)
    }

    fn event(&mut self) -> Option<Event> {
        Nic::event(self)
    }

    fn events_lost(&mut self) -> u64 {
        self.counter(Counter::EventsLost)
    }

    fn read_register(&mut self, name: &str) -> u32 {
        let address = self.address(name).expect(name);
        self.read(address).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn write_register(&mut self, name: &str, value: u32) {
        let address = self.address(name).expect(name);
        self.write(address, value).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

impl Device for Nic {
    fn advance(&mut self, cycles: u64) {
        Nic::advance(self, cycles);
    }

    fn receive(&mut self, frame: Vec<u8>) {
        Nic::receive(self, frame, false);
    }

    fn transmit(&mut self) -> Option<Transmitted> {
        Nic::transmit(self)
    }
}
