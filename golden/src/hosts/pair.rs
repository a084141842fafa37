//! Two hosts and the network between them, step by step.

use super::host::Host;
use super::lines::Lines;
use super::{Broken, Device, Hooks, IntoDead, Report, Setup};
use crate::nic::{Nic, Transmitted};
use crate::paths::End;

/// How often timers are looked at when nothing else happens, in picoseconds.
const REST_PS: u64 = 250_000;

/// Runs golden `nic`s until every message is delivered and acknowledged.
///
/// # Errors
/// On the first property that does not hold, and at the setup's limit of time.
///
/// # Panics
/// On a value of the setup outside its range.
pub fn run(setup: &Setup, hooks: Hooks) -> Result<Report, Broken> {
    run_with(setup, hooks, End::BOTH.map(|_| Nic::new(setup.nic.clone())))
}

/// The same with `nic`s of any kind, which are built as `setup.nic` says and in their state after `rst`.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// As [`run`].
pub fn run_with<D: Device>(setup: &Setup, hooks: Hooks, nics: [D; 2]) -> Result<Report<D>, Broken> {
    let [a, b] = nics;
    let mut pair = Pair {
        setup,
        hooks,
        lines: Lines::new(setup),
        hosts: [Host::new(setup, End::A, a), Host::new(setup, End::B, b)],
        rest: 0,
        into_dead: Vec::new(),
    };
    loop {
        End::BOTH.into_iter().try_for_each(|end| pair.serve(end))?;
        if pair.hosts.iter().all(Host::is_done) {
            return pair.finish();
        }
        if pair.lines.now() >= setup.limit_ps {
            let waits = End::BOTH.into_iter().find(|end| !pair.hosts[end.index()].is_done());
            return Err(pair.broken(waits.unwrap_or(End::A), "not every message is delivered".to_string()));
        }
        pair.step();
    }
}

struct Pair<'a, D> {
    setup: &'a Setup,
    hooks: Hooks,
    lines: Lines,
    hosts: [Host<D>; 2],
    rest: u64,
    into_dead: Vec<IntoDead>,
}

impl<D: Device> Pair<'_, D> {
    /// Goes to the next frame that arrives, line that becomes free, or rest.
    fn step(&mut self) {
        self.rest = self.rest.max(self.lines.now() + 1).next_multiple_of(REST_PS);
        if let Some((to, frame)) = self.lines.pop(self.lines.next_free(self.rest)) {
            self.advance(to);
            self.hosts[to.index()].nic.receive(frame);
        }
    }

    fn advance(&mut self, end: End) {
        self.hosts[end.index()].nic.advance(self.lines.now() / self.setup.cycle_ps);
    }

    /// Lets an end do what it can.
    fn serve(&mut self, end: End) -> Result<(), Broken> {
        self.advance(end);
        let host = &mut self.hosts[end.index()];
        let taken = host.take(self.lines.now(), self.setup.event_interval_ps, self.hooks.event);
        taken.map_err(|what| self.broken(end, what))?;
        let [host, other] = [end, end.other()].map(|end| &self.hosts[end.index()]);
        host.check_acknowledged(other).map_err(|what| self.broken(end, what))?;
        self.hosts[end.index()].pump();
        while self.lines.is_free(end) {
            let Some(transmitted) = self.hosts[end.index()].nic.transmit() else { break };
            self.send(end, transmitted)?;
            self.hosts[end.index()].pump();
        }
        Ok(())
    }

    fn send(&mut self, end: End, mut transmitted: Transmitted) -> Result<(), Broken> {
        if !(self.hooks.frame)(end, &mut transmitted) {
            return Ok(());
        }
        let passage = self.lines.send(end, transmitted).map_err(|what| self.broken(end, what))?;
        if end == End::A {
            self.into_dead.extend(passage.into_dead());
        }
        Ok(())
    }

    fn broken(&self, end: End, what: String) -> Broken {
        Broken { at_ps: self.lines.now(), end, what }
    }

    fn finish(mut self) -> Result<Report<D>, Broken> {
        for end in End::BOTH {
            let at_rest = self.hosts[end.index()].check_at_rest();
            at_rest.map_err(|what| self.broken(end, what))?;
        }
        let end_ps = self.lines.now();
        let restored = [self.hosts[0].restored, self.hosts[1].restored];
        let nics = self.hosts.map(|host| host.nic);
        let overtaken = self.lines.order.overtaken;
        Ok(Report {
            end_ps,
            network: self.lines.network,
            nics,
            overtaken,
            into_dead: self.into_dead,
            restored,
        })
    }
}
