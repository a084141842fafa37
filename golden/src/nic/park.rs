//! Packets that wait in the block until their connection may send, where the selector is one that lets packets wait: `flowcut`.
//!
//! - A data packet that is sent for the first time and whose `send` is told to wait is parked: its frame is kept aside, and the frames
//!   behind it go on. There are so many places for all connections, and a connection has one of them at most.
//! - It asks again when its connection may have changed: when a drain has ended or an init came, and if it does not wait for the end of a
//!   drain, with the next ACK that is not refused. Then it leaves, or waits again.
//! - A further packet of that connection that is sent for the first time does not ask before the parked one has left. Like one that has to
//!   wait and finds no place, or is too long for one, it holds up all that are behind it: `tx_in` pauses. A packet that is
//!   sent again and a probe ask at once, and are never told to wait.
//! - A parked frame goes before those of the host that can go, and takes its place until it has left. What of it is beyond its place is cut.

use std::collections::{BTreeMap, VecDeque};

use super::host_frame::{Decision, HostFrame, Rewritten, Send, Stage};
use super::spray::{Drawn, Effect, Said};
use super::steps::Asked;
use super::{Config, Counter, Nic, Sent, Transmitted};
use crate::selector::{self, SendKind};

/// Bytes of a place at most, and beats.
const MOST_PLACE_BYTES: usize = 8192;
const MOST_PLACE_BEATS: usize = 512;
/// Room for all headers above the payload.
const HEADER_BYTES: usize = 128;

/// How far a parked packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waits {
        draining: bool,
    },
    /// It is to ask again.
    Asks,
    Leaves,
}

/// A packet in a place.
#[derive(Clone, Debug)]
struct Parked {
    frame: Vec<u8>,
    user: bool,
    bytes: u32,
    state: State,
}

/// The places, and what is known of connections.
#[derive(Debug)]
pub(super) struct Park {
    places: usize,
    place_bytes: usize,
    /// By connection.
    parked: BTreeMap<u16, Parked>,
    /// Connections whose packets are to ask again.
    asks: VecDeque<u16>,
    /// The one that may leave, with its EV.
    drawn: Option<(u16, u16, SendKind)>,
    released: VecDeque<Transmitted>,
    /// Connections whose packets leave or have left, and still take their places.
    leaving: VecDeque<u16>,
    /// Of each connection, of its paths.
    classes: Vec<u8>,
}

impl Park {
    /// Without a packet.
    pub fn new(config: &Config) -> Self {
        let beat_bytes = config.bus_bits as usize / 8;
        Park {
            places: config.park as usize,
            place_bytes: MOST_PLACE_BYTES.min(MOST_PLACE_BEATS * beat_bytes),
            parked: BTreeMap::new(),
            asks: VecDeque::new(),
            drawn: None,
            released: VecDeque::new(),
            leaving: VecDeque::new(),
            classes: vec![0; config.connections as usize],
        }
    }

    pub fn clear(&mut self) {
        self.parked.clear();
        self.asks.clear();
        self.drawn = None;
        self.released.clear();
        self.leaving.clear();
    }

    pub fn class(&self, conn: u16) -> u8 {
        self.classes[usize::from(conn)]
    }

    /// Packets that are parked.
    pub fn parked(&self) -> usize {
        self.parked.len()
    }

    /// Whether a packet of the connection is parked.
    fn has(&self, conn: u16) -> bool {
        self.parked.contains_key(&conn)
    }

    /// Whether a packet with so much payload finds a place.
    fn takes(&self, bytes: u32) -> bool {
        self.parked.len() < self.places && bytes as usize + HEADER_BYTES <= self.place_bytes
    }

    /// What a block has not done that had all the time there is.
    pub fn left_undone(&self) -> Option<&'static str> {
        let is_done = self.asks.is_empty()
            && self.drawn.is_none()
            && self.released.is_empty()
            && self.leaving.is_empty();
        (!is_done).then_some("a parked packet that may leave, or is to ask")
    }
}

impl Nic {
    /// Parked packets that are to ask again, and whether the frame of the host that is next could go on.
    pub fn owed_asks(&self) -> [bool; 2] {
        let could = self.next_to_send().is_some_and(|at| match &self.tx_in[at].stage {
            Stage::Waits { is_due, .. } => *is_due || self.finds_place(at),
            Stage::Decided(Decision::Rewrite(Rewritten::Data { again: false }, send)) => {
                !self.park.has(send.conn)
            }
            _ => true,
        });
        [!self.park.asks.is_empty(), could]
    }

    /// A connection is opened or closed for sending.
    pub(super) fn renew_selector(&mut self, conn: u16, in_order: bool) {
        if self.owed.is_some() {
            self.sprays.push_back(Asked { in_order, ..Asked::of(conn, selector::OpKind::Init) });
            return;
        }
        self.init_selector(conn);
        if in_order {
            self.draw_ordered_ev(conn);
        }
    }

    /// The selector takes the `Init` of a connection, whose paths are of a class.
    pub(super) fn init_selector(&mut self, conn: u16) {
        let timestamp = if self.config.selector.parks() { self.selector_setting(7) as u16 } else { 0 };
        let said = Said { timestamp, ..Said::default() };
        self.apply_selector(conn, selector::OpKind::Init, 0, false, said);
        self.forget_ordered_ev(conn);
        if self.config.selector.parks() {
            self.park.classes[usize::from(conn)] = self.selector_setting(6) as u8;
        }
    }

    /// The command `set_min`.
    pub fn set_min(&mut self) {
        self.selector.set_min(self.selector_setting(6) as u8, self.selector_setting(7) as u16);
    }

    /// A setting of the selector by its place in the list.
    fn selector_setting(&self, at: usize) -> u32 {
        self.settings.selector()[at]
    }

    /// Packets of the connection that wait hear of what an op brought about.
    pub(super) fn wake(&mut self, conn: u16, effect: &Effect) {
        let wakes = |draining: bool| effect.wakes || effect.wakes_unless_draining && !draining;
        if let Some(Parked { state, .. }) = self.park.parked.get_mut(&conn)
            && let State::Waits { draining } = *state
            && wakes(draining)
        {
            *state = State::Asks;
            self.park.asks.push_back(conn);
        }
        for frame in &mut self.tx_in {
            if let Stage::Waits { send, draining, is_due, .. } = &mut frame.stage
                && send.conn == conn
                && wakes(*draining)
            {
                *is_due = true;
            }
        }
    }

    /// Where the first frame of the host is that has to be told by the selector to go on; none if one before it waits to be written.
    fn next_to_send(&self) -> Option<usize> {
        let waits =
            |stage: &Stage| matches!(stage, Stage::Waits { .. } | Stage::Decided(Decision::Rewrite(..)));
        self.tx_in.iter().position(|frame| waits(&frame.stage))
    }

    /// Whether the frame of the host that was told to wait could be parked.
    fn finds_place(&self, at: usize) -> bool {
        let Stage::Waits { send, .. } = &self.tx_in[at].stage else { return false };
        self.park.takes(send.bytes) && !self.park.has(send.conn)
    }

    /// The first frame of the host that is to be told by the selector asks it.
    pub fn ask_for_host(&mut self) -> Option<()> {
        let at = self.next_to_send()?;
        let (rewritten, send) = match self.tx_in[at].stage {
            Stage::Decided(Decision::Rewrite(rewritten, send)) => (rewritten, send),
            Stage::Waits { rewritten, send, is_due: true, .. } => (rewritten, send),
            _ => return None,
        };
        if rewritten == (Rewritten::Data { again: false }) && self.park.has(send.conn) {
            return None;
        }
        let said = Said {
            bytes: send.bytes,
            again: rewritten == (Rewritten::Data { again: true }),
            ..Said::default()
        };
        let effect = self.apply_selector(send.conn, selector::OpKind::Send, 0, false, said);
        self.tx_in[at].stage = match effect.sent.expect("a send has a result") {
            Drawn::Ev(result) => {
                self.count_send(result.kind);
                Stage::Drawn(rewritten.sent(result.kind), result.ev)
            }
            Drawn::Waits { draining } => Stage::Waits { rewritten, send, draining, is_due: false },
        };
        Some(())
    }

    /// The frame of the host that was told to wait is parked.
    pub fn park(&mut self) -> Option<()> {
        let at = self.next_to_send()?;
        let Stage::Waits { send: Send { conn, bytes }, draining, is_due: false, .. } = self.tx_in[at].stage
        else {
            return None;
        };
        if !self.finds_place(at) {
            return None;
        }
        let HostFrame { mut frame, user, .. } = self.tx_in.remove(at)?;
        frame.truncate(self.park.place_bytes);
        self.park.parked.insert(conn, Parked { frame, user, bytes, state: State::Waits { draining } });
        self.counters.count(Counter::Parked);
        Some(())
    }

    /// `tx_in` pauses at the next frame of the host, which can neither go on nor be parked.
    pub fn hold(&mut self) -> Option<()> {
        let at = self.next_to_send()?;
        let is_held = match &self.tx_in[at].stage {
            Stage::Decided(Decision::Rewrite(Rewritten::Data { again: false }, send)) => {
                self.park.has(send.conn)
            }
            Stage::Waits { .. } => !self.finds_place(at),
            _ => false,
        };
        if !is_held || self.tx_in[at].is_held {
            return None;
        }
        self.tx_in[at].is_held = true;
        self.counters.count(Counter::Held);
        Some(())
    }

    /// The parked packet that waits longest to ask again does.
    pub fn ask_for_parked(&mut self) -> Option<()> {
        if self.park.drawn.is_some() {
            return None;
        }
        let conn = self.park.asks.pop_front()?;
        let bytes = self.park.parked.get(&conn)?.bytes;
        let effect =
            self.apply_selector(conn, selector::OpKind::Send, 0, false, Said { bytes, ..Said::default() });
        let state = match effect.sent.expect("a send has a result") {
            Drawn::Ev(result) => {
                self.count_send(result.kind);
                self.park.drawn = Some((conn, result.ev, result.kind));
                State::Leaves
            }
            Drawn::Waits { draining } => State::Waits { draining },
        };
        self.park.parked.get_mut(&conn)?.state = state;
        Some(())
    }

    /// The parked packet that may leave is written at the present time.
    pub fn release(&mut self) -> Option<()> {
        let (conn, ev, kind) = self.park.drawn.take()?;
        let parked = self.park.parked.get_mut(&conn)?;
        let (mut frame, user) = (std::mem::take(&mut parked.frame), parked.user);
        self.stamp(&mut frame, ev);
        self.park.released.push_back(Transmitted { frame, user, sent: Sent::Data { again: false, kind } });
        self.park.leaving.push_back(conn);
        Some(())
    }

    /// The next frame that was parked and may leave.
    pub fn transmit_parked(&mut self) -> Option<Transmitted> {
        self.park.released.pop_front()
    }

    /// The place of the packet that left first is free.
    pub fn free_place(&mut self) -> Option<()> {
        let conn = self.park.leaving.pop_front()?;
        self.park.parked.remove(&conn).map(|_| ())
    }

    /// The next frame of the host, where packets may have to wait.
    pub(super) fn transmit_or_park(&mut self) -> Option<Transmitted> {
        loop {
            if let Some(frame) = self.transmit_parked() {
                self.free_place();
                return Some(frame);
            }
            match &self.tx_in.front()?.stage {
                Stage::Asks(_) => _ = self.sent(),
                Stage::Decided(Decision::Rewrite(..)) | Stage::Waits { .. } => {
                    if self.park().is_none() && self.ask_for_host().is_none() {
                        self.hold();
                        return None;
                    }
                }
                Stage::Decided(_) | Stage::Drawn(..) => _ = self.grant(),
                Stage::Leaves(_) | Stage::Dropped => {
                    if let Some(frame) = self.transmit_host_frame() {
                        return Some(frame);
                    }
                }
            }
        }
    }
}
