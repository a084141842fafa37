//! What was answered to the requests.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::config::Wire;
use crate::prims::{DirectMemory, Param, Reg};
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
#[block]
pub struct Grants {
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

    #[reset = false]
    valid_1: Reg<Bit>,
    grant_1: Reg<Grant>,
    both_1: Reg<Bits<17>>,
    #[reset = false]
    valid_2: Reg<Bit>,
    grant_2: Reg<Grant>,
    #[reset = 0]
    write_at: Reg<Bits<5>>,
    #[reset = 0]
    read_at: Reg<Bits<5>>,
    memory: DirectMemory<Grant>,
    /// The profile has a timestamp.
    has_stamp: Param<Bit>,
}

#[block]
impl Grants {
    /// For a profile.
    pub fn new(wire: Wire) -> Self {
        Self {
            memory: DirectMemory::new("grant_memory", "grants whose frames have not had their turn"),
            has_stamp: Param::new(wire::kinds(wire).stamp_steps().is_some()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Grants that wait for their frame's turn.");
        comment!(
            "The one's complement sum of EV and timestamp takes two registers: the sum, then its carry."
        );
        self.valid_1 = self.push;
        self.grant_1.action = self.action;
        self.grant_1.ev = self.ev;
        self.grant_1.timestamp = self.timestamp;
        self.both_1 = bit_cast::<17, 16>(self.ev) + bit_cast::<17, 16>(self.timestamp);
        self.valid_2 = self.valid_1;
        self.grant_2.action = self.grant_1.action;
        self.grant_2.ev = self.grant_1.ev;
        self.grant_2.timestamp = self.grant_1.timestamp;
        if self.has_stamp {
            self.grant_2.written =
                self.both_1.get_bits::<16>(0) + bit_cast::<16, 1>(self.both_1.get_bits::<1>(16));
        } else {
            self.grant_2.written = self.grant_1.ev;
        }
        self.memory.write_enable = self.valid_2;
        self.memory.write_address = self.write_at;
        self.memory.write_data = self.grant_2;
        self.memory.read_address = self.read_at;
        self.write_at = self.write_at + self.valid_2;
        self.read_at = self.read_at + self.pop;
        self.has_grant = self.read_at != self.write_at;
        self.grant = self.memory.read_data;
    }
}
