//! The fields of golden's tables against those that the hardware reads, bit by bit.

use respray_cosim::stream::{Frame, Pace, Traffic};
use respray_golden::rewrite::Wire;
use respray_golden::rewrite_rx::record;
use respray_golden::wire::{Field, Header, Profile, strack, uet};

use super::{STRACK_AND_UET, generated, passes};

/// Fields that `rewrite_rx` gives out; of every other it must not matter what it holds.
const GIVEN: [(&str, &[&str]); 5] = [
    ("strack data", &["dest_qp", "ack_request", "psn", "timestamp"]),
    (
        "strack ack",
        &[
            "dest_qp",
            "echo_entropy",
            "echo_timestamp",
            "recv_bytes",
            "expected_psn",
            "ooo_low",
            "ooo_high",
            "ecn_echo",
            "sack_base",
            "sack_bitmap",
        ],
    ),
    ("uet request", &["psn", "destination_pdc"]),
    ("uet ack", &["ack_psn_offset", "cack_psn", "destination_pdc"]),
    (
        "uet ack_cc",
        &[
            "ack_psn_offset",
            "cack_psn",
            "destination_pdc",
            "sack_psn_offset",
            "sack_bitmap",
            "service_time",
            "rcvd_bytes",
            "ooo_count",
        ],
    ),
];

/// Fields of which some bits are given out, or say what the packet is.
const PARTLY: [&str; 4] = ["opcode", "type", "flags", "next_header"];

fn header(profile: Profile, header: &Header) -> Option<Vec<u8>> {
    let mut bytes = vec![0; header.bytes()];
    bytes[0] = match (profile, header.name) {
        (Profile::Strack, "data") => strack::OPCODE_DATA,
        (Profile::Strack, "ack") => strack::OPCODE_ACK,
        (Profile::Uet, "request") => uet::TYPE_RUD_REQUEST << 3,
        (Profile::Uet, "ack") => uet::TYPE_ACK << 3,
        (Profile::Uet, "ack_cc") => uet::TYPE_ACK_CC << 3,
        _ => return None, // a NACK is other traffic
    };
    Some(bytes)
}

fn frame(profile: Profile, header: &[u8]) -> Frame {
    let draft = respray_cosim::traffic::frames::Draft {
        tags: 0,
        is_ipv6: false,
        options: 0,
        traffic_class: 0,
        flow_label: 0,
        source_port: 0,
        udp_port: profile.udp_port(),
        checksum: respray_cosim::traffic::frames::Checksum::None,
        seed: 1,
        header: header.to_vec(),
        payload: 40,
    };
    Frame { data: draft.frame(), enable: true, ..Frame::default() }
}

#[test]
fn every_bit_of_every_field_is_read_where_the_tables_have_it() {
    for (profile, wire) in STRACK_AND_UET {
        let wire_of = Wire { profile, udp_port: profile.udp_port() };
        let mut frames = Vec::new();
        for table in profile.headers() {
            let Some(plain) = header(profile, table) else { continue };
            let name = format!("{} {}", profile.name(), table.name);
            let given = GIVEN.iter().find(|(known, _)| *known == name).expect("every header is listed").1;
            let base = record(&frame(profile, &plain).data, wire_of);
            for field in table.fields {
                for bit in 0..field.width {
                    let mut bytes = plain.clone();
                    let one = Field { offset: field.offset + bit, width: 1, ..*field };
                    one.put(&mut bytes, 1 ^ one.get(&plain));
                    let changed = frame(profile, &bytes);
                    let is_seen = record(&changed.data, wire_of) != base;
                    let is_given = given.contains(&field.name);
                    assert!(
                        is_seen == is_given || PARTLY.contains(&field.name),
                        "{name}.{} bit {bit}: {}",
                        field.name,
                        if is_seen { "given out" } else { "not given out" }
                    );
                    frames.push(changed);
                }
            }
        }
        assert!(frames.len() > 400, "{} bits", frames.len());
        for width in ["bus_bits=64", "bus_bits=512"] {
            let core = generated("rewrite_rx", &[width, wire]);
            passes(&core, Traffic::Given(frames.clone()), Pace::default());
        }
        passes(&generated("rewrite_tx", &[wire]), Traffic::Given(frames), Pace::default());
    }
}
