//! The generator of random EVs: its recurrence, its period, and how it spreads.

use std::ops::Range;

mod ops;

use respray_golden::rng::{Rng, STATE_BITS, WORD_BITS};

const CONNECTIONS: [u32; 6] = [16, 64, 256, 1024, 4096, 16384];

/// z^61 + z^42 + z^26 + z^14 + 1 without its leading term.
const POLYNOMIAL: u64 = 1 << 42 | 1 << 26 | 1 << 14 | 1;

/// `z^(2^61)` modulo `z^61 + polynomial` over GF(2), by repeated squaring.
fn z_to_the_2_to_the_61(polynomial: u64) -> u64 {
    let mut power = 2;
    for _ in 0..STATE_BITS {
        let (mut square, mut term, mut bits) = (0, power, power);
        while bits != 0 {
            square ^= if bits & 1 == 1 { term } else { 0 };
            term <<= 1;
            term ^= if term >> STATE_BITS & 1 == 1 { 1 << STATE_BITS | polynomial } else { 0 };
            bits >>= 1;
        }
        power = square;
    }
    power
}

#[test]
fn step_is_the_recurrence_at_every_bit_position() {
    // the recurrence itself, one bit at a time, from the same 61 bits
    let mut rng = Rng::seeded(0x1234, 256);
    let mut x: Vec<bool> = (0..STATE_BITS).map(|i| rng.state() >> i & 1 == 1).collect();
    for step in 0..1000 {
        let word = rng.step();
        for k in 0..WORD_BITS {
            let n = x.len();
            x.push(x[n - 61] ^ x[n - 47] ^ x[n - 35] ^ x[n - 19]);
            assert_eq!(word >> k & 1 == 1, x[n], "step {step}, bit {k}");
        }
        let state = (0..61).fold(0, |s, i| s | u64::from(x[x.len() - 61 + i]) << i);
        assert_eq!(rng.state(), state, "state after step {step}");
    }
}

#[test]
fn absorbing_adds_the_seed_to_the_new_bits_alone() {
    for bit in 0..16 {
        let (mut plain, mut seeded) = (Rng::seeded(0xcdef, 256), Rng::seeded(0xcdef, 256));
        assert_eq!(plain.step() ^ seeded.absorb(1 << bit), 1 << bit);
        assert_eq!(plain.state() ^ seeded.state(), 1 << (45 + bit));
    }
}

#[test]
fn polynomial_is_primitive() {
    // Rabin: z^(2^61) = z, and no factor of degree 1 (61 is prime), so the polynomial is irreducible
    assert_eq!(z_to_the_2_to_the_61(POLYNOMIAL), 2);
    assert_eq!(POLYNOMIAL & 1, 1, "0 is no root");
    assert_eq!((1 + POLYNOMIAL.count_ones()) % 2, 1, "1 is no root");
    // and primitive, because the order of z divides 2^61 - 1: Lucas-Lehmer says that it is prime
    let mersenne = (1u128 << 61) - 1;
    let residue = (0..61 - 2).fold(4u128, |s, _| (s * s + mersenne - 2) % mersenne);
    assert_eq!(residue, 0);
}

#[test]
fn primitivity_test_sees_a_misplaced_tap() {
    assert_ne!(z_to_the_2_to_the_61(1 << 42 | 1 << 26 | 1 << 15 | 1), 2);
    assert_ne!(z_to_the_2_to_the_61(1 << 42 | 1 << 27 | 1 << 14 | 1), 2);
}

/// All states that the seeds reach, by linearity: state(seed) = state(0) ^ sum of the seed's bits' effects.
fn states_of_all_seeds(connections: u32) -> Vec<u64> {
    let zero = Rng::seeded(0, connections).state();
    let effect: Vec<u64> = (0..16).map(|bit| Rng::seeded(1 << bit, connections).state() ^ zero).collect();
    let state = |seed: u16| (0..16).filter(|b| seed >> b & 1 == 1).fold(zero, |s, b| s ^ effect[b]);
    for seed in [0, 1, 0x8000, 0xffff, 0xbeef] {
        assert_eq!(state(seed), Rng::seeded(seed, connections).state(), "linearity");
    }
    (0..=u16::MAX).map(state).collect()
}

#[test]
fn no_seed_reaches_the_zero_state_and_no_two_the_same() {
    for connections in CONNECTIONS {
        let mut states = states_of_all_seeds(connections);
        assert!(states.iter().all(|&s| s != 0 && s >> STATE_BITS == 0), "{connections} connections");
        states.sort_unstable();
        states.dedup();
        assert_eq!(states.len(), 65536, "{connections} connections");
    }
}

/// Chi-square of `counts` against the uniform distribution, as standard deviations from its mean.
fn chi_square_sigmas(counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let chi: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn words_are_uniform() {
    let mut rng = Rng::seeded(1, 256);
    let mut counts = vec![0; 65536];
    let mut ones = [0u32; 16];
    for _ in 0..1 << 21 {
        let word = rng.step();
        counts[usize::from(word)] += 1;
        for (bit, ones) in ones.iter_mut().enumerate() {
            *ones += u32::from(word >> bit & 1);
        }
    }
    assert!(chi_square_sigmas(&counts).abs() < 4.0, "{}", chi_square_sigmas(&counts));
    for (bit, &ones) in ones.iter().enumerate() {
        // mean 2^20, standard deviation 724
        assert!((f64::from(ones) - 1_048_576.0).abs() < 4.0 * 724.1, "bit {bit}: {ones}");
    }
}

#[test]
fn neighbours_are_independent() {
    // every byte-sized slice of a word against every such slice of the next three words
    for lag in 1..=3usize {
        for (low, high) in [(0, 0), (0, 8), (8, 0), (8, 8), (4, 4)] {
            let mut rng = Rng::seeded(2, 256);
            let mut counts = vec![0; 65536];
            let mut last = [0u16; 4];
            for i in 0..1usize << 20 {
                let word = rng.step();
                if i >= lag {
                    let before = last[(i - lag) % 4];
                    let pair = (before >> low & 0xff) << 8 | (word >> high & 0xff);
                    counts[usize::from(pair)] += 1;
                }
                last[i % 4] = word;
            }
            let sigmas = chi_square_sigmas(&counts);
            assert!(sigmas.abs() < 4.5, "lag {lag}, slices {low} and {high}: {sigmas}");
        }
    }
}

#[test]
fn chi_square_sees_a_shift_register_stepped_once_a_word() {
    // neighbours that share 15 of 16 bits: the fault that stepping 16 bits at once avoids
    let mut x = Rng::seeded(2, 256).state();
    let mut counts = vec![0; 65536];
    let mut before = 0;
    for _ in 0..1 << 20 {
        x = x >> 1 | ((x ^ x >> 14 ^ x >> 26 ^ x >> 42) & 1) << 60;
        let word = (x >> 45) as u16;
        counts[usize::from((before & 0xff) << 8 | (word & 0xff))] += 1;
        before = word;
    }
    assert!(chi_square_sigmas(&counts) > 1000.0);
}

#[test]
fn birthdays_collide_as_often_as_they_should() {
    // m = 64 words, spacings sorted: equal spacings are Poisson with lambda = m^3 / (4 n) = 1
    let (m, samples) = (64usize, 20_000u32);
    let lambda = (m as f64).powi(3) / (4.0 * 65536.0);
    let mut rng = Rng::seeded(3, 256);
    let mut repeats = 0u32;
    for _ in 0..samples {
        let mut days: Vec<u16> = (0..m).map(|_| rng.step()).collect();
        days.sort_unstable();
        let mut spacings: Vec<u16> = (0..m).map(|i| days[(i + 1) % m].wrapping_sub(days[i])).collect();
        spacings.sort_unstable();
        repeats += spacings.windows(2).filter(|w| w[0] == w[1]).count() as u32;
    }
    // the Poisson limit itself is a few percent off at m = 64
    let mean = f64::from(repeats) / f64::from(samples);
    assert!((mean - lambda).abs() < 0.06, "{mean} repeats a sample, expected {lambda}");
}

/// splitmix64: the ideal that the generator is compared with, and the switch's hash.
fn splitmix(x: u64) -> u64 {
    let h = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let h = (h ^ h >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let h = (h ^ h >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ h >> 31
}

fn imbalance(load: &[u32]) -> f64 {
    let mean = f64::from(load.iter().sum::<u32>()) / load.len() as f64;
    f64::from(*load.iter().max().expect("some uplinks")) / mean - 1.0
}

/// 001 Appendix B: load imbalance over 32 uplinks when each of 32 flows throws as many EVs as the EVS has
/// and the switch hashes the EV with the flow's own header; mean over eight switches. EVs are drawn with
/// replacement, as a sender does (the paper's are unique: its figures are lower by sqrt 2 at most).
fn load_imbalance(ev_bits: u32, mut word: impl FnMut() -> u16) -> f64 {
    let one = |switch: u64, word: &mut dyn FnMut() -> u16| {
        let mut load = [0; 32];
        for flow in 0..32u64 {
            for _ in 0..1u32 << ev_bits {
                let ev = u64::from(word()) & ((1 << ev_bits) - 1);
                load[(splitmix(switch << 32 | flow << 16 | ev) >> 59) as usize] += 1;
            }
        }
        imbalance(&load)
    };
    (0..8).map(|switch| one(switch, &mut word)).sum::<f64>() / 8.0
}

/// Bits of an EV, and what Appendix B has for the load imbalance of an EVS of that size.
const APPENDIX_B: [(u32, Range<f64>); 4] =
    [(6, 0.10..0.60), (8, 0.10..0.30), (12, 0.02..0.08), (16, 0.0..0.014)];

#[test]
fn load_imbalance_over_32_uplinks_is_that_of_appendix_b() {
    for (ev_bits, range) in APPENDIX_B {
        let mut rng = Rng::seeded(4, 256);
        let ours = load_imbalance(ev_bits, || rng.step());
        let mut x = 0;
        let ideal = load_imbalance(ev_bits, || {
            x += 1;
            splitmix(x) as u16
        });
        assert!(range.contains(&ours), "{ev_bits} bits: {ours}");
        assert!((ours / ideal - 1.0).abs() < 0.3, "{ev_bits} bits: {ours}, ideal {ideal}");
    }
}

#[test]
fn every_five_bits_of_a_word_balance_32_uplinks_without_a_hash() {
    let mut rng = Rng::seeded(5, 256);
    let mut load = [[0; 32]; 12];
    for _ in 0..1 << 21 {
        let word = rng.step();
        for (shift, load) in load.iter_mut().enumerate() {
            load[usize::from(word >> shift & 31)] += 1;
        }
    }
    // standard deviation 0.38% an uplink
    for (shift, load) in load.iter().enumerate() {
        assert!(imbalance(load) < 0.015, "bits {shift}..{}: {}", shift + 5, imbalance(load));
    }
}
