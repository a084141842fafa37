//! The golden block, which takes the steps that the hardware is seen to take.
//!
//! The golden `nic` can be taken op by op. From the wires between the hardware's parts follows when each op is executed, and
//! the golden block executes the same op at the same time. What comes out is then equal, or one of the two is wrong.

use std::collections::VecDeque;

use respray_golden::nic::{AccessError, Asker, Command, Config, Event, Fate, Nic, Source, Transmitted};
use respray_hdl::nic::top::Seen;

use super::begun::Begun;
use super::device::Numbers;
use super::difference::Difference;
use super::rules::{Asks, Lists, OF_CONTROLS, OF_PARKED, OF_PROBE, Turns, Visits};
use super::streams::Given;

/// Cycles by which the ticks are late behind the count of cycles: `nic::registers::ticks` of the hardware.
const TICKS_LATE: u64 = 3;
/// Codes of `sack_tx` and of the selector.
const NEXT_RTX: u64 = 2;
const INIT: u64 = 3;
const READ: u64 = 4;
const SELECTOR_NACK: u64 = 2;
const SELECTOR_SET_MIN: u64 = 5;

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
    /// The ACK at the head was heard.
    is_heard: bool,
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
    /// Frames that were in the outlet as a whole when the block was reset, and whether one was of which it had but a part.
    left_over: VecDeque<Transmitted>,
    is_cut: bool,
    /// The event that was on its way out when the block was reset: it is taken in that cycle, or lost.
    last_event: Option<Event>,
    /// What became of the commands `read` and `open_tx` when their op was taken, or of `reset` when it began. The block reads for itself,
    /// too, where it looks at a connection in recovery.
    done: Option<Result<(), AccessError>>,
    /// The reset is that of `rst`.
    is_new: bool,
    /// Whose event was taken a cycle ago, and whether the event of two cycles ago was lost.
    told: Option<Source>,
    was_lost: bool,
}

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
            is_heard: false,
            allowed: None,
            askers: VecDeque::new(),
            own: VecDeque::new(),
            order: VecDeque::new(),
            parked_out: 0,
            turns: Turns::default(),
            visits: Visits::default(),
            lists: Lists::default(),
            asks: Asks::default(),
            left_over: VecDeque::new(),
            is_cut: false,
            last_event: None,
            done: None,
            is_new: true,
            told: None,
            was_lost: false,
        }
    }

    /// For the same hardware behind `rst`: nothing is left of what was, but the count of cycles.
    pub fn restarted(&self) -> Follower {
        let new = Follower::new(self.golden.config().clone(), self.begun);
        Follower { cycle: self.cycle, ..new }
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
        self.receive(seen, numbers)?;
        self.scoreboard(seen, numbers)?;
        self.timing(seen, numbers)?;
        self.lists(seen)?;
        self.selector(seen, numbers)?;
        self.window(seen, numbers)?;
        self.outlet(seen)?;
        self.events(seen)
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
        self.arriving.clear();
        self.judged = [false; 2];
        self.is_heard = false;
        self.allowed = None;
        self.askers.clear();
        self.parked_out = 0;
        self.own.clear();
        self.turns = Turns::default();
        self.visits = Visits::default();
        self.lists = Lists::default();
        self.asks = Asks::default();
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

    fn receive(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        let [before, two_before] = self.judged;
        self.judged = [seen.meta_valid && seen.meta_ready, before];
        // the events of results and of malformed frames have one way, and results go first
        if !(seen.rx_duplicate || seen.rx_outside || seen.rx_not_open) {
            self.golden.tell_malformed();
        }
        if two_before {
            let fate = match (seen.rx_dropped_host, seen.rx_dropped_engine || seen.acks_dropped) {
                (true, _) => Fate::DroppedHost,
                (false, true) => Fate::DroppedEngine,
                (false, false) => Fate::Taken,
            };
            let Some(Given { bytes, user }) = self.arriving.pop_front() else {
                return Err(self.early("a frame is judged", "none was given"));
            };
            self.golden.arrive(bytes, user, fate);
        }
        let is_done = [seen.rx_new, seen.rx_duplicate, seen.rx_outside, seen.rx_not_open, seen.rx_probe];
        if is_done.contains(&true) {
            let status = self.golden.packet(!seen.sacks_dropped);
            let status = self.need(status, "sack_rx answers", "no packet waits for it")?;
            let codes = is_done.iter().zip([0, 1, 2, 7, 3]);
            let code: Vec<u8> = codes.filter(|(is_it, _)| **is_it).map(|(_, code)| code).collect();
            self.equal("status of a packet", &code, &vec![status as u8])?;
        }
        if seen.ack_valid && !self.is_heard {
            self.times_are(numbers, &[Time::Wire, Time::Sack])?;
            let heard = self.golden.hear();
            self.need(heard, "an ACK is heard", "none came")?;
        }
        self.is_heard = seen.ack_valid && !seen.ack_taken;
        Ok(())
    }

    fn scoreboard(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        let conn = numbers.op_conn as u16;
        let is_op = seen.op_valid && seen.op_ready;
        if seen.ack_taken {
            let done = self.executed(is_op, Nic::sack);
            self.need(done, "an ACK is executed", "none waits")?;
        }
        if seen.request_taken {
            let done = self.executed(is_op, Nic::sent);
            self.need(done, "a packet of the host is executed", "none waits")?;
        }
        if seen.recovery_taken {
            let looked = self.golden.look_next();
            let (looked_at, may_send) =
                self.need(looked, "a connection in recovery is looked at", "none is in recovery")?;
            self.equal("the connection that is looked at", &conn, &looked_at)?;
            self.allowed = may_send.then_some(conn);
        }
        if is_op && numbers.op_kind == NEXT_RTX {
            let allowed = self.allowed.take();
            self.equal("the connection that sends again", &Some(conn), &allowed)?;
            self.golden.send_next(conn);
        }
        if is_op && numbers.op_kind == READ && !seen.recovery_taken {
            self.done = Some(self.command(Command::Read));
        }
        if is_op && numbers.op_kind == INIT {
            self.done = Some(self.command(Command::OpenTx));
        }
        let shown = self.visits.show(seen);
        let begun = if seen.visit { self.visits.begin(self.golden.visit_next()) } else { Ok(()) };
        shown
            .and(begun)
            .map_err(|(seen, expected)| self.difference("a visit of the walker", seen, expected))?;
        if is_op || seen.visit {
            self.times_are(numbers, &[Time::Sack])?;
        }
        Ok(())
    }

    /// An ACK, or a packet of the host. Without an op, as of a connection that there is not, it overtakes a visit.
    fn executed(&mut self, is_op: bool, step: fn(&mut Nic) -> Option<()>) -> Option<()> {
        if is_op || !self.visits.owe_timeout() {
            step(&mut self.golden)
        } else {
            self.golden.ahead_of_visit(step)
        }
    }

    /// What `uet` keeps of when packets left.
    fn timing(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        self.step_if(seen.time_packet, Nic::time_packet, "when a packet left is noted", "none has left")?;
        self.step_if(seen.time_probe, Nic::time_probe, "when a probe left is noted", "none has left")?;
        self.step_if(seen.looked_up, Nic::look_up, "what an ACK answers is looked up", "no ACK came")?;
        if seen.time_sent || seen.time_again {
            self.times_are(numbers, &[Time::Wire])?;
            let decided = self.golden.decide();
            self.need(decided, "a packet leaves", "none was executed")?;
        }
        Ok(())
    }

    /// Connections in recovery, and probes that are due.
    fn lists(&mut self, seen: &Seen) -> Result<(), Difference> {
        self.step_if(
            seen.recovery_added,
            Nic::add_recovery,
            "a connection is put among those in recovery",
            "none is to be",
        )?;
        // a connection that leaves and is added in one cycle is the last again
        if seen.probe_due && seen.probe_taken && !self.golden.start_probe() {
            return Err(self.early("a probe is begun", "none is due"));
        }
        self.step_if(
            seen.probe_cancelled,
            Nic::cancel_probe,
            "a probe is cancelled",
            "no connection was opened",
        )?;
        let judged = self.step_if(
            seen.probe_judged,
            Nic::judge_probe,
            "where a probe goes is looked at",
            "none is in work",
        )?;
        if let Some(is_kept) = judged {
            self.equal("a probe has somewhere to go", &seen.probe_known, &is_kept)?;
        }
        self.step_if(seen.probe_added, Nic::add_probe, "a probe becomes due", "none is")?;
        let kept = self.lists.wait(self.golden.owed_turns(), seen);
        kept.and_then(|()| self.lists.look(self.golden.is_to_look(), seen))
            .map_err(|(seen, expected)| self.difference("a list", seen, expected))
    }

    fn selector(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        if self.golden.config().selector.parks() {
            return self.parking(seen, numbers);
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
                (OF_CONTROLS, SELECTOR_SET_MIN) => {
                    self.golden.set_min();
                    Some(())
                }
                (OF_CONTROLS, SELECTOR_NACK) => self.golden.spray(Asker::Command),
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
    fn window(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        self.step_if(seen.window_written, Nic::show_window, "a window is written", "none was chosen")?;
        if seen.window_ack || seen.window_init {
            self.times_are(numbers, &[Time::Wire])?;
            let chosen = self.golden.choose_window(seen.window_init);
            self.need(chosen, "the congestion control takes an op", "none waits")?;
        }
        Ok(())
    }

    fn outlet(&mut self, seen: &Seen) -> Result<(), Difference> {
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

    fn events(&mut self, seen: &Seen) -> Result<(), Difference> {
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
            (seen.event1_valid && seen.event1_ready, Source::Receiver),
            (seen.event2_valid && seen.event2_ready, Source::Selector),
            (seen.window_told, Source::Window),
        ];
        self.told = taken.into_iter().find(|(is_taken, _)| *is_taken).map(|(_, source)| source);
        Ok(())
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

    /// What became of the command, if that was seen to be done before it is answered.
    pub fn take_done(&mut self) -> Option<Result<(), AccessError>> {
        self.done.take()
    }

    /// Whether the frame that leaves is one that a reset has cut.
    pub fn take_cut(&mut self) -> bool {
        self.left_over.is_empty() && std::mem::take(&mut self.is_cut)
    }

    fn frame(&mut self, from: From) -> Result<Transmitted, Difference> {
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
        Err(self.difference(what, format!("{seen:?}"), format!("{expected:?}")))
    }

    pub fn difference(&self, what: &str, seen: String, expected: String) -> Difference {
        Difference { cycle: self.cycle, what: what.to_string(), expected, seen }
    }
}
