//! The receivers' end: packets and probes that arrive, what the bitmaps must show of them, and the SACKs that go back.

use rand::RngExt;

use super::{Message, Simulation};
use crate::network::flow::bytes;
use crate::network::{Receiver, RxOutput, Scoreboard, Stop};
use crate::sack_rx::{self, Sack};

impl<T: Scoreboard, R: Receiver<Error = T::Error>> Simulation<'_, T, R> {
    pub(super) fn data_op(&mut self, conn: u16, index: u32, sent: u64) -> sack_rx::Op {
        let flow = &mut self.flows[usize::from(conn)];
        self.report.reordered += u32::from(flow.highest_arrived > Some(index));
        flow.highest_arrived = flow.highest_arrived.max(Some(index));
        sack_rx::Op {
            conn,
            psn: flow.psn(index),
            bytes: bytes(index),
            ecn: index.is_multiple_of(5),
            ev: index as u16,
            timestamp: sent as u16,
            // the last one asks, as a sender does that has nothing more to send
            ack_request: index as usize + 1 == flow.packets.len(),
            sack_threshold: self.network.sack_threshold,
            ..Default::default()
        }
    }

    /// Has the bitmaps take packets and probes, and checks and answers each.
    pub(super) fn rx_ops(
        &mut self,
        ops: &[sack_rx::Op],
        arriving: &[(Option<u32>, u64)],
    ) -> Result<(), Stop<T::Error>> {
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
}
