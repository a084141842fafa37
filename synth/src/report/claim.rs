//! What 001 section 4.2 (REPS-FPGA) claims of its engine, and what ours takes.
//!
//! The paper: "8-entry-deep REPS buffer that stores UDP source ports (2B)", "up to 256 connections for a total memory
//! footprint of 4KB", "negligible resources (<0.04% of the total device logic resources)"; the device is not named.

use respray_hdl::config::Config;
use respray_hdl::manifest::Memory;
use serde::Serialize;

use super::measure::{Generate, make};
use crate::device::Card;
use crate::{Bench, SynthError, xilinx};

/// Connections, entries per connection, and bytes of their buffers (001 section 4.2).
pub const CLAIM_CONNECTIONS: u32 = 256;
pub const CLAIM_DEPTH: u32 = 8;
pub const CLAIM_MEMORY_BYTES: u32 = 4096;

/// Share of the device's logic that the paper's engine stays under (001 section 4.2): 0.04%.
pub const CLAIM_SHARE: f64 = 0.0004;

/// Bits of state per connection at 8 entries (001 Table 1).
pub const TABLE_1_BITS: u32 = 193;

/// Our engine at the claim's sizes.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// LUTs all told.
    pub luts: u32,
    pub cards: Vec<ClaimOnCard>,
    pub memories: Vec<Memory>,
    /// Bits of all memories.
    pub memory_bits: u32,
    pub bram36: u32,
    pub bram18: u32,
}

/// The claim on one card.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimOnCard {
    pub card: String,
    /// LUTs that the claim allows on it.
    pub allowed_luts: u32,
    /// Our share of its LUTs, 0 to 1.
    pub share: f64,
    pub holds: bool,
}

impl Claim {
    /// Measures `reps` as `config` has it, but at the claim's sizes.
    pub fn measure(
        bench: &Bench,
        generate: Generate,
        config: &Config,
        cards: &[&Card],
    ) -> Result<Claim, SynthError> {
        let mut config = config.clone();
        config.connections = CLAIM_CONNECTIONS;
        config.reps.depth = CLAIM_DEPTH;
        let generated = make(generate, "reps", &config)?;
        let figures = xilinx::measure(bench, &generated)?;
        let on_card = |card: &&Card| {
            let share = f64::from(figures.luts) / f64::from(card.lut);
            ClaimOnCard {
                card: card.name.into(),
                allowed_luts: (f64::from(card.lut) * CLAIM_SHARE).floor() as u32,
                share,
                holds: share < CLAIM_SHARE,
            }
        };
        let memories = generated.manifest.memories;
        Ok(Claim {
            luts: figures.luts,
            cards: cards.iter().map(on_card).collect(),
            memory_bits: memories.iter().map(|memory| memory.words * memory.bits).sum(),
            memories,
            bram36: figures.bram36,
            bram18: figures.bram18,
        })
    }
}
