//! The one free-running counter, and the three ticks that are made of it.
//!
//! A prescaler is a shift: the ticks of a unit are the counter without its lowest bits. So all units tick together,
//! and a duration goes from one to another by a shift.

use super::settings::{Setting, Settings};

/// The counter of clock cycles since power-up. No reset clears it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    pub cycles: u64,
}

impl Clock {
    /// The wire's time: timestamps of sent packets, RTTs, and the selectors with times of 16 bits.
    pub fn wire(&self, settings: &Settings) -> u16 {
        (self.cycles >> settings.get(Setting::WirePrescale)) as u16
    }

    /// `now` of `sack_tx`.
    pub fn sack(&self, settings: &Settings) -> u16 {
        (self.cycles >> settings.get(Setting::SackPrescale)) as u16
    }

    /// `now` of a selector whose times have 16 or 32 bits.
    pub fn selector(&self, settings: &Settings, time_bits: u8) -> u32 {
        match time_bits {
            16 => self.wire(settings).into(),
            _ => (self.cycles >> settings.get(Setting::SelectorPrescale)) as u32,
        }
    }

    /// The timestamp that `sack_tx` takes for a round trip of so many ticks of the wire: its own `now` less that time.
    pub fn sack_timestamp(&self, settings: &Settings, rtt: u16) -> u16 {
        let shift = settings.get(Setting::SackPrescale) - settings.get(Setting::WirePrescale);
        self.sack(settings).wrapping_sub(rtt.checked_shr(shift).unwrap_or(0))
    }
}
