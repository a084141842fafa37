//! The parity of the control RAM's words in a pipeline.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{EventOnItsWay, WordParity};
use crate::comment;
use crate::prims::{Optional, Param, Word};

/// Finds words with a flipped bit when an op reads them.
///
/// ```text
///   read                              forward                          update … result
///   RAM word ──► parts of parity ───► is_odd ─► keeps: the op starts ──► state_lost
///   ops ahead: their state is newer ─► looks    from a connection without a past
/// ```
///
/// The parity of the word read goes into a register in parts, as the memory is slow, and in the forward stage it takes the state away. The
/// state that an op ahead has on its way comes from no memory: there is no parity to look at. An `init` does not look at the word that it
/// reads.
///
/// A selector with words beside those of the control RAM says of each op in the forward stage whether it looks at one of them with a
/// flipped bit, which is the same to the connection.
#[derive(LogicBlock, Default)]
pub struct Guard<D: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: the word in the RAM and its parity bit, whether an op stands there, and which ops ahead share its connection.
    pub stored: Signal<In, D>,
    pub parity: Signal<In, bool>,
    pub read_valid: Signal<In, bool>,
    pub one_ahead: Signal<In, bool>,
    pub two_ahead: Signal<In, bool>,
    pub older_ahead: Signal<In, bool>,
    /// Forward stage: clear for an op that starts from a connection without a past, without and with regard to the parity.
    pub forward_keeps: Signal<In, bool>,
    pub keeps: Signal<Out, bool>,
    /// Forward stage, with words beside: the op looks at one with a flipped bit, and whether its connection starts anew.
    pub beside: Optional<Signal<In, bool>>,
    pub lost: Optional<Signal<Out, bool>>,
    /// With the results: the op read a word with a flipped bit, and its connection started anew.
    pub state_lost: Signal<Out, bool>,

    of_stored: WordParity<D>,
    /// The op in the forward stage looks at the word, as no op before it does so for it.
    looks: DFF<bool>,
    is_odd: Signal<Local, bool>,
    in_update: DFF<bool>,
    on_its_way: EventOnItsWay,

    /// Whether the op in the forward stage, or that in the update stage, found a flipped bit in a word that is not older than it.
    reads: Optional<DFF<bool>>,
    is_odd_one_ahead: Optional<Signal<Local, bool>>,
    odd_two_ahead: Optional<DFF<bool>>,
    is_forwarded: Param<bool>,
    has_beside: Param<bool>,
}

impl<D: Word> Guard<D> {
    /// `is_forwarded`: an op looks at nothing of the RAM's word if an op ahead has its connection. Otherwise it may look at a part of it
    /// that the ops one and two places ahead do not change, and only what is older is whole. `has_beside`: there are words beside.
    pub fn new(is_forwarded: bool, has_beside: bool) -> Self {
        Self {
            beside: Optional::new(has_beside, Default::default),
            lost: Optional::new(has_beside, Default::default),
            has_beside: Param::new(has_beside),
            reads: Optional::new(!is_forwarded, Default::default),
            is_odd_one_ahead: Optional::new(!is_forwarded, Default::default),
            odd_two_ahead: Optional::new(!is_forwarded, Default::default),
            is_forwarded: Param::new(is_forwarded),
            ..Default::default()
        }
    }
}

impl<D: Word> Logic for Guard<D> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module guard: the parity of the words of the control RAM");
        dff_setup!(self, clk, looks, in_update);
        self.of_stored.clk.next = self.clk.val();
        self.of_stored.load.next = true;
        self.of_stored.word.next = self.stored.val();
        self.of_stored.parity.next = self.parity.val();
        if self.is_forwarded.val() {
            comment!("Read: the word is that of the RAM if no op ahead has a newer one.");
            self.looks.d.next = self.read_valid.val()
                & !(self.one_ahead.val() | self.two_ahead.val() | self.older_ahead.val());
        } else {
            comment!(
                "Read: something of the word is that of the RAM if no op three or four places ahead has a newer one. A bit that flipped"
            );
            comment!("before the op one or two places ahead read the word is for that op to tell.");
            self.is_odd_one_ahead.next = self.of_stored.has_flip.val() & self.reads.q.val();
            self.looks.d.next = self.read_valid.val()
                & !self.older_ahead.val()
                & !(self.one_ahead.val() & self.is_odd_one_ahead.val())
                & !(self.two_ahead.val() & self.odd_two_ahead.q.val());
            self.reads.clock.next = self.clk.val();
            self.reads.d.next = self.read_valid.val() & !self.older_ahead.val();
            self.odd_two_ahead.clock.next = self.clk.val();
            self.odd_two_ahead.d.next = self.is_odd_one_ahead.val();
        }

        comment!("Forward.");
        if self.has_beside.val() {
            self.is_odd.next = (self.looks.q.val() & self.of_stored.has_flip.val()) | self.beside.val();
            self.lost.next = self.forward_keeps.val() & self.is_odd.val();
        } else {
            self.is_odd.next = self.looks.q.val() & self.of_stored.has_flip.val();
        }
        self.keeps.next = self.forward_keeps.val() & !self.is_odd.val();
        self.in_update.d.next = self.forward_keeps.val() & self.is_odd.val();

        self.on_its_way.clk.next = self.clk.val();
        self.on_its_way.rst.next = self.rst.val();
        self.on_its_way.update.next = self.in_update.q.val();
        self.state_lost.next = self.on_its_way.shown.val();
        if self.rst.val() {
            self.looks.d.next = false;
            self.in_update.d.next = false;
            if !self.is_forwarded.val() {
                self.reads.d.next = false;
                self.odd_two_ahead.d.next = false;
            }
        }
    }
}
