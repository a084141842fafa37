//! Writes the fields into the beats that hold them.

use rust_hdl::prelude::*;

use super::Plan;
use crate::comment;

/// Each halfword of a beat is what came in, or one of the values that can stand there.
#[derive(LogicBlock)]
pub struct Patch<const W: usize, const N: usize> {
    pub data: Signal<In, Bits<W>>,
    /// First step of the beat.
    pub step: Signal<In, Bits<6>>,
    pub plan: Signal<In, Plan>,
    pub flow_label_enable: Signal<In, Bit>,
    pub patched: Signal<Out, Bits<W>>,

    udp: Signal<Local, Bits<6>>,
    udp_2: Signal<Local, Bits<6>>,
    udp_5: Signal<Local, Bits<6>>,
    ip: Signal<Local, Bits<6>>,
    is_labelled: Signal<Local, Bit>,
    index: [Signal<Local, Bits<6>>; 16],
    first: [Signal<Local, Bits<16>>; 16],
    second: [Signal<Local, Bits<16>>; 16],
    even: [Signal<Local, Bits<16>>; 16],
    odd: [Signal<Local, Bits<16>>; 16],
    first_out: [Signal<Local, Bits<16>>; 16],
    second_out: [Signal<Local, Bits<16>>; 16],
    lane: [Signal<Local, Bits<32>>; 16],
    out: Signal<Local, Bits<W>>,
    number: [Constant<Bits<6>>; 16],
    top: Constant<Bits<10>>,
}

impl<const W: usize, const N: usize> Default for Patch<W, N> {
    fn default() -> Self {
        Patch {
            data: Default::default(),
            step: Default::default(),
            plan: Default::default(),
            flow_label_enable: Default::default(),
            patched: Default::default(),
            udp: Default::default(),
            udp_2: Default::default(),
            udp_5: Default::default(),
            ip: Default::default(),
            is_labelled: Default::default(),
            index: Default::default(),
            first: Default::default(),
            second: Default::default(),
            even: Default::default(),
            odd: Default::default(),
            first_out: Default::default(),
            second_out: Default::default(),
            lane: Default::default(),
            out: Default::default(),
            number: std::array::from_fn(|i| Constant::new((i as u64).into())),
            top: Constant::new((W as u64 - 32).into()),
        }
    }
}

impl<const W: usize, const N: usize> Logic for Patch<W, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Writes a plan's fields into the beats that hold them.");
        self.udp.next = bit_cast::<6, 5>(self.plan.val().udp);
        self.udp_2.next = bit_cast::<6, 5>(self.plan.val().udp_2);
        self.udp_5.next = bit_cast::<6, 5>(self.plan.val().udp_5);
        self.ip.next = bit_cast::<6, 3>(self.plan.val().ip);
        self.is_labelled.next = self.flow_label_enable.val() && !self.plan.val().is_ip4;
        self.out.next = bits::<W>(0);
        for i in 0..N {
            self.index[i].next = self.step.val() | self.number[i].val();
            self.first[i].next = self.data.val().get_bits::<16>(i * 32);
            self.second[i].next = self.data.val().get_bits::<16>(i * 32 + 16);
            self.even[i].next = (self.first[i].val() << 8) | (self.first[i].val() >> 8);
            self.odd[i].next = (self.second[i].val() << 8) | (self.second[i].val() >> 8);
            if self.plan.val().is_rewritten {
                comment!("Odd halves: ECN, source port, timestamp.");
                if self.index[i].val() == self.ip.val() {
                    if self.plan.val().is_ip4 {
                        self.odd[i].next = (self.odd[i].val() & bits::<16>(0xFFFC)) | bits::<16>(0x0002);
                    } else {
                        self.odd[i].next = (self.odd[i].val() & bits::<16>(0xFFCF)) | bits::<16>(0x0020);
                    }
                }
                if self.index[i].val() == self.udp.val() {
                    self.odd[i].next = self.plan.val().ev;
                }
                if (self.index[i].val() == self.udp_5.val()) && self.plan.val().is_stamped {
                    self.odd[i].next = self.plan.val().timestamp;
                }
                comment!("Even halves: flow label, IPv4 checksum, UDP checksum.");
                if (self.index[i].val() == self.ip.val() + 1) && self.is_labelled.val() {
                    self.even[i].next = self.plan.val().ev;
                }
                if (self.index[i].val() == self.ip.val() + 3) && self.plan.val().is_ip4 {
                    self.even[i].next = self.plan.val().ip_checksum;
                }
                if (self.index[i].val() == self.udp_2.val()) && self.plan.val().is_summed {
                    self.even[i].next = self.plan.val().udp_checksum;
                }
            }
            self.first_out[i].next = (self.even[i].val() << 8) | (self.even[i].val() >> 8);
            self.second_out[i].next = (self.odd[i].val() << 8) | (self.odd[i].val() >> 8);
            self.lane[i].next = self.first_out[i].val().get_bits::<32>(0)
                | (self.second_out[i].val().get_bits::<32>(0) << 16);
            self.out.next = (self.out.val() >> 32) | (self.lane[i].val().get_bits::<W>(0) << self.top.val());
        }
        self.patched.next = self.out.val();
    }
}
