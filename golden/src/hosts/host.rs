//! A host: all its connections, and its `nic`.

use std::collections::VecDeque;

use super::frames::{self, Below};
use super::receiver::Receiver;
use super::sender::Sender;
use super::{Port, Setup, Window};
use crate::nic::{Event, EventFrame, Kind, PSNS};
use crate::paths::End;
use crate::rewrite::{self, ProfileTraffic};

/// PSNs by which the first ones of neighbouring connections differ.
const PSN_STEP: u32 = 1000;

/// A host and its `nic`.
pub struct Host<P> {
    end: End,
    pub nic: P,
    traffic: ProfileTraffic,
    below: Below,
    pub senders: Vec<Sender>,
    pub receivers: Vec<Receiver>,
    /// Of each connection.
    cwnds: Vec<u32>,
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
        for conn in 0..setup.connections {
            nic.open(conn, first_psn(setup, conn));
        }
        let event_type = if setup.nic.event_frames { nic.read_register("event_type") as u16 } else { 0 };
        let grants = setup.nic.rx_credit.then(|| Grants::begun(&mut nic));
        let expected = senders(setup, end.other());
        let receiver =
            |(conn, sender): (u16, &Sender)| Receiver::new(first_psn(setup, conn), sender.pieces());
        Host {
            end,
            nic,
            traffic: setup.traffic(),
            below: setup.below,
            senders: senders(setup, end),
            receivers: (0..).zip(&expected).map(receiver).collect(),
            cwnds: vec![cwnd; usize::from(setup.connections)],
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
            let Some(receiver) = self.receivers.get_mut(usize::from(conn)) else {
                return Err(format!("data of connection {conn}"));
            };
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

    fn hear(&mut self, event: &Event) -> Result<(), String> {
        let Some(sender) = self.senders.get_mut(event.conn as usize) else {
            return Err(format!("an event of a connection that is not open: {event:?}"));
        };
        if event.kind == Kind::Window && self.is_told {
            self.cwnds[event.conn as usize] = event.detail.into();
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
        for (conn, sender) in (0..).zip(&mut self.senders) {
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
        for conn in 0..self.senders.len() as u16 {
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
            conn: conn as u16,
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

fn first_psn(setup: &Setup, conn: u16) -> u32 {
    PSNS.add(setup.first_psn, u32::from(conn) * PSN_STEP)
}

fn senders(setup: &Setup, end: End) -> Vec<Sender> {
    let mut senders: Vec<Sender> =
        (0..setup.connections).map(|conn| Sender::new(first_psn(setup, conn), setup.heeds_xoff)).collect();
    for message in &setup.messages[end.index()] {
        senders[usize::from(message.conn)].push(message.bytes, setup.payload);
    }
    senders
}
