//! The rules of AXI4-Stream, as a checker of one channel (AMBA AXI-Stream, sections 2.2 and 2.4).
//!
//! - `tvalid` once high stays high until `tready` is, and `tdata`, `tkeep`, `tlast`, `tuser` stay as they are.
//! - `tkeep` is contiguous from bit 0 and not 0; before the last beat of a packet it is all ones.
//! - A reset ends the packet: what follows begins a new one.

/// What a channel shows before one clock edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<'a> {
    pub valid: bool,
    pub ready: bool,
    pub data: &'a [u64],
    pub keep: u64,
    pub last: bool,
    pub user: u64,
}

/// A rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Signal of the channel, without its prefix.
    pub signal: &'static str,
    /// What it had to be.
    pub expected: &'static str,
    /// What it was.
    pub seen: &'static str,
}

/// Watches one channel from reset on.
#[derive(Clone, Debug)]
pub struct Rules {
    /// All bits of `tkeep`.
    all: u64,
    /// The beat that was offered and not taken.
    held: bool,
    data: Vec<u64>,
    keep: u64,
    last: bool,
    user: u64,
}

impl Rules {
    /// For a channel of so many bytes, 8 to 64.
    pub fn new(bytes: usize) -> Rules {
        let all = u64::MAX >> (64 - bytes);
        Rules { all, held: false, data: vec![0; bytes / 8], keep: 0, last: false, user: 0 }
    }

    /// A clock edge with `rst` high.
    pub fn reset(&mut self) {
        self.held = false;
    }

    /// Looks at what the channel shows before the coming edge, at which `rst` is low.
    ///
    /// # Errors
    /// The first rule that it breaks.
    #[inline(always)]
    pub fn check(&mut self, sample: &Sample<'_>) -> Result<(), Violation> {
        let broken = |signal, expected, seen| Err(Violation { signal, expected, seen });
        if !sample.valid {
            if self.held {
                return broken("tvalid", "high until the beat is taken", "low");
            }
            return Ok(());
        }
        if self.held {
            const HELD: &str = "as it was until the beat is taken";
            if sample.data != &self.data[..] {
                return broken("tdata", HELD, "changed");
            }
            if sample.keep != self.keep {
                return broken("tkeep", HELD, "changed");
            }
            if sample.last != self.last {
                return broken("tlast", HELD, "changed");
            }
            if sample.user != self.user {
                return broken("tuser", HELD, "changed");
            }
        } else if sample.keep == 0 || sample.keep & sample.keep.wrapping_add(1) != 0 {
            return broken("tkeep", "contiguous from bit 0", "with a hole");
        } else if !sample.last && sample.keep != self.all {
            return broken("tkeep", "all ones before the last beat", "less");
        }
        self.held = !sample.ready;
        if self.held {
            self.data.copy_from_slice(sample.data);
            (self.keep, self.last, self.user) = (sample.keep, sample.last, sample.user);
        }
        Ok(())
    }
}
