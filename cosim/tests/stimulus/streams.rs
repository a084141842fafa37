//! The streams of a seed stay bit for bit what they are, so that a report of a run repeats it.

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::cores::sack_tx::SackTxCore;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::Event;
use respray_hdl::config::Config;
use respray_hdl::contract::Words;

/// A hash of the first 100,000 entries of a seed with the ordinary knobs: idle edges, then the fields of the op or the seed.
fn hash<C: OpCore>(seed: u64, sets: &[&str]) -> u64 {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let config = Config::load(None, &sets).unwrap();
    let fields = C::CONTRACT.op_fields().count();
    let mut hash = 0_u64;
    let mut add = |word: u64| hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for entry in C::random(seed, &C::Knobs::new(config.connections), &config).take(100_000) {
        add(entry.idle.into());
        match entry.event {
            Event::Op(op) => (0..fields).for_each(|place| add(op.get(place))),
            Event::Reset { seed } => add(seed.map_or(1 << 32, |seed| u64::from(seed) + (1 << 33))),
        }
    }
    hash
}

/// The configurations: short times and small windows, the default one, and many connections.
const SETS: [&[&str]; 3] = [
    &["connections=16", "reps.time_bits=16", "sack.window=64"],
    &[],
    &["connections=16384", "sack.window=512"],
];

fn hashes<C: OpCore>() -> [u64; 3] {
    std::array::from_fn(|index| hash::<C>(5 + index as u64, SETS[index]))
}

#[test]
fn streams_of_reps_are_what_they_were() {
    assert_eq!(hashes::<RepsCore>(), [0x2204_285d_327b_6fff, 0x38b6_a285_bed7_3a87, 0x97a1_9f9d_dd5f_b085]);
}

#[test]
fn streams_of_sack_rx_are_what_they_were() {
    assert_eq!(hashes::<SackRxCore>(), [0x9a77_638f_e970_1eb6, 0xb1dc_3497_713c_cc26, 0xa0c2_cee2_310b_805b]);
}

#[test]
fn streams_of_sack_tx_are_what_they_were() {
    assert_eq!(hashes::<SackTxCore>(), [0xc59b_260a_5eb5_0974, 0x45b8_0702_650a_ad76, 0xade2_5f9c_171a_6dcd]);
}
