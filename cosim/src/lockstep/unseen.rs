//! Inputs that a core must not look at in a cycle: they carry noise.

use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, SEED_BITS};

use super::rows::Layout;
use crate::noise::Noise;

/// What a core may look at in a cycle in which it takes no op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The fields of an op, as one is offered.
    pub op: bool,
    /// Settings, a bit for each by its place among those of the contract.
    pub settings: u64,
    /// The port `seed`, as the core is not ready yet.
    pub seed: bool,
}

impl Seen {
    /// All but the fields of an op, which is as good as known of a device whose cycles are not.
    pub const ALL_BUT_OP: Seen = Seen { op: false, settings: u64::MAX, seed: true };
}

/// The inputs of a core that carry noise at times: columns in a row, and widths.
#[derive(Clone, Debug)]
pub struct Unseen {
    seed: u64,
    op: Vec<(usize, u32)>,
    settings: Vec<(usize, u32)>,
    seed_column: Option<usize>,
}

impl Unseen {
    /// Those of a core in a configuration, in runs of a seed.
    pub fn new(contract: &Contract, layout: &Layout, config: &Config, seed: u16) -> Unseen {
        let columns = layout.op.iter().zip(contract.op_fields());
        let mut op: Vec<(usize, u32)> =
            columns.map(|(column, field)| (*column, field.width.bits(config))).collect();
        let settings = op.split_off(contract.settings_at().start);
        Unseen { seed: seed.into(), op, settings, seed_column: layout.seed }
    }

    /// Writes noise into a row where nothing is to be seen.
    #[inline(always)]
    pub fn stir(&self, row: &mut [u64], cycle: u64, seen: Seen) {
        let noise = Noise::of(self.seed, cycle);
        if !seen.op {
            for (place, (column, width)) in self.op.iter().enumerate() {
                row[*column] = noise.bits(place, *width);
            }
        }
        if seen.settings != u64::MAX {
            for (place, (column, width)) in self.settings.iter().enumerate() {
                if seen.settings >> place & 1 == 0 {
                    row[*column] = noise.bits(self.op.len() + place, *width);
                }
            }
        }
        if let Some(column) = self.seed_column.filter(|_| !seen.seed) {
            row[column] = noise.bits(self.op.len() + self.settings.len(), SEED_BITS);
        }
    }
}
