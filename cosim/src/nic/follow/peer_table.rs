//! The steps of a table of peers.

use respray_golden::nic::Nic;
use respray_hdl::nic::top::Seen;

use super::Follower;
use crate::nic::difference::Difference;

impl Follower {
    /// The number of a SACK or of a probe is looked up. An entry is written behind all that is looked up in its cycle.
    pub(super) fn peer_table(&mut self, seen: &Seen) -> Result<(), Difference> {
        if seen.own_numbered {
            let numbered = self.golden.number_own(seen.own_is_probe);
            self.need(numbered, "the number of a frame of the block is looked up", "none is due")?;
        }
        self.step_if(
            seen.peer_entered,
            Nic::take_peer_entry,
            "an entry of a peer is written",
            "the host wrote none",
        )?;
        Ok(())
    }
}
