//! The block that joins the cores: a bump in the wire between a host's transport and a MAC.
//!
//! ```text
//!  tx_in ──► sent (sack_tx) ──► send (selector) ──► rewrite_tx ──┐ data
//!                                                      probes ───┼──► tx_out
//!                                      ┌───────────────SACKs ────┘
//!  rx_out ◄── data ── packet (sack_rx) ┘◄─┐
//!                                         ├── rewrite_rx ◄── rx_in
//!  events ◄── sack (sack_tx) ──► ack (selector) ◄─┘ ACK
//! ```
//!
//! A [`Nic`] takes one frame or one register access at a time. Frames are bytes from the destination MAC address on,
//! without the Ethernet check sequence. It executes ops in the order in which their frames come and says nothing of
//! cycles, but for what [`Limits`] say; `advance` moves its clock.
//!
//! # Connections
//! A connection has one number, 0..connections, in all engines: in `strack` the destination QP, which is the same at
//! both ends, in `uet` the PDC of this end (source PDC of requests sent, destination PDC of what is received). PSNs
//! have 24 bits in all engines, events and registers ([`PSNS`]); those of `uet` are taken modulo 2^24. A connection is opened by
//! command, for sending, for receiving or for both, and closed by command as well.
//!
//! # What is sent, `tx_in` to `tx_out`
//! - SACKs go first, then probes, then the frames of the host in their order.
//! - A frame is looked at as `rewrite_tx` reads frames. Malformed frames, ACKs and what is not the profile's pass
//!   unchanged.
//! - A data packet is `sent` of `sack_tx` first. Status 0 (first time) and 1 (again) let it go on; on any other the
//!   packet is dropped, with an event, and no EV is drawn. A host that keeps PSNs and window meets that never.
//! - Then `send` of the selector gives the EV, and `rewrite_tx` writes it with ECT(0) and the time of the wire. A
//!   probe that the host itself sends is rewritten, too, without `sent`. In `uet` a request without payload that asks
//!   for an ACK is a probe to its receiver: a host sends no such data.
//! - The addresses and the header of a connection's last data packet are kept for its probes from the moment on in which it leaves. Before
//!   the first one has left since the connection was opened, there is no probe.
//!
//! # What is received, `rx_in`
//! - A frame that the MAC marks as bad is dropped. ACKs and probes are consumed; everything else goes to `rx_out`,
//!   with its record and, for data, the status of `sack_rx`. A host takes in the packets of status new, and no
//!   others.
//! - A SACK that is due goes to the sender of the packet: addresses swapped, the packet's EV as UDP source port.
//! - An ACK is `sack` of `sack_tx`. If that takes it (status 0), or it is merely older than one before (status 1),
//!   its EV and its mark are `ack` of the selector. Other ACKs are not believed, and no engine but `sack_tx` hears of
//!   them.
//! - Where a congestion control chooses the windows it hears of the same ACKs, and the host is told of each window that changes.
//! - Loss by rule 3 is `timeout` of the selector. Nothing in the profiles' traffic that `rewrite_rx` reads is a
//!   `nack`: a host that learns of one gives the command.
//! - The events of one ACK come in this order: acknowledged, recovery left, loss, RTT, window, freezing left.
//! - UDP checksums of what comes are not verified: the record is made while the frame passes. That of Ethernet is, by
//!   the MAC.
//!
//! # Retransmission
//! From a loss on the `nic` asks `next_rtx` of the connection by itself, as long as packets in flight are fewer than
//! its window and the event queue has room, and each PSN is an event. Connections in recovery take turns. The
//! host sends the packet again at once.
//!
//! # Peers
//! Both ends number their connections for themselves where the host says who the peer of a connection is ([`PeerEntry`]): what is sent
//! carries the peer's number, and what comes from another address than the peer's is refused.
//!
//! # A connection's end
//! Each way of a connection is closed by command. Where the host hears of it ([`Config::graceful_close`]), sending may drain first:
//! new data is refused, and the connection is closed when all that was sent is acknowledged. An event says that sending is closed,
//! behind all events of the connection before, and that receiving is: behind the last packet that was taken in.
//!
//! # What cannot be taken
//! The MAC's side never waits. Dropped and counted are: data for which there is no room towards the host or in the
//! queue of `sack_rx`, before `sack_rx` hears of it, so that it is not acknowledged; ACKs that `sack_tx` cannot take
//! in time, and SACKs for which `tx_out` has no room, both because later ones say the same. Never dropped are data
//! that was acknowledged, PSNs to send again, and probes that are due, except before a first packet has left.
//!
//! Behind the block frames may still be dropped, where what stands there cannot wait. There the host grants frames ([`Credit`]), and
//! data for which nothing was granted is dropped before `sack_rx` hears of it, too.
//!
//! # Events that are lost
//! The queue is bounded. An event that finds it full is counted, and the next one that is taken says so
//! (`after_loss`). The command `read` then gives the host what it missed: everything below `snd_una` is acknowledged.
//! Events that waited when it was given may say less than it did. Behind the last lost event none may follow, so a
//! host that waits looks at the counter `events_lost`, too. No PSN to send again is ever among the lost.
//!
//! # Events in frames
//! Where the host takes events in frames ([`EventFrame`]) they leave on `rx_out` between the frames that came. The queue then gives a batch
//! to a frame: when there are enough of them, or when the first has waited for long enough. A frame of events needs credit as data
//! does, where the host grants frames.
//!
//! # Ultra Ethernet
//! [`Nic::of_uet`] is the same block with the engines of Ultra Ethernet; what it does in another way stands at the head of its module.
//!
//! # Time
//! Prescalers are written before a connection is opened: the ticks of all that was remembered are those of before. An
//! RTT of 2^16 ticks of the wire reads as one of 0: ticks must be chosen in which no round trip takes that long.

mod bus;
mod clock;
mod closing;
mod config;
mod counters;
mod credit;
mod engines;
mod event;
mod event_frames;
pub mod headers;
mod host_frame;
mod load;
mod park;
pub mod peer_table;
mod read_result;
mod receive;
mod register;
mod registers;
mod request;
mod route;
mod rx_out;
pub mod sack;
mod settings;
mod spray;
mod stable_port;
mod steps;
mod timers;
mod transmit;
mod turns;
mod uet;
mod window;

use std::collections::VecDeque;

pub use bus::{AccessError, Command, ReceiverOp};
pub use closing::Refusal;
pub use config::{Config, Limits, LossFeedback};
pub use counters::Counter;
pub use credit::{Credit, MOST_AHEAD, MOST_OWED};
pub use event::{Event, Kind, Source, rule_code};
pub use event_frames::{
    EVENT_FRAMES, EVENT_HEADER_BYTES, EVENT_RECORD_BYTES, EventFrame, EventWait, MOST_EVENTS,
};
pub use host_frame::{Asks, Sent, Transmitted};
pub use peer_table::PeerEntry;
pub use receive::Delivery;
pub use register::{Access, Register, ResultField, Target};
pub use registers::{IDENTITY, VERSION};
pub use route::{Fate, Route};
pub use settings::Setting;
pub use spray::Choice;
pub use steps::Asker;
pub use timers::Visit;
pub use uet::{FlowChange, PacketStatus, Parts, UET_PSNS, Verdict};
pub use window::WindowEngine;

use self::clock::Clock;
use self::closing::Closing;
use self::counters::Counters;
use self::engines::{Engines, NOT_STRACK};
use self::event_frames::EventFrames;
use self::headers::Peer;
use self::host_frame::HostFrame;
use self::load::Load;
use self::park::Park;
use self::peer_table::PeerTable;
use self::receive::{Arrived, HeardAck, WaitingSack};
use self::rx_out::RxOut;
use self::settings::Settings;
use self::spray::{Effect, Said, Spray};
use self::steps::{Asked, Owed, OwnProbe};
use self::timers::Probes;
use self::turns::Turns;
use self::window::Windows;
use crate::psn::PsnSpace;
use crate::rewrite::{ProfileTraffic, Trimmed};
use crate::sack_tx::SackTx;
use crate::selector::{self, SendKind};

/// PSNs of the engines, events and registers.
pub const PSNS: PsnSpace = PsnSpace::new(24);

/// The block that joins the cores.
#[derive(Debug)]
pub struct Nic {
    config: Config,
    table: Vec<Register>,
    settings: Settings,
    clock: Clock,
    counters: Counters,
    events: event::Queue,
    selector: Box<dyn Spray>,
    engines: Engines,
    /// Where a congestion control chooses them.
    windows: Option<Windows>,
    /// Of each connection: what its last data packet said.
    peers: Vec<Option<Peer>>,
    timings: Vec<sack::Timing>,
    /// Frames of the host.
    tx_in: VecDeque<HostFrame>,
    /// Ops for the selector.
    sprays: VecDeque<Asked>,
    /// Packets that wait, where the selector lets packets wait.
    park: Park,
    own_probe: Option<OwnProbe>,
    /// What ops brought about and was not done yet; `None` if it is done at once.
    owed: Option<Owed>,
    sacks: VecDeque<WaitingSack>,
    probes: Probes,
    /// Connections that `next_rtx` is to be asked for, from a loss on.
    recovering: Turns,
    /// Why the host's last data packet that was not sent was refused.
    refused: Option<Refusal>,
    /// ACKs that wait for `sack_tx`.
    acks: VecDeque<HeardAck>,
    /// Data and probes that wait for `sack_rx`.
    arrived: VecDeque<Arrived>,
    rx_out: RxOut,
    /// Where the host says how many frames may go to it.
    credit: Option<Credit>,
    /// Where events go to the host in frames.
    event_frames: Option<EventFrames>,
    /// Where the host says who the peers are.
    peer_table: Option<PeerTable>,
    /// Where the host hears of closes.
    closing: Option<Closing>,
    ack_load: Load,
    data_load: Load,
    /// The connection that the walker visits next, and the clock cycle in which it does.
    walker: u16,
    next_visit: u64,
    bus: bus::State,
}

impl Nic {
    /// The block as it is after `rst`, when its engines are ready: no connection is open, and the clock shows 0.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(config: Config) -> Self {
        config.check();
        let engines = Engines::new(&config);
        let selector = config.spray(0);
        let table = registers::table(&config, selector.as_ref(), matches!(engines, Engines::Uet(_)));
        let Config { connections, limits, .. } = config;
        Nic {
            settings: Settings::of(table.iter().filter_map(Register::reset_of_setting)),
            table,
            clock: Clock::default(),
            counters: Counters::showing(0),
            events: event::Queue::new(limits.events),
            selector,
            engines,
            windows: (config.window_engine == WindowEngine::Strack).then(|| Windows::new(connections)),
            peers: vec![None; connections as usize],
            timings: vec![sack::Timing::default(); connections as usize],
            tx_in: VecDeque::new(),
            sprays: VecDeque::new(),
            park: Park::new(&config),
            own_probe: None,
            owed: None,
            sacks: VecDeque::new(),
            probes: Probes::new(connections),
            recovering: Turns::new(connections),
            refused: None,
            acks: VecDeque::new(),
            arrived: VecDeque::new(),
            rx_out: RxOut::default(),
            credit: config.rx_credit.then(Credit::default),
            event_frames: EventFrames::of(&config),
            peer_table: config.peer_table.then(|| PeerTable::new(connections)),
            closing: config.graceful_close.then(Closing::default),
            ack_load: Load::default(),
            data_load: Load::default(),
            walker: 0,
            next_visit: 0,
            bus: bus::State::default(),
            config,
        }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The registers, in the order of their addresses.
    pub fn registers(&self) -> &[Register] {
        &self.table
    }

    /// Names of the registers that hold settings, which a host may write before it opens connections; in no order.
    pub fn names_of_settings(&self) -> Vec<&'static str> {
        registers::names_of_settings(&self.config, self.selector.as_ref(), self.uet().is_some())
    }

    /// Names of the events that the selector pulses, in the order of [`Counter::SELECTOR_EVENTS`].
    pub fn selector_events(&self) -> &'static [&'static str] {
        self.selector.events()
    }

    /// The clock cycles since power-up.
    pub fn cycles(&self) -> u64 {
        self.clock.cycles
    }

    pub fn counter(&self, counter: Counter) -> u64 {
        self.counters.get(counter)
    }

    /// Each counter shows this number.
    pub fn count_from(&mut self, count: u64) {
        self.counters = Counters::showing(count);
    }

    /// Numbers of the frames for the host, where it grants them.
    pub fn credit(&self) -> Option<Credit> {
        self.credit
    }

    /// The scoreboard of 004, for tests of invariants.
    ///
    /// # Panics
    /// Where the engines are those of Ultra Ethernet.
    pub fn scoreboard(&self) -> &SackTx {
        match &self.engines {
            Engines::Strack { scoreboard, .. } => scoreboard,
            Engines::Uet(_) => panic!("{NOT_STRACK}"),
        }
    }

    /// The next event for the host; none where they go to it in frames.
    pub fn event(&mut self) -> Option<Event> {
        if self.config.event_frames {
            return None;
        }
        let event = self.events.pop();
        if self.owed.is_none() {
            self.hand_out();
        }
        event
    }

    fn count_send(&mut self, kind: SendKind) {
        self.counters.count(match kind {
            SendKind::Explore => Counter::Explore,
            SendKind::Recycle => Counter::Recycle,
            SendKind::Replay => Counter::Replay,
        });
    }

    /// An event is told.
    fn tell(&mut self, event: Event) {
        match &mut self.owed {
            Some(owed) => owed.told[event.kind.source() as usize].push_back(event),
            None => _ = self.queue(event),
        }
    }

    /// Keeps an event for the host, if its kind is enabled; false if it is lost.
    fn queue(&mut self, event: Event) -> bool {
        let is_enabled = event.kind == Kind::Closed
            || self.settings.get(Setting::EventEnable) >> event.kind.code() & 1 == 1;
        let before = self.events.len();
        let is_kept = !is_enabled || self.events.push(event);
        if !is_kept {
            self.lose();
        } else if is_enabled && let Some(frames) = &mut self.event_frames {
            frames.waits(before, self.clock.cycles);
        }
        is_kept
    }

    /// An event is lost. A block that is taken step by step counts it in its frames when it is seen to.
    fn lose(&mut self) {
        self.counters.count(Counter::EventsLost);
        if self.owed.is_none() {
            self.note_lost_event();
        }
    }

    /// Whose traffic the block looks for.
    pub fn traffic(&self) -> ProfileTraffic {
        let of = |setting| self.settings.get(setting);
        let (dscp, dscp_last) = (of(Setting::DscpTrimmed) as u8, of(Setting::DscpTrimmedLast) as u8);
        ProfileTraffic {
            udp_port: of(Setting::UdpPort) as u16,
            trimmed: Trimmed { dscp, dscp_last },
            ..ProfileTraffic::of(self.config.profile)
        }
    }

    /// A number from a header as a connection, if there is one of that number.
    fn connection(&self, number: u32) -> Option<u16> {
        (number < self.config.connections).then_some(number as u16)
    }

    /// Executes an op of the selector, counts its events, tells the host of freezing and draining, and wakes who waits.
    fn apply_selector(
        &mut self,
        conn: u16,
        kind: selector::OpKind,
        ev: u16,
        ecn: bool,
        said: Said,
    ) -> Effect {
        let settings = self.settings.selector();
        let op = selector::Op {
            kind,
            conn,
            ev,
            ecn,
            now: self.clock.selector(&self.settings, self.config.selector_time_bits()),
            settings: std::array::from_fn(|at| settings[at]),
            more: match kind {
                selector::OpKind::Ack => 1, // who sends stops at the window by himself: an ACK lets a packet go
                selector::OpKind::Send => self.cwnd_packets(conn).into(),
                _ => 0,
            },
        };
        let effect = self.selector.apply(&op, &said, &settings);
        for (at, (name, counter)) in self.selector.events().iter().zip(Counter::SELECTOR_EVENTS).enumerate() {
            if effect.events >> at & 1 == 0 {
                continue;
            }
            self.counters.count(counter);
            match *name {
                "freeze_entered" => self.tell(Event::new(Kind::FreezeEntered, conn.into(), 0)),
                "freeze_left" => self.tell(Event::new(Kind::FreezeLeft, conn.into(), 0)),
                "drain_started" => self.tell(Event::new(Kind::Xoff, conn.into(), 0)),
                "drain_done" | "drain_given_up" => self.tell(Event::new(Kind::Xon, conn.into(), 0)),
                _ => {}
            }
        }
        self.wake(conn, &effect);
        effect
    }
}
