//! Tags and IP version of a line.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;

/// Tells from the types behind the MAC addresses how many tags there are, and which IP comes behind them.
#[derive(LogicBlock, Default, Part)]
pub struct Kind {
    /// Types behind the MAC addresses, the first tag and the second tag.
    pub first: Signal<In, Bits<16>>,
    pub second: Signal<In, Bits<16>>,
    pub third: Signal<In, Bits<16>>,
    /// 0 to 2.
    pub tags: Signal<Out, Bits<2>>,
    pub is_ipv6: Signal<Out, Bit>,

    has_tag: Signal<Local, Bit>,
    has_two: Signal<Local, Bit>,
}

impl Logic for Kind {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "The type is that of a tag (8100, 88a8), of IPv4 (0800) or of IPv6 (86dd): bits 15 and 10 tell them apart."
        );
        self.has_tag.next = self.first.val().get_bit(15) && !self.first.val().get_bit(10);
        self.has_two.next =
            self.has_tag.val() && self.second.val().get_bit(15) && !self.second.val().get_bit(10);
        self.tags.next = bits::<2>(0);
        self.is_ipv6.next = self.first.val().get_bit(10);
        if self.has_tag.val() {
            self.tags.next = bits::<2>(1);
            self.is_ipv6.next = self.second.val().get_bit(10);
        }
        if self.has_two.val() {
            self.tags.next = bits::<2>(2);
            self.is_ipv6.next = self.third.val().get_bit(10);
        }
    }
}
