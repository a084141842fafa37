//! What one uplink has reported of each destination, for `caver.table = per_port`.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::age::Age;
use super::state::Report;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::SimpleDualPort;

/// The reports by an uplink, its own congestion as choices see it, and how good the reported path is. `D` is the width of a destination.
///
/// ```text
///  hold         read                                            compare
///  read_dst ──► report ──► age, the larger congestion of two ──► rank ──► told, or dead where the walker is: written
/// ```
///
/// The read stage is two edges behind the hold stage, as the memory has a register at its output.
#[derive(LogicBlock, Default)]
pub struct Uplink<const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Hold stage: the destination.
    pub read_dst: Signal<In, Bits<D>>,
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
    pub write_dst: Signal<In, Bits<D>>,
    pub report: Signal<In, Report>,

    ram: SimpleDualPort<Bits<D>, Report>,
    seen: DFF<Bits<8>>,
    report_age: Age,
    lives: Signal<Local, bool>,
    key: Signal<Local, Bits<8>>,
    ranked: DFF<Bits<10>>,
    ranked_ce: DFF<Bits<8>>,
    is_stored: DFF<bool>,
}

impl<const D: usize> Uplink<D> {
    /// With its memory.
    pub fn new() -> Self {
        let ram = SimpleDualPort::new("report_ram", "what an uplink has reported", MemoryKind::Block);
        Self { ram: ram.with_output_register(), ..Default::default() }
    }
}

impl<const D: usize> Logic for Uplink<D> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module uplink: what one uplink has reported of each destination");
        dff_setup!(self, clk, seen, ranked, ranked_ce, is_stored);
        self.ram.clk.next = self.clk.val();
        self.ram.read_address.next = self.read_dst.val();
        if self.learns.val() {
            self.seen.d.next = self.congestion.val();
        }

        comment!("Read: congestion of a path is the larger one of that of the uplink and of that behind it.");
        self.report_age.now.next = self.now.val();
        self.report_age.seen.next = self.ram.read_data.val().seen;
        self.report_age.most.next = self.path_age.val();
        self.lives.next = self.is_up.val()
            & (self.is_told.val() | (self.ram.read_data.val().valid & self.report_age.is_young.val()));
        self.key.next = self.ram.read_data.val().ce;
        if self.seen.q.val() > self.ram.read_data.val().ce {
            self.key.next = self.seen.q.val();
        }
        if self.is_told.val() {
            self.key.next = self.told.val();
        }
        self.ranked.d.next = (bit_cast::<10, 1>(self.is_before.val().into()))
            | (bit_cast::<10, 8>(self.key.val()) << 1)
            | (bit_cast::<10, 1>((!self.lives.val()).into()) << 9);
        self.ranked_ce.d.next = self.ram.read_data.val().ce;
        self.is_stored.d.next = self.is_told.val();

        comment!("Compare: a report is stored, and the walker clears one that is dead.");
        self.rank.next = self.ranked.q.val();
        self.ce.next = self.ranked_ce.q.val();
        self.ram.write_enable.next =
            self.clears.val() | self.is_stored.q.val() | (self.visits.val() & self.ranked.q.val().get_bit(9));
        self.ram.write_address.next = self.write_dst.val();
        self.ram.write_data.next = self.report.val();
        if self.rst.val() {
            self.seen.d.next = 0.into();
            self.is_stored.d.next = false;
        }
    }
}
