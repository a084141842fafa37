//! What happens where more comes than can be taken.

use respray_golden::nic::{Config, Counter, Event, Kind, Limits, Nic};
use respray_golden::wire::{Profile, strack};

use super::sending::strack_ack;
use super::{arriving, config, data, events, kinds, opened, read, send};

fn limited(limits: Limits) -> Nic {
    opened(Config { limits, ..config(Profile::Strack) }, 100)
}

#[test]
fn a_storm_of_sacks_is_taken_as_fast_as_the_scoreboard_can() {
    let mut nic = limited(Limits { engine_ops: 8, ack_cycles: 20, ..Limits::default() });
    (100..200).for_each(|psn| {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
    });
    let ack = |epsn: u32| {
        let (sack_base, recv_bytes) = (epsn / 64 * 64, (epsn - 100) * 40);
        strack_ack(strack::Ack { expected_psn: epsn, sack_base, recv_bytes, ..Default::default() })
    };
    // 50 at once: eight of them wait, the others are dropped
    (101..151).for_each(|epsn| nic.receive(ack(epsn), false));
    assert_eq!((nic.counter(Counter::RxAcks), nic.counter(Counter::AcksDropped)), (8, 42));
    // two are done in 40 cycles, so two more are taken
    nic.advance(40);
    (151..161).for_each(|epsn| nic.receive(ack(epsn), false));
    assert_eq!((nic.counter(Counter::RxAcks), nic.counter(Counter::AcksDropped)), (10, 50));
    // what was dropped, the next one says
    nic.advance(10_000);
    nic.receive(ack(200), false);
    let last =
        events(&mut nic).into_iter().rfind(|event| event.kind == Kind::Acknowledged).expect("acknowledged");
    assert_eq!((last.psn, last.in_flight, last.value), (200, 0, 0));
}

#[test]
fn data_that_cannot_be_taken_is_neither_delivered_nor_acknowledged() {
    let mut nic = limited(Limits { engine_ops: 2, data_cycles: 10, ..Limits::default() });
    (100..105).for_each(|psn| nic.receive(arriving(Profile::Strack, psn).frame(), false));
    assert_eq!((nic.counter(Counter::RxNew), nic.counter(Counter::RxDroppedEngine)), (2, 3));
    nic.advance(1000);
    nic.receive(arriving(Profile::Strack, 102).frame(), false);
    assert_eq!(nic.counter(Counter::RxNew), 3, "when it comes again it is new");
    assert_eq!(std::iter::from_fn(|| nic.deliver()).count(), 3);

    let mut nic = limited(Limits { rx_frames: 2, ..Limits::default() });
    (100..105).for_each(|psn| nic.receive(arriving(Profile::Strack, psn).frame(), false));
    nic.receive(vec![0xff; 60], false);
    assert_eq!((nic.counter(Counter::RxNew), nic.counter(Counter::RxDroppedHost)), (2, 4));
    nic.deliver().expect("the host takes one");
    nic.receive(arriving(Profile::Strack, 102).frame(), false);
    assert_eq!(nic.counter(Counter::RxNew), 3);
}

#[test]
fn sacks_for_which_there_is_no_room_are_dropped_and_made_good() {
    let mut nic = limited(Limits { sacks: 3, ..Limits::default() });
    (100..110).for_each(|psn| nic.receive(arriving(Profile::Strack, psn).frame(), false));
    assert_eq!(nic.counter(Counter::SacksDropped), 7);
    assert_eq!(std::iter::from_fn(|| nic.transmit()).count(), 3);
    nic.receive(arriving(Profile::Strack, 109).frame(), false);
    let frame = nic.transmit().expect("a duplicate is answered").frame;
    let ack = super::parse(Profile::Strack, &frame, &data(Profile::Strack, 0));
    assert!(matches!(ack, respray_golden::wire::Packet::StrackAck(strack::Ack { expected_psn: 110, .. })));
}

#[test]
fn the_host_waits_when_tx_in_is_full() {
    let mut nic = limited(Limits { tx_frames: 2, ..Limits::default() });
    let frame = |psn| data(Profile::Strack, psn).frame();
    assert_eq!((nic.offer(frame(100)), nic.offer(frame(101))), (Ok(()), Ok(())));
    assert_eq!(nic.offer(frame(102)), Err(frame(102)));
    nic.transmit().expect("the first one");
    assert_eq!(nic.offer(frame(102)), Ok(()));
}

#[test]
fn events_that_are_lost_are_counted_and_said_with_the_next() {
    let mut nic = limited(Limits { events: 2, ..Limits::default() });
    let refuse = |nic: &mut Nic, psn| assert_eq!(send(nic, data(Profile::Strack, psn).frame()), None);
    (200..205).for_each(|psn| refuse(&mut nic, psn));
    assert_eq!((nic.counter(Counter::EventsLost), read(&mut nic, "events_waiting")), (3, 2));
    let flags =
        |events: Vec<Event>| events.iter().map(|event| (event.psn, event.after_loss)).collect::<Vec<_>>();
    assert_eq!(nic.event().map(|event| (event.psn, event.after_loss)), Some((200, false)));
    (205..207).for_each(|psn| refuse(&mut nic, psn));
    assert_eq!(flags(events(&mut nic)), [(201, false), (205, true)]);
    refuse(&mut nic, 207);
    assert_eq!(flags(events(&mut nic)), [(207, true)], "206 was lost");
    refuse(&mut nic, 208);
    assert_eq!(flags(events(&mut nic)), [(208, false)]);
}

#[test]
fn psns_to_send_again_are_never_lost() {
    let mut nic = limited(Limits { events: 3, ..Limits::default() });
    super::write(&mut nic, "rto", 50);
    (100..120).for_each(|psn| {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
    });
    nic.advance(60 << 5);
    let mut handed_out = Vec::new();
    while let Some(event) = nic.event() {
        if event.kind == Kind::Retransmit {
            handed_out.push(event.psn);
        }
    }
    assert_eq!(handed_out, (100..120).collect::<Vec<_>>());
    assert_eq!(nic.counter(Counter::HandedOut), 20);
}

#[test]
fn a_record_of_an_event_is_these_bits() {
    let event = Event {
        kind: Kind::Acknowledged,
        after_loss: true,
        conn: 0x12_3456,
        psn: 0x789a_bcde,
        detail: 0xdef0,
        in_flight: 0x0123,
        value: 0x4567_89ab,
    };
    assert_eq!(event.to_bits(), 0x4567_89ab_0123_def0_789a_bcde_1234_5610);
    for (code, kind) in Kind::ALL.into_iter().enumerate() {
        let event = Event { kind, ..event };
        assert_eq!(usize::from(kind.code()), code);
        assert_eq!(Event::from_bits(event.to_bits()), Some(event));
    }
    assert_eq!(kinds(&[event]), [Kind::Acknowledged]);
}
