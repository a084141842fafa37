//! The steps of `sack_rx` and `sack_tx`, of the timers, and of the lists beside them.

use respray_golden::nic::{Command, Fate, Nic};
use respray_hdl::nic::top::Seen;

use super::ledger::Counts;
use super::{Follower, ReceiverOp, Time};
use crate::nic::access::ACCEPT;
use crate::nic::device::Numbers;
use crate::nic::difference::Difference;
use crate::nic::streams::Given;

/// Codes of `sack_tx`.
const NEXT_RTX: u64 = 2;
const INIT: u64 = 3;
pub(super) const READ: u64 = 4;
pub(super) const CLOSE: u64 = 5;

impl Follower {
    /// Frames from the network: their records, the answers of `sack_rx`, and ACKs that are heard.
    pub(super) fn receive(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        let [before, two_before] = self.judged;
        self.judged = [seen.meta_valid && seen.meta_ready, before];
        // the events of results and of malformed frames have one way, and results go first
        let is_uet = self.golden.config().uet.is_some();
        let brings_event = match is_uet {
            true => seen.rx_told,
            false => seen.rx_duplicate || seen.rx_outside || seen.rx_not_open || seen.rx_other_address,
        };
        if !brings_event {
            self.golden.tell_malformed();
        }
        let arrived = if two_before {
            let fate = match seen {
                _ if seen.rx_dropped_host => Fate::DroppedHost,
                _ if seen.rx_no_credit => Fate::NoCredit,
                _ if seen.rx_dropped_engine || seen.acks_dropped => Fate::DroppedEngine,
                _ => Fate::Taken,
            };
            let Some(given) = self.arriving.pop_front() else {
                return Err(self.early("a frame is judged", "none was given"));
            };
            // a frame without room in the block asks for no credit
            let has_credit = seen.rx_dropped_host || self.golden.has_credit(&given.bytes, given.user);
            self.equal("a frame has the credit that it needs", &!seen.rx_no_credit, &has_credit)?;
            Some((given, fate))
        } else {
            None
        };
        // a grant counts behind the question for credit and before the frame takes it
        if std::mem::replace(&mut self.has_granted, seen.grant_counts) {
            let granted = self.golden.take_grant();
            self.need(granted, "a grant counts", "none was written")?;
        }
        if let Some((given, fate)) = arrived {
            if let Some(ledger) = &mut self.ledger {
                ledger.arrived(&self.golden, &given, fate);
            }
            let Given { bytes, user } = given;
            self.golden.arrive(bytes, user, fate);
        }
        if is_uet {
            self.uet_packet(seen)?;
            return self.receiver_ops(seen, numbers);
        }
        let is_done = [seen.rx_new, seen.rx_duplicate, seen.rx_outside, seen.rx_not_open, seen.rx_probe];
        if is_done.contains(&true) {
            let status = self.golden.packet(!seen.sacks_dropped);
            let status = self.need(status, "sack_rx answers", "no packet waits for it")?;
            let codes = is_done.iter().zip([0, 1, 2, 7, 3]);
            let code: Vec<u8> = codes.filter(|(is_it, _)| **is_it).map(|(_, code)| code).collect();
            self.equal("status of a packet", &code, &vec![status as u8])?;
            if let Some(ledger) = &mut self.ledger {
                ledger.answered(status);
            }
            self.receiver_ops.pop_front();
        }
        if seen.rx_other_address {
            let refused = self.golden.refuse_packet();
            self.need(refused, "a packet is refused", "none from another address than its peer's waits")?;
            if let Some(ledger) = &mut self.ledger {
                ledger.refused();
            }
            self.receiver_ops.pop_front();
        }
        self.receiver_ops(seen, numbers)
    }

    /// What `sack_rx` of Ultra Ethernet says of a packet.
    fn uet_packet(&mut self, seen: &Seen) -> Result<(), Difference> {
        // what the host has taken in is counted a cycle later, as packets are
        if std::mem::replace(&mut self.has_accepted, seen.accept_done) {
            return Ok(());
        }
        let is_done = [
            (seen.rx_new, "new"),
            (seen.rx_duplicate, "received before"),
            (seen.rx_outside, "outside"),
            (seen.rx_not_open, "not open"),
            (seen.rx_probe, "probe"),
            (seen.rx_control, "control packet"),
            (seen.rx_ahead, "ahead"),
            (seen.rx_trimmed, "trimmed"),
            (seen.rx_other_address, "of another"),
        ];
        let seen_as: Vec<&str> = is_done.iter().filter(|(is_it, _)| *is_it).map(|(_, what)| *what).collect();
        if seen_as.is_empty() {
            return Ok(());
        }
        let packet = self.golden.uet_packet(!seen.sacks_dropped);
        let packet = self.need(packet, "sack_rx answers", "no packet waits for it")?;
        self.equal("what a packet is", &seen_as, &vec![packet.counted_as()])?;
        if let Some(ledger) = &mut self.ledger {
            ledger.answered_uet(packet);
        }
        self.receiver_ops.pop_front();
        Ok(())
    }

    /// Ops that `sack_rx` takes, and ACKs that are heard.
    fn receiver_ops(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        if seen.open_rx_ready && (seen.open_rx_valid || seen.close_rx_valid) {
            let command = if seen.close_rx_valid { Command::CloseRx } else { Command::OpenRx };
            let op = self.golden.receiver_op(command);
            self.receiver_ops.push_back(ReceiverOp::Command(op, self.golden.frames_for_host()));
            self.done = Some(Ok(()));
        }
        if seen.accept_taken {
            let address = self.golden.address(ACCEPT).expect("there is such a register");
            self.done = Some(self.golden.write(address, self.accept_conn));
        }
        if seen.packet_issued {
            self.receiver_ops.push_back(ReceiverOp::Packet);
        }
        while let Some(ReceiverOp::Command(op, frames)) = self.receiver_ops.front() {
            self.golden.execute_receiver(op, *frames);
            self.receiver_ops.pop_front();
        }
        if seen.ack_valid && !self.is_heard {
            self.times_are(numbers, &[Time::Wire, Time::Sack])?;
            let heard = self.golden.hear();
            self.need(heard, "an ACK is heard", "none came")?;
        }
        self.is_heard = seen.ack_valid && !seen.ack_taken;
        Ok(())
    }

    /// Ops of `sack_tx`, and visits of its walker.
    pub(super) fn scoreboard(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        let conn = numbers.op_conn as u16;
        let is_op = seen.op_valid && seen.op_ready;
        if seen.ack_taken {
            let before = Counts::of(&self.golden);
            let done = self.executed(is_op, Nic::sack);
            self.need(done, "an ACK is executed", "none waits")?;
            if let Some(ledger) = &mut self.ledger {
                ledger.heard(before, &self.golden);
            }
        }
        if seen.request_taken {
            let before = Counts::of(&self.golden);
            let done = self.executed(is_op, Nic::sent);
            self.need(done, "a packet of the host is executed", "none waits")?;
            if let Some(ledger) = &mut self.ledger {
                ledger.sent(before, &self.golden);
            }
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
        // the hardware may read once more behind the command, and keeps what the first one gave
        let is_command = seen.read_valid && self.done.is_none();
        if is_op && numbers.op_kind == READ && !seen.recovery_taken && is_command {
            self.done = Some(self.command(Command::Read));
        }
        if is_op && numbers.op_kind == INIT {
            self.done = Some(self.command(Command::OpenTx));
        }
        if is_op && numbers.op_kind == CLOSE && !seen.closing_owns {
            self.done = Some(self.command(Command::CloseTx));
        }
        self.drains(seen, is_op.then_some(numbers.op_kind), conn)?;
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
    pub(super) fn timing(&mut self, seen: &Seen, numbers: &Numbers) -> Result<(), Difference> {
        self.step_if(
            seen.flow_changed,
            Nic::take_flow_change,
            "what a command says of a connection is known",
            "no command was executed",
        )?;
        self.step_if(seen.flow_bound, Nic::take_bind, "who a peer is is known", "no ACK said so")?;
        let owed = self.golden.owed_flows();
        let known = [seen.flow_changed, seen.flow_bound];
        self.flows
            .wait(owed, known)
            .map_err(|(seen, expected)| self.difference("a connection", seen, expected))?;
        self.step_if(seen.time_packet, Nic::time_packet, "when a packet left is noted", "none has left")?;
        if seen.time_probe && self.golden.config().uet.is_some() {
            let looked_up = self.golden.look_up_probe();
            self.need(looked_up, "the peer of a probe is looked up", "none is in work")?;
        } else {
            self.step_if(seen.time_probe, Nic::time_probe, "when a probe left is noted", "none has left")?;
        }
        self.step_if(seen.looked_up, Nic::look_up, "what an ACK answers is looked up", "no ACK came")?;
        if seen.time_sent || seen.time_again {
            self.times_are(numbers, &[Time::Wire])?;
            let decided = self.golden.decide();
            self.need(decided, "a packet leaves", "none was executed")?;
        }
        Ok(())
    }

    /// Connections in recovery, and probes that are due.
    pub(super) fn lists(&mut self, seen: &Seen) -> Result<(), Difference> {
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
            "no connection was opened or closed",
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
}
