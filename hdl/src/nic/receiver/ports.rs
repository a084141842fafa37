//! Ports of connections in the place of EVs: what is to be written into each data packet.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::layers::Layers;
use super::words::Rewriting;
use crate::comment;
use crate::prims::{Array, Param, Reg};

/// The word of 4 bytes whose second half is the UDP source port where nothing stands before IPv4 and IPv4 has no options.
pub const PORT_WORD: u64 = 8;
/// That whose first half is the UDP checksum then.
pub const CHECKSUM_WORD: u64 = PORT_WORD + 2;
/// Words that the header takes at most up to the checksum: two VLAN tags, and an IPv4 header of 15 words.
pub const WORDS: usize = CHECKSUM_WORD as usize + 12 + 1;

/// Reads the headers of the frames that go by, a beat of `D` words an edge. Five edges behind the last beat of a data
/// packet it says what is written into it, if its connection is open then: the port, and a checksum that is right with
/// it. A checksum of 0 stays, since none was computed (RFC 768).
#[block]
pub struct Ports<const W: usize, const D: usize> {
    pub beat_valid: Signal<In, bool>,
    pub data: Signal<In, Bits<W>>,
    pub is_last: Signal<In, bool>,
    /// With the last beat of a data packet that goes to the host: its connection and its EV.
    pub takes: Signal<In, bool>,
    pub conn: Signal<In, Bits<16>>,
    pub ev: Signal<In, Bits<16>>,
    /// Port of connection 0; 0: all ports stay.
    pub base: Signal<In, Bits<16>>,

    pub push: Signal<Out, bool>,
    pub item: Signal<Out, Rewriting>,

    layers: Layers<W, D>,
    length: Signal<Local, Bits<4>>,
    /// Register 1: the beat, and where the port of its frame is.
    beat: Reg<Bits<W>>,
    at: Reg<Bits<5>>,
    #[reset = false]
    is_looked_at: Reg<bool>,
    place: Reg<Bits<4>>,
    #[reset = false]
    takes_1: Reg<bool>,
    conn_1: Reg<Bits<16>>,
    ev_1: Reg<Bits<16>>,
    /// Register 2: the checksum that came, its first byte in bits 7:0, and the port.
    checksum_at: Signal<Local, Bits<5>>,
    came: Reg<Bits<16>>,
    place_2: Reg<Bits<4>>,
    #[reset = false]
    takes_2: Reg<bool>,
    port_2: Reg<Bits<16>>,
    ev_2: Reg<Bits<16>>,
    /// Register 3: what the port adds to the sum, with the carry around.
    change: Signal<Local, Bits<17>>,
    came_3: Reg<Bits<16>>,
    place_3: Reg<Bits<4>>,
    #[reset = false]
    takes_3: Reg<bool>,
    port_3: Reg<Bits<16>>,
    change_3: Reg<Bits<16>>,
    /// Register 4: the checksum.
    sum: Signal<Local, Bits<17>>,
    around: Signal<Local, Bits<16>>,
    checksum_4: Reg<Bits<16>>,
    place_4: Reg<Bits<4>>,
    #[reset = false]
    takes_4: Reg<bool>,
    port_4: Reg<Bits<16>>,

    checksum_word: Param<Bits<5>>,
    numbers: Array<Param<Bits<5>>, D>,
    shifts: Array<Param<Bits<10>>, D>,
}

#[block]
impl<const W: usize, const D: usize> Ports<W, D> {
    /// For beats of `D` words.
    ///
    /// # Panics
    /// If `W` bits are not `D` words.
    pub fn new() -> Self {
        let mut block = Self {
            layers: Layers::up_to(WORDS),
            checksum_word: Param::new(CHECKSUM_WORD.into()),
            ..Default::default()
        };
        for at in 0..D {
            block.numbers[at] = Param::new((at as u64).into());
            block.shifts[at] = Param::new((32 * at as u64).into());
        }
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("module ports: what is written into each data packet in the place of its EV");
        self.layers.beat_valid = self.beat_valid;
        self.layers.data = self.data;
        self.layers.is_last = self.is_last;
        comment!("IPv4 says its length in words, of which the port counts 5. IPv6 has 5 words more.");
        self.length = self.layers.first.get_bits::<4>(0) - 5;
        if self.layers.first.get_bit(5) {
            self.length = 5;
        }
        comment!("Register 1.");
        if self.layers.begins {
            self.place = self.length + bit_cast::<4, 2>(self.layers.tags);
        }
        self.beat = self.data;
        self.at = self.layers.at;
        self.is_looked_at = self.layers.is_here;
        self.takes_1 = self.takes;
        self.conn_1 = self.conn;
        self.ev_1 = self.ev;
        comment!("Register 2.");
        self.checksum_at = bit_cast::<5, 4>(self.place) + self.checksum_word;
        for i in 0..D {
            if self.is_looked_at & (self.checksum_at == (self.at | self.numbers[i])) {
                self.came = bit_cast::<16, W>(self.beat >> self.shifts[i]);
            }
        }
        self.takes_2 = self.takes_1;
        self.port_2 = self.base + self.conn_1;
        self.ev_2 = self.ev_1;
        self.place_2 = self.place;
        if self.base == 0 {
            self.place_2 = 15;
        }
        comment!("Register 3: the sum loses the EV and takes the port (RFC 1624).");
        self.change = bit_cast::<17, 16>(self.port_2) + bit_cast::<17, 16>(!self.ev_2);
        self.change_3 = self.change.get_bits::<16>(0) + bit_cast::<16, 1>(self.change.get_bits::<1>(16));
        self.came_3 = self.came;
        self.takes_3 = self.takes_2;
        self.port_3 = (self.port_2 << 8) | (self.port_2 >> 8);
        self.place_3 = self.place_2;
        comment!("Register 4. A checksum of 0 is sent as ones.");
        self.sum = bit_cast::<17, 16>(!((self.came_3 << 8) | (self.came_3 >> 8)))
            + bit_cast::<17, 16>(self.change_3);
        self.around = !(self.sum.get_bits::<16>(0) + bit_cast::<16, 1>(self.sum.get_bits::<1>(16)));
        self.checksum_4 = (self.around << 8) | (self.around >> 8);
        if self.around == 0 {
            self.checksum_4 = 0xffff;
        }
        if self.came_3 == 0 {
            self.checksum_4 = 0;
        }
        self.takes_4 = self.takes_3;
        self.port_4 = self.port_3;
        self.place_4 = self.place_3;
        self.push = self.takes_4;
        self.item.place = self.place_4;
        self.item.port = self.port_4;
        self.item.checksum = self.checksum_4;
    }
}
