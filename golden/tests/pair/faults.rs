//! Faults that the pair must see: of the nic, of the host, and of frames on their way.

use respray_golden::hosts::scenarios::sack_ticks;
use respray_golden::hosts::{Broken, Hooks, Setup, run};
use respray_golden::nic::{Choice, Counter, Event, Kind, Limits, Sent, Transmitted};
use respray_golden::paths::{self, End, PPM};
use respray_golden::rewrite::{self, Extent, ProfileTraffic};
use respray_golden::wire::{Packet, Profile};

use super::{MS, US, lossy, pass};

fn break_of(setup: &Setup, hooks: Hooks) -> Broken {
    run(setup, hooks).err().expect("the fault is seen")
}

fn hooks(frame: fn(End, &mut Transmitted) -> bool) -> Hooks {
    Hooks { frame, ..Hooks::default() }
}

/// The lossy network of the other tests, without what a fault does not need.
fn setup() -> Setup {
    let mut setup = lossy(Choice::reps(), Profile::Strack, 3);
    setup.limit_ps = 4 * MS;
    setup
}

/// Changes a SACK of `strack`. Nothing looks at the UDP checksum.
fn change_ack(transmitted: &mut Transmitted, change: fn(&mut respray_golden::wire::strack::Ack)) {
    let frame = &mut transmitted.frame;
    let traffic = ProfileTraffic::of(Profile::Strack);
    let headers = rewrite::read(frame, traffic, Extent::Whole).unwrap().expect("a SACK");
    let Ok(Packet::StrackAck(mut ack)) = Profile::Strack.parse(&frame[headers.at..]) else {
        panic!("a SACK is an ACK")
    };
    change(&mut ack);
    frame[headers.at..headers.at + headers.bytes].copy_from_slice(&ack.to_bytes());
}

#[test]
fn a_nic_that_swaps_no_addresses_is_seen() {
    let macs = break_of(
        &setup(),
        hooks(|_, transmitted| {
            if transmitted.sent == Sent::Sack {
                transmitted.frame[..12].rotate_left(6);
            }
            true
        }),
    );
    let ip = break_of(
        &setup(),
        hooks(|_, transmitted| {
            if transmitted.sent == Sent::Sack && transmitted.frame[12..14] == [0x08, 0x00] {
                transmitted.frame[26..34].rotate_left(4);
            }
            true
        }),
    );
    for broken in [macs, ip] {
        assert_eq!(broken.what, "a frame is not addressed to the other end: Sack");
    }
}

#[test]
fn a_probe_that_is_never_sent_is_missed() {
    let mut setup = setup();
    setup.settings.push(("rto", 0xffff)); // 6.5 ms: only the other two rules find losses in time
    let report = pass(&setup);
    assert!(report.counter(End::A, Counter::LossProbe) > 0);
    assert_eq!(report.counter(End::A, Counter::LossTimeout), 0);
    let broken = break_of(&setup, hooks(|_, transmitted| !matches!(transmitted.sent, Sent::Probe { .. })));
    assert_eq!(broken.what, "not every message is delivered");
}

#[test]
fn a_host_that_ignores_an_event_is_seen() {
    let ignoring = |event: fn(End, &Event) -> bool| Hooks { event, ..Hooks::default() };
    for event in [
        (|_, event| event.kind != Kind::Retransmit) as fn(End, &Event) -> bool,
        |_, event| event.kind != Kind::Acknowledged,
        |_, event| event.kind != Kind::Retransmit || event.psn % 3 != 0,
    ] {
        assert_eq!(break_of(&setup(), ignoring(event)).what, "not every message is delivered");
    }
}

#[test]
fn the_out_of_order_count_alone_finds_too_little() {
    // a tail and a retransmission that are lost have nothing behind them
    for probes_prove_nothing in [("probe_rtt", 0), ("probe_timeout", 0xffff)] {
        let mut setup = setup();
        setup.settings.extend([("rto", 0xffff), probes_prove_nothing]);
        assert_eq!(break_of(&setup, Hooks::default()).what, "not every message is delivered");
    }
}

#[test]
fn a_byte_that_changes_on_its_way_is_seen() {
    let broken = break_of(
        &setup(),
        hooks(|end, transmitted| {
            if end == End::A && matches!(transmitted.sent, Sent::Data { .. }) {
                *transmitted.frame.last_mut().expect("a frame has bytes") ^= 1;
            }
            true
        }),
    );
    assert!(broken.what.ends_with("is not as it was sent"), "{broken}");
}

#[test]
fn a_sack_that_says_too_much_is_seen() {
    let broken = break_of(
        &setup(),
        hooks(|_, transmitted| {
            if transmitted.sent == Sent::Sack {
                change_ack(transmitted, |ack| ack.expected_psn = (ack.expected_psn + 1) % (1 << 24));
            }
            true
        }),
    );
    assert!(broken.what.contains("packets are acknowledged"), "{broken}");
}

#[test]
fn a_sack_without_its_bitmap_is_missed() {
    let again = |hooks: Hooks| {
        let report = run(&setup(), hooks).unwrap_or_else(|broken| panic!("{broken}"));
        report.counter(End::A, Counter::TxAgain)
    };
    let forgetting = again(hooks(|_, transmitted| {
        if transmitted.sent == Sent::Sack {
            change_ack(transmitted, |ack| ack.sack_bitmap = 0);
        }
        true
    }));
    let complete = again(Hooks::default());
    assert!(
        forgetting > complete * 5 / 4,
        "{forgetting} packets are sent again, {complete} with the bitmaps"
    );
}

#[test]
fn events_that_are_lost_are_made_good_by_read() {
    let mut setup = setup();
    setup.limit_ps = 20 * MS;
    setup.nic.limits = Limits { events: 16, ..Limits::default() };
    setup.event_interval_ps = 5 * US;
    setup.network.paths.iter_mut().for_each(|path| path.loss_ppm = PPM / 20);
    let report = pass(&setup);
    for end in End::BOTH {
        assert!(
            report.counter(end, Counter::EventsLost) > 50,
            "{}",
            report.counter(end, Counter::EventsLost)
        );
        assert!(report.restored[end.index()] > 0);
    }
}

#[test]
fn a_nic_that_drops_what_it_cannot_take_delivers_everything_all_the_same() {
    let mut setup = setup();
    setup.limit_ps = 40 * MS;
    // an ACK takes 2 us, data 0.4 us, and two of them wait
    setup.nic.limits =
        Limits { engine_ops: 2, ack_cycles: 640, data_cycles: 128, sacks: 1, ..Limits::default() };
    setup.network.paths.iter_mut().for_each(|path| {
        *path = paths::Path { loss_ppm: 0, reorder_ps: US, ..*path };
    });
    setup.settings.push(("rto", sack_ticks(400)));
    let report = pass(&setup);
    let total = |counter| report.counter(End::A, counter) + report.counter(End::B, counter);
    for counter in [Counter::AcksDropped, Counter::RxDroppedEngine] {
        assert!(total(counter) > 20, "{}: {}", counter.name(), total(counter));
    }
}
