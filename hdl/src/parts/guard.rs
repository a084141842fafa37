//! The parity of the control RAM's words in a pipeline.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{EventOnItsWay, WordParity};
use crate::comment;
use crate::prims::{Optional, Param, Reg, Word};

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
#[block]
pub struct Guard<D: Word> {
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
    looks: Reg<bool>,
    is_odd: Signal<Local, bool>,
    in_update: Reg<bool>,
    on_its_way: EventOnItsWay,

    has_beside: Param<bool>,
}

#[block]
impl<D: Word> Guard<D> {
    /// `has_beside`: there are words beside.
    pub fn new(has_beside: bool) -> Self {
        Self {
            beside: Optional::new(has_beside, Default::default),
            lost: Optional::new(has_beside, Default::default),
            has_beside: Param::new(has_beside),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module guard: the parity of the words of the control RAM");
        self.of_stored.load = true;
        self.of_stored.word = self.stored;
        self.of_stored.parity = self.parity;
        comment!("Read: the word is that of the RAM if no op ahead has a newer one.");
        self.looks = self.read_valid & !(self.one_ahead | self.two_ahead | self.older_ahead);

        comment!("Forward.");
        if self.has_beside {
            self.is_odd = (self.looks & self.of_stored.has_flip) | self.beside;
            self.lost = self.forward_keeps & self.is_odd;
        } else {
            self.is_odd = self.looks & self.of_stored.has_flip;
        }
        self.keeps = self.forward_keeps & !self.is_odd;
        self.in_update = self.forward_keeps & self.is_odd;
        self.on_its_way.update = self.in_update;
        self.state_lost = self.on_its_way.shown;
        if self.rst {
            self.looks = false;
            self.in_update = false;
        }
    }
}
