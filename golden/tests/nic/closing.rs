//! Connections that are closed by command: what they refuse, what ends with them, and that others go on.

use respray_golden::flowcut;
use respray_golden::nic::{Choice, Command, Config, Counter, Event, Kind, Nic, Sent};
use respray_golden::sack_rx::Status;
use respray_golden::wire::{Profile, strack, uet};

use super::sending::{strack_ack, uet_ack};
use super::{arriving, command, config, data, events, kinds, open, opened, send, write};
use crate::rewrite::build::Build;

/// A tick of `sack_tx`, in cycles.
const TICK: u64 = 1 << 5;

/// A data packet of another connection, and the ACK of all below a PSN for connection 5.
pub(super) fn data_of(conn: u8, psn: u32) -> Build {
    let mut build = data(Profile::Strack, psn);
    build.header[7] = conn;
    build
}

pub(super) fn ack(profile: Profile, epsn: u32) -> Vec<u8> {
    match profile {
        Profile::Strack => strack_ack(strack::Ack {
            psn: epsn - 1,
            expected_psn: epsn,
            sack_base: epsn & !63,
            sack_bitmap: (1 << (epsn % 64)) - 1,
            recv_bytes: 40,
            ..strack::Ack::default()
        }),
        Profile::Uet => uet_ack(uet::Ack { cack_psn: epsn - 1, ..uet::Ack::default() }),
    }
}

#[test]
fn packets_of_a_connection_that_was_closed_are_not_taken_and_not_acknowledged() {
    for profile in Profile::ALL {
        let mut nic = opened(config(profile), 100);
        nic.receive(arriving(profile, 100).frame(), false);
        assert_eq!(nic.transmit().expect("a SACK").sent, Sent::Sack);
        nic.deliver().expect("the packet");
        command(&mut nic, Command::CloseRx, 5, 0);
        for psn in [100, 101, 300] {
            nic.receive(arriving(profile, psn).frame(), false);
            assert_eq!(nic.deliver().expect("the host sees it").status, Some(Status::Uninitialised));
            let told = events(&mut nic);
            assert_eq!(kinds(&told), [Kind::Stray], "{profile:?} {psn}");
            assert_eq!((told[0].conn, told[0].psn, told[0].detail), (5, psn, 7));
            assert_eq!(nic.transmit(), None, "nothing is acknowledged");
        }
        assert_eq!((nic.counter(Counter::RxNotOpen), nic.counter(Counter::TxSacks)), (3, 1));
        // it still sends, and is opened anew with any PSN
        send(&mut nic, data(profile, 100).frame()).expect("sent");
        command(&mut nic, Command::OpenRx, 5, 300);
        nic.receive(arriving(profile, 300).frame(), false);
        assert_eq!(nic.deliver().expect("the packet").status, Some(Status::New));
        assert_eq!(nic.transmit().expect("a SACK").sent, Sent::Sack);
    }
}

#[test]
fn data_and_acks_of_a_connection_that_was_closed_are_refused() {
    for profile in Profile::ALL {
        let mut nic = opened(config(profile), 100);
        send(&mut nic, data(profile, 100).frame()).expect("sent");
        command(&mut nic, Command::CloseTx, 5, 0);
        assert_eq!(send(&mut nic, data(profile, 101).frame()), None);
        assert_eq!(send(&mut nic, data(profile, 100).frame()), None, "nor is it sent again");
        nic.receive(ack(profile, 101), false);
        let told: Vec<(Kind, u32, u32, u16)> = events(&mut nic)
            .iter()
            .map(|Event { kind, conn, psn, detail, .. }| (*kind, *conn, *psn, *detail))
            .collect();
        assert_eq!(told, [(Kind::Refused, 5, 101, 7), (Kind::Refused, 5, 100, 7), (Kind::BadAck, 5, 101, 7)]);
        assert_eq!((nic.counter(Counter::TxRefused), nic.counter(Counter::RxAcksBad)), (2, 1));
        // it still receives
        nic.receive(arriving(profile, 100).frame(), false);
        assert_eq!(nic.deliver().expect("the packet").status, Some(Status::New));
    }
}

/// What comes of a connection that sent a packet at time 0, closed or not, until far behind both timers.
fn waited(closes: bool) -> (Vec<Kind>, [u64; 3]) {
    let mut nic = opened(config(Profile::Strack), 100);
    open(&mut nic, 6, 100);
    write(&mut nic, "probe_timeout", 300);
    write(&mut nic, "rto", 2000);
    send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
    if closes {
        command(&mut nic, Command::CloseTx, 5, 0);
    }
    nic.advance(5000 * TICK);
    while nic.transmit().is_some() {}
    let told = kinds(&events(&mut nic));
    (told, [Counter::TxProbes, Counter::LossTimeout, Counter::HandedOut].map(|counter| nic.counter(counter)))
}

#[test]
fn no_timer_of_a_connection_that_was_closed_comes_to_its_end() {
    let (told, counted) = waited(false);
    assert!(told.contains(&Kind::Loss) && told.contains(&Kind::Retransmit) && counted.iter().all(|n| *n > 0));
    assert_eq!(waited(true), (vec![], [0; 3]));
}

/// Connections 5 and 6 have a probe that is due, and PSNs to be sent again that wait for room among the events. What comes of them
/// once there is room, with connection 5 closed or not.
fn released(closes: bool) -> (Vec<u32>, Vec<u8>) {
    let mut nic = opened(config(Profile::Strack), 100);
    open(&mut nic, 6, 100);
    for (name, value) in [("probe_timeout", 300), ("rto", 2000), ("event_enable", 0)] {
        write(&mut nic, name, value);
    }
    for conn in [5, 6] {
        send(&mut nic, data_of(conn, 100).frame()).expect("sent");
    }
    // lost, and then silent once more
    nic.advance(3000 * TICK);
    if closes {
        command(&mut nic, Command::CloseTx, 5, 0);
    }
    let probes = std::iter::from_fn(|| nic.transmit()).map(|sent| sent.frame[14 + 20 + 8 + 7]).collect();
    write(&mut nic, "event_enable", 1 << Kind::Retransmit.code());
    nic.advance(3001 * TICK);
    (events(&mut nic).iter().map(|event| event.conn).collect(), probes)
}

#[test]
fn what_waits_of_a_connection_that_is_closed_goes_and_that_of_others_does_not() {
    assert_eq!(released(false), (vec![5, 6], vec![5, 6]));
    assert_eq!(released(true), (vec![6], vec![6]));
}

/// What a connection tells that is opened and sends a packet, where one of its number was closed before in the midst of everything, or there
/// was none.
fn told_anew(profile: Profile, closes: bool) -> Vec<Event> {
    let mut nic = Nic::new(config(profile));
    if closes {
        open(&mut nic, 5, 100);
        (100..120).for_each(|psn| {
            send(&mut nic, data(profile, psn).frame()).expect("sent");
        });
        nic.receive(ack(profile, 101), false);
        nic.advance(30_000 * TICK);
        while nic.transmit().is_some() {}
        assert!(kinds(&events(&mut nic)).contains(&Kind::Loss));
        command(&mut nic, Command::CloseTx, 5, 0);
    }
    nic.advance(40_000 * TICK);
    open(&mut nic, 5, 7000);
    send(&mut nic, data(profile, 7000).frame()).expect("sent");
    nic.receive(ack(profile, 7001), false);
    events(&mut nic)
}

#[test]
fn a_connection_that_is_opened_anew_has_nothing_of_the_one_that_was_closed() {
    for profile in Profile::ALL {
        let told = told_anew(profile, false);
        assert_eq!((told[0].kind, told[0].psn, told[0].detail), (Kind::Acknowledged, 7001, 1));
        assert_eq!(told_anew(profile, true), told);
    }
}

/// With `flowcut`: a packet waits in the block because its connection drains. It leaves where the connection is closed, and its place is free.
#[test]
fn a_parked_packet_of_a_connection_that_is_closed_leaves_at_once() {
    let selector = Choice::Flowcut(flowcut::Variant::Paper);
    let mut nic = opened(Config { selector, time_bits: 16, ..config(Profile::Strack) }, 100);
    write(&mut nic, "probe_timeout", 0xffff);
    write(&mut nic, "command_rtt", 10);
    write(&mut nic, "command", Command::SetMin as u32);
    open(&mut nic, 5, 100);
    for psn in [100, 101] {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
    }
    // the first is acknowledged late, so that the connection drains
    nic.advance(10_000 << 3);
    nic.receive(ack(Profile::Strack, 101), false);
    assert!(kinds(&events(&mut nic)).contains(&Kind::Xoff));
    assert_eq!(send(&mut nic, data(Profile::Strack, 102).frame()), None, "it waits");
    assert_eq!(nic.counter(Counter::Parked), 1);
    command(&mut nic, Command::CloseTx, 5, 0);
    let left = nic.transmit().expect("it leaves");
    assert!(matches!(left.sent, Sent::Data { again: false, .. }));
    assert_eq!((nic.transmit(), nic.host_frames()), (None, 0));
    assert_eq!(send(&mut nic, data(Profile::Strack, 103).frame()), None, "it is closed");
    assert_eq!(kinds(&events(&mut nic)), [Kind::Refused]);
}
