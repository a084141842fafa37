//! A Verilated `reps` as a device of the lockstep.

use super::{RepsCore, RepsOp, RepsOutputs};
use crate::lockstep::core::{Device, Inputs};
use crate::verilator::{Model, ModelError, Port};

/// A Verilated model with the ports of `reps`.
pub struct RepsModel {
    model: Model,
    ports: Ports,
}

/// Where the ports are.
#[derive(Clone, Copy)]
struct Ports {
    rst: Port,
    op_valid: Port,
    op_kind: Port,
    op_conn: Port,
    op_ev: Port,
    op_ecn: Port,
    now: Port,
    freeze_timeout: Port,
    bdp_packets: Port,
    seed: Port,
    op_ready: Port,
    res_valid: Port,
    res_conn: Port,
    res_kind: Port,
    res_ev: Port,
    ev_cached: Port,
    ev_dropped: Port,
    freeze_entered: Port,
    freeze_left: Port,
}

impl RepsModel {
    /// Takes a model of `reps` whose connections have `connection_bits` and whose times `time_bits`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: Model, connection_bits: u32, time_bits: u32) -> Result<Self, ModelError> {
        model.input("clk", 1)?;
        let ports = Ports {
            rst: model.input("rst", 1)?,
            op_valid: model.input("op_valid", 1)?,
            op_ready: model.output("op_ready", 1)?,
            op_kind: model.input("op_kind", 3)?,
            op_conn: model.input("op_conn", connection_bits)?,
            op_ev: model.input("op_ev", 16)?,
            op_ecn: model.input("op_ecn", 1)?,
            now: model.input("now", time_bits)?,
            freeze_timeout: model.input("freeze_timeout", time_bits)?,
            bdp_packets: model.input("bdp_packets", 8)?,
            seed: model.input("seed", 16)?,
            res_valid: model.output("res_valid", 1)?,
            res_conn: model.output("res_conn", connection_bits)?,
            res_kind: model.output("res_kind", 2)?,
            res_ev: model.output("res_ev", 16)?,
            ev_cached: model.output("ev_cached", 1)?,
            ev_dropped: model.output("ev_dropped", 1)?,
            freeze_entered: model.output("freeze_entered", 1)?,
            freeze_left: model.output("freeze_left", 1)?,
        };
        Ok(RepsModel { model, ports })
    }

    /// The model, for its trace and its coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    #[inline(always)]
    fn drive(&mut self, inputs: &Inputs<RepsOp>) {
        let (model, ports, op) = (&mut self.model, &self.ports, &inputs.op);
        model.set(ports.rst, inputs.rst.into());
        model.set(ports.seed, inputs.seed.into());
        model.set(ports.op_valid, inputs.op_valid.into());
        model.set(ports.op_kind, op.kind.into());
        model.set(ports.op_conn, op.conn.into());
        model.set(ports.op_ev, op.ev.into());
        model.set(ports.op_ecn, op.ecn.into());
        model.set(ports.now, op.now.into());
        model.set(ports.freeze_timeout, op.freeze_timeout.into());
        model.set(ports.bdp_packets, op.bdp_packets.into());
    }

    #[inline(always)]
    fn sample(&self) -> RepsOutputs {
        let (model, ports) = (&self.model, &self.ports);
        RepsOutputs {
            op_ready: model.get(ports.op_ready) != 0,
            res_valid: model.get(ports.res_valid) != 0,
            res_conn: model.get(ports.res_conn) as u16,
            res_kind: model.get(ports.res_kind) as u8,
            res_ev: model.get(ports.res_ev) as u16,
            ev_cached: model.get(ports.ev_cached) != 0,
            ev_dropped: model.get(ports.ev_dropped) != 0,
            freeze_entered: model.get(ports.freeze_entered) != 0,
            freeze_left: model.get(ports.freeze_left) != 0,
        }
    }
}

impl Device<RepsCore> for RepsModel {
    #[inline(always)]
    fn cycle(&mut self, inputs: &Inputs<RepsOp>) -> [u64; 1] {
        self.drive(inputs);
        self.model.settle();
        let seen = self.sample().pack();
        self.model.rise();
        seen
    }
}
