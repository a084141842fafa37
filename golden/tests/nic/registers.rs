//! The table of registers, and what accesses do.

use std::collections::BTreeSet;

use respray_golden::nic::{
    Access, AccessError, Choice, Command, Config, Counter, IDENTITY, Kind, Limits, Nic, Setting, Target,
};
use respray_golden::wire::Profile;

use super::{command, config, data, open, opened, read, send, write};

fn configurations() -> Vec<Config> {
    let mut all = Vec::new();
    for connections in [16, 256, 16384] {
        for (selector, time_bits) in [
            (Choice::reps(), 32),
            (Choice::reps(), 16),
            (Choice::Ecmp, 32),
            (Choice::Plb, 32),
            (Choice::Plb, 16),
            (Choice::Strack(respray_golden::strack::Keys { paths: 64 }), 32),
        ] {
            all.push(Config { connections, selector, time_bits, ..Config::default() });
        }
    }
    all
}

#[test]
fn the_table_is_sound_in_every_configuration() {
    for config in configurations() {
        let nic = Nic::new(config);
        let mut names = BTreeSet::new();
        let mut last = None;
        for register in nic.registers() {
            let name = &register.name;
            assert!(names.insert(name.clone()), "{name} twice");
            assert_eq!(nic.address(name), Some(register.address), "{name}");
            assert!(
                register.address % 4 == 0 && last < Some(register.address),
                "{name} at {:#x}",
                register.address
            );
            last = Some(register.address);
            let most = (u64::MAX >> (64 - register.width)) as u32;
            assert!(register.reset <= most && *register.allowed.end() <= most, "{name} is too narrow");
            assert!(!register.meaning.is_empty() && !name.is_empty());
            assert_eq!(register.access == Access::ReadOnly, register.allowed.is_empty(), "{name}");
            if register.access == Access::ReadWrite {
                assert!(
                    register.allowed.contains(&register.reset),
                    "{name} resets to what cannot be written"
                );
            }
        }
        assert_eq!(nic.address("no_such_register"), None);
        for counter in Counter::ALL {
            assert!(names.contains(&format!("{}_low", counter.name())), "{}", counter.name());
        }
        let selector = nic.config().selector;
        let of_reps =
            ["freeze_timeout", "bdp_packets", "freeze_entered_low"].map(|name| names.contains(name));
        assert_eq!(of_reps, [matches!(selector, Choice::Reps(_)); 3], "what is the selector's own");
        let of_plb =
            ["selector_rto", "mark_threshold", "round_congested_low"].map(|name| names.contains(name));
        assert_eq!(of_plb, [selector == Choice::Plb; 3], "what is the selector's own");
    }
}

#[test]
fn every_setting_takes_its_bounds_and_nothing_beyond() {
    for config in configurations() {
        let mut nic = Nic::new(config);
        // so that sack_prescale may take all its values
        write(&mut nic, "wire_prescale", 0);
        for register in nic.registers().to_vec() {
            let Target::Setting(setting) = register.target else { continue };
            assert_eq!(register.access, Access::ReadWrite);
            let (least, most) = (*register.allowed.start(), *register.allowed.end());
            for value in [least, most] {
                if setting == Setting::WirePrescale && value == most {
                    continue; // bounded by sack_prescale, too
                }
                nic.write(register.address, value)
                    .unwrap_or_else(|error| panic!("{}: {error}", register.name));
                assert_eq!(nic.read(register.address), Ok(value), "{}", register.name);
            }
            let before = nic.counter(Counter::AccessesRefused);
            let beyond = [least.checked_sub(1), most.checked_add(1)].into_iter().flatten();
            let refused = beyond.filter(|value| nic.write(register.address, *value).is_err()).count() as u64;
            let expected = u64::from(least > 0) + u64::from(most < u32::MAX);
            assert_eq!((refused, nic.counter(Counter::AccessesRefused) - before), (expected, expected));
            let kept = if setting == Setting::WirePrescale { least } else { most };
            assert_eq!(nic.read(register.address), Ok(kept), "{} keeps its value", register.name);
        }
    }
}

#[test]
fn an_access_that_the_table_does_not_allow_is_refused_and_counted() {
    let mut nic = Nic::new(Config::default());
    let identity = nic.address("identity").expect("a register");
    let command = nic.address("command").expect("a register");
    assert_eq!(nic.read(identity), Ok(IDENTITY));
    assert_eq!(nic.write(identity, 0), Err(AccessError::ReadOnly { address: identity }));
    assert_eq!(nic.read(command), Err(AccessError::WriteOnly { address: command }));
    assert_eq!(nic.read(0x7c), Err(AccessError::NoRegister { address: 0x7c }));
    assert_eq!(nic.read(2), Err(AccessError::NoRegister { address: 2 }));
    assert_eq!(nic.write(0xffff_fffc, 0), Err(AccessError::NoRegister { address: 0xffff_fffc }));
    let error = nic.write(command, 8).unwrap_err();
    assert_eq!(error.to_string(), format!("the register at {command:#x} takes values from 1 to 7, not 8"));
    assert_eq!(read(&mut nic, "accesses_refused_low"), 6);
}

#[test]
fn a_tick_of_sack_tx_is_never_shorter_than_one_of_the_wire() {
    let mut nic = Nic::new(Config::default());
    let (wire, sack) = (
        nic.address("wire_prescale").expect("a register"),
        nic.address("sack_prescale").expect("a register"),
    );
    assert_eq!(nic.write(wire, 6), Err(AccessError::Prescalers { sack: 5, wire: 6 }));
    nic.write(sack, 6).expect("in range");
    nic.write(wire, 6).expect("now it is not shorter");
    assert_eq!(nic.write(sack, 5), Err(AccessError::Prescalers { sack: 5, wire: 6 }));
    assert_eq!((nic.read(wire), nic.read(sack)), (Ok(6), Ok(6)));
}

#[test]
fn a_round_of_the_walker_fits_into_half_the_times_of_sack_tx() {
    let least = |connections| Config { connections, ..Config::default() }.least_sack_prescale();
    // 200 cycles a connection, 2^15 ticks
    assert_eq!([16, 256, 1024, 16384].map(least), [0, 1, 3, 7]);
    let mut nic = Nic::new(Config { connections: 16384, ..Config::default() });
    assert_eq!(read(&mut nic, "sack_prescale"), 7);
    let sack = nic.address("sack_prescale").expect("a register");
    assert!(matches!(nic.write(sack, 6), Err(AccessError::OutOfRange { least: 7, most: 16, .. })));
}

#[test]
fn the_high_half_of_a_counter_is_that_of_the_low_half_read() {
    // a walker that sleeps: nothing else happens in these seconds
    let limits = Limits { visit_cycles: 1 << 40, ..Limits::default() };
    let mut nic = Nic::new(Config { limits, ..Config::default() });
    nic.advance(0xffff_fff0);
    assert_eq!((read(&mut nic, "time_low"), read(&mut nic, "time_high")), (0xffff_fff0, 0));
    nic.advance(0x1_0000_0010);
    assert_eq!(read(&mut nic, "time_high"), 0, "kept");
    assert_eq!((read(&mut nic, "time_low"), read(&mut nic, "time_high")), (0x10, 1));
    assert_eq!((read(&mut nic, "rx_new_low"), read(&mut nic, "rx_new_high")), (0, 0));
}

#[test]
fn a_write_of_any_value_clears_a_counter_and_no_other() {
    let mut nic = opened(config(Profile::Strack), 100);
    for psn in [100, 101] {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
    }
    nic.read(2).expect_err("no register");
    let high = nic.address("tx_data_high").expect("a register");
    assert_eq!(nic.write(high, 0), Err(AccessError::ReadOnly { address: high }));
    write(&mut nic, "tx_data_low", u32::MAX);
    assert_eq!((nic.counter(Counter::TxData), nic.counter(Counter::AccessesRefused)), (0, 2));
    send(&mut nic, data(Profile::Strack, 102).frame()).expect("sent");
    assert_eq!(nic.counter(Counter::TxData), 1, "it goes on from there");
    write(&mut nic, "accesses_refused_low", 0);
    assert_eq!(nic.counter(Counter::AccessesRefused), 0);
}

#[test]
fn constants_are_those_of_the_configuration() {
    let mut nic =
        Nic::new(Config { connections: 64, window: 128, profile: Profile::Uet, ..Config::default() });
    let values =
        ["connections", "window", "profile", "selector", "ev_bits", "time_bits", "bus_bits", "clock_khz"]
            .map(|name| read(&mut nic, name));
    assert_eq!(values, [64, 128, 1, 0, 16, 32, 512, 322_266]);
    assert_eq!(read(&mut nic, "udp_port"), 4793);
}

#[test]
fn read_says_where_a_connection_stands() {
    let mut nic = opened(config(Profile::Strack), 100);
    send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
    send(&mut nic, data(Profile::Strack, 101).frame()).expect("sent");
    command(&mut nic, Command::Read, 5, 0);
    let result = ["status", "snd_una", "snd_nxt", "in_flight", "bytes_in_flight", "in_recovery"]
        .map(|field| read(&mut nic, &format!("result_{field}")));
    assert_eq!(result, [0, 100, 102, 2, 80, 0]);
    command(&mut nic, Command::Read, 6, 0);
    let result =
        ["status", "snd_una", "snd_nxt", "in_flight"].map(|field| read(&mut nic, &format!("result_{field}")));
    assert_eq!(result, [7, 0, 0, 0]);
    let address = nic.address("command_conn").expect("a register");
    assert!(nic.write(address, 16).is_err(), "there are 16 connections");
}

#[test]
fn close_tx_says_where_a_connection_stood() {
    let mut nic = opened(config(Profile::Strack), 100);
    send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
    send(&mut nic, data(Profile::Strack, 101).frame()).expect("sent");
    let result = |nic: &mut Nic| {
        ["status", "snd_una", "snd_nxt", "in_flight", "bytes_in_flight", "in_recovery"]
            .map(|field| read(nic, &format!("result_{field}")))
    };
    command(&mut nic, Command::CloseTx, 5, 0);
    assert_eq!(result(&mut nic), [0, 100, 102, 2, 80, 0]);
    command(&mut nic, Command::Read, 5, 0);
    assert_eq!(result(&mut nic), [7, 0, 0, 0, 0, 0]);
    command(&mut nic, Command::CloseTx, 5, 0);
    assert_eq!(result(&mut nic), [7, 0, 0, 0, 0, 0], "it was closed before");
}

#[test]
fn reset_closes_all_connections_and_takes_the_seed() {
    let ev = |seed| {
        let mut nic = opened(config(Profile::Strack), 100);
        send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
        nic.offer(data(Profile::Strack, 101).frame()).expect("tx_in takes it");
        write(&mut nic, "seed", seed);
        write(&mut nic, "command", Command::Reset as u32);
        assert_eq!(nic.transmit(), None, "what waited is gone");
        assert_eq!(send(&mut nic, data(Profile::Strack, 101).frame()), None, "the connection is closed");
        assert_eq!(nic.counter(Counter::TxData), 1, "counters stay");
        nic.event().expect("the refusal");
        open(&mut nic, 5, 7);
        let frame = send(&mut nic, data(Profile::Strack, 7).frame()).expect("sent").frame;
        (frame[34], frame[35])
    };
    assert_eq!(ev(3), ev(3));
    assert_ne!(ev(3), ev(4));
}

#[test]
fn events_that_are_not_enabled_are_neither_made_nor_lost() {
    let mut nic = opened(config(Profile::Strack), 100);
    let all = read(&mut nic, "event_enable");
    write(&mut nic, "event_enable", all & !(1 << Kind::Refused.code()));
    assert_eq!(send(&mut nic, data(Profile::Strack, 200).frame()), None);
    assert_eq!(
        (nic.event(), nic.counter(Counter::TxRefused), nic.counter(Counter::EventsLost)),
        (None, 1, 0)
    );
}
