//! The path congestion table of `caver.table = per_port`: the latest report of each destination by each uplink, and the best one of those
//! that live.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::contract::UPLINK_SEED;
use super::least::LeastOfFour;
use super::state::{Op, Report, Tail};
use super::uplink::Uplink;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Delay, Param, RandomEv, Reg, SimpleDualPort, resize};

/// Reports of sixteen uplinks, which are the last ports of the switch.
///
/// ```text
///  hold          read                    compare              decide             shift
///  dst ──► 16 reports ──► 16 ranks ──► best of each four ──► best of four
///                                                       └──► 4 tails ─────────► its tail
/// ```
///
/// What is compared of a report stands in a memory for each uplink, and what the chosen one brings in four memories, each of which has the
/// tails of four uplinks: only the best one of the four is read there. So 34 bits need not be chosen out of sixteen words, and with the
/// sizes of the default both together take 20 memories of 36 Kib, where one of 43 bits for each uplink takes 24.
///
/// `DST`, `FLOW`, `PORT` and `PORTS` are the widths of an [`Op`], `WALK` that of the walker's place, and `TAIL = DST + 2`.
#[block]
pub struct Uplinks<
    const DST: usize,
    const FLOW: usize,
    const PORT: usize,
    const PORTS: usize,
    const WALK: usize,
    const TAIL: usize,
> {
    /// The table is being cleared, at this place.
    pub clears: Signal<In, bool>,
    pub place: Signal<In, Bits<WALK>>,
    /// The destination of the op in the hold stage, and the ops in the stages behind it.
    pub dst: Signal<In, Bits<DST>>,
    pub entering: Signal<In, Op<DST, FLOW, PORT, PORTS>>,
    pub reading: Signal<In, Op<DST, FLOW, PORT, PORTS>>,
    pub comparing: Signal<In, Op<DST, FLOW, PORT, PORTS>>,
    pub deciding: Signal<In, Op<DST, FLOW, PORT, PORTS>>,

    /// Decide stage: there is a report that lives, and by which uplink the best one came.
    pub lives: Signal<Out, bool>,
    pub number: Signal<Out, Bits<4>>,
    /// Shift stage: the ports behind that uplink. Judge stage: the congestion behind it. Neither is that of a report in the op itself.
    pub tail: Signal<Out, Tail>,
    pub ce: Signal<Out, Bits<8>>,
    /// The uplink whose congestion is looked up in the slots of the core's own, and in the judge stage its congestion.
    pub turn: Signal<Out, Bits<4>>,
    pub congestion: Signal<In, Bits<8>>,

    random: RandomEv,
    turns: Reg<Bits<4>>,
    seen_ram: SimpleDualPort<Bits<4>, Bits<8>>,
    reports: Reg<bool>,
    uplinks: [Uplink<DST>; 16],
    report: Signal<Local, Report>,
    is_stored: Reg<bool>,
    four: [LeastOfFour; 4],
    numbers: [Reg<Bits<2>>; 4],
    ranks: [Reg<Bits<10>>; 4],
    ces: [Reg<Bits<8>>; 4],
    brings: Reg<bool>,
    best: LeastOfFour,
    tails: [SimpleDualPort<Bits<TAIL>, Tail>; 4],
    told_tail: Signal<Local, Tail>,
    best_four: Delay<Bits<2>, 2>,
    best_ce: Delay<Bits<8>, 3>,
    looks: Delay<bool, 3>,
    looked_up: Reg<Bits<8>>,
    seed: Param<Bits<16>>,
    one: Param<Bits<16>>,
    one_of_four: Param<Bits<4>>,
    ones: Param<Bits<16>>,
    first: Param<Bits<6>>,
    low: Param<Bits<PORT>>,
}

#[block]
impl<
    const DST: usize,
    const FLOW: usize,
    const PORT: usize,
    const PORTS: usize,
    const WALK: usize,
    const TAIL: usize,
> Uplinks<DST, FLOW, PORT, PORTS, WALK, TAIL>
{
    /// With its memories.
    pub fn new() -> Self {
        let tail = |_| SimpleDualPort::new("tail_ram", "ports behind four uplinks", MemoryKind::Block);
        Self {
            seen_ram: SimpleDualPort::new(
                "seen_ram",
                "congestion of the uplinks as choices see it",
                MemoryKind::Distributed,
            ),
            uplinks: std::array::from_fn(|_| Uplink::new()),
            tails: std::array::from_fn(|four| tail(four).with_output_register()),
            seed: Param::new(u64::from(UPLINK_SEED).into()),
            one: Param::new(1.into()),
            one_of_four: Param::new(1.into()),
            ones: Param::new(0xffff.into()),
            first: Param::new((PORTS as u64 - 16).into()),
            low: Param::new(15.into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module uplinks: the latest report of each destination by each uplink, and the best one");

        comment!(
            "A slot of the core's own: what was looked up counts from now on, and the next uplink's turn comes."
        );
        let is_own = self.entering.kind.visit | self.entering.kind.decay;
        self.turns = self.turns + is_own;
        self.turn = self.turns;
        self.looks.input_value = self.deciding.kind.visit | self.deciding.kind.decay;
        if self.looks.output_value {
            self.looked_up = self.congestion;
        }
        self.seen_ram.read_address = resize(self.entering.port);
        self.seen_ram.write_enable = is_own | self.clears;
        self.seen_ram.write_address = self.turns;
        self.seen_ram.write_data = self.looked_up;
        if self.clears {
            self.seen_ram.write_address = resize(self.place);
        }

        comment!("Each data packet and each ACK has a random place.");
        self.random.absorb = self.clears;
        self.random.seed = self.seed;
        self.random.step = self.entering.kind.data | self.entering.kind.ack;
        let from_place = self.ones << bit_cast::<4, 16>(self.random.word);

        comment!("An ACK of another switch is a report if it came by an uplink, unless its path is full.");
        let is_report = self.entering.kind.ack
            & !self.entering.from_host
            & (self.entering.to_host | !self.entering.len.all())
            & (self.entering.port | self.low).all();
        self.reports = is_report;

        comment!("Read: what it tells is a report as those that are stored.");
        let mut told = self.reading.ce;
        if self.seen_ram.read_data > self.reading.ce {
            told = self.seen_ram.read_data;
        }
        let turning = self.one << self.turns;
        let telling = self.one << bit_cast::<4, PORT>(self.reading.port);
        let up: Bits<16> = resize(self.reading.up >> self.first);
        self.is_stored = self.reports;
        self.report.valid = self.comparing.kind.ack & !self.clears;
        self.report.ce = self.comparing.ce;
        self.report.seen = self.comparing.now;
        let mut write_dst = self.comparing.dst;
        if self.clears {
            write_dst = resize(self.place);
        }
        for i in 0..16 {
            self.uplinks[i].rst = self.rst | self.clears;
            self.uplinks[i].read_dst = self.dst;
            self.uplinks[i].learns = is_own & turning.get_bit(i);
            self.uplinks[i].congestion = self.looked_up;
            self.uplinks[i].now = self.reading.now;
            self.uplinks[i].path_age = self.reading.path_age;
            self.uplinks[i].is_up = up.get_bit(i);
            self.uplinks[i].is_before = !from_place.get_bit(i);
            self.uplinks[i].is_told = self.reports & telling.get_bit(i);
            self.uplinks[i].told = told;
            self.uplinks[i].visits = self.comparing.kind.visit;
            self.uplinks[i].clears = self.clears;
            self.uplinks[i].write_dst = write_dst;
            self.uplinks[i].report = self.report;
        }

        comment!(
            "Compare: the best one of each four uplinks. Decide: the best one of these, and the four tails are read."
        );
        self.brings = self.is_stored;
        let storing = self.one_of_four << self.deciding.port.get_bits::<2>(2);
        self.told_tail.len = self.deciding.len;
        self.told_tail.path = resize(self.deciding.path);
        for g in 0..4 {
            self.four[g].rank_0 = self.uplinks[4 * g].rank;
            self.four[g].rank_1 = self.uplinks[4 * g + 1].rank;
            self.four[g].rank_2 = self.uplinks[4 * g + 2].rank;
            self.four[g].rank_3 = self.uplinks[4 * g + 3].rank;
            self.four[g].ce_0 = self.uplinks[4 * g].ce;
            self.four[g].ce_1 = self.uplinks[4 * g + 1].ce;
            self.four[g].ce_2 = self.uplinks[4 * g + 2].ce;
            self.four[g].ce_3 = self.uplinks[4 * g + 3].ce;
            self.numbers[g] = self.four[g].number;
            self.ranks[g] = self.four[g].rank;
            self.ces[g] = self.four[g].ce;
            self.tails[g].read_address =
                (bit_cast::<TAIL, DST>(self.deciding.dst) << 2) | bit_cast::<TAIL, 2>(self.numbers[g]);
            self.tails[g].write_enable = self.brings & storing.get_bit(g);
            self.tails[g].write_address = (bit_cast::<TAIL, DST>(self.deciding.dst) << 2)
                | bit_cast::<TAIL, PORT>(self.deciding.port & 3);
            self.tails[g].write_data = self.told_tail;
        }
        self.best.rank_0 = self.ranks[0];
        self.best.rank_1 = self.ranks[1];
        self.best.rank_2 = self.ranks[2];
        self.best.rank_3 = self.ranks[3];
        self.best.ce_0 = self.ces[0];
        self.best.ce_1 = self.ces[1];
        self.best.ce_2 = self.ces[2];
        self.best.ce_3 = self.ces[3];
        let mut best_number = self.numbers[0];
        if self.best.number == 1 {
            best_number = self.numbers[1];
        }
        if self.best.number == 2 {
            best_number = self.numbers[2];
        }
        if self.best.number == 3 {
            best_number = self.numbers[3];
        }
        self.lives = !(self.ranks[0].get_bit(9)
            & self.ranks[1].get_bit(9)
            & self.ranks[2].get_bit(9)
            & self.ranks[3].get_bit(9));
        self.number = (bit_cast::<4, 2>(self.best.number) << 2) | bit_cast::<4, 2>(best_number);
        self.best_ce.input_value = self.best.ce;
        self.ce = self.best_ce.output_value;
        self.best_four.input_value = self.best.number;

        comment!("Shift: the tail of the best one.");
        self.tail = self.tails[0].read_data;
        if self.best_four.output_value == 1 {
            self.tail = self.tails[1].read_data;
        }
        if self.best_four.output_value == 2 {
            self.tail = self.tails[2].read_data;
        }
        if self.best_four.output_value == 3 {
            self.tail = self.tails[3].read_data;
        }
        if self.rst | self.clears {
            self.turns = 15;
            self.reports = false;
            self.is_stored = false;
            self.brings = false;
            self.looked_up = 0;
        }
    }
}
