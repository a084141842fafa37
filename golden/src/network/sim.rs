//! The simulation, tick by tick: arrivals, the walker, then what each connection sends.

use std::collections::BTreeMap;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::flow::{Flow, bytes};
use super::{Broken, Network, Receiver, Report, RxOutput, Scoreboard, Stop, TxOutput};
use crate::psn::MODULUS;
use crate::sack_rx::{self, Sack};
use crate::sack_tx::{self, Inputs, OpKind, Rule, SackFields, Status};

/// Ticks without an acknowledgement after which there is no hope.
const PATIENCE: u64 = 200_000;

enum Message {
    Data { index: u32, sent: u64 },
    Probe { psn: u32, sent: u64 },
    Sack { sack: Sack, sent: u64 },
}

/// Where the report counts what a rule found.
fn place(rule: Rule) -> usize {
    match rule {
        Rule::Ooo => 0,
        Rule::Probe => 1,
        Rule::Timeout => 2,
    }
}

/// An op of the scoreboard that waits for its result.
enum Pending {
    Sent { index: u32, again: bool },
    Sack { sack: Sack, sent: u64 },
    NextRtx,
}

struct Simulation<'a, T: Scoreboard, R> {
    network: &'a Network,
    rng: Xoshiro256PlusPlus,
    now: u64,
    tx: &'a mut T,
    rx: &'a mut R,
    flows: Vec<Flow>,
    on_the_way: BTreeMap<(u64, u64), (u16, Message)>,
    sequence: u64,
    /// By connection: what `next_rtx` handed out in this tick.
    handed_out: Vec<(u16, u32)>,
    /// Reused from tick to tick.
    tx_shown: Vec<TxOutput>,
    rx_shown: Vec<RxOutput>,
    report: Report,
}

/// Runs until everything is acknowledged, with every property checked on the way. The engines are fresh from reset and
/// have the network's window and at least its connections. `progress` hears now and then how many packets are acknowledged.
pub fn run<T: Scoreboard, R: Receiver<Error = T::Error>>(
    network: &Network,
    tx: &mut T,
    rx: &mut R,
    progress: &mut dyn FnMut(u64),
) -> Result<Report, Stop<T::Error>> {
    let first_psn = |conn: u32| (network.first_psn + MODULUS - conn * 37 % MODULUS) % MODULUS;
    let mut sim = Simulation {
        network,
        rng: Xoshiro256PlusPlus::seed_from_u64(network.seed),
        now: 0,
        tx,
        rx,
        flows: (0..network.connections).map(|conn| Flow::new(first_psn(conn), network.packets)).collect(),
        on_the_way: BTreeMap::new(),
        sequence: 0,
        handed_out: Vec::new(),
        tx_shown: Vec::new(),
        rx_shown: Vec::new(),
        report: Report::default(),
    };
    sim.init()?;
    while sim.flows.iter().any(|flow| !flow.is_done()) {
        sim.tick()?;
        if sim.now % 1024 == 0 {
            progress(sim.flows.iter().map(|flow| u64::from(flow.una)).sum());
        }
    }
    sim.finish()
}

impl<T: Scoreboard, R: Receiver<Error = T::Error>> Simulation<'_, T, R> {
    fn inputs(&self) -> Inputs {
        Inputs {
            now: self.now as u16,
            cwnd_packets: self.network.cwnd,
            probe_timeout: self.network.probe_timeout,
            probe_rtt: self.network.probe_rtt,
            rto: self.network.rto,
        }
    }

    fn broken(&self, connection: u16, what: String) -> Stop<T::Error> {
        Stop::Broken(Broken { tick: self.now, connection, what })
    }

    fn ensure(&self, holds: bool, conn: u16, what: impl FnOnce() -> String) -> Result<(), Stop<T::Error>> {
        if holds { Ok(()) } else { Err(self.broken(conn, what())) }
    }

    fn init(&mut self) -> Result<(), Stop<T::Error>> {
        let mut tx_ops = Vec::new();
        let mut rx_ops = Vec::new();
        for (conn, flow) in self.flows.iter().enumerate() {
            let (conn, psn) = (conn as u16, flow.first_psn);
            tx_ops.push(sack_tx::Op { kind: OpKind::Init { psn }, conn, inputs: self.inputs() });
            rx_ops.push(sack_rx::Op { kind: sack_rx::OpKind::Init, conn, psn, ..Default::default() });
        }
        self.tx_ops(&tx_ops, Vec::new())?;
        self.rx.ops(&rx_ops, &mut self.rx_shown).map_err(Stop::Engine)
    }

    fn tick(&mut self) -> Result<(), Stop<T::Error>> {
        self.now += 1;
        let mut tx_ops = Vec::new();
        let mut pending = Vec::new();
        let mut rx_ops = Vec::new();
        let mut arriving = Vec::new();
        while let Some(entry) = self.on_the_way.first_entry() {
            if entry.key().0 > self.now {
                break;
            }
            let (conn, message) = entry.remove();
            match message {
                Message::Data { index, sent } => {
                    rx_ops.push(self.data_op(conn, index, sent));
                    arriving.push((Some(index), sent));
                }
                Message::Probe { psn, sent } => {
                    let timestamp = sent as u16;
                    rx_ops.push(sack_rx::Op { conn, psn, probe: true, timestamp, ..Default::default() });
                    arriving.push((None, sent));
                }
                Message::Sack { sack, sent } => {
                    let kind = OpKind::Sack(self.fields(&sack));
                    tx_ops.push(sack_tx::Op { kind, conn, inputs: self.inputs() });
                    pending.push((conn, Pending::Sack { sack, sent }));
                }
            }
        }
        self.rx_ops(&rx_ops, &arriving)?;
        self.tx_ops(&tx_ops, pending)?;

        let inputs = self.inputs();
        let mut shown = std::mem::take(&mut self.tx_shown);
        self.tx.rest(&inputs, &mut shown).map_err(Stop::Engine)?;
        self.visits(&shown)?;
        shown.clear();
        self.tx_shown = shown;
        self.in_time()?;
        self.transmit()
    }

    /// The timers of the scoreboard have struck by now where they had to.
    fn in_time(&self) -> Result<(), Stop<T::Error>> {
        let late = self.now.saturating_sub(self.tx.round_ticks());
        let Network { rto, probe_timeout, .. } = *self.network;
        for (conn, flow) in self.flows.iter().enumerate() {
            let missed = |since: u64, timer: u16| flow.una != flow.next && late > since + u64::from(timer);
            self.ensure(!missed(flow.progress, rto), conn as u16, || {
                format!("no progress since tick {}, and no timeout", flow.progress)
            })?;
            self.ensure(!missed(flow.heard, probe_timeout), conn as u16, || {
                format!("no SACK since tick {}, and no probe", flow.heard)
            })?;
            let hope = flow.is_done() || self.now < flow.moved + PATIENCE;
            self.ensure(hope, conn as u16, || format!("no end: {} acknowledged", flow.una))?;
        }
        Ok(())
    }

    /// The senders: retransmissions first, then new packets, both as the window allows.
    fn transmit(&mut self) -> Result<(), Stop<T::Error>> {
        let inputs = self.inputs();
        let cwnd = usize::from(self.network.cwnd);
        let may: Vec<u16> = (0..self.flows.len() as u16)
            .filter(|&conn| {
                let flow = &self.flows[usize::from(conn)];
                !flow.is_done() && flow.in_flight() < cwnd
            })
            .collect();
        // outside of recovery there is nothing to retransmit, which is worth asking for now and then
        let asks =
            |&conn: &u16| self.flows[usize::from(conn)].in_recovery || (self.now + u64::from(conn)) % 8 == 0;
        let asking: Vec<u16> = may.iter().copied().filter(asks).collect();
        let ops: Vec<_> =
            asking.iter().map(|&conn| sack_tx::Op { kind: OpKind::NextRtx, conn, inputs }).collect();
        self.handed_out.clear();
        self.tx_ops(&ops, asking.iter().map(|&conn| (conn, Pending::NextRtx)).collect())?;

        let mut ops = Vec::new();
        let mut pending = Vec::new();
        for &conn in &may {
            let again = self.handed_out.iter().find(|(of, _)| *of == conn).map(|(_, index)| *index);
            let flow = &self.flows[usize::from(conn)];
            let index = match again {
                Some(index) => index,
                None if flow.next as usize == flow.packets.len() => continue,
                None if flow.next - flow.una >= self.network.window => continue,
                None => flow.next,
            };
            let kind = OpKind::Sent { psn: flow.psn(index), bytes: bytes(index) };
            ops.push(sack_tx::Op { kind, conn, inputs });
            pending.push((conn, Pending::Sent { index, again: again.is_some() }));
        }
        self.tx_ops(&ops, pending)
    }

    /// Has the scoreboard take ops, and checks and follows each result and each visit in its order.
    fn tx_ops(&mut self, ops: &[sack_tx::Op], pending: Vec<(u16, Pending)>) -> Result<(), Stop<T::Error>> {
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
    fn visits(&mut self, shown: &[TxOutput]) -> Result<(), Stop<T::Error>> {
        for visit in shown {
            let conn = visit.conn;
            let flow = &mut self.flows[usize::from(conn)];
            let now = self.now + self.tx.late_ticks();
            let timeout = flow.timeout(now, self.network.rto);
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

    fn send(&mut self, conn: u16, message: Message, delay: u64, lost: bool) {
        if !lost {
            let delay = delay + self.rng.random_range(0..=self.network.jitter);
            self.sequence += 1;
            self.on_the_way.insert((self.now + delay, self.sequence), (conn, message));
        }
    }

    fn data_op(&mut self, conn: u16, index: u32, sent: u64) -> sack_rx::Op {
        let flow = &mut self.flows[usize::from(conn)];
        self.report.reordered += u32::from(flow.highest_arrived > Some(index));
        flow.highest_arrived = flow.highest_arrived.max(Some(index));
        sack_rx::Op {
            conn,
            psn: flow.psn(index),
            bytes: bytes(index),
            ecn: index % 5 == 0,
            ev: index as u16,
            timestamp: sent as u16,
            // the last one asks, as a sender does that has nothing more to send
            ack_request: index as usize + 1 == flow.packets.len(),
            sack_threshold: self.network.sack_threshold,
            ..Default::default()
        }
    }

    /// Has the bitmaps take packets and probes, and checks and answers each.
    fn rx_ops(&mut self, ops: &[sack_rx::Op], arriving: &[(Option<u32>, u64)]) -> Result<(), Stop<T::Error>> {
        if ops.is_empty() {
            return Ok(());
        }
        let mut shown = std::mem::take(&mut self.rx_shown);
        shown.clear();
        self.rx.ops(ops, &mut shown).map_err(Stop::Engine)?;
        self.ensure(shown.len() == ops.len(), 0, || {
            format!("{} results of {} packets", shown.len(), ops.len())
        })?;
        for ((output, op), &(index, sent)) in shown.iter().zip(ops).zip(arriving) {
            let conn = op.conn;
            self.ensure(output.conn == conn, conn, || format!("a result of connection {}", output.conn))?;
            match index {
                Some(index) => self.arrives(output, index)?,
                None => {
                    let answered = output.status == sack_rx::Status::Probe as u8 && output.sack.is_some();
                    self.ensure(answered, conn, || "a probe without its answer".to_string())?;
                }
            }
            if let Some(sack) = output.sack {
                self.answer(conn, sack, sent);
            }
        }
        self.rx_shown = shown;
        self.restart()
    }

    fn arrives(&mut self, output: &RxOutput, index: u32) -> Result<(), Stop<T::Error>> {
        let conn = output.conn;
        let flow = &mut self.flows[usize::from(conn)];
        let packet = &mut flow.packets[index as usize];
        packet.flying -= 1;
        let before = packet.received;
        let new = output.status == sack_rx::Status::New as u8;
        if new && !before {
            packet.received = true;
            packet.missing = false;
            flow.received += 1;
            flow.received_bytes += u64::from(bytes(index));
        }
        self.report.duplicates += u32::from(before);
        self.ensure(!(new && before), conn, || format!("packet {index} is delivered twice"))?;
        let duplicate = before && output.status == sack_rx::Status::Duplicate as u8;
        self.ensure(new || duplicate, conn, || format!("packet {index} has status {}", output.status))
    }

    /// The receivers' fault, if it is asked for.
    fn restart(&mut self) -> Result<(), Stop<T::Error>> {
        let Some(at) = self.network.receiver_restarts_at else { return Ok(()) };
        let mut ops = Vec::new();
        for (conn, flow) in self.flows.iter_mut().enumerate() {
            if flow.received >= at && !flow.restarted {
                flow.restarted = true;
                let psn = flow.psn(flow.received - 20);
                let kind = sack_rx::OpKind::Init;
                ops.push(sack_rx::Op { kind, conn: conn as u16, psn, ..Default::default() });
            }
        }
        self.rx.ops(&ops, &mut self.rx_shown).map_err(Stop::Engine)
    }

    fn answer(&mut self, conn: u16, sack: Sack, sent: u64) {
        let blackout = self.network.sack_blackout.is_some_and(|(from, to)| (from..to).contains(&self.now));
        let lost = blackout || self.rng.random_bool(self.network.sack_loss);
        self.report.lost_sacks += u32::from(lost);
        self.send(conn, Message::Sack { sack, sent }, self.network.delay, lost);
    }

    fn fields(&self, sack: &Sack) -> SackFields {
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

    fn finish(mut self) -> Result<Report, Stop<T::Error>> {
        for (conn, flow) in self.flows.iter().enumerate() {
            let all = flow.packets.iter().all(|packet| packet.received && packet.transmissions > 0);
            self.ensure(all, conn as u16, || "not every packet is received".to_string())?;
            let total: u64 = (0..self.network.packets).map(|index| u64::from(bytes(index))).sum();
            let once = flow.received_bytes == total && flow.newest_bytes == total;
            self.ensure(once, conn as u16, || {
                "not every byte is delivered and acknowledged once".to_string()
            })?;
            let quiet = flow.in_flight() == 0 && !flow.in_recovery;
            self.ensure(quiet, conn as u16, || "all is acknowledged, and something in flight".to_string())?;
        }
        self.report.ticks = self.now;
        Ok(self.report)
    }
}
