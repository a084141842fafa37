//! The kinds of event, and the fields of a record, that the documents and the C header name are those of the golden model.

use respray_golden::nic::{Event, Kind};
use respray_hdl::nic::events::{RECORD, low_bit};
use respray_hdl::nic::kinds::{KINDS, TYPED_KINDS};

/// `BadAck` as `bad_ack`.
fn snake(name: &str) -> String {
    let letter = |(at, c): (usize, char)| match c.is_uppercase() {
        true if at > 0 => format!("_{}", c.to_lowercase()),
        _ => c.to_lowercase().to_string(),
    };
    name.chars().enumerate().map(letter).collect()
}

#[test]
fn every_kind_has_the_name_and_the_number_that_it_has_in_the_golden_model() {
    let golden: Vec<(usize, String)> =
        Kind::ALL.iter().map(|kind| (kind.code().into(), snake(&format!("{kind:?}")))).collect();
    let named: Vec<(usize, String)> =
        KINDS.iter().enumerate().map(|(number, kind)| (number, kind.name.to_string())).collect();
    assert_eq!(named, golden);
    let golden: Vec<(usize, String)> =
        Kind::OF_UET.iter().map(|kind| (kind.code().into(), snake(&format!("{kind:?}")))).collect();
    let named: Vec<(usize, String)> =
        (KINDS.len()..).zip(&TYPED_KINDS).map(|(number, kind)| (number, kind.name.to_string())).collect();
    assert_eq!(named, golden);
}

#[test]
fn the_fields_of_a_record_stand_where_the_golden_model_has_them() {
    let event = Event {
        kind: Kind::Rtt,
        after_loss: true,
        conn: 0x123456,
        psn: 0x89ab_cdef,
        detail: 0x4321,
        in_flight: 0x8765,
        value: 0xfedc_ba98,
    };
    let expected = [4, 1, 0, 0x123456, 0x89ab_cdef, 0x4321, 0x8765, 0xfedc_ba98];
    for (field, expected) in RECORD.iter().zip(expected) {
        let seen = event.to_bits() >> low_bit(field.name) & ((1 << field.bits) - 1);
        assert_eq!(seen, expected, "{}", field.name);
    }
}
