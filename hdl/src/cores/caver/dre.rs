//! The estimators of the ports' loads.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Kind;
use crate::manifest::MemoryKind;
use crate::prims::{Param, SimpleDualPort};
use crate::{comment, signal_struct};

signal_struct! {
    /// What is kept of a port: 31 bits.
    pub struct Estimate {
        /// Bytes, less what periods took away.
        pub sum: Bits<26>,
        /// The sum is shifted by so many bits to show as congestion.
        pub shift: Bits<5>,
    }
}

signal_struct! {
    /// A word of the memories: 32 bits.
    pub struct Stored {
        pub estimate: Estimate,
        /// The sum stopped at the largest one, which is not what stands there: that it did is known late in the cycle that writes.
        pub is_full: bool,
    }
}

/// Congestion of a port: its sum shifted, and at most 255. In two steps, by the upper two bits of the shift and by its lower three.
#[derive(LogicBlock, Default)]
pub struct Quantise {
    pub clk: Signal<In, Clock>,
    /// Sum stage.
    pub estimate: Signal<In, Estimate>,
    /// Judge stage, two cycles later.
    pub congestion: Signal<Out, Bits<8>>,
    coarse: Signal<Local, Bits<26>>,
    low: DFF<Bits<15>>,
    is_beyond: DFF<bool>,
    fine_shift: DFF<Bits<3>>,
    fine: Signal<Local, Bits<15>>,
    shown: DFF<Bits<8>>,
}

impl Logic for Quantise {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module quantise: congestion of a port, its sum shifted, and at most 255");
        dff_setup!(self, clk, low, is_beyond, fine_shift, shown);
        self.coarse.next = self.estimate.val().sum;
        if self.estimate.val().shift.get_bit(4) {
            self.coarse.next = self.estimate.val().sum >> 16;
            if self.estimate.val().shift.get_bit(3) {
                self.coarse.next = self.estimate.val().sum >> 24;
            }
        } else if self.estimate.val().shift.get_bit(3) {
            self.coarse.next = self.estimate.val().sum >> 8;
        }
        self.low.d.next = bit_cast::<15, 26>(self.coarse.val());
        self.is_beyond.d.next = (self.coarse.val() >> 15).any();
        self.fine_shift.d.next = bit_cast::<3, 5>(self.estimate.val().shift);

        self.fine.next = self.low.q.val() >> self.fine_shift.q.val();
        self.shown.d.next = bit_cast::<8, 15>(self.fine.val());
        if self.is_beyond.q.val() | (self.fine.val() >> 8).any() {
            self.shown.d.next = 255.into();
        }
        self.congestion.next = self.shown.q.val();
    }
}

/// Adds the bytes of packets to the sums of ports, takes shares away, and reads two ports at a time. `P` is the width of a port's number.
///
/// ```text
///   decide               sum                                  shift ─► judge
///   ports ──► 2 copies ─► sum, or that of the op ahead ──────► congestion of both
///             ▲           └──► + bytes, or less its share ─┐
///             └────────────────────────────────────────────┘
/// ```
///
/// A sum is written at the edge at which the next op reads, which takes it from there.
#[derive(LogicBlock, Default)]
pub struct Dre<const P: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The memories are cleared, at this port.
    pub clear: Signal<In, bool>,
    pub clear_port: Signal<In, Bits<P>>,
    /// Decide stage: what the op is, its port, of which the sum may change, and another one.
    pub kind: Signal<In, Kind>,
    pub port: Signal<In, Bits<P>>,
    pub other_port: Signal<In, Bits<P>>,
    pub bytes: Signal<In, Bits<14>>,
    pub alpha: Signal<In, Bits<3>>,
    pub shift: Signal<In, Bits<5>>,
    /// Judge stage: congestion of both before the op.
    pub congestion: Signal<Out, Bits<8>>,
    pub other_congestion: Signal<Out, Bits<8>>,

    ram: SimpleDualPort<Bits<P>, Stored>,
    other_ram: SimpleDualPort<Bits<P>, Stored>,
    adds: DFF<bool>,
    decays: DFF<bool>,
    sets: DFF<bool>,
    sum_port: DFF<Bits<P>>,
    sum_bytes: DFF<Bits<14>>,
    sum_alpha: DFF<Bits<3>>,
    sum_shift: DFF<Bits<5>>,
    changes: Signal<Local, bool>,
    follows: DFF<bool>,
    other_follows: DFF<bool>,
    estimate: Signal<Local, Estimate>,
    other_estimate: Signal<Local, Estimate>,
    rest: Signal<Local, Bits<34>>,
    addend: Signal<Local, Bits<27>>,
    total: Signal<Local, Bits<27>>,
    changed: Signal<Local, Stored>,
    written: DFF<Estimate>,
    quantise: Quantise,
    other_quantise: Quantise,
    after_reset: Param<Bits<5>>,
    largest: Param<Bits<26>>,
}

impl<const P: usize> Dre<P> {
    /// The estimators, whose shifts are `shift` after reset.
    pub fn new(shift: u32) -> Self {
        let about = "bytes that left by each port, less what periods took away, and the port's shift";
        Self {
            ram: SimpleDualPort::new("dre_ram", about, MemoryKind::Distributed).cleared_by_arithmetic(),
            other_ram: SimpleDualPort::new("dre_copy_ram", about, MemoryKind::Distributed)
                .cleared_by_arithmetic(),
            after_reset: Param::new(u64::from(shift).into()),
            largest: Param::new(0x3ff_ffff.into()),
            ..Default::default()
        }
    }
}

impl<const P: usize> Logic for Dre<P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module dre: the estimators of the ports' loads");
        dff_setup!(
            self,
            clk,
            adds,
            decays,
            sets,
            sum_port,
            sum_bytes,
            sum_alpha,
            sum_shift,
            follows,
            other_follows
        );
        dff_setup!(self, clk, written);
        self.changes.next = self.adds.q.val() | self.decays.q.val() | self.sets.q.val();

        comment!(
            "Decide: both ports are read. What the op ahead writes at the same edge comes from its register."
        );
        comment!("After reset each port in turn loses all of its sum, and gets its shift.");
        self.ram.clk.next = self.clk.val();
        self.ram.read_address.next = self.port.val();
        self.other_ram.clk.next = self.clk.val();
        self.other_ram.read_address.next = self.other_port.val();
        self.adds.d.next = self.kind.val().data;
        self.decays.d.next = self.kind.val().decay | self.clear.val();
        self.sets.d.next = self.kind.val().set_shift | self.clear.val();
        self.sum_port.d.next = self.port.val();
        self.sum_bytes.d.next = 0.into();
        if self.kind.val().data {
            self.sum_bytes.d.next = self.bytes.val();
        }
        self.sum_alpha.d.next = self.alpha.val();
        self.sum_shift.d.next = self.shift.val();
        if self.clear.val() {
            self.sum_port.d.next = self.clear_port.val();
            self.sum_alpha.d.next = 0.into();
            self.sum_shift.d.next = self.after_reset.val();
        }
        self.follows.d.next = self.changes.val() & (self.port.val() == self.sum_port.q.val());
        self.other_follows.d.next = self.changes.val() & (self.other_port.val() == self.sum_port.q.val());

        comment!(
            "Sum: bytes are added, and stop at the largest sum; a share is taken away as its complement and 1."
        );
        self.estimate.next = self.ram.read_data.val().estimate;
        if self.ram.read_data.val().is_full {
            self.estimate.next.sum = self.largest.val();
        }
        if self.follows.q.val() {
            self.estimate.next = self.written.q.val();
        }
        self.other_estimate.next = self.other_ram.read_data.val().estimate;
        if self.other_ram.read_data.val().is_full {
            self.other_estimate.next.sum = self.largest.val();
        }
        if self.other_follows.q.val() {
            self.other_estimate.next = self.written.q.val();
        }
        comment!(
            "What is shifted is the complement already, with ones above it; without a decay it is 0, and so are bytes without data."
        );
        self.rest.next = 0.into();
        if self.decays.q.val() {
            self.rest.next = !bit_cast::<34, 26>(self.estimate.val().sum);
        }
        self.addend.next = bit_cast::<27, 34>(self.rest.val() >> self.sum_alpha.q.val())
            | bit_cast::<27, 14>(self.sum_bytes.q.val());
        self.total.next =
            bit_cast::<27, 26>(self.estimate.val().sum) + self.addend.val() + self.decays.q.val();
        self.changed.next.estimate.sum = bit_cast::<26, 27>(self.total.val());
        self.changed.next.estimate.shift = self.estimate.val().shift;
        if self.sets.q.val() {
            self.changed.next.estimate.shift = self.sum_shift.q.val();
        }
        self.changed.next.is_full = self.total.val().get_bit(26);
        self.written.d.next = self.changed.val().estimate;
        if self.changed.val().is_full {
            self.written.d.next.sum = self.largest.val();
        }
        self.ram.write_enable.next = self.changes.val();
        self.ram.write_address.next = self.sum_port.q.val();
        self.ram.write_data.next = self.changed.val();
        self.other_ram.write_enable.next = self.changes.val();
        self.other_ram.write_address.next = self.sum_port.q.val();
        self.other_ram.write_data.next = self.changed.val();

        comment!("Shift, judge.");
        self.quantise.clk.next = self.clk.val();
        self.quantise.estimate.next = self.estimate.val();
        self.other_quantise.clk.next = self.clk.val();
        self.other_quantise.estimate.next = self.other_estimate.val();
        self.congestion.next = self.quantise.congestion.val();
        self.other_congestion.next = self.other_quantise.congestion.val();
        if self.rst.val() {
            self.adds.d.next = false;
            self.decays.d.next = false;
            self.sets.d.next = false;
            self.follows.d.next = false;
            self.other_follows.d.next = false;
        }
    }
}
