//! Runs of both directions over a bad path.

use std::ops::Range;

use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{AckRequests, AckType, Base, Refusal, Taken};
use respray_golden::nic::Counter;

use super::super::carry::{Other, carry};
use super::super::runs::{Report, any, refusals};
use super::super::{B, Case, Found, Path, holds, same};
use super::initiator::Initiator;
use super::target::Target;

/// The block sends, the endpoint receives.
pub(super) fn from_block(case: &Case) -> Result<Report, String> {
    let (mut block, mut other) = (Initiator::new(case), Other::target(case));
    carry(case, &mut [&mut block, &mut other])?;
    case.check_delivered(&other.delivered)?;
    case.check_responses(block.responded.clone())?;
    other.check_refused(&refusals(case))?;
    let counts = other.endpoint.counts();
    same("new packets", counts.taken(Taken::New) as usize, block.packets())?;
    let receiver = other.endpoint.pdc(B).ok_or("it lingers")?.receiver();
    let c = block.connection();
    let end = case.start.wrapping_add(block.packets() as u32);
    same(
        "una, the one that was told, nxt, EPSN, CACK + 1",
        [c.snd_una, block.told, c.snd_nxt, receiver.epsn(), receiver.cack().wrapping_add(1)],
        [end; 5],
    )?;
    if case.ack_type == AckType::Cc {
        same("bytes that were counted", u64::from(c.bytes_rcvd), case.nominal())?;
        same("bytes in flight", c.bytes_flight(), 0)?;
    }
    let is_one_path = block.evs.windows(2).all(|evs| evs[0] == evs[1]);
    same("one EV", is_one_path, case.mode == Mode::Rod)?;
    let of = |counter| block.counter(counter);
    same("ACKs that are not believed", [of(Counter::RxAcksBad), of(Counter::RxOtherPeer)], [0; 2])?;
    let nacks = |code: u8| block.nacks.get(&code).copied().unwrap_or(0);
    Ok(Report {
        packets: block.packets(),
        acks: of(Counter::RxAcks) + of(Counter::RxAcksOld),
        retransmissions: block.retransmissions,
        timeouts: of(Counter::LossTimeout),
        trimmed: nacks(1) + nacks(2),
        outside: nacks(0x0b),
        clears_asked: block.clears_asked,
        probes_answered: of(Counter::TxProbes),
        asked: of(Counter::AckRequests),
    })
}

/// The endpoint sends, the block receives.
pub(super) fn to_block(case: &Case) -> Result<Report, String> {
    let (mut other, mut block) = (Other::initiator(case), Target::new(case));
    carry(case, &mut [&mut other, &mut block])?;
    case.check_delivered(&block.delivered)?;
    case.check_responses(other.responded.clone())?;
    // a NACK may come behind the ACK of what was sent again, both when the connection is closed, and a Clear Request before the
    // first ACK
    other.check_refused(&[Refusal::BadNack, Refusal::UnknownPdc, Refusal::NotBound])?;
    let counts = other.endpoint.counts();
    let packets = case.packets().len();
    same("new packets", block.new_packets, packets)?;
    let (received, una, nxt) = other.finish.ok_or("its messages are finished")?;
    let end = case.start.wrapping_add(packets as u32);
    same("una, nxt", [una, nxt], [end; 2])?;
    same("EPSN behind the Close", block.connection().arrivals.epsn, end.wrapping_add(1))?;
    same("messages that are finished", other.finished, (0..case.messages).collect())?;
    if case.ack_type == AckType::Cc {
        same("bytes that were counted", received, case.nominal())?;
        same("bytes of the receiver", block.connection().rcvd_bytes.div_ceil(256) * 256, case.nominal())?;
    }
    let of = |counter| block.counter(counter);
    same("packets that are not of the peer", [of(Counter::RxNotOpen), of(Counter::RxOtherPeer)], [0; 2])?;
    Ok(Report {
        packets,
        acks: of(Counter::TxSacks) + of(Counter::TxAnswers),
        retransmissions: counts.retransmissions,
        timeouts: other.timeouts,
        trimmed: of(Counter::RxTrimmed),
        outside: of(Counter::RxOutside),
        clears_asked: other.clears_asked,
        probes_answered: other.probes_answered,
        asked: 0,
    })
}

/// One way of both.
type Way = fn(&Case) -> Result<Report, String>;
pub(super) const WAYS: [(&str, Way); 2] = [("from the block", from_block), ("to the block", to_block)];

fn both(case: &Case, check: impl Fn(&Report) -> Found) {
    for (name, way) in WAYS {
        let found =
            way(case).and_then(|report| check(&report).map_err(|wrong| format!("{wrong}: {report:?}")));
        assert_eq!(found, Ok(()), "{name}: {case:?}");
    }
}

/// In order and without loss nothing is sent twice, and an ACK is due for its reasons alone.
#[test]
fn a_good_path_needs_no_packet_twice() {
    for (mode, ack_requests, most) in [
        (Mode::Rud, AckRequests::Every, 200),
        (Mode::Rod, AckRequests::Sparse, 70),
        (Mode::Rud, AckRequests::Sparse, 70),
    ] {
        let path = Path { delay: 1000, ..Path::default() };
        both(&Case { path, mode, ack_requests, ..Case::lossy(1) }, |report| {
            same("sent again, timeouts", [report.retransmissions, report.timeouts], [0; 2])?;
            holds("ACKs are coalesced", (10..most).contains(&report.acks))
        });
    }
}

/// Packets that come in another order are none that are lost.
#[test]
fn another_order_needs_no_packet_twice() {
    for base in Base::ALL {
        let path = Path { loss: 0, ..Case::lossy(0).path };
        both(&Case { path, base, ..Case::lossy(10 + base as u64) }, |report| {
            same("sent again, timeouts", [report.retransmissions, report.timeouts], [0; 2])
        });
    }
}

/// All kinds of bitmaps, ACKs and requests for them, in any order and in order alone.
#[test]
fn every_message_comes_once_over_loss() {
    for mode in [Mode::Rud, Mode::Rod] {
        let lossy = |seed| Case { mode, messages: 25, ..Case::lossy(seed) };
        let lost = |report: &Report| holds("packets are lost", report.timeouts > 0);
        for base in Base::ALL {
            both(&Case { base, ..lossy(20) }, lost);
        }
        both(&Case { base: Base::Eights, sack_cack_align: 8, ..lossy(21) }, lost);
        both(&Case { ack_type: AckType::Plain, ..lossy(22) }, lost);
        both(&Case { ack_type: AckType::Ccx, ..lossy(23) }, lost);
        both(&Case { ack_requests: AckRequests::Every, ..lossy(24) }, lost);
        // the first packets have SYN until an ACK comes, and that is lost, too
        both(&Case { ack_requests: AckRequests::Never, syn_packets: 3, ..lossy(25) }, lost);
        both(&Case { probe: Some(15_000), ..lossy(26) }, |report| {
            holds("probes are answered", report.probes_answered > 0)
        });
    }
}

#[test]
fn every_message_comes_once_across_the_wrap() {
    for (seed, mode) in [(30, Mode::Rud), (31, Mode::Rod), (32, Mode::Rud)] {
        let start = 0_u32.wrapping_sub(seed as u32 - 5);
        both(&Case { start, mode, ..Case::lossy(seed) }, |report| holds("they wrap", report.packets > 50));
    }
}

#[test]
fn every_message_comes_once_over_trimming() {
    for (seed, mode, loss) in
        [(40, Mode::Rud, 0), (41, Mode::Rud, 20), (42, Mode::Rod, 0), (43, Mode::Rod, 10)]
    {
        let path = Path { trimmed: 30, loss, ..Case::lossy(0).path };
        both(&Case { path, mode, ..Case::lossy(seed) }, |report| {
            holds("packets are trimmed", report.trimmed > 20)
        });
    }
}

/// Responses are held, and cleared late; those and the clears are lost.
#[test]
fn every_response_comes_once_and_is_cleared() {
    for (seed, mode, held, clear_delay) in [
        (50, Mode::Rud, 1, 0),
        (51, Mode::Rud, 2, 30_000),
        (52, Mode::Rod, 3, 90_000),
        (53, Mode::Rod, 1, 10_000),
    ] {
        let clear_request = (seed % 2 == 0).then_some(25_000);
        both(&Case { mode, held, clear_delay, clear_request, ..Case::lossy(seed) }, |report| {
            holds("clears are asked for", report.clears_asked > 0)
        });
    }
}

/// Windows of 128, 256 and 512 PSNs, also where the other end has another one, and where no ACK says so.
#[test]
fn every_message_comes_once_through_windows() {
    let wide = Case { messages: 150, cwnd: 600, bytes: 700, ..Case::lossy(60) };
    for (window, other_window) in [(128, 128), (256, 256), (256, 128), (128, 256), (512, 384)] {
        both(&Case { window, other_window, ..wide.clone() }, |report| same("outside", report.outside, 0));
    }
    let (ack_type, default_mpr, syn_packets) = (AckType::Plain, 0, 100);
    let narrow = Case { ack_type, default_mpr, syn_packets, ..wide };
    let outside = |report: Report| holds("PSNs are outside", report.outside > 0);
    let from = from_block(&Case { window: 512, other_window: 128, ..narrow.clone() });
    assert_eq!(from.and_then(outside), Ok(()));
    let to = to_block(&Case { window: 128, other_window: 512, ..narrow });
    assert_eq!(to.and_then(outside), Ok(()));
}

fn anything(seeds: Range<u64>) {
    let wrong: Vec<String> = seeds
        .flat_map(|seed| WAYS.map(|(name, way)| (seed, name, way(&any(seed)))))
        .filter_map(|(seed, name, found)| Some(format!("{seed}, {name}: {}", found.err()?)))
        .collect();
    assert!(wrong.is_empty(), "{} of them: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_message_comes_once_in_any_case() {
    anything(0..10);
}

#[test]
#[ignore = "takes 20 CPU seconds"]
fn every_message_comes_once_in_many_cases() {
    anything(10..600);
}

#[test]
fn runs_follow_from_their_seed() {
    for (_, way) in WAYS {
        let report = |seed| way(&Case::lossy(seed)).unwrap();
        assert_eq!(report(70), report(70));
        assert_ne!(report(70), report(71));
    }
}
