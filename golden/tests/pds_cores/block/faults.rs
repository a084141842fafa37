//! Mistakes of either end, each with a run that finds it.

use respray_golden::hosts::pds::headers::{Ack, Header, Nack, State};
use respray_golden::hosts::pds::{AckRequests, Fault};

use super::super::carry::{Other, Station, carry};
use super::super::faults::{Role, held, of_endpoint_are_found, slips_are_found, stalled};
use super::super::{Case, Found, Path, Slip, encapsulation, holds, same};
use super::runs::{from_block, to_block};
use super::target::Target;
use super::twins::twins;

fn run(role: Role, case: &Case) -> Found {
    match role {
        Role::Sends => from_block(case).map(|_| ()),
        Role::Receives => to_block(case).map(|_| ()),
        Role::Twin => twins(case),
    }
}

#[test]
fn mistakes_of_the_endpoint_are_found() {
    of_endpoint_are_found(run, &[Fault::ClearBitIsLoss]);
}

#[test]
fn mistakes_of_the_host_are_found() {
    slips_are_found(
        run,
        &[
            (Slip::UnansweredCleared, Role::Sends, held()),
            (Slip::HeldPassed, Role::Receives, held()),
            (Slip::SynOffsetUnread, Role::Receives, Case::lossy(87)),
            (Slip::AskUnheard, Role::Sends, stalled()),
        ],
    );
}

/// What a block with a mistake would write into its frames.
type Change = fn(&mut Header);

/// The block as target, whose frames are changed on their way out.
struct Changed {
    target: Target,
    change: Option<Change>,
}

impl Station for Changed {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let frame = self.target.poll(now)?;
        let Some(change) = self.change else { return Some(frame) };
        let packet = encapsulation().read(&frame).expect("the block sends what can be read");
        let (mut header, length) = Header::parse(packet.bytes).expect("the block sends what can be read");
        change(&mut header);
        Some(encapsulation().write(&packet.outer, &[&header.to_bytes(), &packet.bytes[length..]].concat()))
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        self.target.receive(frame, now);
    }

    fn wake_at(&self) -> Option<u64> {
        self.target.wake_at()
    }

    fn is_done(&self) -> bool {
        self.target.is_done()
    }

    fn wrong(&self) -> Option<String> {
        self.target.wrong()
    }
}

fn of_ack(header: &mut Header, change: impl Fn(&mut Ack)) {
    if let Header::Ack(ack) = header {
        change(ack);
    }
}

fn of_nack(header: &mut Header, change: impl Fn(&mut Nack)) {
    if let Header::Nack(nack) = header {
        change(nack);
    }
}

fn run_changed(case: &Case, change: Option<Change>) -> Found {
    let mut other = Other::initiator(case);
    let mut changed = Changed { target: Target::new(case), change };
    carry(case, &mut [&mut other, &mut changed])?;
    case.check_delivered(&changed.target.host().delivered)?;
    other.check_refused(&[])?;
    let (received, una, nxt) = other.finish.ok_or("its messages are finished")?;
    let end = case.start.wrapping_add(case.packets().len() as u32);
    same("una, nxt", [una, nxt], [end; 2])?;
    same("bytes that were counted", received, case.nominal())?;
    let sent_again = other.endpoint.counts().retransmissions;
    holds("what is lost is sent again, and nothing else", sent_again > 0 || case.path.trimmed == 0)
}

/// Frames that say what is not so make the endpoint do what it must not, or refuse them.
#[test]
fn mistakes_of_the_block_are_found() {
    let quiet = Case {
        ack_requests: AckRequests::Every,
        path: Path { delay: 1000, ..Path::default() },
        ..Case::lossy(90)
    };
    let trimming = Case { path: Path { trimmed: 40, delay: 1000, ..Path::default() }, ..Case::lossy(91) };
    let changes: [(&str, Case, Change); 9] = [
        ("the cumulative PSN is the one behind", quiet.clone(), |header| {
            of_ack(header, |ack| ack.cack = ack.cack.wrapping_add(1));
        }),
        ("the PSN that is answered is the one behind the last", quiet.clone(), |header| {
            of_ack(header, |ack| ack.offset = ack.offset.wrapping_add(40));
        }),
        ("bit 0 is the PSN behind its base", quiet.clone(), |header| {
            of_ack(header, |ack| {
                if let Some(cc) = &mut ack.congestion {
                    cc.sack_offset += 64;
                }
            });
        }),
        ("another connection", quiet.clone(), |header| of_ack(header, |ack| ack.source += 1)),
        ("a connection that the peer has not", quiet.clone(), |header| {
            of_ack(header, |ack| ack.destination += 1)
        }),
        ("an answer to a probe", quiet.clone(), |header| of_ack(header, |ack| ack.is_probe = true)),
        ("received bytes are bytes", quiet.clone(), |header| {
            of_ack(header, |ack| {
                if let Some(State::Nscc { rcvd_bytes, .. }) = ack.congestion.as_mut().map(|cc| &mut cc.state)
                {
                    *rcvd_bytes += 1;
                }
            });
        }),
        ("a NACK of the PSN behind", trimming.clone(), |header| {
            of_nack(header, |nack| nack.psn = nack.psn.wrapping_add(500));
        }),
        ("a NACK of the wrong connection", trimming.clone(), |header| {
            of_nack(header, |nack| nack.destination += 1);
        }),
    ];
    for (name, case, change) in changes {
        let found = run_changed(&case, Some(change));
        assert!(found.is_err(), "{name}: is not found");
        println!("{name}: {}", found.unwrap_err());
        assert_eq!(run_changed(&case, None), Ok(()), "without: {name}");
    }
}
