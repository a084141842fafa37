//! The receiving side of a connection: every packet once, every byte right, messages that are whole.

use super::frames;
use super::sender::Piece;
use crate::nic::{Delivery, PSNS};
use crate::paths::End;
use crate::sack_rx::Status;

/// The receiving side of a connection, and what its sender sends.
#[derive(Clone, Debug)]
pub struct Receiver {
    first_psn: u32,
    expected: Vec<Piece>,
    received: Vec<bool>,
    /// Packets received without a gap.
    whole: u32,
}

impl Receiver {
    pub fn new(first_psn: u32, expected: &[Piece]) -> Self {
        Receiver { first_psn, expected: expected.to_vec(), received: vec![false; expected.len()], whole: 0 }
    }

    /// Takes a data packet in.
    ///
    /// # Errors
    /// A sentence, if the `nic` says of it what is not true, or its bytes are not those that were sent.
    pub fn take(&mut self, from: End, conn: u16, delivery: &Delivery) -> Result<(), String> {
        let psn = delivery.record.psn;
        let index = PSNS.distance(self.first_psn, psn) as usize;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::End;
    use crate::rewrite::ProfileTraffic;
    use crate::rewrite_rx::record;
    use crate::wire::Profile;

    /// A packet of 20 bytes from A as a `nic` gives it to its host.
    fn delivery(psn: u32, status: Status) -> Delivery {
        let data = frames::Data { from: End::A, conn: 2, psn, bytes: 20, ack_request: false, again: false };
        let frame = frames::data(Profile::Strack, &data);
        let traffic = ProfileTraffic { profile: Profile::Strack, udp_port: Profile::Strack.udp_port() };
        Delivery { record: record(&frame, traffic), frame, status: Some(status) }
    }

    #[test]
    fn what_is_not_delivered_once_and_as_it_was_sent_is_seen() {
        let mut receiver = Receiver::new(100, &[Piece { bytes: 20, is_last: false }; 3]);
        let mut take = |delivery: &Delivery| receiver.take(End::A, 2, delivery);
        assert_eq!(take(&delivery(101, Status::New)), Ok(()));
        assert_eq!(take(&delivery(101, Status::Duplicate)), Ok(()));
        let twice = take(&delivery(101, Status::New));
        assert_eq!(twice, Err("packet 1 is delivered twice".to_string()));
        let never = take(&delivery(100, Status::Duplicate));
        assert_eq!(never, Err("packet 0 is called a duplicate, but was never delivered".to_string()));
        let mut changed = delivery(100, Status::New);
        *changed.frame.last_mut().expect("it has bytes") ^= 1;
        assert_eq!(take(&changed), Err("packet 0 is not as it was sent".to_string()));
        assert_eq!(take(&delivery(103, Status::New)), Err("packet 3 was never sent".to_string()));
        let outside = take(&delivery(102, Status::Outside));
        assert_eq!(outside, Err("packet 2 has status Some(Outside)".to_string()));
        assert_eq!(receiver.whole(), 0);
        receiver.take(End::A, 2, &delivery(100, Status::New)).expect("the first one");
        assert_eq!((receiver.whole(), receiver.is_done()), (2, false));
    }
}
