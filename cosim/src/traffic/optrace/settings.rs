//! Run-time settings of a core, for ops without their own.

use std::collections::BTreeMap;

use respray_hdl::contract::Contract;

/// Settings by name, e.g. `freeze_timeout`. One that is not given is open: a trace's settings give way to those of the
/// command line, and both go before what the contract says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<&'static str, u64>);

impl Settings {
    /// The value of a setting, if it is given.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// Gives a setting. The value must fit its port.
    pub fn set(&mut self, name: &'static str, value: u64) {
        self.0.insert(name, value);
    }

    /// These, with one more.
    pub fn with(mut self, name: &'static str, value: u64) -> Self {
        self.set(name, value);
        self
    }

    /// These, and where they leave one open, that of `others`.
    pub fn or(&self, others: &Self) -> Self {
        let mut settings = others.clone();
        settings.0.extend(&self.0);
        settings
    }

    /// All that are given, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(name, value)| (*name, *value))
    }
}

/// Names of a core's settings, as a trace spells them.
pub(super) fn names(contract: &Contract) -> Vec<&'static str> {
    contract.driver_settings().map(|(_, field, _)| field.name).collect()
}
