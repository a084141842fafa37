//! The sender's end: ops of the scoreboard, and what each must show.

use rand::RngExt;

use super::{Message, Simulation};
use crate::network::{Receiver, Scoreboard, Stop, TxOutput};
use crate::sack_rx::Sack;
use crate::sack_tx::{self, Rule, SackFields, Status};

/// An op of the scoreboard that waits for its result.
pub(super) enum Pending {
    Sent { index: u32, again: bool },
    Sack { sack: Sack, sent: u64 },
    NextRtx,
}

/// Where the report counts what a rule found.
fn place(rule: Rule) -> usize {
    match rule {
        Rule::Ooo => 0,
        Rule::Probe => 1,
        Rule::Timeout => 2,
    }
}

impl<T: Scoreboard, R: Receiver<Error = T::Error>> Simulation<'_, T, R> {
    /// Has the scoreboard take ops, and checks and follows each result and each visit in its order.
    pub(super) fn tx_ops(
        &mut self,
        ops: &[sack_tx::Op],
        pending: Vec<(u16, Pending)>,
    ) -> Result<(), Stop<T::Error>> {
        if ops.is_empty() {
            return Ok(());
        }
        let mut shown = std::mem::take(&mut self.tx_shown);
        self.tx.ops(ops, &mut shown).map_err(Stop::Engine)?;
        let mut pending = pending.into_iter();
        for output in &shown {
            if output.status.is_none() {
                self.visits(std::slice::from_ref(output))?;
                continue;
            }
            let Some((conn, op)) = pending.next() else {
                return Err(self.broken(output.conn, "a result that no op asked for".to_string()));
            };
            self.ensure(output.conn == conn, conn, || format!("a result of connection {}", output.conn))?;
            match op {
                Pending::Sent { index, again } => self.sent(output, index, again)?,
                Pending::Sack { sack, sent } => self.sack(output, &sack, sent)?,
                Pending::NextRtx => self.next_rtx(output)?,
            }
        }
        let missing = pending.next();
        shown.clear();
        self.tx_shown = shown;
        match missing {
            Some((conn, _)) => Err(self.broken(conn, "an op without a result".to_string())),
            None => Ok(()),
        }
    }

    /// What visits of the walker came upon.
    pub(super) fn visits(&mut self, shown: &[TxOutput]) -> Result<(), Stop<T::Error>> {
        for visit in shown {
            let conn = visit.conn;
            let flow = &mut self.flows[usize::from(conn)];
            let now = self.now + self.tx.late_ticks();
            let timeout = flow.timeout(now, self.network);
            if visit.loss.is_some() {
                let struck = visit.loss == Some(Rule::Timeout) && !visit.probe_due && !visit.recovery_left;
                let found = flow.timed_out(self.now);
                self.report.recoveries[place(Rule::Timeout)] += 1;
                self.report.found_by[place(Rule::Timeout)] += found;
                self.ensure(struck && timeout, conn, || {
                    format!(
                        "a visit says {:?} {} the timeout",
                        visit.loss,
                        if timeout { "after" } else { "before" }
                    )
                })?;
            }
            if visit.probe_due {
                let flow = &mut self.flows[usize::from(conn)];
                let due = flow.probe_due(now, self.network.probe_timeout);
                let right = visit.psn == flow.psn(flow.una);
                flow.probed(self.now);
                self.ensure(due && right, conn, || format!("a probe of PSN {} is asked for", visit.psn))?;
                self.report.probes += 1;
                let lost = self.rng.random_bool(self.network.probe_loss);
                let probe = Message::Probe { psn: visit.psn, sent: self.now };
                self.send(conn, probe, self.network.delay, lost);
            }
        }
        Ok(())
    }

    fn next_rtx(&mut self, shown: &TxOutput) -> Result<(), Stop<T::Error>> {
        let conn = shown.conn;
        let flow = &self.flows[usize::from(conn)];
        let lowest = flow.to_retransmit();
        let ok = shown.status == Some(Status::Ok.code());
        let index = ok.then(|| flow.index(shown.psn));
        if let Some(index) = index {
            let packet = flow.packets.get(index as usize);
            let reported = packet.is_some_and(|packet| packet.reported);
            self.ensure(!reported, conn, || {
                format!("packet {index} is retransmitted, but was reported to the sender")
            })?;
            let fresh = !flow.handed_out.contains(&index);
            self.ensure(fresh, conn, || format!("packet {index} is handed out twice in a recovery"))?;
        }
        self.ensure(index == lowest && shown.status <= Some(1), conn, || {
            format!("{lowest:?} is to be retransmitted, not {index:?} (status {:?})", shown.status)
        })?;
        if let Some(index) = index {
            let flow = &mut self.flows[usize::from(conn)];
            flow.handed_out.insert(index);
            // handed out before, and lost only after the recovery that claims it again was entered
            let packet = &mut flow.packets[index as usize];
            if packet.missing && packet.flying == 0 {
                packet.missing = false;
                self.report.found_by[place(flow.rule)] += 1;
            }
            self.handed_out.push((conn, index));
            self.report.retransmissions += 1;
        }
        self.check(shown)
    }

    fn sent(&mut self, shown: &TxOutput, index: u32, again: bool) -> Result<(), Stop<T::Error>> {
        let conn = shown.conn;
        let expected = if again { Status::Again } else { Status::Ok };
        self.ensure(shown.status == Some(expected.code()), conn, || {
            format!("packet {index} is {expected:?}, not status {:?}", shown.status)
        })?;
        let now = self.now;
        let network = self.network;
        let flow = &mut self.flows[usize::from(conn)];
        if !again {
            flow.sent(now);
        }
        let packet = &mut flow.packets[index as usize];
        packet.transmissions += 1;
        let chosen = match packet.transmissions {
            1 => network.drop_first.contains(&index),
            2 => network.drop_second.contains(&index),
            _ => false,
        };
        let lost = chosen || self.rng.random_bool(network.loss);
        let duplicate = !lost && self.rng.random_bool(network.duplicate);
        packet.flying += u32::from(!lost) + u32::from(duplicate);
        if lost {
            packet.missing = !packet.received;
        }
        let straggles = packet.transmissions == 1 && network.straggle.contains(&index);
        self.report.transmissions += 1;
        self.report.lost += u32::from(lost);
        let delay = if straggles { 10 * network.delay } else { network.delay };
        self.send(conn, Message::Data { index, sent: now }, delay, lost);
        if duplicate {
            self.send(conn, Message::Data { index, sent: now }, network.delay, false);
        }
        self.check(shown)
    }

    fn sack(&mut self, shown: &TxOutput, sack: &Sack, sent: u64) -> Result<(), Stop<T::Error>> {
        let conn = shown.conn;
        let (now, network) = (self.now, self.network);
        let flow = &mut self.flows[usize::from(conn)];
        let effect = flow.sack(sack, now - sent, now, network.cwnd, network.probe_rtt);
        let effect = effect.map_err(|what| self.broken(conn, what))?;
        let status = if effect.old { Status::Old } else { Status::Ok };
        self.ensure(shown.status == Some(status.code()), conn, || {
            format!("{sack:?} is {status:?}, not status {:?}", shown.status)
        })?;
        self.report.lost_sacks += u32::from(effect.old);
        self.ensure(shown.acked == effect.acked, conn, || {
            format!("{} packets are newly acknowledged, not {}", effect.acked, shown.acked)
        })?;
        if let Some(rule) = effect.loss {
            let flow = &mut self.flows[usize::from(conn)];
            let end = flow.end_of(rule);
            self.report.recoveries[place(rule)] += 1;
            self.report.found_by[place(rule)] += flow.recovery(rule, end);
        }
        self.ensure(shown.loss == effect.loss, conn, || {
            format!("loss by {:?}, not by {:?}", effect.loss, shown.loss)
        })?;
        self.ensure(shown.recovery_left == effect.left, conn, || {
            format!("recovery left: {}, not {}", effect.left, shown.recovery_left)
        })?;
        self.check(shown)
    }

    fn check(&self, shown: &TxOutput) -> Result<(), Stop<T::Error>> {
        let flow = &self.flows[usize::from(shown.conn)];
        flow.check(shown).map_err(|what| self.broken(shown.conn, what))
    }

    pub(super) fn fields(&self, sack: &Sack) -> SackFields {
        SackFields {
            epsn: sack.epsn,
            base: sack.base,
            bitmap: if self.network.forget_bitmaps { 0 } else { sack.bitmap },
            ooo: sack.ooo,
            bytes_recvd: sack.bytes_recvd,
            timestamp: sack.timestamp,
            probe: sack.probe,
        }
    }
}
