//! A compiled design: what models are made of.

use std::ffi::CStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::compile::Direction;

use super::abi::{ABI, RawShim};
use super::error::ModelError;

/// A port of a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// Name in the Verilog.
    pub name: String,
    /// Width in bits, at least 1.
    pub width: u32,
    /// Seen from the model.
    pub direction: Direction,
}

/// A compiled design, linked in or loaded, from which any number of models can be made, on any thread.
///
/// It stays for the life of the process: a loaded library is never unloaded.
pub struct Design {
    /// Tells it from every other design of the process.
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) shim: &'static RawShim,
    pub(super) ports: Vec<PortInfo>,
    /// Column of each port.
    pub(super) columns: Vec<usize>,
    /// Words of a row of all inputs without `clk`, and of all outputs.
    pub(super) row_words: (usize, usize),
}

// SAFETY: `RawShim` is constant data and functions. Those that touch what the instances of a design share are `create`
// and `destroy`, which run under `CONSTRUCTION`; the others touch only the instance that they are given.
unsafe impl Send for Design {}
// SAFETY: as above; there is no interior mutability.
unsafe impl Sync for Design {}

/// Construction reads and writes globals of Verilator's runtime (the random generator's epoch, the last context).
pub(super) static CONSTRUCTION: Mutex<()> = Mutex::new(());

impl Design {
    /// Wraps the shim of one model and keeps it for ever.
    ///
    /// # Safety
    /// `shim` points to a `RawShim` written by `compile/shim.cpp`, with functions and ports that stay loaded.
    pub(super) unsafe fn from_shim(name: &str, shim: *const RawShim) -> Result<&'static Design, u32> {
        // SAFETY: the version is the first field in every version of the layout.
        let abi = unsafe { *shim.cast::<u32>() };
        if abi != ABI {
            return Err(abi);
        }
        // SAFETY: of the caller, and the layout is the one of abi.rs.
        let shim = unsafe { &*shim };
        let (mut ports, mut columns, mut row_words) = (Vec::new(), Vec::new(), (0, 0));
        for index in 0..shim.port_count as usize {
            // SAFETY: `ports` has `port_count` elements, and each name is a C string; both are constant data.
            let (raw, name) = unsafe {
                let raw = &*shim.ports.add(index);
                (raw, CStr::from_ptr(raw.name))
            };
            let direction = if raw.direction == 1 { Direction::Output } else { Direction::Input };
            let end = (raw.column + raw.width.div_ceil(64)) as usize;
            match raw.direction {
                0 => row_words.0 = end.max(row_words.0),
                1 => row_words.1 = end.max(row_words.1),
                _ => {}
            }
            columns.push(raw.column as usize);
            ports.push(PortInfo { name: name.to_string_lossy().into_owned(), width: raw.width, direction });
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Box::leak(Box::new(Design { id, name: name.to_string(), shim, ports, columns, row_words })))
    }

    /// Name of the top module.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its ports, in no particular order.
    pub fn ports(&self) -> &[PortInfo] {
        &self.ports
    }

    /// Words of a row of [`Model::cycle`](super::Model::cycle): all inputs without `clk`, and all outputs.
    pub fn row_words(&self) -> (usize, usize) {
        self.row_words
    }

    /// The version of Verilator that it was made with, e.g. `5.006 2023-01-22`.
    pub fn verilator_version(&self) -> String {
        // SAFETY: the function takes nothing and gives a C string that is constant data.
        unsafe { CStr::from_ptr((self.shim.version)()) }.to_string_lossy().into_owned()
    }

    /// Index of the port `name`, of one direction if one is given.
    pub(super) fn find(&self, name: &str, direction: Option<Direction>) -> Result<usize, ModelError> {
        let fits = |port: &PortInfo| direction.is_none_or(|wanted| port.direction == wanted);
        self.ports.iter().position(|port| port.name == name && fits(port)).ok_or_else(|| {
            let kind = match direction {
                None => "port",
                Some(Direction::Input) => "input",
                Some(Direction::Output) => "output",
            };
            let names = self.ports.iter().filter(|port| fits(port)).map(|port| port.name.as_str());
            ModelError::MissingPort {
                model: self.name.clone(),
                kind,
                port: name.to_string(),
                ports: names.collect::<Vec<_>>().join(", "),
            }
        })
    }
}
