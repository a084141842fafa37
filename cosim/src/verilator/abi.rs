//! The C face of a model, as `compile/instance.h` lays it out.

use std::ffi::{c_char, c_void};

/// Version of the layout below; `ABI` in the shim.
pub const ABI: u32 = 5;

/// What an eval says.
pub const RUNNING: u32 = 0;
/// The model failed for good.
pub const FAILED: u32 = 2;
/// An input has bits beyond its width; nothing was done.
pub const REFUSED: u32 = 3;

#[repr(C)]
pub struct RawPort {
    pub name: *const c_char,
    pub width: u32,
    /// 0 input, 1 output, 2 the input `clk`.
    pub direction: u32,
    /// First word in a row of all inputs without `clk`, or of all outputs.
    pub column: u32,
}

#[repr(C)]
pub struct RawShim {
    pub abi: u32,
    pub port_count: u32,
    pub ports: *const RawPort,
    pub create: unsafe extern "C" fn(seed: i32, status: *mut u32) -> *mut c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub address: unsafe extern "C" fn(*mut c_void, index: u32) -> *mut c_void,
    pub eval: unsafe extern "C" fn(*mut c_void, time_ns: u64) -> u32,
    /// Null without a clock.
    pub cycles: Option<
        unsafe extern "C" fn(
            *mut c_void,
            inputs: *const u64,
            outputs: *mut u64,
            count: u64,
            time_ns: u64,
            status: *mut u32,
        ) -> u64,
    >,
    pub failure: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    pub trace_open: Option<unsafe extern "C" fn(*mut c_void)>,
    pub trace_dump: Option<unsafe extern "C" fn(*mut c_void, time_ns: u64)>,
    pub trace_close: Option<unsafe extern "C" fn(*mut c_void)>,
    pub trace_text: Option<unsafe extern "C" fn(*mut c_void, length: *mut u64) -> *const c_char>,
    pub coverage_write: Option<unsafe extern "C" fn(*mut c_void, path: *const c_char) -> u32>,
    /// Constant text.
    pub version: unsafe extern "C" fn() -> *const c_char,
}
