//! A host: all its connections, and its `nic`.

use std::collections::VecDeque;

use super::frames::{self, Below};
use super::receiver::Receiver;
use super::sender::Sender;
use super::{Port, Setup, Window};
use crate::nic::{Event, EventFrame, Kind};
use crate::paths::End;
use crate::rewrite::{self, ProfileTraffic};

/// PSNs by which the first ones of neighbouring connections differ.
const PSN_STEP: u32 = 1000;

/// A host and its `nic`.
pub struct Host<P> {
    end: End,
    /// The number of its first connection.
    first: u16,
    pub nic: P,
    traffic: ProfileTraffic,
    below: Below,
    pub senders: Vec<Sender>,
    pub receivers: Vec<Receiver>,
    /// Of each connection.
    cwnds: Vec<u32>,
    /// Connections of which the first ACK says who the peer is: what comes before is of nobody.
    hears_peer: Vec<bool>,
    is_told: bool,
    window: u32,
    /// Connection whose turn it is to send.
    turn: usize,
    /// A frame that the `nic` did not take.
    refused: Option<Vec<u8>>,
    /// Events that came in frames, and that it has not heard.
    told: VecDeque<Event>,
    /// EtherType of frames of them, and the number of the next one.
    event_type: u16,
    next_frame_of_events: u32,
    /// When it looks for events again.
    next_look: u64,
    /// Events that were lost when it last looked.
    events_lost: u64,
    /// How often it read where all connections stand, because events were lost.
    pub restored: u32,
    /// Where it grants frames.
    grants: Option<Grants>,
}

impl<P: Port> Host<P> {
    /// The host at an end, behind a `nic` in its state after `rst`: writes its registers and opens the connections.
    pub fn new(setup: &Setup, end: End, mut nic: P) -> Self {
        for (name, value) in &setup.settings {
            nic.write_register(name, *value);
        }
        let cwnd = match setup.window {
            Window::Register => nic.read_register("cwnd_packets"),
            Window::Fixed(packets) => packets,
            // the block takes 0 as 1
            Window::Told => nic.read_register("max_cwnd").max(1),
        };
        for at in 0..setup.connections {
            if setup.nic.uet.is_some() {
                nic.write_register("command_peer", peer(setup, end, at));
            }
            nic.open(setup.first_connection() + at, first_psn(setup, at));
        }
        let event_type = if setup.nic.event_frames { nic.read_register("event_type") as u16 } else { 0 };
        let grants = setup.nic.rx_credit.then(|| Grants::begun(&mut nic));
        let expected = senders(setup, end.other());
        let receiver =
            |(at, sender): (u16, &Sender)| Receiver::new(setup.psns(), first_psn(setup, at), sender.pieces());
        Host {
            end,
            first: setup.first_connection(),
            nic,
            traffic: setup.traffic(),
            below: setup.below,
            senders: senders(setup, end),
            receivers: (0..).zip(&expected).map(receiver).collect(),
            cwnds: vec![cwnd; usize::from(setup.connections)],
            hears_peer: (0..setup.connections).map(|at| hears_peer(setup, end, at)).collect(),
            is_told: setup.window == Window::Told,
            window: setup.nic.window,
            turn: 0,
            refused: None,
            told: VecDeque::new(),
            event_type,
            next_frame_of_events: 0,
            next_look: 0,
            events_lost: 0,
            restored: 0,
            grants,
        }
    }

    /// Everything that it sends is acknowledged, and everything that it is sent has come.
    pub fn is_done(&self) -> bool {
        self.senders.iter().all(Sender::is_done) && self.receivers.iter().all(Receiver::is_done)
    }

    /// Takes in what the `nic` has for the host, at a time in picoseconds: frames, and events if the last look at them was so
    /// long ago. It hears of the events that `hear` lets go on.
    ///
    /// # Errors
    /// A sentence, if something is not as it was sent, or cannot be.
    pub fn take(&mut self, now: u64, interval: u64, hear: fn(End, &Event) -> bool) -> Result<(), String> {
        while let Some(delivery) = self.nic.deliver() {
            if let Some(grants) = &mut self.grants {
                grants.took(&mut self.nic);
            }
            if delivery.is_events {
                let events = self.read(&delivery.frame)?;
                self.told.extend(events);
                continue;
            }
            if delivery.record.kind != Some(rewrite::Kind::Data) {
                return Err(format!("a frame that is no data: {:?}", delivery.record));
            }
            let conn = delivery.record.connection as u16;
            let at = self.at(conn.into());
            let Some(receiver) = at.and_then(|at| self.receivers.get_mut(at)) else {
                return Err(format!("data of connection {conn}"));
            };
            if delivery.is_of_another && at.is_some_and(|at| self.hears_peer[at]) {
                continue;
            }
            let taken = receiver.take(self.end.other(), conn, &delivery);
            taken.map_err(|what| format!("connection {conn}: {what}"))?;
        }
        if now < self.next_look {
            return Ok(());
        }
        self.next_look = now + interval;
        while let Some(event) = self.told.pop_front().or_else(|| self.nic.event()) {
            if hear(self.end, &event) {
                self.hear(&event)?;
            }
        }
        self.restore();
        Ok(())
    }

    /// The events of a frame.
    fn read(&mut self, frame: &[u8]) -> Result<Vec<Event>, String> {
        let read = EventFrame::read(frame, self.event_type).ok_or("a frame of events that cannot be read")?;
        let number = std::mem::replace(&mut self.next_frame_of_events, read.number.wrapping_add(1));
        if number != read.number {
            return Err(format!("frame {} of events where {number} is the next", read.number));
        }
        Ok(read.events)
    }

    /// Which of its connections has this number, if it has it.
    fn at(&self, conn: u32) -> Option<usize> {
        conn.checked_sub(self.first.into()).map(|at| at as usize)
    }

    fn hear(&mut self, event: &Event) -> Result<(), String> {
        let Some(at) = self.at(event.conn).filter(|at| *at < self.senders.len()) else {
            return Err(format!("an event of a connection that is not open: {event:?}"));
        };
        let sender = &mut self.senders[at];
        if event.kind == Kind::Window && self.is_told {
            self.cwnds[at] = event.detail.into();
        }
        sender.hear(event).map_err(|what| format!("connection {}: {what}", event.conn))
    }

    /// If events were lost, reads where all connections stand. The count is asked for, because behind the last event
    /// that was lost none may come that says so.
    fn restore(&mut self) {
        let lost = self.nic.events_lost();
        if lost == self.events_lost {
            return;
        }
        self.events_lost = lost;
        self.restored += 1;
        for (conn, sender) in (self.first..).zip(&mut self.senders) {
            sender.restore(&self.nic.state(conn));
        }
    }

    /// What is acknowledged has come to the host at the other end.
    ///
    /// # Errors
    /// A sentence, if something was not received.
    pub fn check_acknowledged(&self, other: &Self) -> Result<(), String> {
        for (conn, (sender, receiver)) in self.senders.iter().zip(&other.receivers).enumerate() {
            let (una, whole) = (sender.una(), receiver.whole());
            if una > whole {
                return Err(format!("connection {conn}: {una} packets are acknowledged, {whole} received"));
            }
        }
        Ok(())
    }

    /// The `nic` has nothing in flight on any connection.
    ///
    /// # Errors
    /// A sentence, if it has.
    pub fn check_at_rest(&mut self) -> Result<(), String> {
        for conn in (self.first..).take(self.senders.len()) {
            let state = self.nic.state(conn);
            if state.snd_una != state.snd_nxt || state.in_flight != 0 || state.in_recovery {
                return Err(format!("connection {conn} is done and stands at {state:?}"));
            }
        }
        Ok(())
    }

    /// Gives the `nic` frames as long as it takes them; connections take turns.
    pub fn pump(&mut self) {
        let mut idle = 0;
        while idle <= self.senders.len() {
            let Some(frame) = self.refused.take().or_else(|| self.next_frame()) else {
                idle += 1;
                continue;
            };
            idle = 0;
            if let Err(frame) = self.nic.offer(frame) {
                self.refused = Some(frame);
                return;
            }
        }
    }

    /// A frame of the connection whose turn it is.
    fn next_frame(&mut self) -> Option<Vec<u8>> {
        let conn = self.turn;
        self.turn = (self.turn + 1) % self.senders.len();
        let sender = &mut self.senders[conn];
        let (index, again) = sender.next(self.cwnds[conn], self.window)?;
        let piece = sender.pieces()[index as usize];
        let data = frames::Data {
            from: self.end,
            conn: self.first + conn as u16,
            psn: sender.psn(index),
            bytes: piece.bytes,
            ack_request: piece.is_last,
            again,
        };
        Some(frames::data_over(self.below, self.traffic, &data))
    }
}

/// Frames that a host has room for.
const ROOM: u16 = 64;
/// Frames that it takes between two grants.
const TAKEN_PER_GRANT: u16 = 16;

/// A host that has room for some frames grants as many as it has taken.
struct Grants {
    taken: u16,
}

impl Grants {
    fn begun(nic: &mut impl Port) -> Grants {
        nic.write_register("rx_credit", ROOM.into());
        Grants { taken: 0 }
    }

    /// It takes a frame.
    fn took(&mut self, nic: &mut impl Port) {
        self.taken = self.taken.wrapping_add(1);
        if self.taken.is_multiple_of(TAKEN_PER_GRANT) {
            nic.write_register("rx_credit", self.taken.wrapping_add(ROOM).into());
        }
    }
}

fn first_psn(setup: &Setup, at: u16) -> u32 {
    setup.psns().add(setup.first_psn, u32::from(at) * PSN_STEP)
}

/// Whether an end learns by the first ACK by which number the other end knows a connection. It has something to send there.
fn hears_peer(setup: &Setup, end: End, at: u16) -> bool {
    let sends = setup.messages[end.index()].iter().any(|message| message.conn == at);
    setup.nic.uet.is_some() && end == End::A && sends
}

/// The number by which the other end knows a connection, which both ends give the same; 0: the first ACK says it.
fn peer(setup: &Setup, end: End, at: u16) -> u32 {
    if hears_peer(setup, end, at) { 0 } else { (setup.first_connection() + at).into() }
}

fn senders(setup: &Setup, end: End) -> Vec<Sender> {
    let mut senders: Vec<Sender> = (0..setup.connections)
        .map(|at| Sender::new(setup.psns(), first_psn(setup, at), setup.heeds_xoff))
        .collect();
    for message in &setup.messages[end.index()] {
        senders[usize::from(message.conn)].push(message.bytes, setup.payload);
    }
    senders
}
