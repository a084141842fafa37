//! A Verilated `reps` as a device of the lockstep.

use super::{RepsCore, RepsOp, RepsOutputs};
use crate::lockstep::core::{Device, Inputs};
use crate::verilator::{Model, ModelError};

/// A Verilated model with the ports of `reps`. Inputs that a user's Verilog has beyond them are held at 0.
pub struct RepsModel {
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
    op_ev: usize,
    op_ecn: usize,
    now: usize,
    freeze_timeout: usize,
    bdp_packets: usize,
    seed: usize,
    op_ready: usize,
    res_valid: usize,
    res_conn: usize,
    res_kind: usize,
    res_ev: usize,
    ev_cached: usize,
    ev_dropped: usize,
    freeze_entered: usize,
    freeze_left: usize,
}

impl RepsModel {
    /// Takes a model of `reps` whose connections have `connection_bits` and whose times `time_bits`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: Model, connection_bits: u32, time_bits: u32) -> Result<Self, ModelError> {
        model.input("clk", 1)?;
        let input = |name, width| Ok::<_, ModelError>(model.input(name, width)?.column());
        let output = |name, width| Ok::<_, ModelError>(model.output(name, width)?.column());
        let columns = Columns {
            rst: input("rst", 1)?,
            op_valid: input("op_valid", 1)?,
            op_ready: output("op_ready", 1)?,
            op_kind: input("op_kind", 3)?,
            op_conn: input("op_conn", connection_bits)?,
            op_ev: input("op_ev", 16)?,
            op_ecn: input("op_ecn", 1)?,
            now: input("now", time_bits)?,
            freeze_timeout: input("freeze_timeout", time_bits)?,
            bdp_packets: input("bdp_packets", 8)?,
            seed: input("seed", 16)?,
            res_valid: output("res_valid", 1)?,
            res_conn: output("res_conn", connection_bits)?,
            res_kind: output("res_kind", 2)?,
            res_ev: output("res_ev", 16)?,
            ev_cached: output("ev_cached", 1)?,
            ev_dropped: output("ev_dropped", 1)?,
            freeze_entered: output("freeze_entered", 1)?,
            freeze_left: output("freeze_left", 1)?,
        };
        let (inputs, outputs) = model.design().row_words();
        let row = |words| vec![0; words].into_boxed_slice();
        Ok(RepsModel { model, columns, inputs: row(inputs), outputs: row(outputs) })
    }

    /// The model, for its trace and its coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    #[inline(always)]
    fn drive(&mut self, inputs: &Inputs<RepsOp>) {
        let (row, columns, op) = (&mut self.inputs, &self.columns, &inputs.op);
        row[columns.rst] = inputs.rst.into();
        row[columns.seed] = inputs.seed.into();
        row[columns.op_valid] = inputs.op_valid.into();
        row[columns.op_kind] = op.kind.into();
        row[columns.op_conn] = op.conn.into();
        row[columns.op_ev] = op.ev.into();
        row[columns.op_ecn] = op.ecn.into();
        row[columns.now] = op.now.into();
        row[columns.freeze_timeout] = op.freeze_timeout.into();
        row[columns.bdp_packets] = op.bdp_packets.into();
    }

    #[inline(always)]
    fn sample(&self) -> RepsOutputs {
        let (row, columns) = (&self.outputs, &self.columns);
        RepsOutputs {
            op_ready: row[columns.op_ready] != 0,
            res_valid: row[columns.res_valid] != 0,
            res_conn: row[columns.res_conn] as u16,
            res_kind: row[columns.res_kind] as u8,
            res_ev: row[columns.res_ev] as u16,
            ev_cached: row[columns.ev_cached] != 0,
            ev_dropped: row[columns.ev_dropped] != 0,
            freeze_entered: row[columns.freeze_entered] != 0,
            freeze_left: row[columns.freeze_left] != 0,
        }
    }
}

impl Device<RepsCore> for RepsModel {
    #[inline(always)]
    fn cycle(&mut self, inputs: &Inputs<RepsOp>) -> [u64; 1] {
        self.drive(inputs);
        self.model.cycle(&self.inputs, &mut self.outputs);
        self.sample().pack()
    }
}
