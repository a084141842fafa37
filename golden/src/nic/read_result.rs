//! What the registers `result_...` say.

use super::Nic;
use super::engines::Op;
use super::register::ResultField;
use crate::sack_tx::Status;

/// Where the sender of a connection stands, or what was accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadResult {
    pub status: u8,
    pub snd_una: u32,
    pub snd_nxt: u32,
    pub in_flight: u16,
    pub bytes_in_flight: u32,
    pub in_recovery: bool,
    pub nack: u8,
}

impl ReadResult {
    /// As the register reads.
    pub fn field(&self, field: ResultField) -> u32 {
        match field {
            ResultField::Status => self.status.into(),
            ResultField::SndUna => self.snd_una,
            ResultField::SndNxt => self.snd_nxt,
            ResultField::InFlight => self.in_flight.into(),
            ResultField::BytesInFlight => self.bytes_in_flight,
            ResultField::InRecovery => self.in_recovery.into(),
            ResultField::Nack => self.nack.into(),
        }
    }
}

impl Nic {
    /// Where the sender of a connection stands: by `read`, or by `close`.
    pub(super) fn read_connection(&mut self, conn: u16, op: Op) -> ReadResult {
        let outcome = self.apply_scoreboard(conn, op);
        ReadResult {
            status: outcome.status.map_or(0, Status::code),
            snd_una: outcome.psn.unwrap_or(0),
            snd_nxt: outcome.snd_nxt.unwrap_or(0),
            in_flight: outcome.in_flight,
            bytes_in_flight: outcome.in_flight_bytes,
            in_recovery: outcome.in_recovery,
            nack: 0,
        }
    }
}
