//! Two hosts and the network between them, step by step.

use super::host::Host;
use super::{Broken, Hooks, IntoDead, Report, Setup, driver, frames};
use crate::nic::{Sent, Transmitted};
use crate::paths::{Change, End, Network, Packet, SECOND_PS, frame};

/// Preamble, check sequence and gap between frames, in bytes.
const FRAME_OVERHEAD: u32 = 24;
/// How often timers are looked at when nothing else happens, in picoseconds.
const REST_PS: u64 = 250_000;

/// Runs until every message is delivered and acknowledged.
///
/// # Errors
/// On the first property that does not hold, and at the setup's limit of time.
///
/// # Panics
/// On a value of the setup outside its range.
pub fn run(setup: &Setup, hooks: Hooks) -> Result<Report, Broken> {
    let mut pair = Pair {
        setup,
        hooks,
        network: Network::new(&setup.network),
        hosts: End::BOTH.map(|end| Host::new(setup, end)),
        line_free: [0; 2],
        rest: 0,
        into_dead: Vec::new(),
    };
    loop {
        End::BOTH.into_iter().try_for_each(|end| pair.serve(end))?;
        if pair.hosts.iter().all(Host::is_done) {
            return pair.finish();
        }
        if pair.network.now() >= setup.limit_ps {
            let waits = End::BOTH.into_iter().find(|end| !pair.hosts[end.index()].is_done());
            return Err(pair.broken(waits.unwrap_or(End::A), "not every message is delivered".to_string()));
        }
        pair.step()?;
    }
}

struct Pair<'a> {
    setup: &'a Setup,
    hooks: Hooks,
    network: Network<Vec<u8>>,
    hosts: [Host; 2],
    /// When the line of each end has sent its last frame.
    line_free: [u64; 2],
    rest: u64,
    into_dead: Vec<IntoDead>,
}

impl Pair<'_> {
    /// Goes to the next frame that arrives, line that becomes free, or rest.
    fn step(&mut self) -> Result<(), Broken> {
        let now = self.network.now();
        self.rest = self.rest.max(now + 1).next_multiple_of(REST_PS);
        let until = self.line_free.into_iter().filter(|free| *free > now).fold(self.rest, u64::min);
        let Some(delivery) = self.network.pop(until) else { return Ok(()) };
        let mut packet = delivery.packet;
        if packet.marked {
            frame::mark(&mut packet.data);
        }
        self.advance(delivery.to);
        self.hosts[delivery.to.index()].nic.receive(packet.data, false);
        Ok(())
    }

    fn advance(&mut self, end: End) {
        self.hosts[end.index()].nic.advance(self.network.now() / self.setup.cycle_ps);
    }

    /// Lets an end do what it can.
    fn serve(&mut self, end: End) -> Result<(), Broken> {
        let now = self.network.now();
        self.advance(end);
        let host = &mut self.hosts[end.index()];
        let taken = host.take(now, self.setup.event_interval_ps, self.hooks.event);
        taken.map_err(|what| self.broken(end, what))?;
        self.check_acknowledged(end)?;
        self.hosts[end.index()].pump();
        while self.line_free[end.index()] <= now {
            let Some(transmitted) = self.hosts[end.index()].nic.transmit() else { break };
            self.send(end, transmitted)?;
            self.hosts[end.index()].pump();
        }
        Ok(())
    }

    /// What is acknowledged is there.
    fn check_acknowledged(&self, end: End) -> Result<(), Broken> {
        let receivers = &self.hosts[end.other().index()].receivers;
        for (conn, (sender, receiver)) in self.hosts[end.index()].senders.iter().zip(receivers).enumerate() {
            if sender.una() > receiver.whole() {
                let (una, whole) = (sender.una(), receiver.whole());
                let what = format!("connection {conn}: {una} packets are acknowledged, {whole} received");
                return Err(self.broken(end, what));
            }
        }
        Ok(())
    }

    fn send(&mut self, end: End, mut transmitted: Transmitted) -> Result<(), Broken> {
        if !(self.hooks.frame)(end, &mut transmitted) {
            return Ok(());
        }
        let Transmitted { frame, sent } = transmitted;
        if !frames::is_addressed(&frame, end) {
            return Err(self.broken(end, format!("a frame is not addressed to the other end: {sent:?}")));
        }
        let now = self.network.now();
        let hashed = frame::hashed(&frame).expect("the hosts and the nics send UDP");
        let bytes = frame.len() as u32 + FRAME_OVERHEAD;
        self.line_free[end.index()] = now + u64::from(bytes) * 8 * SECOND_PS / self.setup.line_bps;
        let packet = Packet {
            flow: hashed.flow,
            ev: hashed.ev,
            bytes,
            ecn_capable: hashed.ecn_capable,
            marked: hashed.marked,
            data: frame,
        };
        let path = self.network.send(end, packet).path;
        if let (End::A, Sent::Data { kind, .. }, false) = (end, sent, self.network.is_up(end, path)) {
            self.into_dead.push(IntoDead { after_ps: now - self.failed_at(path), kind });
        }
        Ok(())
    }

    /// When a path that is down failed.
    fn failed_at(&self, path: usize) -> u64 {
        let failures = self.setup.network.changes.iter().filter(|change| change.path == path);
        let times = failures.filter(|change| change.change == Change::Down).map(|change| change.at_ps);
        times.filter(|at| *at <= self.network.now()).max().expect("it failed by a change of the setup")
    }

    fn broken(&self, end: End, what: String) -> Broken {
        Broken { at_ps: self.network.now(), end, what }
    }

    fn finish(mut self) -> Result<Report, Broken> {
        for end in End::BOTH {
            for conn in 0..self.setup.connections {
                let state = driver::state(&mut self.hosts[end.index()].nic, conn);
                if state.snd_una != state.snd_nxt || state.in_flight != 0 || state.in_recovery {
                    return Err(
                        self.broken(end, format!("connection {conn} is done and stands at {state:?}"))
                    );
                }
            }
        }
        let end_ps = self.network.now();
        let restored = [self.hosts[0].restored, self.hosts[1].restored];
        let nics = self.hosts.map(|host| host.nic);
        Ok(Report { end_ps, network: self.network, nics, into_dead: self.into_dead, restored })
    }
}
