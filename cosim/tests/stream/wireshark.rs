//! The Wireshark dissector of tb/wireshark against golden's parser, on every frame of a recording.

use std::path::Path;

use respray_cosim::traffic::capture::CaptureFile;
use respray_golden::rewrite::{Captured, ProfileTraffic, read_captured};
use respray_golden::wire::{Packet, Profile};

use super::{pass, tshark};

const FIELDS: [&str; 15] = [
    "frame.number",
    "strack.connection",
    "strack.psn",
    "strack.ack_request",
    "strack.timestamp",
    "strack.probe",
    "strack.hops",
    "strack.echo_entropy",
    "strack.echo_timestamp",
    "strack.recv_bytes",
    "strack.expected_psn",
    "strack.ooo",
    "strack.ecn_echo",
    "strack.sack_base",
    "strack.sack_bitmap",
];

/// What tshark is to say of a frame.
fn row(number: u64, packet: &Packet) -> String {
    let bit = |set: bool| u8::from(set).to_string();
    let values: Vec<String> = match packet {
        Packet::StrackData(data) => vec![
            data.connection.to_string(),
            data.psn.to_string(),
            bit(data.ack_request),
            data.timestamp.to_string(),
            bit(data.probe),
            data.hops.to_string(),
        ],
        Packet::StrackAck(ack) => [
            vec![ack.connection.to_string(), ack.psn.to_string(), bit(false)],
            vec![String::new(); 3],
            vec![
                ack.echo_entropy.to_string(),
                ack.echo_timestamp.to_string(),
                ack.recv_bytes.to_string(),
                ack.expected_psn.to_string(),
                ack.ooo.to_string(),
                bit(ack.ecn_echo),
                ack.sack_base.to_string(),
                format!("{:#018x}", ack.sack_bitmap),
            ],
        ]
        .concat(),
        other => panic!("{other:?} in a recording of strack"),
    };
    let mut row = format!("{number}\t{}", values.join("\t"));
    let missing = FIELDS.len() - 1 - values.len();
    row.extend(std::iter::repeat_n('\t', missing));
    row
}

#[test]
fn the_dissector_shows_what_golden_reads() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/wireshark/strack.lua");
    let load = format!("lua_script:{}", script.display());
    for name in ["path-failure-receiver", "steady-sender"] {
        let path = pass::recording(name);
        let Some(rows) = tshark::tshark(&path, &["-X", &load, "-o", "udp.try_heuristic_first:TRUE"], &FIELDS)
        else {
            return;
        };
        let mut file = CaptureFile::open(&path).unwrap();
        let traffic = ProfileTraffic::of(Profile::Strack);
        let mut frames = 0;
        while let Some(frame) = file.next_frame().unwrap() {
            let Captured::Frame(headers) = read_captured(frame.data, frame.wire_len, traffic) else {
                panic!("{name}: frame {} is not of the profile", frame.number);
            };
            let row = row(frame.number, &Profile::Strack.parse(&frame.data[headers.at..]).unwrap());
            assert!(rows.contains_key(&row), "{name}: tshark does not say {row:?}");
            frames += 1;
        }
        assert_eq!((rows.len(), frames > 1000), (frames, true));
    }
}
