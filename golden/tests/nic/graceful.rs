//! A block whose host hears of closes: connections that drain, events that say that a way is closed, and lives that follow each other on one
//! number.

use respray_golden::hosts::lives::{Lived, NextPsn, live};
use respray_golden::nic::{Choice, Command, Config, Counter, Event, Kind, Nic, WindowEngine};
use respray_golden::ops;
use respray_golden::sack_rx::Status;
use respray_golden::wire::Profile;

use super::closing::{ack, data_of};
use super::{arriving, command, config, data, events, kinds, open, opened, read, send, write};

fn graceful(profile: Profile) -> Config {
    Config { graceful_close: true, ..config(profile) }
}

/// Kind, detail, PSN and packets in flight.
fn told(nic: &mut Nic) -> Vec<(Kind, u16, u32, u16)> {
    let of = |event: &Event| (event.kind, event.detail, event.psn, event.in_flight);
    events(nic).iter().filter(|event| event.kind != Kind::Rtt).map(of).collect()
}

fn close_tx(nic: &mut Nic, conn: u32, drains: bool) {
    write(nic, "close_drains", drains.into());
    command(nic, Command::CloseTx, conn, 0);
}

/// A block with three packets of connection 5 in flight, from PSN 100 on.
fn sending(profile: Profile) -> Nic {
    let mut nic = opened(graceful(profile), 100);
    for psn in 100..103 {
        send(&mut nic, data(profile, psn).frame()).expect("sent");
    }
    nic
}

#[test]
fn a_connection_that_drains_takes_nothing_new_and_is_closed_when_all_is_acknowledged() {
    for profile in Profile::ALL {
        let mut nic = sending(profile);
        close_tx(&mut nic, 5, true);
        let results = ["result_status", "result_snd_una", "result_snd_nxt", "result_in_flight"];
        assert_eq!(results.map(|name| read(&mut nic, name)), [0, 100, 103, 3]);
        assert_eq!(send(&mut nic, data(profile, 103).frame()), None, "new");
        send(&mut nic, data(profile, 101).frame()).expect("what was sent before goes again");
        assert_eq!(told(&mut nic), [(Kind::Refused, 4, 103, 0)]);
        nic.receive(ack(profile, 102), false);
        assert_eq!(told(&mut nic), [(Kind::Acknowledged, 2, 102, 1)]);
        nic.receive(ack(profile, 103), false);
        assert_eq!(told(&mut nic), [(Kind::Acknowledged, 1, 103, 0), (Kind::Closed, 1, 103, 0)]);
        // it is closed, and another one is not
        assert_eq!(send(&mut nic, data(profile, 103).frame()), None);
        nic.receive(ack(profile, 103), false);
        assert_eq!(told(&mut nic), [(Kind::Refused, 7, 103, 0), (Kind::BadAck, 7, 103, 0)]);
        open(&mut nic, 6, 0);
        assert_eq!(nic.counter(Counter::TxRefused), 2);
    }
}

#[test]
fn a_connection_with_nothing_in_flight_drains_at_once_and_one_that_is_closed_says_what_was() {
    let mut nic = opened(graceful(Profile::Strack), 100);
    close_tx(&mut nic, 5, true);
    assert_eq!(told(&mut nic), [(Kind::Closed, 1, 100, 0)]);
    let mut nic = sending(Profile::Strack);
    close_tx(&mut nic, 5, false);
    assert_eq!(told(&mut nic), [(Kind::Closed, 1, 103, 3)]);
    assert_eq!(read(&mut nic, "result_in_flight"), 3);
}

#[test]
fn a_close_of_what_is_not_open_or_that_comes_twice_is_told_once() {
    let mut nic = sending(Profile::Strack);
    for drains in [true, false] {
        close_tx(&mut nic, 6, drains);
        assert_eq!((read(&mut nic, "result_status"), told(&mut nic)), (7, vec![]));
    }
    // it drains twice, and then not any longer
    close_tx(&mut nic, 5, true);
    close_tx(&mut nic, 5, true);
    assert_eq!((read(&mut nic, "result_status"), told(&mut nic)), (0, vec![]));
    close_tx(&mut nic, 5, false);
    assert_eq!(told(&mut nic), [(Kind::Closed, 1, 103, 3)]);
    close_tx(&mut nic, 5, false);
    assert_eq!((read(&mut nic, "result_status"), told(&mut nic)), (7, vec![]));
    // one that is opened while it drains takes new data, and is not closed
    let mut nic = sending(Profile::Strack);
    close_tx(&mut nic, 5, true);
    open(&mut nic, 5, 500);
    send(&mut nic, data(Profile::Strack, 500).frame()).expect("it is open");
    nic.receive(ack(Profile::Strack, 501), false);
    assert_eq!(told(&mut nic), [(Kind::Acknowledged, 1, 501, 0)]);
    // and a reset ends a drain
    close_tx(&mut nic, 5, true);
    write(&mut nic, "command", Command::Reset as u32);
    open(&mut nic, 5, 500);
    send(&mut nic, data(Profile::Strack, 500).frame()).expect("it is open");
    assert_eq!(told(&mut nic), []);
}

#[test]
fn the_host_is_told_that_receiving_is_closed_behind_the_last_packet_that_was_taken() {
    for profile in Profile::ALL {
        let mut nic = opened(graceful(profile), 100);
        for psn in [100, 101] {
            nic.receive(arriving(profile, psn).frame(), false);
        }
        command(&mut nic, Command::CloseRx, 5, 0);
        nic.receive(arriving(profile, 102).frame(), false);
        assert_eq!(told(&mut nic), [(Kind::Stray, 7, 102, 0)]);
        let status = |nic: &mut Nic| nic.deliver().and_then(|delivery| delivery.status);
        assert_eq!((status(&mut nic), told(&mut nic)), (Some(Status::New), vec![]));
        assert_eq!(status(&mut nic), Some(Status::New));
        assert_eq!(told(&mut nic), [(Kind::Closed, 2, 0, 0)]);
        assert_eq!((status(&mut nic), told(&mut nic)), (Some(Status::Uninitialised), vec![]));
        // of one that is not open it is told, too
        command(&mut nic, Command::CloseRx, 6, 0);
        assert_eq!(told(&mut nic), [(Kind::Closed, 2, 0, 0)]);
    }
}

#[test]
fn a_packet_of_another_connection_holds_nothing_back() {
    let mut nic = opened(graceful(Profile::Strack), 100);
    open(&mut nic, 6, 100);
    nic.receive(data_of(6, 100).frame(), false);
    command(&mut nic, Command::CloseRx, 5, 0);
    assert_eq!(told(&mut nic), [(Kind::Closed, 2, 0, 0)]);
}

/// No bit of `event_enable` is for it, and so it cannot be left out.
#[test]
fn a_close_is_told_whatever_events_are_enabled() {
    let mut nic = sending(Profile::Strack);
    write(&mut nic, "event_enable", 0);
    close_tx(&mut nic, 5, false);
    command(&mut nic, Command::CloseRx, 5, 0);
    let told = told(&mut nic);
    assert_eq!(
        told.iter().map(|(kind, detail, ..)| (*kind, *detail)).collect::<Vec<_>>(),
        [(Kind::Closed, 1), (Kind::Closed, 2)]
    );
}

/// Without the key there is neither the register nor the event.
#[test]
fn a_block_without_the_key_tells_nothing() {
    let mut nic = opened(config(Profile::Strack), 100);
    assert_eq!(nic.address("close_drains"), None);
    command(&mut nic, Command::CloseTx, 5, 0);
    command(&mut nic, Command::CloseRx, 5, 0);
    assert_eq!(kinds(&events(&mut nic)), []);
}

/// Packets 100 to 102 and their ACK, which come late in a life that begins with this PSN: statuses of the packets, and kinds of event at
/// the sender, which has sent two packets.
fn late(profile: Profile, first: u32) -> (Vec<Status>, Vec<Kind>) {
    let mut nic = sending(profile);
    close_tx(&mut nic, 5, false);
    command(&mut nic, Command::CloseRx, 5, 0);
    open(&mut nic, 5, first);
    for psn in first..first + 2 {
        send(&mut nic, data(profile, psn).frame()).expect("sent");
    }
    events(&mut nic);
    let statuses = (100..103).map(|psn| {
        nic.receive(arriving(profile, psn).frame(), false);
        nic.deliver().and_then(|delivery| delivery.status).expect("data")
    });
    let statuses = statuses.collect();
    events(&mut nic);
    nic.receive(ack(profile, 102), false);
    let heard = kinds(&events(&mut nic));
    (statuses, heard.into_iter().filter(|kind| *kind != Kind::Rtt).collect())
}

#[test]
fn late_packets_of_a_former_life_are_known_by_their_psns_and_only_by_them() {
    for profile in Profile::ALL {
        let window = config(profile).window;
        assert_eq!(late(profile, 103 + window), (vec![Status::Duplicate; 3], vec![]), "{profile:?}");
        // hosts that begin where the former life began get its packets, and its ACK acknowledges what has not come
        assert_eq!(late(profile, 100), (vec![Status::New; 3], vec![Kind::Acknowledged]), "{profile:?}");
    }
}

fn lives(config: Config, next: NextPsn, seed: u64) -> Result<Lived, String> {
    live([(); 2].map(|()| Nic::new(config.clone())), 12, next, seed).map(|(_, lived)| lived)
}

#[test]
fn lives_follow_each_other_under_loss_and_reordering_beyond_a_window() {
    let selector = Choice::Ops(ops::Keys { order: ops::Order::Random, paths: 256 });
    for config in [
        graceful(Profile::Strack),
        Config { selector, ..graceful(Profile::Uet) },
        Config { window: 64, window_engine: WindowEngine::Strack, ..graceful(Profile::Strack) },
    ] {
        let lived =
            lives(config.clone(), NextPsn::Beyond, 3).unwrap_or_else(|what| panic!("{config:?}: {what}"));
        println!("{lived:?}");
        let Lived { drained, cut, late, after, held_back, refused, late_acks } = lived;
        assert_eq!(drained + cut, 6 * 12 + 2);
        assert!(
            [drained, cut, late, after, held_back, refused, late_acks].iter().all(|n| *n > 0),
            "{lived:?}"
        );
    }
}

#[test]
fn hosts_that_begin_with_the_same_psn_get_packets_of_former_lives() {
    for profile in Profile::ALL {
        let wrong = lives(graceful(profile), NextPsn::Same, 3).expect_err("packets of former lives come");
        println!("{wrong}");
    }
}
