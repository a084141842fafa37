//! Mistakes of either end, each with a run that finds it.

use respray_golden::hosts::pds::headers::{Ack, Header, Mode, Nack, State};
use respray_golden::hosts::pds::{AckRequests, Fault};

use super::super::carry::{Other, Station, carry};
use super::super::{Case, Found, Path, Slip, encapsulation, holds, same};
use super::runs::{from_block, to_block};
use super::target::Target;
use super::twins::twins;

type Run = (fn(&Case) -> Found, Case);

fn sends(case: &Case) -> Found {
    from_block(case).map(|_| ())
}

fn receives(case: &Case) -> Found {
    to_block(case).map(|_| ())
}

fn rod() -> Case {
    Case { mode: Mode::Rod, ..Case::lossy(80) }
}

fn trimmed() -> Case {
    let path = Path { trimmed: 30, loss: 0, ..Case::lossy(0).path };
    Case { path, ..Case::lossy(81) }
}

fn held() -> Case {
    Case { held: 1, clear_delay: 30_000, ..Case::lossy(82) }
}

/// Many copies, of which the second may be answered first.
fn doubled() -> Case {
    Case { path: Path { doubled: 50, ..held().path }, ..held() }
}

fn wrap() -> Case {
    Case { start: 0_u32.wrapping_sub(20), ..Case::lossy(83) }
}

/// A run of the endpoint with a mistake, where the block finds it.
fn of_endpoint(fault: Fault) -> Option<Run> {
    Some(match fault {
        Fault::DuplicateTaken => (sends, Case::lossy(84)),
        Fault::HeldResponsePassed => (sends, held()),
        Fault::ResponseForgotten => (sends, doubled()),
        Fault::SynOffsetUnread => (sends, Case::lossy(87)),
        Fault::TrimmedReceived => (sends, trimmed()),
        Fault::RodHolds => (sends, rod()),
        Fault::DuplicateCounted => (sends, Case::lossy(84)),
        Fault::BitmapShifted => (receives, Case::lossy(84)),
        Fault::CackUnsigned => (receives, wrap()),
        Fault::UnansweredCleared => (receives, held()),
        Fault::LateNotTold => {
            (twins, Case { path: Path { loss: 0, ..Case::lossy(0).path }, ..Case::lossy(10) })
        }
        // they cost time, or concern what no run sends: the vectors of the endpoint find them
        Fault::ClearBitIsLoss
        | Fault::OvertakenMpr
        | Fault::AnyPeer
        | Fault::EveryNackHeard
        | Fault::RetxNotSet => return None,
    })
}

#[test]
fn mistakes_of_the_endpoint_are_found() {
    for fault in Fault::ALL {
        let Some((run, case)) = of_endpoint(fault) else { continue };
        let found = run(&Case { fault: Some(fault), ..case.clone() });
        assert!(found.is_err(), "{fault:?} is not found");
        println!("{fault:?}: {}", found.unwrap_err());
        assert_eq!(run(&case).err(), None, "without {fault:?}");
    }
}

#[test]
fn mistakes_of_the_host_are_found() {
    let stalled = Case { messages: 8, bytes: 50, ..held() };
    let runs: [(Slip, Run); 4] = [
        (Slip::UnansweredCleared, (sends, held())),
        (Slip::HeldPassed, (receives, held())),
        (Slip::SynOffsetUnread, (receives, Case::lossy(87))),
        (Slip::AskUnheard, (sends, stalled)),
    ];
    for (slip, (run, case)) in runs {
        let found = run(&Case { slip: Some(slip), ..case.clone() });
        assert!(found.is_err(), "{slip:?} is not found");
        println!("{slip:?}: {}", found.unwrap_err());
        assert_eq!(run(&case).err(), None, "without {slip:?}");
    }
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

fn run(case: &Case, change: Option<Change>) -> Found {
    let mut other = Other::initiator(case);
    let mut changed = Changed { target: Target::new(case), change };
    carry(case, &mut [&mut other, &mut changed])?;
    case.check_delivered(&changed.target.delivered)?;
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
        let found = run(&case, Some(change));
        assert!(found.is_err(), "{name}: is not found");
        println!("{name}: {}", found.unwrap_err());
        assert_eq!(run(&case, None), Ok(()), "without: {name}");
    }
}
