//! The 64-bit counters, and the words that are read back as they were written.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, PulseCounts, SimpleDualPort};
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
#[derive(LogicBlock, Default)]
pub struct Tally<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub pulses: Signal<In, Bits<N>>,
    pub visit: Signal<In, Visit>,
    /// Four cycles after its visit: what is added.
    pub value: Signal<In, Bits<32>>,
    pub low: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bits<32>>,

    pulse_counts: PulseCounts<N>,
    memory: SimpleDualPort<Bits<7>, Entry>,
    at_read: DFF<Visit>,
    in_memory: DFF<Visit>,
    at_join: DFF<Visit>,
    at_choice: DFF<Visit>,
    at_low: DFF<Visit>,
    at_high: DFF<Visit>,
    at_write: DFF<Visit>,

    seen_before: Signal<Local, Bits<6>>,
    read: Signal<Local, Entry>,
    /// Pulses since the last visit; negative where their count began anew.
    since: DFF<Bits<7>>,
    seen: [DFF<Bits<6>>; 4],
    low_read: DFF<Bits<32>>,
    high_read: DFF<Bits<32>>,
    low_kept: DFF<Bits<32>>,
    high_kept: DFF<Bits<32>>,
    begins_anew: Signal<Local, Bits<6>>,
    added: DFF<Bits<32>>,
    kept: Signal<Local, Bits<64>>,
    /// Bits 21:0 of the sum with the carry out of them.
    low_sum: DFF<Bits<23>>,
    /// Bits 40:22, what is added to them, and whether they are all ones, over which a carry goes.
    middle_waiting: DFF<Bits<19>>,
    added_waiting: DFF<Bits<19>>,
    is_full: DFF<Bit>,
    to_middle: Signal<Local, Bits<19>>,
    high_waiting: DFF<Bits<23>>,
    to_high: Signal<Local, Bits<23>>,
    low_done: DFF<Bits<22>>,
    middle_sum: DFF<Bits<19>>,
    high_sum: DFF<Bits<23>>,
    sum: Signal<Local, Bits<64>>,
    first_low: Param<Bits<32>>,
    first_high: Param<Bits<32>>,
}

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
}

impl<const N: usize> Logic for Tally<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module tally: counters of 64 bits, visited in turn");
        dff_setup!(self, clk, at_read, in_memory, at_join, at_choice, at_low, at_high);
        dff_setup!(self, clk, at_write);
        dff_setup!(self, clk, since, low_read, high_read, low_kept, high_kept, added);
        dff_setup!(self, clk, low_sum, middle_waiting, added_waiting, is_full, high_waiting);
        dff_setup!(self, clk, low_done, middle_sum, high_sum);
        for i in 0..4 {
            self.seen[i].clock.next = self.clk.val();
        }
        self.pulse_counts.clk.next = self.clk.val();
        self.pulse_counts.rst.next = self.rst.val();
        self.pulse_counts.pulses.next = self.pulses.val();
        self.memory.clk.next = self.clk.val();
        self.at_read.d.next = self.visit.val();
        self.in_memory.d.next = self.at_read.q.val();
        self.at_join.d.next = self.in_memory.q.val();
        self.at_choice.d.next = self.at_join.q.val();
        self.at_low.d.next = self.at_choice.q.val();
        self.at_high.d.next = self.at_low.q.val();
        self.at_write.d.next = self.at_high.q.val();

        comment!("Read: the word and the count of its pulses come two cycles later.");
        self.memory.read_address.next = self.at_read.q.val().at;
        self.pulse_counts.number.next = self.at_read.q.val().number;

        comment!("Join: the pulses that the word does not have yet.");
        self.read.next = self.memory.read_data.val();
        self.seen_before.next = self.read.val().seen;
        if self.at_join.q.val().is_first {
            self.seen_before.next = bits::<6>(0);
        }
        self.since.d.next =
            bit_cast::<7, 6>(self.pulse_counts.count.val()) - bit_cast::<7, 6>(self.seen_before.val());
        self.seen[0].d.next = self.pulse_counts.count.val();
        self.low_read.d.next = self.read.val().low;
        self.high_read.d.next = self.read.val().high;

        comment!("Choice: a count goes from 62 to 0, so one that began anew is 1 less than modulo 64.");
        self.begins_anew.next = bits::<6>(0);
        if self.since.q.val().get_bit(6) {
            self.begins_anew.next = bits::<6>(1);
        }
        self.added.d.next = self.value.val();
        if self.at_choice.q.val().adds {
            self.added.d.next =
                bit_cast::<32, 6>(self.since.q.val().get_bits::<6>(0) - self.begins_anew.val());
        }
        self.low_kept.d.next = self.low_read.q.val();
        self.high_kept.d.next = self.high_read.q.val();
        if !self.at_choice.q.val().keeps {
            self.low_kept.d.next = bits::<32>(0);
            self.high_kept.d.next = bits::<32>(0);
        }
        if self.at_choice.q.val().is_first {
            self.low_kept.d.next = self.first_low.val();
            self.high_kept.d.next = self.first_high.val();
        }
        self.seen[1].d.next = self.seen[0].q.val();

        comment!("Add bits 21:0.");
        self.kept.next =
            bit_cast::<64, 32>(self.low_kept.q.val()) | (bit_cast::<64, 32>(self.high_kept.q.val()) << 32);
        self.low_sum.d.next = bit_cast::<23, 22>(self.low_kept.q.val().get_bits::<22>(0))
            + bit_cast::<23, 22>(self.added.q.val().get_bits::<22>(0));
        self.middle_waiting.d.next = self.kept.val().get_bits::<19>(22);
        self.added_waiting.d.next = bit_cast::<19, 10>(self.added.q.val().get_bits::<10>(22));
        self.is_full.d.next = self.kept.val().get_bits::<19>(22).all();
        self.high_waiting.d.next = self.kept.val().get_bits::<23>(41);
        self.seen[2].d.next = self.seen[1].q.val();
        comment!(
            "Add bits 40:22 and 63:41. What is added to a count has no such bits, and what is given has no carry."
        );
        self.to_middle.next = self.added_waiting.q.val();
        self.to_high.next = bits::<23>(0);
        if self.low_sum.q.val().get_bit(22) {
            self.to_middle.next = bits::<19>(1);
            if self.is_full.q.val() {
                self.to_high.next = bits::<23>(1);
            }
        }
        self.low_done.d.next = self.low_sum.q.val().get_bits::<22>(0);
        self.middle_sum.d.next = self.middle_waiting.q.val() + self.to_middle.val();
        self.high_sum.d.next = self.high_waiting.q.val() + self.to_high.val();
        self.seen[3].d.next = self.seen[2].q.val();

        comment!("Write.");
        self.memory.write_enable.next = self.at_write.q.val().writes;
        self.memory.write_address.next = self.at_write.q.val().at;
        self.sum.next = bit_cast::<64, 22>(self.low_done.q.val())
            | (bit_cast::<64, 19>(self.middle_sum.q.val()) << 22)
            | (bit_cast::<64, 23>(self.high_sum.q.val()) << 41);
        self.low.next = self.sum.val().get_bits::<32>(0);
        self.high.next = self.sum.val().get_bits::<32>(32);
        self.memory.write_data.next.low = self.sum.val().get_bits::<32>(0);
        self.memory.write_data.next.high = self.sum.val().get_bits::<32>(32);
        self.memory.write_data.next.seen = self.seen[3].q.val();
        comment!("A visit of before a reset writes nothing behind it.");
        if self.rst.val() {
            self.at_read.d.next.writes = false;
            self.in_memory.d.next.writes = false;
            self.at_join.d.next.writes = false;
            self.at_choice.d.next.writes = false;
            self.at_low.d.next.writes = false;
            self.at_high.d.next.writes = false;
            self.at_write.d.next.writes = false;
        }
    }
}
