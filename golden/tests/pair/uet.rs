//! Two blocks of Ultra Ethernet with each other.

use respray_golden::hosts::Setup;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::nic::{self, Choice, Counter, Parts};
use respray_golden::paths::End;
use respray_golden::wire::Profile;

use super::{MS, UET, pass};

/// A of some connections learns by the first ACK who the peer is: what B sends before is of nobody, and comes again.
#[test]
fn every_message_arrives_once_through_loss_and_reordering() {
    for (seed, selector) in (0..).zip([Choice::reps(), UET, Choice::Ecmp]) {
        for parts in [Parts::NONE, Parts::ALL] {
            let (selector, profile) = (selector, Profile::Uet);
            let nic = nic::Config {
                connections: 16,
                selector,
                profile,
                uet: Some(parts),
                ..nic::Config::default()
            };
            let setup = Setup { limit_ps: 1000 * MS, ..Scenario::Lossy.setup(nic, 540_000, seed) };
            let report = pass(&setup);
            let total = |counter| report.counter(End::A, counter) + report.counter(End::B, counter);
            assert!(total(Counter::TxAgain) > 100 && total(Counter::LossTimeout) > 0, "{selector:?}");
            let strays = [End::A, End::B].map(|end| report.counter(end, Counter::RxOtherPeer));
            assert!(strays[0] > 0 && strays[1] == 0, "{selector:?}: {strays:?}");
            let odd = [Counter::RxAcksBad, Counter::RxNacksBad, Counter::RxNotOpen, Counter::Dead].map(total);
            assert_eq!(odd, [0; 4], "{selector:?}");
        }
    }
}
