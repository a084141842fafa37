//! What hosts of connections that end need of a block, whatever it is made of.

use crate::nic::{self, Delivery, Event, Nic};

/// A block as its host and its MAC see it, a step of time after the other. Errors are sentences.
pub trait Block {
    fn config(&self) -> &nic::Config;
    /// Time goes on a little.
    ///
    /// # Errors
    /// What is wrong with the block.
    fn step(&mut self) -> Result<(), String>;
    /// Whether host and MAC may give a frame.
    fn takes(&self) -> [bool; 2];
    fn send(&mut self, frame: Vec<u8>);
    fn receive(&mut self, frame: Vec<u8>);
    /// # Errors
    /// What is wrong with the block.
    fn write(&mut self, name: &str, value: u32) -> Result<(), String>;
    fn transmitted(&mut self) -> Option<Vec<u8>>;
    fn delivered(&mut self) -> Option<Delivery>;
    fn event(&mut self) -> Option<Event>;
}

/// Cycles of a step of the golden block.
const STEP_CYCLES: u64 = 16;

impl Block for Nic {
    fn config(&self) -> &nic::Config {
        Nic::config(self)
    }

    fn step(&mut self) -> Result<(), String> {
        self.advance(self.cycles() + STEP_CYCLES);
        Ok(())
    }

    fn takes(&self) -> [bool; 2] {
        [self.host_frames() == 0, true]
    }

    fn send(&mut self, frame: Vec<u8>) {
        self.offer(frame).expect("it takes a frame");
    }

    fn receive(&mut self, frame: Vec<u8>) {
        Nic::receive(self, frame, false);
    }

    fn write(&mut self, name: &str, value: u32) -> Result<(), String> {
        let address = self.address(name).expect(name);
        Nic::write(self, address, value).map_err(|error| error.to_string())
    }

    fn transmitted(&mut self) -> Option<Vec<u8>> {
        self.transmit().map(|sent| sent.frame)
    }

    fn delivered(&mut self) -> Option<Delivery> {
        self.deliver()
    }

    fn event(&mut self) -> Option<Event> {
        Nic::event(self)
    }
}
