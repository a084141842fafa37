//! A Verilated `sack_rx` as a device of the lockstep.

use super::{SackRxCore, SackRxOp, SackRxOutputs};
use crate::lockstep::core::{Device, Inputs};
use crate::verilator::{Model, ModelError};

/// A Verilated model with the ports of `sack_rx`. Inputs that a user's Verilog has beyond them are held at 0.
pub struct SackRxModel {
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
    op_ecn: usize,
    op_ev: usize,
    op_timestamp: usize,
    op_ack_request: usize,
    op_probe: usize,
    sack_threshold: usize,
    op_ready: usize,
    res_valid: usize,
    res_conn: usize,
    res_status: usize,
    sack_valid: usize,
    sack_psn: usize,
    sack_epsn: usize,
    sack_base: usize,
    sack_bitmap: usize,
    sack_ooo: usize,
    sack_bytes_recvd: usize,
    sack_ecn: usize,
    sack_ev: usize,
    sack_timestamp: usize,
    sack_probe: usize,
}

impl SackRxModel {
    /// Takes a model of `sack_rx` whose connections have `connection_bits`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: Model, connection_bits: u32) -> Result<Self, ModelError> {
        model.input("clk", 1)?;
        let input = |name, width| Ok::<_, ModelError>(model.input(name, width)?.column());
        let output = |name, width| Ok::<_, ModelError>(model.output(name, width)?.column());
        let columns = Columns {
            rst: input("rst", 1)?,
            op_valid: input("op_valid", 1)?,
            op_ready: output("op_ready", 1)?,
            op_kind: input("op_kind", 1)?,
            op_conn: input("op_conn", connection_bits)?,
            op_psn: input("op_psn", 24)?,
            op_bytes: input("op_bytes", 16)?,
            op_ecn: input("op_ecn", 1)?,
            op_ev: input("op_ev", 16)?,
            op_timestamp: input("op_timestamp", 16)?,
            op_ack_request: input("op_ack_request", 1)?,
            op_probe: input("op_probe", 1)?,
            sack_threshold: input("sack_threshold", 16)?,
            res_valid: output("res_valid", 1)?,
            res_conn: output("res_conn", connection_bits)?,
            res_status: output("res_status", 3)?,
            sack_valid: output("sack_valid", 1)?,
            sack_psn: output("sack_psn", 24)?,
            sack_epsn: output("sack_epsn", 24)?,
            sack_base: output("sack_base", 24)?,
            sack_bitmap: output("sack_bitmap", 64)?,
            sack_ooo: output("sack_ooo", 12)?,
            sack_bytes_recvd: output("sack_bytes_recvd", 32)?,
            sack_ecn: output("sack_ecn", 1)?,
            sack_ev: output("sack_ev", 16)?,
            sack_timestamp: output("sack_timestamp", 16)?,
            sack_probe: output("sack_probe", 1)?,
        };
        let (inputs, outputs) = model.design().row_words();
        let row = |words| vec![0; words].into_boxed_slice();
        Ok(SackRxModel { model, columns, inputs: row(inputs), outputs: row(outputs) })
    }

    /// The model, for its trace and its coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    #[inline(always)]
    fn drive(&mut self, inputs: &Inputs<SackRxOp>) {
        let (row, columns, op) = (&mut self.inputs, &self.columns, &inputs.op);
        row[columns.rst] = inputs.rst.into();
        row[columns.op_valid] = inputs.op_valid.into();
        row[columns.op_kind] = op.kind.into();
        row[columns.op_conn] = op.conn.into();
        row[columns.op_psn] = op.psn.into();
        row[columns.op_bytes] = op.bytes.into();
        row[columns.op_ecn] = op.ecn.into();
        row[columns.op_ev] = op.ev.into();
        row[columns.op_timestamp] = op.timestamp.into();
        row[columns.op_ack_request] = op.ack_request.into();
        row[columns.op_probe] = op.probe.into();
        row[columns.sack_threshold] = op.sack_threshold.into();
    }

    #[inline(always)]
    fn sample(&self) -> SackRxOutputs {
        let (row, columns) = (&self.outputs, &self.columns);
        SackRxOutputs {
            op_ready: row[columns.op_ready] != 0,
            res_valid: row[columns.res_valid] != 0,
            res_conn: row[columns.res_conn] as u16,
            res_status: row[columns.res_status] as u8,
            sack_valid: row[columns.sack_valid] != 0,
            sack_psn: row[columns.sack_psn] as u32,
            sack_epsn: row[columns.sack_epsn] as u32,
            sack_base: row[columns.sack_base] as u32,
            sack_bitmap: row[columns.sack_bitmap],
            sack_ooo: row[columns.sack_ooo] as u16,
            sack_bytes_recvd: row[columns.sack_bytes_recvd] as u32,
            sack_ecn: row[columns.sack_ecn] != 0,
            sack_ev: row[columns.sack_ev] as u16,
            sack_timestamp: row[columns.sack_timestamp] as u16,
            sack_probe: row[columns.sack_probe] != 0,
        }
    }
}

impl Device<SackRxCore> for SackRxModel {
    #[inline(always)]
    fn cycle(&mut self, inputs: &Inputs<SackRxOp>) -> [u64; 4] {
        self.drive(inputs);
        self.model.cycle(&self.inputs, &mut self.outputs);
        self.sample().pack()
    }
}
