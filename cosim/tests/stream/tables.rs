//! The fields of golden's tables against those from which the hardware is built, and bit by bit against what it reads.

use respray_cosim::stream::{Frame, Pace, Traffic};
use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_rx::record;
use respray_golden::rewrite_tx::{Disposition, Params, Stamp, rewrite};
use respray_golden::wire::{Field, Header, Profile, strack, uet};
use respray_hdl::config;
use respray_hdl::wire;

use super::{EACH_PROFILE, SOME, Setup, all, generated, passes, widths};

/// Fields that `rewrite_rx` gives out; of every other it must not matter what it holds.
const GIVEN: [(&str, &[&str]); 9] = [
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
            "probe_echo",
            "sack_base",
            "sack_bitmap",
        ],
    ),
    ("uet request", &["next_header", "clear_psn_offset", "psn", "source_pdc", "destination_pdc"]),
    ("uet request_cc", &["next_header", "clear_psn_offset", "psn", "source_pdc", "destination_pdc"]),
    ("uet ack", &["next_header", "ack_psn_offset", "cack_psn", "source_pdc", "destination_pdc"]),
    (
        "uet ack_ccx",
        &[
            "next_header",
            "ack_psn_offset",
            "cack_psn",
            "source_pdc",
            "destination_pdc",
            "cc_type",
            "mpr",
            "sack_psn_offset",
            "sack_bitmap",
        ],
    ),
    (
        "uet nack",
        &[
            "next_header",
            "nack_code",
            "vendor_code",
            "nack_psn",
            "source_pdc",
            "destination_pdc",
            "nack_payload",
        ],
    ),
    ("uet control", &["ctl", "probe_opaque", "psn", "source_pdc", "destination_pdc"]),
    (
        "uet ack_cc",
        &[
            "next_header",
            "ack_psn_offset",
            "cack_psn",
            "source_pdc",
            "destination_pdc",
            "cc_type",
            "mpr",
            "sack_psn_offset",
            "sack_bitmap",
            "service_time",
            "restore_cwnd",
            "rcv_cwnd_pend",
            "rcvd_bytes",
            "ooo_count",
        ],
    ),
];

/// Fields of which some bits are given out, or say what the packet is.
const PARTLY: [&str; 3] = ["opcode", "type", "flags"];

fn header(profile: Profile, header: &Header) -> Vec<u8> {
    let mut bytes = vec![0; header.bytes()];
    bytes[0] = match (profile, header.name) {
        (Profile::Strack, "data") => strack::OPCODE_DATA,
        (Profile::Strack, "ack") => strack::OPCODE_ACK,
        (Profile::Uet, "request") => uet::TYPE_RUD_REQUEST << 3,
        (Profile::Uet, "ack") => uet::TYPE_ACK << 3,
        (Profile::Uet, "request_cc") => uet::TYPE_RUD_CC_REQUEST << 3,
        (Profile::Uet, "ack_cc") => uet::TYPE_ACK_CC << 3,
        (Profile::Uet, "ack_ccx") => uet::TYPE_ACK_CCX << 3,
        (Profile::Uet, "nack") => uet::TYPE_NACK << 3,
        (Profile::Uet, "control") => uet::TYPE_CONTROL << 3,
        (_, name) => unreachable!("no header {name}"),
    };
    bytes
}

fn frame(profile: Profile, header: &[u8]) -> Frame {
    let draft = respray_cosim::traffic::frames::Draft {
        tags: 0,
        is_ipv6: false,
        options: 0,
        real_options: false,
        traffic_class: 0,
        flow_label: 0,
        source_port: 0,
        udp_port: profile.udp_port(),
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: respray_cosim::traffic::frames::Checksum::None,
        seed: 1,
        header: header.to_vec(),
        payload: 40,
    };
    Frame { data: draft.frame(), enable: true, ..Frame::default() }
}

/// A field: its header and name, then offset and width in bits.
type Entry = (&'static str, &'static str, usize, usize);

fn golden_table(profile: Profile) -> Vec<Entry> {
    let entries = |header: &'static Header| {
        header.fields.iter().map(move |field| (header.name, field.name, field.offset, field.width))
    };
    profile.headers().iter().flat_map(entries).collect()
}

fn hardware_table(profile: Profile) -> Vec<Entry> {
    let entries = |header: &'static wire::Header| {
        header.fields().map(move |field| (header.name, field.name, field.offset, field.width))
    };
    wire::headers(wire_of(profile)).iter().flat_map(entries).collect()
}

fn wire_of(profile: Profile) -> config::Wire {
    match profile {
        Profile::Strack => config::Wire::Strack,
        Profile::Uet => config::Wire::Uet,
    }
}

/// What one table has and the other has not, or has elsewhere.
fn differences(golden: &[Entry], hardware: &[Entry]) -> Vec<String> {
    let lacks = |whose: &str, table: &[Entry], other: &[Entry]| -> Vec<String> {
        let missing = table.iter().filter(|entry| !other.contains(entry));
        missing
            .map(|(header, field, offset, width)| format!("{whose}: {header}.{field} at {offset}, {width}"))
            .collect()
    };
    [lacks("golden", golden, hardware), lacks("hardware", hardware, golden)].concat()
}

#[test]
fn golden_and_hardware_have_the_same_tables() {
    for (profile, _) in EACH_PROFILE {
        let (golden, hardware) = (golden_table(profile), hardware_table(profile));
        assert_eq!(differences(&golden, &hardware), [""; 0], "{}", profile.name());
        assert_eq!(golden, hardware, "in the order of the wire");
    }
}

#[test]
fn a_field_that_moves_grows_or_is_renamed_is_a_difference() {
    for (profile, _) in EACH_PROFILE {
        let golden = golden_table(profile);
        for index in 0..golden.len() {
            let changes: [fn(&mut Entry); 3] = [|e| e.2 += 1, |e| e.3 -= 1, |e| e.1 = "other"];
            for change in changes {
                let mut changed = golden.clone();
                change(&mut changed[index]);
                assert_eq!(differences(&golden, &changed).len(), 2);
                assert_eq!(differences(&changed, &golden).len(), 2);
            }
            let mut fewer = golden.clone();
            fewer.remove(index);
            assert_eq!((differences(&golden, &fewer).len(), differences(&fewer, &golden).len()), (1, 1));
        }
    }
}

/// Bits of the profile's header that `rewrite_tx` changes, where the timestamp that it writes is the complement of what stands there.
fn bits_written(profile: Profile, kind: &Header) -> Vec<usize> {
    let plain = header(profile, kind);
    let mut frame = frame(profile, &plain);
    frame.timestamp = 0xffff;
    let at = frame.data.len() - 40 - plain.len();
    let mut sent = frame.data.clone();
    let stamp = Stamp { ev: 0xc000, timestamp: 0xffff, enable: true };
    let settings = Params { wire: ProfileTraffic::of(profile), flow_label_enable: false, beat_bytes: 8 };
    assert_eq!(rewrite(&mut sent, stamp, settings), Disposition::Rewritten);
    let is_changed = |bit: &usize| (frame.data[at + bit / 8] ^ sent[at + bit / 8]) >> (7 - bit % 8) & 1 == 1;
    (0..8 * (sent.len() - at)).filter(is_changed).collect()
}

#[test]
fn what_is_stamped_is_the_timestamp_of_the_hardware_table() {
    stamped(&SOME);
}

#[test]
#[ignore = "a model of each width in each profile"]
fn what_is_stamped_is_the_timestamp_of_the_hardware_table_at_every_width() {
    stamped(&all());
}

fn stamped(setups: &[Setup]) {
    for (profile, wire) in EACH_PROFILE {
        for kind in profile.headers() {
            let plain = header(profile, kind);
            let hardware = wire::header(wire_of(profile), kind.name);
            let stamp = hardware.fields().find(|field| field.name == "timestamp");
            let expected = stamp.map_or(0..0, |field| field.offset..field.offset + field.width);
            assert_eq!(bits_written(profile, kind), expected.collect::<Vec<_>>(), "{}", kind.name);
            // and the hardware writes what golden does
            let frame = Frame { ev: 0xc000, timestamp: 0xffff, ..frame(profile, &plain) };
            for width in widths(setups, wire) {
                passes(
                    &generated("rewrite_tx", &[width, wire]),
                    Traffic::Given(vec![frame.clone()]),
                    Pace::default(),
                );
            }
        }
    }
}

#[test]
fn every_bit_of_every_field_is_read_where_the_tables_have_it() {
    every_bit_is_read(&SOME);
}

#[test]
#[ignore = "a model of each width in each profile"]
fn every_bit_of_every_field_is_read_where_the_tables_have_it_at_every_width() {
    every_bit_is_read(&all());
}

fn every_bit_is_read(setups: &[Setup]) {
    for (profile, wire) in EACH_PROFILE {
        let wire_of = ProfileTraffic::of(profile);
        let mut frames = Vec::new();
        for table in profile.headers() {
            let plain = header(profile, table);
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
        for width in widths(setups, wire) {
            let core = generated("rewrite_rx", &[width, wire]);
            passes(&core, Traffic::Given(frames.clone()), Pace::default());
        }
        passes(&generated("rewrite_tx", &[wire]), Traffic::Given(frames), Pace::default());
    }
}
