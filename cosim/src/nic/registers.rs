//! Registers that a run is given beside those of its scenario.

use respray_golden::hosts::Setup;
use respray_golden::nic::Nic;

use super::error::NicError;

/// Adds registers to a setup, which are written behind its own: of two values of one register the later one holds.
///
/// # Errors
/// On the first that is no setting of the block, or to which the block refuses its value.
///
/// # Panics
/// If the block refuses a value of the scenario: an error of that scenario.
pub(super) fn add(setup: &mut Setup, given: &[(String, u32)]) -> Result<(), NicError> {
    let mut nic = Nic::new(setup.nic.clone());
    let names = nic.names_of_settings();
    let mut write = |name: &str, value| {
        let address = nic.address(name).expect("a setting has a register");
        nic.write(address, value).map_err(|error| error.to_string())
    };
    for (name, value) in &setup.settings {
        write(name, *value).expect("a scenario gives what its block takes");
    }
    for (name, value) in given {
        let refused = |why| NicError::Register { name: name.clone(), value: *value, why };
        let Some(known) = names.iter().find(|known| *known == name) else {
            return Err(refused(format!("no setting has this name; allowed: {}", names.join(", "))));
        };
        write(known, *value).map_err(refused)?;
        setup.settings.push((known, *value));
    }
    Ok(())
}
