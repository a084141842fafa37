//! pcap and pcapng in every form hold the same frames.

use proptest::prelude::*;

use super::builder::*;

fn records() -> Vec<Record> {
    vec![
        Record::whole(1_700_000_000_000_000_000, vec![1; 60]),
        // an odd length, padded in pcapng
        Record::whole(1_700_000_000_000_001_000, vec![2; 61]),
        Record::whole(1_700_000_001_999_999_000, vec![3; 1500]).cut(128),
        Record::whole(1_700_000_002_000_000_000, vec![]),
    ]
}

fn raw(records: &[Record]) -> Raw {
    let numbered = records.iter().zip(1..);
    numbered.map(|(r, number)| (number, Some(r.time_ns), r.wire_len, r.data.clone())).collect()
}

#[test]
fn pcap_in_both_byte_orders_and_resolutions_gzipped_or_not() {
    for big in [false, true] {
        for nanoseconds in [false, true] {
            let mut records = records();
            if nanoseconds {
                records[1].time_ns += 789;
            }
            let file = pcap(1, big, nanoseconds, &records);
            assert_eq!(read_raw(&file).unwrap(), raw(&records), "big {big}, nanoseconds {nanoseconds}");
            assert_eq!(read_raw(&gzip(&file)).unwrap(), raw(&records), "gzip: big {big}, ns {nanoseconds}");
        }
    }
}

/// Before version 2.3 the captured length stood last; in files of 2.3 it is the shorter one, wherever it stands.
#[test]
fn pcap_of_every_version_has_its_lengths_where_it_had_them() {
    let versions = [
        ((2, 0), &[true][..]),
        ((2, 1), &[true]),
        ((2, 2), &[true]),
        ((2, 3), &[false, true]),
        ((2, 4), &[false]),
        ((543, 0), &[true]),
    ];
    for magic in [MICROSECONDS, NANOSECONDS, MODIFIED] {
        for big in [false, true] {
            for (version, orders) in versions {
                for &captured_last in orders {
                    let file = pcap_of(magic, version, captured_last, 1, big, &records());
                    let place = format!("{magic:x}, {version:?}, big {big}, captured last {captured_last}");
                    assert_eq!(read_raw(&file).unwrap(), raw(&records()), "{place}");
                    assert_eq!(read_raw(&gzip(&file)).unwrap(), raw(&records()), "gzip: {place}");
                }
            }
        }
    }
}

#[test]
fn pcapng_in_both_byte_orders_and_every_time_unit() {
    for big in [false, true] {
        // microseconds, nanoseconds, 2^-30 s
        for resolution in [6, 9, 0x80 | 30] {
            for offset_s in [0, 1_600_000_000] {
                let file = pcapng(1, big, resolution, offset_s, &records());
                let place = format!("big {big}, resolution {resolution:#x}, offset {offset_s}");
                assert_eq!(read_raw(&file).unwrap(), raw(&records()), "{place}");
                assert_eq!(read_raw(&gzip(&file)).unwrap(), raw(&records()), "gzip, {place}");
            }
        }
    }
}

#[test]
fn a_second_pcapng_section_may_turn_the_byte_order() {
    let file = [pcapng(1, false, 6, 0, &records()), pcapng(1, true, 9, 0, &records())].concat();
    let twice = [records(), records()].concat();
    assert_eq!(read_raw(&file).unwrap(), raw(&twice));
}

#[test]
fn a_simple_packet_has_no_time() {
    for big in [false, true] {
        let file = [pcapng(1, big, 6, 0, &records()[..1]), simple_packet(big, &[9; 5])].concat();
        assert_eq!(read_raw(&file).unwrap()[1], (2, None, 5, vec![9; 5]));
    }
}

/// Words of a pcap's link type, options of an interface and flags of a packet that announce a frame check sequence, and the
/// bytes of it.
#[test]
fn an_announced_frame_check_sequence_is_no_part_of_the_frame() {
    let whole = Record::whole(5, (1..=64).collect());
    for big in [false, true] {
        for (word, check) in [(1 | 1 << 26 | 2 << 28, 4), (1 | 2 << 28, 0), (1 | 1 << 26 | 15 << 28, 30)] {
            let file = pcap(word, big, true, &[whole.clone(), whole.clone().cut(62), whole.clone().cut(20)]);
            let left = (64 - check) as usize;
            let frames = read_raw(&file).unwrap();
            for (frame, captured) in frames.iter().zip([64, 62, 20]) {
                assert_eq!((frame.2, &frame.3[..]), (left, &whole.data[..left.min(captured)]), "{word:#x}");
            }
        }
        // 4 bytes, 32 bits, none
        for (of_interface, of_packet, check) in
            [(4, None, 4), (32, None, 4), (0, None, 0), (4, Some(2), 2), (4, Some(0), 4), (0, Some(4), 4)]
        {
            let file = with_check_lengths(big, of_interface, of_packet, &whole.data);
            let frames = read_raw(&file).unwrap();
            assert_eq!(frames[0].3, whole.data[..64 - check], "{of_interface}, {of_packet:?}");
            assert_eq!(frames[0].2, 64 - check);
        }
    }
}

/// A frame in pcapng with `if_fcslen` and, if wanted, `epb_flags` of its own.
fn with_check_lengths(big: bool, of_interface: u8, of_packet: Option<u32>, data: &[u8]) -> Vec<u8> {
    let (mut file, mut section) = (Bytes::new(big), Bytes::new(big));
    section.u32(0x1a2b_3c4d).u16(1).u16(0).u64(u64::MAX);
    file.block(0x0a0d_0d0a, &section.out);
    let mut interface = Bytes::new(big);
    interface.u16(1).u16(0).u32(0).u16(13).u16(1).padded(&[of_interface]).u16(0).u16(0);
    file.block(1, &interface.out);
    let mut packet = Bytes::new(big);
    let length = data.len() as u32;
    packet.u32(0).u32(0).u32(5).u32(length).u32(length).padded(data);
    if let Some(bytes) = of_packet {
        packet.u16(2).u16(4).u32(bytes << 5).u16(0).u16(0);
    }
    file.block(6, &packet.out);
    file.out
}

#[test]
fn gzip_members_in_a_row_are_one_file() {
    let file = pcap(1, false, true, &records());
    let (head, tail) = file.split_at(100);
    assert_eq!(read_raw(&[gzip(head), gzip(tail)].concat()).unwrap(), raw(&records()));
}

#[test]
fn zeros_behind_the_last_gzip_member_are_nothing() {
    for file in [pcap(1, false, true, &records()), pcapng(1, true, 9, 0, &records())] {
        let (head, tail) = file.split_at(100);
        for members in [vec![gzip(&file)], vec![gzip(head), gzip(tail)], vec![gzip(&file), gzip(&[])]] {
            for zeros in [1, 2, 17, 512, 100_000] {
                let packed = [members.concat(), vec![0; zeros]].concat();
                assert_eq!(read_raw(&packed).unwrap(), raw(&records()), "{} members", members.len());
            }
        }
    }
}

/// The last nanosecond that 64 bits hold, and the first second of 1970, which an offset and a count come to together.
#[test]
fn times_are_read_up_to_the_last_one_that_64_bits_hold() {
    for (resolution, offset_s) in
        [(9, 0), (9, 18_000_000_000), (6, 18_446_744_000), (0x80 | 30, 0), (9, -1_000_000_000)]
    {
        for time_ns in [u64::MAX, 1_000_000_000, 0] {
            let whole = time_ns - time_ns % 1_000_000_000;
            let ticks = (i128::from(whole / 1_000_000_000) - i128::from(offset_s)).try_into().ok();
            let Some(seconds): Option<u64> = ticks else { continue };
            let units = match resolution {
                0x9e => Some(1 << 30),
                exponent => 10_u64.checked_pow(u32::from(exponent)),
            };
            let Some(count) = units.and_then(|units| units.checked_mul(seconds)) else { continue };
            let file = at_count(resolution, offset_s, count);
            assert_eq!(read_raw(&file).unwrap()[0].1, Some(whole), "{resolution:#x}, {offset_s}");
        }
    }
    assert_eq!(read_raw(&at_count(9, 0, u64::MAX)).unwrap()[0].1, Some(u64::MAX));
}

/// Hands out a few bytes at a time, as pipes do.
struct Trickle(Vec<u8>, usize);

impl std::io::Read for Trickle {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = out.len().min(7).min(self.0.len() - self.1);
        out[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_records_come_back_whatever_the_pieces(
        lengths in prop::collection::vec((0usize..3000, 0usize..3000, 0u64..1u64 << 40), 0..60), big: bool,
    ) {
        let records: Vec<_> = lengths
            .iter()
            .map(|&(length, snap, time)| Record::whole(time, vec![length as u8; length]).cut(snap))
            .collect();
        for file in [pcap(1, big, true, &records), pcapng(1, big, 9, 0, &records)] {
            let reader = Trickle(file, 0);
            let mut file =
                respray_cosim::traffic::capture::CaptureFile::from_reader("x".as_ref(), reader).unwrap();
            let mut got = Vec::new();
            while let Some(frame) = file.next_frame().unwrap() {
                got.push((frame.number, frame.time_ns, frame.wire_len, frame.data.to_vec()));
            }
            prop_assert_eq!(got, raw(&records));
        }
    }
}
