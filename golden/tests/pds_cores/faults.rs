//! Mistakes of either end, each with a run that finds it.

use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{AckRequests, Fault};

use super::runs::{Report, from_cores, to_cores, twins};
use super::{Case, Path, Slip};

type Run = (fn(&Case) -> Result<Report, String>, Case);

fn rod() -> Case {
    Case { mode: Mode::Rod, ..Case::lossy(80) }
}

fn trimmed() -> Case {
    let path = Path { trimmed: 30, loss: 0, ..Case::lossy(0).path };
    Case { path, ..Case::lossy(81) }
}

fn held() -> Case {
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
fn stalled() -> Case {
    Case { messages: 8, bytes: 50, ..held() }
}

/// A run of the endpoint with a mistake, where the cores find it.
fn of_endpoint(fault: Fault) -> Option<Run> {
    Some(match fault {
        Fault::DuplicateTaken => (from_cores, Case::lossy(84)),
        Fault::HeldResponsePassed => (from_cores, held()),
        Fault::ResponseForgotten => (from_cores, doubled()),
        Fault::SynOffsetUnread => (from_cores, Case::lossy(87)),
        Fault::TrimmedReceived => (from_cores, trimmed()),
        Fault::RodHolds => (from_cores, rod()),
        Fault::DuplicateCounted => (from_cores, Case::lossy(84)),
        Fault::BitmapShifted => (to_cores, Case::lossy(84)),
        Fault::CackUnsigned => (to_cores, wrap()),
        Fault::UnansweredCleared => (to_cores, held()),
        Fault::ClearBitIsLoss => (from_cores, Case::lossy(84)),
        Fault::LateNotTold => {
            (twins, Case { path: Path { loss: 0, ..Case::lossy(0).path }, ..Case::lossy(10) })
        }
        // they cost time, or concern what no run sends: the vectors of the endpoint find them
        Fault::OvertakenMpr | Fault::AnyPeer | Fault::EveryNackHeard | Fault::RetxNotSet => return None,
    })
}

#[test]
fn mistakes_of_the_endpoint_are_found() {
    for fault in Fault::ALL {
        let Some((run, case)) = of_endpoint(fault) else { continue };
        let found = run(&Case { fault: Some(fault), ..case.clone() });
        assert!(found.is_err(), "{fault:?} is not found: {found:?}");
        println!("{fault:?}: {}", found.unwrap_err());
        assert_eq!(run(&case).err(), None, "without {fault:?}");
    }
}

#[test]
fn mistakes_around_the_cores_are_found() {
    let every = Case { ack_requests: AckRequests::Every, ..Case::lossy(85) };
    let runs: [(Slip, Run); 10] = [
        (Slip::CumulativeOff, (from_cores, Case::lossy(84))),
        (Slip::CumulativeOff, (to_cores, Case::lossy(84))),
        (Slip::BitmapShifted, (from_cores, every.clone())),
        (Slip::BitmapShifted, (to_cores, every)),
        (Slip::UnansweredCleared, (from_cores, held())),
        (Slip::HeldPassed, (to_cores, held())),
        (Slip::TrimmedReceived, (to_cores, trimmed())),
        (Slip::SynOffsetUnread, (to_cores, Case::lossy(87))),
        (Slip::AskUnheard, (from_cores, stalled())),
        (Slip::OrderForgotten, (to_cores, rod())),
    ];
    for (slip, (run, case)) in runs {
        let found = run(&Case { slip: Some(slip), ..case.clone() });
        assert!(found.is_err(), "{slip:?} is not found: {found:?}");
        println!("{slip:?}: {}", found.unwrap_err());
        assert_eq!(run(&case).err(), None, "without {slip:?}");
    }
}
