//! Where the headers of a frame begin, as its beats go by.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Counts the words of 4 bytes of a frame that came before the beat that is here, `D` in each.
#[block]
pub struct WordCount<const D: usize> {
    /// The beat goes, and it is the last one of its frame.
    pub moves: Signal<In, bool>,
    pub is_last: Signal<In, bool>,
    /// Words before this beat, a multiple of `D`.
    pub at: Signal<Out, Bits<5>>,
    /// No word of this beat is looked at.
    pub is_behind: Signal<Out, bool>,

    #[reset = 0]
    count: Reg<Bits<5>>,
    #[reset = false]
    is_over: Reg<bool>,
    step: Param<Bits<5>>,
    last: Param<Bits<5>>,
}

#[block]
impl<const D: usize> WordCount<D> {
    /// At the first beat. So many words of a frame are looked at, up to 32.
    pub fn up_to(words: usize) -> Self {
        let last = (words - 1) / D * D;
        Self {
            step: Param::new((D as u64).into()),
            last: Param::new((last as u64).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module word_count: words of a frame that came before this beat");
        if self.moves {
            self.count = self.count + self.step;
            if self.count == self.last {
                self.is_over = true;
            }
            if self.is_last {
                self.count = 0;
                self.is_over = false;
            }
        }
        self.at = self.count;
        self.is_behind = self.is_over;
    }
}

/// Looks at the frames that go by, a beat of `D` words an edge, for what stands before IP and what IP begins with. Of a frame that is a
/// packet of the profile; of what else goes by it may say anything.
#[block]
pub struct Layers<const W: usize, const D: usize> {
    pub beat_valid: Signal<In, bool>,
    pub data: Signal<In, Bits<W>>,
    pub is_last: Signal<In, bool>,
    /// Words of 4 bytes before this beat, a multiple of `D`.
    pub at: Signal<Out, Bits<5>>,
    /// One of the words that are looked at is in this beat.
    pub is_here: Signal<Out, bool>,
    /// The first byte of IP is in this beat, and what follows is right.
    pub begins: Signal<Out, bool>,
    /// VLAN tags, 0 to 2.
    pub tags: Signal<Out, Bits<2>>,
    /// The first byte of IP.
    pub first: Signal<Out, Bits<8>>,

    count: WordCount<D>,
    /// Bytes 12 to 23 of the frame, in the beat that has the last of them.
    window: Signal<Local, Bits<96>>,
    /// The last word of the beat before.
    last_word: Reg<Bits<32>>,

    is_wide: Param<bool>,
    /// Words before the beat that has byte 23.
    begin_at: Param<Bits<5>>,
    behind_addresses: Param<Bits<10>>,
    last_shift: Param<Bits<10>>,
}

#[block]
impl<const W: usize, const D: usize> Layers<W, D> {
    /// For beats of `D` words. So many words of a frame are looked at, up to 32.
    ///
    /// # Panics
    /// If `W` bits are not `D` words.
    pub fn up_to(words: usize) -> Self {
        assert!(W == 32 * D, "a beat of {W} bits has {} words, not {D}", W / 32);
        Self {
            count: WordCount::up_to(words),
            is_wide: Param::new(D >= 6),
            begin_at: Param::new(if D >= 6 { 0u64 } else { 4 }.into()),
            behind_addresses: Param::new(96u64.into()),
            last_shift: Param::new((W as u64 - 32).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module layers: where the headers of a frame begin");
        self.count.moves = self.beat_valid;
        self.count.is_last = self.is_last;
        self.at = self.count.at;
        let is_looked_at = self.beat_valid & !self.count.is_behind;
        self.is_here = is_looked_at;
        self.begins = is_looked_at & (self.count.at == self.begin_at);
        comment!("Bytes 12 to 23: the EtherType, behind up to two tags, and the first byte of IP.");
        if self.beat_valid {
            self.last_word = bit_cast::<32, W>(self.data >> self.last_shift);
        }
        if self.is_wide {
            self.window = bit_cast::<96, W>(self.data >> self.behind_addresses);
        } else {
            self.window = (bit_cast::<96, W>(self.data) << 32) | bit_cast::<96, 32>(self.last_word);
        }
        comment!(
            "Of the types that a packet has only those of tags have bit 7 of their first byte, and not bit 2."
        );
        let is_tagged = self.window.get_bit(7) & !self.window.get_bit(2);
        let is_tagged_twice = is_tagged & self.window.get_bit(39) & !self.window.get_bit(34);
        self.first = self.window.get_bits::<8>(16);
        self.tags = 0;
        if is_tagged {
            self.first = self.window.get_bits::<8>(48);
            self.tags = 1;
        }
        if is_tagged_twice {
            self.first = self.window.get_bits::<8>(80);
            self.tags = 2;
        }
    }
}
