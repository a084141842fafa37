//! Credit of the host: how many frames may go to it.
//!
//! The host names the number of the last frame for which it has room, counted modulo 2^16 from the first one on. Each frame that
//! goes to the host takes one number. Data goes only where its number was named before. Other frames go in any case, and the
//! block remembers by how many they are ahead of what was named.

/// Frames ahead of those that went, up to which the host may name a number.
pub const MOST_AHEAD: i32 = (1 << 14) - 1;
/// Frames by which those that went may be ahead; from then on the number that was named last moves on with them.
pub const MOST_OWED: i32 = (1 << 14) + 1;

/// Numbers of frames, and what the host has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credit {
    /// Frames that went to the host, modulo 2^16.
    given: u16,
    /// Frames that may go, or below 0 those that went without: -[`MOST_OWED`]..=[`MOST_AHEAD`].
    left: i32,
}

impl Credit {
    /// Whether data may go.
    pub fn has(self) -> bool {
        self.left > 0
    }

    /// Frames that may go, or below 0 those that went without.
    pub fn left(self) -> i32 {
        self.left
    }

    /// Frames that went to the host, modulo 2^16.
    pub fn given(self) -> u16 {
        self.given
    }

    /// The number of the last frame that may go.
    pub fn limit(self) -> u16 {
        self.given.wrapping_add(self.left as u16)
    }

    /// As the register has it: `limit` in bits 31:16, `given` in bits 15:0.
    pub(super) fn word(self) -> u32 {
        u32::from(self.limit()) << 16 | u32::from(self.given)
    }

    /// A frame goes to the host.
    pub(super) fn take(&mut self) {
        self.given = self.given.wrapping_add(1);
        self.left = (self.left - 1).max(-MOST_OWED);
    }

    /// The host has room up to the frame of this number; false if that is fewer than before, or too far ahead, and nothing changes.
    pub(super) fn grant(&mut self, limit: u16) -> bool {
        let ahead = i32::from(limit.wrapping_sub(self.given) as i16);
        let is_taken = (self.left..=MOST_AHEAD).contains(&ahead);
        if is_taken {
            self.left = ahead;
        }
        is_taken
    }
}
