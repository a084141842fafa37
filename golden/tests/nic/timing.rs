//! What a sender of `uet` keeps, because its headers do not bring it back.

use respray_golden::nic::sack::{Timing, hear_uet, signed};
use respray_golden::rewrite_rx::{self, Record};

#[test]
fn received_bytes_count_on_beyond_24_bits() {
    let mut timing = Timing::default();
    let counts = [0x7f_ffff, 0xff_fff0, 0x10, 0xff_ffff, 0x20].map(|rcvd| timing.count(rcvd));
    assert_eq!(
        counts,
        [0x7f_ffff, 0xff_fff0, 0x100_0010, 0xff_ffff, 0x100_0020],
        "the fourth is an older one"
    );
}

#[test]
fn an_ack_without_congestion_control_says_nothing_of_the_bytes() {
    let mut timing = Timing::default();
    // an ACK counts up to 2^23 - 1 more bytes
    let counts = [0x60, 0xc0, 0x20, 0x80, 0xe0, 0xff].map(|rcvd| timing.count(rcvd << 16 | 0xfff0));
    assert_eq!(counts.last(), Some(&0x1ff_fff0));
    let mut hear = |epsn, recv_bytes| {
        let ack = rewrite_rx::Ack { epsn, recv_bytes, base: 0xffc1, ..Default::default() };
        let heard = hear_uet(&Record { ack, ..Record::default() }, &mut timing);
        (heard.fields.bytes_recvd, heard.fields.base)
    };
    assert_eq!(hear(130, 8), (0x200_0008, 67), "130 - 63: the offset as it stands");
    assert_eq!(hear(131, 0), (0x200_0008, 128), "EPSN 132 lies there");
}

#[test]
fn a_packet_that_is_sent_again_is_not_timed() {
    let mut timing = Timing::default();
    timing.sent(7, 100);
    timing.sent(8, 110);
    assert_eq!(
        (timing.answered(8, false), timing.answered(7, false)),
        (None, Some(100)),
        "one is timed at a time"
    );
    timing.sent(9, 300);
    timing.again(8);
    timing.again(9);
    assert_eq!(timing.answered(9, false), None);
}

#[test]
fn of_probes_the_first_since_the_last_ack_is_timed() {
    let mut timing = Timing::default();
    timing.probed(0xfff0);
    timing.probed(0x0100);
    assert_eq!(timing.answered(0, true), Some(0xfff0));
    assert_eq!(timing.answered(0, true), None, "a second answer gives none");
    timing.probed(0x0200);
    timing.answered(0, false);
    assert_eq!(timing.answered(0, true), None, "another ACK came first");
}

#[test]
fn psns_differ_with_a_sign() {
    assert_eq!(
        [(5, 7), (7, 5), (0xff_ffff, 1), (1, 0xff_ffff)].map(|(from, to)| signed(from, to)),
        [2, -2, 2, -2]
    );
    assert_eq!(signed(0, 0x80_0000), -0x80_0000);
}
