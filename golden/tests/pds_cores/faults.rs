//! Mistakes of either end, each with a run that finds it.

use std::fmt::Debug;

use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{AckRequests, Fault};

use super::runs::{from_cores, to_cores, twins};
use super::{Case, Found, Path, Slip};

/// What stands at the other end of the endpoint does this.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Sends,
    Receives,
    /// It receives what a second endpoint receives, too.
    Twin,
}

/// A run in a role.
pub(super) type Run = fn(Role, &Case) -> Found;

fn run(role: Role, case: &Case) -> Found {
    match role {
        Role::Sends => from_cores(case).map(|_| ()),
        Role::Receives => to_cores(case).map(|_| ()),
        Role::Twin => twins(case),
    }
}

pub(super) fn rod() -> Case {
    Case { mode: Mode::Rod, ..Case::lossy(80) }
}

pub(super) fn trimmed() -> Case {
    let path = Path { trimmed: 30, loss: 0, ..Case::lossy(0).path };
    Case { path, ..Case::lossy(81) }
}

pub(super) fn held() -> Case {
    Case { held: 1, clear_delay: 30_000, ..Case::lossy(82) }
}

/// Many copies, of which the second may be answered first.
fn doubled() -> Case {
    Case { path: Path { doubled: 50, ..held().path }, ..held() }
}

fn wrap() -> Case {
    Case { start: 0_u32.wrapping_sub(20), ..Case::lossy(83) }
}

/// A case in which una is held, for the clears come late and alone.
pub(super) fn stalled() -> Case {
    Case { messages: 8, bytes: 50, ..held() }
}

/// Where a mistake of the endpoint is found.
fn of_endpoint(fault: Fault) -> Option<(Role, Case)> {
    Some(match fault {
        Fault::DuplicateTaken => (Role::Sends, Case::lossy(84)),
        Fault::HeldResponsePassed => (Role::Sends, held()),
        Fault::ResponseForgotten => (Role::Sends, doubled()),
        Fault::SynOffsetUnread => (Role::Sends, Case::lossy(87)),
        Fault::TrimmedReceived => (Role::Sends, trimmed()),
        Fault::RodHolds => (Role::Sends, rod()),
        Fault::DuplicateCounted => (Role::Sends, Case::lossy(84)),
        Fault::BitmapShifted => (Role::Receives, Case::lossy(84)),
        Fault::CackUnsigned => (Role::Receives, wrap()),
        Fault::UnansweredCleared => (Role::Receives, held()),
        Fault::ClearBitIsLoss => (Role::Sends, Case::lossy(84)),
        Fault::LateNotTold => {
            (Role::Twin, Case { path: Path { loss: 0, ..Case::lossy(0).path }, ..Case::lossy(10) })
        }
        // they cost time, or concern what no run sends: the vectors of the endpoint find them
        Fault::OvertakenMpr | Fault::AnyPeer | Fault::EveryNackHeard | Fault::RetxNotSet => return None,
    })
}

/// A mistake is found, and nothing without it.
fn is_found(what: impl Debug, run: impl Fn(&Case) -> Found, case: &Case, wrong: &Case) {
    let found = run(wrong);
    assert!(found.is_err(), "{what:?} is not found");
    println!("{what:?}: {}", found.unwrap_err());
    assert_eq!(run(case).err(), None, "without {what:?}");
}

/// Every mistake of the endpoint is found by these runs, but for those that are only slow in them.
pub(super) fn of_endpoint_are_found(run: Run, slow: &[Fault]) {
    for fault in Fault::ALL.into_iter().filter(|fault| !slow.contains(fault)) {
        let Some((role, case)) = of_endpoint(fault) else { continue };
        is_found(fault, |case| run(role, case), &case, &Case { fault: Some(fault), ..case.clone() });
    }
}

/// Each of these mistakes around what is tried is found.
pub(super) fn slips_are_found(run: Run, slips: &[(Slip, Role, Case)]) {
    for (slip, role, case) in slips {
        is_found(slip, |case| run(*role, case), case, &Case { slip: Some(*slip), ..case.clone() });
    }
}

#[test]
fn mistakes_of_the_endpoint_are_found() {
    of_endpoint_are_found(run, &[]);
}

#[test]
fn mistakes_around_the_cores_are_found() {
    let every = Case { ack_requests: AckRequests::Every, ..Case::lossy(85) };
    slips_are_found(
        run,
        &[
            (Slip::CumulativeOff, Role::Sends, Case::lossy(84)),
            (Slip::CumulativeOff, Role::Receives, Case::lossy(84)),
            (Slip::BitmapShifted, Role::Sends, every.clone()),
            (Slip::BitmapShifted, Role::Receives, every),
            (Slip::UnansweredCleared, Role::Sends, held()),
            (Slip::HeldPassed, Role::Receives, held()),
            (Slip::TrimmedReceived, Role::Receives, trimmed()),
            (Slip::SynOffsetUnread, Role::Receives, Case::lossy(87)),
            (Slip::AskUnheard, Role::Sends, stalled()),
            (Slip::OrderForgotten, Role::Receives, rod()),
        ],
    );
}
