//! What holds after every event of every run. A check counts everything a second time, so it is for small runs: those of tests.

use crate::packet::{Kind, Marks};
use crate::port::Port;
use crate::simulation::{Event, Simulation, Watcher, What};

/// What is broken on purpose, to see that a check finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tamper {
    Nothing,
    /// A packet of a queue is gone.
    Packet,
    /// A connection holds more for sent than it has sent.
    InFlight,
    /// A queue says that it holds more than it does.
    Queue,
    /// A port that sends says that it does not, and so begins another packet.
    Sending,
    /// With the transport of the NIC, a receiver's engine forgets its connections.
    Receiver,
}

/// Looks at a run after each event.
#[derive(Debug)]
pub struct Checker {
    /// What is broken, and after how many events.
    tamper: Tamper,
    after: u64,
    looks: u64,
    /// The first thing that did not hold.
    pub found: Option<String>,
}

impl Checker {
    pub fn new(tamper: Tamper, after: u64) -> Checker {
        Checker { tamper, after, looks: 0, found: None }
    }

    /// Events that it has looked at.
    pub fn looks(&self) -> u64 {
        self.looks
    }
}

impl Watcher for Checker {
    fn look(&mut self, simulation: &mut Simulation<'_>) {
        self.looks += 1;
        if self.looks >= self.after && tamper(self.tamper, simulation) {
            self.tamper = Tamper::Nothing;
        }
        if self.found.is_none() {
            self.found = check(simulation).err().map(|what| format!("event {}: {what}", self.looks));
            if self.found.is_some() {
                simulation.give_up();
            }
        }
    }
}

/// Breaks something, if it is there.
fn tamper(what: Tamper, simulation: &mut Simulation<'_>) -> bool {
    match what {
        Tamper::Nothing => false,
        Tamper::Packet => simulation.ports.iter_mut().any(|port| port.lose_newest()),
        Tamper::Queue => simulation.ports.iter_mut().any(|port| port.claim_more()),
        Tamper::InFlight => {
            let connection = &mut simulation.connections[0];
            match &mut connection.nic {
                Some(nic) => nic.in_flight += 1,
                None => connection.sender.window.in_flight += 1,
            }
            true
        }
        Tamper::Receiver => simulation.forget_received(),
        Tamper::Sending => {
            match simulation.ports.iter_mut().find(|port| port.is_sending && port.queued().0 > 0) {
                Some(port) => {
                    port.is_sending = false;
                    true
                }
                None => false,
            }
        }
    }
}

/// What holds: every packet of data is somewhere or is counted, queues hold what they say and not more than they may, a port sends one
/// packet at a time, and senders know what is on its way.
fn check(simulation: &Simulation<'_>) -> Result<(), String> {
    let counters = &simulation.counters;
    let (mut on_wire, mut frames) = (0, 0);
    let mut sending = vec![(0, 0); simulation.ports.len()];
    for event in simulation.events.iter() {
        let Event { what, place, packet } = event;
        let is_data = packet.kind == Kind::Data;
        if matches!(what, What::Left | What::Come | What::Done) {
            frames += usize::from(packet.marks.has(Marks::FRAME));
        }
        match what {
            What::Left => {
                on_wire += u64::from(is_data);
                let of = &mut sending[*place as usize];
                of.0 += 1;
                of.1 += if is_data { u64::from(packet.bytes) } else { 0 };
            }
            What::Come | What::Done => on_wire += u64::from(is_data),
            _ => {}
        }
    }
    frames += simulation.ports.iter().map(Port::queued_frames).sum::<usize>();
    if simulation.frames.count() != frames {
        return Err(format!(
            "blocks have {} frames on their way, and there are {frames} packets of them",
            simulation.frames.count()
        ));
    }
    let queued: u64 = simulation.ports.iter().map(|port| port.queued().0).sum();
    let sent = counters.new_packets + counters.retransmitted + counters.probes;
    let gone = counters.delivered + counters.trimmed + counters.dropped + simulation.lost_data;
    if sent != gone + on_wire + queued {
        return Err(format!(
            "{sent} packets of data were sent, {gone} came or were trimmed, dropped or lost, {on_wire} are on wires and {queued} in queues"
        ));
    }
    for (place, (port, (packets, bytes))) in simulation.ports.iter().zip(&sending).enumerate() {
        if *packets != u32::from(port.is_sending) {
            return Err(format!("port {place} sends {packets} packets at once"));
        }
        let capacity = simulation.speeds[usize::from(port.speed)].capacity;
        if simulation.is_switch_port(place) {
            let holds = port.queued().1 + bytes;
            if u64::from(port.data_bytes()) != holds || port.data_bytes() > capacity {
                return Err(format!(
                    "port {place} says that it holds {} bytes, it holds {holds}, and has room for {capacity}",
                    port.data_bytes()
                ));
            }
        }
    }
    if simulation.disagreements > 0 {
        return Err(format!(
            "an engine of the transport said {} times what the network knows to be otherwise",
            simulation.disagreements
        ));
    }
    for (place, connection) in simulation.connections.iter().enumerate() {
        if let Some(nic) = &connection.nic {
            let (says, counted) = (usize::from(nic.in_flight), nic.recount());
            if says != counted {
                return Err(format!(
                    "connection {place} says that {says} packets are on their way, it is {counted}"
                ));
            }
            continue;
        }
        let (says, counted) = (connection.sender.window.in_flight, connection.sender.recount());
        if says != counted {
            return Err(format!(
                "connection {place} says that {says} bytes are on their way, it is {counted}"
            ));
        }
    }
    Ok(())
}
