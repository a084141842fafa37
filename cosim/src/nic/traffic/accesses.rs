//! Accesses to registers while there is traffic, beside those of commands.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::nic::{Access, Register, Target};

use super::Traffic;
use crate::nic::difference::Difference;

impl<'a> Traffic<'a> {
    /// The same, and registers are read and written meanwhile, which the seed decides.
    pub fn with_accesses(self, seed: u64) -> Traffic<'a> {
        Traffic { accesses: Some(Xoshiro256PlusPlus::seed_from_u64(seed)), ..self }
    }

    /// A register is read, or written with the value that it has or with one that it refuses. Other values are for a block at rest: which
    /// of them a frame on its way still meets is promised of none.
    pub(super) fn access(&mut self) -> Result<(), Difference> {
        let Some(random) = &mut self.accesses else { return Ok(()) };
        let registers = self.end.golden().registers();
        let Register { name, target, access, allowed, .. } =
            registers[random.random_range(0..registers.len())].clone();
        let is_steady = matches!(target, Target::Constant(_) | Target::Setting(_) | Target::Result(_));
        match target {
            Target::Time => self.end.check_time()?,
            Target::Setting(_) if random.random() => {
                let beyond = [allowed.start().checked_sub(1), allowed.end().checked_add(1)];
                let beyond = beyond[random.random_range(0..2)];
                self.end.check_register(&name)?;
                let value = match beyond {
                    Some(value) => value,
                    None => self.end.read(&name)?,
                };
                self.end.write(&name, value)?;
            }
            _ if is_steady && access != Access::WriteOnly => self.end.check_register(&name)?,
            _ => {}
        }
        self.take();
        Ok(())
    }
}
