//! One running model: its ports, its clock, its trace and its coverage.

use std::ffi::{CStr, CString, c_void};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::PoisonError;

use respray_hdl::manifest::Direction;

use super::abi::{FAILED, RUNNING};
use super::build::{BuildOptions, Source, build};
use super::design::{CONSTRUCTION, Design, PortInfo};
use super::error::ModelError;
use super::linked;

/// Nanoseconds of trace time in one cycle: the clock falls at a multiple of it and rises half of it later.
pub const CYCLE_NS: u64 = 10;

/// Handle of a port, from [`Model::port`] and its like. It holds for every model of the same design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    index: u32,
    width: u32,
    design: *const Design,
}

// SAFETY: the pointer is only ever compared, never followed.
unsafe impl Send for Port {}
// SAFETY: as above.
unsafe impl Sync for Port {}

impl Port {
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// 32-bit words of [`Model::set_wide`] and [`Model::get_wide`].
    pub fn words(self) -> usize {
        self.width.div_ceil(32) as usize
    }
}

/// Where a port is and how it is read and written.
#[derive(Clone, Copy)]
struct Slot {
    address: *mut u8,
    size: Size,
    writable: bool,
    /// Bits that the value may have; of the top word for ports over 64 bits.
    mask: u64,
}

/// Verilator's type of a port.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Bits8,
    Bits16,
    Bits32,
    Bits64,
    Words,
}

/// A running model. It may move to another thread, but only one thread at a time may use it.
///
/// Ports are read and written where Verilator keeps them. A write shows in outputs after the next [`Model::eval`] or
/// [`Model::tick`].
pub struct Model {
    design: &'static Design,
    raw: NonNull<c_void>,
    slots: Box<[Slot]>,
    clock: Option<Port>,
    cycles: u64,
    status: u32,
    trace: Option<Trace>,
}

/// An open trace: it is written to a temporary name beside `path`.
struct Trace {
    path: PathBuf,
    file: tempfile::TempPath,
}

// SAFETY: an instance keeps no reference to the thread that made it: its context is its own, and where generated code
// looks for it through the thread (system tasks), the shim sets it again at every eval.
unsafe impl Send for Model {}

impl Model {
    /// The model of core `name` in the default configuration, compiled into this program, with seed 1.
    ///
    /// # Errors
    /// [`ModelError::NotLinked`].
    pub fn linked(name: &str) -> Result<Model, ModelError> {
        linked::design(name)?.model(1)
    }

    /// The model of any Verilog: verilated and compiled at most once, then loaded from the cache.
    ///
    /// # Errors
    /// All of [`ModelError`] that has to do with building.
    pub fn build(source: &Source, options: &BuildOptions) -> Result<Model, ModelError> {
        build(source, options)?.model(options.seed)
    }

    pub(super) fn new(design: &'static Design, seed: u32) -> Result<Model, ModelError> {
        let reason = |reason: &str| ModelError::Create { model: design.name.clone(), reason: reason.into() };
        // Verilator takes seed 0 for "choose one".
        let seed = (u64::from(seed) % (i32::MAX as u64)) as i32 + 1;
        let mut status = RUNNING;
        let guard = CONSTRUCTION.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `create` takes any seed and a place for the status; no other construction runs.
        let raw = unsafe { (design.shim.create)(seed, &mut status) };
        drop(guard);
        let raw = NonNull::new(raw).ok_or_else(|| reason("its constructor fails"))?;
        let slots = (0u32..).zip(&design.ports).map(|(index, port)| {
            // SAFETY: `raw` is a live instance and `index` one of its ports.
            let address = unsafe { (design.shim.address)(raw.as_ptr(), index) };
            Slot::new(address.cast(), port)
        });
        let slots = slots.collect();
        let mut model = Model { design, raw, slots, clock: None, cycles: 0, status, trace: None };
        model.clock = model.input("clk", 1).ok();
        match model.failure() {
            Some(failure) => Err(reason(&failure)),
            None => Ok(model),
        }
    }

    /// The design that it is made of.
    pub fn design(&self) -> &'static Design {
        self.design
    }

    /// Its ports, in no particular order.
    pub fn ports(&self) -> &[PortInfo] {
        &self.design.ports
    }

    /// Handle of the port `name`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`].
    pub fn port(&self, name: &str) -> Result<Port, ModelError> {
        self.find(name, None)
    }

    /// Handle of the input `name` of `width` bits.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn input(&self, name: &str, width: u32) -> Result<Port, ModelError> {
        self.expect_width(self.find(name, Some(Direction::Input))?, width)
    }

    /// Handle of the output `name` of `width` bits.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn output(&self, name: &str, width: u32) -> Result<Port, ModelError> {
        self.expect_width(self.find(name, Some(Direction::Output))?, width)
    }

    fn find(&self, name: &str, direction: Option<Direction>) -> Result<Port, ModelError> {
        let fits = |port: &PortInfo| direction.is_none_or(|wanted| port.direction == wanted);
        let ports = &self.design.ports;
        match ports.iter().position(|port| port.name == name && fits(port)) {
            Some(index) => Ok(Port { index: index as u32, width: ports[index].width, design: self.design }),
            None => Err(ModelError::MissingPort {
                model: self.design.name.clone(),
                direction: match direction {
                    None => "port",
                    Some(Direction::Input) => "input",
                    Some(Direction::Output) => "output",
                },
                port: name.to_string(),
                ports: ports
                    .iter()
                    .filter(|port| fits(port))
                    .map(|p| p.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    fn expect_width(&self, port: Port, expected: u32) -> Result<Port, ModelError> {
        if port.width == expected {
            return Ok(port);
        }
        Err(ModelError::Width {
            model: self.design.name.clone(),
            port: self.design.ports[port.index as usize].name.clone(),
            width: port.width,
            expected,
        })
    }

    #[inline(always)]
    fn slot(&self, port: Port) -> &Slot {
        assert!(std::ptr::eq(port.design, self.design), "this port belongs to another design");
        &self.slots[port.index as usize]
    }

    /// Writes an input of at most 64 bits.
    ///
    /// # Panics
    /// If `value` has more bits than the port, or the port is an output, wider, or of another design.
    #[inline]
    pub fn set(&mut self, port: Port, value: u64) {
        let slot = *self.slot(port);
        if !slot.writable || value & !slot.mask != 0 {
            self.refuse_set(port, value);
        }
        // SAFETY: the address is that of this port in the live instance, with the type that Verilator gives to its
        // width; nothing else accesses it, since `self` is borrowed exclusively.
        unsafe {
            match slot.size {
                Size::Bits8 => *slot.address = value as u8,
                Size::Bits16 => *slot.address.cast::<u16>() = value as u16,
                Size::Bits32 => *slot.address.cast::<u32>() = value as u32,
                Size::Bits64 => *slot.address.cast::<u64>() = value,
                Size::Words => self.refuse_set(port, value),
            }
        }
    }

    #[cold]
    fn refuse_set(&self, port: Port, value: u64) -> ! {
        let info = &self.design.ports[port.index as usize];
        panic!(
            "set: {:?} `{}` of model `{}` is {} bits wide and cannot be set to {value:#x}",
            info.direction, info.name, self.design.name, info.width
        );
    }

    /// Reads a port of at most 64 bits.
    ///
    /// # Panics
    /// If the port is wider or of another design.
    #[inline]
    pub fn get(&self, port: Port) -> u64 {
        let slot = self.slot(port);
        // SAFETY: as in `set`; the instance is only written through `&mut self`.
        unsafe {
            match slot.size {
                Size::Bits8 => u64::from(*slot.address),
                Size::Bits16 => u64::from(*slot.address.cast::<u16>()),
                Size::Bits32 => u64::from(*slot.address.cast::<u32>()),
                Size::Bits64 => *slot.address.cast::<u64>(),
                Size::Words => {
                    panic!("get: port {} bits wide, over 64 bits only get_wide reads", port.width)
                }
            }
        }
    }

    /// Writes an input of any width from [`Port::words`] words, least significant first.
    ///
    /// # Panics
    /// If the number of words is another, a bit above the width is set, or the port is an output or of another design.
    #[inline]
    pub fn set_wide(&mut self, port: Port, words: &[u32]) {
        assert_eq!(words.len(), port.words(), "set_wide: words of a port {} bits wide", port.width);
        let slot = *self.slot(port);
        if slot.size != Size::Words {
            let low = u64::from(words[0]);
            return self.set(port, low | words.get(1).map_or(0, |&high| u64::from(high) << 32));
        }
        let top = u64::from(words[words.len() - 1]);
        if !slot.writable || top & !slot.mask != 0 {
            self.refuse_set(port, top);
        }
        // SAFETY: the port is an array of as many words, which its length was compared with; see `set`.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), slot.address.cast(), words.len()) }
    }

    /// Reads a port of any width into [`Port::words`] words, least significant first.
    ///
    /// # Panics
    /// If the number of words is another, or the port is of another design.
    #[inline]
    pub fn get_wide(&self, port: Port, words: &mut [u32]) {
        assert_eq!(words.len(), port.words(), "get_wide: words of a port {} bits wide", port.width);
        let slot = self.slot(port);
        if slot.size != Size::Words {
            let value = self.get(port);
            words[0] = value as u32;
            if let Some(high) = words.get_mut(1) {
                *high = (value >> 32) as u32;
            }
            return;
        }
        // SAFETY: as in `set_wide`.
        unsafe {
            std::ptr::copy_nonoverlapping(slot.address.cast(), words.as_mut_ptr(), words.len());
        }
    }

    /// Settles the model after a change of inputs; a clock that was written has its edge here.
    ///
    /// After a failure it does nothing.
    #[inline]
    pub fn eval(&mut self) {
        self.eval_at(self.cycles * CYCLE_NS);
    }

    #[inline]
    fn eval_at(&mut self, time_ns: u64) {
        if self.status != FAILED {
            // SAFETY: `raw` is a live instance that only this thread uses.
            self.status = unsafe { (self.design.shim.eval)(self.raw.as_ptr(), time_ns) };
        }
    }

    /// One cycle: `clk` low, settle, `clk` high, settle.
    ///
    /// Registers take the inputs as they are now. After it, outputs that come from registers read as they can be
    /// sampled just before the next edge; one that depends on inputs follows them after an [`Model::eval`].
    ///
    /// # Panics
    /// If the model has no input `clk` of one bit.
    #[inline]
    pub fn tick(&mut self) {
        self.settle();
        self.rise();
    }

    /// First half of [`Model::tick`]: `clk` low, settle. Outputs read as they are sampled just before the edge, also
    /// those that depend on inputs.
    ///
    /// # Panics
    /// If the model has no input `clk` of one bit.
    #[inline]
    pub fn settle(&mut self) {
        let clock = self.clock();
        let time_ns = self.cycles * CYCLE_NS;
        self.set(clock, 0);
        self.eval_at(time_ns);
        if self.trace.is_some() {
            self.trace_dump(time_ns);
        }
    }

    /// Second half of [`Model::tick`]: `clk` high, settle; registers take the inputs.
    ///
    /// # Panics
    /// If the model has no input `clk` of one bit.
    #[inline]
    pub fn rise(&mut self) {
        let clock = self.clock();
        let time_ns = self.cycles * CYCLE_NS + CYCLE_NS / 2;
        self.set(clock, 1);
        self.eval_at(time_ns);
        if self.trace.is_some() {
            self.trace_dump(time_ns);
        }
        self.cycles += 1;
    }

    #[inline]
    fn clock(&self) -> Port {
        self.clock.unwrap_or_else(|| panic!("model `{}` has no input `clk` of one bit", self.design.name))
    }

    /// Calls of [`Model::tick`] so far. Cycle `n` counts from 0 and is `n * CYCLE_NS` in a trace.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Whether the Verilog has called `$finish`, or the model has failed.
    #[inline]
    pub fn finished(&self) -> bool {
        self.status != RUNNING
    }

    /// Why the model failed (`$stop`, `$fatal`, an assertion, a combinational loop that does not settle), if it did.
    pub fn failure(&self) -> Option<String> {
        (self.status == FAILED).then(|| {
            // SAFETY: `raw` is live, and the text stays until the next eval; it is copied at once.
            let text = unsafe { CStr::from_ptr((self.design.shim.failure)(self.raw.as_ptr())) };
            text.to_string_lossy().into_owned()
        })
    }
}

/// Trace and coverage.
impl Model {
    /// Starts an FST of every signal at the next [`Model::tick`]. The file appears under its name when the trace is
    /// closed; a trace that is open is closed first.
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`BuildOptions::trace`]; [`ModelError::Write`] if the file cannot be made.
    pub fn trace_fst(&mut self, path: &Path) -> Result<(), ModelError> {
        let open = self.design.shim.trace_open.ok_or_else(|| self.flavour("trace"))?;
        self.trace_close()?;
        let file = temporary_beside(path)?;
        let name = c_path(&file)?;
        // SAFETY: `raw` is live, `name` is a C string, and no trace is open.
        if unsafe { open(self.raw.as_ptr(), name.as_ptr()) } == 0 {
            return Err(ModelError::Write {
                path: path.to_path_buf(),
                what: "the trace cannot be opened".into(),
            });
        }
        self.trace = Some(Trace { path: path.to_path_buf(), file });
        Ok(())
    }

    #[cold]
    fn trace_dump(&mut self, time_ns: u64) {
        if let Some(dump) = self.design.shim.trace_dump {
            // SAFETY: `raw` is live, and `self.trace` says that a trace is open.
            unsafe { dump(self.raw.as_ptr(), time_ns) }
        }
    }

    /// Ends the trace, if one is open, and puts the file in its place.
    ///
    /// # Errors
    /// [`ModelError::Write`], also if the disk was full.
    pub fn trace_close(&mut self) -> Result<(), ModelError> {
        let (Some(trace), Some(close)) = (self.trace.take(), self.design.shim.trace_close) else {
            return Ok(());
        };
        // SAFETY: `raw` is live, and a trace was open until now.
        unsafe { close(self.raw.as_ptr()) }
        let length = std::fs::metadata(&trace.file).map(|data| data.len());
        if length.is_ok_and(|length| length == 0) {
            let what = "the trace is empty; is the disk full?".into();
            return Err(ModelError::Write { path: trace.path, what });
        }
        trace
            .file
            .persist(&trace.path)
            .map_err(|error| ModelError::Write { path: trace.path.clone(), what: error.error.to_string() })
    }

    /// Writes Verilator's coverage data, to be read with [`super::coverage`].
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`BuildOptions::coverage`]; [`ModelError::Write`].
    pub fn coverage_write(&mut self, path: &Path) -> Result<(), ModelError> {
        let write = self.design.shim.coverage_write.ok_or_else(|| self.flavour("coverage"))?;
        let file = temporary_beside(path)?;
        let name = c_path(&file)?;
        // SAFETY: `raw` is live and `name` is a C string.
        let written = unsafe { write(self.raw.as_ptr(), name.as_ptr()) };
        let failed = |what: String| ModelError::Write { path: path.to_path_buf(), what };
        if written == 0 {
            return Err(failed("the coverage cannot be written".into()));
        }
        file.persist(path).map_err(|error| failed(error.error.to_string()))
    }

    fn flavour(&self, what: &'static str) -> ModelError {
        ModelError::Flavour { model: self.design.name.clone(), what }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // There is nobody to tell; who wants to know closes the trace before.
        let _ = self.trace_close();
        let _guard = CONSTRUCTION.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `raw` is live, and not used after this.
        unsafe { (self.design.shim.destroy)(self.raw.as_ptr()) }
    }
}

impl Slot {
    fn new(address: *mut u8, port: &PortInfo) -> Slot {
        let size = match port.width {
            1..=8 => Size::Bits8,
            9..=16 => Size::Bits16,
            17..=32 => Size::Bits32,
            33..=64 => Size::Bits64,
            _ => Size::Words,
        };
        let bits = if size == Size::Words { (port.width - 1) % 32 + 1 } else { port.width };
        let mask = u64::MAX >> (64 - bits);
        Slot { address, size, writable: port.direction == Direction::Input, mask }
    }
}

fn temporary_beside(path: &Path) -> Result<tempfile::TempPath, ModelError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    tempfile::Builder::new()
        .prefix(".respray-")
        .permissions(Permissions::from_mode(0o666)) // less the umask, as for any file
        .tempfile_in(directory.unwrap_or(Path::new(".")))
        .map(tempfile::NamedTempFile::into_temp_path)
        .map_err(|error| ModelError::Write { path: path.to_path_buf(), what: error.to_string() })
}

fn c_path(path: &Path) -> Result<CString, ModelError> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| ModelError::Write {
        path: path.to_path_buf(),
        what: "a name without NUL is needed".into(),
    })
}
