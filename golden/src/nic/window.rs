//! The window of each connection, where a congestion control chooses it: STrack's, [`crate::strack_cc`].
//!
//! - A connection that is opened for sending has the largest window.
//! - Each ACK that the scoreboard takes, or that is merely old, is an `ack` of the congestion control: with its mark, whether it answers a
//!   probe, the bytes that it newly acknowledged, and its round trip as it was when the ACK came.
//! - Rule 1 and the wait of retransmissions go by the window of the connection, and so does a path selector that hears of one. A host is told
//!   of each that changes, and stops at it by itself.

use std::collections::VecDeque;

use super::{Event, Kind, Nic, Setting};
use crate::strack_cc::{Engine, Op, OpKind, Params, Status};

/// Who chooses how many packets a connection may have in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowEngine {
    /// The host: one window for all connections.
    Fixed,
    /// STrack's window, one for each connection.
    Strack,
}

/// An ACK that waits for the congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowAck {
    pub conn: u16,
    pub ecn: bool,
    pub probe: bool,
    /// Newly acknowledged.
    pub bytes: u32,
    /// In ticks of the wire.
    pub rtt: u16,
}

/// A window that was chosen and that nobody has seen yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chosen {
    conn: u16,
    packets: u16,
    /// In 2^-16 packets, where an ACK brought it.
    of_ack: Option<u32>,
}

/// The windows.
#[derive(Debug)]
pub(super) struct Windows {
    engine: Engine,
    /// In packets, of each connection.
    packets: Vec<u16>,
    /// Connections that were opened and whose init is to come.
    opened: VecDeque<u16>,
    acks: VecDeque<WindowAck>,
    chosen: Option<Chosen>,
}

impl Windows {
    /// Of connections none of which is open.
    pub fn new(connections: u32) -> Self {
        Windows {
            engine: Engine::new(Params { connections }),
            packets: vec![0; connections as usize],
            opened: VecDeque::new(),
            acks: VecDeque::new(),
            chosen: None,
        }
    }

    /// Nothing waits for the congestion control.
    pub fn is_idle(&self) -> bool {
        self.opened.is_empty() && self.acks.is_empty()
    }

    /// As after `rst`.
    pub fn reset(&mut self) {
        *self = Windows::new(self.packets.len() as u32);
    }
}

impl Nic {
    /// The window of a connection in packets.
    pub fn cwnd_packets(&self, conn: u16) -> u16 {
        match &self.windows {
            Some(windows) => windows.packets[usize::from(conn)],
            None => self.settings.get(Setting::CwndPackets) as u16,
        }
    }

    /// A connection is opened for sending.
    pub(super) fn open_window(&mut self, conn: u16) {
        let Some(windows) = &mut self.windows else { return };
        windows.opened.push_back(conn);
        self.choose_at_once(true);
    }

    /// An ACK says something of the window.
    pub(super) fn hear_window(&mut self, ack: WindowAck) {
        let Some(windows) = &mut self.windows else { return };
        windows.acks.push_back(ack);
        self.choose_at_once(false);
    }

    fn choose_at_once(&mut self, opens: bool) {
        if self.owed.is_none() {
            self.choose_window(opens);
            self.show_window();
        }
    }

    /// The congestion control takes its next init, or its next ACK; whose connection it is.
    pub fn choose_window(&mut self, opens: bool) -> Option<u16> {
        let (now, settings) = (self.clock.wire(&self.settings), self.settings.window());
        let windows = self.windows.as_mut()?;
        let op = if opens {
            let conn = windows.opened.pop_front()?;
            Op { kind: OpKind::Init, conn, now, settings, ..Op::default() }
        } else {
            let WindowAck { conn, ecn, probe, bytes, rtt } = windows.acks.pop_front()?;
            let timestamp = now.wrapping_sub(rtt);
            Op { kind: OpKind::Ack, conn, ecn, probe, bytes, timestamp, now, settings }
        };
        let result = windows.engine.apply(&op).result;
        let conn = op.conn;
        windows.chosen = match result {
            None => Some(Chosen { conn, packets: settings.max_cwnd.max(1), of_ack: None }),
            Some(result) if result.status == Status::Ok => {
                Some(Chosen { conn, packets: result.cwnd_packets, of_ack: Some(result.cwnd) })
            }
            Some(_) => None,
        };
        Some(conn)
    }

    /// The window that was chosen is there for all who go by it.
    pub fn show_window(&mut self) -> Option<()> {
        let windows = self.windows.as_mut()?;
        let Chosen { conn, packets, of_ack } = windows.chosen.take()?;
        let before = std::mem::replace(&mut windows.packets[usize::from(conn)], packets);
        if let Some(value) = of_ack.filter(|_| packets != before) {
            self.tell(Event { detail: packets, value, ..Event::new(Kind::Window, conn.into(), 0) });
        }
        Some(())
    }
}
