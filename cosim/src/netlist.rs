//! The cells of a device in the place of the Verilog that they were synthesised from.
//!
//! This crate runs no synthesis: who asks for a run says how the cells are made. That happens once all else of the run is known to be
//! in order, as it takes long.

use std::fmt;
use std::sync::Arc;

use respray_hdl::manifest::Generated;
use serde::Serialize;

/// Cells and their models as Verilog, with the name and the ports of the core.
#[derive(Clone, Debug)]
pub struct Netlist {
    pub verilog: String,
    pub origin: Origin,
}

/// Where a netlist comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The family of devices, as `--netlist` spells it.
    pub device: String,
    /// The program that synthesised it, and its version.
    pub synthesised_by: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cells of {} by {}", self.device, self.synthesised_by)
    }
}

/// Makes the netlist of a core; its error is a sentence.
type Make = dyn Fn(&Generated) -> Result<Netlist, String> + Send + Sync;

/// How a core is synthesised.
#[derive(Clone)]
pub struct Synthesis {
    /// As `--netlist` spells the device.
    device: String,
    make: Arc<Make>,
}

impl Synthesis {
    pub fn new(
        device: &str,
        make: impl Fn(&Generated) -> Result<Netlist, String> + Send + Sync + 'static,
    ) -> Synthesis {
        Synthesis { device: device.to_string(), make: Arc::new(make) }
    }

    /// The netlist of a core.
    ///
    /// # Errors
    /// Why there is none, in a sentence.
    pub fn netlist(&self, generated: &Generated) -> Result<Netlist, String> {
        (self.make)(generated)
    }

    /// The arguments of `respray cosim` that ask for it.
    pub fn arguments(&self) -> [String; 2] {
        ["--netlist".to_string(), self.device.clone()]
    }
}

impl fmt::Debug for Synthesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Synthesis").field("device", &self.device).finish_non_exhaustive()
    }
}

impl PartialEq for Synthesis {
    fn eq(&self, other: &Synthesis) -> bool {
        self.device == other.device && Arc::ptr_eq(&self.make, &other.make)
    }
}
