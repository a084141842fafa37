//! Two blocks in lockstep, hosts behind them and a network between.

use std::fmt;

use respray_golden::hosts::{Host, IntoDead, Lines, Setup};
use respray_golden::nic::{Event, Kind, Nic, Transmitted};
use respray_golden::paths::{End as Side, Network};

use super::difference::Difference;
use super::end::End;
use super::rtl::Rtl;

/// Cycles in which everything comes to rest once all messages have arrived.
const REST_CYCLES: u64 = 4_000;

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The block at an end and the golden one differ.
    Differs(Side, Difference),
    /// The blocks are as they have to be, but what the host at an end has to hold does not.
    Broken(Side, u64, String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Differs(side, difference) => write!(f, "nic {side:?}, {difference}"),
            Stop::Broken(side, cycle, what) => write!(f, "host {side:?}, cycle {cycle}: {what}"),
        }
    }
}

impl Stop {
    /// In words, of a block that is the only one.
    pub fn of_one(&self) -> String {
        match self {
            Stop::Differs(_, difference) => difference.to_string(),
            Stop::Broken(_, cycle, what) => format!("cycle {cycle}: {what}"),
        }
    }
}

/// What happened to one end, beside what the counters of its block say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Data packets that were sent again, by the rule that found them lost: out-of-order count, probe, timeout.
    pub again_by_rule: [u64; 3],
    /// Data packets that met a path that had failed.
    pub into_dead: Vec<IntoDead>,
}

/// The two ends and the network.
pub struct Pair<'a> {
    setup: &'a Setup,
    lines: Lines,
    hosts: [Host<Rtl>; 2],
    /// Cycles since both ends were set up.
    cycle: u64,
    /// The ends' cycle 0.
    start: u64,
    /// A host may have something to send.
    is_stirred: [bool; 2],
    /// Of each connection of each end the rule by which it went into recovery.
    rules: [Vec<usize>; 2],
    pub tallies: [Tally; 2],
}

/// A frame that left an end.
pub type Heard<'a> = &'a mut dyn FnMut(Side, u64, &Transmitted);

impl<'a> Pair<'a> {
    /// Sets up both ends, whose registers are written and whose connections are opened.
    ///
    /// # Errors
    /// If the blocks differ already then.
    pub fn new(setup: &'a Setup, ends: [End; 2]) -> Result<Pair<'a>, Stop> {
        let [a, b] = ends.map(Rtl::new);
        let hosts = [Host::new(setup, Side::A, a), Host::new(setup, Side::B, b)];
        let start = hosts.iter().map(|host| host.nic.end.cycle()).max().expect("two ends");
        let mut pair = Pair {
            setup,
            lines: Lines::new(setup),
            hosts,
            cycle: 0,
            start,
            is_stirred: [true; 2],
            rules: std::array::from_fn(|_| {
                vec![0; usize::from(setup.first_connection() + setup.connections)]
            }),
            tallies: Default::default(),
        };
        for side in Side::BOTH {
            let nic = &mut pair.hosts[side.index()].nic;
            let caught_up = nic.check().and_then(|()| {
                while nic.end.cycle() < start {
                    nic.step()?;
                }
                Ok(())
            });
            caught_up.map_err(|difference| Stop::Differs(side, difference))?;
        }
        Ok(pair)
    }

    /// Cycles of each end that were compared since the setup.
    pub fn cycles(&self) -> u64 {
        self.cycle
    }

    pub fn network(&self) -> &Network<Vec<u8>> {
        &self.lines.network
    }

    /// Data packets that were overtaken by a later one of their connection, both sent for the first time.
    pub fn overtaken(&self) -> u64 {
        self.lines.order.overtaken
    }

    /// The block of an end.
    pub fn end(&mut self, side: Side) -> &mut End {
        &mut self.hosts[side.index()].nic.end
    }

    /// Those of A and B, which are left of the pair.
    pub fn into_ends(self) -> [End; 2] {
        self.hosts.map(|host| host.nic.end)
    }

    /// Those of A and B.
    pub fn ends(&mut self) -> [&mut End; 2] {
        self.hosts.each_mut().map(|host| &mut host.nic.end)
    }

    /// The golden blocks of A and B.
    pub fn golden(&self) -> [&Nic; 2] {
        self.hosts.each_ref().map(|host| host.nic.end.golden())
    }

    /// Packets that an end's host has sent and that are acknowledged, and those that it has to send.
    pub fn delivered(&self) -> (u64, u64) {
        let senders = self.hosts.iter().flat_map(|host| &host.senders);
        senders.fold((0, 0), |(done, of), sender| {
            (done + u64::from(sender.una()), of + sender.pieces().len() as u64)
        })
    }

    pub fn is_done(&self) -> bool {
        self.hosts.iter().all(Host::is_done)
    }

    /// One clock cycle of both ends.
    ///
    /// # Errors
    /// The first difference, or the first property that does not hold.
    pub fn step(&mut self, heard: Heard<'_>) -> Result<(), Stop> {
        let now = self.cycle * self.setup.cycle_ps;
        while let Some((to, frame)) = self.lines.pop(now) {
            let frame = super::Given { bytes: frame, user: false };
            self.hosts[to.index()].nic.end.receive(frame);
        }
        for side in Side::BOTH {
            self.serve(side, heard)?;
        }
        self.cycle += 1;
        Ok(())
    }

    fn serve(&mut self, side: Side, heard: Heard<'_>) -> Result<(), Stop> {
        let at = side.index();
        let host = &mut self.hosts[at];
        if self.is_stirred[at] && host.nic.has_room() {
            host.pump();
            self.is_stirred[at] = !host.nic.has_room();
        }
        let is_free = self.lines.is_free(side);
        let end = &mut host.nic.end;
        // an access to registers may have taken cycles
        if end.cycle() <= self.start + self.cycle {
            end.around.tx_out_ready = is_free || end.is_transmitting();
            host.nic.step().map_err(|difference| Stop::Differs(side, difference))?;
        }
        let out = &mut host.nic.end.out;
        let is_news = !out.events.is_empty() || !out.delivered.is_empty();
        for event in &out.events {
            note(&mut self.rules[at], &mut self.tallies[at], event);
        }
        if is_news {
            self.is_stirred[at] = true;
            self.tell(side)?;
        }
        while let Some(transmitted) = self.hosts[at].nic.end.out.transmitted.pop_front() {
            heard(side, self.cycle * self.setup.cycle_ps, &transmitted);
            let passage = self.lines.send(side, transmitted).map_err(|what| self.broken(side, what))?;
            self.tallies[at].into_dead.extend(passage.into_dead());
        }
        Ok(())
    }

    /// The host takes in what there is for it.
    fn tell(&mut self, side: Side) -> Result<(), Stop> {
        let host = &mut self.hosts[side.index()];
        let taken = host.take(0, 0, |_, _| true);
        host.nic.check().map_err(|difference| Stop::Differs(side, difference))?;
        taken.map_err(|what| self.broken(side, what))?;
        let [host, other] = [side, side.other()].map(|side| &self.hosts[side.index()]);
        // a block holds frames that its host does not take at once
        if other.nic.end.is_paced() {
            return Ok(());
        }
        host.check_acknowledged(other).map_err(|what| self.broken(side, what))
    }

    /// When all messages have arrived: both ends come to rest, hold nothing, and have counted the same as the golden ones.
    ///
    /// # Errors
    /// As [`Pair::step`].
    pub fn finish(&mut self, heard: Heard<'_>) -> Result<(), Stop> {
        self.ends().into_iter().for_each(|end| end.pace(None, 0));
        for _ in 0..REST_CYCLES {
            self.step(heard)?;
        }
        for side in Side::BOTH {
            let host = &mut self.hosts[side.index()];
            let at_rest = host.check_at_rest();
            let mut conns = (self.setup.first_connection().into()..).take(host.senders.len());
            let closed = host
                .nic
                .check()
                .and_then(|()| conns.try_for_each(|conn| host.nic.end.close_connection(conn)));
            let counted = closed.and_then(|()| host.nic.end.check_counters());
            counted.map_err(|difference| Stop::Differs(side, difference))?;
            at_rest.map_err(|what| self.broken(side, what))?;
        }
        Ok(())
    }

    fn broken(&self, side: Side, what: String) -> Stop {
        Stop::Broken(side, self.cycle, what)
    }
}

/// Counts packets that are to be sent again by the rule of the recovery that they belong to.
fn note(rules: &mut [usize], tally: &mut Tally, event: &Event) {
    let Some(rule) = rules.get_mut(event.conn as usize) else { return };
    match event.kind {
        Kind::Loss => *rule = usize::from(event.detail.clamp(1, 3)) - 1,
        Kind::Retransmit => tally.again_by_rule[*rule] += 1,
        _ => {}
    }
}
