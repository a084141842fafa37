//! The hash of the switches: 001 Appendix B.

use respray_fabric::metrics::imbalance;
use respray_fabric::simulation::choose;

/// Packets, each with an EV of its own.
const PACKETS: u64 = 1 << 16;

fn loads(ways: u32, way: impl Fn(u64) -> u32) -> Vec<u64> {
    let mut loads = vec![0; ways as usize];
    (0..PACKETS).for_each(|ev| loads[way(ev) as usize] += 1);
    loads
}

/// Chi-square of equal loads, in standard deviations above what chance gives.
fn chi_square(loads: &[u64]) -> f64 {
    let expected = PACKETS as f64 / loads.len() as f64;
    let sum: f64 = loads.iter().map(|load| (*load as f64 - expected).powi(2) / expected).sum();
    let freedom = (loads.len() - 1) as f64;
    (sum - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn evs_spread_evenly_over_any_number_of_ways() {
    for ways in [2, 3, 8, 16, 32] {
        let of = |key: u64, salt: u64| loads(ways, |ev| choose(key, ev, salt, ways));
        for (key, salt) in [(1, 2), (0x1234_5678_9abc, 7), (u64::MAX, 0)] {
            let spread = of(key, salt);
            assert!(chi_square(&spread) < 4.0, "{ways} ways: {spread:?}");
            assert!(imbalance(&spread) < 0.08, "{ways} ways: {spread:?}");
        }
    }
    // a hash that takes bits as they are is found
    let poor = loads(32, |ev| (ev & 0xf) as u32);
    assert!(chi_square(&poor) > 4.0 && imbalance(&poor) > 0.08);
}

#[test]
fn another_salt_or_another_pair_of_hosts_takes_other_ways() {
    let same = |a: (u64, u64), b: (u64, u64)| {
        (0..10_000).filter(|ev| choose(a.0, *ev, a.1, 8) == choose(b.0, *ev, b.1, 8)).count()
    };
    for (a, b) in [((1, 1), (1, 2)), ((1, 1), (2, 1)), ((5, 9), (9, 4))] {
        // one in eight by chance
        let same = same(a, b);
        assert!((1100..1400).contains(&same), "{same} of 10000");
    }
    assert_eq!(same((1, 1), (1, 1)), 10_000);
}
