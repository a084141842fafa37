//! Ports of connections in the place of EVs, for who spreads frames behind the block by their ports.

use crate::rewrite::checksum;

/// What is written into a data packet if its connection is open: where its UDP header begins, and the source port.
#[derive(Clone, Copy, Debug)]
pub(super) struct StablePort {
    pub udp_at: usize,
    pub port: u16,
}

impl StablePort {
    /// Writes it, and puts the checksum right; one of 0 says that none was computed, RFC 768.
    pub fn write(self, frame: &mut [u8]) {
        let udp = &mut frame[self.udp_at..];
        let word = |at: usize| u16::from_be_bytes([udp[at], udp[at + 1]]);
        let (before, old) = (word(0), word(6));
        udp[..2].copy_from_slice(&self.port.to_be_bytes());
        if old != 0 {
            let updated = match checksum::update(old, &[(before, self.port)]) {
                0 => 0xffff,
                updated => updated,
            };
            udp[6..8].copy_from_slice(&updated.to_be_bytes());
        }
    }
}
