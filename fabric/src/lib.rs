//! A discrete-event network in the loop of a path selector, as Verilog or as its golden model.
//!
//! ```text
//! workload ─► sender: window, timeout ── send, ack, nack, timeout ──► engine: rtl | golden | both
//!                 │ packet, EV to follow                               │ EV, asked for at the first choice
//!                 ▼                                                    ▼
//!            NIC ─► link ─► ToR ─► T1 [─► core ─► T1] ─► ToR ─► receiver ─► ACK by the same EV back
//! ```

pub mod build;
pub mod check;
pub mod connection;
pub mod driver_port;
pub mod engine;
pub mod error;
pub mod events;
pub mod failure;
pub mod figure;
pub mod flow_file;
pub mod flows;
pub mod metrics;
pub mod nic;
pub mod packet;
pub mod parameters;
pub mod permutations;
pub mod port;
pub mod record;
pub mod request;
pub mod results;
pub mod simulation;
pub mod statistics;
pub mod suite;
pub mod text;
pub mod time;
pub mod topology;
pub mod window;
pub mod workload;

pub use error::FabricError;
