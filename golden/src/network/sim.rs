//! The simulation, tick by tick: arrivals, the walker, then what each connection sends.

mod receivers;
mod scoreboard;

use std::collections::BTreeMap;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use self::scoreboard::Pending;
use super::flow::{Flow, bytes};
use super::{Broken, Network, Receiver, Report, RxOutput, Scoreboard, Stop, TxOutput};
use crate::sack_rx::{self, Sack};
use crate::sack_tx::{self, Inputs, OpKind};

/// Ticks without an acknowledgement after which there is no hope.
const PATIENCE: u64 = 200_000;

enum Message {
    Data { index: u32, sent: u64 },
    Probe { psn: u32, sent: u64 },
    Sack { sack: Sack, sent: u64 },
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
    let psns = network.psns;
    let first_psn = |conn: u32| psns.sub(network.first_psn, conn * 37);
    let mut sim = Simulation {
        network,
        rng: Xoshiro256PlusPlus::seed_from_u64(network.seed),
        now: 0,
        tx,
        rx,
        flows: (0..network.connections)
            .map(|conn| Flow::new(psns, first_psn(conn), network.packets))
            .collect(),
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
        if sim.now.is_multiple_of(1024) {
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
            rto_backoff_max: self.network.rto_backoff_max,
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
        let probe_timeout = self.network.probe_timeout;
        for (conn, flow) in self.flows.iter().enumerate() {
            let missed = |since: u64, timer: u16| flow.una != flow.next && late > since + u64::from(timer);
            self.ensure(!missed(flow.progress, flow.rto(self.network)), conn as u16, || {
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
        let asks = |&conn: &u16| {
            self.flows[usize::from(conn)].in_recovery || (self.now + u64::from(conn)).is_multiple_of(8)
        };
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

    fn send(&mut self, conn: u16, message: Message, delay: u64, lost: bool) {
        if !lost {
            let delay = delay + self.rng.random_range(0..=self.network.jitter);
            self.sequence += 1;
            self.on_the_way.insert((self.now + delay, self.sequence), (conn, message));
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
