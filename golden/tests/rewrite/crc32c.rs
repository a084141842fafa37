//! CRC32C, and the trailer of frames that are sent.

use proptest::prelude::*;
use respray_golden::rewrite::crc32c::crc32c;
use respray_golden::rewrite::{Carried, ProfileTraffic};
use respray_golden::rewrite_rx::record;
use respray_golden::rewrite_tx::{Disposition, Params, Stamp, rewrite};
use respray_golden::wire::Profile;

use super::build::{Build, settings};

/// Bit by bit, by a polynomial that stands the other way round: another way than the table's.
fn bitwise(bytes: &[u8]) -> u32 {
    let mut state = u32::MAX;
    for byte in bytes {
        state ^= u32::from(byte.reverse_bits()) << 24;
        for _ in 0..8 {
            state = state << 1 ^ if state >> 31 == 1 { 0x1edc_6f41 } else { 0 };
        }
    }
    !state.reverse_bits()
}

#[test]
fn examples_of_rfc_3720_appendix_b_4() {
    let ascending: Vec<u8> = (0..32).collect();
    let descending: Vec<u8> = (0..32).rev().collect();
    let examples = [
        ([0; 32].to_vec(), 0x8a91_36aa),
        ([0xff; 32].to_vec(), 0x62a8_ab43),
        (ascending, 0x46dd_794e),
        (descending, 0x113f_db5c),
    ];
    for (bytes, crc) in examples {
        assert_eq!(crc32c(&bytes), crc, "{bytes:02x?}");
    }
    assert_eq!(bitwise(b"123456789"), 0xe306_9283);
}

/// Another protocol in the place of UDP's, and 4 bytes of its header left out.
fn carried_by_entropy(frame: &mut Vec<u8>, v6: bool, ip: usize) {
    let udp = ip + if v6 { 40 } else { 4 * usize::from(frame[ip] & 15) };
    frame.drain(udp + 4..udp + 8);
    let length = (frame.len() - if v6 { udp } else { ip }) as u16;
    let (length_at, protocol_at) = if v6 { (ip + 4, ip + 6) } else { (ip + 2, ip + 9) };
    frame[length_at..length_at + 2].copy_from_slice(&length.to_be_bytes());
    frame[protocol_at] = 253;
    if !v6 {
        frame[ip + 10..ip + 12].fill(0);
        let sum = !respray_golden::rewrite::checksum::sum(&frame[ip..udp]);
        frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
    }
}

proptest! {
    #[test]
    fn the_table_is_the_polynomial(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(crc32c(&bytes), bitwise(&bytes));
    }

    /// Of any layout, length and EV, and whatever stood in the place of the trailer: it is right, and the checksum of UDP is 0.
    #[test]
    fn each_frame_that_is_sent_checks(
        tags in 0..3usize, v6: bool, options in 0..11usize, payload in 4..300usize, checksum: bool, entropy: bool, ev: u16,
        flow_label: bool, beat in 0..4u32,
    ) {
        let build = Build { tags, v6, options, payload, checksum, ..Build::uet_request() };
        let (ip, mut frame) = (14 + 4 * tags, build.frame());
        let carried = if entropy { Carried::Entropy { ip_proto: 253 } } else { Carried::Udp };
        if entropy {
            carried_by_entropy(&mut frame, v6, ip);
        }
        let end = frame.len();
        frame.resize(end.max(60), 0xa5);
        let wire = ProfileTraffic { has_crc: true, carried, ..ProfileTraffic::of(Profile::Uet) };
        let params = Params { wire, flow_label_enable: flow_label, ..settings(Profile::Uet, 8 << beat) };
        let mut sent = frame.clone();
        let outcome = rewrite(&mut sent, Stamp { ev, timestamp: 0, enable: true }, params);
        prop_assert_eq!(outcome, Disposition::Rewritten);
        let read = record(&sent, wire);
        prop_assert_eq!((read.error, read.ev, usize::from(read.bytes)), (None, ev, payload - 4));
        let from = ip + if v6 { 8 } else { 12 };
        prop_assert_eq!(&sent[end - 4..end], &bitwise(&sent[from..end - 4]).to_be_bytes()[..]);
        prop_assert_eq!(&sent[end..], &frame[end..], "what pads it is none of it");
        if !entropy {
            let udp = ip + if v6 { 40 } else { 20 + 4 * options };
            prop_assert_eq!(&sent[udp + 6..udp + 8], &[0, 0]);
        }
    }
}
