//! The block: three memories that are written as one, and what is read from each.

// what not every profile has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_else_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::check::Check;
use super::words::{AddressEntry, NumberEntry, Numbered};
use crate::comment;
use crate::config::Wire;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, Reg, SimpleDualPort};

/// Entries of `2^C` connections.
///
/// - A packet that comes is looked up at the edge of `look_valid`. The cycle after it its source is compared, and the cycle after that
///   `refused` says what was found.
/// - A packet of the host is looked up when it is taken. Its number waits for the grant of the packet, which comes five cycles later
///   at the earliest.
/// - A frame that the block makes is looked up when its job begins. `job_named` is known two cycles later, long before a header of it is made.
///
/// After a reset there are no entries. It takes `2^C` cycles to clear them, in which all reads find none, and entries of the host wait.
#[block]
pub struct PeerTable<const C: usize> {
    /// An entry of the host: all fields hold until `peer_ready`.
    pub peer_valid: Signal<In, bool>,
    pub peer_ready: Signal<Out, bool>,
    pub peer_conn: Signal<In, Bits<C>>,
    pub peer_number: Signal<In, Bits<24>>,
    /// Bit 0: there is a number; bit 1: there is an address; bit 2: it is one of IPv6, else of IPv4.
    pub peer_flags: Signal<In, Bits<3>>,
    /// Four bytes each, the first in bits 31:24. An address of IPv4 is the last four.
    pub peer_address_0: Signal<In, Bits<32>>,
    pub peer_address_1: Signal<In, Bits<32>>,
    pub peer_address_2: Signal<In, Bits<32>>,
    pub peer_address_3: Signal<In, Bits<32>>,

    /// A packet or an ACK comes.
    pub look_valid: Signal<In, bool>,
    pub look_conn: Signal<In, Bits<C>>,
    /// Where it comes from, a cycle later: as on the wire, the first byte in bits 7:0; an address of IPv4 in the second four bytes.
    pub source: Signal<In, Bits<128>>,
    pub source_is_ipv6: Signal<In, bool>,
    /// Two cycles later: it comes from another address than the peer's.
    pub refused: Signal<Out, bool>,

    /// A packet of the host is taken, and the 16 bits in its header that the lower ones of a number take the place of.
    pub req_taken: Signal<In, bool>,
    pub req_conn: Signal<In, Bits<C>>,
    pub req_replaced: Signal<In, Bits<16>>,
    /// The oldest packet that was taken is granted.
    pub granted: Signal<In, bool>,
    pub grant_number: Signal<Out, Bits<24>>,
    pub grant_is_numbered: Signal<Out, bool>,
    pub grant_change: Signal<Out, Bits<16>>,

    /// The frame that the block makes next.
    pub job_valid: Signal<In, bool>,
    pub job_is_probe: Signal<In, bool>,
    pub job_conn: Signal<In, Bits<C>>,
    /// The number that it carries where there is no entry, and the one that it carries.
    pub job_usual: Signal<In, Bits<24>>,
    pub job_named: Signal<Out, Bits<24>>,

    addresses: SimpleDualPort<Bits<C>, AddressEntry>,
    numbers: SimpleDualPort<Bits<C>, NumberEntry>,
    own_numbers: SimpleDualPort<Bits<C>, NumberEntry>,
    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = 0]
    clear_at: Reg<Bits<C>>,
    /// An entry waits to be written.
    #[reset = false]
    waits: Reg<bool>,
    enters: Signal<Local, bool>,
    address: Signal<Local, AddressEntry>,
    number: Signal<Local, NumberEntry>,
    write_at: Signal<Local, Bits<C>>,

    /// Entries could be read at the edge before.
    was_ready: Reg<bool>,
    looked_up: Signal<Local, AddressEntry>,
    check: Check,

    #[reset = false]
    taken_1: Reg<bool>,
    replaced_1: Reg<Bits<16>>,
    #[reset = false]
    taken_2: Reg<bool>,
    entry_2: Reg<NumberEntry>,
    /// The lower bits of the number, less what they replace.
    lower_2: Reg<Bits<17>>,
    #[reset = false]
    taken_3: Reg<bool>,
    entry_3: Reg<NumberEntry>,
    sum_3: Reg<Bits<17>>,
    found: Signal<Local, Numbered>,
    granting: Fifo<Numbered, 5, 6>,

    /// The read of the edge before was not of a word that was written.
    is_apart: Reg<bool>,
    #[reset = false]
    had_job: Reg<bool>,
    #[reset = false]
    reads_own: Reg<bool>,
    own: Reg<NumberEntry>,

    last_conn: Param<Bits<C>>,
    is_uet: Param<bool>,
}

#[block]
impl<const C: usize> PeerTable<C> {
    /// The block for a profile.
    pub fn new(wire: Wire) -> Self {
        let number = "the number by which the peer of every connection knows it";
        Self {
            addresses: SimpleDualPort::new(
                "address_memory",
                "from where the packets of every connection come",
                MemoryKind::Block,
            ),
            numbers: SimpleDualPort::new("number_memory", number, MemoryKind::Block),
            own_numbers: SimpleDualPort::new("own_number_memory", number, MemoryKind::Block),
            granting: Fifo::new("granting", MemoryKind::Distributed),
            check: Check::new(),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            is_uet: Param::new(wire == Wire::Uet),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Who the peer of each connection is.");
        comment!("An entry is written where no packet of its connection is looked up.");
        let is_looked_up = self.look_valid & (self.look_conn == self.peer_conn);
        let is_taken = self.req_taken & (self.req_conn == self.peer_conn);
        self.enters = self.waits & self.is_ready & !is_looked_up & !is_taken;
        self.waits = self.peer_valid & !self.enters;
        self.peer_ready = self.enters;

        comment!("After a reset all are cleared.");
        self.clear_at = self.clear_at + 1;
        if self.clear_at == self.last_conn {
            self.is_ready = true;
        }
        self.write_at = self.peer_conn;
        self.number.number = self.peer_number;
        self.number.is_there = self.peer_flags.get_bit(0);
        comment!("On the wire the first byte stands in the lowest bits.");
        let first: Bits<32> = (self.peer_address_0 >> 24)
            | ((self.peer_address_0 >> 8) & 0xff00)
            | ((self.peer_address_0 << 8) & 0xff_0000)
            | (self.peer_address_0 << 24);
        let mut second: Bits<32> = self.peer_address_3;
        if self.peer_flags.get_bit(2) {
            second = self.peer_address_1;
        }
        let second_bytes: Bits<32> =
            (second >> 24) | ((second >> 8) & 0xff00) | ((second << 8) & 0xff_0000) | (second << 24);
        let third: Bits<32> = (self.peer_address_2 >> 24)
            | ((self.peer_address_2 >> 8) & 0xff00)
            | ((self.peer_address_2 << 8) & 0xff_0000)
            | (self.peer_address_2 << 24);
        let fourth: Bits<32> = (self.peer_address_3 >> 24)
            | ((self.peer_address_3 >> 8) & 0xff00)
            | ((self.peer_address_3 << 8) & 0xff_0000)
            | (self.peer_address_3 << 24);
        self.address.address = bit_cast::<128, 32>(first)
            | (bit_cast::<128, 32>(second_bytes) << 32)
            | (bit_cast::<128, 32>(third) << 64)
            | (bit_cast::<128, 32>(fourth) << 96);
        self.address.is_there = self.peer_flags.get_bit(1);
        self.address.is_ipv6 = self.peer_flags.get_bit(2);
        if !self.is_ready {
            self.write_at = self.clear_at;
            self.number.is_there = false;
            self.address.is_there = false;
        }
        let writes = self.enters | !self.is_ready;
        self.addresses.write_enable = writes;
        self.addresses.write_address = self.write_at;
        self.addresses.write_data = self.address;
        self.numbers.write_enable = writes;
        self.numbers.write_address = self.write_at;
        self.numbers.write_data = self.number;
        self.own_numbers.write_enable = writes;
        self.own_numbers.write_address = self.write_at;
        self.own_numbers.write_data = self.number;
        self.was_ready = self.is_ready;

        comment!("What comes.");
        self.addresses.read_address = self.look_conn;
        self.looked_up = self.addresses.read_data;
        self.check.entry = self.looked_up;
        self.check.entry.is_there = self.looked_up.is_there & self.was_ready;
        self.check.source = self.source;
        self.check.is_ipv6 = self.source_is_ipv6;
        self.refused = self.check.refused;

        comment!("What the host sends, and what its number changes in the sum (RFC 1624).");
        self.numbers.read_address = self.req_conn;
        self.taken_1 = self.req_taken;
        self.replaced_1 = self.req_replaced;
        self.taken_2 = self.taken_1;
        self.entry_2.number = self.numbers.read_data.number;
        self.entry_2.is_there = self.numbers.read_data.is_there & self.was_ready;
        self.lower_2 = bit_cast::<17, 16>(self.numbers.read_data.number.get_bits::<16>(0))
            + bit_cast::<17, 16>(!self.replaced_1);
        self.taken_3 = self.taken_2;
        self.entry_3 = self.entry_2;
        let lower = self.lower_2.get_bits::<16>(0) + bit_cast::<16, 1>(self.lower_2.get_bits::<1>(16));
        self.sum_3 = bit_cast::<17, 16>(lower) + bit_cast::<17, 8>(self.entry_2.number.get_bits::<8>(16));
        self.found.number = self.entry_3.number;
        self.found.is_there = self.entry_3.is_there;
        self.found.change = 0;
        if self.entry_3.is_there {
            self.found.change =
                self.sum_3.get_bits::<16>(0) + bit_cast::<16, 1>(self.sum_3.get_bits::<1>(16));
        }
        self.granting.in_valid = self.taken_3;
        self.granting.in_data = self.found;
        self.granting.out_ready = self.granted;
        self.grant_number = self.granting.out_data.number;
        self.grant_is_numbered = self.granting.out_data.is_there;
        self.grant_change = self.granting.out_data.change;

        comment!(
            "What the block makes: read when its job begins, and again if the word was just being written."
        );
        self.own_numbers.read_address = self.job_conn;
        self.is_apart = !(writes & (self.write_at == self.job_conn));
        self.had_job = self.job_valid;
        self.reads_own = (self.job_valid & !self.had_job) | (self.reads_own & !self.is_apart);
        if self.reads_own {
            self.own.number = self.own_numbers.read_data.number;
            self.own.is_there = self.own_numbers.read_data.is_there & self.was_ready;
        }
        self.job_named = self.job_usual;
        if self.is_uet {
            comment!("A SACK of uet goes to the PDC that the request named.");
            if self.own.is_there & self.job_is_probe {
                self.job_named = self.own.number;
            }
        } else {
            if self.own.is_there {
                self.job_named = self.own.number;
            }
        }
    }
}
