//! `nic_event_frames`: events leave as Ethernet frames, between the frames that go to the host.
//!
//! ```text
//!  events_waiting ──► batch ── begins ──┐
//!  event_* ─────────────────────────► gather ── beats ──► store ──┐
//!  s_axis_*, rx_* from nic_receiver ───────────────────────────► turns ──► m_axis_*, m_rx_* to the host
//! ```
//!
//! [`batch`] says when the events that wait are a frame, [`gather`] makes its beats, eight bytes a cycle, [`store`] keeps two frames, and
//! [`turns`] lets a frame that is whole go between two others. A frame that goes to the host takes no cycle more than without it.
//! The layout of a frame is that of [`respray_golden`'s `nic::event_frames`](../../../../golden/src/nic/event_frames.rs).

pub mod batch;
pub mod engine;
pub mod gather;
pub mod store;
pub mod turns;

use rust_hdl::prelude::Block;

use self::engine::EventFrames;
use crate::config::Config;
use crate::cores::GenerateError;
use crate::cores::sizes::{BusSizes, boxed, by_sizes};

/// Bytes of the largest frame.
const MOST_BYTES: usize = 1024;
/// Bytes of a frame before its first record, and of a record.
const HEADER_BYTES: usize = 32;
const RECORD_BYTES: usize = 16;
/// Records of a frame, at most.
pub const MOST_RECORDS: usize = (MOST_BYTES - HEADER_BYTES) / RECORD_BYTES;
/// Bytes that are made in a cycle.
const STEP_BYTES: usize = 8;

/// Widths of the block.
#[derive(Clone, Copy, Debug)]
pub struct EventFrameSizes {
    /// The data of a beat.
    pub data: usize,
    /// Bytes of a beat.
    pub bytes: usize,
    /// An address of two frames.
    pub address: usize,
}

impl EventFrameSizes {
    /// Of the key `bus_bits`.
    pub const fn of(bus_bits: u32) -> Self {
        let BusSizes { data, bytes, .. } = BusSizes::of(bus_bits);
        EventFrameSizes { data, bytes, address: (2 * MOST_BYTES / bytes).ilog2() as usize }
    }
}

/// The block with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn block(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic_event_frames", config, S: EventFrameSizes(bus_bits) => boxed(|| {
        EventFrames::<{ S.data }, { S.bytes }, { S.address }>::new()
    })))
}
