//! The sending side of a connection: messages cut into packets, the window, and what is to be sent again.

use std::collections::VecDeque;

use super::State;
use crate::nic::{Event, Kind, rule_code};
use crate::psn::PsnSpace;
use crate::sack_tx::Rule;

/// A packet of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Payload in bytes.
    pub bytes: u32,
    /// Last one of its message.
    pub is_last: bool,
}

/// The sending side of a connection. Packets are counted from 0.
#[derive(Clone, Debug)]
pub struct Sender {
    psns: PsnSpace,
    first_psn: u32,
    pieces: Vec<Piece>,
    /// Packets sent for the first time.
    next: u32,
    /// Packets acknowledged without a gap.
    una: u32,
    /// The latest of these of which an event told: behind `una` while events are on their way that were sent before the host has
    /// read where the connection stands.
    told: u32,
    in_flight: u32,
    again: VecDeque<u32>,
    /// It was told XOFF, and heeds it.
    is_paused: bool,
    heeds_xoff: bool,
}

impl Sender {
    /// Of a host that sends nothing new between XOFF and XON, or of one that pays no heed to them.
    pub fn new(psns: PsnSpace, first_psn: u32, heeds_xoff: bool) -> Self {
        let (pieces, again) = (Vec::new(), VecDeque::new());
        Sender {
            psns,
            first_psn,
            pieces,
            next: 0,
            una: 0,
            told: 0,
            in_flight: 0,
            again,
            is_paused: false,
            heeds_xoff,
        }
    }

    /// A message is to be sent, cut into packets of at most `payload` bytes.
    pub fn push(&mut self, bytes: u32, payload: u32) {
        let full = (bytes - 1) / payload;
        self.pieces.extend((0..full).map(|_| Piece { bytes: payload, is_last: false }));
        self.pieces.push(Piece { bytes: bytes - full * payload, is_last: true });
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn psn(&self, index: u32) -> u32 {
        self.psns.add(self.first_psn, index)
    }

    pub fn una(&self) -> u32 {
        self.una
    }

    pub fn is_done(&self) -> bool {
        self.una as usize == self.pieces.len()
    }

    /// The packet that is to be sent now, and whether it was sent before: first what is to be sent again, then what
    /// the windows of the sender and of the engines allow.
    pub fn next(&mut self, cwnd: u32, window: u32) -> Option<(u32, bool)> {
        while let Some(index) = self.again.pop_front() {
            if index >= self.una {
                return Some((index, true));
            }
        }
        let may = !self.is_paused && self.in_flight < cwnd && self.next - self.una < window;
        if !may || self.next as usize == self.pieces.len() {
            return None;
        }
        self.next += 1;
        self.in_flight += 1;
        Some((self.next - 1, false))
    }

    /// Takes an event in.
    ///
    /// # Errors
    /// A sentence, if it cannot be true.
    pub fn hear(&mut self, event: &Event) -> Result<(), String> {
        let index = self.psns.distance(self.first_psn, event.psn);
        match event.kind {
            Kind::Acknowledged => {
                if index > self.next || index < self.told {
                    return Err(format!(
                        "packet {index} is expected, after {} and of {}",
                        self.told, self.next
                    ));
                }
                self.told = index;
                self.una = self.una.max(index);
                self.in_flight = event.in_flight.into();
            }
            Kind::Loss | Kind::RecoveryLeft if event.detail != rule_code(Rule::Timeout) => {
                self.in_flight = event.in_flight.into()
            }
            Kind::Retransmit => {
                if index >= self.next || index < self.told {
                    return Err(format!(
                        "packet {index} is to be sent again, of {} to {}",
                        self.told, self.next
                    ));
                }
                self.in_flight = event.in_flight.into();
                self.again.push_back(index);
            }
            Kind::Xoff => self.is_paused = self.heeds_xoff,
            Kind::Xon => self.is_paused = false,
            Kind::Refused => return Err(format!("packet {index} is refused with status {}", event.detail)),
            Kind::BadAck => return Err(format!("an ACK is refused with status {}", event.detail)),
            _ => {}
        }
        Ok(())
    }

    /// Events were lost: this is where the connection stands. An XON may be among them, and the `nic` holds what has to wait by itself.
    pub fn restore(&mut self, state: &State) {
        self.una = self.psns.distance(self.first_psn, state.snd_una);
        self.in_flight = state.in_flight;
        self.is_paused = false;
    }
}
