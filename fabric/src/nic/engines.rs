//! The engines of a host's transport, or of all hosts' where they share them.

use std::fmt;
use std::path::Path;

use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::cores::sack_tx::{SackTxCore, set_inputs, set_sack};
use respray_cosim::cores::strack_cc::StrackCcCore;
use respray_files::made_from;
use respray_golden::sack_rx::{self, Sack, Status};
use respray_golden::sack_tx::{Inputs, SackFields};
use respray_golden::strack_cc;
use respray_hdl::config::{self, Acks, Config};
use respray_hdl::cores::sack_rx::contract as rx;
use respray_hdl::cores::sack_tx::contract as tx;
use respray_hdl::cores::strack_cc::contract as cc;

use super::load::Costs;
use super::unit::{MASK, Unit};
use crate::engine::{Difference, Kind, Maker};
use crate::error::FabricError;

/// How the engines are made.
#[derive(Clone)]
pub struct Makers {
    tx: Maker,
    rx: Maker,
    cc: Option<Maker>,
}

/// Their names and the hashes of their Verilog: the text of it is long.
impl fmt::Debug for Makers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.verilog_hashes()).finish()
    }
}

impl Makers {
    /// # Errors
    /// [`FabricError::Generate`].
    pub fn new(kind: Kind, config: &Config, has_windows: bool) -> Result<Makers, FabricError> {
        // as in the block
        let sack = config::Sack { acks: Acks::Strack, ..config.sack.clone() };
        let config = &Config { sack, ..config.clone() };
        let maker = |core| Maker::new(core, kind, config, &[], 0);
        Ok(Makers {
            tx: maker("sack_tx")?,
            rx: maker("sack_rx")?,
            cc: has_windows.then(|| maker("strack_cc")).transpose()?,
        })
    }

    /// How long the engines of a host take for their ops.
    pub fn costs(&self, selector: &Maker, khz: u64) -> Costs {
        let manifest = |maker: &'_ Maker| maker.generated.manifest.clone();
        let window = self.cc.as_ref().map(manifest);
        Costs::new(
            &self.tx.generated.manifest,
            &self.rx.generated.manifest,
            window.as_ref(),
            &selector.generated.manifest,
            khz,
        )
    }

    fn all(&self) -> impl Iterator<Item = &Maker> {
        [&self.tx, &self.rx].into_iter().chain(&self.cc)
    }

    /// Cores and the hashes of their Verilog without comments; none where the golden models run alone.
    pub fn verilog_hashes(&self) -> impl Iterator<Item = (String, String)> {
        let verilog = |maker: &&Maker| maker.kind != Kind::Golden;
        let hash = |maker: &Maker| (maker.selector.clone(), made_from::hash(&maker.generated.verilog));
        self.all().filter(verilog).map(hash)
    }

    /// The Verilog of a core, to be spoilt in a test.
    ///
    /// # Panics
    /// If it is none of the transport's.
    pub fn verilog(&mut self, core: &str) -> &mut String {
        let makers = [&mut self.tx, &mut self.rx].into_iter().chain(&mut self.cc);
        let found = makers.into_iter().find(|maker| maker.selector == core);
        &mut found.expect("an engine of the transport").generated.verilog
    }

    /// Engines behind their reset, before about so many ops each.
    ///
    /// # Errors
    /// [`FabricError::Model`] if the Verilog cannot be compiled.
    pub fn make(&self, ops: u64) -> Result<Engines, FabricError> {
        Ok(Engines {
            tx: Unit::new(&self.tx, ops)?,
            rx: Unit::new(&self.rx, ops)?,
            cc: self.cc.as_ref().map(|cc| Unit::new(cc, ops)).transpose()?,
        })
    }
}

/// The engines.
pub struct Engines {
    tx: Unit<SackTxCore>,
    rx: Unit<SackRxCore>,
    cc: Option<Unit<StrackCcCore>>,
}

/// A packet that is sent.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    pub psn: u32,
    /// Of payload.
    pub bytes: u16,
    /// It was sent before.
    pub is_repeated: bool,
    /// Packets in flight with it.
    pub in_flight: u16,
    /// No other packet is on its way, so that the timers begin.
    pub is_alone: bool,
}

/// Codes of ops of `sack_tx`.
const SENT: u8 = 0;
const SACK: u8 = 1;
const NEXT_RTX: u8 = 2;
const INIT_TX: u8 = 3;

/// An op of `sack_tx`. Only a visit that is asked for has the true timeouts.
fn tx_op(kind: u8, conn: u16, inputs: &Inputs) -> tx::Op {
    let mut op = tx::Op { kind, conn, ..tx::Op::default() };
    set_inputs(&mut op, &Inputs { probe_timeout: MASK, rto: MASK, ..*inputs });
    op
}

impl Engines {
    /// A connection begins at the sender, with PSN 0.
    pub fn open_tx(&mut self, conn: u16, inputs: &Inputs) -> Result<(), FabricError> {
        self.tx.tell(&tx_op(INIT_TX, conn, inputs))
    }

    /// A connection begins at the receiver, with PSN 0.
    pub fn open_rx(&mut self, conn: u16) -> Result<(), FabricError> {
        self.rx.tell(&rx::Op { kind: sack_rx::OpKind::Init as u8, conn, ..rx::Op::default() })
    }

    /// A packet was sent.
    pub fn sent(&mut self, conn: u16, departure: Departure, inputs: &Inputs) -> Result<(), FabricError> {
        let Departure { psn, bytes, is_repeated, in_flight, is_alone } = departure;
        let op = tx::Op { psn, bytes, ..tx_op(SENT, conn, inputs) };
        let result = tx::Shown {
            res_valid: true,
            res_conn: Some(conn),
            res_status: Some(is_repeated.into()),
            res_in_flight: Some(in_flight),
            ..tx::Shown::default()
        };
        self.tx.post(&op, result, !is_alone)
    }

    /// A SACK came.
    pub fn sack(&mut self, conn: u16, sack: &SackFields, inputs: &Inputs) -> Result<tx::Shown, FabricError> {
        let mut op = tx_op(SACK, conn, inputs);
        set_sack(&mut op, sack);
        self.tx.op(&op)
    }

    /// Which PSN is to be sent again next?
    pub fn next_rtx(&mut self, conn: u16, inputs: &Inputs) -> Result<tx::Shown, FabricError> {
        self.tx.op(&tx_op(NEXT_RTX, conn, inputs))
    }

    /// The walker visits a connection.
    pub fn visit(&mut self, conn: u16, inputs: &Inputs) -> Result<tx::Shown, FabricError> {
        // the kind of an op that changes nothing, if the trace of ops is run again
        let mut op = tx::Op { kind: 4, conn, ..tx::Op::default() };
        set_inputs(&mut op, inputs);
        self.tx.visit(conn, &op)
    }

    /// A packet, or a probe, came to its receiver.
    pub fn packet(&mut self, op: &rx::Op) -> Result<(Option<Status>, Option<Sack>), FabricError> {
        let seen = self.rx.op(op)?;
        let all = [Status::New, Status::Duplicate, Status::Outside, Status::Probe, Status::Uninitialised];
        let status = all.into_iter().find(|status| seen.res_status == Some(*status as u8));
        Ok((status, seen.sack_valid.then(|| sack(&seen))))
    }

    /// A connection has its largest window.
    pub fn open_window(
        &mut self,
        conn: u16,
        now: u16,
        settings: &strack_cc::Settings,
    ) -> Result<(), FabricError> {
        let op = cc::Op { kind: strack_cc::OpKind::Init.code(), conn, now, ..cc_op(settings) };
        self.cc.as_mut().expect("windows have an engine").tell(&op)
    }

    /// The window of a connection after an ACK, in packets.
    pub fn window(&mut self, op: &cc::Op, settings: &strack_cc::Settings) -> Result<u16, FabricError> {
        let cc::Op { conn, ecn, probe, bytes, timestamp, now, .. } = *op;
        let kind = strack_cc::OpKind::Ack.code();
        let op = cc::Op { kind, conn, ecn, probe, bytes, timestamp, now, ..cc_op(settings) };
        let seen = self.cc.as_mut().expect("windows have an engine").op(&op)?;
        Ok(seen.res_cwnd_packets.unwrap_or_default())
    }

    /// Ops of each engine, in the order `sack_tx`, `sack_rx`, `strack_cc`, and clock edges of all of them.
    pub fn counts(&self) -> ([u64; 3], u64) {
        let cc = self.cc.as_ref().map_or((0, 0), |cc| (cc.ops, cc.edges));
        ([self.tx.ops, self.rx.ops, cc.0], self.tx.edges + self.rx.edges + cc.1)
    }

    pub fn finish(&mut self) -> Result<(), FabricError> {
        self.tx.finish()?;
        self.rx.finish()?;
        self.cc.as_mut().map_or(Ok(()), Unit::finish)
    }

    /// The first difference between Verilog and golden models.
    pub fn difference(&self) -> Option<&Difference> {
        let of_windows = self.cc.as_ref().and_then(|cc| cc.difference.as_ref());
        self.tx.difference.as_ref().or(self.rx.difference.as_ref()).or(of_windows)
    }

    /// Whether ops are kept.
    pub fn keeps_ops(&self) -> bool {
        self.tx.keeps_ops()
    }

    /// Writes all ops so far of the engine that differs.
    pub fn write_ops(&self, path: &Path) -> Result<(), FabricError> {
        match (&self.tx.difference, &self.rx.difference, &self.cc) {
            (Some(_), _, _) => self.tx.write_ops(path),
            (_, Some(_), _) => self.rx.write_ops(path),
            (_, _, Some(cc)) => cc.write_ops(path),
            _ => Ok(()),
        }
    }
}

fn cc_op(settings: &strack_cc::Settings) -> cc::Op {
    let strack_cc::Settings {
        net_base_rtt,
        min_base_rtt,
        target_qdelay,
        target_qhigh,
        alpha,
        beta,
        eta,
        gamma,
        max_cwnd,
        mtu_log2,
    } = *settings;
    cc::Op {
        net_base_rtt,
        min_base_rtt,
        target_qdelay,
        target_qhigh,
        alpha,
        beta,
        eta,
        gamma,
        max_cwnd,
        mtu_log2,
        ..cc::Op::default()
    }
}

/// The SACK that the outputs show.
fn sack(seen: &rx::Shown) -> Sack {
    Sack {
        psn: seen.sack_psn.unwrap_or_default(),
        epsn: seen.sack_epsn.unwrap_or_default(),
        base: seen.sack_base.unwrap_or_default(),
        bitmap: seen.sack_bitmap.unwrap_or_default(),
        ooo: seen.sack_ooo.unwrap_or_default(),
        bytes_recvd: seen.sack_bytes_recvd.unwrap_or_default(),
        ecn: seen.sack_ecn.unwrap_or_default(),
        ev: seen.sack_ev.unwrap_or_default(),
        timestamp: seen.sack_timestamp.unwrap_or_default(),
        probe: seen.sack_probe.unwrap_or_default(),
    }
}
