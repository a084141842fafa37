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
    numbered.map(|(r, number)| (number, r.time_ns, r.wire_len, r.data.clone())).collect()
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
fn a_simple_packet_takes_the_time_of_the_frame_before() {
    let mut file = Bytes { big: false, out: pcapng(1, false, 6, 0, &records()[..1]) };
    let mut packet = Bytes::new(false);
    packet.u32(5).padded(&[9; 5]);
    file.block(3, &packet.out);
    let frames = read_raw(&file.out).unwrap();
    assert_eq!(frames[1], (2, 1_700_000_000_000_000_000, 5, vec![9; 5]));
}

#[test]
fn gzip_members_in_a_row_are_one_file() {
    let file = pcap(1, false, true, &records());
    let (head, tail) = file.split_at(100);
    assert_eq!(read_raw(&[gzip(head), gzip(tail)].concat()).unwrap(), raw(&records()));
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
