//! Frames that the hosts at both ends grant, where they do.

use rand::RngExt;
use respray_golden::nic::{MOST_AHEAD, Nic};

use super::Traffic;
use crate::nic::difference::Difference;

/// The register by which a host grants frames.
const RX_CREDIT: &str = "rx_credit";
/// Frames that are granted at once, at most: few, so that there is none left now and then, or enough for a while.
const MOST_FRAMES: [i32; 3] = [4, 40, 400];

impl Traffic<'_> {
    /// The host of the block grants some frames, or none; now and then fewer than before, or more than it may. That of the other end
    /// grants as many as it can.
    pub(super) fn grant(&mut self) -> Result<(), Difference> {
        let Some(credit) = self.end.golden().credit() else { return Ok(()) };
        let random = &mut self.random;
        let ahead = match random.random_range(0..12) {
            0 => return Ok(()),
            1 => credit.left() - random.random_range(1..=MOST_FRAMES[2]),
            2 => random.random_range(MOST_AHEAD - 2..=MOST_AHEAD + 2),
            3 => random.random_range(-2..=2),
            4 => random.random_range(i32::from(i16::MIN)..=i32::from(i16::MAX)),
            kind => random.random_range(0..=MOST_FRAMES[kind % 3]),
        };
        // once too many are granted, the rest of the traffic would have all it needs
        let is_rare = random.random_ratio(1, 4);
        let ahead = if ahead > MOST_FRAMES[2] && ahead <= MOST_AHEAD && !is_rare { 0 } else { ahead };
        self.end.write(RX_CREDIT, credit.given().wrapping_add(ahead as u16).into())?;
        grant_all(&mut self.peer);
        Ok(())
    }
}

/// As many frames as can be.
fn grant_all(nic: &mut Nic) {
    let Some(credit) = nic.credit() else { return };
    let address = nic.address(RX_CREDIT).expect("a host that grants frames has the register");
    let limit = credit.given().wrapping_add(MOST_AHEAD as u16);
    nic.write(address, limit.into()).expect("a value of the register");
}
