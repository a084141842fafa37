//! Flowcut behind the hosts: no packet that is sent for the first time overtakes another one of its connection, whatever the paths do.

use respray_golden::flowcut::Variant;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::hosts::{Report, Setup};
use respray_golden::nic::{Choice, Counter};
use respray_golden::paths::End;

use super::{pass, setup};

const PAPER: Choice = Choice::Flowcut(Variant::Paper);
const STICKY: Choice = Choice::Flowcut(Variant::Sticky);
/// `drain_started` among the events of the selector.
const DRAINS: Counter = Counter::SelectorEvent0;

/// Four connections that start so far apart in their paths that some drain, at half the usual ratio.
fn crowded(scenario: Scenario, selector: Choice, heeds_xoff: bool) -> Setup {
    let mut setup = setup(scenario, selector, 1 << 20);
    setup.heeds_xoff = heeds_xoff;
    if scenario != Scenario::Lossy {
        setup.connections = 4;
        for (at, message) in setup.messages[0].iter_mut().enumerate() {
            message.conn = (at % 4) as u16;
        }
    }
    if selector.parks() {
        setup.settings.extend([("ratio", 4), ("rtt_floor", 200)]);
    }
    setup
}

fn counted(report: &Report, counter: Counter) -> u64 {
    report.counter(End::A, counter) + report.counter(End::B, counter)
}

#[test]
fn no_first_transmission_overtakes_another_and_with_reps_some_do() {
    let (mut drains, mut parked, mut held) = (0, 0, 0);
    for scenario in Scenario::ALL {
        for (selector, heeds_xoff) in [(PAPER, true), (PAPER, false), (STICKY, false)] {
            // reordering within a path is none that a path selector could prevent
            let mut setup = crowded(scenario, selector, heeds_xoff);
            setup.network.paths.iter_mut().for_each(|path| path.reorder_ps = 0);
            let report = pass(&setup);
            println!(
                "{scenario:?} {selector:?} {heeds_xoff}: drains {}, parked {}, held {}",
                counted(&report, DRAINS),
                counted(&report, Counter::Parked),
                counted(&report, Counter::Held)
            );
            assert_eq!(report.overtaken, 0, "{scenario:?} {selector:?} {heeds_xoff}");
            drains += counted(&report, DRAINS);
            parked += counted(&report, Counter::Parked);
            held += counted(&report, Counter::Held);
        }
        let mut setup = crowded(scenario, Choice::reps(), true);
        setup.network.paths.iter_mut().for_each(|path| path.reorder_ps = 0);
        let report = pass(&setup);
        assert!(report.overtaken > 0, "{scenario:?}");
    }
    assert!(drains > 10 && parked > 10 && held > 10, "{drains} drains, {parked} parked, {held} held");
}
