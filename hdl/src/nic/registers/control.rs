//! What an access does, a round at a time.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::bus::Bus;
use super::given::Given;
use super::register::{Access, Holder, Register, find};
use super::table::OF_TYPES;
use super::tally::Tally;
use super::words::Words;
use crate::comment;
use crate::prims::{Array, Optional, Param, Reg};

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
#[block]
pub struct Control<const N: usize, const B: usize, const K: usize> {
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
    /// Where the host says who the peers are: an entry is to be written.
    pub peer_valid: Optional<Signal<Out, Bit>>,
    pub peer_ready: Optional<Signal<In, Bit>>,
    /// Of Ultra Ethernet: the receiver is to take a packet, and what became of that.
    pub accept_valid: Optional<Signal<Out, Bit>>,
    pub accept_ready: Optional<Signal<In, Bit>>,
    pub accept_status: Optional<Signal<In, Bits<3>>>,
    pub accept_nack: Optional<Signal<In, Bits<8>>>,
    pub result_status: Signal<In, Bits<3>>,
    pub result_snd_una: Signal<In, Bits<32>>,
    pub result_snd_nxt: Signal<In, Bits<32>>,
    pub result_in_flight: Signal<In, Bits<10>>,
    pub result_bytes_in_flight: Signal<In, Bits<32>>,
    pub result_in_recovery: Signal<In, Bits<1>>,
    pub events_waiting: Signal<In, Bits<16>>,
    pub credit_state: Optional<Signal<In, Bits<32>>>,
    pub pulses: Signal<In, Bits<K>>,
    /// Pulse: an access is refused.
    pub refusal: Signal<Out, Bit>,
    pub cycles_low: Signal<In, Bits<32>>,
    pub cycles_high: Signal<In, Bits<32>>,

    bus: Bus,
    words: Words<N>,
    given: Given,
    tally: Tally<K>,

    phase: Reg<Bits<6>>,
    is_first_round: Reg<Bit>,
    /// Word that is given its value, and whether all were.
    first_word: Reg<Bits<8>>,
    is_set: Reg<Bit>,
    word: Reg<Bits<8>>,
    is_outside: Reg<Bit>,
    can_read: Reg<Bit>,
    can_clear: Reg<Bit>,
    is_within: Reg<Bit>,
    are_swapped: Reg<Bit>,
    is_refused: Reg<Bit>,
    has_acted: Reg<Bit>,
    is_applied: Reg<Bit>,
    is_refusal: Reg<Bit>,
    commands: Reg<Bit>,
    enters: Optional<Reg<Bit>>,
    accepts: Optional<Reg<Bit>>,

    is_visit: Reg<Bit>,
    /// The register is the low half of a counter, or that of the time.
    is_count: Reg<Bit>,
    is_time: Reg<Bit>,
    high: Reg<Bits<32>>,

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
    has_credit: Param<bool>,
    peer_entry_at: Param<Bits<8>>,
    has_peers: Param<bool>,
    /// The last word of those that only a block of Ultra Ethernet has: they can be read and written, and stand in the memory in places that no
    /// other word has.
    last_typed: Param<Bits<8>>,
    behind_operands: Param<Bits<8>>,
    accept_at: Param<Bits<8>>,
    has_types: Param<bool>,
}

/// A register that only a block of Ultra Ethernet has, and no counter.
fn is_typed(register: &Register) -> bool {
    (OF_TYPES..OF_TYPES + 0x80).contains(&register.address)
}

/// Ranges of words in which all can be read, but for those of Ultra Ethernet alone.
///
/// # Panics
/// If they are not `B`.
fn readable<const B: usize>(table: &[Register]) -> [(u64, u64); B] {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let is_here = |register: &&Register| register.access != Access::WriteOnly && !is_typed(register);
    for register in table.iter().filter(is_here) {
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

#[block]
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
        let last_typed = table.iter().rfind(|register| is_typed(register)).map(Register::word);
        let has_types = last_typed.is_some();
        // what is written goes into the memory, also where it cannot be read
        let is_plain = |register: &&Register| {
            register.address < OF_TYPES && (in_memory(register) || register.access == Access::WriteOnly)
        };
        let plain = table.iter().filter(is_plain);
        let last_plain = plain.map(Register::word).max().unwrap_or(0);
        // a place for each word below the last one, and behind them the counters
        let first_counter =
            if has_types { last_plain + 1 } else { (last_first_word + 1).next_multiple_of(16) };
        let places = if has_types { first_counter } else { last_first_word + 1 };
        assert!(places as usize + K <= 128, "{K} counters do not fit into the memory");
        let has_credit = table.iter().any(|register| register.holder == Holder::CreditState);
        let peer_entry = table.iter().find(|register| register.holder == Holder::PeerEntry);
        let has_peers = peer_entry.is_some();
        let accept = table.iter().find(|register| register.holder == Holder::Accept);
        let mut control = Self {
            peer_valid: Optional::new(has_peers, Default::default),
            peer_ready: Optional::new(has_peers, Default::default),
            enters: Optional::new(has_peers, Default::default),
            accept_valid: Optional::new(has_types, Default::default),
            accept_ready: Optional::new(has_types, Default::default),
            accept_status: Optional::new(has_types, Default::default),
            accept_nack: Optional::new(has_types, Default::default),
            accepts: Optional::new(has_types, Default::default),
            accept_at: Param::new(accept.map_or(0, Register::word).into()),
            peer_entry_at: Param::new(peer_entry.map_or(0, Register::word).into()),
            has_peers: Param::new(has_peers),
            credit_state: Optional::new(has_credit, Default::default),
            has_credit: Param::new(has_credit),
            words: Words::new(table),
            given: Given::new(table),
            tally: Tally::new(),
            wire_prescale_at: word("wire_prescale"),
            sack_prescale_at: word("sack_prescale"),
            command_at: word("command"),
            time_low_at: word("time_low"),
            last_first_word: Param::new(last_first_word.into()),
            first_counter: Param::new(first_counter.into()),
            last_typed: Param::new(last_typed.unwrap_or(0).into()),
            behind_operands: Param::new((last_plain + 1).into()),
            has_types: Param::new(has_types),
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

    fn update(&mut self) {
        comment!("module control: what an access does, a round at a time");

        comment!("The bus.");
        self.bus.awvalid = self.awvalid;
        self.bus.awaddr = self.awaddr;
        self.bus.wvalid = self.wvalid;
        self.bus.wdata = self.wdata;
        self.bus.wstrb = self.wstrb;
        self.bus.bready = self.bready;
        self.bus.arvalid = self.arvalid;
        self.bus.araddr = self.araddr;
        self.bus.rready = self.rready;
        self.awready = self.bus.awready;
        self.wready = self.bus.wready;
        self.bvalid = self.bus.bvalid;
        self.arready = self.bus.arready;
        self.rvalid = self.bus.rvalid;
        self.rdata = self.bus.rdata;
        self.resp = self.bus.resp;

        comment!("The round. In the first ones each setting and constant is given its value.");
        let ends_round = self.phase == self.last;
        self.phase = self.phase + 1;
        if ends_round {
            self.phase = 0;
            self.is_first_round = false;
            if !self.is_set {
                self.first_word = self.first_word + 1;
                self.is_set = self.first_word == self.last_first_word;
            }
        }
        self.bus.take = (self.phase == self.take) && self.is_set;
        let acts = (self.phase == self.act) && self.bus.is_active && !self.has_acted;

        comment!("Check: what is known of the register, then of the value, then of both.");
        let address = self.bus.address;
        let written = self.bus.value;
        self.word = address.get_bits::<8>(2);
        if !self.is_set {
            self.word = self.first_word;
        }
        let is_counter = self.word.get_bit(7);
        let is_low = !self.word.get_bit(0);
        self.words.number = self.word;
        self.words.is_reset = !self.is_set;
        self.is_outside = (address.get_bits::<2>(0) != 0) || (address.get_bits::<2>(10) != 0);
        self.can_read = false;
        for i in 0..B {
            if (self.word >= self.range_begin[i]) && (self.word <= self.range_end[i]) {
                self.can_read = true;
            }
        }
        if self.has_types {
            if (self.word.get_bits::<3>(5) == 3)
                && (self.word <= self.last_typed)
                && (self.word != self.accept_at)
            {
                self.can_read = true;
            }
        }
        self.can_clear = self.can_read && is_counter && is_low;
        self.is_within = self.words.is_written
            && (written >= bit_cast::<32, 5>(self.words.least))
            && (written <= self.words.most);
        let mut next_wire = self.wire_prescale;
        if self.word == self.wire_prescale_at {
            next_wire = written.get_bits::<5>(0);
        }
        let mut next_sack = self.sack_prescale;
        if self.word == self.sack_prescale_at {
            next_sack = written.get_bits::<5>(0);
        }
        self.are_swapped = next_sack < next_wire;
        self.is_refused = self.is_outside || !self.can_read;
        if self.bus.is_write {
            self.is_refused = self.is_outside
                || !self.bus.is_whole
                || self.are_swapped
                || !(self.is_within || self.can_clear);
        }
        let does = acts && !self.is_refused;
        let reads = does && !self.bus.is_write;
        let writes = does && self.bus.is_write;
        self.is_refusal = acts && self.is_refused;
        self.refusal = self.is_refusal;
        self.is_applied = writes;
        self.applies = self.is_applied;
        self.number = self.word;
        self.value = written;

        comment!(
            "Commands. What read or close_tx gives is kept until the next of them, or until all is reset."
        );
        let code = written.get_bits::<4>(0);
        self.command_valid = self.commands;
        let executes = self.commands && self.command_ready;
        self.command_code = code;
        if executes {
            self.commands = false;
        }
        if writes && (self.word == self.command_at) {
            self.commands = true;
        }
        comment!(
            "While such a command waits the results follow the engine: when it is done comes late in the cycle."
        );
        self.given.follows_result =
            self.commands && ((code == self.read_code) || (code == self.close_tx_code));
        self.given.forgets = self.rst || (executes && (code == self.reset_code));
        self.given.result_status = self.result_status;
        self.given.result_snd_una = self.result_snd_una;
        self.given.result_snd_nxt = self.result_snd_nxt;
        self.given.result_in_flight = self.result_in_flight;
        self.given.result_bytes_in_flight = self.result_bytes_in_flight;
        self.given.result_in_recovery = self.result_in_recovery;
        let mut finishes = ends_round && self.has_acted && !self.commands;
        if self.has_peers {
            comment!("An entry of a peer is a command of its own.");
            self.peer_valid = self.enters;
            finishes = ends_round && self.has_acted && !self.commands && !self.enters;
            if self.enters && self.peer_ready {
                self.enters = false;
            }
            if writes && (self.word == self.peer_entry_at) {
                self.enters = true;
            }
        }
        if self.has_types {
            comment!("So is a packet that the receiver is to take.");
            self.accept_valid = self.accepts;
            finishes = ends_round && self.has_acted && !self.commands && !self.accepts;
            self.given.has_accepted = self.accepts && self.accept_ready;
            self.given.accept_status = self.accept_status;
            self.given.accept_nack = self.accept_nack;
            if self.accepts && self.accept_ready {
                self.accepts = false;
            }
            if writes && (self.word == self.accept_at) {
                self.accepts = true;
            }
        }
        if acts {
            self.has_acted = true;
        } else if finishes {
            self.has_acted = false;
        }
        self.bus.finish = finishes;
        self.bus.is_refused = self.is_refused;

        comment!("The memory: counters in turn, then the register of the access.");
        self.tally.pulses = self.pulses;
        if ends_round {
            self.is_visit = true;
        } else if self.phase == self.last_counter {
            self.is_visit = false;
        }
        let mut visited = self.phase;
        if !self.is_visit {
            visited = self.word.get_bits::<6>(1);
        }
        self.tally.visit.number = visited;
        self.tally.visit.at = self.first_counter + bit_cast::<7, 6>(visited);
        if !self.is_visit && !is_counter {
            self.tally.visit.at = self.word.get_bits::<7>(0);
        }
        if self.has_types {
            comment!("Words 96 to 111 stand in places 16 to 31, those behind them from place 52 on.");
            if !self.is_visit && (self.word.get_bits::<3>(5) == 3) {
                self.tally.visit.at = (self.word.get_bits::<7>(0) & 0xf) | 0x10;
                if self.word.get_bit(4) {
                    self.tally.visit.at = (self.word.get_bits::<7>(0) & 3) | 0x34;
                }
            }
        }
        self.tally.visit.adds = self.is_visit || (reads && self.is_count);
        self.tally.visit.keeps = (self.is_visit && !self.is_first_round) || (reads && !self.given.is_beside);
        self.tally.visit.is_first = self.is_visit && self.is_first_round;
        self.tally.visit.writes =
            self.is_visit || writes || (reads && self.is_count) || (!self.is_set && (self.phase == self.act));
        if self.has_types {
            comment!("Words behind the operands have no place: counters stand there.");
            if !self.is_set
                && !self.is_visit
                && (self.word >= self.behind_operands)
                && (self.word.get_bits::<3>(5) != 3)
            {
                self.tally.visit.writes = false;
            }
        }

        comment!("What is given to it: a value to keep, or one to read from elsewhere, which passes it.");
        self.is_count = is_counter && is_low;
        self.is_time = self.word == self.time_low_at;
        self.given.word = self.word;
        self.given.is_high_half = is_counter && !is_low;
        self.given.is_kept = self.bus.is_write && self.is_set && !is_counter;
        self.given.takes = self.phase == self.act;
        self.given.reset = self.words.reset;
        self.given.written = written;
        self.given.high = self.high;
        self.given.cycles_low = self.cycles_low;
        self.given.events_waiting = self.events_waiting;
        if self.has_credit {
            self.given.credit_state = self.credit_state;
        }
        self.tally.value = self.given.value;
        self.bus.data = self.tally.low;
        comment!("A low half that is read keeps its high one.");
        if reads && self.is_time {
            self.high = self.cycles_high;
        }
        if finishes && !self.bus.is_write && !self.is_refused && self.is_count {
            self.high = self.tally.high;
        }

        if self.rst {
            self.phase = 0;
            self.is_first_round = true;
            self.is_visit = true;
            self.first_word = 0;
            self.is_set = false;
            self.has_acted = false;
            self.is_applied = false;
            self.is_refusal = false;
            self.commands = false;
            self.high = 0;
            if self.has_peers {
                self.enters = false;
            }
            if self.has_types {
                self.accepts = false;
            }
        }
    }
}
