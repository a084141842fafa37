//! Verilated models in Rust: three lines to a running one.
//!
//! ```no_run
//! use respray_cosim::verilator::{BuildOptions, Model, Source};
//!
//! let source = Source::new("inc", "module inc(input clk, output reg [7:0] n); always @(posedge clk) n <= n + 8'd1; endmodule");
//! let mut model = Model::build(&source, &BuildOptions::default())?;
//! model.tick();
//! println!("{}", model.get(model.port("n")?));
//! # Ok::<(), respray_cosim::verilator::ModelError>(())
//! ```
//!
//! A model is either linked into the program by the build script ([`Model::linked`]: each core of a NIC in the default
//! configuration) or verilated, compiled and loaded at run time from a cache ([`Model::build`]: any other core or
//! configuration, and users' own Verilog). Both are the same type and equally fast: ports are read and written where
//! Verilator keeps them, and C is called only to evaluate.
//!
//! All `unsafe` of the project stands in this module.

mod abi;
mod access;
mod baseline;
mod build;
mod cache;
mod clock;
mod compile;
mod coverage;
mod design;
mod error;
mod files;
pub mod linked;
mod make;
mod model;
mod overlay;
mod port;
mod source;
mod stimulus;
mod toolchain;
mod trace;
mod watch;

pub use baseline::{Baseline, BaselineRun};
pub use build::build;
pub use cache::{CacheSize, cache_dir, cache_size, clear_cache};
pub use compile::Direction;
pub use compile::{CYCLE_NS, CompileError, Verilator};
pub use coverage::{Coverage, sum as sum_coverage};
pub use design::{Design, PortInfo};
pub use error::ModelError;
pub use model::Model;
pub use overlay::{Added, Overlay, Row, digits};
pub use port::Port;
pub use source::{BuildOptions, Source};
pub use stimulus::Stimulus;
pub use watch::{Stuck, end_at_once, watch};

/// What the tests of this crate look into, and no interface: answers of Verilator, compilers and file systems that no run on
/// one machine brings about, and a call that never returns.
#[doc(hidden)]
pub mod inside {
    pub use super::compile::{find_verilator, first_error, read_ports};
    pub use super::toolchain::undefined;
    pub use super::watch::Pulse;
    pub use respray_files::cache::{bytes, remove};
}
