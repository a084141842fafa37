//! What the registers of the block change, and the table of them.

use std::collections::BTreeSet;

use respray_golden::hosts::Port;
use respray_golden::nic::{Access, Command, Config, Counter, Event, Kind, Limits, Nic, Setting};
use respray_golden::wire::Profile;

use super::super::{A, B, encapsulation};
use super::bench::{Bench, ROD, RUD, with_response};
use crate::pds::{D0, marked_from_a, s2};

/// AR of the first packet, and the ACK that answers it.
const FIRST: &str = "1188ffff000003e800070009";
const ACK: &str = "42000000000003e8000900070002ffd8000001ffffffffff0000000000050000";

#[test]
fn acks_have_the_type_and_the_response_that_the_registers_say() {
    let plain = ACK[..24].replace("4200", "3a00");
    let extended = format!("{}{}", ACK[..48].replace("4200", "4a00"), "00".repeat(16));
    for (kind, wanted) in [(7, plain), (8, ACK.to_owned()), (9, extended)] {
        let mut b = Bench::target(B, 1000, RUD, A);
        b.nic.write_register("ack_type", kind);
        assert_eq!(b.request(FIRST), with_response(&wanted));
        b.nic.write_register("ack_response", 0);
        let wanted =
            format!("{:04x}{}", u16::from_str_radix(&wanted[..4], 16).unwrap() & !0x0780, &wanted[4..]);
        let again = b.request(FIRST)[0].clone();
        assert_eq!((&again[..4], again.len()), (&wanted[..4], wanted.len()), "next header 0, and none");
    }
}

#[test]
fn acks_and_nacks_are_of_the_control_class() {
    let mut b = Bench::target(B, 1000, RUD, A);
    for dscp in [46, 0, 63] {
        b.nic.write_register("dscp_control", dscp.into());
        b.nic.receive(marked_from_a(&format!("{FIRST}{}", s2())), false);
        b.receive_trimmed(FIRST);
        for _ in 0..2 {
            let frame = b.nic.transmit().expect("an ACK, and a NACK").frame;
            let outer = encapsulation().read(&frame).expect("it can be read").outer;
            assert_eq!((outer.dscp, outer.ecn, outer.ev), (dscp, 0, 77));
        }
    }
}

/// A bitmap may count from the cumulative PSN rounded down, read and written.
#[test]
fn the_offset_of_a_bitmap_counts_from_what_the_register_says() {
    let mut b = Bench::target(B, 1003, RUD, A);
    b.nic.write_register("sack_cack_align", 3);
    // CACK 1003, base 960; 1003 is 3 above a multiple of 8
    let ack = "42000000000003eb000900070002ffd800000fffffffffff0000000000050000";
    assert_eq!(b.request("1188ffff000003eb00070009"), with_response(ack));

    // the PSN that is answered, 1003, is named in any case
    for (align, wanted) in [(3, vec![1000, 1001, 1003]), (0, vec![1000, 1001, 1002, 1003, 1004])] {
        let mut a = Bench::initiator(1000, RUD, 8);
        a.nic.write_register("sack_cack_align", align);
        a.hear_from_b("42000002000003e90009000700010000000000000000000b00000000000e0001");
        let c = a.nic.uet_scoreboard().expect("of Ultra Ethernet").connection(A);
        let is_acked = |psn: &u32| *psn < c.snd_una || c.is_acked(*psn, 256);
        assert_eq!((1000..1008).filter(is_acked).collect::<Vec<_>>(), wanted, "{align}");
    }
}

/// Which ACKs go to the host, too, with the status that the scoreboard gives them.
#[test]
fn the_host_gets_the_acks_that_it_wants() {
    let guaranteed = "010000110000000000000000";
    let state = "0001000000000000000000010000000000050000";
    let extended = format!("{state}{}", "00".repeat(8));
    // what comes, whether it goes to a host that wants some, and its status
    let cases = [
        ("3a000000000003e800090007".to_owned(), false, 0),
        (format!("3a000000000003e800090007{D0}"), false, 0),
        (format!("3a000000000003e800090007{guaranteed}"), true, 0),
        (format!("42000000000003e800090007{state}{guaranteed}"), true, 0),
        (format!("4a000000000003e800090007{extended}{guaranteed}"), true, 0),
        (format!("4a000000000003e800090007{extended}{D0}"), false, 0),
        // a response with data, a small one
        ("3a800000000003e800090007".to_owned(), true, 0),
        ("3b000000000003e800090007".to_owned(), true, 0),
        // requests, and a PSN that is expected
        ("38020000000003e800090007".to_owned(), true, 0),
        ("38040000000003e800090007".to_owned(), true, 0),
        ("38400000000003e80009000700020010".to_owned(), true, 0),
        // overtaken, and what is not believed
        (format!("3a000000000003de00090007{guaranteed}"), true, 1),
        (format!("3a000000000004ff00090007{guaranteed}"), true, 2),
        (format!("3a000000000003e800080007{guaranteed}"), true, 6),
        (format!("3a000000000003e8000900ff{guaranteed}"), true, 7),
    ];
    for (bytes, is_wanted, status) in cases {
        for (setting, comes) in [(0, false), (1, is_wanted), (2, true)] {
            let mut a = Bench::initiator(1000, RUD, 4);
            a.nic.write_register("rx_acks", setting);
            a.hear_from_b(&bytes);
            let wanted = if comes { vec![status] } else { vec![] };
            assert_eq!(a.statuses(), wanted, "{setting}: {bytes}");
        }
    }
}

#[test]
fn a_connection_dies_of_too_many_timeouts_and_comes_to_life_with_an_ack() {
    let mut a = Bench::new();
    for (name, value) in [("rto", 100), ("rto_backoff_max", 0), ("max_rto_retx", 3)] {
        a.nic.write_register(name, value);
    }
    a.open_initiator(1000, RUD, 2);
    a.nic.advance(100_000);
    let told = a.told();
    let of = |kind| told.iter().filter(|(told, ..)| *told == kind).count();
    assert_eq!((of(Kind::Loss), of(Kind::Dead), a.nic.counter(Counter::Dead)), (3, 1, 1));
    a.hear_from_b("3a000000000003e800090007");
    a.nic.advance(110_000);
    assert!(a.told().iter().any(|(kind, ..)| *kind == Kind::Loss));
}

/// The block sends no probe where it is not to, or before it knows the peer.
#[test]
fn probes_are_sent_where_they_may_be() {
    for (probe, peer, wanted) in [(0, B, 0), (1, 0, 0), (1, B, 1)] {
        let mut a = Bench::new();
        a.nic.write_register("probe", probe);
        a.nic.write_register("probe_timeout", 100);
        a.command(Command::OpenTx, A, 1000, RUD, peer);
        a.send_data(1000).expect("the window is open");
        a.nic.advance(6_000);
        assert_eq!(a.transmitted().len(), wanted, "{probe} {peer}");
        assert_eq!(a.nic.counter(Counter::TxProbes), wanted as u64);
    }
}

/// The event of a NACK may be lost; the timeout finds the packet.
#[test]
fn what_a_full_queue_of_events_loses_is_found_by_the_timeout() {
    let limits = Limits { events: 1, ..Limits::default() };
    let mut a = Bench::of(Config { limits, ..Bench::config() });
    a.nic.write_register("rto", 1000);
    a.open_initiator(1000, RUD, 4);
    a.hear_from_b("50000100000003e90009000700000000");
    assert_eq!((a.told(), a.nic.counter(Counter::EventsLost)), (vec![(Kind::Nack, 1001, 1)], 1));
    a.nic.advance(60_000);
    let mut again = Vec::new();
    for _ in 0..20 {
        again.extend(a.told().into_iter().filter(|(kind, ..)| *kind == Kind::Retransmit));
    }
    assert_eq!(again, (1000..1004).map(|psn| (Kind::Retransmit, psn, 0)).collect::<Vec<_>>());
}

#[test]
fn a_reset_forgets_connections_and_keeps_settings() {
    let mut a = Bench::initiator(1000, ROD, 4);
    a.command(Command::OpenRx, B, 1000, RUD, A);
    a.nic.write_register("ack_type", 7);
    a.request(FIRST);
    let fresh = Bench::new();
    a.nic.write_register("command", Command::Reset as u32);
    assert_eq!(a.state(), fresh.state());
    assert_eq!(a.nic.read_register("ack_type"), 7);
    assert_eq!(a.request(FIRST), [""; 0]);
    assert_eq!(a.statuses(), [7]);
}

#[test]
fn the_table_of_registers_is_sound() {
    let nic = Nic::of_uet(Config { profile: Profile::Uet, ..Config::default() });
    let plain = Nic::new(Config { profile: Profile::Uet, ..Config::default() });
    let mut names = BTreeSet::new();
    let mut last = None;
    for register in nic.registers() {
        assert!(names.insert(&register.name), "{} twice", register.name);
        assert!(register.address.is_multiple_of(4) && last < Some(register.address), "{}", register.name);
        last = Some(register.address);
        let most = (u64::MAX >> (64 - register.width)) as u32;
        assert!(register.reset <= most && *register.allowed.end() <= most, "{}", register.name);
        if register.access == Access::ReadWrite {
            assert!(register.allowed.contains(&register.reset), "{}", register.name);
        }
    }
    // what every block has stands where it does in every block
    for register in plain.registers() {
        assert_eq!(nic.address(&register.name), Some(register.address), "{}", register.name);
    }
    let settings = nic.names_of_settings();
    assert!(settings.contains(&"ack_gen_trigger") && !plain.names_of_settings().contains(&"ack_gen_trigger"));
    let psn = nic.registers().iter().find(|register| register.name == "command_psn").expect("it is there");
    assert_eq!(*psn.allowed.end(), u32::MAX);
    assert!(
        nic.registers().iter().any(|row| row.target == respray_golden::nic::Target::Setting(Setting::RxAcks))
    );
}

/// Every kind of event comes back from its record.
#[test]
fn kinds_of_events_come_back_from_their_records() {
    for kind in Kind::ALL.into_iter().chain(Kind::OF_UET) {
        for after_loss in [false, true] {
            let event = Event {
                kind,
                after_loss,
                conn: 0xab_cdef,
                psn: 0x1234_5678,
                detail: 9,
                in_flight: 3,
                value: 7,
            };
            assert_eq!(Event::from_bits(event.to_bits()), Some(event));
        }
    }
    let unknown =
        Event { kind: Kind::Dead, after_loss: false, conn: 0, psn: 0, detail: 0, in_flight: 0, value: 0 };
    assert_eq!(Event::from_bits(unknown.to_bits() | 0xf), None);
}

/// Rules 1 and 2 are off unless the register turns them on. A receiver that does not count packets out of order shows none.
#[test]
fn rules_of_loss_are_on_where_the_register_says_so() {
    let ooo = |count: &str| format!("42000009000003e700090007000200000000000000000000000000000005{count}");
    let losses = |rules: u32, count: &str| {
        let mut a = Bench::initiator(1000, RUD, 20);
        a.nic.write_register("cwnd_packets", 6);
        a.nic.write_register("loss_rules", rules);
        a.hear_from_b(&ooo(count));
        let told = a.told().into_iter().filter(|(kind, ..)| *kind == Kind::Loss);
        told.map(|(_, _, detail)| detail).collect::<Vec<_>>()
    };
    // 6, 5, and the number of those that do not count
    assert_eq!([losses(0, "0006"), losses(1, "0006"), losses(2, "0006")], [vec![], vec![1], vec![]]);
    assert_eq!([losses(1, "0005"), losses(1, "ffff"), losses(1, "fffe")], [vec![], vec![], vec![1]]);

    let proofs = |rules: u32, cycles: u64| {
        let mut a = Bench::new();
        for (name, value) in [("probe", 1), ("probe_timeout", 100), ("probe_rtt", 10), ("loss_rules", rules)]
        {
            a.nic.write_register(name, value);
        }
        a.open_initiator(1000, RUD, 4);
        a.nic.advance(5_000);
        let probe = a.transmitted();
        assert_eq!(probe.len(), 1);
        a.nic.advance(5_000 + cycles);
        a.hear_from_b(&format!("3808{}000003e700090007", &probe[0][4..8]));
        let told = a.told().into_iter().filter(|(kind, ..)| *kind == Kind::Loss);
        told.map(|(_, _, detail)| detail).collect::<Vec<_>>()
    };
    // an RTT of 10 ticks of 32 cycles proves loss, one of 12 does not
    assert_eq!([proofs(0, 320), proofs(2, 320), proofs(2, 384)], [vec![], vec![2], vec![]]);
}

/// What the block has not is refused with the reason.
#[test]
fn a_configuration_that_it_has_not_is_refused() {
    let refused = |config: Config| {
        let panic = std::panic::catch_unwind(|| Nic::of_uet(config)).expect_err("it is refused");
        panic.downcast_ref::<&str>().map(ToString::to_string).or(panic.downcast_ref::<String>().cloned())
    };
    for (config, said) in [
        (Config { profile: Profile::Strack, ..Bench::config() }, "needs profile uet"),
        (Config { peer_table: true, ..Bench::config() }, "known by what they send"),
        (Config { graceful_close: true, ..Bench::config() }, "closed at once"),
        (Config { window: 64, ..Bench::config() }, "window must be 128, 256 or 512, not 64"),
    ] {
        let refused = refused(config).expect("a sentence");
        assert!(refused.contains(said), "{refused}");
    }
}
