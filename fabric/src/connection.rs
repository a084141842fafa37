//! Both ends of a connection: what the sender remembers of its packets, and the receiver of what has come.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::packet::Packet;
use crate::time::Picoseconds;
use crate::window::Window;

/// What the sender knows of a packet that it has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outstanding,
    /// It is known to be lost and is to be sent again.
    Lost,
    Come,
}

/// A packet that was sent and is not below every one that the receiver wants.
#[derive(Clone, Copy, Debug)]
struct Sent {
    state: State,
    was_repeated: bool,
    bytes: u16,
    /// The EV of its last copy.
    ev: u16,
    /// When its last copy was sent.
    at: Picoseconds,
}

/// A message to send.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub flow: u32,
    /// The PSN behind its last packet.
    pub end: u32,
    /// Bytes of its last packet on the wire.
    pub last_bytes: u16,
}

/// The messages of a sender, and how far it is with them.
#[derive(Debug, Default)]
pub struct Messages {
    /// Those that are not complete, in order.
    messages: VecDeque<Message>,
    /// Of them, those whose packets have all been sent for the first time.
    sent: usize,
    next_psn: u32,
}

impl Messages {
    /// Adds a message of so many packets.
    pub fn add(&mut self, flow: u32, packets: u32, last_bytes: u16) {
        let begin = self.messages.back().map_or(self.next_psn, |message| message.end);
        self.messages.push_back(Message { flow, end: begin + packets, last_bytes });
    }

    /// Whether a packet is to be sent for the first time.
    #[inline]
    pub fn has_new(&self) -> bool {
        self.sent < self.messages.len()
    }

    /// The packet that is to be sent for the first time next.
    pub fn next_psn(&self) -> u32 {
        self.next_psn
    }

    /// Bytes of the packet that [`Messages::take`] takes next. `full_bytes` is the size of a full one.
    ///
    /// # Panics
    /// If there is none.
    pub fn next_bytes(&self, full_bytes: u16) -> u16 {
        let message = self.messages[self.sent];
        if self.next_psn + 1 == message.end { message.last_bytes } else { full_bytes }
    }

    /// Takes the next packet: its PSN and its bytes.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn take(&mut self, full_bytes: u16) -> (u32, u16) {
        let (psn, bytes) = (self.next_psn, self.next_bytes(full_bytes));
        self.next_psn += 1;
        self.sent += usize::from(self.next_psn == self.messages[self.sent].end);
        (psn, bytes)
    }

    /// The flow of a packet, if not all of that flow is known to have come.
    pub fn flow_of(&self, psn: u32) -> Option<u32> {
        let place = self.messages.partition_point(|message| message.end <= psn);
        Some(self.messages.get(place)?.flow)
    }

    /// The first message, if all of it has come: all packets below `first_psn`.
    pub fn complete(&mut self, first_psn: u32) -> Option<u32> {
        let message = self.messages.front().filter(|message| message.end <= first_psn)?;
        let flow = message.flow;
        self.messages.pop_front();
        self.sent -= 1;
        Some(flow)
    }
}

/// A packet that goes now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Going {
    pub psn: u32,
    pub bytes: u16,
    pub is_repeated: bool,
}

/// What an ACK brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    /// How long its packet took there and back, if that was a full one that was sent once.
    pub round_trip: Option<Picoseconds>,
    /// When its packet was sent last, if it is not forgotten.
    pub sent_at: Option<Picoseconds>,
    /// Bytes by which the receiver's total grew.
    pub bytes: u64,
}

/// The sender's end.
#[derive(Debug)]
pub struct Sender {
    pub window: Window,
    messages: Messages,
    /// The PSN that the receiver wants, as far as the sender knows.
    first_psn: u32,
    /// Packets from `first_psn` on.
    sent: VecDeque<Sent>,
    lost: BinaryHeap<Reverse<u32>>,
    /// The first packet of those that were sent once whose time may not be over: they were sent in the order of their PSNs.
    first_running: u32,
    /// Packets that were sent again, in the order of their times.
    repeated: VecDeque<(Picoseconds, u32)>,
    /// The receiver's total, as far as the sender knows, modulo 2^32.
    received: u32,
    /// The same without the modulo, and the bytes of packets below `first_psn`: for the second count.
    received_bytes: u64,
    passed_bytes: u64,
    /// It waits for its turn at the NIC.
    pub is_queued: bool,
    /// A timer is set.
    pub is_timed: bool,
    /// The path selector lets its packets wait.
    pub is_waiting: bool,
    /// The latest round trip that was too long for a network without trouble.
    pub last_slow: Option<Picoseconds>,
}

impl Sender {
    pub fn new(window: Window) -> Sender {
        Sender {
            window,
            messages: Messages::default(),
            first_psn: 0,
            sent: VecDeque::new(),
            lost: BinaryHeap::new(),
            first_running: 0,
            repeated: VecDeque::new(),
            received: 0,
            received_bytes: 0,
            passed_bytes: 0,
            is_queued: false,
            is_timed: false,
            is_waiting: false,
            last_slow: None,
        }
    }

    /// Adds a message of so many packets.
    pub fn add(&mut self, flow: u32, packets: u32, last_bytes: u16) {
        self.messages.add(flow, packets, last_bytes);
    }

    fn state(&mut self, psn: u32) -> Option<&mut Sent> {
        let place = psn.checked_sub(self.first_psn)?;
        self.sent.get_mut(place as usize)
    }

    /// Whether a packet may go now.
    #[inline]
    pub fn may_send(&mut self) -> bool {
        let has_new = !self.is_waiting && self.messages.has_new();
        self.window.is_open() && (self.next_lost().is_some() || has_new)
    }

    /// Bytes of the packet that [`Sender::send`] sends next, and whether it was sent before.
    ///
    /// # Panics
    /// If it may not send.
    pub fn next(&mut self, full_bytes: u16) -> (u16, bool) {
        match self.next_lost() {
            Some(psn) => (self.state(psn).expect("a lost packet was sent").bytes, true),
            None => (self.messages.next_bytes(full_bytes), false),
        }
    }

    /// The lost packet to send again first. What has come since it was held for lost is forgotten.
    fn next_lost(&mut self) -> Option<u32> {
        while let Some(&Reverse(psn)) = self.lost.peek() {
            if self.state(psn).is_some_and(|sent| sent.state == State::Lost) {
                return Some(psn);
            }
            self.lost.pop();
        }
        None
    }

    /// Sends a packet: a lost one again, or the next one. `full_bytes` is the size of a full one.
    ///
    /// # Panics
    /// If it may not send.
    #[inline]
    pub fn send(&mut self, now: Picoseconds, full_bytes: u16) -> Going {
        let going = match self.next_lost() {
            Some(psn) => {
                self.lost.pop();
                self.repeated.push_back((now, psn));
                let sent = self.state(psn).expect("a lost packet was sent");
                *sent = Sent { state: State::Outstanding, was_repeated: true, at: now, ..*sent };
                Going { psn, bytes: sent.bytes, is_repeated: true }
            }
            None => {
                let (psn, bytes) = self.messages.take(full_bytes);
                let state = State::Outstanding;
                self.sent.push_back(Sent { state, was_repeated: false, bytes, ev: 0, at: now });
                Going { psn, bytes, is_repeated: false }
            }
        };
        self.window.sent(going.bytes.into());
        going
    }

    /// A packet goes by this EV.
    #[inline]
    pub fn goes_by(&mut self, psn: u32, ev: u16) {
        if let Some(sent) = self.state(psn) {
            sent.ev = ev;
        }
    }

    /// The EV of a packet that has not come.
    pub fn ev(&self, psn: u32) -> Option<u16> {
        let place = psn.checked_sub(self.first_psn)?;
        Some(self.sent.get(place as usize)?.ev)
    }

    /// An ACK came: what it says of packets and of the receiver's total. The window is told by the caller.
    pub fn acknowledge(&mut self, ack: &Packet, now: Picoseconds, full_bytes: u16) -> Acknowledged {
        let mut brought = Acknowledged::default();
        if let Some(sent) = self.state(ack.psn) {
            brought.sent_at = Some(sent.at);
            if !sent.was_repeated && sent.bytes == full_bytes {
                brought.round_trip = Some(now - sent.at);
            }
        }
        // ACKs may come in another order than they went
        let more = ack.received.wrapping_sub(self.received) as i32;
        if more > 0 {
            brought.bytes = more as u64;
            self.received_bytes += brought.bytes;
            self.received = ack.received;
        }
        self.has_come(ack.psn);
        let (mut bits, first) = (ack.bitmap, first_of_bitmap(ack.cumulative, ack.psn));
        while bits != 0 {
            self.has_come(first + bits.trailing_zeros());
            bits &= bits - 1;
        }
        while self.first_psn < ack.cumulative
            || self.sent.front().is_some_and(|sent| sent.state == State::Come)
        {
            self.has_come(self.first_psn);
            self.passed_bytes += self.sent.pop_front().map_or(0, |sent| u64::from(sent.bytes));
            self.first_psn += 1;
        }
        brought
    }

    fn has_come(&mut self, psn: u32) {
        let Some(sent) = self.state(psn) else { return };
        let (before, bytes) = (sent.state, sent.bytes);
        sent.state = State::Come;
        if before == State::Lost {
            self.window.come_after_all(bytes.into());
        }
    }

    /// The flow of a packet, if not all of that flow is known to have come.
    pub fn flow_of(&self, psn: u32) -> Option<u32> {
        self.messages.flow_of(psn)
    }

    /// A packet is known to be lost: says its size, if that is news.
    pub fn lose(&mut self, psn: u32) -> Option<u16> {
        let sent = self.state(psn).filter(|sent| sent.state == State::Outstanding)?;
        sent.state = State::Lost;
        let bytes = sent.bytes;
        self.lost.push(Reverse(psn));
        self.window.lost(bytes.into());
        Some(bytes)
    }

    /// The first packet whose time is over, if one's is.
    pub fn expired(&mut self, now: Picoseconds, rto: Picoseconds) -> Option<u32> {
        let (first, psn) = self.next_expiry(rto)?;
        (first <= now).then_some(psn)
    }

    /// When the next packet expires, and which that is. It stays the next one until it is held for lost.
    pub fn next_expiry(&mut self, rto: Picoseconds) -> Option<(Picoseconds, u32)> {
        let once = loop {
            self.first_running = self.first_running.max(self.first_psn);
            let psn = self.first_running;
            match self.state(psn) {
                Some(Sent { state: State::Outstanding, was_repeated: false, at, .. }) => {
                    break Some((*at + rto, psn));
                }
                Some(_) => self.first_running += 1,
                None => break None,
            }
        };
        let again = loop {
            let Some(&(at, psn)) = self.repeated.front() else { break None };
            let is_this = |sent: &mut Sent| sent.state == State::Outstanding && sent.at == at;
            if self.state(psn).is_some_and(is_this) {
                break Some((at + rto, psn));
            }
            self.repeated.pop_front();
        };
        once.into_iter().chain(again).min()
    }

    /// What is on its way by a second count, from what the sender knows of each packet: sent once, not counted by an ACK and not held for
    /// lost.
    pub fn recount(&self) -> i64 {
        let bytes = |sent: &Sent| i64::from(sent.bytes);
        let sent = self.passed_bytes as i64 + self.sent.iter().map(bytes).sum::<i64>();
        let lost: i64 = self.sent.iter().filter(|sent| sent.state == State::Lost).map(bytes).sum();
        sent - self.received_bytes as i64 - lost
    }

    /// The first message, if all of it has come.
    pub fn complete(&mut self) -> Option<u32> {
        self.messages.complete(self.first_psn)
    }
}

/// What a packet is to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It comes for the first time, with this reordering depth: 0 where no higher PSN has come before.
    New {
        depth: u32,
    },
    Duplicate,
}

/// The receiver's end.
#[derive(Debug, Default)]
pub struct Receiver {
    /// Every packet below this PSN has come.
    pub cumulative: u32,
    /// Of the packets from `cumulative + 1` on, those that have come; bit 0 of the first word is the first.
    come: VecDeque<bool>,
    /// Bytes on the wire of all packets that have come, modulo 2^32.
    pub received: u32,
    /// The PSN behind the highest that has come.
    highest: u32,
    /// Bytes of payload since the last ACK, where not each packet gets one.
    pub unanswered: u64,
}

impl Receiver {
    /// A data packet came.
    #[inline]
    pub fn take(&mut self, psn: u32, bytes: u16) -> Arrival {
        if psn < self.cumulative {
            return Arrival::Duplicate;
        }
        let depth = self.highest.saturating_sub(psn + 1);
        self.highest = self.highest.max(psn + 1);
        match psn - self.cumulative {
            0 => {
                self.cumulative += 1;
                while let Some(come) = self.come.pop_front() {
                    if !come {
                        break;
                    }
                    self.cumulative += 1;
                }
            }
            ahead => {
                let place = ahead as usize - 1;
                if self.come.len() <= place {
                    self.come.resize(place + 1, false);
                }
                if std::mem::replace(&mut self.come[place], true) {
                    return Arrival::Duplicate;
                }
            }
        }
        self.received = self.received.wrapping_add(bytes.into());
        Arrival::New { depth }
    }

    /// What an ACK of packet `psn` says of those behind `cumulative`: bit `i` is packet [`first_of_bitmap`]` + i`.
    #[inline]
    pub fn bitmap(&self, psn: u32) -> u64 {
        let skipped = first_of_bitmap(self.cumulative, psn) - (self.cumulative + 1);
        let bits = self.come.iter().skip(skipped as usize).take(BITMAP as usize).enumerate();
        bits.fold(0, |bitmap, (place, &come)| bitmap | u64::from(come) << place)
    }
}

/// Packets of an ACK's bitmap.
const BITMAP: u32 = u64::BITS;

/// The first packet of the bitmap in an ACK of `psn`: the one behind `cumulative` or, where that is too far below, so that the last one
/// is `psn` itself.
#[inline]
pub fn first_of_bitmap(cumulative: u32, psn: u32) -> u32 {
    (cumulative + 1).max(psn.saturating_sub(BITMAP - 1))
}
