//! The receiving side of a connection.

use respray_golden::hosts::Piece;
use respray_golden::hosts::frames;
use respray_golden::hosts::frames::{Addresses, Below};
use respray_golden::hosts::receiver::Receiver;
use respray_golden::nic::{Delivery, PSNS};
use respray_golden::paths::End;
use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_rx::record;
use respray_golden::sack_rx::Status;
use respray_golden::wire::Profile;

/// A packet of 20 bytes from A as a `nic` gives it to its host.
fn delivery(psn: u32, status: Status) -> Delivery {
    let data = frames::Data { from: End::A, conn: 2, psn, bytes: 20, ack_request: false, again: false };
    let frame = frames::data(Profile::Strack, &data);
    let traffic = ProfileTraffic::of(Profile::Strack);
    Delivery {
        record: record(&frame, traffic),
        frame,
        status: Some(status),
        is_of_another: false,
        is_events: false,
        verdict: None,
    }
}

#[test]
fn what_is_not_delivered_once_and_as_it_was_sent_is_seen() {
    let mut receiver = Receiver::new(PSNS, 100, &[Piece { bytes: 20, is_last: false }; 3]);
    let mut take = |delivery: &Delivery| receiver.take(End::A, 2, delivery);
    assert_eq!(take(&delivery(101, Status::New)), Ok(()));
    assert_eq!(take(&delivery(101, Status::Duplicate)), Ok(()));
    let twice = take(&delivery(101, Status::New));
    assert_eq!(twice, Err("packet 1 is delivered twice".to_string()));
    let never = take(&delivery(100, Status::Duplicate));
    assert_eq!(never, Err("packet 0 is called a duplicate, but was never delivered".to_string()));
    let mut changed = delivery(100, Status::New);
    *changed.frame.last_mut().expect("it has bytes") ^= 1;
    assert_eq!(take(&changed), Err("packet 0 is not as it was sent".to_string()));
    assert_eq!(take(&delivery(103, Status::New)), Err("packet 3 was never sent".to_string()));
    let outside = take(&delivery(102, Status::Outside));
    assert_eq!(outside, Err("packet 2 has status Some(Outside)".to_string()));
    assert_eq!(receiver.whole(), 0);
    receiver.take(End::A, 2, &delivery(100, Status::New)).expect("the first one");
    assert_eq!((receiver.whole(), receiver.is_done()), (2, false));
}

/// Hosts on a network of others have addresses of that; their frames are read like any.
#[test]
fn frames_go_between_the_addresses_that_are_given() {
    let host = |last: u8| Addresses {
        mac: [2, 0, 0, 0, 9, last],
        next_hop: [2, 0, 0, 0, 8, last],
        ipv4: [10, 7, 7, last],
    };
    let below = Below::Ipv4([host(1), host(2)]);
    for (from, own, other) in [(End::A, 1, 2), (End::B, 2, 1)] {
        // connection 1 has IPv6 by itself, and 2 a VLAN tag
        for conn in [1, 2] {
            let data = frames::Data { from, conn, psn: 5, bytes: 20, ack_request: true, again: false };
            let traffic = ProfileTraffic::of(Profile::Strack);
            let frame = frames::data_over(below, traffic, &data);
            assert_eq!(frame[..6], host(own).next_hop);
            assert_eq!(frame[6..12], host(own).mac);
            assert_eq!((&frame[26..30], &frame[30..34]), (&[10, 7, 7, own][..], &[10, 7, 7, other][..]));
            let record = record(&frame, traffic);
            assert_eq!((record.connection, record.psn, record.bytes), (conn.into(), 5, 20));
            assert_eq!(record.error, None);
        }
    }
}
