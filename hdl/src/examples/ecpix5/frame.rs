//! The one frame of the self-test: 128 bytes in 16 beats, of which beats 6 and 8 to 15 differ from packet to packet.
//!
//! Ethernet, IPv4 and UDP without a checksum; then the header of a data packet of the profile `strack`, and 70 bytes of payload.

/// Beats of 64 bits.
pub const BEATS: usize = 16;
/// The beat with the last byte of the connection and with the PSN, and the first beat that is payload alone.
pub const NUMBERED_BEAT: usize = 6;
pub const FIRST_OF_PAYLOAD: usize = 8;

const BYTES: usize = 8 * BEATS;
const LINK_BYTES: usize = 14;
const IP_BYTES: usize = 20;
/// Where the profile's header begins.
const HEADER: usize = LINK_BYTES + IP_BYTES + 8;

/// The beats before the payload, the first byte on the wire in bits 7:0, of connection 0 and PSN 0. `udp_port` is the
/// destination port of the profile.
pub fn head(udp_port: u16) -> [u64; FIRST_OF_PAYLOAD] {
    let mut bytes = [0; 8 * FIRST_OF_PAYLOAD];
    let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
    put(0, &[0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x08, 0x00]);
    let mut ip = [0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    ip[2..4].copy_from_slice(&((BYTES - LINK_BYTES) as u16).to_be_bytes());
    let halves = ip.chunks(2).map(|half| u32::from(u16::from_be_bytes([half[0], half[1]])));
    let sum: u32 = halves.sum();
    ip[10..12].copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
    put(LINK_BYTES, &ip);
    put(LINK_BYTES + IP_BYTES + 2, &udp_port.to_be_bytes());
    put(LINK_BYTES + IP_BYTES + 4, &((BYTES - LINK_BYTES - IP_BYTES) as u16).to_be_bytes());
    put(HEADER, &[0xc0, 0, 0xff, 0xff]);
    std::array::from_fn(|beat| u64::from_le_bytes(bytes[8 * beat..8 * beat + 8].try_into().expect("8 bytes")))
}
