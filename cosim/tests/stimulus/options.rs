//! IPv4 options of random frames.

use respray_cosim::traffic::frames::{Checksum, Draft};

/// A frame with so many 32-bit words of real options.
fn draft(seed: u64, options: usize) -> Draft {
    Draft {
        tags: 0,
        is_ipv6: false,
        options,
        real_options: true,
        traffic_class: 0,
        flow_label: 0,
        source_port: 1,
        udp_port: 2,
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: Checksum::None,
        seed,
        header: Vec::new(),
        payload: 0,
    }
}

#[test]
fn real_options_are_a_list_that_ends_where_its_room_does() {
    for seed in 0..2000u64 {
        let draft = draft(seed, seed as usize % 11);
        let room = 4 * draft.options;
        let frame = draft.frame();
        let options = &frame[draft.udp_at() - room..draft.udp_at()];
        let mut at = 0;
        while at < room {
            match options[at] {
                0x00 => {
                    assert!(options[at..].iter().all(|byte| *byte == 0));
                    at = room;
                }
                0x01 => at += 1,
                kind => {
                    assert!([0x94, 0x88, 0x07, 0x44].contains(&kind), "{options:?}");
                    at += usize::from(options[at + 1]);
                }
            }
        }
        assert_eq!(at, room, "{options:?}");
    }
}
