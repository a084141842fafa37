//! Words with a flipped bit, and what they make of a packet.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::super::state::ControlWord;
use crate::comment;
use crate::parts::WordParity;

/// Looks at the parity of the words that a packet needs.
///
/// ```text
///   compare            decide                 look                          result
///   state, own word ─► not initialised
///                      word of an advance ──► the advance ends at finish ─► lost
///                                             word of a SACK ─────────────► lost
/// ```
///
/// A connection of which a word has a flipped bit is one that was never initialised: its packet is refused, and the state says so from
/// then on. Of a connection that is not initialised the bitmap is nothing.
#[derive(LogicBlock, Default, Part)]
pub struct Loss<const PLACE: usize, const SEGMENTS: usize, const PSN: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub compare: Signal<In, bool>,
    pub decide: Signal<In, bool>,
    pub look: Signal<In, bool>,
    pub finish: Signal<In, bool>,
    /// The cycle of the result, and whether a SACK comes with it, as far as it is known without regard to the word shown.
    pub result: Signal<In, bool>,
    pub sack: Signal<In, bool>,
    /// The state that was read, and the word of the bitmap that was read last, with their parity bits.
    pub control: Signal<In, ControlWord<PLACE, SEGMENTS, PSN>>,
    pub control_parity: Signal<In, bool>,
    pub word: Signal<In, Bits<64>>,
    pub parity: Signal<In, bool>,
    /// Finish: the packet was in order, and its run goes on in the word.
    pub in_order: Signal<In, bool>,
    pub goes_on: Signal<In, bool>,

    /// Decide: the connection is initialised.
    pub initialised: Signal<Out, bool>,
    /// Finish: the run ends here.
    pub ends: Signal<Out, bool>,
    /// Result: the connection is lost.
    pub lost: Signal<Out, bool>,

    of_control: WordParity<ControlWord<PLACE, SEGMENTS, PSN>>,
    of_word: WordParity<Bits<64>>,
    is_spoilt: Signal<Local, bool>,
    was_found: DFF<bool>,
    advances: DFF<bool>,
    shows: DFF<bool>,
}

impl<const PLACE: usize, const SEGMENTS: usize, const PSN: usize> Logic for Loss<PLACE, SEGMENTS, PSN> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module loss: words with a flipped bit, and what they make of a packet");
        dff_setup!(self, clk, was_found, advances, shows);
        self.of_control.clk.next = self.clk.val();
        self.of_control.load.next = self.compare.val();
        self.of_control.word.next = self.control.val();
        self.of_control.parity.next = self.control_parity.val();
        self.of_word.clk.next = self.clk.val();
        self.of_word.load.next = true;
        self.of_word.word.next = self.word.val();
        self.of_word.parity.next = self.parity.val();

        comment!("Decide: the state, and the word with the bit of the packet.");
        self.is_spoilt.next =
            self.of_control.has_flip.val() | (self.control.val().initialised & self.of_word.has_flip.val());
        self.initialised.next = self.control.val().initialised & !self.is_spoilt.val();
        if self.decide.val() {
            self.was_found.d.next = self.is_spoilt.val();
        }

        comment!("Look, result: the word that was taken before.");
        self.advances.d.next = self.finish.val() & self.goes_on.val();
        self.shows.d.next = self.finish.val() & !self.in_order.val();
        if self.look.val() & self.advances.q.val() & self.of_word.has_flip.val() {
            self.was_found.d.next = true;
        }
        self.ends.next = self.was_found.q.val();
        self.lost.next = self.result.val()
            & (self.was_found.q.val() | (self.shows.q.val() & self.sack.val() & self.of_word.has_flip.val()));
        if self.rst.val() {
            self.was_found.d.next = false;
            self.advances.d.next = false;
            self.shows.d.next = false;
        }
    }
}

/// The parity bits of the words of the bitmap, which is written bit by bit: a bit that changes turns that of its word.
#[derive(LogicBlock, Default, Part)]
pub struct Turned<const SEGMENT_ADDRESS: usize, const BIT_ADDRESS: usize, const PSN: usize> {
    /// Where the bit is written, and the word of the packet's PSN.
    pub write_address: Signal<In, Bits<BIT_ADDRESS>>,
    pub own_word: Signal<In, Bits<SEGMENT_ADDRESS>>,
    pub psn: Signal<In, Bits<PSN>>,
    pub fill: Signal<In, bool>,
    /// Decide: the parity bit of the packet's word, and whether its bit changes.
    pub parity: Signal<In, bool>,
    pub is_new: Signal<In, bool>,
    pub word: Signal<Out, Bits<SEGMENT_ADDRESS>>,
    pub after: Signal<Out, bool>,
    address: Signal<Local, Bits<SEGMENT_ADDRESS>>,
}

impl<const SEGMENT_ADDRESS: usize, const BIT_ADDRESS: usize, const PSN: usize> Logic
    for Turned<SEGMENT_ADDRESS, BIT_ADDRESS, PSN>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module turned: the parity bits of the words of the bitmap");
        self.address.next = bit_cast::<SEGMENT_ADDRESS, BIT_ADDRESS>(self.write_address.val() >> 6);
        self.word.next = self.address.val();
        self.after.next = self.parity.val() ^ self.is_new.val();
        if self.fill.val() {
            comment!(
                "Behind init all bits of a word are alike, but for the first word: there as many differ as lie below the PSN."
            );
            self.after.next = (self.address.val() == self.own_word.val()) & self.psn.val().get_bit(0);
        }
    }
}
