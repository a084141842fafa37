//! What waits between one op and the next.
//!
//! The block executes ops one after the other, and other ops come between: a packet of the host is `sent`, later its EV is drawn,
//! later it is written. By itself the model does what follows at once. One that is made by [`Nic::stepped`] does nothing by itself:
//! whoever knows in which order and at which time another `nic` executed its ops has this one take the same steps.
//!
//! | step | what is done |
//! |---|---|
//! | `tick` | the clock is set |
//! | `sent`, `grant` | a packet of the host is executed, and written |
//! | `arrive`, `packet` | a frame came; `packet` of `sack_rx` |
//! | `take_grant` | where the host grants frames: its grant counts |
//! | `take_peer_entry`, `number_own` | where the host says who the peers are: an entry is in the table; the number of a SACK or of a probe is looked up |
//! | `refuse_packet` | a packet from another address than the peer's is passed on, and no engine hears of it |
//! | `uet_packet`, `take_flow_change`, `take_bind` | of Ultra Ethernet: `packet`; what a command, or the first ACK, says of a connection is known |
//! | `tell_malformed` | the host is told of a malformed frame |
//! | `look_up`, `hear`, `sack` | what an ACK says; its round trip ends; `sack` of `sack_tx` |
//! | `decide`, `time_packet`, `time_probe` | of `uet`, which keeps when a packet left: its time is taken; it is noted; that of a probe is |
//! | `visit_next`, `look_next`, `send_next` | the walker's visit; a connection in recovery is looked at, and sends again |
//! | `add_recovery`, `add_probe` | what an op or a visit brought about goes into its list |
//! | `keep_peer` | the first bytes of a data packet have left, which the probes of its connection are like |
//! | `forget_peer`, `cancel_probe` | of a connection that was opened or closed no packet has left; no probe of it is due |
//! | `start_probe`, `look_up_probe`, `judge_probe`, `stamp_probe` | a probe is taken from its list; of Ultra Ethernet, who its peer is is looked up; it is dropped if nobody knows where to; its EV comes |
//! | `spray` | an op of the selector |
//! | `ask_for_host`, `park`, `hold` | where packets may have to wait: a frame of the host asks the selector; it is parked; `tx_in` pauses at it |
//! | `ask_for_parked`, `release`, `free_place` | a parked packet asks again; it is written; its place is free |
//! | `set_min` | the selector takes the op of a command that is not done yet |
//! | `choose_window`, `show_window` | an op of the congestion control; what it chose is there |
//! | `close_drained`, `tell_closed_rx` | where the host hears of closes: a connection that has drained is closed; the host is told that receiving is |
//! | `queue_event`, `lose_event` | an event goes into the queue, or is lost before |
//! | `begin_event_frame`, `gather_event`, `note_lost_event` | where events go in frames: one is begun, and filled; a loss is known there |
//! | `transmit_...`, `deliver`, `deliver_events`, `event` | what comes out |
//!
//! A step for which there is nothing to do gives `None`.

use std::collections::VecDeque;

use super::closing::Closing;
use super::headers::Peer;
use super::peer_table::{Number, PeerEntry};
use super::spray::{Drawn, Said};
use super::timers::Due;
use super::uet::FlowChange;
use super::window::Windows;
use super::{Config, Event, Nic, Setting, Source, sack};
use crate::selector::{self, SendKind};
use crate::wire::Profile;

/// An op that waits for the selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub conn: u16,
    pub kind: selector::OpKind,
    pub ev: u16,
    pub ecn: bool,
    pub said: Said,
    /// Of an `Init`: the connection sends in order, and an EV is drawn for it.
    pub in_order: bool,
}

impl Asked {
    /// An op that takes nothing but its connection.
    pub fn of(conn: u16, kind: selector::OpKind) -> Asked {
        Asked { conn, kind, ev: 0, ecn: false, said: Said::default(), in_order: false }
    }
}

/// What ops brought about and was not done yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Owed {
    /// Of each source.
    pub told: [VecDeque<Event>; 5],
    /// Events of malformed frames, which results of `sack_rx` may go before.
    pub malformed: VecDeque<Event>,
    /// Connections that are to be handed out PSNs.
    pub recoveries: VecDeque<u16>,
    /// Probes that became due.
    pub probes: VecDeque<(u16, Due)>,
    /// Packets whose times are not noted yet, and connections that are opened or closed behind them.
    pub departures: VecDeque<Departure>,
    /// Connections that were opened or closed: whose probe is to be cancelled, and where nothing is to be known of packets that have left.
    pub cancels: VecDeque<u16>,
    pub forgets: VecDeque<u16>,
    /// Data packets that have not left yet, and what the probes of their connections say from then on.
    pub leaving: VecDeque<(u16, Peer)>,
    /// Grants of the host that do not count yet.
    pub grants: VecDeque<u16>,
    /// Entries of peers that are not in the table yet.
    pub peer_entries: VecDeque<(u16, PeerEntry)>,
    /// Connections whose probes have left, and when.
    pub probe_departures: VecDeque<(u16, u16)>,
    /// Of Ultra Ethernet: what commands and first ACKs say of connections, and is not known yet.
    pub flow_changes: VecDeque<FlowChange>,
    pub binds: VecDeque<(u16, u16)>,
    /// Connections in order for which no EV is drawn yet.
    pub draws: VecDeque<u16>,
    /// Events and ops of the selector that the last visit of the walker brought.
    pub of_visit: (usize, usize),
}

/// What is kept of the times at which packets leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Departure {
    /// A packet of the host that `sack_tx` takes.
    Packet {
        conn: u16,
        psn: u32,
        again: bool,
        /// When that was decided, in ticks of the wire.
        at: Option<u16>,
    },
    /// The connection is opened or closed: nothing has left.
    Renewed(u16),
}

impl Departure {
    /// With the time, which only a packet has.
    fn at(self, now: u16) -> Departure {
        match self {
            Departure::Packet { conn, psn, again, .. } => {
                Departure::Packet { conn, psn, again, at: Some(now) }
            }
            Departure::Renewed(_) => self,
        }
    }

    fn is_timed(&self) -> bool {
        !matches!(self, Departure::Packet { at: None, .. })
    }
}

/// A probe of the block's own in work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnProbe {
    pub conn: u16,
    pub due: Due,
    /// Of Ultra Ethernet, the PDC of the peer, once that was looked up.
    pub pdc: Option<u16>,
    /// What the connection's last data packet said, once that was looked at.
    pub peer: Option<Peer>,
    /// EV, and where it came from.
    pub drawn: Option<(u16, SendKind)>,
    /// The time at which the EV came, in ticks of the wire.
    pub left_at: Option<u16>,
    /// The number by which the peer knows the connection.
    pub number: Number,
}

/// Whose op the selector executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// What follows from ops of `sack_tx`, in their order.
    Scoreboard,
    /// The command `nack`.
    Command,
    /// The probe in work.
    Probe,
}

/// The last ones of a queue, no more than there are.
fn split_last<T>(queue: &mut VecDeque<T>, count: usize) -> VecDeque<T> {
    queue.split_off(queue.len().saturating_sub(count))
}

impl Nic {
    /// The block as it is after `rst`, which does nothing by itself. What waits for the host's frames and for the MAC is not bounded:
    /// whoever takes the steps says what was dropped.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn stepped(config: Config) -> Self {
        let mut nic = Nic::new(config);
        nic.config.limits.tx_frames = usize::MAX;
        nic.owed = Some(Owed::default());
        nic
    }

    /// Sets the clock, and lets nothing happen by itself.
    pub fn tick(&mut self, cycles: u64) {
        self.clock.cycles = cycles;
    }

    /// The times of now: ticks of the wire, of `sack_tx`, of the selector.
    pub fn times(&self) -> [u32; 3] {
        let selector = self.clock.selector(&self.settings, self.config.selector_time_bits());
        [self.clock.wire(&self.settings).into(), self.clock.sack(&self.settings).into(), selector]
    }

    /// Connections that are still to be put into a list: of those in recovery, and of those whose probe is due.
    pub fn owed_turns(&self) -> [usize; 2] {
        self.owed.as_ref().map_or([0; 2], |owed| [owed.recoveries.len(), owed.probes.len()])
    }

    /// Whether a connection in recovery is to be looked at, because the host would take what it may send.
    pub fn is_to_look(&self) -> bool {
        self.recovering.len() > 0 && self.hands_out() && self.events.has_room()
    }

    /// What a block has not done that had all the time there is and whose outputs are taken.
    pub fn left_undone(&self) -> Option<&'static str> {
        let waits = [
            (self.probes.is_empty(), "a probe that is due"),
            (self.sacks.is_empty(), "a SACK that was not sent"),
            (self.acks.is_empty(), "an ACK that sack_tx has not taken"),
            (self.arrived.is_empty(), "a packet that sack_rx has not taken"),
            (
                self.owed.as_ref().is_none_or(|owed| owed.grants.is_empty()),
                "a grant of the host that does not count",
            ),
            (
                self.owed.as_ref().is_none_or(|owed| owed.peer_entries.is_empty()),
                "an entry of a peer that is not in the table",
            ),
            (!self.has_events_to_give(), "an event that is to be in a frame"),
            (
                self.closing.as_ref().is_none_or(Closing::has_told),
                "a connection that is closed for receiving, of which the host was not told",
            ),
            (self.sprays.is_empty(), "an op that the selector has not taken"),
            (
                self.owed.as_ref().is_none_or(|owed| owed.draws.is_empty()),
                "a connection in order for which no EV is drawn",
            ),
            (
                self.windows.as_ref().is_none_or(Windows::is_idle),
                "an op that the congestion control has not taken",
            ),
        ];
        let found = waits.into_iter().find_map(|(is_done, what)| (!is_done).then_some(what));
        found.or_else(|| self.park.left_undone())
    }

    /// A step while a visit is in work that has found a timeout: what is done without an op of `sack_tx` overtakes that, and what comes of it goes first.
    pub fn ahead_of_visit<T>(&mut self, step: impl FnOnce(&mut Nic) -> T) -> T {
        let scoreboard = Source::Scoreboard as usize;
        let (events, ops) = self.owed.as_ref().map_or((0, 0), |owed| owed.of_visit);
        let told = self.owed.as_mut().map(|owed| split_last(&mut owed.told[scoreboard], events));
        let asked = split_last(&mut self.sprays, ops);
        let done = step(self);
        if let Some(owed) = &mut self.owed {
            owed.told[scoreboard].extend(told.into_iter().flatten());
        }
        self.sprays.extend(asked);
        done
    }

    /// The next event of a source goes into the queue, if its kind is enabled; false if it is lost.
    pub fn queue_event(&mut self, source: Source) -> Option<bool> {
        let event = self.owed.as_mut()?.told[source as usize].pop_front()?;
        Some(self.queue(event))
    }

    /// The host is told of the malformed frame that came first, behind all that it was told before.
    pub fn tell_malformed(&mut self) -> Option<()> {
        let owed = self.owed.as_mut()?;
        let event = owed.malformed.pop_front()?;
        owed.told[Source::Receiver as usize].push_back(event);
        Some(())
    }

    /// The last event of a source is lost before it came to the queue: of malformed frames the last that came, where one before it was
    /// not told yet. None says that it was.
    pub fn lose_event(&mut self, source: Source) -> Option<()> {
        let owed = self.owed.as_mut()?;
        let lost = match source {
            Source::Receiver if owed.malformed.len() > 1 => &mut owed.malformed,
            _ => &mut owed.told[source as usize],
        };
        lost.pop_back()?;
        self.lose();
        Some(())
    }

    /// The selector executes the next op of one who asks.
    pub fn spray(&mut self, asker: Asker) -> Option<()> {
        match asker {
            Asker::Scoreboard => {
                let Asked { conn, kind, ev, ecn, said, in_order } = self.sprays.pop_front()?;
                if kind == selector::OpKind::Init {
                    self.init_selector(conn);
                    if let Some(owed) = self.owed.as_mut().filter(|_| in_order) {
                        owed.draws.push_back(conn);
                    }
                    return Some(());
                }
                if let Some(ev) = self.ordered_ev(conn) {
                    if kind == selector::OpKind::Send {
                        self.count_send(SendKind::Replay);
                        self.drawn(ev, SendKind::Replay);
                    }
                    return Some(());
                }
                let said = Said { class: self.park.class(conn), ..said };
                let effect = self.apply_selector(conn, kind, ev, ecn, said);
                if let Some(Drawn::Ev(result)) = effect.sent {
                    self.count_send(result.kind);
                    self.drawn(result.ev, result.kind);
                }
            }
            Asker::Command => {
                let (conn, ev) =
                    (self.settings.get(Setting::CommandConn), self.settings.get(Setting::CommandEv));
                if self.ordered_ev(conn as u16).is_some() {
                    return Some(());
                }
                self.apply_selector(conn as u16, selector::OpKind::Nack, ev as u16, false, Said::default());
            }
            Asker::Probe => {
                let conn = self
                    .own_probe
                    .as_ref()
                    .filter(|probe| probe.peer.is_some() && probe.drawn.is_none())?
                    .conn;
                let effect = self.apply_selector(conn, selector::OpKind::Send, 0, false, Said::default());
                let Some(Drawn::Ev(result)) = effect.sent else { unreachable!("a probe never waits") };
                self.count_send(result.kind);
                self.own_probe.as_mut()?.drawn = Some((result.ev, result.kind));
            }
        }
        Some(())
    }

    /// The grant of the host that came first counts from now on.
    pub fn take_grant(&mut self) -> Option<()> {
        let limit = self.owed.as_mut()?.grants.pop_front()?;
        self.raise_credit(limit);
        Some(())
    }

    /// A packet leaves, or its connection is opened or closed: of `uet` that is kept.
    pub(super) fn depart(&mut self, departure: Departure) {
        if self.config.profile != Profile::Uet {
            return;
        }
        match &mut self.owed {
            Some(owed) => owed.departures.push_back(departure),
            None => self.note(departure.at(self.clock.wire(&self.settings))),
        }
    }

    fn note(&mut self, departure: Departure) {
        if self.uet().is_some() {
            return self.time_uet(departure);
        }
        match departure {
            Departure::Packet { conn, psn, again: true, .. } => self.timings[usize::from(conn)].again(psn),
            Departure::Packet { conn, psn, at, .. } => {
                self.timings[usize::from(conn)].sent(psn, at.expect("the time is taken before"));
            }
            Departure::Renewed(conn) => self.timings[usize::from(conn)] = sack::Timing::default(),
        }
    }

    /// The time of the first packet whose time was not taken is now.
    pub fn decide(&mut self) -> Option<()> {
        let now = self.clock.wire(&self.settings);
        let departure = self.owed.as_mut()?.departures.iter_mut().find(|departure| !departure.is_timed())?;
        *departure = departure.at(now);
        Some(())
    }

    /// The first packet whose time was taken is noted, or that a connection is opened or closed.
    pub fn time_packet(&mut self) -> Option<()> {
        let departures = &mut self.owed.as_mut()?.departures;
        departures.front().filter(|departure| departure.is_timed())?;
        let departure = departures.pop_front()?;
        self.note(departure);
        Some(())
    }

    /// A probe leaves: of `uet` its time is kept.
    pub(super) fn probe_departs(&mut self, conn: u16, at: u16) {
        match &mut self.owed {
            Some(owed) if self.config.profile == Profile::Uet => owed.probe_departures.push_back((conn, at)),
            _ => self.timings[usize::from(conn)].probed(at),
        }
    }

    /// The time of the first probe that has left is noted.
    pub fn time_probe(&mut self) -> Option<()> {
        let (conn, at) = self.owed.as_mut()?.probe_departures.pop_front()?;
        self.timings[usize::from(conn)].probed(at);
        Some(())
    }

    /// A data packet leaves: what it says is kept for the probes of its connection.
    pub(super) fn leave(&mut self, conn: u16, peer: Peer) {
        match &mut self.owed {
            Some(owed) => owed.leaving.push_back((conn, peer)),
            None => self.peers[usize::from(conn)] = Some(peer),
        }
    }

    /// The first bytes of the data packet that was decided about first have left.
    pub fn keep_peer(&mut self) -> Option<()> {
        let (conn, peer) = self.owed.as_mut()?.leaving.pop_front()?;
        self.peers[usize::from(conn)] = Some(peer);
        Some(())
    }

    /// A connection is opened or closed: none of its packets has left.
    pub(super) fn forget(&mut self, conn: u16) {
        self.depart(Departure::Renewed(conn));
        match &mut self.owed {
            Some(owed) => {
                owed.cancels.push_back(conn);
                owed.forgets.push_back(conn);
            }
            None => {
                self.probes.cancel(conn);
                self.peers[usize::from(conn)] = None;
            }
        }
    }

    /// No probe is due of the connection that was opened or closed first.
    pub fn cancel_probe(&mut self) -> Option<()> {
        let conn = self.owed.as_mut()?.cancels.pop_front()?;
        self.probes.cancel(conn);
        Some(())
    }

    /// Nothing is known of packets that have left of the connection that was opened or closed first.
    pub fn forget_peer(&mut self) -> Option<()> {
        let conn = self.owed.as_mut()?.forgets.pop_front()?;
        self.peers[usize::from(conn)] = None;
        Some(())
    }

    /// Whether the probe in work has somewhere to go; it is dropped if not. None if it was judged already, or there is none.
    pub fn judge_probe(&mut self) -> Option<bool> {
        let is_uet = self.uet().is_some();
        let is_next = |probe: &mut OwnProbe| probe.peer.is_none() && (probe.pdc.is_some() || !is_uet);
        let mut probe = self.own_probe.take_if(is_next)?;
        probe.peer = self.peers[usize::from(probe.conn)].clone();
        if is_uet {
            self.stamp_uet_probe(&mut probe);
        }
        let is_kept = probe.peer.is_some();
        self.own_probe = is_kept.then_some(probe);
        Some(is_kept)
    }

    /// The EV of the probe in work comes, at the time that the probe carries.
    pub fn stamp_probe(&mut self) -> Option<()> {
        let now = self.clock.wire(&self.settings);
        self.own_probe.as_mut().filter(|probe| probe.drawn.is_some())?.left_at = Some(now);
        Some(())
    }

    /// Everything that waits for the selector, at once.
    pub(super) fn spray_all(&mut self) {
        while self.spray(Asker::Scoreboard).is_some() {}
        while self.ask_for_parked().is_some() {
            self.release();
        }
        if self.spray(Asker::Probe).is_some() {
            self.stamp_probe();
        }
    }
}
