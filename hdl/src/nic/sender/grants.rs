//! What was answered to the requests.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::config::Wire;
use crate::prims::{DirectMemory, Param};
use crate::wire;

/// What is to become of a frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Grant {
    /// 0 rewrite, 1 pass unchanged, 2 drop.
    pub action: Bits<2>,
    pub ev: Bits<16>,
    pub timestamp: Bits<16>,
    /// What is written under the UDP checksum: the sum of EV and timestamp (RFC 1071), or the EV in a profile without a timestamp.
    pub written: Bits<16>,
}

/// 32 grants that wait for their frame's turn. There is a place for each request that can be outstanding.
#[derive(LogicBlock, Default)]
pub struct Grants {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Takes a grant.
    pub push: Signal<In, Bit>,
    pub action: Signal<In, Bits<2>>,
    pub ev: Signal<In, Bits<16>>,
    pub timestamp: Signal<In, Bits<16>>,
    /// The oldest grant, if there is one.
    pub has_grant: Signal<Out, Bit>,
    pub grant: Signal<Out, Grant>,
    /// The oldest grant is used.
    pub pop: Signal<In, Bit>,

    valid_1: DFF<Bit>,
    grant_1: DFF<Grant>,
    both_1: DFF<Bits<17>>,
    valid_2: DFF<Bit>,
    grant_2: DFF<Grant>,
    write_at: DFF<Bits<5>>,
    read_at: DFF<Bits<5>>,
    memory: DirectMemory<Grant>,
    /// The profile has a timestamp.
    has_stamp: Param<Bit>,
}

impl Grants {
    /// For a profile.
    pub fn new(wire: Wire) -> Self {
        Self {
            memory: DirectMemory::new("grant_memory", "grants whose frames have not had their turn"),
            has_stamp: Param::new(wire::kinds(wire).stamp_steps().is_some()),
            ..Default::default()
        }
    }
}

impl Logic for Grants {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Grants that wait for their frame's turn.");
        dff_setup!(self, clk, valid_1, grant_1, both_1, valid_2, grant_2, write_at, read_at);
        comment!(
            "The one's complement sum of EV and timestamp takes two registers: the sum, then its carry."
        );
        self.valid_1.d.next = self.push.val();
        self.grant_1.d.next.action = self.action.val();
        self.grant_1.d.next.ev = self.ev.val();
        self.grant_1.d.next.timestamp = self.timestamp.val();
        self.both_1.d.next = bit_cast::<17, 16>(self.ev.val()) + bit_cast::<17, 16>(self.timestamp.val());
        self.valid_2.d.next = self.valid_1.q.val();
        self.grant_2.d.next.action = self.grant_1.q.val().action;
        self.grant_2.d.next.ev = self.grant_1.q.val().ev;
        self.grant_2.d.next.timestamp = self.grant_1.q.val().timestamp;
        if self.has_stamp.val() {
            self.grant_2.d.next.written = self.both_1.q.val().get_bits::<16>(0)
                + bit_cast::<16, 1>(self.both_1.q.val().get_bits::<1>(16));
        } else {
            self.grant_2.d.next.written = self.grant_1.q.val().ev;
        }
        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.valid_2.q.val();
        self.memory.write_address.next = self.write_at.q.val();
        self.memory.write_data.next = self.grant_2.q.val();
        self.memory.read_address.next = self.read_at.q.val();
        self.write_at.d.next = self.write_at.q.val() + self.valid_2.q.val();
        self.read_at.d.next = self.read_at.q.val() + self.pop.val();
        self.has_grant.next = self.read_at.q.val() != self.write_at.q.val();
        self.grant.next = self.memory.read_data.val();
        if self.rst.val() {
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.write_at.d.next = bits::<5>(0);
            self.read_at.d.next = bits::<5>(0);
        }
    }
}
