//! Frames that the host has granted.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Counts the frames that go to the host, and those that may still go, modulo 2^16.
///
/// A grant names the number of the last frame that may go. It is compared two edges after it came, with the frames that went until then. One
/// that goes back, or that is more than 2^14 - 1 frames ahead, has no effect. Frames that go without credit are owed. There
/// are at most 2^14 + 1 of them: those that go then move the grant on with them, so that numbers never seem to have gone around.
#[block]
pub struct Credit {
    pub grant_valid: Signal<In, bool>,
    pub grant: Signal<In, Bits<16>>,
    /// A frame goes to the host.
    pub takes: Signal<In, bool>,
    /// Data has no credit.
    pub is_without: Signal<In, bool>,
    /// Data may go.
    pub has_credit: Signal<Out, bool>,
    /// The number that was granted in bits 31:16, frames that went in bits 15:0.
    pub state: Signal<Out, Bits<32>>,
    /// Pulses: data had no credit, and a grant has no effect.
    pub missed: Signal<Out, bool>,
    pub refused: Signal<Out, bool>,

    #[reset = 0]
    given: Reg<Bits<16>>,
    /// Frames that may go, with a sign.
    #[reset = 0]
    left: Reg<Bits<16>>,
    #[reset = false]
    has: Reg<bool>,
    /// A grant on its way, and how far it is ahead of the frames that went.
    #[reset = false]
    came: Reg<bool>,
    named: Reg<Bits<16>>,
    #[reset = false]
    counts: Reg<bool>,
    ahead: Reg<Bits<16>>,
    #[reset = false]
    is_missed: Reg<bool>,
    #[reset = false]
    is_refused: Reg<bool>,
}

#[block]
impl Credit {
    fn update(&mut self) {
        comment!("module credit: frames that the host has granted");
        self.came = self.grant_valid;
        self.named = self.grant;
        self.counts = self.came;
        self.ahead = self.named - self.given;
        if self.takes {
            self.given = self.given + 1;
            self.ahead = self.named - self.given - 1;
        }
        comment!("A grant may neither go back nor be too far ahead.");
        let goes_back = (self.ahead + 0x8000) < (self.left + 0x8000);
        let is_far = !self.ahead.get_bit(15) & self.ahead.get_bit(14);
        let grants = self.counts & !goes_back & !is_far;
        self.is_refused = self.counts & (goes_back | is_far);
        self.refused = self.is_refused;
        self.is_missed = self.is_without;
        self.missed = self.is_missed;
        let mut base = self.left;
        if grants {
            base = self.ahead;
        }
        comment!("Frames that are owed are not counted beyond the most there can be.");
        let owes_most = base.get_bit(15) & !base.get_bit(14);
        let mut after = base;
        if self.takes & !owes_most {
            after = base - 1;
        }
        self.left = after;
        comment!(
            "Whether the host has room for another one, also behind the frame that goes now, which is known late."
        );
        let mut has_room = base.any();
        if self.takes {
            has_room = base.get_bits::<15>(1).any();
        }
        self.has = !base.get_bit(15) & has_room;
        self.has_credit = self.has;
        self.state = (bit_cast::<32, 16>(self.given + self.left) << 16) | bit_cast::<32, 16>(self.given);
    }
}
