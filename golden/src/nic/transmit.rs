//! From the host to the network.

use std::mem;

use super::closing::Refusal;
use super::engines::Op;
use super::headers::Ecn;
use super::host_frame::{Asks, Decision, HostFrame, Request, Rewritten, Send, Sent, Stage, Transmitted};
use super::peer_table::{Number, numbered, write_number};
use super::receive::WaitingSack;
use super::steps::{Asked, Departure, OwnProbe};
use super::{Counter, Event, Kind, Nic, Setting, sack};
use crate::rewrite::{self, Extent};
use crate::rewrite_tx::{self, Params, Stamp, rewrite};
use crate::sack_tx::Status;
use crate::selector::{self, SendKind};
use crate::wire::Profile;

/// Most bytes of payload that a selector can count which lets packets wait.
const MOST_BYTES: u16 = (1 << 14) - 1;
/// What a longer packet's connection is taken for: one that does not exist.
const NOWHERE: u32 = 0xff_ffff;

impl Nic {
    /// The host offers a frame on `tx_in`.
    ///
    /// # Errors
    /// The frame itself, while `tx_in` pauses.
    pub fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        self.offer_with(frame, false)
    }

    /// The same with `tx_in_tuser`, which has no meaning here.
    ///
    /// # Errors
    /// As [`Nic::offer`].
    pub fn offer_with(&mut self, frame: Vec<u8>, user: bool) -> Result<(), Vec<u8>> {
        if self.tx_in.len() == self.config.limits.tx_frames {
            return Err(frame);
        }
        let stage = self.read_frame(&frame);
        self.tx_in.push_back(HostFrame { frame, user, stage, is_held: false, number: None });
        Ok(())
    }

    /// The MAC takes the next frame from `tx_out`.
    pub fn transmit(&mut self) -> Option<Transmitted> {
        if let Some(sack) = self.transmit_sack() {
            return Some(sack);
        }
        while self.start_probe() {
            if self.uet().is_some() && self.look_up_probe() != Some(true) {
                continue;
            }
            if self.judge_probe() == Some(true) {
                self.spray_all();
                return self.transmit_probe();
            }
        }
        if self.config.selector.parks() {
            return self.transmit_or_park();
        }
        while let Some(front) = self.tx_in.front() {
            if matches!(front.stage, Stage::Asks(_)) {
                self.sent();
                self.spray_all();
                self.grant();
            }
            if let Some(transmitted) = self.transmit_host_frame() {
                return Some(transmitted);
            }
        }
        None
    }

    /// The SACK that waits longest.
    pub fn transmit_sack(&mut self) -> Option<Transmitted> {
        let WaitingSack { mut frame, conn, number, is_nack } = self.sacks.pop_front()?;
        self.counters.count(if is_nack { Counter::TxNacks } else { Counter::TxSacks });
        if let Some(number) = self.own_number(conn, number).filter(|_| self.config.profile == Profile::Strack)
        {
            self.write_number_into(&mut frame, number);
        }
        Some(Transmitted { frame, user: false, sent: Sent::Sack })
    }

    /// Frames of the host that are inside.
    pub fn host_frames(&self) -> usize {
        let stays = |frame: &&HostFrame| !matches!(frame.stage, Stage::Dropped);
        self.tx_in.iter().filter(stays).count() + self.park.parked()
    }

    /// The frame that asked first is decided about: data by `sent` of `sack_tx`, a probe by whether its connection exists.
    pub fn sent(&mut self) -> Option<()> {
        let at = self.position(|stage| matches!(stage, Stage::Asks(_)))?;
        let asked = mem::replace(&mut self.tx_in[at].stage, Stage::Decided(Decision::Drop));
        let Stage::Asks(request) = asked else { unreachable!("it asks") };
        let is_too_long =
            self.config.selector.parks() && request.asks == Asks::Data && request.bytes > MOST_BYTES;
        let number = if is_too_long { NOWHERE } else { request.number };
        let decision = match (self.connection(number), request.asks) {
            (_, Asks::Answer) => self.complete(at, &request),
            (Some(conn), Asks::Probe) => self.ask_for_ev(Send { conn, bytes: 0 }, Rewritten::Probe),
            (Some(conn), Asks::Data | Asks::Control) => self.data(conn, request),
            (None, Asks::Probe) => Decision::Pass,
            (None, Asks::Data | Asks::Control) => {
                self.refuse(number, request.psn, Refusal::Engine(Status::Uninitialised))
            }
        };
        if let (Decision::Rewrite(..), Some(conn)) = (decision, self.connection(number)) {
            self.tx_in[at].number = self.peer_entry(conn).number;
        }
        self.tx_in[at].stage = Stage::Decided(decision);
        Some(())
    }

    /// `sent` of `sack_tx`.
    fn data(&mut self, conn: u16, request: Request) -> Decision {
        let Request { psn, bytes, size, peer, asks, .. } = request;
        if self.is_held_back(conn, psn) {
            return self.refuse(conn.into(), psn, Refusal::Drains);
        }
        let outcome = self.apply_scoreboard(conn, Op::Sent { psn, bytes: size });
        let again = match outcome.status.expect("a packet that is sent has a status") {
            Status::Ok => false,
            Status::Again => true,
            status => return self.refuse(conn.into(), psn, Refusal::Engine(status)),
        };
        if asks == Asks::Control {
            return Decision::Pass;
        }
        self.leave(conn, peer);
        self.depart(Departure::Packet { conn, psn, again, at: None });
        self.counters.count(if again { Counter::TxAgain } else { Counter::TxData });
        self.ask_for_ev(Send { conn, bytes: bytes.into() }, Rewritten::Data { again })
    }

    /// The frame is rewritten with the EV that `send` of the selector will give.
    fn ask_for_ev(&mut self, send: Send, rewritten: Rewritten) -> Decision {
        // where it may be told to wait it asks when it is its turn
        if !self.config.selector.parks() {
            self.sprays.push_back(Asked::of(send.conn, selector::OpKind::Send));
        }
        Decision::Rewrite(rewritten, send)
    }

    fn refuse(&mut self, number: u32, psn: u32, refusal: Refusal) -> Decision {
        self.counters.count(Counter::TxRefused);
        self.refused = Some(refusal);
        self.tell(Event { detail: refusal.code().into(), ..Event::new(Kind::Refused, number, psn) });
        Decision::Drop
    }

    /// The EV that the selector drew is for the first frame that waits for one.
    pub(super) fn drawn(&mut self, ev: u16, kind: SendKind) {
        let at = self.position(|stage| matches!(stage, Stage::Decided(Decision::Rewrite(..))));
        let at = at.expect("an op `send` is of a frame");
        if let Stage::Decided(Decision::Rewrite(rewritten, _)) = self.tx_in[at].stage {
            self.tx_in[at].stage = Stage::Drawn(rewritten.sent(kind), ev);
        }
    }

    /// The first frame that is decided about, with its EV if it is to have one, is written at the present time.
    pub fn grant(&mut self) -> Option<()> {
        let at = self.position(|stage| match stage {
            Stage::Decided(decision) => !matches!(decision, Decision::Rewrite(..)),
            stage => matches!(stage, Stage::Drawn(..)),
        })?;
        let drawn = match self.tx_in[at].stage {
            Stage::Drawn(sent, ev) => Some((sent, ev)),
            _ => None,
        };
        self.tx_in[at].stage = match (drawn, &self.tx_in[at].stage) {
            (Some((sent, ev)), _) => {
                let mut frame = mem::take(&mut self.tx_in[at].frame);
                self.stamp(&mut frame, ev);
                if let Some(number) = self.tx_in[at].number {
                    self.write_number_into(&mut frame, number);
                }
                self.tx_in[at].frame = frame;
                Stage::Leaves(sent)
            }
            (None, Stage::Decided(Decision::Pass)) => Stage::Leaves(Sent::Other),
            (None, _) => Stage::Dropped,
        };
        Some(())
    }

    /// Why the host's last data packet that was not sent was refused.
    pub fn last_refusal(&self) -> Option<Refusal> {
        self.refused
    }

    fn position(&self, is_next: impl Fn(&Stage) -> bool) -> Option<usize> {
        self.tx_in.iter().position(|frame| is_next(&frame.stage))
    }

    /// The next frame of the host, if it is far enough. One that was refused is passed over.
    pub fn transmit_host_frame(&mut self) -> Option<Transmitted> {
        loop {
            let sent = match &self.tx_in.front()?.stage {
                Stage::Leaves(sent) => *sent,
                Stage::Dropped => {
                    self.tx_in.pop_front();
                    continue;
                }
                Stage::Asks(_) | Stage::Decided(_) | Stage::Waits { .. } | Stage::Drawn(..) => return None,
            };
            match sent {
                Sent::Other => self.counters.count(Counter::TxOther),
                Sent::Probe { .. } => self.counters.count(Counter::TxProbes),
                _ => {}
            }
            let HostFrame { frame, user, .. } = self.tx_in.pop_front().expect("it is there");
            return Some(Transmitted { frame, user, sent });
        }
    }

    /// Writes EV, ECN and timestamp into a frame of the host.
    pub(super) fn stamp(&self, frame: &mut [u8], ev: u16) {
        let settings = Params {
            wire: self.traffic(),
            flow_label_enable: self.labels(),
            beat_bytes: self.config.bus_bits as usize / 8,
        };
        let stamp = Stamp { ev, timestamp: self.clock.wire(&self.settings), enable: true };
        let disposition = rewrite(frame, stamp, settings);
        assert_eq!(disposition, rewrite_tx::Disposition::Rewritten, "nothing is wrong with the frame");
    }

    /// Writes the number by which the peer knows the connection.
    fn write_number_into(&self, frame: &mut [u8], number: u32) {
        let extent = Extent::Beats(self.config.bus_bits as usize / 8);
        let headers = rewrite::read(frame, self.traffic(), extent).ok().flatten();
        let headers = headers.expect("nothing is wrong with the frame");
        write_number(frame, &headers, self.config.profile, number);
    }

    /// Whether EVs go into IPv6 flow labels, too.
    pub(super) fn labels(&self) -> bool {
        self.settings.get(Setting::FlowLabelEnable) == 1
    }

    /// The probe that waits longest asks for an EV; whether there is one, and none is in work.
    pub fn start_probe(&mut self) -> bool {
        if self.own_probe.is_some() {
            return false;
        }
        let Some((conn, due)) = self.probes.pop() else { return false };
        let (pdc, peer, drawn, left_at) = (None, None, None, None);
        self.own_probe = Some(OwnProbe { conn, due, pdc, peer, drawn, left_at, number: Number::default() });
        true
    }

    /// The probe in work, if it has its EV.
    pub fn transmit_probe(&mut self) -> Option<Transmitted> {
        let is_due = |probe: &mut OwnProbe| probe.drawn.is_some() && probe.left_at.is_some();
        let OwnProbe { conn, due, pdc, peer, drawn, left_at, number } = self.own_probe.take_if(is_due)?;
        let (peer, (ev, kind), now) = (peer?, drawn?, left_at?);
        self.counters.count(Counter::TxProbes);
        if let Some(pdc) = pdc {
            return Some(self.uet_probe(conn, pdc, due, &peer, ev, now));
        }
        self.probe_departs(conn, now);
        let udp_port = self.traffic().udp_port;
        let header = sack::probe(due.psn, &peer.header, now);
        let number = self.own_number(conn, number);
        let header = number.map_or(header, |number| numbered(header, number)).to_bytes();
        let addressing = if self.labels() { peer.addressing.labelled(ev) } else { peer.addressing };
        let frame = addressing.frame(Ecn::Ect0, ev, udp_port, &header);
        Some(Transmitted { frame, user: false, sent: Sent::Probe { kind } })
    }
}
