//! Events that go to the host in frames.

use respray_golden::nic::{Delivery, EVENT_FRAMES, Nic};
use respray_hdl::nic::top::Seen;

use super::Follower;
use crate::nic::difference::Difference;
use crate::nic::rules::EventWaits;

impl Follower {
    /// A frame of events is begun, when it may and has to be; losses before it are known there a cycle after they were seen.
    pub(super) fn event_frames(&mut self, seen: &Seen) -> Result<(), Difference> {
        if !self.golden.config().event_frames {
            return Ok(());
        }
        let waits = EventWaits {
            wait: self.golden.event_wait(),
            limits: self.golden.event_limits(),
            tick_cycles: self.golden.wire_tick_cycles(),
            is_held: self.is_writing
                || self.golden.whole_event_frames() >= EVENT_FRAMES
                || self.golden.credit().is_some_and(|credit| !credit.has()),
            is_delayed: self.golden.credit().is_some() && self.judged[1],
        };
        let begun = self.step_if(
            seen.event_frame_begun,
            Nic::begin_event_frame,
            "a frame of events begins",
            "no event waits, there is no room for a frame, or no credit",
        )?;
        self.event_turns
            .wait(&waits, begun.is_some())
            .and_then(|()| self.event_turns.pass(seen))
            .map_err(|(seen, expected)| self.difference("frames of events", seen, expected))?;
        for is_lost in [seen.event_lost, seen.event1_lost, seen.event2_lost] {
            if is_lost {
                self.golden.note_lost_event();
            }
        }
        Ok(())
    }

    /// An event goes into the frame that was begun: behind what came into the queue in this cycle.
    pub(super) fn gather_event(&mut self, seen: &Seen) -> Result<(), Difference> {
        let is_taken = self.golden.config().event_frames && seen.event_offered && seen.event_taken;
        self.step_if(
            is_taken,
            Nic::gather_event,
            "an event goes into a frame",
            "no frame was begun, or no event waits",
        )?;
        Ok(())
    }

    /// A whole frame left at `rx_out`: what the golden block gives the host there.
    ///
    /// # Errors
    /// If it gives none.
    pub fn delivered(&mut self, is_events: bool) -> Result<Delivery, Difference> {
        self.event_turns
            .leave(is_events, self.golden.whole_event_frames())
            .map_err(|(seen, expected)| self.difference("frames of events", seen, expected))?;
        let (delivery, seen, expected) = if is_events {
            (self.golden.deliver_events(), "a frame of events", "none is whole")
        } else {
            (self.golden.deliver(), "a frame", "none is ready for the host")
        };
        delivery.ok_or_else(|| self.difference("rx_out", seen.into(), expected.into()))
    }
}
