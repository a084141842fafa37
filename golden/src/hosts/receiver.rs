//! The receiving side of a connection: every packet once, every byte right, messages that are whole.

use super::frames;
use super::sender::Piece;
use crate::nic::Delivery;
use crate::paths::End;
use crate::psn::PsnSpace;
use crate::sack_rx::Status;

/// The receiving side of a connection, and what its sender sends.
#[derive(Clone, Debug)]
pub struct Receiver {
    psns: PsnSpace,
    first_psn: u32,
    expected: Vec<Piece>,
    received: Vec<bool>,
    /// Packets received without a gap.
    whole: u32,
}

impl Receiver {
    pub fn new(psns: PsnSpace, first_psn: u32, expected: &[Piece]) -> Self {
        Receiver {
            psns,
            first_psn,
            expected: expected.to_vec(),
            received: vec![false; expected.len()],
            whole: 0,
        }
    }

    /// Takes a data packet in.
    ///
    /// # Errors
    /// A sentence, if the `nic` says of it what is not true, or its bytes are not those that were sent.
    pub fn take(&mut self, from: End, conn: u16, delivery: &Delivery) -> Result<(), String> {
        let psn = delivery.record.psn;
        let index = self.psns.distance(self.first_psn, psn) as usize;
        let Some(piece) = self.expected.get(index) else {
            return Err(format!("packet {index} was never sent"));
        };
        match (delivery.status, self.received[index]) {
            (Some(Status::New), true) => Err(format!("packet {index} is delivered twice")),
            (Some(Status::Duplicate), false) => {
                Err(format!("packet {index} is called a duplicate, but was never delivered"))
            }
            (Some(Status::New), false) => {
                let payload = &delivery.frame[self.payload_at(delivery)..];
                if payload[..] != frames::payload(from, conn, psn, piece.bytes) {
                    return Err(format!("packet {index} is not as it was sent"));
                }
                self.received[index] = true;
                while self.received.get(self.whole as usize) == Some(&true) {
                    self.whole += 1;
                }
                Ok(())
            }
            (Some(Status::Duplicate), true) => Ok(()),
            (status, _) => Err(format!("packet {index} has status {status:?}")),
        }
    }

    /// Frames of the hosts are not padded: the payload is their end.
    fn payload_at(&self, delivery: &Delivery) -> usize {
        delivery.frame.len() - usize::from(delivery.record.bytes)
    }

    /// Packets received without a gap.
    pub fn whole(&self) -> u32 {
        self.whole
    }

    pub fn is_done(&self) -> bool {
        self.whole as usize == self.expected.len()
    }
}
