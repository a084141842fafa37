//! Whether a netlist can be printed.

use std::collections::{BTreeMap, BTreeSet};

use super::{JoinError, Netlist, Pin, Source};
use crate::emit::is_identifier;
use crate::manifest::{Direction, Port};

/// Name of the wire that gathers the bits that are left open.
pub const UNUSED_BITS: &str = "unused_bits";

/// What a checked netlist says.
pub struct Checked<'a> {
    /// Of each sink what drives it.
    pub driver: BTreeMap<&'a Pin, &'a Source>,
    /// Of each source the runs of bits that nothing reads, as their lowest and highest.
    pub unread: BTreeMap<Pin, Vec<(u32, u32)>>,
    /// Of each source its width.
    pub width: BTreeMap<Pin, u32>,
}

/// Checks all of `netlist`.
pub fn check(netlist: &Netlist) -> Result<Checked<'_>, JoinError> {
    names(netlist)?;
    let mut width = BTreeMap::new();
    let mut sinks = vec![];
    for (pin, port, is_sink) in pins(netlist) {
        if is_sink {
            sinks.push(pin);
        } else {
            width.insert(pin, port.width);
        }
    }
    let mut read: BTreeMap<&Pin, Vec<bool>> =
        width.iter().map(|(pin, width)| (pin, vec![false; *width as usize])).collect();
    let mut driver = BTreeMap::new();
    for (sink, source) in &netlist.connections {
        let port = find(netlist, sink)?;
        if !sinks.contains(sink) {
            return Err(JoinError::NoSink { pin: sink.clone() });
        }
        if driver.insert(sink, source).is_some() {
            return Err(JoinError::DrivenTwice { pin: sink.clone() });
        }
        let found = Reader { netlist, sink, read: &mut read }.width(source)?;
        if found != port.width {
            return Err(JoinError::Width { pin: sink.clone(), expected: port.width, found });
        }
    }
    if let Some(pin) = sinks.into_iter().find(|sink| !driver.contains_key(sink)) {
        return Err(JoinError::Undriven { pin });
    }
    let unread = unread(netlist, &read)?;
    Ok(Checked { driver, unread, width })
}

/// Each port of the top and of the instances, and whether it is to be driven.
fn pins(netlist: &Netlist) -> impl Iterator<Item = (Pin, &Port, bool)> {
    let own =
        netlist.ports.iter().map(|port| (Pin::top(&port.name), port, port.direction == Direction::Output));
    let inner = netlist.instances.iter().flat_map(|one| {
        one.ports
            .iter()
            .map(|port| (Pin::of(&one.name, &port.name), port, port.direction == Direction::Input))
    });
    own.chain(inner)
}

fn find<'a>(netlist: &'a Netlist, pin: &Pin) -> Result<&'a Port, JoinError> {
    let ports = match &pin.instance {
        None => &netlist.ports,
        Some(name) => {
            let instance = netlist.instances.iter().find(|one| one.name == *name);
            &instance.ok_or_else(|| JoinError::UnknownInstance { pin: pin.clone() })?.ports
        }
    };
    let port = ports.iter().find(|port| port.name == pin.port);
    port.ok_or_else(|| JoinError::UnknownPort { pin: pin.clone() })
}

/// Ports, instances and wires of the top must have names of their own.
fn names(netlist: &Netlist) -> Result<(), JoinError> {
    let mut instances = BTreeSet::new();
    if let Some(one) = netlist.instances.iter().find(|one| !instances.insert(&one.name)) {
        return Err(JoinError::TwoInstances { name: one.name.clone() });
    }
    let own = netlist.ports.iter().map(|port| port.name.clone());
    let inner = netlist.instances.iter().map(|one| one.name.clone());
    let outputs = pins(netlist).filter(|(pin, _, is_sink)| pin.instance.is_some() && !is_sink);
    let wires = outputs.flat_map(|(pin, _, _)| [pin.wire(), unused(&pin)]);
    let mut names = BTreeSet::from([UNUSED_BITS.to_string()]);
    for name in own.chain(inner).chain(wires).chain([netlist.module.clone()]) {
        if !is_identifier(&name) {
            return Err(JoinError::Name { name });
        }
        if !names.insert(name.clone()) {
            return Err(JoinError::NameClash { name });
        }
    }
    Ok(())
}

/// The wire of an output that is left open whole.
pub fn unused(pin: &Pin) -> String {
    format!("{}_unused", pin.wire())
}

/// Goes through what drives a sink.
struct Reader<'a, 'b> {
    netlist: &'a Netlist,
    sink: &'a Pin,
    read: &'b mut BTreeMap<&'a Pin, Vec<bool>>,
}

impl Reader<'_, '_> {
    /// The width of `source`, whose bits are read from now on.
    fn width(&mut self, source: &Source) -> Result<u32, JoinError> {
        match source {
            Source::Whole(pin) => {
                let width = find(self.netlist, pin)?.width;
                self.mark(pin, width - 1, 0)?;
                Ok(width)
            }
            Source::Slice { pin, high, low } => {
                let (high, low, width) = (*high, *low, find(self.netlist, pin)?.width);
                if low > high || high >= width {
                    return Err(JoinError::Slice { pin: pin.clone(), high, low, width });
                }
                self.mark(pin, high, low)?;
                Ok(high + 1 - low)
            }
            Source::Extended { source, width } => {
                let found = self.width(source)?;
                if found >= *width {
                    return Err(JoinError::Narrowed { pin: self.sink.clone(), width: *width, found });
                }
                Ok(*width)
            }
            Source::Joined(parts) => parts.iter().map(|part| self.width(part)).sum(),
            Source::Constant { value, width } => {
                if *width == 0 || value.checked_shr(*width).is_some_and(|rest| rest > 0) {
                    let pin = self.sink.clone();
                    return Err(JoinError::Constant { pin, value: *value, width: *width });
                }
                Ok(*width)
            }
            Source::Within(_) => Ok(1),
        }
    }

    fn mark(&mut self, pin: &Pin, high: u32, low: u32) -> Result<(), JoinError> {
        let bits = self.read.get_mut(pin).ok_or_else(|| JoinError::NoSource { pin: pin.clone() })?;
        bits[low as usize..=high as usize].fill(true);
        Ok(())
    }
}

/// Of each source the bits that nothing reads, which must be left open.
fn unread(
    netlist: &Netlist,
    read: &BTreeMap<&Pin, Vec<bool>>,
) -> Result<BTreeMap<Pin, Vec<(u32, u32)>>, JoinError> {
    let mut open = BTreeSet::new();
    for pin in &netlist.open {
        find(netlist, pin)?;
        if !read.contains_key(pin) {
            return Err(JoinError::NoSource { pin: pin.clone() });
        }
        if !open.insert(pin) {
            return Err(JoinError::OpenTwice { pin: pin.clone() });
        }
    }
    let mut found = BTreeMap::new();
    for (pin, bits) in read {
        let runs = runs(bits);
        match (runs.first(), open.contains(pin)) {
            (Some(&(low, high)), false) => {
                return Err(JoinError::Unread { pin: (*pin).clone(), high, low });
            }
            (None, true) => return Err(JoinError::OpenButRead { pin: (*pin).clone() }),
            (Some(_), true) => {
                found.insert((*pin).clone(), runs);
            }
            (None, false) => {}
        }
    }
    Ok(found)
}

/// The runs of bits that are not read, as their lowest and highest.
fn runs(read: &[bool]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = vec![];
    for bit in (0u32..).zip(read).filter(|(_, is_read)| !**is_read).map(|(bit, _)| bit) {
        match runs.last_mut() {
            Some((_, high)) if *high + 1 == bit => *high = bit,
            _ => runs.push((bit, bit)),
        }
    }
    runs
}
