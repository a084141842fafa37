//! A Verilated `sack_tx` as a device of the lockstep.

use super::{SackTxCore, SackTxOp, SackTxOutputs};
use crate::lockstep::core::{Device, Inputs};
use crate::verilator::{Model, ModelError};

/// A Verilated model with the ports of `sack_tx`. Inputs that a user's Verilog has beyond them are held at 0.
pub struct SackTxModel {
    model: Model,
    columns: Columns,
    inputs: Box<[u64]>,
    outputs: Box<[u64]>,
}

/// Where the ports stand in the rows of all inputs and of all outputs.
#[derive(Clone, Copy)]
struct Columns {
    rst: usize,
    op_valid: usize,
    op_kind: usize,
    op_conn: usize,
    op_psn: usize,
    op_bytes: usize,
    op_epsn: usize,
    op_base: usize,
    op_bitmap: usize,
    op_ooo: usize,
    op_bytes_recvd: usize,
    op_timestamp: usize,
    op_probe: usize,
    now: usize,
    cwnd_packets: usize,
    probe_timeout: usize,
    probe_rtt: usize,
    rto: usize,
    op_ready: usize,
    res_valid: usize,
    res_conn: usize,
    res_status: usize,
    res_psn: usize,
    res_acked: usize,
    res_in_flight: usize,
    res_bytes_in_flight: usize,
    res_in_recovery: usize,
    loss_ooo: usize,
    loss_probe: usize,
    loss_timeout: usize,
    probe_due: usize,
    recovery_left: usize,
}

impl SackTxModel {
    /// Takes a model of `sack_tx` whose connections have `connection_bits` and whose counts of packets `count_bits`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: Model, connection_bits: u32, count_bits: u32) -> Result<Self, ModelError> {
        model.input("clk", 1)?;
        let input = |name, width| Ok::<_, ModelError>(model.input(name, width)?.column());
        let output = |name, width| Ok::<_, ModelError>(model.output(name, width)?.column());
        let columns = Columns {
            rst: input("rst", 1)?,
            op_valid: input("op_valid", 1)?,
            op_kind: input("op_kind", 2)?,
            op_conn: input("op_conn", connection_bits)?,
            op_psn: input("op_psn", 24)?,
            op_bytes: input("op_bytes", 16)?,
            op_epsn: input("op_epsn", 24)?,
            op_base: input("op_base", 24)?,
            op_bitmap: input("op_bitmap", 64)?,
            op_ooo: input("op_ooo", 12)?,
            op_bytes_recvd: input("op_bytes_recvd", 32)?,
            op_timestamp: input("op_timestamp", 16)?,
            op_probe: input("op_probe", 1)?,
            now: input("now", 16)?,
            cwnd_packets: input("cwnd_packets", 12)?,
            probe_timeout: input("probe_timeout", 16)?,
            probe_rtt: input("probe_rtt", 16)?,
            rto: input("rto", 16)?,
            op_ready: output("op_ready", 1)?,
            res_valid: output("res_valid", 1)?,
            res_conn: output("res_conn", connection_bits)?,
            res_status: output("res_status", 3)?,
            res_psn: output("res_psn", 24)?,
            res_acked: output("res_acked", count_bits)?,
            res_in_flight: output("res_in_flight", count_bits)?,
            res_bytes_in_flight: output("res_bytes_in_flight", 32)?,
            res_in_recovery: output("res_in_recovery", 1)?,
            loss_ooo: output("loss_ooo", 1)?,
            loss_probe: output("loss_probe", 1)?,
            loss_timeout: output("loss_timeout", 1)?,
            probe_due: output("probe_due", 1)?,
            recovery_left: output("recovery_left", 1)?,
        };
        let (inputs, outputs) = model.design().row_words();
        let row = |words| vec![0; words].into_boxed_slice();
        Ok(SackTxModel { model, columns, inputs: row(inputs), outputs: row(outputs) })
    }

    /// The model, for its trace and its coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    #[inline(always)]
    fn drive(&mut self, inputs: &Inputs<SackTxOp>) {
        let (row, columns, op) = (&mut self.inputs, &self.columns, &inputs.op);
        let (sack, settings) = (&op.sack, &op.settings);
        row[columns.rst] = inputs.rst.into();
        row[columns.op_valid] = inputs.op_valid.into();
        row[columns.op_kind] = op.kind.into();
        row[columns.op_conn] = op.conn.into();
        row[columns.op_psn] = op.psn.into();
        row[columns.op_bytes] = op.bytes.into();
        row[columns.op_epsn] = sack.epsn.into();
        row[columns.op_base] = sack.base.into();
        row[columns.op_bitmap] = sack.bitmap;
        row[columns.op_ooo] = sack.ooo.into();
        row[columns.op_bytes_recvd] = sack.bytes_recvd.into();
        row[columns.op_timestamp] = sack.timestamp.into();
        row[columns.op_probe] = sack.probe.into();
        row[columns.now] = settings.now.into();
        row[columns.cwnd_packets] = settings.cwnd_packets.into();
        row[columns.probe_timeout] = settings.probe_timeout.into();
        row[columns.probe_rtt] = settings.probe_rtt.into();
        row[columns.rto] = settings.rto.into();
    }

    #[inline(always)]
    fn sample(&self) -> SackTxOutputs {
        let (row, columns) = (&self.outputs, &self.columns);
        SackTxOutputs {
            op_ready: row[columns.op_ready] != 0,
            res_valid: row[columns.res_valid] != 0,
            res_conn: row[columns.res_conn] as u16,
            res_status: row[columns.res_status] as u8,
            res_psn: row[columns.res_psn] as u32,
            res_acked: row[columns.res_acked] as u16,
            res_in_flight: row[columns.res_in_flight] as u16,
            res_bytes_in_flight: row[columns.res_bytes_in_flight] as u32,
            res_in_recovery: row[columns.res_in_recovery] != 0,
            loss_ooo: row[columns.loss_ooo] != 0,
            loss_probe: row[columns.loss_probe] != 0,
            loss_timeout: row[columns.loss_timeout] != 0,
            probe_due: row[columns.probe_due] != 0,
            recovery_left: row[columns.recovery_left] != 0,
        }
    }
}

impl Device<SackTxCore> for SackTxModel {
    #[inline(always)]
    fn cycle(&mut self, inputs: &Inputs<SackTxOp>) -> [u64; 2] {
        self.drive(inputs);
        self.model.cycle(&self.inputs, &mut self.outputs);
        self.sample().pack()
    }
}
