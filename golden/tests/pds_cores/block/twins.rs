//! Two targets that get the same frames: the block, and the endpoint.

use std::collections::VecDeque;
use std::iter::from_fn;
use std::ops::Range;

use respray_golden::hosts::pds::AckType;
use respray_golden::hosts::pds::headers::{Header, Nack, code};

use super::super::carry::{Other, Station, carry};
use super::super::runs::any_of_twins;
use super::super::{Case, Found, Path, encapsulation};
use super::target::Target;

pub(super) struct Twins {
    block: Target,
    other: Other,
    out: VecDeque<Vec<u8>>,
    wrong: Option<String>,
}

/// What a frame says: EV, DSCP, ECN and addresses, and all bytes from the header on. The endpoint knows the connection of a SYN before
/// its host does: of a NACK of a trimmed packet it may say it where the block does not.
fn said(frame: &[u8]) -> String {
    let packet = encapsulation().read(frame).expect("it can be read");
    let header = match Header::parse(packet.bytes).expect("it can be read").0 {
        Header::Nack(nack) if matches!(nack.code, code::TRIMMED | code::TRIMMED_LAST_HOP) => {
            return format!("{:?} {:?}", packet.outer, Nack { source: 0, ..nack });
        }
        header => header,
    };
    format!("{:?} {:02x?} {header:?}", packet.outer, packet.bytes)
}

impl Station for Twins {
    /// What both send, which must be the same.
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let of_block: Vec<Vec<u8>> = from_fn(|| self.block.poll(now)).collect();
        let of_other: Vec<Vec<u8>> = from_fn(|| self.other.poll(now)).collect();
        let [block, other] =
            [&of_block, &of_other].map(|frames| frames.iter().map(|frame| said(frame)).collect::<Vec<_>>());
        if block != other {
            let at = block.iter().zip(&other).take_while(|(mine, theirs)| mine == theirs).count();
            let (block, other) = (block.get(at), other.get(at));
            self.wrong.get_or_insert(format!("the block says {block:?}, the endpoint {other:?}"));
        }
        self.out.extend(of_block);
        self.out.pop_front()
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        self.block.receive(frame, now);
        self.other.receive(frame, now);
    }

    fn wake_at(&self) -> Option<u64> {
        None
    }

    fn is_done(&self) -> bool {
        self.block.is_done() && self.other.is_done()
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone().or_else(|| self.block.wrong()).or_else(|| self.other.wrong())
    }
}

/// The endpoint sends, and the block and a second endpoint receive the same: they answer the same.
pub(super) fn twins(case: &Case) -> Found {
    assert!(case.held == 0, "hosts that hold responses answer as they like");
    let (block, endpoint) = (Target::new(case), Other::target(case));
    let mut twins = Twins { block, other: endpoint, out: VecDeque::new(), wrong: None };
    carry(case, &mut [&mut Other::initiator(case), &mut twins])
}

fn of(seeds: Range<u64>) {
    let wrong: Vec<String> =
        seeds.filter_map(|seed| Some(format!("{seed}: {}", twins(&any_of_twins(seed)).err()?))).collect();
    assert!(wrong.is_empty(), "{} of them: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn targets_that_hear_the_same_answer_the_same() {
    of(0..12);
    // without loss what closes the last gap asks for nothing itself
    for (seed, ack_type) in [(10, AckType::Cc), (11, AckType::Plain)] {
        let path = Path { loss: 0, ..Case::lossy(0).path };
        assert_eq!(twins(&Case { path, ack_type, ..Case::lossy(seed) }).err(), None);
    }
}

#[test]
#[ignore = "takes 10 CPU seconds"]
fn targets_that_hear_the_same_answer_the_same_in_many_cases() {
    of(12..1000);
}
