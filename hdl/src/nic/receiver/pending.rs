//! Packets whose status is not known yet.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::{Trigger, TypedTrigger};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Array, Optional, Param, Reg, SimpleDualPort, bits_of};

/// Keeps of each packet what its result needs, its first 64 bytes included: 64 packets at most in a ring of 128.
///
/// The first bytes are written as the beats come, into the place of the next packet. That is always free, because the ring has
/// twice the places; a frame that becomes no op leaves it to the next one. `L` memories hold a beat each, as 64 bytes have
/// `L = 512 / W` beats.
#[block]
pub struct Pending<const W: usize, const L: usize> {
    /// A beat came.
    pub beat_valid: Signal<In, bool>,
    /// It was its frame's last.
    pub is_last: Signal<In, bool>,
    pub data: Signal<In, Bits<W>>,
    /// The frame becomes an op. There has to be room. With `is_late` what its result needs is written two cycles later.
    pub push: Signal<In, bool>,
    pub item: Signal<In, Trigger>,
    /// With `is_late`, two cycles behind the push: `sack_rx` is not asked about the packet.
    pub is_refused: Optional<Signal<In, bool>>,
    pub has_room: Signal<Out, bool>,

    /// A packet had its turn at `sack_rx`.
    pub issued: Signal<In, bool>,
    /// `sack_rx` shows the result of a packet.
    pub res_valid: Signal<In, bool>,
    /// The packet at the head is done: by that result, or because there is no such connection.
    pub done: Signal<Out, bool>,
    pub head: Signal<Out, Trigger>,
    pub line: Signal<Out, Bits<512>>,

    /// Of Ultra Ethernet. No packet has had its turn whose result is to come.
    pub is_idle: Optional<Signal<Out, bool>>,
    pub typed_item: Optional<Signal<In, TypedTrigger>>,
    pub typed_head: Optional<Signal<Out, TypedTrigger>>,

    triggers: SimpleDualPort<Bits<7>, Trigger>,
    typed: Optional<SimpleDualPort<Bits<7>, TypedTrigger>>,
    typed_1: Optional<Reg<TypedTrigger>>,
    typed_2: Optional<Reg<TypedTrigger>>,
    has_types: Param<bool>,
    /// The last beat of the 64 bytes first.
    lanes: Array<SimpleDualPort<Bits<7>, Bits<W>>, L>,
    #[reset = 0]
    beat_number: Reg<Bits<4>>,
    #[reset = 0]
    write_at: Reg<Bits<8>>,
    #[reset = 0]
    issued_at: Reg<Bits<8>>,
    #[reset = 0]
    read_at: Reg<Bits<8>>,
    /// One more than `read_at`.
    #[reset = 1]
    after: Reg<Bits<8>>,
    #[reset = false]
    is_open: Reg<bool>,
    #[reset = false]
    has_issued: Reg<bool>,
    ends: Signal<Local, bool>,
    lane: Signal<Local, Bits<W>>,
    joined: Signal<Local, Bits<512>>,
    limit: Param<Bits<8>>,
    lane_bits: Param<Bits<10>>,
    lane_numbers: Array<Param<Bits<4>>, L>,
    /// One and two cycles behind a push.
    push_1: Optional<Reg<bool>>,
    push_2: Optional<Reg<bool>>,
    place_1: Optional<Reg<Bits<7>>>,
    place_2: Optional<Reg<Bits<7>>>,
    item_1: Optional<Reg<Trigger>>,
    item_2: Optional<Reg<Trigger>>,
    is_late: Param<bool>,
}

#[block]
impl<const W: usize, const L: usize> Pending<W, L> {
    /// Without packets. If `is_late`, it is known two cycles behind `push` whether a packet is refused. With types, where they are those of
    /// Ultra Ethernet, which is late.
    ///
    /// # Panics
    /// If `L` beats are not 64 bytes.
    pub fn new(is_late: bool, has_types: bool) -> Self {
        assert!(W * L == 512, "{L} beats of {W} bits are not 64 bytes");
        let mut lanes = Array::default();
        let mut lane_numbers = Array::default();
        for lane in 0..L {
            let about = "one of the beats that hold the first 64 bytes of a packet";
            lanes[lane] = SimpleDualPort::new("line_ram", about, MemoryKind::Block);
            lane_numbers[lane] = Param::new(((L - 1 - lane) as u64).into());
        }
        Self {
            triggers: SimpleDualPort::new(
                "trigger_ram",
                "what the result of a packet needs of it",
                MemoryKind::Block,
            )
            .with_votes(bits_of::<Trigger>("is_probe", "is_foreign")),
            push_1: Optional::new(is_late, Default::default),
            push_2: Optional::new(is_late, Default::default),
            place_1: Optional::new(is_late, Default::default),
            place_2: Optional::new(is_late, Default::default),
            item_1: Optional::new(is_late, Default::default),
            item_2: Optional::new(is_late, Default::default),
            is_refused: Optional::new(is_late, Default::default),
            is_late: Param::new(is_late),
            is_idle: Optional::new(has_types, Default::default),
            typed_item: Optional::new(has_types, Default::default),
            typed_head: Optional::new(has_types, Default::default),
            typed: Optional::new(has_types, || {
                let about = "what else the result of a packet needs of it";
                SimpleDualPort::new("typed_trigger_ram", about, MemoryKind::Block)
            }),
            typed_1: Optional::new(has_types, Default::default),
            typed_2: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            lanes,
            lane_numbers,
            limit: Param::new(63u64.into()),
            lane_bits: Param::new((W as u64).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module pending: packets whose status is not known yet");
        self.triggers.write_enable = self.push;
        self.triggers.write_address = self.write_at.get_bits::<7>(0);
        self.triggers.write_data = self.item;
        if self.is_late {
            self.push_1 = self.push;
            self.push_2 = self.push_1;
            self.place_1 = self.write_at.get_bits::<7>(0);
            self.place_2 = self.place_1;
            self.triggers.write_enable = self.push_2;
            if self.rst {
                self.push_1 = false;
                self.push_2 = false;
            }
            self.triggers.write_address = self.place_2;
            self.item_1 = self.item;
            self.item_2 = self.item_1;
            self.triggers.write_data = self.item_2;
            self.triggers.write_data.is_foreign = self.item_2.is_foreign | self.is_refused;
        }
        if self.push {
            self.write_at = self.write_at + 1;
        }
        comment!("The beats of a frame are numbered up to 8.");
        if self.beat_valid & !self.beat_number.get_bit(3) {
            self.beat_number = self.beat_number + 1;
        }
        if self.is_last {
            self.beat_number = 0;
        }
        comment!(
            "sack_rx gives its results in order. One of its own has a packet of no connection, once it had its turn: sack_rx has none then."
        );
        self.ends = self.res_valid | (self.has_issued & self.triggers.read_data.is_foreign);
        self.done = self.ends;
        if self.issued {
            self.issued_at = self.issued_at + 1;
        }
        let mut read_address = self.read_at.get_bits::<7>(0);
        self.has_issued = self.read_at != self.issued_at;
        if self.ends {
            read_address = self.after.get_bits::<7>(0);
            self.has_issued = self.after != self.issued_at;
            self.read_at = self.after;
            self.after = self.after + 1;
        }
        self.triggers.read_address = read_address;
        self.head = self.triggers.read_data;
        if self.has_types {
            self.typed_1 = self.typed_item;
            self.typed_2 = self.typed_1;
            self.typed.write_enable = self.push_2;
            self.typed.write_address = self.place_2;
            self.typed.write_data = self.typed_2;
            self.typed.read_address = read_address;
            self.typed_head = self.typed.read_data;
            self.is_idle = self.read_at == self.issued_at;
        }
        self.joined = 0;
        for i in 0..L {
            self.lanes[i].write_enable = self.beat_valid & (self.beat_number == self.lane_numbers[i]);
            self.lanes[i].write_address = self.write_at.get_bits::<7>(0);
            self.lanes[i].write_data = self.data;
            self.lanes[i].read_address = read_address;
            self.lane = self.lanes[i].read_data;
            self.joined = (self.joined << self.lane_bits) | bit_cast::<512, W>(self.lane);
        }
        self.line = self.joined;
        let fill = self.write_at - self.read_at;
        self.is_open = fill < self.limit;
        self.has_room = self.is_open;
    }
}
