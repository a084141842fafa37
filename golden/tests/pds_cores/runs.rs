//! Runs of both directions over a bad path.

use std::ops::Range;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{AckRequests, AckType, Base, Refusal, Taken};

use super::carry::{Other, carry};
use super::initiator::Initiator;
use super::target::Target;
use super::twins::Twins;
use super::{B, Case, Found, Path, holds, same};

/// What a run came to, of whichever end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub packets: usize,
    /// ACKs that came to cores, or left them.
    pub acks: u64,
    pub retransmissions: u64,
    pub timeouts: u64,
    /// NACKs of trimmed packets that came to the initiator or left the target.
    pub trimmed: u64,
    /// NACKs of PSNs outside the window.
    pub outside: u64,
    pub clears_asked: u64,
    pub probes_answered: u64,
    pub asked: u64,
}

/// Refusals of a target that are part of the protocol.
pub(super) fn refusals(case: &Case) -> Vec<Refusal> {
    let mut allowed = vec![Refusal::NotReceived];
    if case.mode == Mode::Rod {
        allowed.push(Refusal::Ahead);
    }
    if case.default_mpr != 1 {
        allowed.push(Refusal::OutsideWindow);
    }
    allowed
}

/// The scoreboard sends, the endpoint receives.
pub(super) fn from_cores(case: &Case) -> Result<Report, String> {
    let (mut cores, mut other) = (Initiator::new(case), Other::target(case));
    carry(case, &mut [&mut cores, &mut other])?;
    case.check_delivered(&other.delivered)?;
    case.check_responses(cores.responded.clone())?;
    let allowed = refusals(case);
    other.check_refused(&allowed)?;
    let counts = other.endpoint.counts();
    same("new packets", counts.taken(Taken::New) as usize, cores.packets())?;
    let receiver = other.endpoint.pdc(B).ok_or("it lingers")?.receiver();
    let c = cores.connection();
    let end = case.start.wrapping_add(cores.packets() as u32);
    same(
        "una, nxt, EPSN, CACK + 1",
        [c.snd_una, c.snd_nxt, receiver.epsn(), receiver.cack().wrapping_add(1)],
        [end; 4],
    )?;
    if case.ack_type == AckType::Cc {
        same("bytes that were counted", u64::from(c.bytes_rcvd), case.nominal())?;
        same("bytes in flight", c.bytes_flight(), 0)?;
    }
    let nacks = |code: u8| cores.nacks.get(&code).copied().unwrap_or(0);
    Ok(Report {
        packets: cores.packets(),
        acks: cores.acks,
        retransmissions: cores.retransmissions,
        timeouts: cores.timeouts,
        trimmed: nacks(1) + nacks(2),
        outside: nacks(0x0b),
        clears_asked: cores.clears_asked,
        probes_answered: cores.probes_answered,
        asked: cores.asked,
    })
}

/// The endpoint sends, the receiver of cores receives.
pub(super) fn to_cores(case: &Case) -> Result<Report, String> {
    let (mut other, mut cores) = (Other::initiator(case), Target::new(case));
    carry(case, &mut [&mut other, &mut cores])?;
    case.check_delivered(&cores.delivered)?;
    case.check_responses(other.responded.clone())?;
    // a NACK may come behind the ACK of what was sent again, both when the connection is closed, and a Clear Request before the
    // first ACK
    let late = [Refusal::BadNack, Refusal::UnknownPdc, Refusal::NotBound];
    other.check_refused(&late)?;
    let counts = other.endpoint.counts();
    let packets = case.packets().len();
    same("new packets", cores.new_packets, packets)?;
    let (received, una, nxt) = other.finish.ok_or("its messages are finished")?;
    let end = case.start.wrapping_add(packets as u32);
    same("una, nxt", [una, nxt], [end; 2])?;
    same("EPSN behind the Close", cores.connection().arrivals.epsn, end.wrapping_add(1))?;
    same("messages that are finished", other.finished, (0..case.messages).collect())?;
    if case.ack_type == AckType::Cc {
        same("bytes that were counted", received, case.nominal())?;
        same("bytes of the receiver", cores.connection().rcvd_bytes.div_ceil(256) * 256, case.nominal())?;
    }
    let nacks = |code: u8| cores.nacks.get(&code).copied().unwrap_or(0);
    Ok(Report {
        packets,
        acks: cores.acks,
        retransmissions: counts.retransmissions,
        timeouts: other.timeouts,
        trimmed: nacks(1) + nacks(2),
        outside: nacks(0x0b),
        clears_asked: other.clears_asked,
        probes_answered: other.probes_answered,
        asked: 0,
    })
}

/// The endpoint sends, and the receiver of cores and a second endpoint receive the same: they answer the same.
pub(super) fn twins(case: &Case) -> Result<Report, String> {
    assert!(case.held == 0, "hosts that hold responses answer as they like");
    let (mut other, mut twins) = (Other::initiator(case), Twins::new(case));
    carry(case, &mut [&mut other, &mut twins])?;
    Ok(Report { packets: case.packets().len(), ..Report::default() })
}

/// One way of both.
pub(super) type Way = fn(&Case) -> Result<Report, String>;
pub(super) const WAYS: [(&str, Way); 2] = [("from cores", from_cores), ("to cores", to_cores)];

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
    let from = from_cores(&Case { window: 512, other_window: 128, ..narrow.clone() });
    assert_eq!(from.and_then(outside), Ok(()));
    let to = to_cores(&Case { window: 128, other_window: 512, ..narrow });
    assert_eq!(to.and_then(outside), Ok(()));
}

/// A case with everything drawn.
pub(super) fn any(seed: u64) -> Case {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut chance = |hundredths: u32| rng.random_range(0..100) < hundredths;
    let mode = if chance(50) { Mode::Rod } else { Mode::Rud };
    let loss = if chance(30) { 0 } else { 20 };
    let trimmed = if chance(30) { 30 } else { 0 };
    let (is_held, asks_clear, is_late, is_probed) = (chance(40), chance(50), chance(50), chance(20));
    let (is_near_wrap, is_wide) = (chance(30), chance(15));
    let path = Path {
        loss,
        trimmed,
        doubled: rng.random_range(0..10),
        marked: rng.random_range(0..30),
        delay: rng.random_range(0..3000),
        reorder: if rng.random_range(0..4) == 0 { 0 } else { rng.random_range(0..20_000) },
    };
    let held = if is_held { rng.random_range(1..4) } else { 0 };
    let start: u32 = rng.random();
    let mut one_of = |count: usize| rng.random_range(0..count);
    let window = [128, 256, 512][one_of(3)];
    let other_window = [128, 256, 384][one_of(3)];
    let align = if one_of(5) == 0 { 8 } else { 1 };
    Case {
        path,
        mode,
        start: if is_near_wrap { 0_u32.wrapping_sub(start % 150) } else { start },
        messages: if is_wide && mode == Mode::Rud { 150 } else { 5 + one_of(40) },
        bytes: one_of(900),
        held,
        clear_delay: if is_late { one_of(100_000) as u64 } else { 0 },
        clear_request: asks_clear.then_some(25_000),
        window,
        other_window,
        cwnd: if is_wide && mode == Mode::Rud { 600 } else { 1 + one_of(64) as u32 },
        syn_packets: [1, 3, 4096][one_of(3)],
        ack_requests: [AckRequests::Sparse, AckRequests::Every, AckRequests::Never][one_of(3)],
        ack_type: [AckType::Cc, AckType::Cc, AckType::Plain, AckType::Ccx][one_of(4)],
        base: if align == 8 { Base::Eights } else { Base::ALL[one_of(4)] },
        sack_cack_align: align,
        probe: is_probed.then_some(15_000),
        ..Case::lossy(seed)
    }
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
#[ignore = "takes 5 CPU seconds"]
fn every_message_comes_once_in_many_cases() {
    anything(10..600);
}

/// A case in which both targets are to answer the same: they have one window, and one kind of ACK.
pub(super) fn any_of_twins(seed: u64) -> Case {
    let case = any(seed);
    let ack_type = if case.ack_type == AckType::Plain { AckType::Plain } else { AckType::Cc };
    let (base, other_window) = (Base::Segment, case.window);
    Case { held: 0, ack_type, base, sack_cack_align: 1, other_window, ..case }
}

fn twins_of(seeds: Range<u64>) {
    let wrong: Vec<String> =
        seeds.filter_map(|seed| Some(format!("{seed}: {}", twins(&any_of_twins(seed)).err()?))).collect();
    assert!(wrong.is_empty(), "{} of them: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn targets_that_hear_the_same_answer_the_same() {
    twins_of(0..12);
    // without loss what closes the last gap asks for nothing itself
    for seed in 10..12 {
        let path = Path { loss: 0, ..Case::lossy(0).path };
        assert_eq!(twins(&Case { path, ..Case::lossy(seed) }).err(), None);
    }
}

#[test]
#[ignore = "takes 5 CPU seconds"]
fn targets_that_hear_the_same_answer_the_same_in_many_cases() {
    twins_of(12..1000);
}

#[test]
fn runs_follow_from_their_seed() {
    for (_, way) in WAYS {
        let report = |seed| way(&Case::lossy(seed)).unwrap();
        assert_eq!(report(70), report(70));
        assert_ne!(report(70), report(71));
    }
}
