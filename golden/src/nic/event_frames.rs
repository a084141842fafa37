//! Events that go to the host in Ethernet frames, so that whatever carries frames to it carries them, too.
//!
//! | byte | bytes | field |
//! |---|---|---|
//! | 0 | 6 | destination: the registers `event_mac_high` and `event_mac_low` |
//! | 6 | 6 | source: the same address with the bit of local administration (2 in its first byte) the other way |
//! | 12 | 2 | EtherType: the register `event_type` |
//! | 14 | 1 | version of this layout, 1 |
//! | 15 | 1 | records, 1..=62 |
//! | 16 | 4 | number of the frame, from 0 on since the last reset |
//! | 20 | 4 | events that were lost since then and before the frame was begun, modulo 2^32 |
//! | 24 | 8 | 0 |
//! | 32 | 16 each | records |
//!
//! What stands behind the EtherType is little-endian, as records are. A frame of fewer than 64 bytes is filled up with zeros.

use std::collections::VecDeque;

use super::settings::{Setting, Settings};
use super::{Config, Credit, Delivery, Event, Nic};
use crate::rewrite_rx::Record;

/// Bytes before the first record, and of a record.
pub const EVENT_HEADER_BYTES: usize = 32;
pub const EVENT_RECORD_BYTES: usize = 16;
/// Records of a frame at most: one with as many has 1024 bytes.
pub const MOST_EVENTS: usize = 62;
/// Bytes of a frame at least.
const LEAST_BYTES: usize = 64;
/// Version of the layout.
const LAYOUT: u8 = 1;
/// Frames that are whole or being filled, at most.
pub const EVENT_FRAMES: usize = 2;

/// What a frame of events says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventFrame {
    /// Number of the frame.
    pub number: u32,
    /// Events that were lost before it was begun.
    pub lost: u32,
    pub events: Vec<Event>,
}

impl EventFrame {
    /// What a frame of this EtherType says; `None` if it is no frame of events.
    pub fn read(frame: &[u8], ether_type: u16) -> Option<EventFrame> {
        let (head, records) = frame.split_at_checked(EVENT_HEADER_BYTES)?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if head[12..14] != ether_type.to_be_bytes() || head[14] != LAYOUT {
            return None;
        }
        let records = records.chunks_exact(EVENT_RECORD_BYTES).take(head[15].into());
        let events = records.map(|record| {
            let record = record.try_into().expect("chunks of that size");
            Event::from_bits(u128::from_le_bytes(record))
        });
        let events: Vec<Event> = events.collect::<Option<_>>()?;
        let is_whole = events.len() == usize::from(head[15]);
        is_whole.then(|| EventFrame { number: word(16), lost: word(20), events })
    }

    fn bytes(&self, settings: &Settings) -> Vec<u8> {
        let address = [
            &settings.get(Setting::EventMacHigh).to_be_bytes()[2..],
            &settings.get(Setting::EventMacLow).to_be_bytes()[..],
        ]
        .concat();
        let mut frame = [&address[..], &address[..]].concat();
        frame[6] ^= 2;
        frame.extend((settings.get(Setting::EventType) as u16).to_be_bytes());
        frame.extend([LAYOUT, self.events.len() as u8]);
        frame.extend(self.number.to_le_bytes());
        frame.extend(self.lost.to_le_bytes());
        frame.resize(EVENT_HEADER_BYTES, 0);
        self.events.iter().for_each(|event| frame.extend(event.to_bits().to_le_bytes()));
        let bytes = frame.len().max(LEAST_BYTES);
        frame.resize(bytes, 0);
        frame
    }
}

/// A frame that is being filled.
#[derive(Clone, Debug)]
struct Open {
    frame: EventFrame,
    /// Records that it is to have.
    records: usize,
}

/// Events that wait for a frame to be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventWait {
    pub events: usize,
    /// Clock cycles since the first of them came, or since the frame before was filled.
    pub cycles: u64,
}

/// Frames of events.
#[derive(Clone, Debug, Default)]
pub(super) struct EventFrames {
    open: Option<Open>,
    whole: VecDeque<Vec<u8>>,
    /// Number of the next one.
    number: u32,
    /// Events that were lost.
    lost: u32,
    /// The clock cycle since which events wait.
    since: u64,
    /// The frame that went to the host last was of events.
    was_last: bool,
}

impl EventFrames {
    pub fn of(config: &Config) -> Option<EventFrames> {
        config.event_frames.then(EventFrames::default)
    }

    /// An event waits behind so many others.
    pub fn waits(&mut self, before: usize, now: u64) {
        if before == 0 && self.open.is_none() {
            self.since = now;
        }
    }
}

impl Nic {
    /// A frame is begun of the events that wait: how many it is to have. None if there is no event, a frame is being filled, as many
    /// wait for the host as can, or the host grants frames and has granted none for it.
    pub fn begin_event_frame(&mut self) -> Option<usize> {
        let records = self.event_wait()?.events.min(self.settings.get(Setting::EventBatch) as usize);
        let frames = self.event_frames.as_mut()?;
        if frames.whole.len() >= EVENT_FRAMES || !self.credit.is_none_or(Credit::has) {
            return None;
        }
        if let Some(credit) = &mut self.credit {
            credit.take();
        }
        let frame = EventFrame { number: frames.number, lost: frames.lost, events: Vec::new() };
        frames.number = frames.number.wrapping_add(1);
        frames.open = Some(Open { frame, records });
        Some(records)
    }

    /// The next event goes from the queue into the frame that is being filled.
    pub fn gather_event(&mut self) -> Option<()> {
        let frames = self.event_frames.as_mut()?;
        let open = frames.open.as_mut()?;
        open.frame.events.push(self.events.pop()?);
        if open.frame.events.len() == open.records {
            frames.whole.push_back(open.frame.bytes(&self.settings));
            frames.open = None;
            frames.since = self.clock.cycles;
        }
        Some(())
    }

    /// An event that was lost is counted in the next frame.
    pub fn note_lost_event(&mut self) {
        if let Some(frames) = &mut self.event_frames {
            frames.lost = frames.lost.wrapping_add(1);
        }
    }

    /// The next frame of events for the host, of a block that is taken step by step.
    pub fn deliver_events(&mut self) -> Option<Delivery> {
        let frames = self.event_frames.as_mut()?;
        let frame = frames.whole.pop_front()?;
        Some(Delivery {
            frame,
            record: Record::default(),
            status: None,
            is_of_another: false,
            is_events: true,
            verdict: None,
        })
    }

    /// Events that wait for a frame to be begun; None if there is none, or a frame is being filled.
    pub fn event_wait(&self) -> Option<EventWait> {
        let frames = self.event_frames.as_ref().filter(|frames| frames.open.is_none())?;
        let events = self.events.len();
        (events > 0).then(|| EventWait { events, cycles: self.clock.cycles.saturating_sub(frames.since) })
    }

    /// Events that a frame has at most, and clock cycles that they wait at most until one is begun.
    pub fn event_limits(&self) -> EventWait {
        let ticks = u64::from(self.settings.get(Setting::EventTicks));
        EventWait {
            events: self.settings.get(Setting::EventBatch) as usize,
            cycles: ticks * self.wire_tick_cycles(),
        }
    }

    /// Frames of events that are whole, and that the host has not taken.
    pub fn whole_event_frames(&self) -> usize {
        self.event_frames.as_ref().map_or(0, |frames| frames.whole.len())
    }

    /// Clock cycles of a tick of the wire.
    pub fn wire_tick_cycles(&self) -> u64 {
        1 << self.settings.get(Setting::WirePrescale)
    }

    /// Whether a frame of events is to begin, by what waits and for how long, or is being filled, or waits for the host.
    pub(super) fn has_events_to_give(&self) -> bool {
        let is_due = self.event_frame_is_due() && self.credit.is_none_or(Credit::has);
        is_due
            || self
                .event_frames
                .as_ref()
                .is_some_and(|frames| frames.open.is_some() || !frames.whole.is_empty())
    }

    /// Whether a batch of events waits, or events have waited for so long that fewer are to leave.
    pub fn event_frame_is_due(&self) -> bool {
        let limits = self.event_limits();
        self.event_wait().is_some_and(|wait| wait.events >= limits.events || wait.cycles >= limits.cycles)
    }

    /// The next frame for the host, of a block that does by itself what is due: between two frames of events goes one that came, if there is one.
    pub(super) fn deliver_by_itself(&mut self) -> Option<Delivery> {
        if self.event_frames.as_ref().is_some_and(|frames| frames.was_last)
            && let Some(delivery) = self.deliver_received()
        {
            return Some(delivery);
        }
        if self.event_frame_is_due() && self.begin_event_frame().is_some() {
            while self.gather_event().is_some() {}
            self.hand_out();
        }
        let Some(delivery) = self.deliver_events() else { return self.deliver_received() };
        if let Some(frames) = &mut self.event_frames {
            frames.was_last = true;
        }
        Some(delivery)
    }

    /// The next frame that came from the network.
    fn deliver_received(&mut self) -> Option<Delivery> {
        if let Some(frames) = &mut self.event_frames {
            frames.was_last = false;
        }
        let delivery = self.rx_out.pop();
        self.tell_all_closed_rx();
        delivery
    }
}
