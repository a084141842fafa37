//! What is run both ways over a bad path, whatever stands at the other end of the endpoint: cores or the block.

use std::ops::Range;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{AckRequests, AckType, Base};

use super::{Case, Found, Path, holds, same};

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

/// One way of both.
pub(super) type Way = fn(&Case) -> Result<Report, String>;
/// To the endpoint and from it, each with its name.
pub(super) type Ways = [(&'static str, Way); 2];

/// The tests of these scenarios, for two ways; `ignored` is why the long one is left to the long tests.
macro_rules! scenarios {
    ($ways:expr, $ignored:literal) => {
        #[test]
        fn a_good_path_needs_no_packet_twice() {
            $crate::pds_cores::scenarios::a_good_path_needs_no_packet_twice($ways);
        }
        #[test]
        fn another_order_needs_no_packet_twice() {
            $crate::pds_cores::scenarios::another_order_needs_no_packet_twice($ways);
        }
        #[test]
        fn every_message_comes_once_over_loss() {
            $crate::pds_cores::scenarios::every_message_comes_once_over_loss($ways);
        }
        #[test]
        fn every_message_comes_once_across_the_wrap() {
            $crate::pds_cores::scenarios::every_message_comes_once_across_the_wrap($ways);
        }
        #[test]
        fn every_message_comes_once_over_trimming() {
            $crate::pds_cores::scenarios::every_message_comes_once_over_trimming($ways);
        }
        #[test]
        fn every_response_comes_once_and_is_cleared() {
            $crate::pds_cores::scenarios::every_response_comes_once_and_is_cleared($ways);
        }
        #[test]
        fn every_message_comes_once_through_windows() {
            $crate::pds_cores::scenarios::every_message_comes_once_through_windows($ways);
        }
        #[test]
        fn every_message_comes_once_in_any_case() {
            $crate::pds_cores::scenarios::every_message_comes_once_in_any_case($ways);
        }
        #[test]
        #[ignore = $ignored]
        fn every_message_comes_once_in_many_cases() {
            $crate::pds_cores::scenarios::every_message_comes_once_in_many_cases($ways);
        }
        #[test]
        fn runs_follow_from_their_seed() {
            $crate::pds_cores::scenarios::runs_follow_from_their_seed($ways);
        }
    };
}
pub(super) use scenarios;

fn both(ways: Ways, case: &Case, check: impl Fn(&Report) -> Found) {
    for (name, way) in ways {
        let found =
            way(case).and_then(|report| check(&report).map_err(|wrong| format!("{wrong}: {report:?}")));
        assert_eq!(found, Ok(()), "{name}: {case:?}");
    }
}

/// In order and without loss nothing is sent twice, and an ACK is due for its reasons alone.
pub(super) fn a_good_path_needs_no_packet_twice(ways: Ways) {
    for (mode, ack_requests, most) in [
        (Mode::Rud, AckRequests::Every, 200),
        (Mode::Rod, AckRequests::Sparse, 70),
        (Mode::Rud, AckRequests::Sparse, 70),
    ] {
        let path = Path { delay: 1000, ..Path::default() };
        both(ways, &Case { path, mode, ack_requests, ..Case::lossy(1) }, |report| {
            same("sent again, timeouts", [report.retransmissions, report.timeouts], [0; 2])?;
            holds("ACKs are coalesced", (10..most).contains(&report.acks))
        });
    }
}

/// Packets that come in another order are none that are lost.
pub(super) fn another_order_needs_no_packet_twice(ways: Ways) {
    for base in Base::ALL {
        let path = Path { loss: 0, ..Case::lossy(0).path };
        both(ways, &Case { path, base, ..Case::lossy(10 + base as u64) }, |report| {
            same("sent again, timeouts", [report.retransmissions, report.timeouts], [0; 2])
        });
    }
}

/// All kinds of bitmaps, ACKs and requests for them, in any order and in order alone.
pub(super) fn every_message_comes_once_over_loss(ways: Ways) {
    for mode in [Mode::Rud, Mode::Rod] {
        let lossy = |seed| Case { mode, messages: 25, ..Case::lossy(seed) };
        let lost = |report: &Report| holds("packets are lost", report.timeouts > 0);
        for base in Base::ALL {
            both(ways, &Case { base, ..lossy(20) }, lost);
        }
        both(ways, &Case { base: Base::Eights, sack_cack_align: 8, ..lossy(21) }, lost);
        both(ways, &Case { ack_type: AckType::Plain, ..lossy(22) }, lost);
        both(ways, &Case { ack_type: AckType::Ccx, ..lossy(23) }, lost);
        both(ways, &Case { ack_requests: AckRequests::Every, ..lossy(24) }, lost);
        both(ways, &Case { ack_requests: AckRequests::Never, syn_packets: 3, ..lossy(25) }, lost);
        both(ways, &Case { probe: Some(15_000), ..lossy(26) }, |report| {
            holds("probes are answered", report.probes_answered > 0)
        });
    }
}

pub(super) fn every_message_comes_once_across_the_wrap(ways: Ways) {
    for (seed, mode) in [(30, Mode::Rud), (31, Mode::Rod), (32, Mode::Rud)] {
        let start = 0_u32.wrapping_sub(seed as u32 - 5);
        both(ways, &Case { start, mode, ..Case::lossy(seed) }, |report| {
            holds("they wrap", report.packets > 50)
        });
    }
}

pub(super) fn every_message_comes_once_over_trimming(ways: Ways) {
    for (seed, mode, loss) in
        [(40, Mode::Rud, 0), (41, Mode::Rud, 20), (42, Mode::Rod, 0), (43, Mode::Rod, 10)]
    {
        let path = Path { trimmed: 30, loss, ..Case::lossy(0).path };
        both(ways, &Case { path, mode, ..Case::lossy(seed) }, |report| {
            holds("packets are trimmed", report.trimmed > 20)
        });
    }
}

/// Responses are held, and cleared late; those and the clears are lost.
pub(super) fn every_response_comes_once_and_is_cleared(ways: Ways) {
    for (seed, mode, held, clear_delay) in [
        (50, Mode::Rud, 1, 0),
        (51, Mode::Rud, 2, 30_000),
        (52, Mode::Rod, 3, 90_000),
        (53, Mode::Rod, 1, 10_000),
    ] {
        let clear_request = (seed % 2 == 0).then_some(25_000);
        both(ways, &Case { mode, held, clear_delay, clear_request, ..Case::lossy(seed) }, |report| {
            holds("clears are asked for", report.clears_asked > 0)
        });
    }
}

/// Windows of 128, 256 and 512 PSNs, also where the other end has another one, and where no ACK says so.
pub(super) fn every_message_comes_once_through_windows(ways: Ways) {
    let wide = Case { messages: 150, cwnd: 600, bytes: 700, ..Case::lossy(60) };
    for (window, other_window) in [(128, 128), (256, 256), (256, 128), (128, 256), (512, 384)] {
        both(ways, &Case { window, other_window, ..wide.clone() }, |report| {
            same("outside", report.outside, 0)
        });
    }
    let (ack_type, default_mpr, syn_packets) = (AckType::Plain, 0, 100);
    let narrow = Case { ack_type, default_mpr, syn_packets, ..wide };
    let outside = |report: Report| holds("PSNs are outside", report.outside > 0);
    let [(_, from), (_, to)] = ways;
    let from = from(&Case { window: 512, other_window: 128, ..narrow.clone() });
    assert_eq!(from.and_then(outside), Ok(()));
    let to = to(&Case { window: 128, other_window: 512, ..narrow });
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

fn anything(ways: Ways, seeds: Range<u64>) {
    let wrong: Vec<String> = seeds
        .flat_map(|seed| ways.map(|(name, way)| (seed, name, way(&any(seed)))))
        .filter_map(|(seed, name, found)| Some(format!("{seed}, {name}: {}", found.err()?)))
        .collect();
    assert!(wrong.is_empty(), "{} of them: {}", wrong.len(), wrong.join("\n"));
}

pub(super) fn every_message_comes_once_in_any_case(ways: Ways) {
    anything(ways, 0..10);
}

pub(super) fn every_message_comes_once_in_many_cases(ways: Ways) {
    anything(ways, 10..600);
}

pub(super) fn runs_follow_from_their_seed(ways: Ways) {
    for (_, way) in ways {
        let report = |seed| way(&Case::lossy(seed)).unwrap();
        assert_eq!(report(70), report(70));
        assert_ne!(report(70), report(71));
    }
}
