//! What a connection has received (section 3): window, bitmap, responses that are held, and when an ACK is due.
//!
//! Packets are counted from Start_PSN on, so that nothing here wraps but the PSNs themselves.

use std::collections::{BTreeMap, VecDeque};

use super::config::{AckType, Base, Config, Fault};
use super::headers::{Ack, Ask, Congestion, Mode, State, code};
use super::ses::Response;

/// PSNs of a bitmap.
const BITS: u32 = 64;
/// The farthest that a PSN may lie behind the EPSN, and ahead of CACK: an offset has 16 bits.
const BEHIND: i64 = 32768;
const AHEAD: i64 = 32767;
/// `rcvd_bytes` is in so many bytes.
const RCVD_UNIT: u64 = 256;
/// The largest `ooo_count`: one more would say that nobody counts.
const OOO_MAX: usize = 65534;

/// A request, or a control packet with a PSN of its own, that arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    pub psn: u32,
    pub is_syn: bool,
    pub is_retransmission: bool,
    pub ack_request: bool,
    /// CE.
    pub is_marked: bool,
    /// Bytes from the UDP or entropy header to the trailer, and bytes behind the header of the packet. `None` of a
    /// control packet, which counts for nothing.
    pub bytes: Option<(u32, u32)>,
}

/// What a receiver makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    New,
    Duplicate,
    /// Outside the window, with the code of its NACK. Nothing changes.
    Outside(u8),
    /// ROD: not the expected one. It is not taken, and a NACK says so unless one has.
    Ahead {
        tells: bool,
    },
}

/// The packet that an ACK answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    pub psn: u32,
    pub is_marked: bool,
    pub is_retransmission: bool,
}

/// The receiving half of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    mode: Mode,
    start: u32,
    /// Packets below the EPSN.
    expected: u64,
    /// Whether EPSN + i was received; the first is the EPSN itself.
    beyond: VecDeque<bool>,
    /// Responses that wait to be cleared, by the number of the packet.
    held: BTreeMap<u64, Response>,
    /// ROD: a NACK has told of the gap.
    told: bool,
    /// A packet asked for an ACK while packets beyond the EPSN were held.
    asked: bool,
    nominal: u64,
    /// Bytes since the last ACK.
    generated: u64,
    /// The lowest packet since the last ACK, for [`Base::Segment`].
    lowest: Option<i64>,
}

impl Receiver {
    pub fn new(mode: Mode, start: u32) -> Self {
        Receiver {
            mode,
            start,
            expected: 0,
            beyond: VecDeque::new(),
            held: BTreeMap::new(),
            told: false,
            asked: false,
            nominal: 0,
            generated: 0,
            lowest: None,
        }
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub fn start(&self) -> u32 {
        self.start
    }

    /// The lowest PSN that was not received.
    pub fn epsn(&self) -> u32 {
        self.psn(self.expected as i64)
    }

    /// All up to it is received and cleared.
    pub fn cack(&self) -> u32 {
        self.psn(self.cleared()).wrapping_sub(1)
    }

    /// Packets held beyond the EPSN.
    pub fn out_of_order(&self) -> usize {
        self.beyond.iter().filter(|is_there| **is_there).count()
    }

    /// Responses wait to be cleared.
    pub fn holds_responses(&self) -> bool {
        !self.held.is_empty()
    }

    pub fn is_received(&self, psn: u32) -> bool {
        self.has(self.number(psn))
    }

    /// `psn` is so near to CACK that an ACK can name it.
    pub fn can_answer(&self, psn: u32) -> bool {
        (-BEHIND..=AHEAD).contains(&(self.number(psn) - (self.cleared() - 1)))
    }

    /// `psn` lies in the window, which begins at the EPSN.
    pub fn is_in_window(&self, psn: u32, config: &Config) -> bool {
        (0..i64::from(config.receive_window)).contains(&(self.number(psn) - self.expected as i64))
    }

    /// Takes a packet in; and whether an ACK is due.
    pub fn arrive(&mut self, arrival: &Arrival, config: &Config) -> (Verdict, bool) {
        let number = self.number(arrival.psn);
        let ahead = number - self.expected as i64;
        if ahead >= i64::from(config.receive_window) {
            let code = if arrival.is_syn { code::SYN_OUTSIDE } else { code::OUTSIDE_WINDOW };
            return (Verdict::Outside(code), false);
        }
        if ahead < -BEHIND || !self.can_answer(arrival.psn) {
            return (Verdict::Outside(code::OUTSIDE_WINDOW), false);
        }
        if self.has(number) {
            if config.has(Fault::DuplicateCounted) {
                self.nominal += arrival.bytes.map_or(0, |(bytes, _)| u64::from(bytes + config.nominal_extra));
            }
            let verdict = if config.has(Fault::DuplicateTaken) { Verdict::New } else { Verdict::Duplicate };
            return (verdict, true);
        }
        if self.mode == Mode::Rod && ahead > 0 && !config.has(Fault::RodHolds) {
            let tells = !self.told || arrival.is_retransmission;
            self.told = true;
            return (Verdict::Ahead { tells }, false);
        }
        self.set(ahead as usize);
        self.lowest = Some(self.lowest.map_or(number, |lowest| lowest.min(number)));
        if let Some((bytes, payload)) = arrival.bytes {
            self.nominal += u64::from(bytes + config.nominal_extra);
            self.generated += u64::from(payload.max(config.ack_gen_min));
        }
        let is_late = self.is_late(arrival.ack_request) && !config.has(Fault::LateNotTold);
        let is_due = arrival.ack_request
            || arrival.is_syn
            || arrival.is_retransmission
            || arrival.is_marked && config.ack_on_ecn
            || self.generated >= u64::from(config.ack_gen_trigger)
            || is_late;
        (Verdict::New, is_due)
    }

    /// Holds the response to a packet until it is cleared.
    pub fn hold(&mut self, psn: u32, response: Response) {
        self.held.insert(self.number(psn) as u64, response);
    }

    /// The response to a packet that is held.
    pub fn held(&self, psn: u32) -> Option<Response> {
        self.held.get(&u64::try_from(self.number(psn)).ok()?).copied()
    }

    /// The initiator has all responses up to `psn`; false if that is beyond what was received.
    pub fn clear(&mut self, psn: u32) -> bool {
        let number = self.number(psn);
        if number >= self.expected as i64 {
            return false;
        }
        self.held.retain(|held, _| *held as i64 > number);
        true
    }

    /// An ACK of a packet. Who sends it fills in next header, PDCIDs and service time.
    pub fn ack(&mut self, trigger: &Trigger, config: &Config) -> Ack {
        self.generated = 0;
        // one that came before counts as well, and so does one that is asked for
        let answered = self.number(trigger.psn);
        let lowest = self.lowest.take().map_or(answered, |lowest| lowest.min(answered));
        let base = match config.base {
            Base::Segment => self.segment(lowest),
            Base::Eights => self.cack() & !7,
            Base::LowestHeld => {
                let held = self.beyond.iter().position(|is_there| *is_there);
                held.map_or(self.cack().wrapping_add(1), |at| self.epsn().wrapping_add(at as u32))
            }
            Base::AroundTrigger => {
                let last = answered - i64::from(BITS - 1);
                self.psn(last.max(self.expected as i64 + 1))
            }
        };
        let state = self.state(base, config);
        Ack {
            is_marked: trigger.is_marked,
            is_retransmission: trigger.is_retransmission,
            offset: trigger.psn.wrapping_sub(state.cack) as u16,
            ..state
        }
    }

    /// The answer to a probe that asks for a bitmap from `from` on.
    pub fn answer_probe(&self, opaque: u16, from: u32, config: &Config) -> Ack {
        let from = if self.is_in_window(from, config) { from } else { self.epsn() };
        let base = match config.base {
            Base::Segment => self.segment(self.number(from)),
            _ => from,
        };
        Ack { is_probe: true, offset: opaque, ..self.state(base, config) }
    }

    /// What every ACK says.
    fn state(&self, base: u32, config: &Config) -> Ack {
        let cack =
            if config.has(Fault::HeldResponsePassed) { self.epsn().wrapping_sub(1) } else { self.cack() };
        let from = cack - cack % config.sack_cack_align;
        let bits = (0..BITS).filter(|bit| self.is_received(base.wrapping_add(*bit)));
        let nscc = State::Nscc {
            service_time: 0,
            restore_cwnd: false,
            rcvd_cwnd_pend: 0,
            rcvd_bytes: self.nominal.div_ceil(RCVD_UNIT) as u32 & 0xff_ffff,
            ooo_count: self.out_of_order().min(OOO_MAX) as u16,
        };
        let (cc_type, state) = match config.ack_type {
            AckType::Ccx => (1, State::Extended([0; 16])),
            AckType::Plain | AckType::Cc => (0, nscc),
        };
        let congestion = Congestion {
            cc_type,
            cc_flags: 0,
            mpr: (config.receive_window / 128) as u8,
            sack_offset: base.wrapping_sub(from) as i16,
            bitmap: bits.fold(0, |bitmap, bit| bitmap | 1 << bit),
            state,
        };
        Ack {
            ask: if self.holds_responses() { Ask::Clear } else { Ask::Nothing },
            cack,
            congestion: (config.ack_type != AckType::Plain).then_some(congestion),
            ..Ack::default()
        }
    }

    /// The EPSN moves if it is this one.
    fn set(&mut self, ahead: usize) {
        if self.beyond.len() <= ahead {
            self.beyond.resize(ahead + 1, false);
        }
        self.beyond[ahead] = true;
        while self.beyond.front() == Some(&true) {
            self.beyond.pop_front();
            self.expected += 1;
            self.told = false;
        }
    }

    /// The last gap is closed behind a packet that asked for an ACK while it was open.
    fn is_late(&mut self, asks: bool) -> bool {
        let is_held = self.out_of_order() > 0;
        let was_asked = self.asked;
        self.asked = is_held && (was_asked || asks);
        was_asked && !is_held
    }

    /// Packets below the first one whose response is held, or that was not received.
    fn cleared(&self) -> i64 {
        self.held.keys().next().map_or(self.expected, |held| self.expected.min(*held)) as i64
    }

    fn has(&self, number: i64) -> bool {
        let ahead = number - self.expected as i64;
        ahead < 0 || self.beyond.get(ahead as usize).copied().unwrap_or(false)
    }

    /// First PSN of the segment of a packet, not below the segment of the EPSN.
    fn segment(&self, number: i64) -> u32 {
        let psn = self.psn(number.max(self.expected as i64));
        psn - psn % BITS
    }

    /// The packet with the PSN that is nearest to the EPSN, counted from Start_PSN; below 0 before it.
    fn number(&self, psn: u32) -> i64 {
        self.expected as i64 + i64::from(psn.wrapping_sub(self.epsn()) as i32)
    }

    fn psn(&self, number: i64) -> u32 {
        self.start.wrapping_add(number as u32)
    }
}
