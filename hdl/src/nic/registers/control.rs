//! What an access does, a round at a time.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::bus::Bus;
use super::given::Given;
use super::table::{Holder, Register, find};
use super::tally::Tally;
use super::words::Words;
use crate::comment;
use crate::prims::{Array, Param};

/// Cycles from the one in which an access may begin to that in which it does what it does: it is checked by then.
const CHECK_CYCLES: u64 = 5;
/// Cycles behind its visit in which a counter is not visited again: an access is a visit, too.
const VISIT_CYCLES: u64 = 7;
/// The earliest cycle of a round in which an access acts, and how many cycles behind it the next round begins.
const LEAST_ACT: u64 = 44;
const REST_CYCLES: u64 = 8;

/// The cycle of the round in which an access acts, where there are so many counters: the last one was visited long enough before.
const fn act(counters: u64) -> u64 {
    let last = counters - 1;
    if last + VISIT_CYCLES > LEAST_ACT { last + VISIT_CYCLES } else { LEAST_ACT }
}

/// Clock cycles of a round, in which every counter is visited once, and one access may be done.
pub const fn round_cycles(counters: u64) -> u64 {
    act(counters) + REST_CYCLES
}

/// The bus, the check of an access, commands with their results, and the counters.
///
/// ```text
///  cycle of the round   0 ... K-1             39          40 ... 43   44    51
///                       visits of the K       an access   it is       it    it is
///                       counters              may begin   checked     acts  answered
/// ```
///
/// With more than 38 counters all but the visits is so many cycles later.
///
/// A command holds the answer back until it is done. The first rounds after `rst` give every setting and constant its value in the
/// memory from which it is read; accesses wait for that.
///
/// `N` is the number of constants and of registers that can be written, but for counters; `B` that of ranges of words that can be
/// read; `K` that of counters.
#[derive(LogicBlock, Default)]
pub struct Control<const N: usize, const B: usize, const K: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub awaddr: Signal<In, Bits<12>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub wstrb: Signal<In, Bits<4>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub araddr: Signal<In, Bits<12>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    pub resp: Signal<Out, Bits<2>>,
    /// The register whose word is `number` takes `value`.
    pub applies: Signal<Out, Bit>,
    pub number: Signal<Out, Bits<8>>,
    pub value: Signal<Out, Bits<32>>,
    pub wire_prescale: Signal<In, Bits<5>>,
    pub sack_prescale: Signal<In, Bits<5>>,
    pub command_valid: Signal<Out, Bit>,
    pub command_ready: Signal<In, Bit>,
    pub command_code: Signal<Out, Bits<4>>,
    pub result_status: Signal<In, Bits<3>>,
    pub result_snd_una: Signal<In, Bits<32>>,
    pub result_snd_nxt: Signal<In, Bits<32>>,
    pub result_in_flight: Signal<In, Bits<10>>,
    pub result_bytes_in_flight: Signal<In, Bits<32>>,
    pub result_in_recovery: Signal<In, Bits<1>>,
    pub events_waiting: Signal<In, Bits<16>>,
    pub pulses: Signal<In, Bits<K>>,
    /// Pulse: an access is refused.
    pub refusal: Signal<Out, Bit>,
    pub cycles_low: Signal<In, Bits<32>>,
    pub cycles_high: Signal<In, Bits<32>>,

    bus: Bus,
    words: Words<N>,
    given: Given,
    tally: Tally<K>,

    phase: DFF<Bits<6>>,
    is_first_round: DFF<Bit>,
    ends_round: Signal<Local, Bit>,
    /// Word that is given its value, and whether all were.
    first_word: DFF<Bits<8>>,
    is_set: DFF<Bit>,
    address: Signal<Local, Bits<12>>,
    written: Signal<Local, Bits<32>>,
    word: DFF<Bits<8>>,
    is_low: Signal<Local, Bit>,
    is_counter: Signal<Local, Bit>,
    is_outside: DFF<Bit>,
    can_read: DFF<Bit>,
    can_clear: DFF<Bit>,
    is_within: DFF<Bit>,
    next_wire: Signal<Local, Bits<5>>,
    next_sack: Signal<Local, Bits<5>>,
    are_swapped: DFF<Bit>,
    is_refused: DFF<Bit>,
    acts: Signal<Local, Bit>,
    does: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    has_acted: DFF<Bit>,
    is_applied: DFF<Bit>,
    is_refusal: DFF<Bit>,
    commands: DFF<Bit>,
    code: Signal<Local, Bits<4>>,
    executes: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,

    is_visit: DFF<Bit>,
    visited: Signal<Local, Bits<6>>,
    /// The register is the low half of a counter, or that of the time.
    is_count: DFF<Bit>,
    is_time: DFF<Bit>,
    high: DFF<Bits<32>>,

    wire_prescale_at: Param<Bits<8>>,
    sack_prescale_at: Param<Bits<8>>,
    command_at: Param<Bits<8>>,
    time_low_at: Param<Bits<8>>,
    range_begin: Array<Param<Bits<8>>, B>,
    range_end: Array<Param<Bits<8>>, B>,
    last_first_word: Param<Bits<8>>,
    /// Place of the first counter in the memory, behind all that is not one.
    first_counter: Param<Bits<7>>,
    last_counter: Param<Bits<6>>,
    take: Param<Bits<6>>,
    act: Param<Bits<6>>,
    last: Param<Bits<6>>,
    read_code: Param<Bits<4>>,
    close_tx_code: Param<Bits<4>>,
    reset_code: Param<Bits<4>>,
}

/// Ranges of words in which all can be read.
///
/// # Panics
/// If they are not `B`.
fn readable<const B: usize>(table: &[Register]) -> [(u64, u64); B] {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for register in table.iter().filter(|register| register.holder != Holder::Command) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == register.word() => *last += 1,
            _ => ranges.push((register.word(), register.word())),
        }
    }
    let count = ranges.len();
    ranges.try_into().unwrap_or_else(|_| panic!("{count} ranges of registers, where the block has {B}"))
}

/// The code of a command.
fn command(name: &str) -> Param<Bits<4>> {
    let at = super::table::COMMANDS.iter().position(|(known, _)| *known == name);
    Param::new((at.expect("the command is one of the table") as u64 + 1).into())
}

impl<const N: usize, const B: usize, const K: usize> Control<N, B, K> {
    /// For a table of registers.
    ///
    /// # Panics
    /// If the table does not fit the sizes.
    pub fn new(table: &[Register]) -> Self {
        let word = |name: &str| Param::new(find(table, name).word().into());
        let ranges = readable::<B>(table);
        let in_memory = |register: &&Register| matches!(register.holder, Holder::Constant | Holder::Setting);
        let last_first_word = table.iter().filter(in_memory).map(Register::word).max().unwrap_or(0);
        assert!(last_first_word as usize + 1 + K <= 128, "{K} counters do not fit into the memory");
        let mut control = Self {
            words: Words::new(table),
            given: Given::new(table),
            tally: Tally::new(),
            wire_prescale_at: word("wire_prescale"),
            sack_prescale_at: word("sack_prescale"),
            command_at: word("command"),
            time_low_at: word("time_low"),
            last_first_word: Param::new(last_first_word.into()),
            first_counter: Param::new((last_first_word + 1).next_multiple_of(16).into()),
            last_counter: Param::new((K as u64 - 1).into()),
            take: Param::new((act(K as u64) - CHECK_CYCLES).into()),
            act: Param::new(act(K as u64).into()),
            last: Param::new((round_cycles(K as u64) - 1).into()),
            read_code: command("read"),
            close_tx_code: command("close_tx"),
            reset_code: command("reset"),
            ..Default::default()
        };
        for (at, (begin, end)) in ranges.into_iter().enumerate() {
            control.range_begin[at] = Param::new(begin.into());
            control.range_end[at] = Param::new(end.into());
        }
        control
    }
}

impl<const N: usize, const B: usize, const K: usize> Logic for Control<N, B, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module control: what an access does, a round at a time");
        dff_setup!(self, clk, phase, is_first_round, first_word, is_set, is_outside, can_read, can_clear);
        dff_setup!(self, clk, is_within, are_swapped, is_refused, has_acted, is_applied, is_refusal);
        dff_setup!(self, clk, commands, word, is_visit, is_count, is_time, high);
        self.bus.clk.next = self.clk.val();
        self.bus.rst.next = self.rst.val();
        self.words.clk.next = self.clk.val();
        self.tally.clk.next = self.clk.val();
        self.tally.rst.next = self.rst.val();

        comment!("The bus.");
        self.bus.awvalid.next = self.awvalid.val();
        self.bus.awaddr.next = self.awaddr.val();
        self.bus.wvalid.next = self.wvalid.val();
        self.bus.wdata.next = self.wdata.val();
        self.bus.wstrb.next = self.wstrb.val();
        self.bus.bready.next = self.bready.val();
        self.bus.arvalid.next = self.arvalid.val();
        self.bus.araddr.next = self.araddr.val();
        self.bus.rready.next = self.rready.val();
        self.awready.next = self.bus.awready.val();
        self.wready.next = self.bus.wready.val();
        self.bvalid.next = self.bus.bvalid.val();
        self.arready.next = self.bus.arready.val();
        self.rvalid.next = self.bus.rvalid.val();
        self.rdata.next = self.bus.rdata.val();
        self.resp.next = self.bus.resp.val();

        comment!("The round. In the first ones each setting and constant is given its value.");
        self.ends_round.next = self.phase.q.val() == self.last.val();
        self.phase.d.next = self.phase.q.val() + 1;
        if self.ends_round.val() {
            self.phase.d.next = bits::<6>(0);
            self.is_first_round.d.next = false;
            if !self.is_set.q.val() {
                self.first_word.d.next = self.first_word.q.val() + 1;
                self.is_set.d.next = self.first_word.q.val() == self.last_first_word.val();
            }
        }
        self.bus.take.next = (self.phase.q.val() == self.take.val()) && self.is_set.q.val();
        self.acts.next =
            (self.phase.q.val() == self.act.val()) && self.bus.is_active.val() && !self.has_acted.q.val();

        comment!("Check: what is known of the register, then of the value, then of both.");
        self.address.next = self.bus.address.val();
        self.written.next = self.bus.value.val();
        self.word.d.next = self.address.val().get_bits::<8>(2);
        if !self.is_set.q.val() {
            self.word.d.next = self.first_word.q.val();
        }
        self.is_counter.next = self.word.q.val().get_bit(7);
        self.is_low.next = !self.word.q.val().get_bit(0);
        self.words.number.next = self.word.q.val();
        self.words.is_reset.next = !self.is_set.q.val();
        self.is_outside.d.next =
            (self.address.val().get_bits::<2>(0) != 0) || (self.address.val().get_bits::<2>(10) != 0);
        self.can_read.d.next = false;
        for i in 0..B {
            if (self.word.q.val() >= self.range_begin[i].val())
                && (self.word.q.val() <= self.range_end[i].val())
            {
                self.can_read.d.next = true;
            }
        }
        self.can_clear.d.next = self.can_read.q.val() && self.is_counter.val() && self.is_low.val();
        self.is_within.d.next = self.words.is_written.val()
            && (self.written.val() >= bit_cast::<32, 5>(self.words.least.val()))
            && (self.written.val() <= self.words.most.val());
        self.next_wire.next = self.wire_prescale.val();
        if self.word.q.val() == self.wire_prescale_at.val() {
            self.next_wire.next = self.written.val().get_bits::<5>(0);
        }
        self.next_sack.next = self.sack_prescale.val();
        if self.word.q.val() == self.sack_prescale_at.val() {
            self.next_sack.next = self.written.val().get_bits::<5>(0);
        }
        self.are_swapped.d.next = self.next_sack.val() < self.next_wire.val();
        self.is_refused.d.next = self.is_outside.q.val() || !self.can_read.q.val();
        if self.bus.is_write.val() {
            self.is_refused.d.next = self.is_outside.q.val()
                || !self.bus.is_whole.val()
                || self.are_swapped.q.val()
                || !(self.is_within.q.val() || self.can_clear.q.val());
        }
        self.does.next = self.acts.val() && !self.is_refused.q.val();
        self.reads.next = self.does.val() && !self.bus.is_write.val();
        self.writes.next = self.does.val() && self.bus.is_write.val();
        self.is_refusal.d.next = self.acts.val() && self.is_refused.q.val();
        self.refusal.next = self.is_refusal.q.val();
        self.is_applied.d.next = self.writes.val();
        self.applies.next = self.is_applied.q.val();
        self.number.next = self.word.q.val();
        self.value.next = self.written.val();

        comment!(
            "Commands. What read or close_tx gives is kept until the next of them, or until all is reset."
        );
        self.code.next = self.written.val().get_bits::<4>(0);
        self.command_valid.next = self.commands.q.val();
        self.executes.next = self.commands.q.val() && self.command_ready.val();
        self.command_code.next = self.code.val();
        if self.executes.val() {
            self.commands.d.next = false;
        }
        if self.writes.val() && (self.word.q.val() == self.command_at.val()) {
            self.commands.d.next = true;
        }
        self.given.has_result.next = self.executes.val()
            && ((self.code.val() == self.read_code.val()) || (self.code.val() == self.close_tx_code.val()));
        self.given.forgets.next =
            self.rst.val() || (self.executes.val() && (self.code.val() == self.reset_code.val()));
        self.given.result_status.next = self.result_status.val();
        self.given.result_snd_una.next = self.result_snd_una.val();
        self.given.result_snd_nxt.next = self.result_snd_nxt.val();
        self.given.result_in_flight.next = self.result_in_flight.val();
        self.given.result_bytes_in_flight.next = self.result_bytes_in_flight.val();
        self.given.result_in_recovery.next = self.result_in_recovery.val();
        self.finishes.next = self.ends_round.val() && self.has_acted.q.val() && !self.commands.q.val();
        if self.acts.val() {
            self.has_acted.d.next = true;
        } else if self.finishes.val() {
            self.has_acted.d.next = false;
        }
        self.bus.finish.next = self.finishes.val();
        self.bus.is_refused.next = self.is_refused.q.val();

        comment!("The memory: counters in turn, then the register of the access.");
        self.tally.pulses.next = self.pulses.val();
        if self.ends_round.val() {
            self.is_visit.d.next = true;
        } else if self.phase.q.val() == self.last_counter.val() {
            self.is_visit.d.next = false;
        }
        self.visited.next = self.phase.q.val();
        if !self.is_visit.q.val() {
            self.visited.next = self.word.q.val().get_bits::<6>(1);
        }
        self.tally.visit.next.number = self.visited.val();
        self.tally.visit.next.at = self.first_counter.val() + bit_cast::<7, 6>(self.visited.val());
        if !self.is_visit.q.val() && !self.is_counter.val() {
            self.tally.visit.next.at = self.word.q.val().get_bits::<7>(0);
        }
        self.tally.visit.next.adds = self.is_visit.q.val() || (self.reads.val() && self.is_count.q.val());
        self.tally.visit.next.keeps = (self.is_visit.q.val() && !self.is_first_round.q.val())
            || (self.reads.val() && !self.given.is_beside.val());
        self.tally.visit.next.is_first = self.is_visit.q.val() && self.is_first_round.q.val();
        self.tally.visit.next.writes = self.is_visit.q.val()
            || self.writes.val()
            || (self.reads.val() && self.is_count.q.val())
            || (!self.is_set.q.val() && (self.phase.q.val() == self.act.val()));

        comment!("What is given to it: a value to keep, or one to read from elsewhere, which passes it.");
        self.is_count.d.next = self.is_counter.val() && self.is_low.val();
        self.is_time.d.next = self.word.q.val() == self.time_low_at.val();
        self.given.clk.next = self.clk.val();
        self.given.word.next = self.word.q.val();
        self.given.is_high_half.next = self.is_counter.val() && !self.is_low.val();
        self.given.is_kept.next = self.bus.is_write.val() && self.is_set.q.val() && !self.is_counter.val();
        self.given.takes.next = self.phase.q.val() == self.act.val();
        self.given.reset.next = self.words.reset.val();
        self.given.written.next = self.written.val();
        self.given.high.next = self.high.q.val();
        self.given.cycles_low.next = self.cycles_low.val();
        self.given.events_waiting.next = self.events_waiting.val();
        self.tally.value.next = self.given.value.val();
        self.bus.data.next = self.tally.low.val();
        comment!("A low half that is read keeps its high one.");
        if self.reads.val() && self.is_time.q.val() {
            self.high.d.next = self.cycles_high.val();
        }
        if self.finishes.val()
            && !self.bus.is_write.val()
            && !self.is_refused.q.val()
            && self.is_count.q.val()
        {
            self.high.d.next = self.tally.high.val();
        }

        if self.rst.val() {
            self.phase.d.next = bits::<6>(0);
            self.is_first_round.d.next = true;
            self.is_visit.d.next = true;
            self.first_word.d.next = bits::<8>(0);
            self.is_set.d.next = false;
            self.has_acted.d.next = false;
            self.is_applied.d.next = false;
            self.is_refusal.d.next = false;
            self.commands.d.next = false;
            self.high.d.next = bits::<32>(0);
        }
    }
}
