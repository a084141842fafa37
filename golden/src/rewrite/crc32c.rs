//! The checksum CRC32C (RFC 9260 appendix A), and the trailer of `uet` that is made of it.

/// Its polynomial, the highest power in the lowest bit and x^32 left out.
const POLYNOMIAL: u32 = 0x82f6_3b78;
/// Bytes of the trailer.
pub const TRAILER_BYTES: usize = 4;

/// What each byte adds to a state of 0.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut state = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            state = state >> 1 ^ if state & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        table[byte] = state;
        byte += 1;
    }
    table
};

/// CRC32C of `bytes`.
pub fn crc32c(bytes: &[u8]) -> u32 {
    let step = |state: u32, byte: &u8| state >> 8 ^ TABLE[usize::from(state as u8 ^ byte)];
    !bytes.iter().fold(!0, step)
}

/// Byte of IP's header from which on a trailer covers all: the first of its source address.
pub const fn covered_from(is_ipv4: bool) -> usize {
    if is_ipv4 { 12 } else { 8 }
}

/// The trailer behind `covered`, as it is sent.
pub fn trailer(covered: &[u8]) -> [u8; TRAILER_BYTES] {
    crc32c(covered).to_be_bytes()
}
