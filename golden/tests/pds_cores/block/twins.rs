//! Two targets that get the same frames: the block, and the endpoint.

use respray_golden::hosts::pds::AckType;
use respray_golden::hosts::pds::headers::{Header, Nack, code};

use super::super::twins::{self, all_the_same};
use super::super::{Case, Found, Path, encapsulation};
use super::target::Target;

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

pub(super) fn twins(case: &Case) -> Found {
    twins::twins(case, Target::new(case), said)
}

#[test]
fn targets_that_hear_the_same_answer_the_same() {
    all_the_same(0..12, twins);
    // without loss what closes the last gap asks for nothing itself
    for (seed, ack_type) in [(10, AckType::Cc), (11, AckType::Plain)] {
        let path = Path { loss: 0, ..Case::lossy(0).path };
        assert_eq!(twins(&Case { path, ack_type, ..Case::lossy(seed) }).err(), None);
    }
}

#[test]
#[ignore = "takes 10 CPU seconds"]
fn targets_that_hear_the_same_answer_the_same_in_many_cases() {
    all_the_same(12..1000, twins);
}
