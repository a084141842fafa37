//! Exchanges E1 to E6, byte for byte: between two endpoints, or an endpoint and bytes that are given.

use respray_golden::hosts::pds::frame::trim;
use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{
    AckRequests, Config, Endpoint, Event, Fault, Feedback, Message, Refusal, Taken,
};

use super::receiving::target;
use super::{
    A, B, D0, Found, TRIMMED, TRIMMED_LAST, address, config_a, config_b, drain, endpoint, from_a, from_b,
    initiator, message, only, outcome, pdc, poll_all, s2, s2_held, same, text,
};

/// A frame that leaves, whose first bytes are these.
fn leaves(endpoint: &mut Endpoint, now: u64, wanted: &str) -> Result<Vec<u8>, String> {
    let frame = endpoint.poll(now).ok_or(format!("nothing leaves, in place of {wanted}"))?;
    let got = text(&frame);
    same("a frame that leaves", &got[..wanted.len().min(got.len())], wanted)?;
    Ok(frame)
}

/// E1: a receiver says nothing before the 16th packet; a loss; a timeout.
pub(super) fn coalescing_and_loss(fault: Option<Fault>) -> Found {
    let rto = 100_000;
    let (mut a, _) = initiator(Config { rto, ..config_a(fault) }, Mode::Rud, 0);
    let mut b = target(config_b(fault), Mode::Rud, 1000);
    a.submit(A, &message(20 * 1024));
    let mut frames: Vec<Vec<u8>> = std::iter::from_fn(|| a.poll(0)).collect();
    same("packets", frames.len(), 20)?;
    let asks: Vec<bool> = frames.iter().map(|frame| text(frame).starts_with("1188")).collect();
    same("AR", asks.iter().position(|asks| *asks), Some(19))?;
    frames.remove(3);
    for frame in &frames[..15] {
        b.receive(frame, 0);
    }
    same("ACKs before the 16th packet", poll_all(&mut b, 0), vec![])?;
    b.receive(&frames[15], 0);
    let ack = leaves(&mut b, 0, "4200000e000003ea000900070002ffd601fff7ffffffffff000000000047000d")?;
    a.receive(&ack, 1000);
    let sender = pdc(&a, A)?.sender();
    same("una, in flight", (sender.una(), sender.in_flight()), (1003, 4))?;
    b.receive(&frames[16], 0);
    b.receive(&frames[17], 0);
    same("ACKs before 1019", poll_all(&mut b, 0), vec![])?;
    b.receive(&frames[18], 0);
    let ack = leaves(&mut b, 0, "42000011000003ea000900070002ffd60ffff7ffffffffff0000000000540010")?;
    a.receive(&ack, 2000);
    same("in flight", pdc(&a, A)?.sender().in_flight(), 1)?;
    same("nothing is lost", poll_all(&mut a, 2000), vec![])?;
    drain(&mut a);
    // una moved at 1000
    same("before the RTO", poll_all(&mut a, 1000 + rto - 1), vec![])?;
    let again = leaves(&mut a, 1000 + rto, "1198ffff000003eb00070009")?;
    same("events", drain(&mut a), vec![Event::LossTimeout { pdc: A, psn: 1003 }])?;
    same("and no more", poll_all(&mut a, 1000 + rto), vec![])?;
    b.receive(&again, 0);
    let ack = leaves(&mut b, 0, "4210fff0000003fb000900070002ffc50fffffffffffffff0000000000590000")?;
    a.receive(&ack, 1000 + rto + 500);
    let sender = pdc(&a, A)?.sender();
    same("una, in flight", (sender.una(), sender.in_flight()), (1020, 0))?;
    let events = drain(&mut a);
    same("RTT", outcome(&events).and_then(|outcome| outcome.rtt), Some(500))?;
    same("finished", events.contains(&Event::Finished { pdc: A, message: 0 }), true)?;
    same("delivered", b.delivered().map(|delivered| delivered.bytes), Some(message(20 * 1024).bytes))
}

/// E2: trimmed packets, and the same at the last hop.
pub(super) fn trimming(fault: Option<Fault>) -> Found {
    let every = |config| Config { ack_requests: AckRequests::Every, start_psn: Some(2000), ..config };
    let (mut a, heard) = initiator(every(config_a(fault)), Mode::Rud, 0);
    let mut b = target(config_b(fault), Mode::Rud, 2000);
    a.submit(A, &message(6 * 1024));
    let frames: Vec<Vec<u8>> = std::iter::from_fn(|| a.poll(0)).collect();
    heard.read();
    let mut answers = Vec::new();
    for (at, wanted) in [
        "42000000000007d0000900070002fff0000000000001ffff0000000000050000",
        "42000000000007d1000900070002ffef000000000003ffff0000000000090000",
        "50000100000007d20009000700000000",
        "42000002000007d1000900070002ffef00000000000bffff00000000000e0001",
        "50000200000007d40009000700000000",
        "42000004000007d1000900070002ffef00000000002bffff0000000000120002",
    ]
    .into_iter()
    .enumerate()
    {
        let frame = match at {
            2 => trim(&frames[at], 24, TRIMMED),
            4 => trim(&frames[at], 24, TRIMMED_LAST),
            _ => frames[at].clone(),
        };
        b.receive(&frame, 0);
        answers.push(leaves(&mut b, 0, wanted)?);
    }
    for answer in &answers {
        a.receive(answer, 1000);
    }
    // EVs are the numbers of the packets
    let good = Feedback::Good;
    let wanted = vec![good(0), good(1), Feedback::Trimmed(2), good(3), good(4), good(5)];
    same("a chooser hears", heard.read(), wanted)?;
    for (sent, wanted) in [
        ("1198ffff000007d200070009", "4210ffff000007d3000900070002ffed00000000002fffff0000000000170001"),
        ("1198fffd000007d400070009", "4210ffff000007d5000900070002ffeb00000000003fffff00000000001b0000"),
    ] {
        let frame = leaves(&mut a, 1000, sent)?;
        b.receive(&frame, 0);
        answers.push(leaves(&mut b, 0, wanted)?);
    }
    for answer in &answers[6..] {
        a.receive(answer, 2000);
    }
    same("una", pdc(&a, A)?.sender().una(), 2006)?;
    a.receive(&answers[2], 2000);
    same("a late copy of the NACK", a.counts().refused(Refusal::BadNack), 1)
}

/// E3: three SYNs, the second one first.
pub(super) fn opening(fault: Option<Fault>) -> Found {
    let (mut a, _) = endpoint(Config { start_psn: Some(0x12345), ..config_a(fault) });
    let (mut b, _) = endpoint(config_b(fault));
    a.open(address(2), Mode::Rud).ok_or("there is room")?;
    a.submit(A, &message(6 * 1024));
    let first = leaves(&mut a, 0, "118cffff0001234500070000")?;
    let second = leaves(&mut a, 0, "1184fffe0001234600070001")?;
    let third = leaves(&mut a, 0, "1184fffd0001234700070002")?;
    b.receive(&second, 0);
    same("opened", matches!(drain(&mut b)[..], [Event::Opened { pdc: B, peer: A, .. }]), true)?;
    let ack = leaves(&mut b, 0, "4200000200012344000900070002fffc000000000000005f0000000000050001")?;
    a.receive(&ack, 1000);
    same("bound", a.event(), Some(Event::Bound { pdc: A, peer: B }))?;
    let sender = pdc(&a, A)?.sender();
    same("12346, una", (sender.is_acknowledged(0x12346), sender.una()), (true, 0x12345))?;
    for (frame, wanted) in [
        (&first, "4200ffff00012346000900070002fffa000000000000007f0000000000090000"),
        (&third, "4200000000012347000900070002fff900000000000000ff00000000000e0000"),
    ] {
        b.receive(frame, 0);
        let ack = leaves(&mut b, 0, wanted)?;
        a.receive(&ack, 2000);
    }
    same("una", pdc(&a, A)?.sender().una(), 0x12348)?;
    leaves(&mut a, 2000, "1180ffff0001234800070009")?;
    // a late copy, by a sender that did not know its peer when it left
    let late = format!("119cffff0001234500070000{}", &text(&first)[24..]);
    b.receive(&from_a(&late), 0);
    let ack = leaves(&mut b, 0, "4210fffe00012347000900070002fff900000000000000ff00000000000e0000")?;
    same("duplicates", b.counts().taken(Taken::Duplicate), 1)?;
    same("connections", b.pdcs().count(), 1)?;
    drain(&mut a);
    a.receive(&ack, 3000);
    let events = drain(&mut a);
    let told = outcome(&events).ok_or("the ACK is taken")?;
    same("newly, growth", (told.newly, told.bytes), (0, Some(0)))
}

/// E4: a probe, and its answer.
pub(super) fn probing(fault: Option<Fault>) -> Found {
    let beef = 0xbeef * 128;
    let config = Config { probe: Some(beef), rto: 1 << 40, ..config_a(fault) };
    let (mut a, heard) = initiator(config, Mode::Rud, 0);
    let mut b = target(config_b(fault), Mode::Rud, 1000);
    a.submit(A, &message(40 * 1024));
    let frames: Vec<Vec<u8>> = (0..10).filter_map(|_| a.poll(0)).collect();
    for (at, frame) in frames.iter().enumerate() {
        if at != 5 {
            b.receive(frame, 0);
        }
    }
    same("ACKs", poll_all(&mut b, 0), vec![])?;
    let probe = leaves(&mut a, beef, "5b08beef000003f100070009000003c0")?;
    heard.read();
    b.receive(&probe, 0);
    let wanted = "4008beef000003ec000900070002ffd40003dfffffffffff0000000000280004";
    let answer = leaves(&mut b, 0, wanted)?;
    same("its answer has no response", text(&answer).len(), wanted.len())?;
    drain(&mut a);
    a.receive(&answer, beef + 5 * 128);
    let events = drain(&mut a);
    same("RTT", events.contains(&Event::Probed { pdc: A, rtt: 640 }), true)?;
    let sender = pdc(&a, A)?.sender();
    same("una, in flight", (sender.una(), sender.in_flight()), (1005, 1))?;
    same("marked", (1006..1010).all(|psn| sender.is_acknowledged(psn)), true)?;
    same("a chooser hears", heard.read(), vec![])?;
    // the probe cleared nothing: the 16th packet makes an ACK due
    for number in 10..17u32 {
        same("ACKs before the 16th packet", poll_all(&mut b, 0), vec![])?;
        b.receive(&from_a(&format!("1180ffff{:08x}00070009{}", 1000 + number, s2())), 0);
    }
    same("ACKs of the 16th packet", poll_all(&mut b, 0).len(), 1)
}

/// ACKs of E5: of 334, 333, 336 and 335, then of 337.
const HELD: [&str; 5] = [
    "420200020000014c000900070002fff40000000000005fff0000000000050001",
    "420200010000014c000900070002fff40000000000007fff0000000000090000",
    "420200040000014c000900070002fff40000000000017fff00000000000e0001",
    "420200030000014c000900070002fff4000000000001ffff0000000000120000",
    "420200030000014e000900070002fff2000000000003ffff0000000000170000",
];
const CLEARED: &str = "4200ffff00000151000900070002ffef000000000003ffff0000000000170000";

/// E5, at the target: responses that are held until they are cleared.
pub(super) fn holding(fault: Option<Fault>) -> Found {
    let mut b = target(config_b(fault), Mode::Rud, 333);
    for (psn, wanted) in [334u32, 333, 336, 335].into_iter().zip(HELD) {
        let clear = 332u32.wrapping_sub(psn) as u16;
        b.receive(&from_a(&format!("1180{clear:04x}{psn:08x}00070009{}", s2_held())), 0);
        // a response that is none by default, of this message
        let ack = leaves(&mut b, 0, &format!("{wanted}01000011"))?;
        same("its length", text(&ack).len(), 88)?;
    }
    // of a duplicate the response is the same
    b.receive(&from_a(&format!("1198ffff0000014d00070009{}", s2_held())), 0);
    let ack = leaves(&mut b, 0, "421200010000014c00090007")?;
    same("response to a duplicate", &text(&ack)[64..72], "01000011")?;
    b.receive(&from_a(&format!("1188fffd0000015100070009{}", s2())), 0);
    leaves(&mut b, 0, &format!("{}{D0}", HELD[4]))?;
    b.receive(&from_a("59000000000000000007000900000150"), 0);
    same("answers to a Clear", poll_all(&mut b, 0), vec![])?;
    b.receive(&from_a("58800000000001500007000900000011"), 0);
    leaves(&mut b, 0, &format!("{CLEARED}{D0}")).map(|_| ())
}

/// E5, at the initiator: CACK stays, all is marked; it is asked for a clear each time.
pub(super) fn clearing(fault: Option<Fault>) -> Found {
    let config = Config { start_psn: Some(333), clear_delay: 1 << 40, cwnd: 4, ..config_a(fault) };
    let rto = config.rto;
    let (mut a, _) = initiator(config, Mode::Rud, 0);
    for _ in 0..5 {
        a.submit(A, &Message { wants_response: true, ..message(1024) });
    }
    same("packets", poll_all(&mut a, 0).len(), 4)?;
    for (at, ack) in HELD[..4].iter().enumerate() {
        a.receive(&from_b(&format!("{ack}010000{:02x}00000000{:08x}", 17 + at, at)), 1000);
        let events = drain(&mut a);
        same("asked for a clear", events.contains(&Event::ClearRequest { pdc: A }), true)?;
        let responds = |event: &Event| matches!(event, Event::Responded { .. });
        same("responses", events.iter().filter(|event| responds(event)).count(), 1)?;
        same("una", pdc(&a, A)?.sender().una(), 333)?;
    }
    let sender = pdc(&a, A)?.sender();
    same("marked", (333..337).all(|psn| sender.is_acknowledged(psn)), true)?;
    same("in flight", sender.in_flight(), 0)?;
    // the fifth goes now
    let frames = poll_all(&mut a, 1000);
    same("the next packet", frames.iter().map(|frame| &frame[8..16]).collect::<Vec<_>>(), vec!["00000151"])?;
    a.receive(&from_b(&format!("{}{D0}", HELD[4])), 2000);
    let sender = pdc(&a, A)?.sender();
    same(
        "una, 337, in flight",
        (sender.una(), sender.is_acknowledged(337), sender.in_flight()),
        (335, true, 0),
    )?;
    drain(&mut a);
    // all is marked: no packet is lost, the target is asked, and is told what to forget
    let frames = poll_all(&mut a, 2000 + rto);
    same("events", drain(&mut a), vec![Event::AckRequest { pdc: A, psn: 335 }])?;
    let wanted = ["59000000000000000007000900000151", "588000000000014f0007000900000000"];
    same("frames", frames.iter().map(String::as_str).collect::<Vec<_>>(), wanted.to_vec())?;
    a.receive(&from_b(&format!("{CLEARED}{D0}")), 200_000);
    same("una", pdc(&a, A)?.sender().una(), 338)
}

/// E6: ROD, one NACK of a gap, all once more.
pub(super) fn in_order(fault: Option<Fault>) -> Found {
    let config = Config { first_pdc: 8, start_psn: Some(0x500), ..config_a(fault) };
    let rto = config.rto;
    let (mut a, heard) = initiator(config, Mode::Rod, 0);
    let mut b = target(config_b(fault), Mode::Rod, 0x500);
    a.submit(8, &message(3 * 1024));
    a.submit(8, &message(6 * 1024));
    let frames: Vec<Vec<u8>> = (0..8).filter_map(|_| a.poll(0)).collect();
    let evs: Vec<&[u8]> = frames.iter().map(|frame| &frame[34..36]).collect();
    same("EVs", evs.iter().all(|ev| *ev == evs[0]), true)?;
    for frame in &frames[..3] {
        b.receive(frame, 0);
    }
    let ack = leaves(&mut b, 0, "4200000000000502000a00080002fffe000000000000000700000000000e0000")?;
    a.receive(&ack, 1000);
    b.receive(&frames[4], 0);
    let nack = leaves(&mut b, 0, "50000d0000000504000a000800000503")?;
    for frame in &frames[5..] {
        b.receive(frame, 0);
    }
    same("NACKs of one gap", poll_all(&mut b, 0), vec![])?;
    same("ahead", b.counts().refused(Refusal::Ahead), 4)?;
    heard.read();
    a.receive(&nack, 2000);
    let sender = pdc(&a, 8)?.sender();
    same("una, in flight", (sender.una(), sender.in_flight()), (0x503, 0))?;
    a.receive(&from_b("50000d0000000505000a000800000503"), 2000);
    let again: Vec<Vec<u8>> = (0..5).filter_map(|_| a.poll(2000)).collect();
    let headers: Vec<String> = again.iter().map(|frame| text(frame)[..24].to_owned()).collect();
    same("the first one", headers[0].as_str(), "1998ffff000005030008000a")?;
    same("all", headers.iter().map(|header| &header[14..16]).collect(), vec!["03", "04", "05", "06", "07"])?;
    same("a chooser hears", heard.read(), vec![])?;
    // were 503 lost again, each copy ahead gets a NACK, and nothing is done before the RTO
    let mut once_more = b_again(fault, &frames[..3])?;
    for frame in &again[1..] {
        once_more.receive(frame, 0);
        leaves(&mut once_more, 0, "50100d00000005")?;
    }
    same("and no more", a.counts().retransmissions, 5)?;
    for (at, frame) in again.iter().enumerate() {
        b.receive(frame, 0);
        let ack = match at {
            0 => leaves(&mut b, 0, "4210000000000503000a00080002fffd000000000000000f0000000000120000")?,
            4 => leaves(&mut b, 0, "4210000000000507000a00080002fff900000000000000ff0000000000240000")?,
            _ => leaves(&mut b, 0, "4210")?,
        };
        a.receive(&ack, 3000);
    }
    same("una", pdc(&a, 8)?.sender().una(), 0x508)?;
    // the ninth packet is sent, and lost; a NACK after the RTO is heard
    same("the ninth", poll_all(&mut a, 3000).len(), 1)?;
    drain(&mut a);
    same("sent once more", poll_all(&mut a, 3000 + rto).len(), 1)?;
    same("events", drain(&mut a), vec![Event::LossTimeout { pdc: 8, psn: 0x508 }])
}

/// A target of ROD that has got these.
fn b_again(fault: Option<Fault>, frames: &[Vec<u8>]) -> Result<Endpoint, String> {
    let mut b = target(config_b(fault), Mode::Rod, 0x500);
    frames.iter().for_each(|frame| b.receive(frame, 0));
    only(&mut b, 0)?;
    Ok(b)
}

#[test]
fn exchanges_are_those_of_the_page() {
    for check in [coalescing_and_loss, trimming, opening, probing, holding, clearing, in_order] {
        check(None).unwrap();
    }
}
