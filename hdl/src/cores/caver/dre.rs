//! The estimators of the ports' loads.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Kind;
use crate::manifest::MemoryKind;
use crate::prims::{Param, Reg, SimpleDualPort, resize};
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
#[block(no_reset)]
pub struct Quantise {
    /// Sum stage.
    pub estimate: Signal<In, Estimate>,
    /// Judge stage, two cycles later.
    pub congestion: Signal<Out, Bits<8>>,
    low: Reg<Bits<15>>,
    is_beyond: Reg<bool>,
    fine_shift: Reg<Bits<3>>,
    shown: Reg<Bits<8>>,
}

#[block]
impl Quantise {
    fn update(&mut self) {
        comment!("module quantise: congestion of a port, its sum shifted, and at most 255");
        let mut coarse = self.estimate.sum;
        if self.estimate.shift.get_bit(4) {
            coarse = self.estimate.sum >> 16;
            if self.estimate.shift.get_bit(3) {
                coarse = self.estimate.sum >> 24;
            }
        } else if self.estimate.shift.get_bit(3) {
            coarse = self.estimate.sum >> 8;
        }
        self.low = resize(coarse);
        self.is_beyond = (coarse >> 15).any();
        self.fine_shift = resize(self.estimate.shift);

        let fine = self.low >> self.fine_shift;
        self.shown = resize(fine);
        if self.is_beyond | (fine >> 8).any() {
            self.shown = 255;
        }
        self.congestion = self.shown;
    }
}

/// Adds the bytes of packets to the sums of ports, takes shares away, and reads two ports at a time. `PORT` is the
/// width of a port's number.
///
/// ```text
///   decide               sum                                  shift ─► judge
///   ports ──► 2 copies ─► sum, or that of the op ahead ──────► congestion of both
///             ▲           └──► + bytes, or less its share ─┐
///             └────────────────────────────────────────────┘
/// ```
///
/// A sum is written at the edge at which the next op reads, which takes it from there.
#[block]
pub struct Dre<const PORT: usize> {
    /// The memories are cleared, at this port.
    pub clear: Signal<In, bool>,
    pub clear_port: Signal<In, Bits<PORT>>,
    /// Decide stage: what the op is, its port, of which the sum may change, and another one.
    pub kind: Signal<In, Kind>,
    pub port: Signal<In, Bits<PORT>>,
    pub other_port: Signal<In, Bits<PORT>>,
    pub bytes: Signal<In, Bits<14>>,
    pub alpha: Signal<In, Bits<3>>,
    pub shift: Signal<In, Bits<5>>,
    /// Judge stage: congestion of both before the op.
    pub congestion: Signal<Out, Bits<8>>,
    pub other_congestion: Signal<Out, Bits<8>>,

    ram: SimpleDualPort<Bits<PORT>, Stored>,
    other_ram: SimpleDualPort<Bits<PORT>, Stored>,
    #[reset = false]
    adds: Reg<bool>,
    #[reset = false]
    decays: Reg<bool>,
    #[reset = false]
    sets: Reg<bool>,
    sum_port: Reg<Bits<PORT>>,
    sum_bytes: Reg<Bits<14>>,
    sum_alpha: Reg<Bits<3>>,
    sum_shift: Reg<Bits<5>>,
    #[reset = false]
    follows: Reg<bool>,
    #[reset = false]
    other_follows: Reg<bool>,
    estimate: Signal<Local, Estimate>,
    other_estimate: Signal<Local, Estimate>,
    changed: Signal<Local, Stored>,
    written: Reg<Estimate>,
    quantise: Quantise,
    other_quantise: Quantise,
    after_reset: Param<Bits<5>>,
    largest: Param<Bits<26>>,
}

#[block]
impl<const PORT: usize> Dre<PORT> {
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

    fn update(&mut self) {
        comment!("module dre: the estimators of the ports' loads");
        let changes = self.adds | self.decays | self.sets;

        comment!(
            "Decide: both ports are read. What the op ahead writes at the same edge comes from its register."
        );
        comment!("After reset each port in turn loses all of its sum, and gets its shift.");
        self.ram.read_address = self.port;
        self.other_ram.read_address = self.other_port;
        self.adds = self.kind.data;
        self.decays = self.kind.decay | self.clear;
        self.sets = self.kind.set_shift | self.clear;
        self.sum_port = self.port;
        self.sum_bytes = 0;
        if self.kind.data {
            self.sum_bytes = self.bytes;
        }
        self.sum_alpha = self.alpha;
        self.sum_shift = self.shift;
        if self.clear {
            self.sum_port = self.clear_port;
            self.sum_alpha = 0;
            self.sum_shift = self.after_reset;
        }
        self.follows = changes & (self.port == self.sum_port);
        self.other_follows = changes & (self.other_port == self.sum_port);

        comment!(
            "Sum: bytes are added, and stop at the largest sum; a share is taken away as its complement and 1."
        );
        self.estimate = self.ram.read_data.estimate;
        if self.ram.read_data.is_full {
            self.estimate.sum = self.largest;
        }
        if self.follows {
            self.estimate = self.written;
        }
        self.other_estimate = self.other_ram.read_data.estimate;
        if self.other_ram.read_data.is_full {
            self.other_estimate.sum = self.largest;
        }
        if self.other_follows {
            self.other_estimate = self.written;
        }
        comment!(
            "What is shifted is the complement already, with ones above it; without a decay it is 0, and so are bytes without data."
        );
        let mut rest: Bits<34> = 0;
        if self.decays {
            rest = !bit_cast::<34, 26>(self.estimate.sum);
        }
        let addend: Bits<27> =
            bit_cast::<27, 34>(rest >> self.sum_alpha) | bit_cast::<27, 14>(self.sum_bytes);
        let total: Bits<27> = bit_cast::<27, 26>(self.estimate.sum) + addend + self.decays;
        self.changed.estimate.sum = resize(total);
        self.changed.estimate.shift = self.estimate.shift;
        if self.sets {
            self.changed.estimate.shift = self.sum_shift;
        }
        self.changed.is_full = total.get_bit(26);
        self.written = self.changed.estimate;
        if self.changed.is_full {
            self.written.sum = self.largest;
        }
        self.ram.write_enable = changes;
        self.ram.write_address = self.sum_port;
        self.ram.write_data = self.changed;
        self.other_ram.write_enable = changes;
        self.other_ram.write_address = self.sum_port;
        self.other_ram.write_data = self.changed;

        comment!("Shift, judge.");
        self.quantise.estimate = self.estimate;
        self.other_quantise.estimate = self.other_estimate;
        self.congestion = self.quantise.congestion;
        self.other_congestion = self.other_quantise.congestion;
    }
}
