//! What one uplink has reported of each destination, for `caver.table = per_port`.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::age::Age;
use super::state::Report;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Reg, SimpleDualPort};

/// The reports by an uplink, its own congestion as choices see it, and how good the reported path is. `DST` is the width of a destination.
///
/// ```text
///  hold         read                                            compare
///  read_dst ──► report ──► age, the larger congestion of two ──► rank ──► told, or dead where the walker is: written
/// ```
///
/// The read stage is two edges behind the hold stage, as the memory has a register at its output.
#[block]
pub struct Uplink<const DST: usize> {
    /// Hold stage: the destination.
    pub read_dst: Signal<In, Bits<DST>>,
    /// A slot of the core's own: choices behind it see this congestion of the uplink.
    pub learns: Signal<In, bool>,
    pub congestion: Signal<In, Bits<8>>,
    /// Read stage: the time and the oldest age that lives.
    pub now: Signal<In, Bits<8>>,
    pub path_age: Signal<In, Bits<8>>,
    pub is_up: Signal<In, bool>,
    /// The uplink is in front of the random place, so that it comes after those behind it.
    pub is_before: Signal<In, bool>,
    /// The ACK is a report by this uplink, and how congested its path is.
    pub is_told: Signal<In, bool>,
    pub told: Signal<In, Bits<8>>,
    /// Compare stage: the lower, the better: dead, congestion of the path, in front of the place. And the congestion behind the uplink.
    pub rank: Signal<Out, Bits<10>>,
    pub ce: Signal<Out, Bits<8>>,
    /// The walker is there; or the report of the ACK; or after reset all reports are cleared. What is written.
    pub visits: Signal<In, bool>,
    pub clears: Signal<In, bool>,
    pub write_dst: Signal<In, Bits<DST>>,
    pub report: Signal<In, Report>,

    ram: SimpleDualPort<Bits<DST>, Report>,
    #[reset = 0]
    seen: Reg<Bits<8>>,
    report_age: Age,
    ranked: Reg<Bits<10>>,
    ranked_ce: Reg<Bits<8>>,
    #[reset = false]
    is_stored: Reg<bool>,
}

#[block]
impl<const DST: usize> Uplink<DST> {
    /// With its memory.
    pub fn new() -> Self {
        let ram = SimpleDualPort::new("report_ram", "what an uplink has reported", MemoryKind::Block);
        Self { ram: ram.with_output_register(), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module uplink: what one uplink has reported of each destination");
        self.ram.read_address = self.read_dst;
        if self.learns {
            self.seen = self.congestion;
        }

        comment!("Read: congestion of a path is the larger one of that of the uplink and of that behind it.");
        self.report_age.now = self.now;
        self.report_age.seen = self.ram.read_data.seen;
        self.report_age.most = self.path_age;
        let lives = self.is_up & (self.is_told | (self.ram.read_data.valid & self.report_age.is_young));
        let mut key = self.ram.read_data.ce;
        if self.seen > self.ram.read_data.ce {
            key = self.seen;
        }
        if self.is_told {
            key = self.told;
        }
        self.ranked = (bit_cast::<10, 1>(self.is_before.into()))
            | (bit_cast::<10, 8>(key) << 1)
            | (bit_cast::<10, 1>((!lives).into()) << 9);
        self.ranked_ce = self.ram.read_data.ce;
        self.is_stored = self.is_told;

        comment!("Compare: a report is stored, and the walker clears one that is dead.");
        self.rank = self.ranked;
        self.ce = self.ranked_ce;
        self.ram.write_enable = self.clears | self.is_stored | (self.visits & self.ranked.get_bit(9));
        self.ram.write_address = self.write_dst;
        self.ram.write_data = self.report;
    }
}
