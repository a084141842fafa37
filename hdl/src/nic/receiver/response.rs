//! Whether an ACK of Ultra Ethernet carries a response that is not the default one.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::layers::Layers;
use crate::comment;
use crate::prims::{Array, Param, Reg};

/// The word of 4 bytes whose third byte is the first one behind UDP, where no tag stands before an IPv4 header of 5 words.
const FIRST_WORD: u64 = 10;
/// Words of an ACK, an ACK_CC and an ACK_CCX with its congestion state.
const HEADER_WORDS: [u64; 3] = [3, 8, 10];

/// Looks at the opcode of the response in the frames that go by, a beat of `D` words an edge: the lower six bits of the first byte behind
/// the header. What is said of a frame that is an ACK of the profile with such a byte is there in the cycle behind its last beat.
#[block]
pub struct Response<const W: usize, const D: usize> {
    pub beat_valid: Signal<In, bool>,
    pub data: Signal<In, Bits<W>>,
    pub is_last: Signal<In, bool>,
    /// The opcode is not 0, that of the default response, if the frame is an ACK; if it is an ACK_CC; if it is an ACK_CCX.
    pub in_ack: Signal<Out, bool>,
    pub in_ack_cc: Signal<Out, bool>,
    pub in_ack_ccx: Signal<Out, bool>,

    layers: Layers<W, D>,
    length: Signal<Local, Bits<4>>,
    /// Register 1: words before UDP beyond those of Ethernet and an IPv4 header of 5 words; number of the beat, which stays at the last
    /// one; for each of its words whether an opcode there is not 0.
    place: Reg<Bits<4>>,
    #[reset = 0]
    beat: Reg<Bits<5>>,
    beat_1: Reg<Bits<5>>,
    is_there_1: Reg<bool>,
    others_1: Reg<Bits<D>>,
    others: Signal<Local, Bits<D>>,
    /// Where the opcode is.
    word: Signal<Local, Bits<6>>,
    are_others: Array<Signal<Local, bool>, 3>,
    held: Array<Reg<bool>, 3>,

    last_beat: Param<Bits<5>>,
    words: Array<Param<Bits<6>>, 3>,
    /// Of a word's number: how far the beat's number is to the right, and the bits that say which word of the beat it is.
    shift: Param<Bits<3>>,
    mask: Param<Bits<6>>,
}

#[block]
impl<const W: usize, const D: usize> Response<W, D> {
    /// For beats of `D` words.
    ///
    /// # Panics
    /// If `W` bits are not `D` words.
    pub fn new() -> Self {
        let mut block = Self {
            // what stands before UDP is known with the first byte of IP
            layers: Layers::up_to(6),
            last_beat: Param::new(31u64.into()),
            shift: Param::new(u64::from(D.ilog2()).into()),
            mask: Param::new((D as u64 - 1).into()),
            ..Default::default()
        };
        for (at, words) in HEADER_WORDS.into_iter().enumerate() {
            block.words[at] = Param::new((FIRST_WORD + words).into());
        }
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("module response: whether the response in an ACK is not the default one");
        self.layers.beat_valid = self.beat_valid;
        self.layers.data = self.data;
        self.layers.is_last = self.is_last;
        comment!("IPv4 says its length in words, of which 5 count already. IPv6 has 5 words more.");
        self.length = self.layers.first.get_bits::<4>(0) - 5;
        if self.layers.first.get_bit(5) {
            self.length = 5;
        }
        comment!("Register 1.");
        if self.layers.begins {
            self.place = self.length + bit_cast::<4, 2>(self.layers.tags);
        }
        if self.beat_valid {
            if self.beat != self.last_beat {
                self.beat = self.beat + 1;
            }
            if self.is_last {
                self.beat = 0;
            }
        }
        self.others = 0;
        for i in 0..D {
            self.others = self.others.replace_bit(i, self.data.get_bits::<6>(32 * i + 16).any());
        }
        self.is_there_1 = self.beat_valid;
        self.beat_1 = self.beat;
        self.others_1 = self.others;
        comment!("Register 2, and what it will hold.");
        for k in 0..3 {
            self.word = bit_cast::<6, 4>(self.place) + self.words[k];
            self.are_others[k] = self.held[k];
            if self.is_there_1 & (bit_cast::<5, 6>(self.word >> self.shift) == self.beat_1) {
                self.are_others[k] = (self.others_1 >> (self.word & self.mask)).get_bit(0);
            }
            self.held[k] = self.are_others[k];
        }
        self.in_ack = self.are_others[0];
        self.in_ack_cc = self.are_others[1];
        self.in_ack_ccx = self.are_others[2];
    }
}
