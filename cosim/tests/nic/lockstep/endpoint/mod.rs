//! The block of Ultra Ethernet in lockstep against the endpoint of `hosts::pds`, which shares no code with any model of it. Between them
//! lies a path that loses, reorders, doubles, marks and trims.

mod initiator;
mod path;
mod target;

use std::net::{IpAddr, Ipv4Addr};

use respray_cosim::nic::{Around, End, Given};
use respray_golden::hosts::pds::frame::{Encapsulation, Outer};
use respray_golden::hosts::pds::headers::{Ack, Header};
use respray_golden::hosts::pds::ses::Piece;
use respray_golden::hosts::pds::{
    AckType, Address, AnyEv, Base, Config, Delivered, Endpoint, Event, Fault, Message, Mode,
};
use respray_golden::nic::Counter;

use self::initiator::Initiator;
use self::path::Path;
use self::target::Target;
use super::Block;
use super::uet::block;

/// PDCs of the end that sends messages, and of the one that receives them.
const A: u16 = 7;
const B: u16 = 9;
/// Nanoseconds of a clock cycle, and clock cycles of a tick of the scoreboard.
const CYCLE: u64 = 3;
const SACK_TICK: u64 = 1 << 5;
/// Nanoseconds until a timeout.
const RTO: u64 = 40_000;
/// Cycles after which a run has gone wrong.
const TOO_LONG: u64 = 4_000_000;
/// Bytes of a message in a full packet.
const PAYLOAD: usize = 100;
const TRIMMED: u8 = 16;
const TRIMMED_LAST: u8 = 18;
/// Packets in flight, and PSNs outstanding: the MPR before the first ACK allows 128.
const CWND: u32 = 32;
const OUTSTANDING: usize = 100;

/// A run.
#[derive(Clone, Copy)]
struct Case {
    seed: u64,
    messages: usize,
    mode: Mode,
    ack_type: AckType,
    base: Base,
    /// Both ends send probes after so many nanoseconds without an ACK.
    probe: Option<u64>,
    /// The end that receives answers each message with a response, which it holds until it is cleared.
    wants_responses: bool,
    fault: Option<Fault>,
}

impl Case {
    fn new(seed: u64, messages: usize) -> Case {
        let (ack_type, base) = (AckType::Cc, Base::ALL[seed as usize % 4]);
        let mode = Mode::Rud;
        Case { seed, messages, mode, ack_type, base, probe: None, wants_responses: false, fault: None }
    }

    fn start(&self) -> u32 {
        0xffff_ffe0_u32.wrapping_add(0x1234_5678_u32.wrapping_mul(self.seed as u32))
    }

    fn messages(&self) -> Vec<Vec<u8>> {
        let of = |at: usize| {
            let length = (self.seed as usize * 131 + at * 251) % 600;
            (0..length).map(|byte| (byte * 7 + at * 13) as u8).collect()
        };
        (0..self.messages).map(of).collect()
    }

    /// What the packets of all messages carry behind their headers.
    fn packets(&self) -> Vec<Vec<u8>> {
        let of = |(at, message): (usize, Vec<u8>)| {
            let count = packets_of(&message);
            let packet = move |packet: usize| {
                let offset = packet * PAYLOAD;
                let data = &message[offset..message.len().min(offset + PAYLOAD)];
                let piece = Piece {
                    message: at as u16,
                    is_first: packet == 0,
                    is_last: packet + 1 == count,
                    wants_response: self.wants_responses,
                    offset: offset as u32,
                    length: message.len() as u32,
                };
                [&piece.to_bytes(), data].concat()
            };
            (0..count).map(packet).collect::<Vec<_>>()
        };
        self.messages().into_iter().enumerate().flat_map(of).collect()
    }

    /// Which of these packets are the last ones of their messages.
    fn ends(&self) -> Vec<usize> {
        let packets = self.messages().into_iter().map(|message| packets_of(&message));
        packets
            .scan(0, |end, count| {
                *end += count;
                Some(*end - 1)
            })
            .collect()
    }

    /// Every message came once.
    fn check_delivered(&self, delivered: &[Vec<u8>]) -> Result<(), String> {
        let (mut sent, mut delivered) = (self.messages(), delivered.to_vec());
        sent.sort_unstable();
        delivered.sort_unstable();
        let (came, of) = (delivered.len(), sent.len());
        (sent == delivered).then_some(()).ok_or(format!("{came} messages came, or other ones, of {of}"))
    }

    /// The endpoint with its first PDC.
    fn endpoint(&self, first_pdc: u16) -> Endpoint {
        let config = Config {
            seed: self.seed + 1000,
            address: here(first_pdc),
            encapsulation: encapsulation(),
            first_pdc,
            start_psn: Some(self.start()),
            cwnd: CWND,
            window: 128,
            receive_window: 128,
            payload: PAYLOAD,
            syn_packets: 64,
            rto: RTO,
            max_rto_retx: 15,
            probe: self.probe,
            ack_type: self.ack_type,
            base: self.base,
            ack_gen_trigger: 10_240,
            ack_gen_min: 1024,
            linger: 1 << 50,
            fault: self.fault,
            ..Config::default()
        };
        Endpoint::new(config, Box::new(AnyEv::new(self.seed))).expect("settings that are allowed")
    }

    /// What the driver of the block writes before it opens a connection.
    fn settings(&self) -> [(&'static str, u32); 12] {
        let ticks = |ns: u64| (ns / CYCLE / SACK_TICK) as u32;
        [
            ("command_mode", (self.mode == Mode::Rod).into()),
            ("ack_gen_trigger", 10_240),
            ("ack_gen_min", 1024),
            ("dscp_trimmed", TRIMMED.into()),
            ("dscp_trimmed_last", TRIMMED_LAST.into()),
            ("cwnd_packets", CWND),
            ("rto", ticks(RTO)),
            ("rto_backoff_max", 3),
            ("max_rto_retx", 15),
            ("probe", self.probe.is_some().into()),
            ("probe_timeout", self.probe.map_or(0xffff, ticks)),
            (
                "ack_type",
                match self.ack_type {
                    AckType::Plain => 7,
                    AckType::Cc => 8,
                    AckType::Ccx => 9,
                },
            ),
        ]
    }
}

/// Packets that a message takes.
fn packets_of(message: &[u8]) -> usize {
    message.len().div_ceil(PAYLOAD).max(1)
}

fn here(end: u16) -> Address {
    let host = if end == A { 1 } else { 2 };
    Address { mac: [2, 0, 0, 0, 0, host], ip: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)) }
}

fn encapsulation() -> Encapsulation {
    Encapsulation {
        dscp_trimmed: Some(TRIMMED),
        dscp_trimmed_last: Some(TRIMMED_LAST),
        ..Encapsulation::default()
    }
}

/// A frame of the host of a block, whose PDC is `from`.
fn frame_of(from: u16, ev: u16, dscp: u8, header: &Header, behind: &[u8]) -> Given {
    let to = if from == A { B } else { A };
    let outer = Outer { from: here(from), to: here(to), ev, dscp, ecn: 0 };
    let bytes = encapsulation().write(&outer, &[&header.to_bytes(), behind].concat());
    Given { bytes, user: false }
}

/// The host of the block.
trait Host {
    /// What it does in a cycle: what the block has told it stands in `end.out`.
    fn serve(&mut self, end: &mut End) -> Result<(), String>;
    fn is_done(&self) -> bool;
    /// Where it stands, in words.
    fn state(&self) -> String;
}

/// The endpoint, and what it has told.
struct Other {
    endpoint: Endpoint,
    delivered: Vec<Vec<u8>>,
    is_closed: bool,
    finished: usize,
    probed: usize,
}

impl Other {
    fn listen(&mut self) -> Result<(), String> {
        while let Some(Delivered { bytes, .. }) = self.endpoint.delivered() {
            self.delivered.push(bytes);
        }
        while let Some(event) = self.endpoint.event() {
            match event {
                Event::Closed { .. } => self.is_closed = true,
                Event::Finished { .. } => self.finished += 1,
                Event::Probed { .. } => self.probed += 1,
                Event::Dead { .. } | Event::Ended { .. } => return Err(format!("the endpoint: {event:?}")),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Runs until both ends are done, and behind that until all rests. `end` is 0 for the block that sends, and 1 for one that receives.
fn carry(
    case: &Case,
    end: &mut End,
    host: &mut dyn Host,
    other: &mut Other,
    to_close: Option<u16>,
) -> Result<(), String> {
    let mut path = Path::new(case.seed);
    end.around = Around::FREE;
    let mut is_closing = false;
    while !host.is_done() || !other.is_closed {
        let now = end.cycle() * CYCLE;
        if end.cycle() > TOO_LONG {
            return Err(format!(
                "it does not come to an end: {}, {} messages came",
                host.state(),
                other.delivered.len()
            ));
        }
        while let Some((to_block, frame)) = path.arrived(now) {
            match to_block {
                true => end.receive(Given { bytes: frame, user: false }),
                false => other.endpoint.receive(&frame, now),
            }
        }
        if end.cycle().is_multiple_of(16) {
            other.listen()?;
            if let Some(pdc) = to_close.filter(|_| !is_closing && other.finished == case.messages) {
                other.endpoint.close(pdc);
                is_closing = true;
            }
            while let Some(frame) = other.endpoint.poll(now) {
                path.send(true, frame, now);
            }
        }
        host.serve(end)?;
        end.step().map_err(|difference| difference.to_string())?;
        while let Some(sent) = end.out.transmitted.pop_front() {
            path.send(false, sent.frame, end.cycle() * CYCLE);
        }
    }
    end.check_counters().map_err(|difference| difference.to_string())
}

fn begin(case: &Case, block: &Block) -> Result<End, String> {
    let mut end = block.end();
    let written = case.settings().into_iter().try_for_each(|(name, value)| end.write(name, value));
    written.map_err(|difference| difference.to_string())?;
    Ok(end)
}

fn other(endpoint: Endpoint) -> Other {
    Other { endpoint, delivered: Vec::new(), is_closed: false, finished: 0, probed: 0 }
}

/// The block sends, and closes by a control packet that takes a PSN.
fn from_block(block: &Block, case: &Case) -> Result<End, String> {
    let mut end = begin(case, block)?;
    let mut other = other(case.endpoint(B));
    let mut host = Initiator::new(case, &mut end)?;
    carry(case, &mut end, &mut host, &mut other, None)?;
    case.check_delivered(&other.delivered)?;
    host.check_responses(case)?;
    let bad = [Counter::RxAcksBad, Counter::RxOtherPeer, Counter::TxRefused];
    let bad = bad.map(|counter| end.golden().counter(counter));
    (bad == [0; 3])
        .then_some(end)
        .ok_or(format!("ACKs that are not believed, and packets that are refused: {bad:?}"))
}

/// The endpoint sends, and closes.
fn to_block(block: &Block, case: &Case) -> Result<End, String> {
    let mut end = begin(case, block)?;
    let mut endpoint = case.endpoint(A);
    let pdc = endpoint.open(here(B), case.mode).expect("there is room");
    for bytes in case.messages() {
        endpoint.submit(pdc, &Message { bytes, wants_response: false });
    }
    let mut other = other(endpoint);
    let mut host = Target::default();
    carry(case, &mut end, &mut host, &mut other, Some(pdc))?;
    case.check_delivered(&host.delivered)?;
    let bad = [Counter::RxNotOpen, Counter::RxOtherPeer].map(|counter| end.golden().counter(counter));
    (bad == [0; 2]).then_some(end).ok_or(format!("packets that are not of the peer: {bad:?}"))
}

fn passes(way: fn(&Block, &Case) -> Result<End, String>, block: &Block, case: &Case, least: &[Counter]) {
    let end = way(block, case).unwrap_or_else(|wrong| panic!("seed {}: {wrong}", case.seed));
    for counter in least {
        assert!(end.golden().counter(*counter) > 0, "seed {}: no {}", case.seed, counter.name());
    }
}

#[test]
fn messages_to_and_from_an_endpoint_of_other_make_come_once() {
    let block = block(&[], |verilog| verilog);
    let sent = [Counter::TxAgain, Counter::LossTimeout, Counter::RxNacks, Counter::TxProbes];
    let case = Case { probe: Some(15_000), ..Case::new(1, 24) };
    passes(from_block, &block, &case, &sent);
    let received = [Counter::RxUnbound, Counter::RxDuplicate, Counter::RxTrimmed, Counter::RxProbes];
    passes(to_block, &block, &case, &received);
}

/// The host gets the ACKs that carry the responses, and clears these.
#[test]
fn responses_of_an_endpoint_of_other_make_reach_the_host() {
    let block = block(&[], |verilog| verilog);
    for ack_type in [AckType::Plain, AckType::Cc, AckType::Ccx] {
        let case = Case { wants_responses: true, ack_type, ..Case::new(2, 24) };
        passes(from_block, &block, &case, &[Counter::TxAgain, Counter::RxAcks]);
    }
}

#[test]
fn messages_in_order_to_and_from_an_endpoint_of_other_make_come_once() {
    let block = block(&[], |verilog| verilog);
    let case = Case { mode: Mode::Rod, ..Case::new(3, 24) };
    passes(from_block, &block, &case, &[Counter::TxAgain, Counter::RxNacks]);
    passes(to_block, &block, &case, &[Counter::TxNacks, Counter::RxTrimmed]);
}

/// A peer says that the first packet came, and holds its cumulative PSN back: when the RTO is over, the host is to ask for it.
#[test]
fn a_cumulative_psn_that_is_held_back_is_asked_for() {
    // one packet
    let (block, case) = (block(&[], |verilog| verilog), Case::new(5, 1));
    let mut end = begin(&case, &block).unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut host = Initiator::new(&case, &mut end).unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut is_answered = false;
    for _ in 0..2 * RTO / CYCLE {
        host.serve(&mut end).unwrap_or_else(|wrong| panic!("{wrong}"));
        end.step().unwrap_or_else(|difference| panic!("{difference}"));
        if !is_answered && end.out.transmitted.pop_front().is_some() {
            is_answered = true;
            let cack = case.start().wrapping_sub(1);
            let ack = Ack { offset: 1, cack, source: B, destination: A, ..Ack::default() };
            end.receive(frame_of(B, 5, 46, &Header::Ack(ack), &[]));
        }
    }
    assert_eq!(end.golden().counter(Counter::AckRequests), 1);
    end.check_counters().unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
#[ignore = "minutes"]
fn many_runs_against_an_endpoint_of_other_make() {
    let block = block(&["sack.window=256"], |verilog| verilog);
    for seed in 0..24 {
        let ack_type = [AckType::Plain, AckType::Cc, AckType::Ccx][seed as usize % 3];
        let probe = [None, Some(15_000)][seed as usize % 2];
        let mode = [Mode::Rud, Mode::Rud, Mode::Rod][seed as usize / 6 % 3];
        let case = Case { mode, ack_type, probe, ..Case::new(seed, 60) };
        passes(from_block, &block, &case, &[Counter::TxAgain]);
        passes(to_block, &block, &case, &[Counter::TxNacks]);
    }
}

/// What the endpoint does wrong on purpose shows in what comes, or in what the block counts.
#[test]
#[ignore = "minutes"]
fn faults_of_the_endpoint_are_found() {
    let block = block(&[], |verilog| verilog);
    for fault in [Fault::DuplicateTaken, Fault::TrimmedReceived] {
        let run = |seed| from_block(&block, &Case { fault: Some(fault), ..Case::new(seed, 40) }).err();
        let found = (0..8).find_map(run);
        println!("{fault:?}: {}", found.unwrap_or_else(|| panic!("{fault:?} is not found")));
    }
}
