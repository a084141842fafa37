//! What leaves the block: frames and events.

use respray_golden::nic::{Event, Nic, Source, Transmitted};
use respray_hdl::nic::top::Seen;

use super::{Follower, From};
use crate::nic::difference::Difference;

impl Follower {
    /// Frames that the block makes, and the turns of those that leave.
    pub(super) fn outlet(&mut self, seen: &Seen) -> Result<(), Difference> {
        self.step_if(
            seen.peer_kept,
            Nic::keep_peer,
            "a data packet begins to leave",
            "none was decided about",
        )?;
        self.step_if(
            seen.peer_forgotten,
            Nic::forget_peer,
            "nothing is known of what has left",
            "no connection was opened",
        )?;
        let made = [
            (seen.sack_made, "a SACK is made", Nic::transmit_sack as fn(&mut Nic) -> Option<Transmitted>),
            (seen.probe_made, "a probe is made", Nic::transmit_probe),
        ];
        for (_, what, transmit) in made.into_iter().filter(|(is_made, ..)| *is_made) {
            let frame = transmit(&mut self.golden);
            let frame = self.need(frame, what, "none is due")?;
            self.own.push_back(frame);
        }
        self.turns
            .take(seen)
            .map_err(|(seen, expected)| self.difference("frames at tx_out", seen, expected))?;
        if seen.own_valid && seen.own_ready && seen.own_last {
            self.order.push_back(From::Own);
        }
        if seen.host_valid && seen.host_ready && seen.host_last {
            self.order.push_back(if seen.host_was_parked { From::Parked } else { From::Host });
            self.parked_out += usize::from(seen.host_was_parked);
        }
        Ok(())
    }

    /// Events that are told, and those that are lost.
    pub(super) fn events(&mut self, seen: &Seen) -> Result<(), Difference> {
        self.equal("an event is lost", &seen.event_lost, &self.was_lost)?;
        self.was_lost = false;
        if let Some(source) = self.told.take() {
            let kept = self.golden.queue_event(source);
            let kept = self.need(kept, "an event is told", &format!("{source:?} has none to tell"))?;
            self.was_lost = !kept;
        }
        for (is_lost, source) in [(seen.event1_lost, Source::Receiver), (seen.event2_lost, Source::Selector)]
        {
            if is_lost {
                let lost = self.golden.lose_event(source);
                self.need(lost, "an event is lost", &format!("{source:?} has none to tell"))?;
            }
        }
        let taken = [
            (seen.event0_valid && seen.event0_ready, Source::Scoreboard),
            (seen.closed_rx_told, Source::Closing),
            (seen.event1_valid && seen.event1_ready, Source::Receiver),
            (seen.event2_valid && seen.event2_ready, Source::Selector),
            (seen.window_told, Source::Window),
        ];
        self.told = taken.into_iter().find(|(is_taken, _)| *is_taken).map(|(_, source)| source);
        self.gather_event(seen)
    }

    /// A whole frame left at `tx_out`: what the golden block sends there.
    ///
    /// # Errors
    /// If it sends nothing.
    pub fn transmitted(&mut self) -> Result<Transmitted, Difference> {
        if let Some(frame) = self.left_over.pop_front() {
            return Ok(frame);
        }
        let from = self.order.pop_front();
        let from = self.need(from, "a frame leaves", "none is on its way")?;
        self.frame(from)
    }

    /// Whether the frame that leaves is one that a reset has cut.
    pub fn take_cut(&mut self) -> bool {
        self.left_over.is_empty() && std::mem::take(&mut self.is_cut)
    }

    /// The next frame of a stream on its way to `tx_out`.
    pub(super) fn frame(&mut self, from: From) -> Result<Transmitted, Difference> {
        let frame = match from {
            From::Own => self.own.pop_front(),
            From::Host => self.golden.transmit_host_frame(),
            From::Parked => self.golden.transmit_parked(),
        };
        self.need(frame, "a frame leaves", "none is ready")
    }

    /// A record left on the event stream: the golden block's.
    ///
    /// # Errors
    /// If it has none.
    pub fn event(&mut self) -> Result<Event, Difference> {
        let event = self.last_event.take().or_else(|| self.golden.event());
        self.need(event, "an event comes", "none waits")
    }
}
