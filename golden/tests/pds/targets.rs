//! What a target says, as random packets come: properties 8 to 15, 19 and 25.

use std::collections::BTreeSet;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::frame::{CE, ECT_0, Outer};
use respray_golden::hosts::pds::headers::{Ack, Ask, Header, Mode, State};
use respray_golden::hosts::pds::{Base, Config, Endpoint, Fault, Refusal, Taken};

use super::receiving::{target, trimmed};
use super::{
    B, Found, TRIMMED, address, config_b, encapsulation, from_a, hex, holds, marked_from_a, pdc, poll_all,
    s2, same,
};

/// A request of 1024 bytes by its type and flags, and its PSN; its CLEAR_PSN is none.
pub(super) fn request(first: &str, psn: u32, tail: &str) -> String {
    format!("{first}0001{psn:08x}00070009{tail}")
}

/// The header of the only frame that leaves, if one does.
pub(super) fn answer(endpoint: &mut Endpoint) -> Result<Option<(Header, Outer)>, String> {
    let frames: Vec<Vec<u8>> = std::iter::from_fn(|| endpoint.poll(0)).collect();
    holds("one frame at most", frames.len() < 2)?;
    let Some(frame) = frames.first() else { return Ok(None) };
    let packet = encapsulation().read(frame).map_err(|error| error.to_string())?;
    Header::parse(packet.bytes)
        .map(|(header, _)| Some((header, packet.outer)))
        .map_err(|error| error.to_string())
}

/// What is known of what a target has got, by number from Start_PSN on.
struct Known {
    start: u32,
    received: BTreeSet<i64>,
    nominal: u64,
}

impl Known {
    fn expected(&self) -> i64 {
        (0..).find(|number| !self.received.contains(number)).expect("they are finite")
    }

    fn psn(&self, number: i64) -> u32 {
        self.start.wrapping_add(number as u32)
    }

    fn number(&self, psn: u32) -> i64 {
        let expected = self.expected();
        expected + i64::from(psn.wrapping_sub(self.psn(expected)) as i32)
    }

    /// An ACK says only what is so, and of its 64 PSNs all that is so.
    fn check(&self, ack: &Ack) -> Found {
        let expected = self.expected();
        same("CACK", self.number(ack.cack), expected - 1)?;
        let state = ack.congestion.ok_or("it is an ACK_CC")?;
        for bit in 0..64 {
            let number = self.number(state.base(ack.cack).wrapping_add(bit));
            let is_received = number < expected || self.received.contains(&number);
            same("a bit", state.bitmap >> bit & 1 != 0, is_received)?;
        }
        let State::Nscc { rcvd_bytes, ooo_count, .. } = state.state else { return Err("it has NSCC".into()) };
        same("rcvd_bytes", u64::from(rcvd_bytes), self.nominal.div_ceil(256) & 0xff_ffff)?;
        let ahead = self.received.iter().filter(|number| **number > expected).count();
        same("ooo_count", usize::from(ooo_count), ahead)
    }
}

/// Packets of all kinds, near and far: what is answered, and how, follows from what has come before.
pub(super) fn anything(fault: Option<Fault>) -> Found {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    for round in 0..60 {
        let start = 0u32.wrapping_sub(rng.random_range(0..200));
        let base = Base::ALL[round % 4];
        // a byte more than five packets are, so that a byte that is left over shows
        let config = Config { base, receive_window: 128, ack_gen_trigger: 5341, ..config_b(fault) };
        let mut endpoint = target(config, Mode::Rud, start);
        let mut known = Known { start, received: BTreeSet::new(), nominal: 0 };
        let (mut generated, mut asked) = (0, false);
        for _ in 0..200 {
            let expected = known.expected();
            let number = expected
                + match rng.random_range(0..12) {
                    0 => rng.random_range(120..200),
                    1 => -rng.random_range(1..40_000i64),
                    2..5 => 0,
                    _ => rng.random_range(-5..30),
                };
            let psn = known.psn(number);
            let [asks, again, is_marked] = [4, 8, 10].map(|one_of| rng.random_range(0..one_of) == 0);
            let is_trimmed = rng.random_range(0..15) == 0;
            let first = 0x1180 | if asks { 8 } else { 0 } | if again { 0x10 } else { 0 };
            let bytes = request(&format!("{first:04x}"), psn, &s2());
            let frame = match (is_trimmed, is_marked) {
                (true, _) => trimmed(&bytes, TRIMMED),
                (false, true) => marked_from_a(&bytes),
                (false, false) => from_a(&bytes),
            };
            let before = format!("{:?}", pdc(&endpoint, B)?);
            endpoint.receive(&frame, 0);
            let answer = answer(&mut endpoint)?;
            let changes = before != format!("{:?}", pdc(&endpoint, B)?);
            let ahead = number - expected;
            if is_trimmed || !(-32768..128).contains(&ahead) {
                let code = if is_trimmed { 0x01 } else { 0x0b };
                let Some((Header::Nack(nack), outer)) = answer else { return Err(format!("{answer:?}")) };
                same("NACK", (nack.code, nack.psn, nack.source, outer.ev), (code, psn, B, 77))?;
                same("state of a packet that is refused", changes, false)?;
                continue;
            }
            let is_new = ahead >= 0 && known.received.insert(number);
            let mut is_due = asks || again || is_marked || !is_new;
            if is_new {
                known.nominal += 1088 + 40;
                generated += 1068;
                let is_held = known.received.last().is_some_and(|last| *last > known.expected());
                is_due |= generated >= 5341 || asked && !is_held;
                asked = is_held && (asked || asks);
            }
            let Some((Header::Ack(ack), outer)) = answer else {
                same("an ACK is due", is_due, false)?;
                continue;
            };
            same("an ACK is due", is_due, true)?;
            generated = 0;
            known.check(&ack)?;
            same("ACK_PSN", ack.ack_psn(), Some(psn))?;
            same("M, RETX, EV", (ack.is_marked, ack.is_retransmission, outer.ev), (is_marked, again, 77))?;
            same("asks for nothing", ack.ask, Ask::Nothing)?;
        }
        let got = known.received.iter().filter(|number| **number >= 0).count() as u64;
        same("new packets", endpoint.counts().taken(Taken::New), got)?;
        same("messages", std::iter::from_fn(|| endpoint.delivered()).count() as u64, got)?;
        let counts = endpoint.counts();
        let all: u64 = counts.taken.values().chain(counts.refused.values()).sum();
        same("frames", counts.received, all)?;
    }
    Ok(())
}

/// `rcvd_bytes` is the sum, rounded up once, and wraps at 2^24 units.
#[test]
fn received_bytes_wrap() {
    let nominal_extra = (1 << 24) + 11;
    let mut endpoint = target(Config { nominal_extra, ..config_b(None) }, Mode::Rud, 1000);
    for number in 1..=600u64 {
        endpoint.receive(&from_a(&request("1188", 999 + number as u32, "")), 0);
        let Ok(Some((Header::Ack(ack), _))) = answer(&mut endpoint) else { panic!("each is acknowledged") };
        let Some(State::Nscc { rcvd_bytes, .. }) = ack.congestion.map(|congestion| congestion.state) else {
            panic!("an ACK_CC has it")
        };
        let sum = number * u64::from(20 + nominal_extra);
        assert_eq!(u64::from(rcvd_bytes), sum.div_ceil(256) % (1 << 24));
    }
}

/// AR on every packet: one ACK each; none: one for 16 full packets, and one for 16 small ones.
#[test]
fn acks_come_for_16_packets() {
    let sizes = [(1024, 16), (10, 16), (2048, 8)];
    for (bytes, wanted) in sizes {
        let mut endpoint = target(config_b(None), Mode::Rud, 1000);
        let tail = format!("0503001100000001{}", "00".repeat(36 + bytes));
        let due: Vec<u32> = (1..=40)
            .filter(|number| {
                endpoint.receive(&from_a(&request("1180", 999 + number, &tail)), 0);
                endpoint.poll(0).is_some()
            })
            .collect();
        assert_eq!(due, (1..=40 / wanted).map(|ack| ack * wanted).collect::<Vec<_>>(), "{bytes} bytes");
    }
    let mut every = target(config_b(None), Mode::Rud, 1000);
    for number in 0..40 {
        every.receive(&from_a(&request("1188", 1000 + number, &s2())), 0);
        assert!(every.poll(0).is_some());
    }
    let mut zero = target(Config { ack_gen_trigger: 0, ..config_b(None) }, Mode::Rud, 1000);
    zero.receive(&from_a(&request("1180", 1000, &s2())), 0);
    assert!(zero.poll(0).is_some(), "a trigger of 0 makes every packet due");
}

/// AR on the last of ten packets alone, which comes first: an ACK of it, and one of the last gap.
pub(super) fn late(fault: Option<Fault>) -> Found {
    let mut endpoint = target(config_b(fault), Mode::Rud, 1000);
    let mut acks = Vec::new();
    for psn in [1009, 1000, 1002, 1001, 1003, 1004, 1005, 1006, 1008, 1007] {
        let first = if psn == 1009 { "1188" } else { "1180" };
        endpoint.receive(&from_a(&request(first, psn, &s2())), 0);
        acks.extend(std::iter::repeat_n(psn, poll_all(&mut endpoint, 0).len()));
    }
    same("ACKs", acks, vec![1009, 1007])
}

/// CE forces an ACK with M, unless that is set off: then only that of a packet that is due by itself has it.
#[test]
fn marks_are_echoed() {
    let m = |text: &str| hex(&text[2..4])[0] & 0x20 != 0;
    let mut endpoint = target(config_b(None), Mode::Rud, 1000);
    endpoint.receive(&marked_from_a(&request("1180", 1000, &s2())), 0);
    endpoint.receive(&from_a(&request("1188", 1001, &s2())), 0);
    let acks = poll_all(&mut endpoint, 0);
    assert_eq!(acks.iter().map(|ack| m(ack)).collect::<Vec<_>>(), [true, false]);
    let mut quiet = target(Config { ack_on_ecn: false, ..config_b(None) }, Mode::Rud, 1000);
    quiet.receive(&marked_from_a(&request("1180", 1000, &s2())), 0);
    assert_eq!(poll_all(&mut quiet, 0), Vec::<String>::new());
    quiet.receive(&from_a(&request("1188", 1001, &s2())), 0);
    quiet.receive(&marked_from_a(&request("1188", 1002, &s2())), 0);
    let acks = poll_all(&mut quiet, 0);
    assert_eq!(acks.iter().map(|ack| m(ack)).collect::<Vec<_>>(), [false, true]);
}

/// The EV of a coalesced ACK is the last packet's.
#[test]
fn the_ev_is_that_of_the_packet_that_is_answered() {
    let mut endpoint = target(config_b(None), Mode::Rud, 1000);
    for ev in 0..16 {
        let outer =
            Outer { from: address(1), to: address(2), ev, dscp: 0, ecn: if ev == 3 { 0 } else { ECT_0 } };
        assert_ne!(outer.ecn, CE);
        let bytes = hex(&request("1180", 1000 + u32::from(ev), &s2()));
        endpoint.receive(&encapsulation().write(&outer, &bytes), 0);
    }
    let frame = endpoint.poll(0).expect("the 16th packet makes one due");
    assert_eq!(encapsulation().read(&frame).expect("it is right").outer.ev, 15);
}

/// Responses held back: CACK stays, and a PSN that is too far from it is outside, though the window has moved.
pub(super) fn far_from_cack(fault: Option<Fault>) -> Found {
    let config = Config { receive_window: 32640, ack_gen_trigger: u32::MAX, ..config_b(fault) };
    let mut endpoint = target(config, Mode::Rud, 1000);
    let held = "0523001100000001".to_owned() + &"00".repeat(36);
    let plain = "0503001100000001".to_owned() + &"00".repeat(36);
    endpoint.receive(&from_a(&request("1180", 1000, &held)), 0);
    same("its ACK", poll_all(&mut endpoint, 0).len(), 1)?;
    for number in 1..200 {
        endpoint.receive(&from_a(&request("1180", 1000 + number, &plain)), 0);
    }
    same("ACKs", poll_all(&mut endpoint, 0).len(), 0)?;
    let receiver = pdc(&endpoint, B)?.receiver();
    same("EPSN, CACK", (receiver.epsn(), receiver.cack()), (1200, 999))?;
    // 999 + 32767 can be named, one more cannot
    for (psn, answer) in [(999 + 32767u32, "4202"), (1000 + 32767, "5000")] {
        endpoint.receive(&from_a(&request("1188", psn, &plain)), 0);
        let text = super::only(&mut endpoint, 0)?;
        same("answer", &text[..4], answer)?;
    }
    same("refused", endpoint.counts().refused(Refusal::OutsideWindow), 1)?;
    endpoint.receive(&from_a("590000000000000000070009000003e8"), 0);
    same("CACK", pdc(&endpoint, B)?.receiver().cack(), 1199)
}

/// Responses are held and cleared as it comes: CACK never falls, stays below each that is held, and all PSNs that an
/// ACK's MPR lets be sent are taken.
pub(super) fn promises(fault: Option<Fault>) -> Found {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(13);
    for _ in 0..30 {
        let start = 0u32.wrapping_sub(rng.random_range(0..200));
        let config = Config { receive_window: 128, ..config_b(fault) };
        let mut endpoint = target(config, Mode::Rud, start);
        let mut held = BTreeSet::new();
        let mut cack = -1i64;
        for _ in 0..150 {
            let number = cack + rng.random_range(1..100i64);
            let psn = start.wrapping_add(number as u32);
            let wants = rng.random_range(0..3) == 0;
            // up to CACK or a little beyond
            let clear = cack + rng.random_range(0..6);
            let offset = (clear - number).min(0);
            let tail = format!("05{}0011{}", if wants { "23" } else { "03" }, "00".repeat(40));
            let is_new = !pdc(&endpoint, B)?.receiver().is_received(psn);
            endpoint.receive(&from_a(&format!("1188{:04x}{psn:08x}00070009{tail}", offset as u16)), 0);
            let receiver = pdc(&endpoint, B)?.receiver();
            let expected =
                cack + 1 + i64::from(receiver.epsn().wrapping_sub(start.wrapping_add((cack + 1) as u32)));
            if number + offset < expected {
                held.retain(|held| *held > number + offset);
            }
            // its own response cannot have been cleared before
            if wants && is_new {
                held.insert(number);
            }
            let wanted = held.first().map_or(expected, |held| expected.min(*held)) - 1;
            holds("CACK falls", wanted >= cack)?;
            cack = wanted;
            let Some((Header::Ack(ack), _)) = answer(&mut endpoint)? else { return Err("no ACK".into()) };
            same("CACK", ack.cack, start.wrapping_add(cack as u32))?;
            same("a clear is asked for", ack.ask == Ask::Clear, !held.is_empty())?;
            let mpr = u32::from(ack.congestion.ok_or("it is an ACK_CC")?.mpr);
            let receiver = pdc(&endpoint, B)?.receiver();
            let is_taken = |ahead: u32| {
                let psn = ack.cack.wrapping_add(ahead);
                receiver.is_received(psn) || receiver.is_in_window(psn, &config_of_window())
            };
            holds("a PSN below the limit is refused", (1..=128 * mpr).all(is_taken))?;
        }
    }
    Ok(())
}

fn config_of_window() -> Config {
    Config { receive_window: 128, ..config_b(None) }
}

/// ROD: messages come in order; one NACK for each gap, and one for each copy ahead that is sent again.
pub(super) fn rod(fault: Option<Fault>) -> Found {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(15);
    for _ in 0..40 {
        let start = 0u32.wrapping_sub(rng.random_range(0..60));
        let mut endpoint = target(config_b(fault), Mode::Rod, start);
        let (mut expected, mut told) = (0u32, false);
        for _ in 0..100 {
            let number = expected.saturating_sub(2) + rng.random_range(0..6);
            let again = rng.random_range(0..4) == 0;
            let first = if again { "1998" } else { "1988" };
            let psn = start.wrapping_add(number);
            endpoint.receive(&from_a(&format!("{first}0001{psn:08x}0008000a{}", s2())), 0);
            let answer = answer(&mut endpoint)?;
            if number > expected {
                let tells = !told || again;
                told = true;
                match answer {
                    Some((Header::Nack(nack), _)) if tells => {
                        let wanted = (0x0d, psn, start.wrapping_add(expected), again);
                        same("NACK", (nack.code, nack.psn, nack.payload, nack.is_retransmission), wanted)?;
                    }
                    None if !tells => {}
                    other => return Err(format!("ahead, and told is {told}: {other:?}")),
                }
                continue;
            }
            let Some((Header::Ack(ack), _)) = answer else { return Err(format!("{answer:?}")) };
            if number == expected {
                expected += 1;
                told = false;
            }
            same("CACK", ack.cack, start.wrapping_add(expected).wrapping_sub(1))?;
        }
        same("messages", std::iter::from_fn(|| endpoint.delivered()).count() as u32, expected)?;
    }
    Ok(())
}

#[test]
fn a_target_says_what_has_come() {
    for check in [anything, promises, late, far_from_cack, rod] {
        check(None).unwrap();
    }
}
