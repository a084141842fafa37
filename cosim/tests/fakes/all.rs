//! Tests of the lockstep on devices without Verilog, which are right or wrong to order: what is found, when, and how small it becomes.

mod device;
mod long;
mod sack_tx;
mod selector;
