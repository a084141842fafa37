//! Runs of both directions over a bad path.

use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{AckType, Refusal, Taken};
use respray_golden::nic::Counter;

use super::super::carry::{Other, carry};
use super::super::runs::refusals;
use super::super::scenarios::{Report, Ways, scenarios};
use super::super::{B, Case, same};
use super::initiator::Initiator;
use super::target::Target;

/// The block sends, the endpoint receives.
pub(super) fn from_block(case: &Case) -> Result<Report, String> {
    let (mut block, mut other) = (Initiator::new(case), Other::target(case));
    carry(case, &mut [&mut block, &mut other])?;
    case.check_delivered(&other.delivered)?;
    case.check_responses(block.host().responded.clone())?;
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
    let nacks = |code: u8| block.host().nacks.get(&code).copied().unwrap_or(0);
    Ok(Report {
        packets: block.packets(),
        acks: of(Counter::RxAcks) + of(Counter::RxAcksOld),
        retransmissions: block.retransmissions,
        timeouts: of(Counter::LossTimeout),
        trimmed: nacks(1) + nacks(2),
        outside: nacks(0x0b),
        clears_asked: block.host().clears_asked,
        probes_answered: of(Counter::TxProbes),
        asked: of(Counter::AckRequests),
    })
}

/// The endpoint sends, the block receives.
pub(super) fn to_block(case: &Case) -> Result<Report, String> {
    let (mut other, mut block) = (Other::initiator(case), Target::new(case));
    carry(case, &mut [&mut other, &mut block])?;
    case.check_delivered(&block.host().delivered)?;
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

const WAYS: Ways = [("from the block", from_block), ("to the block", to_block)];
scenarios!(WAYS, "takes 20 CPU seconds");
