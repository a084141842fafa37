//! What an initiator sends: SYNs, ACK requests, Start_PSN, timeouts and their limit, Clears, probes.

use std::collections::BTreeSet;

use respray_golden::hosts::pds::headers::{Ctl, Destination, Header, Mode};
use respray_golden::hosts::pds::{AckRequests, ClearForm, Config, Event, Fault, Message};

use super::{
    A, Found, address, config_a, drain, endpoint, from_b, hex, holds, initiator, message, pdc, poll_all, same,
};

/// Flags AR of requests that leave.
fn asks(config: Config, packets: usize) -> Vec<bool> {
    let payload = config.payload;
    let (mut endpoint, _) = endpoint(config);
    endpoint.open(address(2), Mode::Rud).expect("there is room");
    endpoint.submit(A, &message(packets * payload));
    poll_all(&mut endpoint, 0).iter().map(|text| hex(&text[..4])[1] & 8 != 0).collect()
}

#[test]
fn ack_requests_are_as_set() {
    let base = || config_a(None);
    let first_and_last = [true, false, false, false, true];
    assert_eq!(asks(base(), 5), first_and_last);
    assert_eq!(asks(Config { ack_requests: AckRequests::Every, ..base() }, 5), [true; 5]);
    assert_eq!(asks(Config { ack_requests: AckRequests::Never, ..base() }, 5), [false; 5]);
    assert_eq!(asks(Config { cwnd: 3, ..base() }, 5), [true, false, true], "the window closes behind it");
    assert_eq!(
        asks(Config { syn_packets: 1, ..base() }, 5),
        [true],
        "one SYN, and nothing more until its ACK"
    );
}

/// Until it is bound a connection sends at most 4096 packets, all SYNs, whose offsets say where it began.
#[test]
fn syns_are_few_enough_for_their_offset() {
    let open = Config { cwnd: 10_000, window: 10_000, default_mpr: 0, payload: 1, ..config_a(None) };
    let (mut endpoint, _) = endpoint(Config { start_psn: Some(0xffff_ff00), ..open });
    endpoint.open(address(2), Mode::Rud).expect("there is room");
    endpoint.submit(A, &message(5000));
    let mut sent = 0;
    while let Some(frame) = endpoint.poll(0) {
        let (header, _) = Header::parse(&frame[42..]).expect("a header");
        let Header::Request(request) = header else { panic!("a request is sent") };
        let Destination::Syn { pdc_info: 0, psn_offset } = request.destination else {
            panic!("a SYN is sent")
        };
        assert_eq!(request.psn.wrapping_sub(psn_offset.into()), 0xffff_ff00);
        sent += 1;
    }
    assert_eq!(sent, 4096);
    endpoint.receive(&from_b("3a000000ffffff0000090007"), 1);
    let text = super::text(&endpoint.poll(1).expect("it is bound"));
    assert_eq!(&text[16..24], "00070009", "no SYN any more");
}

/// Start_PSNs come from the seed, and differ; of a PDCID that is used again it is far from the last PSN.
#[test]
fn start_psns_are_random() {
    let start = |seed| {
        let (mut endpoint, _) = endpoint(Config { seed, start_psn: None, ..config_a(None) });
        let ids: Vec<u16> = (0..50).filter_map(|_| endpoint.open(address(2), Mode::Rud)).collect();
        ids.iter().map(|id| endpoint.pdc(*id).expect("it is open").sender().una()).collect::<Vec<u32>>()
    };
    assert_eq!(start(5), start(5));
    assert_ne!(start(5), start(6));
    assert_eq!(start(5).iter().collect::<BTreeSet<_>>().len(), 50);
    // PDCIDs begin at 1 again behind the last one, and 0 is never opened
    let (mut endpoint, _) = endpoint(Config { first_pdc: 65535, max_pdcs: 2, ..config_a(None) });
    let ids: Vec<Option<u16>> = (0..3).map(|_| endpoint.open(address(2), Mode::Rud)).collect();
    assert_eq!(ids, [Some(65535), Some(1), None]);
}

/// A connection is given up behind `max_rto_retx` + 1 timeouts without progress, once.
pub(super) fn giving_up(fault: Option<Fault>) -> Found {
    for limit in [0, 3, 5] {
        let config = Config { max_rto_retx: limit, ..config_a(fault) };
        let (mut endpoint, _) = initiator(config.clone(), Mode::Rud, 8);
        endpoint.receive(&from_b("3a000000000003e900090007"), 500);
        let mut frames = poll_all(&mut endpoint, 500).len();
        let (mut now, mut losses) = (500, 0);
        drain(&mut endpoint);
        loop {
            // each one takes twice as long
            now += config.rto << losses;
            same("before the timeout", poll_all(&mut endpoint, now - 1).len(), 0)?;
            frames += poll_all(&mut endpoint, now).len();
            match drain(&mut endpoint).as_slice() {
                [Event::LossTimeout { pdc: A, psn: 1002 }] => losses += 1,
                [Event::Dead { pdc: A, unfinished }] => {
                    same("unfinished", unfinished.clone(), vec![0])?;
                    break;
                }
                other => return Err(format!("{other:?}")),
            }
        }
        same("timeouts before", losses, limit)?;
        holds("all is sent again", frames > 0 || limit == 0)?;
        holds("it is gone", endpoint.pdc(A).is_none())?;
        same("it wakes", endpoint.wake_at(), None)?;
    }
    // without a limit it is never given up, and waits 8 s at most
    let (mut endpoint, _) = initiator(Config { max_rto_retx: 15, ..config_a(fault) }, Mode::Rud, 8);
    let mut now = 0;
    for _ in 0..60 {
        let at = endpoint.wake_at().ok_or("it waits")?;
        holds("8 s at most", at - now <= 8_000_000_000)?;
        now = at;
        poll_all(&mut endpoint, now);
    }
    pdc(&endpoint, A).map(|_| ())
}

/// Progress begins the count of timeouts anew.
#[test]
fn progress_forgives_timeouts() {
    let config = Config { max_rto_retx: 2, ..config_a(None) };
    let (mut endpoint, _) = initiator(config, Mode::Rud, 8);
    for cack in 1000..1007u32 {
        for _ in 0..2 {
            let at = endpoint.wake_at().expect("it waits");
            poll_all(&mut endpoint, at);
        }
        let now = endpoint.wake_at().expect("it waits") - 1;
        endpoint.receive(&from_b(&format!("3a000000{cack:08x}00090007")), now);
    }
    assert!(drain(&mut endpoint).iter().all(|event| !matches!(event, Event::Dead { .. })));
}

/// What left less than half an RTO ago is not held for lost.
#[test]
fn a_timeout_leaves_young_packets_alone() {
    let rto = 100_000;
    let (mut endpoint, _) = initiator(Config { rto, cwnd: 8, ..config_a(None) }, Mode::Rud, 8);
    endpoint.receive(&from_b("3a000004000003e700090007"), 60_000);
    assert_eq!(poll_all(&mut endpoint, 60_000).len(), 1, "1008");
    // una has not moved since 0
    let psns: Vec<String> = poll_all(&mut endpoint, rto).iter().map(|text| text[12..16].to_owned()).collect();
    assert_eq!(psns, ["03e8", "03e9", "03ea", "03ec", "03ed", "03ee", "03ef"]);
}

/// Responses that an ACK brought are cleared, others are not; with the next request, or a Clear in either form.
pub(super) fn clears(fault: Option<Fault>) -> Found {
    let forms = [
        (ClearForm::Payload, "590000000000000000070009000003e8"),
        (ClearForm::Psn, "59000000000003e80007000900000000"),
    ];
    for (clear_form, wanted) in forms {
        let (mut endpoint, _) = initiator(Config { clear_form, ..config_a(fault) }, Mode::Rud, 0);
        let held = Message { wants_response: true, ..message(10) };
        endpoint.submit(A, &held);
        endpoint.submit(A, &held);
        same("packets", poll_all(&mut endpoint, 0).len(), 2)?;
        // 1000 is answered; 1001 has arrived, and its response has not
        endpoint.receive(
            &from_b(
                "42020001000003e70009000700020001000000000000000300000000000000000100000000000000000003e8",
            ),
            1,
        );
        same("Clear", poll_all(&mut endpoint, 1), vec![wanted.to_owned()])?;
        // it is asked for again, and told again only if there is more
        endpoint.receive(
            &from_b(
                "42020001000003e70009000700020001000000000000000300000000000000000100000000000000000003e8",
            ),
            2,
        );
        same("Clear", poll_all(&mut endpoint, 2), vec![])?;
        // a request says it, too
        endpoint.receive(
            &from_b(
                "42020002000003e70009000700020001000000000000000300000000000000000100000000000000000003e9",
            ),
            3,
        );
        endpoint.submit(A, &message(10));
        let frames = poll_all(&mut endpoint, 3);
        same(
            "CLEAR_PSN of a request",
            frames.iter().map(|text| &text[..24]).collect(),
            vec!["1188ffff000003ea00070009"],
        )?;
    }
    Ok(())
}

/// A Clear Request asks as a flag of an ACK does.
#[test]
fn a_clear_request_is_heard() {
    let (mut endpoint, _) = initiator(Config { clear_delay: 50, ..config_a(None) }, Mode::Rud, 0);
    endpoint.submit(A, &Message { wants_response: true, ..message(10) });
    poll_all(&mut endpoint, 0);
    endpoint.receive(&from_b("3a000001000003e700090007010000000000000000000000"), 1);
    endpoint.receive(&from_b("598000000000000000090007000003e8"), 100);
    assert_eq!(poll_all(&mut endpoint, 149), Vec::<String>::new());
    assert_eq!(poll_all(&mut endpoint, 150), ["590000000000000000070009000003e8"]);
}

/// Control packets with a PSN of their own: NOOP may open a connection, and is sent again as any packet.
#[test]
fn a_noop_opens_a_connection() {
    let config = config_a(None);
    let rto = config.rto;
    let (mut endpoint, _) = endpoint(config);
    endpoint.open(address(2), Mode::Rod).expect("there is room");
    endpoint.control(A, Ctl::Noop);
    assert_eq!(poll_all(&mut endpoint, 0), ["582c0000000003e80007000000000000"]);
    assert_eq!(poll_all(&mut endpoint, rto), ["583c0000000003e80007000000000000"]);
    endpoint.receive(&from_b("38100000000003e800090007"), rto + 1);
    assert_eq!(endpoint.pdc(A).expect("it is open").peer(), Some(9));
    assert!(endpoint.pdc(A).expect("it is open").sender().is_idle());
}

/// No probe is sent before the first ACK.
#[test]
fn a_probe_waits_for_the_first_ack() {
    let config = Config { probe: Some(1000), rto: 1 << 40, ..config_a(None) };
    let (mut endpoint, _) = endpoint(config);
    endpoint.open(address(2), Mode::Rud).expect("there is room");
    endpoint.submit(A, &message(10));
    assert_eq!(poll_all(&mut endpoint, 0).len(), 1);
    assert_eq!(poll_all(&mut endpoint, 5000).len(), 0);
    endpoint.receive(&from_b("3800fff0000003e700090007"), 5000);
    assert_eq!(poll_all(&mut endpoint, 5000).len(), 1);
    assert_eq!(endpoint.wake_at(), Some(6000));
}

#[test]
fn an_initiator_gives_up_and_clears_in_time() {
    for check in [giving_up, clears] {
        check(None).unwrap();
    }
}
