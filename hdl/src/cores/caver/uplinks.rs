//! The path congestion table of `caver.table = per_port`: the latest report of each destination by each uplink, and the best one of those
//! that live.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::contract::UPLINK_SEED;
use super::least::LeastOfFour;
use super::state::{Op, Report, Tail};
use super::uplink::Uplink;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Delay, Param, RandomEv, SimpleDualPort};

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
/// `D`, `F`, `P` and `Q` are the widths of an [`Op`], `W` that of the walker's place, and `K = D + 2`.
#[derive(LogicBlock, Default)]
pub struct Uplinks<
    const D: usize,
    const F: usize,
    const P: usize,
    const Q: usize,
    const W: usize,
    const K: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The table is being cleared, at this place.
    pub clears: Signal<In, bool>,
    pub place: Signal<In, Bits<W>>,
    /// The destination of the op in the hold stage, and the ops in the stages behind it.
    pub dst: Signal<In, Bits<D>>,
    pub entering: Signal<In, Op<D, F, P, Q>>,
    pub reading: Signal<In, Op<D, F, P, Q>>,
    pub comparing: Signal<In, Op<D, F, P, Q>>,
    pub deciding: Signal<In, Op<D, F, P, Q>>,

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
    turns: DFF<Bits<4>>,
    is_own: Signal<Local, bool>,
    turning: Signal<Local, Bits<16>>,
    seen_ram: SimpleDualPort<Bits<4>, Bits<8>>,
    is_report: Signal<Local, bool>,
    reports: DFF<bool>,
    told: Signal<Local, Bits<8>>,
    telling: Signal<Local, Bits<16>>,
    from_place: Signal<Local, Bits<16>>,
    up: Signal<Local, Bits<16>>,
    uplinks: [Uplink<D>; 16],
    report: Signal<Local, Report>,
    write_dst: Signal<Local, Bits<D>>,
    is_stored: DFF<bool>,
    four: [LeastOfFour; 4],
    numbers: [DFF<Bits<2>>; 4],
    ranks: [DFF<Bits<10>>; 4],
    ces: [DFF<Bits<8>>; 4],
    brings: DFF<bool>,
    best: LeastOfFour,
    best_number: Signal<Local, Bits<2>>,
    tails: [SimpleDualPort<Bits<K>, Tail>; 4],
    storing: Signal<Local, Bits<4>>,
    told_tail: Signal<Local, Tail>,
    best_four: Delay<Bits<2>, 2>,
    best_ce: Delay<Bits<8>, 3>,
    looks: Delay<bool, 3>,
    looked_up: DFF<Bits<8>>,
    seed: Param<Bits<16>>,
    one: Param<Bits<16>>,
    one_of_four: Param<Bits<4>>,
    ones: Param<Bits<16>>,
    first: Param<Bits<6>>,
    low: Param<Bits<P>>,
}

impl<const D: usize, const F: usize, const P: usize, const Q: usize, const W: usize, const K: usize>
    Uplinks<D, F, P, Q, W, K>
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
            first: Param::new((Q as u64 - 16).into()),
            low: Param::new(15.into()),
            ..Default::default()
        }
    }
}

impl<const D: usize, const F: usize, const P: usize, const Q: usize, const W: usize, const K: usize> Logic
    for Uplinks<D, F, P, Q, W, K>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module uplinks: the latest report of each destination by each uplink, and the best one");
        dff_setup!(self, clk, turns, reports, is_stored, brings, looked_up);
        for g in 0..4 {
            self.numbers[g].clock.next = self.clk.val();
            self.ranks[g].clock.next = self.clk.val();
            self.ces[g].clock.next = self.clk.val();
        }

        comment!(
            "A slot of the core's own: what was looked up counts from now on, and the next uplink's turn comes."
        );
        self.is_own.next = self.entering.val().kind.visit | self.entering.val().kind.decay;
        self.turns.d.next = self.turns.q.val() + self.is_own.val();
        self.turn.next = self.turns.q.val();
        self.looks.clk.next = self.clk.val();
        self.looks.input_value.next = self.deciding.val().kind.visit | self.deciding.val().kind.decay;
        if self.looks.output_value.val() {
            self.looked_up.d.next = self.congestion.val();
        }
        self.seen_ram.clk.next = self.clk.val();
        self.seen_ram.read_address.next = bit_cast::<4, P>(self.entering.val().port);
        self.seen_ram.write_enable.next = self.is_own.val() | self.clears.val();
        self.seen_ram.write_address.next = self.turns.q.val();
        self.seen_ram.write_data.next = self.looked_up.q.val();
        if self.clears.val() {
            self.seen_ram.write_address.next = bit_cast::<4, W>(self.place.val());
        }

        comment!("Each data packet and each ACK has a random place.");
        self.random.clk.next = self.clk.val();
        self.random.rst.next = self.rst.val();
        self.random.absorb.next = self.clears.val();
        self.random.seed.next = self.seed.val();
        self.random.step.next = self.entering.val().kind.data | self.entering.val().kind.ack;
        self.from_place.next = self.ones.val() << bit_cast::<4, 16>(self.random.word.val());

        comment!("An ACK of another switch is a report if it came by an uplink, unless its path is full.");
        self.is_report.next = self.entering.val().kind.ack
            & !self.entering.val().from_host
            & (self.entering.val().to_host | !self.entering.val().len.all())
            & (self.entering.val().port | self.low.val()).all();
        self.reports.d.next = self.is_report.val();

        comment!("Read: what it tells is a report as those that are stored.");
        self.told.next = self.reading.val().ce;
        if self.seen_ram.read_data.val() > self.reading.val().ce {
            self.told.next = self.seen_ram.read_data.val();
        }
        self.turning.next = self.one.val() << self.turns.q.val();
        self.telling.next = self.one.val() << bit_cast::<4, P>(self.reading.val().port);
        self.up.next = bit_cast::<16, Q>(self.reading.val().up >> self.first.val());
        self.is_stored.d.next = self.reports.q.val();
        self.report.next.valid = self.comparing.val().kind.ack & !self.clears.val();
        self.report.next.ce = self.comparing.val().ce;
        self.report.next.seen = self.comparing.val().now;
        self.write_dst.next = self.comparing.val().dst;
        if self.clears.val() {
            self.write_dst.next = bit_cast::<D, W>(self.place.val());
        }
        for i in 0..16 {
            self.uplinks[i].clk.next = self.clk.val();
            self.uplinks[i].rst.next = self.rst.val() | self.clears.val();
            self.uplinks[i].read_dst.next = self.dst.val();
            self.uplinks[i].learns.next = self.is_own.val() & self.turning.val().get_bit(i);
            self.uplinks[i].congestion.next = self.looked_up.q.val();
            self.uplinks[i].now.next = self.reading.val().now;
            self.uplinks[i].path_age.next = self.reading.val().path_age;
            self.uplinks[i].is_up.next = self.up.val().get_bit(i);
            self.uplinks[i].is_before.next = !self.from_place.val().get_bit(i);
            self.uplinks[i].is_told.next = self.reports.q.val() & self.telling.val().get_bit(i);
            self.uplinks[i].told.next = self.told.val();
            self.uplinks[i].visits.next = self.comparing.val().kind.visit;
            self.uplinks[i].clears.next = self.clears.val();
            self.uplinks[i].write_dst.next = self.write_dst.val();
            self.uplinks[i].report.next = self.report.val();
        }

        comment!(
            "Compare: the best one of each four uplinks. Decide: the best one of these, and the four tails are read."
        );
        self.brings.d.next = self.is_stored.q.val();
        self.storing.next = self.one_of_four.val() << self.deciding.val().port.get_bits::<2>(2);
        self.told_tail.next.len = self.deciding.val().len;
        self.told_tail.next.path = bit_cast::<24, 32>(self.deciding.val().path);
        for g in 0..4 {
            self.four[g].rank_0.next = self.uplinks[4 * g].rank.val();
            self.four[g].rank_1.next = self.uplinks[4 * g + 1].rank.val();
            self.four[g].rank_2.next = self.uplinks[4 * g + 2].rank.val();
            self.four[g].rank_3.next = self.uplinks[4 * g + 3].rank.val();
            self.four[g].ce_0.next = self.uplinks[4 * g].ce.val();
            self.four[g].ce_1.next = self.uplinks[4 * g + 1].ce.val();
            self.four[g].ce_2.next = self.uplinks[4 * g + 2].ce.val();
            self.four[g].ce_3.next = self.uplinks[4 * g + 3].ce.val();
            self.numbers[g].d.next = self.four[g].number.val();
            self.ranks[g].d.next = self.four[g].rank.val();
            self.ces[g].d.next = self.four[g].ce.val();
            self.tails[g].clk.next = self.clk.val();
            self.tails[g].read_address.next =
                (bit_cast::<K, D>(self.deciding.val().dst) << 2) | bit_cast::<K, 2>(self.numbers[g].q.val());
            self.tails[g].write_enable.next = self.brings.q.val() & self.storing.val().get_bit(g);
            self.tails[g].write_address.next = (bit_cast::<K, D>(self.deciding.val().dst) << 2)
                | bit_cast::<K, P>(self.deciding.val().port & 3);
            self.tails[g].write_data.next = self.told_tail.val();
        }
        self.best.rank_0.next = self.ranks[0].q.val();
        self.best.rank_1.next = self.ranks[1].q.val();
        self.best.rank_2.next = self.ranks[2].q.val();
        self.best.rank_3.next = self.ranks[3].q.val();
        self.best.ce_0.next = self.ces[0].q.val();
        self.best.ce_1.next = self.ces[1].q.val();
        self.best.ce_2.next = self.ces[2].q.val();
        self.best.ce_3.next = self.ces[3].q.val();
        self.best_number.next = self.numbers[0].q.val();
        if self.best.number.val() == 1 {
            self.best_number.next = self.numbers[1].q.val();
        }
        if self.best.number.val() == 2 {
            self.best_number.next = self.numbers[2].q.val();
        }
        if self.best.number.val() == 3 {
            self.best_number.next = self.numbers[3].q.val();
        }
        self.lives.next = !(self.ranks[0].q.val().get_bit(9)
            & self.ranks[1].q.val().get_bit(9)
            & self.ranks[2].q.val().get_bit(9)
            & self.ranks[3].q.val().get_bit(9));
        self.number.next =
            (bit_cast::<4, 2>(self.best.number.val()) << 2) | bit_cast::<4, 2>(self.best_number.val());
        self.best_ce.clk.next = self.clk.val();
        self.best_ce.input_value.next = self.best.ce.val();
        self.ce.next = self.best_ce.output_value.val();
        self.best_four.clk.next = self.clk.val();
        self.best_four.input_value.next = self.best.number.val();

        comment!("Shift: the tail of the best one.");
        self.tail.next = self.tails[0].read_data.val();
        if self.best_four.output_value.val() == 1 {
            self.tail.next = self.tails[1].read_data.val();
        }
        if self.best_four.output_value.val() == 2 {
            self.tail.next = self.tails[2].read_data.val();
        }
        if self.best_four.output_value.val() == 3 {
            self.tail.next = self.tails[3].read_data.val();
        }
        if self.rst.val() | self.clears.val() {
            self.turns.d.next = 15.into();
            self.reports.d.next = false;
            self.is_stored.d.next = false;
            self.brings.d.next = false;
            self.looked_up.d.next = 0.into();
        }
    }
}
