//! Every setting does what its register says.

use respray_golden::nic::{Choice, Command, Config, Counter, Kind, LossFeedback, Nic, Sent};
use respray_golden::reps::{Keys, Variant};
use respray_golden::sack_rx::Status;
use respray_golden::selector::SendKind;
use respray_golden::wire::{Profile, strack, uet};

use super::sending::{strack_ack, uet_ack};
use super::{arriving, command, config, data, events, kinds, open, opened, send, write};
use crate::rewrite::build::Build;

/// Sends a packet of connection 5, and says where its EV came from.
fn kind_of(nic: &mut Nic, psn: u32) -> SendKind {
    match send(nic, data(Profile::Strack, psn).frame()).expect("sent").sent {
        Sent::Data { kind, .. } => kind,
        other => panic!("{other:?}"),
    }
}

/// An ACK for everything below a PSN.
fn acknowledge(nic: &mut Nic, epsn: u32) {
    let (sack_base, recv_bytes) = (epsn / 64 * 64, (epsn - 100) * 40);
    let ack =
        strack::Ack { expected_psn: epsn, sack_base, recv_bytes, echo_entropy: 7, ..Default::default() };
    nic.receive(strack_ack(ack), false);
}

#[test]
fn timeouts_in_a_row_double_the_rto_as_often_as_they_may() {
    for (most, expected) in [(0, 8), (1, 4), (7, 3)] {
        let mut nic = opened(config(Profile::Strack), 100);
        write(&mut nic, "rto", 100);
        write(&mut nic, "rto_backoff_max", most);
        send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
        // at 100, 300 and 700 ticks of 2^5 cycles; and what a visit is late each time
        nic.advance(850 << 5);
        assert_eq!(nic.counter(Counter::LossTimeout), expected, "rto_backoff_max {most}");
    }
}

/// Cycles that a freeze of 1000 ticks lasts, to within 100.
fn freeze(config: Config, prescale: Option<(&str, u32)>) -> u64 {
    let mut nic = opened(config, 100);
    prescale.into_iter().for_each(|(name, value)| write(&mut nic, name, value));
    write(&mut nic, "freeze_timeout", 1000);
    write(&mut nic, "rto", 50);
    send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
    while !kinds(&events(&mut nic)).contains(&Kind::FreezeEntered) {
        nic.advance(nic.cycles() + 1);
    }
    let entered = nic.cycles();
    while !kinds(&events(&mut nic)).contains(&Kind::FreezeLeft) {
        nic.advance(nic.cycles() + 100);
        command(&mut nic, Command::Nack, 5, 0);
    }
    nic.cycles() - entered
}

#[test]
fn a_freeze_is_measured_in_the_selectors_ticks() {
    // of variant uet any feedback ends a freeze that is over
    let selector = Choice::Reps(Keys { depth: 8, variant: Variant::Uet });
    let config = Config { selector, ..config(Profile::Strack) };
    let near = |cycles: u64, expected: u64| (expected..expected + 200).contains(&cycles);
    let plain = freeze(config.clone(), None);
    assert!(near(plain, 1000), "{plain}");
    let slower = freeze(config.clone(), Some(("selector_prescale", 4)));
    assert!(near(slower, 1000 << 4), "{slower}");
    let of_the_wire = freeze(Config { time_bits: 16, ..config }, Some(("selector_prescale", 4)));
    assert!(near(of_the_wire, 1000 << 3), "{of_the_wire}");
}

#[test]
fn packets_of_a_bdp_are_explored_after_a_freeze() {
    for bdp in [1, 3] {
        let mut nic = opened(config(Profile::Strack), 100);
        write(&mut nic, "freeze_timeout", 1000);
        write(&mut nic, "bdp_packets", bdp);
        write(&mut nic, "rto", 50);
        kind_of(&mut nic, 100);
        nic.advance(60 << 5);
        nic.advance(nic.cycles() + 2000);
        acknowledge(&mut nic, 101);
        assert!(kinds(&events(&mut nic)).contains(&Kind::FreezeLeft));
        let explored = (101..110).take_while(|psn| kind_of(&mut nic, *psn) == SendKind::Explore).count();
        assert_eq!(explored as u32, bdp);
    }
}

#[test]
fn more_packets_out_of_order_than_the_window_are_a_loss() {
    for (cwnd, is_loss) in [(6, true), (7, false)] {
        let mut nic = opened(config(Profile::Strack), 100);
        write(&mut nic, "cwnd_packets", cwnd);
        (100..108).for_each(|psn| {
            send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
        });
        // all but the first one arrived
        let sack_bitmap = ((1 << 36) - 1) | 0x7f << 37;
        let ack = strack::Ack {
            expected_psn: 100,
            sack_base: 64,
            sack_bitmap,
            ooo: 7,
            recv_bytes: 280,
            ..Default::default()
        };
        nic.receive(strack_ack(ack), false);
        let seen = events(&mut nic);
        let loss = seen.iter().find(|event| event.kind == Kind::Loss).map(|event| (event.detail, event.psn));
        assert_eq!(loss, is_loss.then_some((1, 100)), "window of {cwnd}");
        let again: Vec<u32> =
            seen.iter().filter(|event| event.kind == Kind::Retransmit).map(|event| event.psn).collect();
        assert_eq!(again, if is_loss { vec![100] } else { vec![] });
    }
}

#[test]
fn the_selector_hears_of_the_losses_that_the_block_is_built_for() {
    use LossFeedback::{Any, None, Stalled};
    for (losses, by_order, by_timeout) in [(Stalled, false, true), (Any, true, true), (None, false, false)] {
        let nic = || {
            let mut nic = opened(Config { loss_feedback: losses, ..config(Profile::Strack) }, 100);
            write(&mut nic, "cwnd_packets", 6);
            (100..108).for_each(|psn| {
                send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
            });
            nic
        };
        let freezes = |nic: &mut Nic| {
            let told = kinds(&events(nic));
            assert!(told.contains(&Kind::Loss), "{losses:?}: the host hears of each loss: {told:?}");
            told.contains(&Kind::FreezeEntered)
        };
        let mut ordered = nic();
        let ack = strack::Ack {
            expected_psn: 100,
            sack_base: 64,
            sack_bitmap: ((1 << 36) - 1) | 0x7f << 37,
            ooo: 7,
            recv_bytes: 280,
            ..Default::default()
        };
        ordered.receive(strack_ack(ack), false);
        assert_eq!(freezes(&mut ordered), by_order, "{losses:?}");
        let mut stalled = nic();
        write(&mut stalled, "rto", 50);
        stalled.advance((51 << 5) + 16 * 8);
        assert_eq!(freezes(&mut stalled), by_timeout, "{losses:?}");
    }
}

#[test]
fn a_probe_that_was_not_timed_proves_no_loss() {
    let losses = |is_sent: bool| {
        let mut nic = opened(config(Profile::Uet), 100);
        write(&mut nic, "probe_timeout", 100);
        send(&mut nic, data(Profile::Uet, 100).frame()).expect("sent");
        nic.advance((101 << 5) + 16 * 8);
        if is_sent {
            nic.transmit().expect("the probe");
        }
        let cc = uet::AckCc { sack_psn_offset: 64 - 99, sack_bitmap: (1 << 36) - 1, ..Default::default() };
        nic.receive(
            uet_ack(uet::Ack { cack_psn: 99, probe: true, cc: Some(cc), ..Default::default() }),
            false,
        );
        nic.counter(Counter::LossProbe)
    };
    assert_eq!((losses(true), losses(false)), (1, 0));
}

#[test]
fn an_ev_goes_into_the_flow_label_where_that_is_enabled() {
    let shape = Build { v6: true, flow_label: 0xa_0000, ..data(Profile::Strack, 100) };
    let label = |frame: &[u8]| (frame[15] & 15, [frame[16], frame[17]] == [frame[54], frame[55]]);
    let labels = |enable| {
        let mut nic = opened(config(Profile::Strack), 100);
        write(&mut nic, "flow_label_enable", enable);
        write(&mut nic, "probe_timeout", 100);
        let data = send(&mut nic, shape.frame()).expect("sent").frame;
        nic.advance((101 << 5) + 16 * 8);
        let probe = nic.transmit().expect("a probe").frame;
        [label(&data), label(&probe)]
    };
    assert_eq!((labels(0), labels(1)), ([(10, false); 2], [(10, true); 2]));
}

#[test]
fn another_udp_port_tells_the_profile() {
    let mut nic = opened(config(Profile::Strack), 100);
    write(&mut nic, "udp_port", 5000);
    let other = Build { port: 5000, ..data(Profile::Strack, 100) };
    assert_eq!(send(&mut nic, data(Profile::Strack, 100).frame()).expect("it passes").sent, Sent::Other);
    assert!(matches!(send(&mut nic, other.frame()).expect("sent").sent, Sent::Data { .. }));
    nic.receive(Build { port: 5000, ..arriving(Profile::Strack, 100) }.frame(), false);
    assert_eq!(nic.transmit().expect("a SACK").frame[36..38], 5000u16.to_be_bytes());
}

#[test]
fn a_connection_that_is_opened_anew_has_no_past() {
    let mut nic = opened(config(Profile::Uet), 100);
    send(&mut nic, data(Profile::Uet, 100).frame()).expect("sent");
    open(&mut nic, 5, 100);
    nic.advance(500 << 3);
    send(&mut nic, data(Profile::Uet, 100).frame()).expect("sent");
    nic.advance(700 << 3);
    nic.receive(uet_ack(uet::Ack { cack_psn: 100, cc: None, ..Default::default() }), false);
    let rtt = events(&mut nic).into_iter().find(|event| event.kind == Kind::Rtt).expect("a sample");
    assert_eq!(rtt.detail, 200, "of the packet sent since");
}

#[test]
fn after_a_reset_nothing_is_received() {
    let mut nic = opened(config(Profile::Strack), 100);
    write(&mut nic, "command", Command::Reset as u32);
    nic.receive(arriving(Profile::Strack, 100).frame(), false);
    assert_eq!(nic.deliver().expect("it goes to the host").status, Some(Status::Uninitialised));
}
