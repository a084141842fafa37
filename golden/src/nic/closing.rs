//! A connection's end, where the host hears of it.
//!
//! A connection that drains takes no new data of the host: PSNs from the one on that was next when the command came. What was sent before is
//! sent again as ever. When all of it is acknowledged, the connection is closed for sending, and the host is told.
//!
//! Receiving is closed at once. The host is told when the last packet that was taken in before has gone to it.
//!
//! # What is late of the former life
//! Nothing in the headers tells two lives of a connection apart: their PSNs do. A life that begins a window or more beyond the PSN that the
//! event names has no PSN in common with what the former life sent, nor with what its receiver would have taken in. So a late packet is a
//! duplicate to the receiver of the new life, and outside the window to that of the old one; a late ACK is old to the sender.

use std::collections::BTreeMap;

use super::engines::Op;
use super::read_result::ReadResult;
use super::{Event, Kind, Nic, PSNS, Setting, Source};
use crate::sack_tx::Status;

/// `detail` of [`Kind::Closed`].
const SENDING: u16 = 1;
const RECEIVING: u16 = 2;

/// Why a data packet of the host was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `sack_tx` says so.
    Engine(Status),
    /// It is new, and its connection drains.
    Drains,
}

impl Refusal {
    /// In the event.
    pub const fn code(self) -> u8 {
        match self {
            Refusal::Engine(status) => status.code(),
            Refusal::Drains => 4,
        }
    }
}

/// Connections that end.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    /// Those that drain: the first PSN that is not taken.
    drains: BTreeMap<u16, u32>,
    /// Those that are closed for receiving, of which the host was not told: frames that had come for it.
    closed: BTreeMap<u16, u64>,
}

impl Closing {
    /// The host was told of each that is closed for receiving.
    pub fn has_told(&self) -> bool {
        self.closed.is_empty()
    }
}

impl Nic {
    /// Whether `close_tx` is to drain first.
    pub(super) fn closes_by_draining(&self) -> bool {
        self.closing.is_some() && self.settings.get(Setting::CloseDrains) == 1
    }

    /// A connection begins to drain. Where it stands.
    pub(super) fn drain(&mut self, conn: u16) -> ReadResult {
        let result = self.read_connection(conn, Op::Read);
        if let Some(closing) = self.closing.as_mut().filter(|_| result.status == Status::Ok.code()) {
            closing.drains.insert(conn, result.snd_nxt);
        }
        result
    }

    /// A connection is opened or closed for sending: it does not drain.
    pub(super) fn drains_no_more(&mut self, conn: u16) {
        if let Some(closing) = &mut self.closing {
            closing.drains.remove(&conn);
        }
    }

    /// Whether a packet of the host is not taken because its connection drains.
    pub(super) fn is_held_back(&self, conn: u16, psn: u32) -> bool {
        let end = self.closing.as_ref().and_then(|closing| closing.drains.get(&conn));
        end.is_some_and(|end| !PSNS.is_below(psn, *end))
    }

    /// A connection is closed for sending. Where it stood.
    pub(super) fn close_sending(&mut self, conn: u16) -> ReadResult {
        let result = self.read_connection(conn, Op::Close);
        self.renew_selector(conn, false);
        self.forget(conn);
        self.drains_no_more(conn);
        if self.closing.is_some() && result.status == Status::Ok.code() {
            let event = Event::new(Kind::Closed, conn.into(), result.snd_nxt);
            self.tell(Event { detail: SENDING, in_flight: result.in_flight, value: result.snd_una, ..event });
        }
        result
    }

    /// A connection is closed that drains and of which all is acknowledged; `None` of any other.
    pub fn close_drained(&mut self, conn: u16) -> Option<()> {
        self.closing.as_ref()?.drains.get(&conn)?;
        let stands = self.read_connection(conn, Op::Read);
        if stands.snd_una != stands.snd_nxt {
            return None;
        }
        self.close_sending(conn);
        Some(())
    }

    /// All of them, at once.
    pub(super) fn close_all_drained(&mut self) {
        let drains = self.closing.iter().flat_map(|closing| closing.drains.keys().copied());
        for conn in drains.collect::<Vec<_>>() {
            self.close_drained(conn);
        }
    }

    /// Connections that drain, and those of which all is acknowledged but that are not closed.
    pub fn draining(&mut self) -> [Vec<u16>; 2] {
        let drains = self.closing.iter().flat_map(|closing| closing.drains.keys().copied());
        let drains: Vec<u16> = drains.collect();
        let is_done = |conn: &u16| {
            let stands = self.read_connection(*conn, Op::Read);
            stands.snd_una == stands.snd_nxt
        };
        let done = drains.clone().into_iter().filter(is_done).collect();
        [drains, done]
    }

    /// Frames that have come for the host.
    pub fn frames_for_host(&self) -> u64 {
        self.rx_out.came()
    }

    /// `sack_rx` has executed a `close`. So many frames had come for the host when it took that.
    pub(super) fn closed_receiving(&mut self, conn: u16, frames: u64) {
        if let Some(closing) = &mut self.closing {
            closing.closed.insert(conn, frames);
        }
    }

    /// The host is told that a connection is closed for receiving; `None` if it is not, or if a packet that was taken in before waits.
    pub fn tell_closed_rx(&mut self, conn: u16) -> Option<()> {
        let frames = *self.closing.as_ref()?.closed.get(&conn)?;
        if self.rx_out.has_taken(conn, frames) {
            return None;
        }
        self.closing.as_mut()?.closed.remove(&conn);
        let event = Event { detail: RECEIVING, ..Event::new(Kind::Closed, conn.into(), 0) };
        match &mut self.owed {
            Some(owed) => owed.told[Source::Closing as usize].push_back(event),
            None => _ = self.queue(event),
        }
        Some(())
    }

    /// Of all of which it may be told, where that follows by itself.
    pub(super) fn tell_all_closed_rx(&mut self) {
        if self.owed.is_some() {
            return;
        }
        let closed = self.closing.iter().flat_map(|closing| closing.closed.keys().copied());
        for conn in closed.collect::<Vec<_>>() {
            self.tell_closed_rx(conn);
        }
    }
}
