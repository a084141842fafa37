//! The tables of the headers agree with themselves.

use respray_hdl::config::Wire;
use respray_hdl::wire::{Field, Header, Role, headers, kinds, sources};

#[test]
fn headers_have_the_lengths_of_the_profile() {
    let lengths = |wire| headers(wire).iter().map(|h| (h.name, h.bytes())).collect::<Vec<_>>();
    assert_eq!(lengths(Wire::Strack), [("data", 16), ("ack", 36)]);
    let uet = [
        ("request", 12),
        ("request_cc", 16),
        ("ack", 12),
        ("ack_cc", 32),
        ("ack_ccx", 24),
        ("nack", 16),
        ("control", 12),
    ];
    assert_eq!(lengths(Wire::Uet), uet);
}

#[test]
fn kinds_are_told_and_measured_by_the_table() {
    let strack = kinds(Wire::Strack);
    assert_eq!([strack.shortest(), strack.longest()], [16, 36]);
    assert_eq!((strack.mask(), strack.long_code()), (0xFF00, 0xC100));
    assert_eq!((strack.settled_steps(), strack.stamp_steps()), (6, Some(5)));
    let uet = kinds(Wire::Uet);
    assert_eq!([uet.shortest(), uet.longest()], [12, 32]);
    assert_eq!((uet.mask(), uet.long_code()), (0xF800, 0x4000));
    assert_eq!([uet.data_codes(), uet.ack_codes()], [[0x1000, 0x1800], [0x3800, 0x3800]]);
    assert_eq!((uet.judged(), strack.judged()), (0xFF8C, 0xFF00));
    assert_eq!([uet.has_types(), strack.has_types()], [true, false]);
    assert_eq!(uet.types(|kind| kind.role == Role::Data), 1 << 2 | 1 << 3 | 1 << 13 | 1 << 14);
    assert_eq!(uet.types(|kind| kind.role == Role::Ack), 1 << 7 | 1 << 8 | 1 << 9);
    assert_eq!(uet.types(|kind| kind.role == Role::Nack), 1 << 10 | 1 << 12);
    assert_eq!(uet.types(|kind| kind.role == Role::Control), 1 << 11);
    assert_eq!(uet.between(), [(16, 1 << 10 | 1 << 12 | 1 << 13 | 1 << 14), (24, 1 << 9)]);
    assert_eq!((uet.credit(), strack.credit()), (Some((0x4000, 4)), None));
    assert_eq!((uet.settled_steps(), uet.stamp_steps()), (5, None));
}

#[test]
fn a_header_is_whole_bytes_and_has_no_name_twice() {
    for header in Wire::ALL.into_iter().flat_map(headers) {
        let fields: Vec<Field> = header.fields().collect();
        assert_eq!(fields.last().map(|last| last.offset + last.width), Some(8 * header.bytes()));
        for (index, field) in fields.iter().enumerate() {
            assert!((1..=64).contains(&field.width), "{}.{}", header.name, field.name);
            assert!(fields[..index].iter().all(|other| other.name != field.name), "{}", field.name);
        }
    }
}

#[test]
fn the_psns_of_a_wire_are_as_wide_as_its_headers_have_them() {
    for (wire, wanted) in [
        (Wire::Strack, &["psn", "psn", "expected_psn", "sack_base"][..]),
        (Wire::Uet, &["psn", "psn", "cack_psn", "cack_psn", "cack_psn", "nack_psn", "psn"]),
    ] {
        let fields = headers(wire).iter().flat_map(Header::fields);
        let psns: Vec<Field> = fields.filter(|field| wanted.contains(&field.name)).collect();
        assert_eq!(psns.iter().map(|field| field.name).collect::<Vec<_>>(), wanted);
        assert!(psns.iter().all(|field| field.width == wire.psn_bits() as usize), "{psns:?}");
    }
}

#[test]
fn what_is_read_lies_within_one_word_and_is_the_same_field_in_every_header() {
    for wire in Wire::ALL {
        for source in sources(wire) {
            let first = source.offset(wire);
            assert_eq!(first / 32, (first + source.width - 1) / 32, "{}", source.part);
        }
    }
    // One read serves the headers of a kind.
    let offset = |header: &Header, name| header.field(name).offset;
    let [data, ack] = headers(Wire::Strack) else { panic!("two headers") };
    assert_eq!(offset(data, "dest_qp"), offset(ack, "dest_qp"));
    let uet = headers(Wire::Uet);
    for name in ["type", "flags", "destination_pdc"] {
        assert!(uet.iter().all(|header| offset(header, name) == offset(&uet[0], name)), "{name}");
    }
    for name in ["ack_psn_offset", "cack_psn"] {
        assert!(uet[2..5].iter().all(|ack| offset(ack, name) == offset(&uet[2], name)), "{name}");
    }
    for name in ["cc_type", "mpr", "sack_psn_offset", "sack_bitmap"] {
        assert_eq!(offset(&uet[3], name), offset(&uet[4], name));
    }
    // and what is read of several kinds is at the same place in all of them
    for (of, same) in [("clear_psn_offset", "probe_opaque"), ("next_header", "ctl"), ("psn", "nack_psn")] {
        let place = |name: &str| {
            uet.iter()
                .find_map(|header| header.fields().find(|field| field.name == name))
                .map(|field| field.offset)
        };
        assert_eq!(place(of), place(same), "{of} and {same}");
    }
}
