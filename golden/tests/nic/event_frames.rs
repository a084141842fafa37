//! Events that go to the host in Ethernet frames: what a frame says, when it leaves, and what becomes of events that nobody takes.

use respray_golden::hosts::scenarios::Scenario;
use respray_golden::hosts::{Hooks, run};
use respray_golden::nic::{
    Choice, Command, Config, Counter, EventFrame, Kind, Limits, MOST_AHEAD, MOST_EVENTS, Nic,
};
use respray_golden::wire::Profile;

use super::{arriving, command, config, data, opened, read, send, write};

const EVENT_TYPE: u16 = 0x88b5;

fn framing() -> Config {
    Config { event_frames: true, ..config(Profile::Strack) }
}

/// So many events: the host sends packets that are far from the next one.
fn refused(nic: &mut Nic, psns: std::ops::Range<u32>) {
    psns.for_each(|psn| assert_eq!(send(nic, data(Profile::Strack, psn).frame()), None));
}

/// The frames of events that the host gets, of which it reads each.
fn taken(nic: &mut Nic) -> Vec<EventFrame> {
    let frames = std::iter::from_fn(|| nic.deliver()).filter(|delivery| delivery.is_events);
    frames.map(|delivery| EventFrame::read(&delivery.frame, EVENT_TYPE).expect("events")).collect()
}

fn psns(frames: &[EventFrame]) -> Vec<u32> {
    frames.iter().flat_map(|frame| &frame.events).map(|event| event.psn).collect()
}

#[test]
fn a_frame_of_events_is_these_bytes() {
    let mut nic = opened(framing(), 100);
    for (name, value) in [
        ("event_mac_high", 0x0a1b),
        ("event_mac_low", 0x2c3d_4e5f),
        ("event_type", 0x9000),
        ("event_ticks", 0),
    ] {
        write(&mut nic, name, value);
    }
    refused(&mut nic, 200..201);
    assert_eq!(nic.event(), None, "events have one way");
    let delivery = nic.deliver().expect("a frame");
    assert_eq!((delivery.is_events, delivery.status_code(), delivery.record.kind_code()), (true, 5, 3));
    #[rustfmt::skip]
    let mut expected = vec![
        0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f, 0x08, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f, 0x90, 0x00, 1, 1,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        Kind::Refused as u8, 5, 0, 0, 200, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
    ];
    expected.resize(64, 0);
    assert_eq!(delivery.frame, expected);
    refused(&mut nic, 201..204);
    let frame = nic.deliver().expect("a frame").frame;
    assert_eq!((frame.len(), frame[15], frame[16]), (32 + 3 * 16, 3, 1));
    assert_eq!(EventFrame::read(&frame, EVENT_TYPE), None, "another EtherType");
    assert_eq!(EventFrame::read(&frame[..79], 0x9000), None, "a record is cut off");
    assert_eq!(EventFrame::read(&frame[..31], 0x9000), None, "the header is cut off");
}

#[test]
fn a_frame_leaves_with_a_batch_or_when_the_first_event_has_waited() {
    let mut nic = opened(framing(), 100);
    write(&mut nic, "event_batch", 4);
    write(&mut nic, "event_ticks", 100);
    refused(&mut nic, 200..203);
    nic.advance((100 << 3) - 1);
    assert_eq!(taken(&mut nic), []);
    refused(&mut nic, 203..206);
    assert_eq!(psns(&taken(&mut nic)), [200, 201, 202, 203]);
    assert_eq!(read(&mut nic, "events_waiting"), 2);
    nic.advance((200 << 3) - 2);
    assert_eq!(taken(&mut nic), [], "those that are left wait since the frame before");
    nic.advance((200 << 3) - 1);
    assert_eq!(psns(&taken(&mut nic)), [204, 205]);
    refused(&mut nic, 300..330);
    let frames = taken(&mut nic);
    assert_eq!(psns(&frames), (300..328).collect::<Vec<_>>());
    assert!(frames.iter().all(|frame| frame.events.len() == 4));
    assert_eq!(frames.last().map(|frame| frame.number), Some(8));
}

#[test]
fn a_batch_of_none_or_too_many_is_refused() {
    let mut nic = Nic::new(framing());
    for value in [0, MOST_EVENTS as u32 + 1] {
        let address = nic.address("event_batch").expect("a register");
        assert!(nic.write(address, value).is_err(), "{value}");
    }
    assert_eq!((read(&mut nic, "event_batch"), read(&mut nic, "event_type")), (62, 0x88b5));
}

#[test]
fn what_finds_no_place_is_counted_in_the_next_frame_and_numbers_go_on() {
    let limits = Limits { events: 8, ..Limits::default() };
    let mut nic = opened(Config { limits, ..framing() }, 100);
    write(&mut nic, "event_batch", 8);
    refused(&mut nic, 200..230);
    assert_eq!(nic.counter(Counter::EventsLost), 22);
    let frames = taken(&mut nic);
    assert_eq!((psns(&frames), frames[0].lost), ((200..208).collect::<Vec<_>>(), 22));
    refused(&mut nic, 230..238);
    let frames = taken(&mut nic);
    assert_eq!((frames[0].number, frames[0].lost, frames[0].events[0].after_loss), (1, 22, true));
    write(&mut nic, "command", Command::Reset as u32);
    command(&mut nic, Command::OpenTx, 5, 100);
    refused(&mut nic, 300..308);
    let frames = taken(&mut nic);
    assert_eq!((frames[0].number, frames[0].lost), (0, 0), "both begin anew");
}

#[test]
fn frames_that_came_and_frames_of_events_take_turns() {
    let mut nic = opened(framing(), 100);
    write(&mut nic, "event_batch", 1);
    refused(&mut nic, 200..203);
    (100..103).for_each(|psn| nic.receive(arriving(Profile::Strack, psn).frame(), false));
    let kinds: Vec<bool> = std::iter::from_fn(|| nic.deliver()).map(|delivery| delivery.is_events).collect();
    assert_eq!(kinds, [true, false, true, false, true, false]);
}

#[test]
fn a_frame_of_events_takes_a_credit_and_waits_for_one() {
    let mut nic = opened(Config { rx_credit: true, ..framing() }, 100);
    write(&mut nic, "event_batch", 1);
    refused(&mut nic, 200..203);
    assert_eq!(taken(&mut nic), []);
    write(&mut nic, "rx_credit", 2);
    assert_eq!(psns(&taken(&mut nic)), [200, 201]);
    nic.receive(arriving(Profile::Strack, 100).frame(), false);
    assert_eq!(nic.counter(Counter::NoCredit), 1, "they have taken what was granted");
    assert_eq!(read(&mut nic, "rx_credit_state"), 2 << 16 | 2);
    write(&mut nic, "rx_credit", 2 + MOST_AHEAD as u32);
    assert_eq!(psns(&taken(&mut nic)), [202]);
}

#[test]
fn psns_to_send_again_are_never_lost_in_frames() {
    let limits = Limits { events: 3, ..Limits::default() };
    let mut nic = opened(Config { limits, ..framing() }, 100);
    write(&mut nic, "rto", 50);
    write(&mut nic, "event_ticks", 0);
    (100..120).for_each(|psn| {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
    });
    nic.advance(60 << 5);
    let frames = taken(&mut nic);
    let again = frames.iter().flat_map(|frame| &frame.events).filter(|event| event.kind == Kind::Retransmit);
    assert_eq!(again.map(|event| event.psn).collect::<Vec<_>>(), (100..120).collect::<Vec<_>>());
}

#[test]
fn pairs_whose_hosts_read_frames_deliver_once() {
    for config in [
        framing(),
        Config { rx_credit: true, ..framing() },
        Config { selector: Choice::reps(), ..Config { event_frames: true, ..config(Profile::Uet) } },
    ] {
        let setup = Scenario::Lossy.setup(config, 200_000, 7);
        let report = run(&setup, Hooks::default()).unwrap_or_else(|broken| panic!("{broken}"));
        assert!(report.nics.iter().all(|nic| nic.counter(Counter::EventsLost) == 0));
    }
}

/// ACKs come so many million times a second for a while, and the host takes an event in so many cycles where events have a port, or each
/// frame; events that were lost, and told.
fn acks(config: Config) -> (u64, usize) {
    const CLOCK_MHZ: f64 = 322.265625;
    const ACKS: f64 = 3.0;
    // four accesses each
    const EVENTS_AT_REGISTERS: f64 = 0.6;
    const PACKETS: u32 = 2000;
    let mut nic = opened(config.clone(), 100);
    let mut peer = opened(config.clone(), 100);
    let (mut told, mut looked) = (0, 0.0);
    for packet in 0..PACKETS {
        let now = f64::from(packet) * CLOCK_MHZ / ACKS;
        nic.advance(now as u64);
        peer.advance(now as u64);
        let sent = send(&mut nic, data(Profile::Strack, 100 + packet).frame()).expect("the window is open");
        peer.receive(sent.frame, false);
        nic.receive(peer.transmit().expect("a SACK").frame, false);
        while peer.deliver().is_some() {}
        told += taken(&mut nic).iter().map(|frame| frame.events.len()).sum::<usize>();
        while looked <= now {
            told += usize::from(nic.event().is_some());
            looked += CLOCK_MHZ / EVENTS_AT_REGISTERS;
        }
    }
    (nic.counter(Counter::EventsLost), told)
}

#[test]
fn of_three_million_acks_a_second_no_event_is_lost_in_frames_and_most_are_at_registers() {
    let (lost, told) = acks(framing());
    assert_eq!(lost, 0);
    // progress and RTT of each, but for those that wait for the last frame
    assert!(told > 3900, "{told}");
    let (lost, told) = acks(config(Profile::Strack));
    assert!(lost > 2000 && told < 500, "{lost} lost, {told} told");
}
