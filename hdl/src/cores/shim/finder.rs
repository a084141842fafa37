//! What stands behind the VLAN tags of a frame.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::STEPS;
use crate::comment;
use crate::cores::rewrite::Geometry;
use crate::prims::Param;
use crate::wire::shim::{LONGEST, SHIMS, field};

/// What was found.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Found {
    /// VLAN tags: 0, 1 or 2. The next EtherType begins step 3 + `tags`.
    pub tags: Bits<2>,
    /// The frame ends before that EtherType.
    pub is_cut: Bit,
    /// It is IP's, or the shim's.
    pub is_ip: Bit,
    pub is_shim: Bit,
    /// The frame ends within the shim, or within the EtherType behind it.
    pub is_cut_in_shim: Bit,
    /// The shim's kind, and that it is one of those that exist.
    pub kind: Bits<4>,
    pub is_known: Bit,
    /// It is one of those with 12 bytes.
    pub is_long: Bit,
    /// The shim's bytes, the first on top.
    pub shim: Bits<96>,
}

/// What becomes of a frame's beats, from its first beat in place 0 of the window on.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Plan {
    pub tags: Bits<2>,
    /// All from step 3 + `tags` on moves by two steps, or by three.
    pub by_2: Bit,
    pub by_3: Bit,
}

/// Reads a frame whose first beat is in place 1 of the window.
#[derive(LogicBlock, Part)]
pub struct Finder<const DATA: usize, const BYTES: usize, const WINDOW: usize> {
    pub valid: [Signal<In, Bit>; WINDOW],
    pub data_at: [Signal<In, Bits<DATA>>; WINDOW],
    pub keep_at: [Signal<In, Bits<BYTES>>; WINDOW],
    pub is_last_at: [Signal<In, Bit>; WINDOW],
    pub is_tag_at: [Signal<In, Bits<3>>; WINDOW],
    pub is_shim_at: [Signal<In, Bits<3>>; WINDOW],
    pub is_ip_at: [Signal<In, Bits<3>>; WINDOW],
    pub found: Signal<Out, Found>,

    /// The beat in place i is of the frame whose first is in place 1.
    is_own: [Signal<Local, Bit>; WINDOW],
    word: [Signal<Local, Bits<32>>; STEPS],
    swapped: [Signal<Local, Bits<32>>; STEPS],
    /// The frame has two bytes of the step or more.
    has: [Signal<Local, Bit>; STEPS],
    is_tag: [Signal<Local, Bit>; 2],
    is_shim: [Signal<Local, Bit>; 3],
    is_ip: [Signal<Local, Bit>; 3],
    shim: Signal<Local, Bits<96>>,
    kind: Signal<Local, Bits<4>>,
    is_known: Signal<Local, Bit>,
    is_long: Signal<Local, Bit>,
    has_short: Signal<Local, Bit>,
    has_long: Signal<Local, Bit>,
    answer: Signal<Local, Found>,

    number: [Param<Bits<3>>; WINDOW],
    /// Place of the beat with each step, bits below it there, and its second byte.
    place: [Param<Bits<3>>; STEPS],
    below: [Param<Bits<10>>; STEPS],
    second: [Param<Bits<10>>; STEPS],
    kind_low: Param<Bits<10>>,
    known: Param<Bits<16>>,
    long: Param<Bits<16>>,
}

impl<const DATA: usize, const BYTES: usize, const WINDOW: usize> Default for Finder<DATA, BYTES, WINDOW> {
    fn default() -> Self {
        fn each<T: Default, const WINDOW: usize>() -> [T; WINDOW] {
            std::array::from_fn(|_| T::default())
        }
        let steps = Geometry::new(DATA).steps as usize;
        let kinds = |is: fn(usize) -> bool| {
            let codes = SHIMS.iter().enumerate().filter(|(_, shim)| is(shim.bytes()));
            Param::new(codes.map(|(code, _)| 1u64 << code).sum::<u64>().into())
        };
        Self {
            valid: each(),
            data_at: each(),
            keep_at: each(),
            is_last_at: each(),
            is_tag_at: each(),
            is_shim_at: each(),
            is_ip_at: each(),
            found: Default::default(),
            is_own: each(),
            word: each(),
            swapped: each(),
            has: each(),
            is_tag: each(),
            is_shim: each(),
            is_ip: each(),
            shim: Default::default(),
            kind: Default::default(),
            is_known: Default::default(),
            is_long: Default::default(),
            has_short: Default::default(),
            has_long: Default::default(),
            answer: Default::default(),
            number: std::array::from_fn(|place| Param::new((place as u64).into())),
            place: std::array::from_fn(|step| Param::new(((1 + step / steps) as u64).into())),
            below: std::array::from_fn(|step| Param::new((32 * (step % steps) as u64).into())),
            second: std::array::from_fn(|step| Param::new((4 * (step % steps) as u64 + 1).into())),
            kind_low: Param::new({
                let kind = field("kind");
                ((8 * LONGEST - kind.offset - kind.width) as u64).into()
            }),
            known: kinds(|_| true),
            long: kinds(|bytes| bytes == LONGEST),
        }
    }
}

impl<const DATA: usize, const BYTES: usize, const WINDOW: usize> Logic for Finder<DATA, BYTES, WINDOW> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Finds what stands behind the VLAN tags of a frame.");
        self.is_own[0].next = false;
        self.is_own[1].next = self.valid[1].val();
        for i in 1..WINDOW {
            if self.number[i].val() != bits::<3>(1) {
                self.is_own[i].next =
                    self.is_own[i - 1].val() && !self.is_last_at[i - 1].val() && self.valid[i].val();
            }
        }
        comment!("The steps, as numbers.");
        for g in 0..9 {
            self.word[g].next = bits::<32>(0);
            self.has[g].next = false;
            for i in 1..WINDOW {
                if self.place[g].val() == self.number[i].val() {
                    self.word[g].next = self.data_at[i].val().get_bits::<32>(self.below[g].val().index());
                    self.has[g].next =
                        self.is_own[i].val() && self.keep_at[i].val().get_bit(self.second[g].val().index());
                }
            }
            self.swapped[g].next = (self.word[g].val() << 24)
                | ((self.word[g].val() & bits::<32>(0x0000FF00)) << 8)
                | ((self.word[g].val() >> 8) & bits::<32>(0x0000FF00))
                | (self.word[g].val() >> 24);
        }
        comment!("Tags. An EtherType that is not there is none.");
        for t in 0..3 {
            self.is_shim[t].next = false;
            self.is_ip[t].next = false;
            for i in 1..WINDOW {
                if self.place[t + 3].val() == self.number[i].val() {
                    self.is_shim[t].next = self.is_shim_at[i].val().get_bit(t);
                    self.is_ip[t].next = self.is_ip_at[i].val().get_bit(t);
                }
            }
        }
        for t in 0..2 {
            self.is_tag[t].next = false;
            for i in 1..WINDOW {
                if self.place[t + 3].val() == self.number[i].val() {
                    self.is_tag[t].next = self.is_tag_at[i].val().get_bit(t);
                }
            }
        }
        comment!("What is behind them, for each number of tags.");
        self.answer.next.tags = bits::<2>(0);
        self.answer.next.is_cut = !self.has[3].val();
        self.answer.next.is_ip = self.is_ip[0].val();
        self.answer.next.is_shim = self.is_shim[0].val();
        self.has_short.next = self.has[5].val();
        self.has_long.next = self.has[6].val();
        self.shim.next = (bit_cast::<96, 32>(self.swapped[3].val()) << 64)
            | (bit_cast::<96, 32>(self.swapped[4].val()) << 32)
            | bit_cast::<96, 32>(self.swapped[5].val());
        if self.has[3].val() && self.is_tag[0].val() {
            self.answer.next.tags = bits::<2>(1);
            self.answer.next.is_cut = !self.has[4].val();
            self.answer.next.is_ip = self.is_ip[1].val();
            self.answer.next.is_shim = self.is_shim[1].val();
            self.has_short.next = self.has[6].val();
            self.has_long.next = self.has[7].val();
            self.shim.next = (bit_cast::<96, 32>(self.swapped[4].val()) << 64)
                | (bit_cast::<96, 32>(self.swapped[5].val()) << 32)
                | bit_cast::<96, 32>(self.swapped[6].val());
            if self.has[4].val() && self.is_tag[1].val() {
                self.answer.next.tags = bits::<2>(2);
                self.answer.next.is_cut = !self.has[5].val();
                self.answer.next.is_ip = self.is_ip[2].val();
                self.answer.next.is_shim = self.is_shim[2].val();
                self.has_short.next = self.has[7].val();
                self.has_long.next = self.has[8].val();
                self.shim.next = (bit_cast::<96, 32>(self.swapped[5].val()) << 64)
                    | (bit_cast::<96, 32>(self.swapped[6].val()) << 32)
                    | bit_cast::<96, 32>(self.swapped[7].val());
            }
        }
        self.kind.next = self.shim.val().get_bits::<4>(self.kind_low.val().index());
        self.is_known.next = self.known.val().get_bit(self.kind.val().index());
        self.is_long.next = self.long.val().get_bit(self.kind.val().index());
        self.answer.next.shim = self.shim.val();
        self.answer.next.kind = self.kind.val();
        self.answer.next.is_known = self.is_known.val();
        self.answer.next.is_long = self.is_long.val();
        self.answer.next.is_cut_in_shim =
            !self.has_short.val() || (self.is_long.val() && !self.has_long.val());
        self.found.next = self.answer.val();
    }
}
