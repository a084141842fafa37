//! The differences of a run that goes on behind its first one.

use std::collections::BTreeMap;

use super::difference::Difference;
use crate::report::Differing;

/// What differed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// The run goes on.
    pub keeps_going: bool,
    /// The first difference.
    pub first: Option<Difference>,
    /// Of what differs, the cycles in which it does, and the last of them.
    ports: BTreeMap<String, (u64, u64)>,
    /// Cycles that differ, and the last of them.
    cycles: u64,
    last: Option<u64>,
}

impl Notes {
    /// Notes a difference if the run goes on behind it.
    ///
    /// # Errors
    /// The difference, if it ends the run.
    pub fn take(&mut self, difference: Difference) -> Result<(), Difference> {
        if !self.keeps_going {
            return Err(difference);
        }
        let cycle = difference.cycle;
        self.cycles += u64::from(self.last != Some(cycle));
        self.last = Some(cycle);
        match self.ports.get_mut(difference.port()) {
            Some((count, last)) => {
                *count += u64::from(*last != cycle);
                *last = cycle;
            }
            None => {
                self.ports.insert(difference.port().to_string(), (1, cycle));
            }
        }
        self.first.get_or_insert(difference);
        Ok(())
    }

    /// How often it differed.
    pub fn differing(&self) -> Differing {
        let ports = self.ports.iter().map(|(port, (cycles, _))| (port.clone(), *cycles));
        Differing { cycles: self.cycles, ports: ports.collect() }
    }
}
