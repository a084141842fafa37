//! Time: the walker's visits, probes, and what is handed out for retransmission.

use super::engines::{Loss, Op};
use super::turns::Turns;
use super::{Counter, Event, Kind, LossFeedback, Nic, Setting, Source};
use crate::sack_tx::Status;

/// What a probe that is due is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// The lowest PSN that is not acknowledged.
    pub psn: u32,
    /// Of Ultra Ethernet, the next PSN to be sent for the first time.
    pub snd_nxt: Option<u32>,
}

/// Probes that are due: a place for each connection, so that none is lost.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    /// In the order in which they became due.
    turns: Turns,
    /// Of each connection whose probe is to be sent.
    due: Vec<Option<Due>>,
}

impl Probes {
    pub fn new(connections: u32) -> Self {
        Probes { turns: Turns::new(connections), due: vec![None; connections as usize] }
    }

    /// A probe is due. One that waits already keeps its place and says the new PSNs.
    fn push(&mut self, conn: u16, due: Due) {
        self.due[usize::from(conn)] = Some(due);
        self.turns.push(conn);
    }

    pub fn pop(&mut self) -> Option<(u16, Due)> {
        let conn = self.turns.pop()?;
        let due = self.due[usize::from(conn)].take();
        self.skip();
        Some((conn, due.expect("a cancelled connection is skipped when it becomes the first")))
    }

    pub fn is_empty(&self) -> bool {
        self.turns.len() == 0
    }

    /// A connection that is cancelled keeps its place until its turn comes, in case that a probe is due before.
    pub fn cancel(&mut self, conn: u16) {
        self.due[usize::from(conn)] = None;
        self.skip();
    }

    /// Cancelled connections whose turn it is leave.
    fn skip(&mut self) {
        while self.turns.front().is_some_and(|conn| self.due[usize::from(conn)].is_none()) {
            self.turns.pop();
        }
    }

    pub fn clear(&mut self) {
        self.turns.clear();
        self.due.fill(None);
    }
}

/// What the walker finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// The retransmission timeout has passed: everything is lost.
    pub timed_out: bool,
    /// A probe is to be sent.
    pub probe_due: bool,
    /// Of Ultra Ethernet: the peer is to be asked for its cumulative PSN, and too many timeouts in a row have passed.
    pub ack_request: bool,
    pub dead: bool,
}

impl Nic {
    /// Time goes on to a clock cycle; the walker visits one connection after the other on the way.
    ///
    /// # Panics
    /// If the clock is past that cycle.
    pub fn advance(&mut self, cycles: u64) {
        assert!(cycles >= self.clock.cycles, "the clock shows {}, past {cycles}", self.clock.cycles);
        while self.next_visit <= cycles {
            self.clock.cycles = self.next_visit;
            self.visit_next();
            self.spray_all();
            self.next_visit += self.config.limits.visit_cycles;
        }
        self.clock.cycles = cycles;
        self.hand_out();
    }

    /// The walker of `sack_tx` visits a connection.
    pub fn visit(&mut self, conn: u16) -> Visit {
        let outcome = self.apply_scoreboard(conn, Op::Visit);
        let before = self.waiting_of_scoreboard();
        if outcome.loss == Some(Loss::Timeout) {
            self.counters.count(Counter::LossTimeout);
            let detail = Loss::Timeout.code();
            self.tell(Event { detail, ..Event::new(Kind::Loss, conn.into(), 0) });
            if self.config.loss_feedback != LossFeedback::None {
                self.tell_failure(conn);
            }
            self.recover(conn);
        }
        if outcome.ack_request {
            self.counters.count(Counter::AckRequests);
            let psn = outcome.psn.expect("a PSN is asked for");
            self.tell(Event::new(Kind::AckRequest, conn.into(), psn));
        }
        if outcome.dead {
            self.counters.count(Counter::Dead);
            self.tell(Event::new(Kind::Dead, conn.into(), 0));
        }
        if outcome.probe_due {
            let psn = outcome.psn.expect("a probe that is due has a PSN");
            let due = Due { psn, snd_nxt: outcome.snd_nxt };
            match &mut self.owed {
                Some(owed) => owed.probes.push_back((conn, due)),
                None => self.probes.push(conn, due),
            }
        }
        let after = self.waiting_of_scoreboard();
        if let Some(owed) = self.owed.as_mut().filter(|_| after != before) {
            owed.of_visit = (after.0 - before.0, after.1 - before.1);
        }
        Visit {
            timed_out: outcome.loss == Some(Loss::Timeout),
            probe_due: outcome.probe_due,
            ack_request: outcome.ack_request,
            dead: outcome.dead,
        }
    }

    /// Events of the scoreboard that are not told yet, and ops that the selector has not taken.
    fn waiting_of_scoreboard(&self) -> (usize, usize) {
        let told = self.owed.as_ref().map_or(0, |owed| owed.told[Source::Scoreboard as usize].len());
        (told, self.sprays.len())
    }

    /// The walker goes on to its next visit.
    pub fn visit_next(&mut self) -> Visit {
        let visit = self.visit(self.walker);
        self.walker = (self.walker + 1) % self.config.connections as u16;
        visit
    }

    /// From now on PSNs of the connection are handed out.
    pub(super) fn recover(&mut self, conn: u16) {
        match &mut self.owed {
            Some(owed) => owed.recoveries.push_back(conn),
            None => self.recovering.push(conn),
        }
    }

    /// The next connection that is to be handed out PSNs waits for its turn.
    pub fn add_recovery(&mut self) -> Option<u16> {
        let conn = self.owed.as_mut()?.recoveries.pop_front()?;
        self.recovering.push(conn);
        Some(conn)
    }

    /// The next probe that became due waits for its turn.
    pub fn add_probe(&mut self) -> Option<u16> {
        let (conn, due) = self.owed.as_mut()?.probes.pop_front()?;
        self.probes.push(conn, due);
        Some(conn)
    }

    /// Whether the host is told what to send again.
    pub(super) fn hands_out(&self) -> bool {
        self.settings.get(Setting::EventEnable) >> Kind::Retransmit.code() & 1 == 1
    }

    /// Hands out PSNs for retransmission, as far as windows and the event queue allow.
    pub(super) fn hand_out(&mut self) {
        if !self.hands_out() {
            return;
        }
        for _ in 0..self.recovering.len() {
            let conn = self.recovering.pop().expect("counted");
            if self.has_more(conn) {
                self.recovering.push(conn);
            }
        }
    }

    /// Hands out what one connection may send; whether there may be more to it.
    fn has_more(&mut self, conn: u16) -> bool {
        while self.events.has_room() {
            if !self.look(conn) {
                break;
            }
            if !self.next_rtx(conn) {
                return false;
            }
        }
        true
    }

    /// The connection in recovery that waits longest is looked at, and whether its window is open. If it is not, it waits again.
    pub fn look_next(&mut self) -> Option<(u16, bool)> {
        let conn = self.recovering.pop()?;
        let may_send = self.look(conn);
        if !may_send {
            self.recover(conn);
        }
        Some((conn, may_send))
    }

    /// Whether the window of a connection is open: `read` of `sack_tx`, which changes nothing.
    pub fn look(&mut self, conn: u16) -> bool {
        self.apply_scoreboard(conn, Op::Read).in_flight < self.cwnd_packets(conn)
    }

    /// `next_rtx` of `sack_tx`; whether it handed a PSN out. Then there may be more, and the connection waits again.
    pub fn send_next(&mut self, conn: u16) -> bool {
        let handed_out = self.next_rtx(conn);
        if handed_out {
            self.recover(conn);
        }
        handed_out
    }

    /// `next_rtx` of `sack_tx`; whether it handed a PSN out.
    pub fn next_rtx(&mut self, conn: u16) -> bool {
        let outcome = self.apply_scoreboard(conn, Op::NextRtx);
        if outcome.status != Some(Status::Ok) {
            return false;
        }
        let psn = outcome.psn.expect("a PSN is handed out");
        self.counters.count(Counter::HandedOut);
        self.tell(Event { in_flight: outcome.in_flight, ..Event::new(Kind::Retransmit, conn.into(), psn) });
        true
    }
}
