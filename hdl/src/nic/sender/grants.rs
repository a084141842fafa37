//! What was answered to the requests.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::number::GrantedNumber;
use crate::comment;
use crate::config::Wire;
use crate::prims::{DirectMemory, Optional, Param, Reg};
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
    /// Where the host says who the peers are: the number of the packet, and what it changes in the sum.
    pub number: Optional<Signal<In, GrantedNumber>>,
    pub change: Optional<Signal<In, Bits<16>>>,
    /// The oldest grant, if there is one.
    pub has_grant: Signal<Out, Bit>,
    pub grant: Signal<Out, Grant>,
    pub granted_number: Optional<Signal<Out, GrantedNumber>>,
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
    /// With numbers a register more: the change is added last.
    number_1: Optional<Reg<GrantedNumber>>,
    number_2: Optional<Reg<GrantedNumber>>,
    number_3: Optional<Reg<GrantedNumber>>,
    change_1: Optional<Reg<Bits<16>>>,
    change_2: Optional<Reg<Bits<16>>>,
    valid_3: Optional<Reg<Bit>>,
    grant_3: Optional<Reg<Grant>>,
    all_3: Optional<Reg<Bits<17>>>,
    numbers: Optional<DirectMemory<GrantedNumber>>,
    has_peers: Param<bool>,
    /// The profile has a timestamp.
    has_stamp: Param<Bit>,
}

#[block]
impl Grants {
    /// For a profile, with numbers of peers or without.
    pub fn new(wire: Wire, has_peers: bool) -> Self {
        Self {
            memory: DirectMemory::new("grant_memory", "grants whose frames have not had their turn"),
            has_stamp: Param::new(wire::kinds(wire).stamp_steps().is_some()),
            number: Optional::new(has_peers, Default::default),
            change: Optional::new(has_peers, Default::default),
            granted_number: Optional::new(has_peers, Default::default),
            number_1: Optional::new(has_peers, Default::default),
            number_2: Optional::new(has_peers, Default::default),
            number_3: Optional::new(has_peers, Default::default),
            change_1: Optional::new(has_peers, Default::default),
            change_2: Optional::new(has_peers, Default::default),
            valid_3: Optional::new(has_peers, Default::default),
            grant_3: Optional::new(has_peers, Default::default),
            all_3: Optional::new(has_peers, Default::default),
            numbers: Optional::new(has_peers, || {
                DirectMemory::new("grant_number_memory", "the numbers of their peers")
            }),
            has_peers: Param::new(has_peers),
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
        if self.has_peers {
            comment!("What the number of the peer changes comes into the sum a register later.");
            self.number_1 = self.number;
            // what is moved on demand takes registers, where it would else be shift registers in LUTs
            if self.valid_1 {
                self.number_2 = self.number_1;
                self.change_2 = self.change_1;
            }
            if self.valid_2 {
                self.number_3 = self.number_2;
                self.grant_3 = self.grant_2;
            }
            self.change_1 = self.change;
            self.valid_3 = self.valid_2;
            self.all_3 = bit_cast::<17, 16>(self.grant_2.written) + bit_cast::<17, 16>(self.change_2);
            self.memory.write_enable = self.valid_3;
            self.memory.write_data = self.grant_3;
            self.memory.write_data.written =
                self.all_3.get_bits::<16>(0) + bit_cast::<16, 1>(self.all_3.get_bits::<1>(16));
            self.numbers.write_enable = self.valid_3;
            self.numbers.write_address = self.write_at;
            self.numbers.write_data = self.number_3;
            self.numbers.read_address = self.read_at;
            self.granted_number = self.numbers.read_data;
            self.write_at = self.write_at + self.valid_3;
            if self.rst {
                self.valid_3 = false;
            }
        } else {
            self.write_at = self.write_at + self.valid_2;
        }
        self.read_at = self.read_at + self.pop;
        self.has_grant = self.read_at != self.write_at;
        self.grant = self.memory.read_data;
    }
}
