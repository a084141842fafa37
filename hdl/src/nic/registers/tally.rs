//! The 64-bit counters, and the words that are read back as they were written.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, PulseCounts, Reg, SimpleDualPort, resize};
use crate::signal_struct;

signal_struct! {
    /// A word of the memory: 70 bits.
    pub struct Entry {
        pub low: Bits<32>,
        pub high: Bits<32>,
        /// Of a counter: the count of its pulses that is in it.
        pub seen: Bits<6>,
    }
}

signal_struct! {
    /// What is done with a word of the memory.
    pub struct Visit {
        pub at: Bits<7>,
        /// Number of the counter.
        pub number: Bits<6>,
        /// The pulses since the last visit are added; else `value` is.
        pub adds: bool,
        /// What stands there is kept; else it is taken for 0.
        pub keeps: bool,
        /// What stands there was never written, and neither was the count of pulses.
        pub is_first: bool,
        pub writes: bool,
    }
}

/// A memory of 128 words, of which `N` are counters of pulses.
///
/// ```text
///          read             join               add        write
///  visit ► pulse_counts ──► pulses since ──► bits 21:0 ──► memory
///          memory, 2 cycles the last visit   all others   └──────► low, high
/// ```
///
/// A visit reads a word, adds to it and writes it. Its sum stands at `low` and `high` 7 clock cycles after it was given; the
/// pulses in it are those of the cycle in which it was given and of all before. A word may be visited again 7 cycles later, and each
/// counter has to be visited at least every 62.
#[block]
pub struct Tally<const N: usize> {
    pub pulses: Signal<In, Bits<N>>,
    pub visit: Signal<In, Visit>,
    /// Four cycles after its visit: what is added.
    pub value: Signal<In, Bits<32>>,
    pub low: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bits<32>>,

    pulse_counts: PulseCounts<N>,
    memory: SimpleDualPort<Bits<7>, Entry>,
    at_read: Reg<Visit>,
    in_memory: Reg<Visit>,
    at_join: Reg<Visit>,
    at_choice: Reg<Visit>,
    at_low: Reg<Visit>,
    at_high: Reg<Visit>,
    at_write: Reg<Visit>,

    read: Signal<Local, Entry>,
    /// Pulses since the last visit; negative where their count began anew.
    since: Reg<Bits<7>>,
    seen: [Reg<Bits<6>>; 4],
    low_read: Reg<Bits<32>>,
    high_read: Reg<Bits<32>>,
    low_kept: Reg<Bits<32>>,
    high_kept: Reg<Bits<32>>,
    added: Reg<Bits<32>>,
    /// Bits 21:0 of the sum with the carry out of them.
    low_sum: Reg<Bits<23>>,
    /// Bits 40:22, what is added to them, and whether they are all ones, over which a carry goes.
    middle_waiting: Reg<Bits<19>>,
    added_waiting: Reg<Bits<19>>,
    is_full: Reg<Bit>,
    high_waiting: Reg<Bits<23>>,
    low_done: Reg<Bits<22>>,
    middle_sum: Reg<Bits<19>>,
    high_sum: Reg<Bits<23>>,
    first_low: Param<Bits<32>>,
    first_high: Param<Bits<32>>,
}

#[block]
impl<const N: usize> Tally<N> {
    /// With its memory and the counts of its pulses.
    pub fn new() -> Self {
        let about = "counters, and settings and constants as they are read back";
        Self {
            pulse_counts: PulseCounts::new("pulse_counts"),
            memory: SimpleDualPort::new("tally_memory", about, MemoryKind::Block).with_output_register(),
            first_low: Param::new(0u64.into()),
            first_high: Param::new(0u64.into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module tally: counters of 64 bits, visited in turn");
        self.pulse_counts.pulses = self.pulses;
        self.at_read = self.visit;
        self.in_memory = self.at_read;
        self.at_join = self.in_memory;
        self.at_choice = self.at_join;
        self.at_low = self.at_choice;
        self.at_high = self.at_low;
        self.at_write = self.at_high;

        comment!("Read: the word and the count of its pulses come two cycles later.");
        self.memory.read_address = self.at_read.at;
        self.pulse_counts.number = self.at_read.number;

        comment!("Join: the pulses that the word does not have yet.");
        self.read = self.memory.read_data;
        let mut seen_before = self.read.seen;
        if self.at_join.is_first {
            seen_before = 0;
        }
        self.since = bit_cast::<7, 6>(self.pulse_counts.count) - bit_cast::<7, 6>(seen_before);
        self.seen[0] = self.pulse_counts.count;
        self.low_read = self.read.low;
        self.high_read = self.read.high;

        comment!("Choice: a count goes from 62 to 0, so one that began anew is 1 less than modulo 64.");
        let mut begins_anew: Bits<6> = 0;
        if self.since.get_bit(6) {
            begins_anew = 1;
        }
        self.added = self.value;
        if self.at_choice.adds {
            self.added = bit_cast::<32, 6>(self.since.get_bits::<6>(0) - begins_anew);
        }
        self.low_kept = self.low_read;
        self.high_kept = self.high_read;
        if !self.at_choice.keeps {
            self.low_kept = 0;
            self.high_kept = 0;
        }
        if self.at_choice.is_first {
            self.low_kept = self.first_low;
            self.high_kept = self.first_high;
        }
        self.seen[1] = self.seen[0];

        comment!("Add bits 21:0.");
        let kept: Bits<64> = bit_cast::<64, 32>(self.low_kept) | (bit_cast::<64, 32>(self.high_kept) << 32);
        self.low_sum = bit_cast::<23, 22>(self.low_kept.get_bits::<22>(0))
            + bit_cast::<23, 22>(self.added.get_bits::<22>(0));
        self.middle_waiting = kept.get_bits::<19>(22);
        self.added_waiting = resize(self.added.get_bits::<10>(22));
        self.is_full = kept.get_bits::<19>(22).all();
        self.high_waiting = kept.get_bits::<23>(41);
        self.seen[2] = self.seen[1];
        comment!(
            "Add bits 40:22 and 63:41. What is added to a count has no such bits, and what is given has no carry."
        );
        let mut to_middle = self.added_waiting;
        let mut to_high: Bits<23> = 0;
        if self.low_sum.get_bit(22) {
            to_middle = 1;
            if self.is_full {
                to_high = 1;
            }
        }
        self.low_done = self.low_sum.get_bits::<22>(0);
        self.middle_sum = self.middle_waiting + to_middle;
        self.high_sum = self.high_waiting + to_high;
        self.seen[3] = self.seen[2];

        comment!("Write.");
        self.memory.write_enable = self.at_write.writes;
        self.memory.write_address = self.at_write.at;
        let sum: Bits<64> = bit_cast::<64, 22>(self.low_done)
            | (bit_cast::<64, 19>(self.middle_sum) << 22)
            | (bit_cast::<64, 23>(self.high_sum) << 41);
        self.low = sum.get_bits::<32>(0);
        self.high = sum.get_bits::<32>(32);
        self.memory.write_data.low = sum.get_bits::<32>(0);
        self.memory.write_data.high = sum.get_bits::<32>(32);
        self.memory.write_data.seen = self.seen[3];
        comment!("A visit of before a reset writes nothing behind it.");
        if self.rst {
            self.at_read.writes = false;
            self.in_memory.writes = false;
            self.at_join.writes = false;
            self.at_choice.writes = false;
            self.at_low.writes = false;
            self.at_high.writes = false;
            self.at_write.writes = false;
        }
    }
}
