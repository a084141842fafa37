//! The PDS endpoint of `hosts::pds`: vectors, exchanges, properties, and runs of two of them.
//!
//! What holds is a check: a function that gets an endpoint's fault, or none, and says what is wrong. Tests run all
//! checks without a fault; [`faults`] shows for every fault a check that finds it.

mod acks;
mod any_acks;
mod bad_input;
mod closing;
mod encapsulation;
mod exchanges;
mod faults;
mod headers;
mod nacks;
pub(crate) mod network;
mod receiving;
mod runs;
mod sending;
mod syns;
mod targets;

use std::cell::RefCell;
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;

use respray_golden::hosts::pds::frame::{CE, ECT_0, Outer};
use respray_golden::hosts::pds::{
    Address, Chooser, Config, Encapsulation, Endpoint, Event, Fault, Feedback, Message, Mode, Outcome, Pdc,
};

/// What a check finds.
pub(crate) type Found = Result<(), String>;

/// PDCIDs of the vectors: the initiator's, and its peer's.
const A: u16 = 7;
const B: u16 = 9;
/// DSCP of trimmed packets, and of those of the last hop.
pub(crate) const TRIMMED: u8 = 16;
pub(crate) const TRIMMED_LAST: u8 = 18;

pub(crate) const fn address(host: u8) -> Address {
    Address { mac: [2, 0, 0, 0, 0, host], ip: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)) }
}

pub(crate) fn encapsulation() -> Encapsulation {
    Encapsulation {
        dscp_trimmed: Some(TRIMMED),
        dscp_trimmed_last: Some(TRIMMED_LAST),
        ..Encapsulation::default()
    }
}

/// Of the endpoint at host 1 whose first connection is `A`.
fn config_a(fault: Option<Fault>) -> Config {
    Config {
        address: address(1),
        encapsulation: encapsulation(),
        first_pdc: A,
        start_psn: Some(1000),
        fault,
        ..Config::default()
    }
}

/// Of the endpoint at host 2 whose first connection is `B`.
fn config_b(fault: Option<Fault>) -> Config {
    Config { address: address(2), first_pdc: B, seed: 2, ..config_a(fault) }
}

/// EVs 0, 1, 2 and so on; what is heard of them can be read.
#[derive(Clone, Default)]
struct Recorder {
    next: Rc<RefCell<u16>>,
    heard: Rc<RefCell<Vec<Feedback>>>,
}

impl Recorder {
    /// What was heard since it was last read.
    fn read(&self) -> Vec<Feedback> {
        std::mem::take(&mut self.heard.borrow_mut())
    }
}

impl Chooser for Recorder {
    fn choose(&mut self, _pdc: u16) -> u16 {
        let mut next = self.next.borrow_mut();
        *next += 1;
        *next - 1
    }

    fn hear(&mut self, _pdc: u16, feedback: Feedback) {
        self.heard.borrow_mut().push(feedback);
    }
}

fn endpoint(config: Config) -> (Endpoint, Recorder) {
    let recorder = Recorder::default();
    (Endpoint::new(config, Box::new(recorder.clone())).expect("settings of tests are allowed"), recorder)
}

/// An initiator with connection `A`, bound to `B`, that has sent so many packets of a message that goes on.
fn initiator(config: Config, mode: Mode, packets: usize) -> (Endpoint, Recorder) {
    let start = config.start_psn.expect("a test says it");
    let payload = config.payload;
    let id = config.first_pdc;
    let (mut endpoint, recorder) = endpoint(config);
    let pdc = endpoint.open(address(2), mode).expect("there is room");
    assert_eq!(pdc, id);
    bind(&mut endpoint, id, start);
    if packets > 0 {
        endpoint.submit(pdc, &message(payload * (packets + 20)));
    }
    for _ in 0..packets {
        endpoint.poll(0).expect("the windows are open");
    }
    drain(&mut endpoint);
    recorder.read();
    (endpoint, recorder)
}

/// An ACK that names nothing but the peer: host 2's PDCID is 2 above.
fn bind(endpoint: &mut Endpoint, id: u16, start: u32) {
    let bytes = format!("38000000{:08x}{:04x}{id:04x}", start.wrapping_sub(1), id + 2);
    endpoint.receive(&from_b(&bytes), 0);
    let first = endpoint.event();
    assert_eq!(first, Some(Event::Bound { pdc: id, peer: id + 2 }));
}

pub(crate) fn message(bytes: usize) -> Message {
    Message { bytes: (0..bytes).map(|at| (at % 251) as u8).collect(), wants_response: false }
}

/// All events that wait.
fn drain(endpoint: &mut Endpoint) -> Vec<Event> {
    std::iter::from_fn(|| endpoint.event()).collect()
}

/// The headers and what follows of all frames that leave now.
fn poll_all(endpoint: &mut Endpoint, now: u64) -> Vec<String> {
    std::iter::from_fn(|| endpoint.poll(now)).map(|frame| text(&frame)).collect()
}

/// What the connection makes of an ACK, by the events of it.
fn outcome(events: &[Event]) -> Option<&Outcome> {
    events.iter().find_map(|event| match event {
        Event::Acknowledged { outcome, .. } => Some(outcome),
        _ => None,
    })
}

fn pdc(endpoint: &Endpoint, id: u16) -> Result<&Pdc, String> {
    endpoint.pdc(id).ok_or_else(|| format!("connection {id} is gone"))
}

/// Bytes of hex digits.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hex digits");
    (0..text.len()).step_by(2).map(digit).collect()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A frame from host 2 to host 1 with EV 77, and the other way round.
pub(crate) fn from_b(bytes: &str) -> Vec<u8> {
    let outer = Outer { from: address(2), to: address(1), ev: 77, dscp: 46, ecn: 0 };
    encapsulation().write(&outer, &hex(bytes))
}

pub(crate) fn from_a(bytes: &str) -> Vec<u8> {
    let outer = Outer { from: address(1), to: address(2), ev: 77, dscp: 0, ecn: ECT_0 };
    encapsulation().write(&outer, &hex(bytes))
}

/// The same, marked by a switch.
pub(crate) fn marked_from_a(bytes: &str) -> Vec<u8> {
    let outer = Outer { from: address(1), to: address(2), ev: 77, dscp: 0, ecn: CE };
    encapsulation().write(&outer, &hex(bytes))
}

/// What a frame carries from its header on.
pub(crate) fn text(frame: &[u8]) -> String {
    to_hex(encapsulation().read(frame).expect("it was just written").bytes)
}

/// The only frame that leaves now, from its header on.
fn only(endpoint: &mut Endpoint, now: u64) -> Result<String, String> {
    let mut frames = poll_all(endpoint, now);
    match frames.len() {
        1 => Ok(frames.remove(0)),
        _ => Err(format!("one frame is to leave, and not {frames:?}")),
    }
}

/// Header of a standard request, 44 bytes, and 1024 bytes of data.
pub(crate) fn s2() -> String {
    format!("0503001100000001{}", "00".repeat(36 + 1024))
}

/// The same, with a response that is held.
fn s2_held() -> String {
    format!("0523001100000001{}", "00".repeat(36 + 1024))
}

/// Default response to it.
pub(crate) const D0: &str = "000000110000000000000000";

pub(crate) fn same<T: PartialEq + Debug>(what: &str, got: T, wanted: T) -> Found {
    if got == wanted { Ok(()) } else { Err(format!("{what}: {got:?} in place of {wanted:?}")) }
}

pub(crate) fn holds(what: &str, it_does: bool) -> Found {
    if it_does { Ok(()) } else { Err(what.to_owned()) }
}
