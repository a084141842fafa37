//! The binary in places that mean it no good: full disks, closed pipes, devices in place of files, signals, damaged caches.

mod cache;
mod common;
mod empty;
mod outputs;
mod sentences;
mod signals;
mod standard_output;
mod verilog;
