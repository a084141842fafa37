//! The golden block, which takes the steps that the hardware is seen to take.
//!
//! The golden `nic` can be taken op by op. From the wires between the hardware's parts follows when each op is executed, and
//! the golden block executes the same op at the same time. What comes out is then equal, or one of the two is wrong.

mod closing;
mod engines;
mod event_frames;
mod ledger;
mod outlet;
mod peer_table;
mod selector;

use std::cell::RefCell;
use std::collections::VecDeque;

use respray_golden::nic::{self, AccessError, Asker, Command, Config, Event, Nic, Source, Transmitted};
use respray_hdl::nic::top::Seen;

use super::begun::Begun;
use super::device::Numbers;
use super::difference::Difference;
use super::notes::Notes;
use super::rules::{Asks, Drains, EventTurns, Flows, Lists, Turns, Visits};
use super::streams::Given;
pub(super) use ledger::Ledger;

/// Cycles by which the ticks are late behind the count of cycles: `nic::registers::ticks` of the hardware.
const TICKS_LATE: u64 = 3;

/// The times that the parts see.
#[derive(Clone, Copy)]
enum Time {
    Wire,
    Sack,
    Selector,
}

const TIMES: [&str; 3] = ["ticks of the wire", "ticks of sack_tx", "ticks of the selector"];

/// Which stream a frame on `tx_out` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// A SACK or a probe of the block.
    Own,
    Host,
    /// Of the host, out of the place in which it was parked.
    Parked,
}

/// The golden block and what it waits for.
pub(super) struct Follower {
    pub golden: Nic,
    begun: Begun,
    cycle: u64,
    /// Registers were written a moment ago: times are those of before for some cycles.
    pub is_writing: bool,
    /// Frames from the network whose record was not taken yet.
    arriving: VecDeque<Given>,
    /// Whether a record was taken one and two cycles ago.
    judged: [bool; 2],
    /// Whether a grant of the host counted a cycle ago.
    has_granted: bool,
    /// The ACK at the head was heard.
    is_heard: bool,
    /// Ops that `sack_rx` has taken and whose results have not come, the oldest first. A command changes the golden block in its place among
    /// them: it may be answered before the results of packets that came before it, and after results of packets behind it.
    receiver_ops: VecDeque<ReceiverOp>,
    /// What was written last, which `accept` takes; and whether it was done a cycle ago.
    pub accept_conn: u32,
    has_accepted: bool,
    /// The connection that may send again.
    allowed: Option<u16>,
    /// Who asked for the ops that wait for the selector.
    askers: VecDeque<Asker>,
    /// SACKs and probes that are being made.
    own: VecDeque<Transmitted>,
    /// Where the frames come from that are on their way through the outlet.
    order: VecDeque<From>,
    /// Parked frames of which the outlet has all, and whose places are not free yet.
    parked_out: usize,
    turns: Turns,
    visits: Visits,
    lists: Lists,
    asks: Asks,
    event_turns: EventTurns,
    drains: Drains,
    flows: Flows,
    /// Frames that were in the outlet as a whole when the block was reset, and whether one was of which it had but a part.
    left_over: VecDeque<Transmitted>,
    is_cut: bool,
    /// The event that was on its way out when the block was reset: it is taken in that cycle, or lost.
    last_event: Option<Event>,
    /// What became of the commands that open, close and `read` when their op was taken, or of `reset` when it began. The block reads for itself,
    /// too, where it looks at a connection in recovery.
    done: Option<Result<(), AccessError>>,
    /// The reset is that of `rst`.
    is_new: bool,
    /// What became of each frame that was given, if that is asked for.
    pub ledger: Option<Ledger>,
    /// Whose event was taken a cycle ago, and whether the event of two cycles ago was lost.
    told: Option<Source>,
    was_lost: bool,
    /// The differences so far, of a run that goes on behind them.
    pub notes: RefCell<Notes>,
}

/// An op of `sack_rx`.
enum ReceiverOp {
    Packet,
    /// And the frames that had come for the host.
    Command(nic::ReceiverOp, u64),
}

/// What the golden block does of a part of the hardware in a cycle.
type Step = fn(&mut Follower, &Seen, &Numbers) -> Result<(), Difference>;

impl Follower {
    /// For hardware that was just powered up.
    pub fn new(config: Config, begun: Begun) -> Follower {
        let mut golden = Nic::stepped(config);
        golden.count_from(begun.count);
        Follower {
            golden,
            begun,
            cycle: 0,
            is_writing: false,
            arriving: VecDeque::new(),
            judged: [false; 2],
            has_granted: false,
            is_heard: false,
            receiver_ops: VecDeque::new(),
            accept_conn: 0,
            has_accepted: false,
            allowed: None,
            askers: VecDeque::new(),
            own: VecDeque::new(),
            order: VecDeque::new(),
            parked_out: 0,
            turns: Turns::default(),
            visits: Visits::default(),
            lists: Lists::default(),
            asks: Asks::default(),
            event_turns: EventTurns::default(),
            drains: Drains::default(),
            flows: Flows::default(),
            left_over: VecDeque::new(),
            is_cut: false,
            last_event: None,
            done: None,
            is_new: true,
            ledger: None,
            told: None,
            was_lost: false,
            notes: RefCell::default(),
        }
    }

    /// For the same hardware behind `rst`: nothing is left of what was, but the count of cycles, and what was noted. So many frames of
    /// the host and of the MAC wait outside, and do not come.
    pub fn restarted(&mut self, waiting: [usize; 2]) -> Follower {
        let mut ledger = self.ledger.take();
        let [host, mac] = waiting;
        let lost = [host, self.arriving.len() + mac];
        ledger.iter_mut().for_each(|ledger| ledger.reset(lost));
        let new = Follower::new(self.golden.config().clone(), self.begun);
        Follower { cycle: self.cycle, notes: self.notes.clone(), ledger, ..new }
    }

    /// The cycle that is compared.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The count of clock cycles in that cycle.
    pub fn clock(&self) -> u64 {
        self.begun.cycle + self.cycle
    }

    /// The host begins to give a frame.
    pub fn offered(&mut self, frame: &Given) {
        if let Some(ledger) = &mut self.ledger {
            ledger.offered(&self.golden, frame);
        }
        self.golden.offer_with(frame.bytes.clone(), frame.user).expect("the golden block waits for nobody");
    }

    /// The MAC begins to give a frame.
    pub fn arriving(&mut self, frame: &Given) {
        self.arriving.push_back(frame.clone());
    }

    /// Takes the steps that the hardware takes in this cycle.
    ///
    /// # Errors
    /// If there is nothing that the golden block could do so, or not then.
    pub fn follow(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        if seen.in_reset {
            return self.reset();
        }
        self.is_new = false;
        self.last_event = None;
        self.golden.tick(self.clock().saturating_sub(TICKS_LATE));
        let steps: [Step; 11] = [
            Follower::receive,
            Follower::scoreboard,
            Follower::timing,
            |follower, seen, _| follower.lists(seen),
            Follower::selector,
            Follower::window,
            |follower, seen, _| follower.outlet(seen),
            |follower, seen, _| follower.peer_table(seen),
            |follower, seen, _| follower.event_frames(seen),
            Follower::closed_receiving,
            |follower, seen, _| follower.events(seen),
        ];
        for step in steps {
            let done = step(self, seen, numbers);
            self.heed(done)?;
        }
        Ok(())
    }

    /// A difference ends the run, or is noted.
    ///
    /// # Errors
    /// The difference, if it ends the run.
    pub fn heed(&self, done: Result<(), Difference>) -> Result<(), Difference> {
        done.or_else(|difference| self.notes.borrow_mut().take(difference))
    }

    /// The next cycle begins.
    pub fn step(&mut self) {
        self.cycle += 1;
    }

    /// All that is on its way is lost but what the outlet has. The golden block is reset as long, since the walker goes on before the command is answered.
    fn reset(&mut self) -> Result<(), Difference> {
        while let Some(from) = self.order.pop_front() {
            let frame = self.frame(from)?;
            self.left_over.push_back(frame);
        }
        self.is_cut |= self.turns.is_within();
        self.ledger.iter_mut().for_each(|ledger| ledger.reset([0, self.arriving.len()]));
        self.arriving.clear();
        self.judged = [false; 2];
        self.has_granted = false;
        self.is_heard = false;
        self.receiver_ops.clear();
        self.has_accepted = false;
        self.allowed = None;
        self.askers.clear();
        self.parked_out = 0;
        self.own.clear();
        self.turns = Turns::default();
        self.visits = Visits::default();
        self.lists = Lists::default();
        self.asks = Asks::default();
        self.event_turns = EventTurns::default();
        self.drains = Drains::default();
        self.flows = Flows::default();
        self.told = None;
        self.was_lost = false;
        // the queue is empty a cycle later
        self.last_event = self.golden.event();
        let done = self.command(Command::Reset);
        if !self.is_new {
            self.done = Some(done);
        }
        Ok(())
    }

    /// Gives the golden block a command.
    fn command(&mut self, command: Command) -> Result<(), AccessError> {
        let address = self.golden.address("command").expect("there is such a register");
        self.golden.write(address, command as u32)
    }

    /// What became of the command, if that was seen to be done before it is answered.
    pub fn take_done(&mut self) -> Option<Result<(), AccessError>> {
        self.done.take()
    }

    /// The times that the hardware's parts see now are those of the golden clock.
    fn times_are(&self, numbers: &Numbers, which: &[Time]) -> Result<(), Difference> {
        if self.is_writing {
            return Ok(());
        }
        let expected = self.golden.times();
        which.iter().try_for_each(|time| {
            let at = *time as usize;
            self.equal(TIMES[at], &numbers.times[at], &expected[at].into())
        })
    }

    /// A step of the golden block, if the hardware is seen to take it in this cycle: what it gives then.
    fn step_if<T>(
        &mut self,
        is_seen: bool,
        step: fn(&mut Nic) -> Option<T>,
        what: &str,
        expected: &str,
    ) -> Result<Option<T>, Difference> {
        if !is_seen {
            return Ok(None);
        }
        let done = step(&mut self.golden);
        self.need(done, what, expected).map(Some)
    }

    fn need<T>(&self, found: Option<T>, seen: &str, expected: &str) -> Result<T, Difference> {
        found.ok_or_else(|| self.early(seen, expected))
    }

    fn early(&self, seen: &str, expected: &str) -> Difference {
        self.difference("a step of the hardware", seen.to_string(), expected.to_string())
    }

    pub fn equal<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        seen: &T,
        expected: &T,
    ) -> Result<(), Difference> {
        if seen == expected {
            return Ok(());
        }
        self.heed(Err(self.difference(what, format!("{seen:?}"), format!("{expected:?}"))))
    }

    pub fn difference(&self, what: &str, seen: String, expected: String) -> Difference {
        Difference { cycle: self.cycle, what: what.to_string(), expected, seen }
    }
}
