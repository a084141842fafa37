//! For every deliberate mistake of an endpoint a check that finds it.

use respray_golden::hosts::pds::Fault;

use super::{Found, acks, any_acks, exchanges, nacks, receiving, runs, sending, syns, targets};

type Check = fn(Option<Fault>) -> Found;

/// Vectors and exchanges that find a fault, and a run that does, where a run can: two endpoints that are wrong alike
/// may understand each other.
fn checks(fault: Fault) -> Vec<Check> {
    match fault {
        Fault::DuplicateTaken => vec![targets::anything, runs::loss],
        Fault::HeldResponsePassed => vec![exchanges::holding, targets::promises, runs::guaranteed],
        Fault::ResponseForgotten => vec![exchanges::holding, runs::guaranteed],
        Fault::SynOffsetUnread => vec![exchanges::opening, syns::syns, runs::syns],
        Fault::TrimmedReceived => vec![receiving::trimmed_packets, runs::trimming],
        Fault::RodHolds => vec![targets::rod, runs::loss],
        Fault::DuplicateCounted => vec![targets::anything, runs::loss],
        Fault::BitmapShifted => vec![acks::alone, any_acks::of_any_base],
        Fault::ClearBitIsLoss => vec![any_acks::in_either_order, any_acks::of_any_base],
        Fault::OvertakenMpr => vec![any_acks::limits],
        Fault::CackUnsigned => vec![acks::across_the_wrap, runs::wrap],
        Fault::AnyPeer => vec![acks::refused],
        Fault::EveryNackHeard => vec![nacks::one_pass_for_a_gap],
        Fault::UnansweredCleared => vec![sending::clears, runs::guaranteed],
        Fault::RetxNotSet => vec![exchanges::coalescing_and_loss],
        Fault::LateNotTold => vec![targets::late, targets::anything],
    }
}

#[test]
fn every_fault_is_found() {
    for fault in Fault::ALL {
        for (at, check) in checks(fault).into_iter().enumerate() {
            let found = check(Some(fault));
            assert!(found.is_err(), "{fault:?} is not found by check {at}");
            println!("{fault:?}, check {at}: {}", found.unwrap_err());
        }
    }
}
