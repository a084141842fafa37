//! The values of the settings.

use super::registers::{Register, Setting, Target};
use crate::sack_tx::Inputs;

/// A value for each setting; 0 for those that the configuration has not got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    values: [u32; Setting::COUNT],
}

impl Settings {
    /// The reset values of a table.
    pub fn of(table: &[Register]) -> Self {
        let mut settings = Settings { values: [0; Setting::COUNT] };
        for register in table {
            if let Target::Setting(setting) = register.target {
                settings.set(setting, register.reset);
            }
        }
        settings
    }

    pub fn get(&self, setting: Setting) -> u32 {
        self.values[setting.index()]
    }

    pub fn set(&mut self, setting: Setting, value: u32) {
        self.values[setting.index()] = value;
    }

    /// Settings of the selector, in the order of its list.
    pub fn selector(&self) -> [u32; 4] {
        [0, 1, 2, 3].map(|at| self.get(Setting::Selector(at)))
    }

    /// Inputs of `sack_tx` at a time.
    pub fn sack_tx(&self, now: u16) -> Inputs {
        Inputs {
            now,
            cwnd_packets: self.get(Setting::CwndPackets) as u16,
            probe_timeout: self.get(Setting::ProbeTimeout) as u16,
            probe_rtt: self.get(Setting::ProbeRtt) as u16,
            rto: self.get(Setting::Rto) as u16,
            rto_backoff_max: self.get(Setting::RtoBackoffMax) as u8,
        }
    }
}
