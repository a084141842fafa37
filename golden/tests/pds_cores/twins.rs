//! Two targets that get the same frames: the endpoint, and one that is to answer as it does.

use std::collections::VecDeque;
use std::iter::from_fn;
use std::ops::Range;

use respray_golden::hosts::pds::{AckType, Base};

use super::carry::{Other, Station, carry};
use super::scenarios::any;
use super::{Case, Found};

/// What a frame says, as far as both have to say the same.
type Said = fn(&[u8]) -> String;

struct Twins<T> {
    target: T,
    other: Other,
    said: Said,
    out: VecDeque<Vec<u8>>,
    wrong: Option<String>,
}

impl<T: Station> Station for Twins<T> {
    /// What both send, which must be the same.
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let of_target: Vec<Vec<u8>> = from_fn(|| self.target.poll(now)).collect();
        let of_other: Vec<Vec<u8>> = from_fn(|| self.other.poll(now)).collect();
        let [target, other] = [&of_target, &of_other]
            .map(|frames| frames.iter().map(|frame| (self.said)(frame)).collect::<Vec<_>>());
        if target != other {
            let at = target.iter().zip(&other).take_while(|(mine, theirs)| mine == theirs).count();
            let (target, other) = (target.get(at), other.get(at));
            self.wrong.get_or_insert(format!("the target says {target:?}, the endpoint {other:?}"));
        }
        self.out.extend(of_target);
        self.out.pop_front()
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        self.target.receive(frame, now);
        self.other.receive(frame, now);
    }

    fn wake_at(&self) -> Option<u64> {
        None
    }

    fn is_done(&self) -> bool {
        self.target.is_done() && self.other.is_done()
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone().or_else(|| self.target.wrong()).or_else(|| self.other.wrong())
    }
}

/// The endpoint sends, and a target and a second endpoint receive the same: they answer the same.
pub(super) fn twins<T: Station>(case: &Case, target: T, said: Said) -> Found {
    assert!(case.held == 0, "hosts that hold responses answer as they like");
    let other = Other::target(case);
    let mut twins = Twins { target, other, said, out: VecDeque::new(), wrong: None };
    carry(case, &mut [&mut Other::initiator(case), &mut twins])
}

/// A case in which both targets are to answer the same: they have one window, and one kind of ACK.
fn any_of_twins(seed: u64) -> Case {
    let case = any(seed);
    let ack_type = if case.ack_type == AckType::Plain { AckType::Plain } else { AckType::Cc };
    let (base, other_window) = (Base::Segment, case.window);
    Case { held: 0, ack_type, base, sack_cack_align: 1, other_window, ..case }
}

/// No case of these seeds shows a difference.
pub(super) fn all_the_same(seeds: Range<u64>, twins: fn(&Case) -> Found) {
    let wrong: Vec<String> =
        seeds.filter_map(|seed| Some(format!("{seed}: {}", twins(&any_of_twins(seed)).err()?))).collect();
    assert!(wrong.is_empty(), "{} of them: {}", wrong.len(), wrong.join("\n"));
}
