//! The beats of a frame of events.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{MOST_BYTES, STEP_BYTES};
use crate::comment;
use crate::nic::events::RECORD_BITS;
use crate::nic::receiver::words::Beat;
use crate::prims::{Param, Reg};
use crate::signal_struct;

// steps of a frame are counted in 7 bits
const _: () = assert!(MOST_BYTES / STEP_BYTES == 128);

/// Version of the layout.
const LAYOUT: u64 = 1;

signal_struct! {
    /// What the host chooses of the first bytes of a frame.
    pub struct Addressing {
        /// Destination: its first two bytes, the first in the upper half, and the other four in the same order.
        pub mac_high: Bits<16>,
        pub mac_low: Bits<32>,
        /// EtherType.
        pub kind: Bits<16>,
    }
}

/// Makes eight bytes a cycle of a frame: its header, its records as they come from the queue, and zeros up to the end of a beat. A beat
/// stands in registers a cycle later.
#[block]
pub struct Gather<const W: usize, const K: usize> {
    #[flat]
    pub addressing: Signal<In, Addressing>,
    pub event_valid: Signal<In, bool>,
    pub record: Signal<In, Bits<RECORD_BITS>>,
    pub event_ready: Signal<Out, bool>,
    /// A frame begins, of so many records, one or more, behind so many events that were lost.
    pub begins: Signal<In, bool>,
    pub records: Signal<In, Bits<6>>,
    pub lost: Signal<In, Bits<32>>,
    pub is_busy: Signal<Out, bool>,
    /// A beat, and whether it is its frame's last.
    pub push: Signal<Out, bool>,
    pub beat: Signal<Out, Beat<W, K>>,
    pub is_last: Signal<Out, bool>,

    #[reset = false]
    works: Reg<bool>,
    /// Of eight bytes of the frame.
    at: Reg<Bits<7>>,
    /// Number of the last ones of its records.
    last_at: Reg<Bits<7>>,
    count: Reg<Bits<6>>,
    lost_before: Reg<Bits<32>>,
    /// Frames that were begun, modulo 2^32.
    #[reset = 0]
    number: Reg<Bits<32>>,
    /// That of the frame.
    own_number: Reg<Bits<32>>,
    data: Reg<Bits<W>>,
    keep: Reg<Bits<K>>,
    #[reset = false]
    has_beat: Reg<bool>,
    has_last: Reg<bool>,

    layout: Param<Bits<8>>,
    step_bits: Param<Bits<10>>,
    data_at: Param<Bits<10>>,
    step_bytes: Param<Bits<7>>,
    keep_at: Param<Bits<7>>,
    /// Of the last step of a beat.
    beat_end: Param<Bits<7>>,
}

#[block]
impl<const W: usize, const K: usize> Gather<W, K> {
    /// For beats of `K` bytes.
    ///
    /// # Panics
    /// If `W` bits are not `K` bytes.
    pub fn new() -> Self {
        assert!(W == 8 * K, "a beat of {W} bits has {} bytes, not {K}", W / 8);
        let mut block = Self {
            layout: Param::new(LAYOUT.into()),
            step_bits: Param::new((8 * STEP_BYTES as u64).into()),
            data_at: Param::new(((W - 8 * STEP_BYTES) as u64).into()),
            step_bytes: Param::new((STEP_BYTES as u64).into()),
            keep_at: Param::new(((K - STEP_BYTES) as u64).into()),
            beat_end: Param::new(((K / STEP_BYTES - 1) as u64).into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("module gather: the beats of a frame of events");
        let is_header = (self.at >> 2) == 0;
        let is_record = !is_header & (self.at <= self.last_at);
        let moves = self.works & (self.event_valid | !is_record);
        let is_odd = self.at.get_bit(0);
        self.event_ready = self.works & is_record & is_odd;

        comment!("Bytes stand in their order, the first in the lowest bits.");
        let high = self.addressing.mac_high;
        let low = self.addressing.mac_low;
        let first: Bits<16> =
            (bit_cast::<16, 8>(high.get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(high.get_bits::<8>(8));
        let rest: Bits<32> = (bit_cast::<32, 8>(low.get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(low.get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(low.get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(low.get_bits::<8>(24));
        let type_bytes: Bits<16> = (bit_cast::<16, 8>(self.addressing.kind.get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.addressing.kind.get_bits::<8>(8));
        let mut bytes: Bits<64> = self.record.get_bits::<64>(0);
        if is_odd {
            bytes = self.record.get_bits::<64>(64);
        }
        if is_header {
            if self.at == 0 {
                comment!("The source is the destination but for the bit of local administration.");
                bytes = bit_cast::<64, 16>(first)
                    | (bit_cast::<64, 32>(rest) << 16)
                    | (bit_cast::<64, 16>(first ^ 2) << 48);
            } else if self.at == 1 {
                bytes = bit_cast::<64, 32>(rest)
                    | (bit_cast::<64, 16>(type_bytes) << 32)
                    | (bit_cast::<64, 8>(self.layout) << 48)
                    | (bit_cast::<64, 6>(self.count) << 56);
            } else if self.at == 2 {
                bytes = bit_cast::<64, 32>(self.own_number) | (bit_cast::<64, 32>(self.lost_before) << 32);
            } else {
                bytes = 0;
            }
        } else if !is_record {
            bytes = 0;
        }
        comment!("A frame has 64 bytes at least.");
        let is_short = (self.at >> 3) == 0;
        let mut keeps: Bits<8> = 0;
        if is_short | is_record {
            keeps = 0xff;
        }

        let ends_beat = moves & ((self.at & self.beat_end) == self.beat_end);
        let is_end = (self.at >= self.last_at) & (!is_short | (self.at == 7));
        if moves {
            self.data = (self.data >> self.step_bits) | (bit_cast::<W, 64>(bytes) << self.data_at);
            self.keep = (self.keep >> self.step_bytes) | (bit_cast::<K, 8>(keeps) << self.keep_at);
            self.at = self.at + 1;
        }
        self.has_beat = ends_beat;
        self.has_last = is_end;
        if ends_beat & is_end {
            self.works = false;
        }
        if self.begins {
            self.works = true;
            self.at = 0;
            self.count = self.records;
            self.last_at = (bit_cast::<7, 6>(self.records) << 1) + 3;
            self.lost_before = self.lost;
            self.own_number = self.number;
            self.number = self.number + 1;
        }
        self.is_busy = self.works;
        self.push = self.has_beat;
        self.is_last = self.has_last;
        self.beat.data = self.data;
        self.beat.keep = self.keep.replace_bit(0, self.has_last);
    }
}
