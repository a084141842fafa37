//! The window in work.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Takes the window from the RAM, adds to it and subtracts from it, and keeps it within its bounds.
#[derive(LogicBlock, Default)]
pub struct Window {
    pub clk: Signal<In, Clock>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub take: Signal<In, bool>,
    pub grow: Signal<In, bool>,
    pub cut_5: Signal<In, bool>,
    pub cut_6: Signal<In, bool>,
    pub fair: Signal<In, bool>,
    pub clamp: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    /// Step 3: the result shows nothing.
    pub refused: Signal<In, bool>,
    /// Step 2.
    pub stored: Signal<In, Bits<26>>,
    pub is_less: Signal<In, bool>,
    pub achieved_cwnd: Signal<In, Bits<26>>,
    pub quotient: Signal<In, Bits<24>>,
    pub product: Signal<In, Bits<32>>,
    pub can_fair: Signal<In, bool>,
    pub eta: Signal<In, Bits<16>>,
    /// Largest window in packets.
    pub most: Signal<In, Bits<10>>,

    pub cwnd: Signal<Out, Bits<26>>,
    /// The window is as large as it may be.
    pub is_full: Signal<Out, bool>,

    packets: Signal<Local, Bits<11>>,
    full: Signal<Local, bool>,
    adds: Signal<Local, bool>,
    operand: Signal<Local, Bits<27>>,
    subtracts: Signal<Local, bool>,
    one: Signal<Local, Bits<1>>,
    wide: Signal<Local, Bits<28>>,

    value: DFF<Bits<27>>,
}

impl Logic for Window {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module window: the window in work");
        dff_setup!(self, clk, value);
        self.packets.next = self.value.q.val().get_bits::<11>(16);
        self.full.next = self.packets.val() >= bit_cast::<11, 10>(self.most.val());

        comment!("One adder. What is subtracted is inverted, and a bit below the lowest makes the carry.");
        self.subtracts.next = self.cut_5.val() | self.cut_6.val();
        self.operand.next = bit_cast::<27, 24>(self.quotient.val());
        if self.cut_5.val() {
            self.operand.next = !bit_cast::<27, 16>(self.product.val().get_bits::<16>(16));
        }
        if self.cut_6.val() {
            self.operand.next = !bit_cast::<27, 26>(self.product.val().get_bits::<26>(0));
        }
        if self.fair.val() {
            self.operand.next = bit_cast::<27, 16>(self.eta.val()) << 4;
        }
        self.one.next = self.subtracts.val().into();
        self.wide.next = ((bit_cast::<28, 27>(self.value.q.val()) << 1) | 1)
            + ((bit_cast::<28, 27>(self.operand.val()) << 1) | bit_cast::<28, 1>(self.one.val()));
        self.adds.next = self.grow.val() | self.subtracts.val() | (self.fair.val() & self.can_fair.val());

        if self.adds.val() {
            self.value.d.next = self.wide.val().get_bits::<27>(1);
        }
        if self.take.val() & self.is_less.val() {
            self.value.d.next = bit_cast::<27, 26>(self.achieved_cwnd.val());
        }
        if self.step_2.val() {
            self.value.d.next = bit_cast::<27, 26>(self.stored.val());
        }
        comment!("One packet at least, and at most what the setting says.");
        if self.clamp.val() {
            if !self.packets.val().any() {
                self.value.d.next = 0x1_0000.into();
            }
            if self.full.val() | self.is_init.val() {
                self.value.d.next = bit_cast::<27, 10>(self.most.val()) << 16;
            }
        }
        if self.step_3.val() & self.refused.val() {
            self.value.d.next = 0.into();
        }
        self.cwnd.next = self.value.q.val().get_bits::<26>(0);
        self.is_full.next = self.full.val();
    }
}
