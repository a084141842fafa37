//! Headers of both profiles.

mod strack;
mod uet;

use respray_golden::wire::strack::OPCODE_ACK;
use respray_golden::wire::{Field, Profile};

#[test]
fn fields_tile_every_header_without_gap_or_overlap() {
    for profile in Profile::ALL {
        for header in profile.headers() {
            let mut end = 0;
            for field in header.fields {
                assert_eq!(field.offset, end, "{}.{}", header.name, field.name);
                assert!((1..=64).contains(&field.width), "{}.{}", header.name, field.name);
                end += field.width;
            }
            assert_eq!(end % 8, 0, "{}", header.name);
            let mut names: Vec<_> = header.fields.iter().map(|f| f.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), header.fields.len(), "{} has a name twice", header.name);
        }
    }
}

#[test]
fn headers_have_the_lengths_of_the_profile() {
    let lengths = |p: Profile| p.headers().iter().map(|h| (h.name, h.bytes())).collect::<Vec<_>>();
    assert_eq!(lengths(Profile::Strack), [("data", 16), ("ack", 36)]);
    let uet = [
        ("request", 12),
        ("request_cc", 16),
        ("ack", 12),
        ("ack_cc", 32),
        ("ack_ccx", 24),
        ("nack", 16),
        ("control", 12),
    ];
    assert_eq!(lengths(Profile::Uet), uet);
}

#[test]
fn a_field_is_its_bits_first_bit_of_a_byte_on_top() {
    let bytes: Vec<u8> = (0..40u8).map(|at| at.wrapping_mul(0x9d) ^ 0x35).collect();
    for offset in 0..64 {
        for width in 1..=64 {
            let bits = (offset..offset + width).map(|bit| bytes[bit / 8] >> (7 - bit % 8) & 1);
            let expected = bits.fold(0, |value, bit| value << 1 | u64::from(bit));
            assert_eq!(
                Field { name: "any", offset, width }.get(&bytes),
                expected,
                "{width} bits at {offset}"
            );
        }
    }
}

#[test]
fn put_changes_its_own_bits_alone() {
    for profile in Profile::ALL {
        for header in profile.headers() {
            for field in header.fields {
                let ones = u64::MAX >> (64 - field.width);
                for fill in [0x00, 0xff] {
                    let mut bytes = vec![fill; header.bytes()];
                    field.put(&mut bytes, if fill == 0 { u64::MAX } else { 0 });
                    for other in header.fields {
                        let all = u64::MAX >> (64 - other.width);
                        let expected = if (other == field) == (fill == 0) { all } else { 0 };
                        assert_eq!(other.get(&bytes), expected, "{} after {}", other.name, field.name);
                    }
                    field.put(&mut bytes, 0x5a5a_5a5a_5a5a_5a5a);
                    assert_eq!(field.get(&bytes), 0x5a5a_5a5a_5a5a_5a5a & ones);
                }
            }
        }
    }
}

#[test]
fn errors_name_the_header_and_what_is_allowed() {
    let error = |p: Profile, bytes: &[u8]| p.parse(bytes).expect_err("not a packet").to_string();
    assert_eq!(error(Profile::Strack, &[]), "strack data header needs 16 bytes, but the UDP payload has 0");
    assert_eq!(
        error(Profile::Strack, &[OPCODE_ACK; 20]),
        "strack ack header needs 36 bytes, but the UDP payload has 20"
    );
    assert_eq!(
        error(Profile::Strack, &[0x0a; 64]),
        "strack opcode or type 0x0a is not known: allowed are 0xc0 (data) and 0xc1 (ack)"
    );
    assert_eq!(
        error(Profile::Uet, &[1 << 3; 64]),
        "uet opcode or type 0x01 is not known: allowed are 2, 3, 13 and 14 (request), 7 (ack), 8 (ack_cc), \
         9 (ack_ccx), 10 and 12 (nack) and 11 (control)"
    );
    assert_eq!(
        error(Profile::Uet, &[8 << 3; 31]),
        "uet ack_cc header needs 32 bytes, but the UDP payload has 31"
    );
}
