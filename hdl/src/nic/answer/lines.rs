//! The first 64 bytes of the packets that SACKs answer.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::Kind;
use crate::comment;
use crate::cores::rewrite::Halves;
use crate::manifest::MemoryKind;
use crate::prims::{Param, SimpleDualPort, WideWrite};
use crate::signal_struct;

signal_struct! {
    /// What stands behind the MAC addresses of a line: 19 bits.
    pub struct Link {
        /// The type behind the MAC addresses, which is that of a tag where there is one.
        pub ethertype: Bits<16>,
        /// Tags, 0 to 2.
        pub tags: Bits<2>,
        pub is_ipv6: bool,
    }
}

/// Lines of 64 SACKs at most, in their order. A line goes in whole, and is read by halves: block RAM that is written in wide words
/// and read in narrow ones does so without a LUT, where a choice of one half among sixteen takes up to seven a bit.
///
/// Half `odd_at` and half `even_at` of the first line stand at `odd` and `even` an edge later. Half i of `odd` is that of pair i,
/// so there is none in place 0: it reads 0. What `link` says of the first line stands there two edges after the one before is
/// taken; a line can be read two edges after it went in.
#[derive(LogicBlock, Default, Part)]
pub struct Lines {
    pub clk: Signal<In, Clock>,
    /// Empties it.
    pub rst: Signal<In, Bit>,
    /// A line goes in. There has to be room.
    pub push: Signal<In, Bit>,
    pub line: Signal<In, Bits<512>>,
    /// The first one is taken. There has to be one.
    pub pop: Signal<In, Bit>,
    pub odd_at: Signal<In, Bits<4>>,
    pub even_at: Signal<In, Bits<4>>,
    pub odd: Signal<Out, Bits<16>>,
    pub even: Signal<Out, Bits<16>>,
    pub link: Signal<Out, Link>,

    halves: Halves<512, 16>,
    kind: Kind,
    odds: WideWrite<256, 6, 16, 10>,
    evens: WideWrite<256, 6, 16, 10>,
    links: SimpleDualPort<Bits<6>, Link>,
    /// Lines that went in, and lines that were taken, modulo 64.
    write_at: DFF<Bits<6>>,
    read_at: DFF<Bits<6>>,
    odd_half: Signal<Local, Bits<16>>,
    even_half: Signal<Local, Bits<16>>,
    odd_halves: Signal<Local, Bits<256>>,
    even_halves: Signal<Local, Bits<256>>,
    page: Signal<Local, Bits<10>>,
    top: Param<Bits<8>>,
}

impl Lines {
    /// Without lines.
    pub fn new() -> Self {
        let memory = |name, about| WideWrite::new(name, about, MemoryKind::Block);
        Self {
            halves: Halves::new(),
            odds: memory("odd_line_memory", "odd halves of the lines of SACKs that are due"),
            evens: memory("even_line_memory", "even halves of the same lines"),
            links: SimpleDualPort::new(
                "link_memory",
                "what stands behind the MAC addresses of the same lines",
                MemoryKind::Block,
            ),
            top: Param::new(240u64.into()),
            ..Default::default()
        }
    }
}

impl Logic for Lines {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The lines of SACKs that are due: written whole, read by halves.");
        dff_setup!(self, clk, write_at, read_at);
        self.odds.clk.next = self.clk.val();
        self.evens.clk.next = self.clk.val();
        self.links.clk.next = self.clk.val();
        self.halves.data.next = self.line.val();
        self.kind.first.next = self.halves.even[3].val();
        self.kind.second.next = self.halves.even[4].val();
        self.kind.third.next = self.halves.even[5].val();

        comment!("The lowest place of the odd halves stays free.");
        self.odd_halves.next = bits::<256>(0);
        for i in 0..15 {
            self.odd_half.next = self.halves.odd[i].val();
            self.odd_halves.next =
                (self.odd_halves.val() >> 16) | (bit_cast::<256, 16>(self.odd_half.val()) << self.top.val());
        }
        self.even_halves.next = bits::<256>(0);
        for i in 0..16 {
            self.even_half.next = self.halves.even[i].val();
            self.even_halves.next = (self.even_halves.val() >> 16)
                | (bit_cast::<256, 16>(self.even_half.val()) << self.top.val());
        }
        self.odds.write_enable.next = self.push.val();
        self.odds.write_address.next = self.write_at.q.val();
        self.odds.write_data.next = self.odd_halves.val();
        self.evens.write_enable.next = self.push.val();
        self.evens.write_address.next = self.write_at.q.val();
        self.evens.write_data.next = self.even_halves.val();
        self.links.write_enable.next = self.push.val();
        self.links.write_address.next = self.write_at.q.val();
        self.links.write_data.next.ethertype = self.halves.even[3].val();
        self.links.write_data.next.tags = self.kind.tags.val();
        self.links.write_data.next.is_ipv6 = self.kind.is_ipv6.val();
        if self.push.val() {
            self.write_at.d.next = self.write_at.q.val() + bits::<6>(1);
        }

        self.page.next = bit_cast::<10, 6>(self.read_at.q.val()) << 4;
        self.odds.read_address.next = self.page.val() | bit_cast::<10, 4>(self.odd_at.val());
        self.evens.read_address.next = self.page.val() | bit_cast::<10, 4>(self.even_at.val());
        self.links.read_address.next = self.read_at.q.val();
        self.odd.next = self.odds.read_data.val();
        self.even.next = self.evens.read_data.val();
        self.link.next = self.links.read_data.val();
        if self.pop.val() {
            self.read_at.d.next = self.read_at.q.val() + bits::<6>(1);
        }
        if self.rst.val() {
            self.write_at.d.next = bits::<6>(0);
            self.read_at.d.next = bits::<6>(0);
        }
    }
}
