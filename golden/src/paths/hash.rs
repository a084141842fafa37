//! The hash of the network's switches.

/// The finaliser of splitmix64: every bit of the input changes half of the output's.
pub fn mix(x: u64) -> u64 {
    let h = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let h = (h ^ h >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let h = (h ^ h >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ h >> 31
}

/// One number of many bytes.
pub fn fold(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash, byte| mix(hash ^ u64::from(*byte)))
}
