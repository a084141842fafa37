//! What a reader makes of each frame of a capture, and of the files beside it.

use std::fs;
use std::path::Path;

use respray_cosim::cores::sack_rx::SackRxListener;
use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::nic::Log;
use respray_cosim::traffic::capture::{Account, CaptureOps, CaptureOptions, Cut, Listener, Side, info};
use respray_cosim::traffic::recording::{Recording, stem};
use respray_golden::psn::PsnSpace;
use respray_golden::wire::strack;

use super::builder::*;

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

/// What becomes of each frame of a capture in a core.
fn account<L: Listener>(records: &[Record]) -> Account {
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, records));
    let mut ops = CaptureOps::<L>::open(&file.path, &options()).unwrap();
    ops.by_ref().for_each(|op| _ = op.unwrap());
    ops.account()
}

#[test]
fn a_core_of_ops_accounts_for_each_frame() {
    let sack = strack::Ack { connection: 1, echo_entropy: 7, expected_psn: 1, ..Default::default() };
    let mut malformed = data(v4(1), v4(2), 1, 1, 7);
    malformed[24] ^= 1;
    let records = [
        Record::whole(0, data(v4(1), v4(2), 1, 0, 7)),
        Record::whole(1, ack(v4(2), v4(1), sack)),
        Record::whole(2, malformed),
        Record::whole(3, data(v4(3), v4(4), 1, 0, 7)),
        Record::whole(4, data(v4(1), v4(2), 1, 2, 7)).cut(20),
        Record::whole(5, vec![0; 60]),
    ];
    let sender = account::<SelectorListener>(&records);
    assert_eq!((sender.frames, sender.taken), (6, 2));
    let lines = [
        "6 frames given: 2 taken, 4 not",
        "  taken: 1, data packets",
        "  taken: 1, ACKs",
        "  not taken: 1, neither from the local side nor to it (frame 4)",
        "  not taken: 1, with a bad IPv4 header checksum (frame 3)",
        "  not taken: 1, cut by the snap length before it shows what it is (frame 5)",
        "  not taken: 1, not UDP in IPv4 or IPv6 behind at most two VLAN tags, or a fragment (frame 6)",
    ];
    assert_eq!(sender.lines(), lines);
    let receiver = account::<SackRxListener>(&records);
    assert_eq!((receiver.of("data packets"), receiver.of("ACKs, from which no op follows")), (1, 1));
    assert_eq!((receiver.frames, receiver.taken), (6, 1));
}

#[test]
fn info_tells_what_the_others_are() {
    let mut untagged = data(v4(1), v4(2), 1, 0, 7);
    untagged.push(0);
    let records = (0..7).map(|at| Record::whole(at, untagged.clone()));
    let records: Vec<Record> =
        records.chain([Record::whole(9, data(v4(1), v4(2), 1, 0, 7)).cut(30)]).collect();
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, &records));
    let info = info(&file.path, STRACK, Cut::Refused).unwrap();
    let profile = &info.profile;
    assert_eq!((profile.frames, profile.other, profile.malformed, profile.header_cut), (0, 7, 7, 1));
    let text = info.to_string();
    let other = "7, with lengths of frame, IP and UDP that contradict each other (frames 1, 2, 3, 4, 5, ...)";
    assert!(text.contains(other), "{text}");
    assert!(text.contains("1, cut by the snap length before it shows what it is (frame 8)"), "{text}");
}

#[test]
fn a_file_beside_a_capture_counts_if_it_says_that_it_is_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/recordings");
    let settings = recordings.join("steady.json");
    // what another program, or a run, wrote
    fs::write(at("a.json"), "{\"core\": \"reps\", \"config\": {\"sack\": {\"engine\": \"small\"}}}").unwrap();
    fs::write(at("text.json"), "\"says\" \"engine\"").unwrap();
    fs::copy(&settings, at("a.dirA.20180315.json")).unwrap();
    let beside = |name: &str, side| Recording::beside(&at(name), side);
    for name in ["a.pcap", "a.dirB.pcap.gz", "a.pcap.gz", "text.pcap", "none.pcap"] {
        assert_eq!(beside(name, Side::Sender), None, "{name}");
    }
    for name in ["a.dirA.20180315.pcap.gz", "a.dirA.20180315-sender.pcapng", "a.dirA.20180315.csv.gz"] {
        assert_eq!(beside(name, Side::Sender), Some(at("a.dirA.20180315.json")), "{name}");
    }
    assert_eq!(beside("a.dirA.20180315-sender.pcap", Side::Receiver), None);
    assert_eq!(stem(Path::new("x/b.c.pcap.gz")), Some("b.c".into()));

    // damaged settings are said to be damaged
    let whole = fs::read_to_string(&settings).unwrap();
    fs::write(at("b.json"), &whole[..whole.len() / 2]).unwrap();
    let damaged = beside("b.pcap", Side::Sender).expect("it says what it is");
    let said = Recording::load(&damaged).unwrap_err().to_string();
    assert!(said.contains("b.json: not a recording's settings: "), "{said}");

    // so it is with a log
    fs::write(at("c.log.gz"), b"1,came\n").unwrap();
    assert_eq!(Log::beside(&at("c.pcap")), None);
    fs::copy(recordings.join("losses-sender.log.gz"), at("d.e.log.gz")).unwrap();
    assert_eq!(Log::beside(&at("d.e.pcap.gz")), Some(at("d.e.log.gz")));
}
