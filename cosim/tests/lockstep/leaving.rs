//! Results under way to the outputs.

use respray_cosim::lockstep::predict::Results;
use respray_cosim::lockstep::schedule::MAX_LATENCY;

/// The entry that leaves at the coming edge.
fn leaving(results: &Results) -> Option<u64> {
    results.leaving().and_then(|row| results.entries[row])
}

#[test]
fn what_enters_leaves_after_its_latency_and_once() {
    for latency in [1, 2, 5, MAX_LATENCY] {
        let mut results = Results::default();
        for edge in 0..1000_u64 {
            let entered = edge.checked_sub(latency.into()).filter(|edge| edge % 3 == 0);
            assert_eq!(leaving(&results), entered, "latency {latency}, edge {edge}");
            let value = results.leaving().map(|row| results.rows[row].values[0]);
            assert_eq!(value, entered.map(|edge| edge + 7));
            if edge % 3 == 0 {
                let row = results.enter(latency, Some(edge));
                results.rows[row].values[0] = edge + 7;
            }
            results.step();
        }
    }
}

#[test]
fn latencies_may_differ_and_clear_drops_all() {
    let mut results = Results::default();
    results.enter(4, Some(10));
    results.enter(2, Some(11));
    assert_ne!(results.filled, 0);
    let mut left = Vec::new();
    for _ in 0..6 {
        left.push(leaving(&results));
        results.step();
    }
    assert_eq!(left, [None, None, Some(11), None, Some(10), None]);
    assert_eq!(results.filled, 0);
    results.enter(3, Some(12));
    results.clear();
    assert_eq!(results.filled, 0);
    for _ in 0..MAX_LATENCY {
        assert_eq!(results.leaving(), None);
        results.step();
    }
}

#[test]
#[should_panic(expected = "two results leave in one cycle")]
fn two_results_in_one_cycle_are_an_error_of_the_adapter() {
    let mut results = Results::default();
    results.enter(4, Some(1));
    results.step();
    results.enter(3, Some(2));
}
