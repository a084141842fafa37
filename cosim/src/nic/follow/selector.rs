//! The steps of the selector, of packets that it lets wait, and of the congestion control.

use respray_golden::nic::{Asker, Nic};
use respray_hdl::nic::top::Seen;

use super::{Follower, Time};
use crate::nic::device::Numbers;
use crate::nic::difference::Difference;
use crate::nic::rules::{OF_CONTROLS, OF_PARKED, OF_PROBE};

/// Codes of the selector.
const NACK: u64 = 2;
const SET_MIN: u64 = 5;

impl Follower {
    /// Ops of the selector, and what asks for them.
    pub(super) fn selector(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        if self.golden.config().selector.parks() {
            return self.parking(seen, numbers);
        }
        if seen.ordered_drawn {
            self.times_are(numbers, &[Time::Selector])?;
            let drawn = self.golden.draw_next_ordered_ev();
            self.need(drawn, "an EV is drawn for a connection in order", "none was opened")?;
        }
        if seen.selector_valid && seen.selector_ready {
            let asker = self.askers.pop_front();
            let asker = self.need(asker, "the selector takes an op", "nobody asked")?;
            self.times_are(numbers, &[Time::Selector])?;
            let done = self.golden.spray(asker);
            self.need(done, "the selector takes an op", "none waits")?;
        }
        for (asks, asker) in [
            (seen.spray_valid && seen.spray_ready, Asker::Scoreboard),
            (seen.nack_valid && seen.nack_ready, Asker::Command),
            (seen.draw_valid && seen.draw_ready, Asker::Probe),
        ] {
            if asks {
                self.askers.push_back(asker);
            }
        }
        if seen.granted {
            self.times_are(numbers, &[Time::Wire])?;
            let granted = self.golden.grant();
            self.need(granted, "a packet of the host is granted", "none is decided about")?;
        }
        self.stamp_probe(seen, numbers)
    }

    fn stamp_probe(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        if seen.probe_drawn {
            self.times_are(numbers, &[Time::Wire])?;
        }
        self.step_if(seen.probe_drawn, Nic::stamp_probe, "the EV of a probe comes", "none is in work")?;
        Ok(())
    }

    /// The same of a selector that lets packets wait.
    fn parking(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        if seen.selector_valid && seen.selector_ready {
            self.times_are(numbers, &[Time::Selector])?;
            let done = match (numbers.spray_from, numbers.spray_kind) {
                (OF_CONTROLS, SET_MIN) => {
                    self.golden.set_min();
                    Some(())
                }
                (OF_CONTROLS, NACK) => self.golden.spray(Asker::Command),
                (OF_CONTROLS, _) => self.golden.spray(Asker::Scoreboard),
                (OF_PARKED, _) => self.golden.ask_for_parked(),
                (OF_PROBE, _) => self.golden.spray(Asker::Probe),
                _ => self.golden.ask_for_host(),
            };
            self.need(done, "the selector takes an op", "none waits, or not this one")?;
        }
        if seen.granted {
            self.times_are(numbers, &[Time::Wire])?;
            let (done, what) = match seen.parked {
                true => (self.golden.park(), "a packet of the host is parked"),
                false => (self.golden.grant(), "a packet of the host is granted"),
            };
            self.need(done, what, "none is to be")?;
        }
        self.step_if(
            seen.held,
            Nic::hold,
            "tx_in pauses at a packet",
            "none has to wait there, or it was counted",
        )?;
        if seen.released {
            self.times_are(numbers, &[Time::Wire])?;
            let released = self.golden.release();
            self.need(released, "a parked packet leaves", "none may")?;
        }
        if seen.freed {
            let is_out = self.parked_out.checked_sub(1);
            self.parked_out = self.need(is_out, "a place becomes free", "no frame has left it")?;
            let freed = self.golden.free_place();
            self.need(freed, "a place becomes free", "no packet has left it")?;
        }
        self.stamp_probe(seen, numbers)?;
        let is_op = seen.selector_valid && seen.selector_ready;
        let [of_parked, of_host] = self.golden.owed_asks();
        self.asks
            .wait([of_parked, of_host, self.parked_out > 0], is_op.then_some(numbers.spray_from), seen)
            .map_err(|(seen, expected)| self.difference("a packet that waits", seen, expected))
    }

    /// What reads a window in a cycle gets that of before: so these steps come behind those of the scoreboard and of the selector.
    pub(super) fn window(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        self.step_if(seen.window_written, Nic::show_window, "a window is written", "none was chosen")?;
        if seen.window_ack || seen.window_init {
            self.times_are(numbers, &[Time::Wire])?;
            let chosen = self.golden.choose_window(seen.window_init);
            self.need(chosen, "the congestion control takes an op", "none waits")?;
        }
        Ok(())
    }
}
