//! What ACKs and NACKs do to the packets of a [`Sender`] (section 4).

use super::config::{Config, Fault};
use super::counts::Refusal;
use super::headers::{Ack, Action, Congestion, Ctl, Mode, Nack, State, code};
use super::sender::{Content, Sender};

/// `rcvd_bytes` has 24 bits; a growth of half of it or more is none.
const RCVD_BITS: u32 = 24;
const RCVD_UNIT: u64 = 256;
/// Nanoseconds of a unit of `service_time`.
pub const SERVICE_UNIT: u64 = 128;
/// The `ooo_count` that says that nobody counts, and the largest that is told.
const OOO_UNKNOWN: u16 = u16::MAX;
const OOO_MAX: u16 = 4095;
const BITS: u32 = 64;

/// What a CACK covers for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    Message(u64),
    Control(Ctl),
}

/// What an ACK says that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// A later ACK came before.
    pub is_overtaken: bool,
    /// Packets that it acknowledges for the first time.
    pub newly: u32,
    /// Growth of `rcvd_bytes`, in bytes; `None` where it says nothing of it.
    pub bytes: Option<u64>,
    pub ooo: Option<u16>,
    /// Of the packet that it answers, in nanoseconds, less the service time.
    pub rtt: Option<u64>,
    pub finished: Vec<Finished>,
    /// The message whose response it brings for the first time.
    pub answered: Option<u64>,
}

/// A place less una: signed, for PSNs wrap.
fn place(psn: u32, una: u32) -> i64 {
    i64::from(psn.wrapping_sub(una) as i32)
}

impl Sender {
    /// Takes an ACK in. `has_response`: a response follows it.
    ///
    /// # Errors
    /// If it claims what was not sent; then nothing changes.
    pub fn ack(
        &mut self,
        ack: &Ack,
        has_response: bool,
        now: u64,
        config: &Config,
    ) -> Result<Outcome, Refusal> {
        let (una, sent) = (self.una(), self.slots.len() as i64);
        let advance = if config.has(Fault::CackUnsigned) {
            i64::from(ack.cack) + 1 - i64::from(una)
        } else {
            place(ack.cack.wrapping_add(1), una)
        };
        let named: Vec<i64> = named(ack, config).map(|psn| place(psn, una)).collect();
        let refusal = if advance > sent {
            Some(Refusal::AckBeyondNext)
        } else if named.iter().any(|at| *at >= sent) {
            Some(Refusal::AckOfUnsent)
        } else {
            None
        };
        let mut outcome = Outcome { is_overtaken: advance < 0, ..Outcome::default() };
        match refusal {
            // an answer to a probe is right for what it says of time
            Some(_) if ack.is_probe => outcome.is_overtaken = true,
            Some(refusal) => return Err(refusal),
            None => {
                outcome.rtt = self.sample(ack, now);
                if config.has(Fault::ClearBitIsLoss) {
                    self.slots.iter_mut().for_each(|slot| slot.is_marked = false);
                }
                for at in named.into_iter().filter(|at| *at >= 0) {
                    outcome.newly += u32::from(self.mark(at as usize));
                }
                outcome.answered = self.answer(ack, has_response);
                self.take_mpr(ack, advance, config);
                self.advance(advance.max(0) as usize, now, &mut outcome);
            }
        }
        self.take_state(ack, &mut outcome);
        Ok(outcome)
    }

    fn mark(&mut self, at: usize) -> bool {
        let slot = &mut self.slots[at];
        (slot.is_lost, slot.again) = (false, None);
        !std::mem::replace(&mut slot.is_marked, true)
    }

    /// The time since the packet that it answers left, if it is known which copy it answers.
    fn sample(&self, ack: &Ack, now: u64) -> Option<u64> {
        let slot = self.slots.get(usize::try_from(place(ack.ack_psn()?, self.una())).ok()?)?;
        let is_known = matches!((slot.sends, ack.is_retransmission), (1, false) | (2, true));
        let service = match ack.congestion {
            Some(Congestion { state: State::Nscc { service_time, .. }, .. }) => service_time,
            _ => 0,
        };
        let rtt = (now - slot.sent_at).saturating_sub(u64::from(service) * SERVICE_UNIT);
        (is_known && !slot.is_marked).then_some(rtt)
    }

    /// The response to the packet that it answers is there, or none is wanted.
    fn answer(&mut self, ack: &Ack, has_response: bool) -> Option<u64> {
        let at = usize::try_from(place(ack.ack_psn()?, self.una())).ok()?;
        let slot = self.slots.get_mut(at)?;
        let (message, is_wanted) = match slot.content {
            Content::Request { message, wants_response, .. } => (Some(message), wants_response),
            Content::Control(_) => (None, false),
        };
        let is_first = (has_response || !is_wanted) && !std::mem::replace(&mut slot.is_answered, true);
        message.filter(|_| is_first && is_wanted)
    }

    /// An ACK that was overtaken never moves the limit.
    fn take_mpr(&mut self, ack: &Ack, advance: i64, config: &Config) {
        let Some(congestion) = ack.congestion else { return };
        let is_first = advance == 0 && self.mpr.is_none();
        if advance > 0 || is_first || config.has(Fault::OvertakenMpr) {
            self.mpr = Some(congestion.mpr);
        }
    }

    fn advance(&mut self, packets: usize, now: u64, outcome: &mut Outcome) {
        if packets == 0 {
            return;
        }
        for slot in self.slots.drain(..packets) {
            outcome.newly += u32::from(!slot.is_marked);
            match slot.content {
                Content::Request { message, is_last: true, .. } => {
                    outcome.finished.push(Finished::Message(message));
                }
                Content::Request { .. } => {}
                Content::Control(ctl) => outcome.finished.push(Finished::Control(ctl)),
            }
        }
        self.done += packets as u64;
        self.since = now;
        self.timeouts = 0;
        self.told = false;
    }

    fn take_state(&mut self, ack: &Ack, outcome: &mut Outcome) {
        let Some(Congestion { state: State::Nscc { rcvd_bytes, ooo_count, .. }, .. }) = ack.congestion else {
            return;
        };
        let growth = rcvd_bytes.wrapping_sub(self.rcvd_bytes) & ((1 << RCVD_BITS) - 1);
        if growth < 1 << (RCVD_BITS - 1) {
            self.rcvd_bytes = rcvd_bytes;
            outcome.bytes = Some(u64::from(growth) * RCVD_UNIT);
            self.received += u64::from(growth) * RCVD_UNIT;
        }
        outcome.ooo = (ooo_count != OOO_UNKNOWN).then(|| ooo_count.min(OOO_MAX));
    }

    /// Takes a NACK in, and does what its code asks of a sender; and what that is.
    ///
    /// # Errors
    /// If it names a PSN that is not outstanding; then nothing changes.
    pub fn nack(
        &mut self,
        nack: &Nack,
        is_bound: bool,
        now: u64,
        config: &Config,
    ) -> Result<Action, Refusal> {
        let at = place(nack.psn, self.una());
        if !(0..self.slots.len() as i64).contains(&at) {
            return Err(Refusal::BadNack);
        }
        let at = at as usize;
        let action = nack.action();
        let is_rod = self.mode == Mode::Rod;
        match action {
            Action::ResendNow if is_rod => self.go_back(at, now, config),
            Action::GoBack if is_rod => self.go_back(0, now, config),
            Action::ResendNow => self.resend(at, now),
            Action::ResendLater => self.resend(at, now + config.nack_retx),
            Action::AskAgain if !self.slots[at].is_answered => self.slots[at].again = Some(now),
            Action::Wait => self.since = now,
            Action::NewStart if !is_bound => self.restart(nack.payload, now),
            // of RUD nothing is out of order
            Action::GoBack | Action::AskAgain | Action::NewStart => {}
            Action::Tell | Action::Close | Action::Fail => {}
        }
        Ok(action)
    }

    /// It stays in flight.
    fn resend(&mut self, at: usize, when: u64) {
        let slot = &mut self.slots[at];
        if !slot.is_marked && slot.again.is_none() {
            slot.again = Some(when);
        }
    }

    /// ROD: all from this place on go once more, once until there is progress.
    fn go_back(&mut self, from: usize, now: u64, config: &Config) {
        if std::mem::replace(&mut self.told, true) && !config.has(Fault::EveryNackHeard) {
            return;
        }
        for slot in self.slots.range_mut(from..).filter(|slot| !slot.is_marked) {
            (slot.is_lost, slot.again) = (true, Some(now));
        }
    }

    /// Nothing has arrived, and all begins at another Start_PSN.
    fn restart(&mut self, start: u32, now: u64) {
        self.start = start;
        for slot in &mut self.slots {
            (slot.is_lost, slot.again) = (true, Some(now));
        }
    }
}

/// The PSNs that an ACK names one by one.
fn named(ack: &Ack, config: &Config) -> impl Iterator<Item = u32> {
    let from = ack.cack - ack.cack % config.sack_cack_align;
    let shift = u32::from(config.has(Fault::BitmapShifted));
    let (base, bitmap) =
        ack.congestion.map_or((0, 0), |congestion| (congestion.base(from), congestion.bitmap));
    let bits = (0..BITS).filter(move |bit| bitmap >> bit & 1 != 0);
    ack.ack_psn().into_iter().chain(bits.map(move |bit| base.wrapping_add(bit).wrapping_add(shift)))
}

/// Whether a selector of paths hears that the packet of this NACK arrived.
pub const fn has_arrived(nack_code: u8) -> bool {
    nack_code != code::TRIMMED
}
