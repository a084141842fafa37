//! What of the hardware is right or wrong by itself: whose frame may go first at `tx_out`, when a visit is to show what it finds, and when
//! a connection is to be in its list and to be taken from it.

use std::collections::VecDeque;

use respray_golden::nic::{EventWait, Visit};
use respray_hdl::nic::top::Seen;

/// Whose op of the selector it is, where packets may have to wait.
pub(super) const OF_CONTROLS: u64 = 0;
pub(super) const OF_PARKED: u64 = 1;
pub(super) const OF_PROBE: u64 = 2;

/// Frames of the block's own that go one behind the other while a frame of the host waits, at most.
const MOST_OWN: u32 = 15;

/// The rule of the outlet: SACKs and probes first, but not for ever.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    /// Within a frame of that stream.
    is_within_own: bool,
    is_within_host: bool,
    /// Frames of the block's own since the last one of the host, or since none waited.
    own_in_a_row: u32,
}

impl Turns {
    /// Whether a frame has begun whose last beat is still to come.
    pub fn is_within(&self) -> bool {
        self.is_within_own || self.is_within_host
    }

    /// Beats of a cycle.
    ///
    /// # Errors
    /// What was seen, and what the rule is.
    pub fn take(&mut self, seen: &Seen) -> Result<(), (String, String)> {
        let takes_own = seen.own_valid && seen.own_ready;
        let takes_host = seen.host_valid && seen.host_ready;
        let is_between = !self.is_within_own && !self.is_within_host;
        if takes_own && takes_host {
            return Err(("beats of two frames at once".into(), "one after the other".into()));
        }
        if (takes_own && self.is_within_host) || (takes_host && self.is_within_own) {
            return Err(("a beat of another frame".into(), "the rest of the one that began".into()));
        }
        if takes_host && is_between && seen.own_valid && self.own_in_a_row < MOST_OWN {
            let row = self.own_in_a_row;
            return Err((
                format!("data goes first after {row} SACKs"),
                "a SACK that waits goes first".into(),
            ));
        }
        if takes_own && is_between && seen.host_valid {
            self.own_in_a_row += 1;
            if self.own_in_a_row > MOST_OWN {
                return Err(("one more SACK".into(), format!("data that waits goes after {MOST_OWN} SACKs")));
            }
        }
        if takes_own {
            self.is_within_own = !seen.own_last;
        }
        if takes_host {
            self.is_within_host = !seen.host_last;
            self.own_in_a_row = 0;
        }
        if !seen.host_valid {
            self.own_in_a_row = 0;
        }
        Ok(())
    }
}

/// Visits of which one may still be in work: it is done when two more have begun.
const MOST_VISITS: usize = 2;

/// What visits are still to show, of each that is in work.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits(VecDeque<Visit>);

impl Visits {
    /// Whether one is in work that has not shown its timeout yet.
    pub fn owe_timeout(&self) -> bool {
        self.0.iter().any(|visit| visit.timed_out || visit.ack_request || visit.dead)
    }

    /// What is shown in a cycle.
    ///
    /// # Errors
    /// What was seen, and what was to be.
    pub fn show(&mut self, seen: &Seen) -> Result<(), (String, String)> {
        if seen.timed_out {
            clear(self.0.iter_mut().map(|visit| &mut visit.timed_out), "a timeout")?;
        }
        if seen.ack_request_asked {
            clear(self.0.iter_mut().map(|visit| &mut visit.ack_request), "a PSN to ask the peer for")?;
        }
        if seen.found_dead {
            clear(self.0.iter_mut().map(|visit| &mut visit.dead), "a dead connection")?;
        }
        if seen.probe_asked {
            clear(self.0.iter_mut().map(|visit| &mut visit.probe_due), "a probe that is due")?;
        }
        Ok(())
    }

    /// A visit begins, which will find this.
    ///
    /// # Errors
    /// If one before it has not shown what it found.
    pub fn begin(&mut self, visit: Visit) -> Result<(), (String, String)> {
        let done = if self.0.len() < MOST_VISITS {
            Visit::default()
        } else {
            self.0.pop_front().unwrap_or_default()
        };
        self.0.push_back(visit);
        if done == Visit::default() {
            Ok(())
        } else {
            Err(("a visit shows nothing".into(), format!("{done:?}")))
        }
    }
}

/// Cycles in which a connection is put into a list, by far.
const MOST_LIST_CYCLES: u32 = 64;
/// Cycles between two ops of `sack_tx` where there is one to do, by far.
const MOST_IDLE_CYCLES: u32 = 256;

/// How long connections have waited to be put into the lists of those in recovery and of those whose probe is due.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lists {
    waited: [u32; 2],
    /// Cycles since `sack_tx` took an op, while a connection in recovery was to be looked at.
    idle: u32,
}

impl Lists {
    /// A cycle, behind which so many connections are still to be put into each list.
    ///
    /// # Errors
    /// If one has waited too long.
    pub fn wait(&mut self, owed: [usize; 2], seen: &Seen) -> Result<(), (String, String)> {
        let added = [seen.recovery_added, seen.probe_added];
        for ((waited, owed), added) in self.waited.iter_mut().zip(owed).zip(added) {
            *waited = if owed == 0 || added { 0 } else { *waited + 1 };
        }
        let names = ["in recovery", "that is to send a probe"];
        match self.waited.iter().zip(names).find(|(waited, _)| **waited > MOST_LIST_CYCLES) {
            Some((waited, name)) => {
                Err((format!("nothing is put there in {waited} cycles"), format!("a connection {name}")))
            }
            None => Ok(()),
        }
    }

    /// A cycle, in which a connection in recovery may have to be looked at.
    ///
    /// # Errors
    /// If `sack_tx` has long had nothing else to do.
    pub fn look(&mut self, is_to_look: bool, seen: &Seen) -> Result<(), (String, String)> {
        let is_op = seen.recovery_taken || seen.ack_taken || seen.request_taken;
        self.idle = if is_op || !is_to_look { 0 } else { self.idle + 1 };
        if self.idle <= MOST_IDLE_CYCLES {
            return Ok(());
        }
        Err((format!("no op in {} cycles", self.idle), "a connection in recovery is looked at".to_string()))
    }
}

/// Cycles in which it is known what a command or an ACK says of a connection, by far: those of the ops of `sack_tx` before it.
const MOST_FLOW_CYCLES: u32 = 1024;

/// How long what commands and first ACKs say of connections was not known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flows {
    waited: [u32; 2],
}

impl Flows {
    /// A cycle, behind which so many changes are not known.
    ///
    /// # Errors
    /// If one has waited too long.
    pub fn wait(&mut self, owed: [usize; 2], known: [bool; 2]) -> Result<(), (String, String)> {
        for ((waited, owed), known) in self.waited.iter_mut().zip(owed).zip(known) {
            *waited = if owed == 0 || known { 0 } else { *waited + 1 };
        }
        let names = ["what a command says of it is known", "its first ACK says who the peer is"];
        match self.waited.iter().zip(names).find(|(waited, _)| **waited > MOST_FLOW_CYCLES) {
            Some((waited, name)) => Err((format!("nothing is known in {waited} cycles"), name.to_string())),
            None => Ok(()),
        }
    }
}

/// Cycles by which a frame of events begins earlier or later than what waits says: those in which an event is known in one place and not in
/// the other, and those of the zeros behind a frame.
const EVENT_CYCLES: u64 = 24;
/// Frames that came and leave while one of events is whole: that which passes, and those of a beat that go while its beats come out of the
/// memory.
const MOST_PASSED: u32 = 16;
/// Cycles in which a frame of events that is due begins, by far.
const MOST_DUE_CYCLES: u32 = 256;

/// What says when a frame of events begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventWaits {
    /// Events that wait, if no frame is being filled.
    pub wait: Option<EventWait>,
    /// Those of a frame, and the cycles that events wait for others.
    pub limits: EventWait,
    pub tick_cycles: u64,
    /// No frame is to begin: registers are being written, there is no room, or no credit.
    pub is_held: bool,
    /// Nor in this cycle, since a frame that came may take a credit.
    pub is_delayed: bool,
}

/// When frames of events begin, and when they go to the host.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventTurns {
    /// Cycles for which a frame has been due.
    due: u32,
    /// A frame of events has just left.
    has_ended: bool,
    /// Frames that came and left since one of events was whole.
    passed: u32,
}

impl EventTurns {
    /// A cycle, in which a frame begins or does not.
    ///
    /// # Errors
    /// If it begins before it is due, or is due for too long.
    pub fn wait(&mut self, waits: &EventWaits, begins: bool) -> Result<(), (String, String)> {
        let EventWaits { wait, limits, tick_cycles, is_held, is_delayed } = *waits;
        let Some(wait) = wait.filter(|_| !is_held) else {
            self.due = 0;
            return Ok(());
        };
        let is_batch = wait.events >= limits.events;
        let slack = EVENT_CYCLES + tick_cycles;
        if begins && !is_batch && wait.cycles + slack < limits.cycles {
            return Err((format!("one begins with {wait:?}"), format!("{limits:?}")));
        }
        let is_due = is_batch || wait.cycles > limits.cycles + slack;
        self.due = if is_due && !begins { self.due + u32::from(!is_delayed) } else { 0 };
        if self.due > MOST_DUE_CYCLES {
            return Err((format!("none begins with {wait:?}"), format!("{limits:?}")));
        }
        Ok(())
    }

    /// A cycle at `rx_out`.
    ///
    /// # Errors
    /// If a frame of events goes where one that came has waited for one already.
    pub fn pass(&mut self, seen: &Seen) -> Result<(), (String, String)> {
        if std::mem::take(&mut self.has_ended) && seen.rx_came_valid && seen.rx_is_events {
            return Err(("another one".into(), "one that came and waits goes first".into()));
        }
        Ok(())
    }

    /// A frame leaves, while so many of events are whole.
    ///
    /// # Errors
    /// If too many that came go before one of events.
    pub fn leave(&mut self, is_events: bool, whole: usize) -> Result<(), (String, String)> {
        self.has_ended = is_events;
        self.passed = if is_events || whole == 0 { 0 } else { self.passed + 1 };
        if self.passed > MOST_PASSED {
            let passed = self.passed;
            return Err((format!("{passed} frames that came go first"), "one that is whole is next".into()));
        }
        Ok(())
    }
}

/// Cycles between two looks at connections that drain, and cycles in which one that has drained is closed, by far: those of a scan and of
/// resets of its memory, and of each connection that drains.
const DRAIN_CYCLES: u64 = 64;
const MOST_DRAINED_CYCLES: u64 = 50_000;
const MOST_CYCLES_OF_EACH: u64 = 2_000;

/// How long a connection that has drained was not closed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drains {
    cycles: u64,
    /// Which one, and since when it is.
    drained: Option<(u16, u64)>,
}

impl Drains {
    /// Whether [`Drains::wait`] looks in this cycle.
    pub fn is_due(&self) -> bool {
        self.cycles.is_multiple_of(DRAIN_CYCLES)
    }

    /// A cycle in which so many connections drain, and this is the first of those that have drained.
    ///
    /// # Errors
    /// If it waits for too long.
    pub fn wait(&mut self, draining: u64, drained: Option<u16>) -> Result<(), (String, String)> {
        let is_due = self.is_due();
        self.cycles += 1;
        if !is_due {
            return Ok(());
        }
        self.drained = match (self.drained, drained) {
            (Some((before, since)), Some(conn)) if before == conn => Some((conn, since)),
            (_, drained) => drained.map(|conn| (conn, self.cycles)),
        };
        match self.drained {
            Some((conn, since))
                if self.cycles - since > MOST_DRAINED_CYCLES + draining * MOST_CYCLES_OF_EACH =>
            {
                Err((format!("connection {conn} is open"), "all of it is acknowledged: it is closed".into()))
            }
            _ => Ok(()),
        }
    }
}

/// How long a parked packet has been to ask again, the packet of the host that is next could go on, and a place was to become free.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asks {
    waited: [u32; 3],
}

impl Asks {
    /// A cycle, behind which there is something to do for parked packets, for the host's that is next, and for packets that have left their
    /// places; and whose op the selector has taken in it.
    ///
    /// # Errors
    /// If one has waited too long.
    pub fn wait(&mut self, owed: [bool; 3], of: Option<u64>, seen: &Seen) -> Result<(), (String, String)> {
        let of_parked = of == Some(OF_PARKED);
        let done = [of_parked, of.is_some() && !of_parked || seen.granted || seen.freed, seen.freed];
        for ((waited, owed), done) in self.waited.iter_mut().zip(owed).zip(done) {
            *waited = if owed && !done { *waited + 1 } else { 0 };
        }
        let names = [
            "a parked packet asks again",
            "the packet of the host that is next asks, or is parked",
            "the place of a packet that has left becomes free",
        ];
        match self.waited.iter().zip(names).find(|(waited, _)| **waited > MOST_IDLE_CYCLES) {
            Some((waited, name)) => Err((format!("nothing of it in {waited} cycles"), name.to_string())),
            None => Ok(()),
        }
    }
}

/// The first of the visits that were to show this has shown it.
fn clear<'a>(mut waiting: impl Iterator<Item = &'a mut bool>, what: &str) -> Result<(), (String, String)> {
    let found = waiting.find(|waits| **waits);
    *found.ok_or_else(|| (what.to_string(), "no visit finds one".to_string()))? = false;
    Ok(())
}
