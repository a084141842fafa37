//! Bad input: one sentence with file and place, and never a panic.

use proptest::prelude::*;
use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::traffic::capture::{CaptureError, CaptureFile, CaptureOps, CaptureOptions, Cut, info};
use respray_golden::psn::PsnSpace;
use respray_golden::wire::strack;

use super::builder::*;

fn records() -> Vec<Record> {
    let sack = strack::Ack { connection: 1, echo_entropy: 7, expected_psn: 1, ..Default::default() };
    vec![
        Record::whole(1_000_000, data(v4(1), v4(2), 1, 0, 7)),
        Record::whole(2_000_000, ack(v4(2), v4(1), sack)),
        Record::whole(3_000_000, data(v4(1), v4(2), 1, 1, 7)),
    ]
}

fn options() -> CaptureOptions {
    CaptureOptions {
        profile: STRACK,
        local: None,
        rto_ns: 1000,
        connections: 16,
        psns: PsnSpace::new(24),
        flowcut_time_bits: 16,
        uplinks: 16,
        ports: 32,
        cut: Cut::Refused,
    }
}

fn said(bytes: &[u8]) -> String {
    let error = read_raw(bytes).expect_err("damaged").to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

fn patched(mut bytes: Vec<u8>, at: usize, with: &[u8]) -> Vec<u8> {
    bytes[at..at + with.len()].copy_from_slice(with);
    bytes
}

#[test]
fn every_fault_is_one_sentence_with_file_and_place() {
    let old = pcap(1, false, true, &records());
    let record = 16 + records()[0].data.len();
    assert_eq!(record, 174, "the offsets below count on it");
    let new = pcapng(1, false, 9, 0, &records());
    // section 28, interface 44, statistics 24
    let block = 96;
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (vec![], "x.pcap: the file is empty"),
        (vec![0xd4], "x.pcap: byte 0: the magic number d4 is neither pcap"),
        (vec![0xde, 0xad, 0xbe, 0xef, 0], "x.pcap: byte 0: the magic number deadbeef is neither pcap"),
        (old[..23].to_vec(), "x.pcap: byte 0: the pcap header needs 24 bytes and the file ends after 23"),
        (
            patched(old.clone(), 4, &[9]),
            "x.pcap: byte 0: the pcap header is damaged or of an unknown version",
        ),
        (
            patched(old.clone(), 6, &[5]),
            "x.pcap: byte 0: the pcap header is damaged or of an unknown version",
        ),
        (
            // the captured length stands last there
            patched(patched(old.clone(), 6, &[2]), 24 + record + 12, &[0, 0, 0, 0x80]),
            "x.pcap: byte 198 (frame 2): the captured length 2147483648 is beyond 262144 bytes",
        ),
        (
            old[..24 + record + 5].to_vec(),
            "x.pcap: byte 198 (frame 2): the record header needs 16 bytes and the file ends after 5",
        ),
        (
            old[..24 + record - 1].to_vec(),
            "x.pcap: byte 24 (frame 1): the record needs 174 bytes and the file ends after 173",
        ),
        (
            patched(old.clone(), 24 + record + 8, &[0, 0, 0, 0x80]),
            "x.pcap: byte 198 (frame 2): the captured length 2147483648 is beyond 262144 bytes",
        ),
        (new[..27].to_vec(), "x.pcap: byte 0: the block needs 28 bytes and the file ends after 27"),
        (new[..6].to_vec(), "x.pcap: byte 0: the block header needs 12 bytes and the file ends after 6"),
        (
            patched(new.clone(), 8, &[0]),
            "x.pcap: byte 0: the pcapng section header is damaged or of an unknown version",
        ),
        (
            patched(new.clone(), 12, &[2]),
            "x.pcap: byte 0: the pcapng section header is damaged or of an unknown version",
        ),
        (
            patched(new.clone(), 32, &[43]),
            "x.pcap: byte 28: the block length 43 is not a multiple of 4 from 12 to 16777216",
        ),
        (
            patched(new.clone(), 32, &[0, 0, 0, 0x7f]),
            "x.pcap: byte 28: the block length 2130706432 is not a multiple of 4",
        ),
        (
            patched(new.clone(), 68, &[48]),
            "x.pcap: byte 28: the block length is 44 at its start and 48 at its end",
        ),
        (patched(new.clone(), 48, &[30]), "x.pcap: byte 28: the time resolution 0x1e is not 10^-0 to 10^-19"),
        (
            patched(new.clone(), block + 8, &[1]),
            "x.pcap: byte 96 (frame 1): interface 1 is not described; the section describes 1",
        ),
        (
            patched(new.clone(), block + 20, &[0, 0, 1]),
            "x.pcap: byte 96 (frame 1): the block of type 0x00000006 is damaged: its fields do not fit its length",
        ),
        (
            patched(new.clone(), block, &[2]),
            "x.pcap: byte 96 (frame 1): block type 0x00000002, the obsolete packet block",
        ),
        (
            [gzip(&old[..100]), gzip(&old[100..])[..9].to_vec()].concat(),
            "x.pcap: byte 24 of the unpacked data (frame 1): cannot be read further: ",
        ),
        (
            [gzip(&old[..100]), vec![0; 600], gzip(&old[100..])].concat(),
            "x.pcap: byte 24 of the unpacked data (frame 1): cannot be read further: zeros stand behind a gzip member and something",
        ),
        (
            [gzip(&old), vec![0; 600], vec![1]].concat(),
            "x.pcap: byte 466 of the unpacked data: cannot be read further: zeros stand behind a gzip member and something",
        ),
        (
            [gzip(&old), vec![1, 2, 3]].concat(),
            "x.pcap: byte 466 of the unpacked data: cannot be read further: ",
        ),
        (
            at_count(9, 1, u64::MAX),
            "x.pcap: byte 96 (frame 1): the time of the frame is 18446744074709551615 ns from the beginning of 1970; allowed: 0 to 2^64-1, in",
        ),
        (
            at_count(6, 0, 18_446_744_073_709_552),
            "x.pcap: byte 96 (frame 1): the time of the frame is 18446744073709552000 ns from the beginning of 1970; allowed: ",
        ),
        (
            at_count(0, i64::MAX, u64::MAX),
            "x.pcap: byte 96 (frame 1): the time of the frame is 27670116110564327422000000000 ns from",
        ),
        (
            at_count(9, -1, 999_999_999),
            "x.pcap: byte 96 (frame 1): the time of the frame is -1 ns from the beginning of 1970; allowed: ",
        ),
        // lengths of the options if_tsresol and if_tsoffset, and one that the block has no room for
        (patched(new.clone(), 46, &[2]), "x.pcap: byte 28: the option if_tsresol has 2 bytes; allowed: 1"),
        (patched(new.clone(), 54, &[7]), "x.pcap: byte 28: the option if_tsoffset has 7 bytes; allowed: 8"),
        (
            patched(new.clone(), 46, &[100]),
            "x.pcap: byte 28: the block of type 0x00000001 is damaged: its fields do not fit its length",
        ),
    ];
    for (bytes, sentence) in cases {
        let error = said(&bytes);
        assert!(error.contains(sentence), "wanted: {sentence}\n   got: {error}");
    }
}

#[test]
fn interfaces_without_end_are_refused() {
    let section = pcapng(1, false, 9, 0, &[]);
    let mut interface = Bytes::new(false);
    interface.block(1, &[1, 0, 0, 0, 0, 0, 0, 0]);
    // with the one that the section has
    let file = |interfaces: usize| [&section[..], &interface.out.repeat(interfaces - 1)].concat();
    assert_eq!(read_raw(&file(65_536)).unwrap(), []);
    let last = section.len() + 65_535 * interface.out.len();
    let sentence = format!("x.pcap: byte {last}: the section describes more than 65536 interfaces");
    assert_eq!(said(&file(65_537)), sentence);
}

/// Frames of a capture that may be cut, and the warning.
fn up_to_the_cut(bytes: &[u8]) -> (u64, Option<String>) {
    let reader = std::io::Cursor::new(bytes.to_vec());
    let mut file = CaptureFile::from_reader("x.pcap".as_ref(), reader).unwrap().on_cut(Cut::Warned);
    let mut frames = 0;
    while file.next_frame().unwrap().is_some() {
        frames += 1;
    }
    (frames, file.warning().map(CaptureError::as_warning))
}

#[test]
fn a_capture_that_is_cut_gives_what_stands_before() {
    let (old, new) = (pcap(1, false, true, &records()), pcapng(1, false, 9, 0, &records()));
    for file in [&old, &new] {
        assert_eq!(up_to_the_cut(file), (3, None));
        let (frames, warning) = up_to_the_cut(&file[..file.len() - 1]);
        let warning = warning.expect("it is cut");
        assert_eq!(frames, 2);
        assert!(warning.contains("and the file ends after ") && warning.ends_with("was read"), "{warning}");
    }
    // packed data that ends too early is a cut as well, whatever was unpacked of it
    let packed = gzip(&old);
    let (frames, warning) = up_to_the_cut(&packed[..packed.len() - 4]);
    assert_eq!(frames, 3);
    assert!(warning.expect("it is cut").contains("cannot be read further"));
    // damage is none
    let damaged = patched(old.clone(), 24 + 174 + 8, &[0, 0, 0, 0x80]);
    let reader = std::io::Cursor::new(damaged);
    let mut file = CaptureFile::from_reader("x.pcap".as_ref(), reader).unwrap().on_cut(Cut::Warned);
    assert!(file.next_frame().unwrap().is_some());
    assert!(file.next_frame().is_err());
}

fn refused(bytes: &[u8], options: CaptureOptions) -> String {
    let file = TempCapture::new("x.pcap", bytes);
    let lines = CaptureOps::<SelectorListener>::open(&file.path, &options)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let error = lines.expect_err("refused").to_string();
    let name = format!("{}: ", file.path.display());
    error.strip_prefix(&name).unwrap_or_else(|| panic!("no file name in {error}")).to_owned()
}

#[test]
fn a_capture_that_gives_no_ops_says_why() {
    let local = |last| CaptureOptions { local: Some(v4(last)), ..options() };
    assert_eq!(
        refused(&pcap(1, false, true, &[]), options()),
        "no frame of the strack profile (UDP port 4791) is in it; `respray traffic info` shows what is"
    );
    assert_eq!(
        refused(&pcap(1, false, true, &records()), local(2)),
        "10.0.0.2 sends no data frame of the strack profile; those that do: 10.0.0.1"
    );
    let cut: Vec<_> = records().into_iter().map(|record| record.cut(50)).collect();
    assert_eq!(
        refused(&pcap(1, false, true, &cut), options()),
        "frame 1: the snap length left 50 bytes of a frame of the strack profile, whose headers take 58; \
         record with a longer one"
    );
    assert_eq!(
        refused(&pcap(105, false, true, &records()), options()),
        "frame 1: link type 105 is not one of Ethernet (1), raw IP (12, 14, 101, 228, 229) and Linux cooked (113, 276)"
    );
    // numbers beyond `connections` are counted from 0; the seventeenth does not fit
    let many: Vec<_> = (0..17).map(|n| Record::whole(n, data(v4(1), v4(2), 500 + n as u32, 0, 7))).collect();
    assert_eq!(
        refused(&pcap(1, false, true, &many), options()),
        "frame 17: connection 16 (queue pair or context 516) is beyond the 16 connections that are configured"
    );
    assert!(refused(&pcap(1, false, true, &records())[..300], options()).starts_with("byte 2"));
}

#[test]
fn a_missing_file_is_named() {
    let error: CaptureError =
        info("/nonexistent/x.pcap".as_ref(), STRACK, Cut::Refused).expect_err("missing");
    assert!(error.to_string().starts_with("/nonexistent/x.pcap: cannot be opened: "), "{error}");
}

/// Everything that reads a capture; only panics fail.
fn swallow(bytes: &[u8]) {
    let file = TempCapture::new("x.pcap", bytes);
    for (profile, cut) in [(STRACK, Cut::Refused), (UET, Cut::Warned)] {
        let _ = info(&file.path, profile, cut).map(|info| info.to_string());
        let options = CaptureOptions { profile, cut, ..options() };
        if let Ok(ops) = CaptureOps::<SelectorListener>::open(&file.path, &options) {
            for op in ops {
                if op.is_err() {
                    break;
                }
            }
        }
    }
}

fn valid() -> impl Strategy<Value = Vec<u8>> {
    let links = prop_oneof![Just(1u16), Just(101), Just(113), Just(276)];
    (links, any::<bool>(), 0..4).prop_map(|(link, big, format)| match format {
        0 => pcap(link.into(), big, true, &records()),
        1 => pcap(link.into(), big, false, &records()),
        2 => pcapng(link, big, 9, 0, &records()),
        _ => gzip(&pcapng(link, big, 6, 0, &records())),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), magic in 0..5usize) {
        let magics: [&[u8]; 5] = [
            &[],
            &[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0],
            &[0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4],
            &[0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0],
            &[0x1f, 0x8b, 8, 0],
        ];
        swallow(&[magics[magic], &bytes].concat());
    }

    #[test]
    fn no_damage_to_a_valid_capture_makes_it_panic(
        mut bytes in valid(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        swallow(&bytes);
    }
}
