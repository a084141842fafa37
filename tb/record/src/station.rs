//! A host of a recording at its interface: tick by tick, with at most one input to its `nic` in each.

use std::collections::VecDeque;
use std::net::IpAddr;

use respray_cosim::nic::{Log, Step, input_cycle};
use respray_cosim::traffic::recording::PathFigures;
use respray_golden::hosts::{Host, Setup};
use respray_golden::nic::{Kind, Nic, Sent, rule_code};
use respray_golden::paths::End;
use respray_golden::sack_tx::Rule;

use crate::error::RecordError;
use crate::frames::is_of_profile;
use crate::scenario::PRESCALE;
use crate::socket::Interface;
use crate::tap::Tap;

/// A host, its `nic` and its interface.
pub struct Station {
    pub interface: Interface,
    host: Host<Tap>,
    /// Frames that have come and were not given to the `nic` yet.
    came: VecDeque<Vec<u8>>,
}

impl Station {
    /// With all registers written, before the first tick.
    pub fn new(setup: &Setup, end: End, interface: Interface) -> Station {
        let host = Host::new(setup, end, Tap::new(Nic::new(setup.nic.clone())));
        Station { interface, host, came: VecDeque::new() }
    }

    /// Takes what has come to the interface.
    pub fn hear(&mut self) -> Result<(), RecordError> {
        while let Some(heard) = self.interface.hear()? {
            if !heard.outgoing && is_of_profile(heard.data) {
                self.came.push_back(heard.data.to_vec());
            }
        }
        Ok(())
    }

    /// One tick: first what timers do, then an input if none of them did anything. Whether the host gave a
    /// frame, for which it asks only where it may.
    pub fn tick(&mut self, tick: u64, may_send: bool) -> Result<bool, RecordError> {
        self.host.nic.tick = Some(tick);
        self.host.nic.nic.advance(input_cycle(tick, PRESCALE));
        match self.bring_out()? {
            0 => {}
            1 => return Ok(false),
            // one generator gives the EVs of all connections, and which of the two asks first is not said
            // anywhere
            _ => return Err(RecordError::Together),
        }
        if let Some(frame) = self.came.pop_front() {
            self.host.nic.note(Step::Came);
            self.host.nic.nic.receive(frame, false);
            self.bring_out()?;
            return Ok(false);
        }
        if !may_send {
            return Ok(false);
        }
        self.host.nic.may_offer = true;
        self.host.pump();
        let gave = !std::mem::take(&mut self.host.nic.may_offer);
        self.bring_out()?;
        Ok(gave)
    }

    /// Sends what leaves the `nic`, and lets the host take what there is for it. Timers that did something
    /// since it was last called.
    fn bring_out(&mut self) -> Result<usize, RecordError> {
        let mut timers = 0;
        while let Some(transmitted) = self.host.nic.nic.transmit() {
            timers += usize::from(matches!(transmitted.sent, Sent::Probe { .. }));
            self.host.nic.note(Step::Left);
            self.interface.send(&transmitted.frame)?;
        }
        let before = self.host.nic.steps.len();
        self.host.take(0, 0, |_, _| true).map_err(|what| RecordError::Broken { what })?;
        let timeout = rule_code(Rule::Timeout);
        let is_timeout = |step: &Step| match step {
            Step::Event(event) => event.kind == Kind::Loss && event.detail == timeout,
            _ => false,
        };
        let told = self.host.nic.steps[before..].iter();
        Ok(timers + told.filter(|(_, step)| is_timeout(step)).count())
    }

    /// Everything is delivered and acknowledged, and nothing waits.
    pub fn is_done(&self) -> bool {
        self.host.is_done() && self.came.is_empty()
    }

    /// The log, once nothing is in flight.
    pub fn finish(mut self, header: LogHeader) -> Result<Log, RecordError> {
        self.host.nic.tick = None;
        self.host.check_at_rest().map_err(|what| RecordError::Broken { what })?;
        let Tap { writes, steps, .. } = self.host.nic;
        let LogHeader { says, sets, local, tick_ns, paths } = header;
        Ok(Log { says, sets, local, tick_ns, paths, writes, steps })
    }
}

/// What a log says besides what happened.
pub struct LogHeader {
    pub says: String,
    pub sets: Vec<(String, String)>,
    pub local: IpAddr,
    pub tick_ns: u64,
    /// Those that the host sends over.
    pub paths: Vec<PathFigures>,
}
