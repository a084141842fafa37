//! Registers that a run is given beside those of its scenario.

use respray_golden::hosts::{Setup, Window};
use respray_golden::nic::{Kind, Nic};

use super::error::NicError;

/// Adds registers to a setup, which are written behind its own: of two values of one register the later one holds.
///
/// # Errors
/// On the first that is no setting of the block, to which the block refuses its value, or with whose value the hosts cannot do.
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
    let needs = needed_events(setup);
    for (name, value) in given {
        let refused = |why| NicError::Register { name: name.clone(), value: *value, why };
        let Some(known) = names.iter().find(|known| *known == name) else {
            return Err(refused(format!("no setting has this name; allowed: {}", names.join(", "))));
        };
        write(known, *value).map_err(refused)?;
        if name == "event_enable" && value & needs != needs {
            return Err(refused(format!(
                "the hosts learn from events what is acknowledged, what is to be sent again, and when a connection may go on; \
                 allowed: a value with all bits of {needs:#x}, {needs}"
            )));
        }
        setup.settings.push((known, *value));
    }
    Ok(())
}

/// The bits of `event_enable` of the events without which hosts do not come to an end.
fn needed_events(setup: &Setup) -> u32 {
    let waits = setup.nic.selector.parks().then_some(Kind::Xon);
    let told = (setup.window == Window::Told).then_some(Kind::Window);
    let kinds = [Kind::Acknowledged, Kind::Retransmit].into_iter().chain(waits).chain(told);
    kinds.fold(0, |bits, kind| bits | 1 << kind.code())
}

/// Clock cycles in which a pair with these registers may seem to stand still, beside those that frames take.
pub(super) fn longest_wait(setup: &Setup) -> u64 {
    let nic = Nic::new(setup.nic.clone());
    let reset = |name: &str| {
        nic.registers().iter().find(|register| register.name == name).map_or(0, |register| register.reset)
    };
    let value = |name: &str| {
        let given = setup.settings.iter().rev().find(|(given, _)| *given == name);
        u64::from(given.map_or(reset(name), |(_, value)| *value))
    };
    let timeout = (value("rto") << value("rto_backoff_max")) + value("probe_timeout");
    timeout << value("sack_prescale")
}
