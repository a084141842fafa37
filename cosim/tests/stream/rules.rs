//! The rules of AXI-Stream.

use respray_cosim::stream::rules::{Rules, Sample, Violation};

const BEAT: Sample<'static> =
    Sample { valid: true, ready: true, data: &[1, 2], keep: 0xffff, last: false, user: 0 };

fn after(first: Sample<'_>, second: Sample<'_>) -> Result<(), Violation> {
    let mut rules = Rules::new(16);
    rules.check(&first)?;
    rules.check(&second)
}

#[test]
fn beats_taken_at_once_and_held_beats_are_fine() {
    assert_eq!(after(BEAT, Sample { data: &[3, 4], last: true, keep: 0x7f, ..BEAT }), Ok(()));
    assert_eq!(after(Sample { ready: false, ..BEAT }, BEAT), Ok(()));
    assert_eq!(after(BEAT, Sample { valid: false, keep: 5, ..BEAT }), Ok(()));
}

#[test]
fn every_rule_is_found_broken() {
    let held = Sample { ready: false, ..BEAT };
    for (second, signal) in [
        (Sample { valid: false, ..BEAT }, "tvalid"),
        (Sample { data: &[1, 3], ..BEAT }, "tdata"),
        (Sample { keep: 1, ..BEAT }, "tkeep"),
        (Sample { last: true, ..BEAT }, "tlast"),
        (Sample { user: 1, ..BEAT }, "tuser"),
    ] {
        assert_eq!(after(held, second).unwrap_err().signal, signal);
    }
    let violation = |keep, last| after(BEAT, Sample { keep, last, ..BEAT }).unwrap_err().expected;
    assert_eq!(violation(0x7fff, false), "all ones before the last beat");
    assert_eq!(violation(0x5, true), "contiguous from bit 0");
    assert_eq!(violation(0xfffe, true), "contiguous from bit 0");
    assert_eq!(violation(0, true), "contiguous from bit 0");
}

#[test]
fn a_reset_lets_go_of_a_held_beat() {
    let mut rules = Rules::new(16);
    rules.check(&Sample { ready: false, ..BEAT }).unwrap();
    rules.reset();
    assert_eq!(rules.check(&Sample { valid: false, ..BEAT }), Ok(()));
}
