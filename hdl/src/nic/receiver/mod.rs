//! `nic_receiver`: from `rewrite_rx` to the host, with the ops of `sack_rx`.
//!
//! ```text
//!                          ┌────────────────────► acks ──────────────► heard_*, to the scoreboard
//!             ┌────────┐ ┌─┴─────┐
//!  s_axis_* ─►│ Intake │►│ Judge │► ring ─────────────────┬──────────► m_axis_*, rx_*, to the host
//!  meta_*     └────────┘ └─┬─────┘   frames, records      │
//!                          │                            statuses
//!  open_* ──► issue ◄──────┤                              ▲
//!               │          └► pending ────────────────► outcome ────► answers, events, counters
//!               │              first 64 bytes             ▲
//!               └────────────► rx_op_* ─► sack_rx ─► rx_res_*, rx_sack_*
//! ```
//!
//! The network's side never waits. [`intake`] takes a frame's last beat together with its record, [`judge`] decides then
//! what becomes of the frame, in the order of the golden model: a bad one is dropped; an ACK goes to the scoreboard's queue; a probe
//! is an op alone; data is a frame and an op, and what has no room is dropped before `sack_rx` hears of it, and so is what the host has
//! not granted, where [`credit`] counts that; all else is a frame. Frames of events have a credit of [`event_credit`]. Frames
//! are in the [`ring`] from their first beat on, and give their place back where they are none for the host.
//!
//! [`issue`] gives `sack_rx` its ops, [`pending`] keeps what their results need, [`outcome`] counts the results. They come in the order of
//! the packets, and so do the statuses for which the data in the ring waits.
//!
//! Where data goes to the host with ports of connections, [`ports`] makes of each data packet what is to be written into it, and
//! [`patch`] writes it as the frame leaves, if its connection is open.
//!
//! Where the host says who the peers are, [`source`] reads from where each packet comes, and `nic_peer_table` says two
//! cycles behind its last beat whether it is to be refused. So ops go to [`issue`] two cycles later, a refused one as
//! one of no connection, and each ACK waits for what is said of it.
//!
//! Where the host hears of closes, [`closing`] tells it of a connection that is closed, behind the frames that were in the ring.
//!
//! A frame of more than 511 beats is dropped like one for which the host has no room, unless its beats come one behind the other
//! and it has no more than 512: at 64 bits no frame of more than 4096 bytes reaches the host.

pub mod backlog;
pub mod closing;
pub mod credit;
pub mod engine;
pub mod event_credit;
pub mod events;
pub mod head_bit;
pub mod intake;
pub mod issue;
pub mod judge;
pub mod layers;
pub mod outcome;
pub mod patch;
pub mod pending;
pub mod ports;
pub mod response;
pub mod ring;
pub mod source;
pub mod types;
pub mod words;

use rust_hdl::prelude::Block;

use self::engine::Receiver;
use crate::config::Config;
use crate::cores::GenerateError;
use crate::cores::sizes::{BusSizes, SackSizes, boxed, by_sizes};

/// Widths of the block.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverSizes {
    /// The data of a beat.
    pub data: usize,
    /// Bytes of a beat.
    pub bytes: usize,
    /// Beats of 64 bytes.
    pub lanes: usize,
    /// Words of 4 bytes of a beat.
    pub words: usize,
    /// Number of a connection.
    pub conn: usize,
    /// A PSN.
    pub psn: usize,
}

impl ReceiverSizes {
    /// Of the keys `bus_bits`, `connections` and `sack.psn_bits`.
    pub const fn of(bus_bits: u32, connections: u32, psn_bits: u32) -> Self {
        let BusSizes { data, bytes, .. } = BusSizes::of(bus_bits);
        // neither of the two widths depends on the window
        let SackSizes { conn, psn, .. } = SackSizes::of(connections, 64, psn_bits);
        ReceiverSizes { data, bytes, lanes: 512 / data, words: data / 32, conn, psn }
    }
}

/// The block with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn block(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    let (wire, nic, has_types) = (config.wire, config.nic.clone(), config.has_uet_acks());
    Ok(by_sizes!("nic_receiver", config, S: ReceiverSizes(bus_bits, connections, sack.psn_bits) => boxed(|| {
        Receiver::<{ S.data }, { S.bytes }, { S.lanes }, { S.words }, { S.conn }, { S.psn }>::new(wire, &nic, has_types)
    })))
}
