//! Two nics over a network of paths: messages arrive once, whatever the network does, and the selectors do what their papers say.

mod devices;
mod faults;
mod parking;
mod random;
mod receiver;
mod uet;
mod window;

use respray_golden::bitmap::{self, TimeoutRule};
use respray_golden::flowlet::{self, Since};
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::hosts::{Hooks, Report, Setup, Window, run};
use respray_golden::mixed;
use respray_golden::nic::{self, Choice, Counter};
use respray_golden::ops::{self, Order};
use respray_golden::paths::End;
use respray_golden::reps::{self, Variant};
use respray_golden::selector::SendKind;
use respray_golden::strack;
use respray_golden::wire::Profile;

const US: u64 = 1_000_000;
const MS: u64 = 1000 * US;
const RTO_US: u64 = 40;

const OPS: Choice = Choice::Ops(ops::Keys { order: Order::Random, paths: 16 });
const PERMUTED: Choice = Choice::Ops(ops::Keys { order: Order::Permuted, paths: 65536 });
const FLOWLET: Choice = Choice::Flowlet(flowlet::Keys { since: Since::Ack });
const STRACK: Choice = Choice::Strack(strack::Keys { paths: 256 });
const BITMAP: Choice = Choice::Bitmap(bitmap::Keys { paths: 64, timeout: TimeoutRule::Ignore });
const MIXED: Choice = Choice::Mixed(mixed::Keys { paths: 16, depth: 8, timeout: TimeoutRule::Ignore });
const UET: Choice = Choice::Reps(reps::Keys { depth: 8, variant: Variant::Uet });

fn nic(selector: Choice) -> nic::Config {
    nic::Config { connections: 16, selector, ..nic::Config::default() }
}

/// A scenario in which A sends so many bytes, with a limit of time.
fn setup(scenario: Scenario, selector: Choice, bytes: u64) -> Setup {
    Setup { limit_ps: 100 * MS, ..scenario.setup(nic(selector), bytes, 5) }
}

fn spraying(selector: Choice, bytes: u64) -> Setup {
    setup(Scenario::Equal, selector, bytes)
}

fn pass(setup: &Setup) -> Report {
    run(setup, Hooks::default()).unwrap_or_else(|broken| panic!("{broken}"))
}

/// Share of the packets of A that a path carried from a time on, in thousandths.
fn share(report: &Report, path: usize, from_ps: u64) -> u64 {
    let packets = |path| report.network.tally(End::A, path).between(from_ps, u64::MAX).packets;
    packets(path) * 1000 / (0..report.network.paths()).map(packets).sum::<u64>()
}

#[test]
fn eight_equal_paths_carry_equal_shares() {
    for selector in [Choice::reps(), UET, OPS, PERMUTED] {
        let report = pass(&spraying(selector, 4 << 20));
        for path in 0..8 {
            let share = share(&report, path, 0);
            // 256 packets a path: an oblivious draw has a standard deviation of 7 in 1000
            assert!((90..160).contains(&share), "{selector:?}: path {path} carries {share} of 1000");
        }
        assert_eq!(report.counter(End::A, Counter::TxData), 2048, "{selector:?}");
        assert_eq!(report.counter(End::B, Counter::RxNew), 2048, "{selector:?}");
    }
}

#[test]
fn ecmp_keeps_to_one_path() {
    let report = pass(&spraying(Choice::Ecmp, 1 << 20));
    let carrying = (0..8).filter(|&path| share(&report, path, 0) > 0).count();
    assert_eq!(carrying, 1);
}

#[test]
fn a_path_at_half_rate_carries_less_by_reps_alone() {
    let slow = |selector| share(&pass(&setup(Scenario::Slow, selector, 8 << 20)), 3, 200 * US);
    let (reps, uet, ops) = (slow(Choice::reps()), slow(UET), slow(OPS));
    assert!(reps < 90 && uet < 90, "{reps} and {uet} of 1000");
    assert!((110..140).contains(&ops), "{ops} of 1000");
}

fn failing(selector: Choice) -> Setup {
    setup(Scenario::Failing, selector, 16 << 20)
}

fn lost_to_failure(report: &Report) -> u64 {
    report.network.tally(End::A, 3).total().lost_down
}

/// Losses found by timeouts alone, as in 001: the other two rules of `sack_tx` never hold.
fn by_timeouts(mut setup: Setup) -> Setup {
    setup.window = Window::Fixed(40);
    setup.settings.extend([("cwnd_packets", 4095), ("probe_timeout", 0xffff)]);
    setup
}

#[test]
fn a_link_that_fails_costs_reps_a_fifth_of_what_it_costs_ops() {
    let everything: fn(Setup) -> Setup = |setup| setup;
    for rules in [everything, by_timeouts] {
        let ops = lost_to_failure(&pass(&rules(failing(OPS))));
        assert!(ops > 300, "{ops} packets");
        for selector in [Choice::reps(), UET] {
            let report = pass(&rules(failing(selector)));
            let lost = lost_to_failure(&report);
            assert!(lost * 5 <= ops, "{selector:?}: {lost} packets, {ops} with ops");
            let known = report.into_dead.iter().filter(|sent| sent.kind != SendKind::Explore);
            let latest = known.map(|sent| sent.after_ps).max().unwrap_or(0);
            let detected = (RTO_US + 8) * US;
            assert!(latest <= detected, "a known EV is sent into the dead link after {latest} ps");
            let frozen = report.counter(End::A, Counter::SelectorEvent2);
            assert!(frozen > 0, "{selector:?} never freezes");
        }
    }
}

#[test]
fn a_connection_of_ecmp_on_the_failed_link_waits_for_its_return() {
    let mut setup = failing(Choice::Ecmp);
    setup.messages[0].truncate(12);
    let (mut on, mut off) = (0, 0);
    for seed in 0..16 {
        setup.network.seed = seed;
        let report = pass(&setup);
        let waits = lost_to_failure(&report) > 0;
        assert_eq!(waits, report.end_ps > 5 * MS / 2, "seed {seed}: {} ps", report.end_ps);
        *if waits { &mut on } else { &mut off } += 1;
    }
    assert!(on > 0 && off > 0, "{on} and {off}");
}

fn lossy(selector: Choice, profile: Profile, seed: u64) -> Setup {
    let nic = nic::Config { profile, ..nic(selector) };
    Setup { limit_ps: 100 * MS, ..Scenario::Lossy.setup(nic, 540_000, seed) }
}

#[test]
fn every_message_arrives_once_through_loss_and_reordering() {
    for (seed, selector) in (0..).zip([Choice::reps(), UET, OPS, PERMUTED, Choice::Ecmp]) {
        for profile in Profile::ALL {
            let report = pass(&lossy(selector, profile, seed));
            let total = |counter| report.counter(End::A, counter) + report.counter(End::B, counter);
            assert!(total(Counter::TxAgain) > 100, "{selector:?} {profile:?}");
            for rule in [Counter::LossOoo, Counter::LossProbe, Counter::LossTimeout] {
                assert!(total(rule) > 0, "{selector:?} {profile:?}: no {}", rule.name());
            }
        }
    }
}

#[test]
fn coalesced_sacks_are_enough() {
    for profile in Profile::ALL {
        let sacks = |threshold| {
            let mut setup = lossy(UET, profile, 9);
            setup.settings.push(("sack_threshold", threshold));
            pass(&setup).counter(End::B, Counter::TxSacks)
        };
        let (every, few) = (sacks(0), sacks(4096));
        assert!(few * 4 < every * 3, "{few} SACKs in place of {every}");
    }
}
