//! Runs of both directions over a bad path.

use respray_golden::hosts::pds::headers::{Header, Mode};
use respray_golden::hosts::pds::{AckType, Refusal, Taken};

use super::carry::{Other, carry};
use super::initiator::Initiator;
use super::scenarios::{Report, Ways, scenarios};
use super::target::Target;
use super::twins::{self, all_the_same};
use super::{B, Case, Found, Path, encapsulation, same};

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
    case.check_responses(cores.host().responded.clone())?;
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
    let nacks = |code: u8| cores.host().nacks.get(&code).copied().unwrap_or(0);
    Ok(Report {
        packets: cores.packets(),
        acks: cores.acks,
        retransmissions: cores.retransmissions,
        timeouts: cores.timeouts,
        trimmed: nacks(1) + nacks(2),
        outside: nacks(0x0b),
        clears_asked: cores.host().clears_asked,
        probes_answered: cores.probes_answered,
        asked: cores.asked,
    })
}

/// The endpoint sends, the receiver of cores receives.
pub(super) fn to_cores(case: &Case) -> Result<Report, String> {
    let (mut other, mut cores) = (Other::initiator(case), Target::new(case));
    carry(case, &mut [&mut other, &mut cores])?;
    case.check_delivered(&cores.host().delivered)?;
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
    let nacks = |code: u8| cores.host().nacks.get(&code).copied().unwrap_or(0);
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

/// What a frame says: every byte of it.
fn said(frame: &[u8]) -> String {
    let packet = encapsulation().read(frame).expect("it can be read");
    format!("{frame:02x?} {:?}", Header::parse(packet.bytes).expect("it can be read").0)
}

pub(super) fn twins(case: &Case) -> Found {
    twins::twins(case, Target::new(case), said)
}

const WAYS: Ways = [("from cores", from_cores), ("to cores", to_cores)];
scenarios!(WAYS, "takes 5 CPU seconds");

#[test]
fn targets_that_hear_the_same_answer_the_same() {
    all_the_same(0..12, twins);
    // without loss what closes the last gap asks for nothing itself
    for seed in 10..12 {
        let path = Path { loss: 0, ..Case::lossy(0).path };
        assert_eq!(twins(&Case { path, ..Case::lossy(seed) }).err(), None);
    }
}

#[test]
#[ignore = "takes 5 CPU seconds"]
fn targets_that_hear_the_same_answer_the_same_in_many_cases() {
    all_the_same(12..1000, twins);
}
