//! Whose frame may go first at `tx_out`.

use respray_hdl::nic::top::Seen;

/// Frames of the block's own that go one behind the other while a frame of the host waits, at most.
const MOST_OWN: u32 = 15;

/// The rule of the outlet: SACKs and probes first, but not for ever.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    /// Within a frame of that stream.
    is_within_own: bool,
    is_within_host: bool,
    /// Frames of the block's own since the last one of the host, or since none waited.
    own_in_a_row: u32,
}

impl Turns {
    /// Whether a frame has begun whose last beat is still to come.
    pub fn is_within(&self) -> bool {
        self.is_within_own || self.is_within_host
    }

    /// Beats of a cycle.
    ///
    /// # Errors
    /// What was seen, and what the rule is.
    pub fn take(&mut self, seen: &Seen) -> Result<(), (String, String)> {
        let takes_own = seen.own_valid && seen.own_ready;
        let takes_host = seen.host_valid && seen.host_ready;
        let is_between = !self.is_within_own && !self.is_within_host;
        if takes_own && takes_host {
            return Err(("beats of two frames at once".into(), "one after the other".into()));
        }
        if (takes_own && self.is_within_host) || (takes_host && self.is_within_own) {
            return Err(("a beat of another frame".into(), "the rest of the one that began".into()));
        }
        if takes_host && is_between && seen.own_valid && self.own_in_a_row < MOST_OWN {
            let row = self.own_in_a_row;
            return Err((
                format!("data goes first after {row} SACKs"),
                "a SACK that waits goes first".into(),
            ));
        }
        if takes_own && is_between && seen.host_valid {
            self.own_in_a_row += 1;
            if self.own_in_a_row > MOST_OWN {
                return Err(("one more SACK".into(), format!("data that waits goes after {MOST_OWN} SACKs")));
            }
        }
        if takes_own {
            self.is_within_own = !seen.own_last;
        }
        if takes_host {
            self.is_within_host = !seen.host_last;
            self.own_in_a_row = 0;
        }
        if !seen.host_valid {
            self.own_in_a_row = 0;
        }
        Ok(())
    }
}
