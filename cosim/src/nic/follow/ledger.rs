//! What became of each frame that a block was given.

use std::borrow::Cow;
use std::collections::VecDeque;

use respray_golden::nic::sack::is_probe;
use respray_golden::nic::{Asks, Counter, Fate, Nic, PacketStatus, Refusal, Route};
use respray_golden::rewrite::Kind;
use respray_golden::rewrite_rx::{Record, record};
use respray_golden::sack_rx::{Status, uet};
use respray_golden::sack_tx;

use crate::nic::streams::Given;
use crate::traffic::capture::{Account, why_other};

const DATA_OF_HOST: &str = "data packets of the host";
const LOST: &str = "lost in a reset";

/// Whether a frame was taken, and as what, or why not.
type What = (bool, Cow<'static, str>);

/// What became of the frames of the host and of those of the MAC, each in the order in which they came.
#[derive(Debug, Default)]
pub(in crate::nic) struct Ledger {
    host: Way,
    mac: Way,
    /// ACKs that wait, which the scoreboard answers in their order.
    acks: VecDeque<usize>,
}

#[derive(Debug, Default)]
struct Way {
    /// `None` while it is not decided.
    became: Vec<Option<What>>,
    /// What waits for an engine: its place, and what such packets are called.
    waiting: VecDeque<(usize, &'static str)>,
}

impl Way {
    fn add(&mut self, what: What) {
        self.became.push(Some(what));
    }

    /// A packet that waits for an engine, which says what becomes of it unless its connection does so.
    fn wait(&mut self, name: &'static str, connection: Option<What>) {
        self.waiting.push_back((self.became.len(), name));
        self.became.push(connection);
    }

    /// What packets like the first one that waits are called.
    fn next_name(&self) -> &'static str {
        self.waiting.front().map_or("", |(_, name)| *name)
    }

    /// What becomes of the first one that waits.
    fn decide(&mut self, what: What) {
        if let Some((at, _)) = self.waiting.pop_front() {
            self.became[at].get_or_insert(what);
        }
    }

    /// Enters what became of them, with these numbers.
    fn enter(&self, numbers: &[u64], account: &mut Account) {
        for (at, number) in numbers.iter().enumerate() {
            match self.became.get(at) {
                Some(Some((true, what))) => account.taken(*number, what.clone()),
                Some(Some((false, why))) => account.left(*number, why.clone()),
                Some(None) => account.left(*number, "given, and not decided about when the run ended"),
                None => account.left(*number, "not given, since the run ended before"),
            }
        }
    }
}

fn taken(what: &'static str) -> What {
    (true, what.into())
}

fn left(why: impl Into<Cow<'static, str>>) -> What {
    (false, why.into())
}

/// The counters that say what became of a packet or an ACK at the scoreboard.
#[derive(Clone, Copy)]
pub(super) struct Counts([u64; COUNTED.len()]);

const COUNTED: [Counter; 9] = [
    Counter::TxData,
    Counter::TxAgain,
    Counter::TxRefused,
    Counter::RxAcks,
    Counter::RxAcksOld,
    Counter::RxNacks,
    Counter::RxNacksBad,
    Counter::AcksOtherAddress,
    Counter::RxOtherPeer,
];

impl Counts {
    pub fn of(golden: &Nic) -> Counts {
        Counts(COUNTED.map(|counter| golden.counter(counter)))
    }

    /// Which of them has counted since.
    fn since(self, golden: &Nic) -> Option<Counter> {
        let Counts(now) = Counts::of(golden);
        (0..COUNTED.len()).find(|at| now[*at] != self.0[*at]).map(|at| COUNTED[at])
    }
}

impl Ledger {
    /// The host begins to give a frame.
    pub fn offered(&mut self, golden: &Nic, frame: &Given) {
        match golden.headers_of_host(&frame.bytes) {
            Ok(Some(headers)) => match golden.asks(&frame.bytes, &headers) {
                Some(asks) => {
                    let header = golden.config().profile.parse(&frame.bytes[headers.at..]);
                    let number = header.map_or(u32::MAX, |header| header.sender_connection());
                    let name = match asks {
                        Asks::Data => DATA_OF_HOST,
                        Asks::Probe => "probes of the host",
                        Asks::Control => "control packets of the host",
                        Asks::Answer => "ACKs of the host",
                    };
                    self.host.wait(name, beyond(golden, number, name));
                }
                None => self.host.add(left(match headers.kind {
                    Kind::Ack => "ACKs of the host, passed on unchanged",
                    _ => "NACKs and control packets of the host, passed on unchanged",
                })),
            },
            Ok(None) => self.host.add(left(passed(why_other(None)))),
            Err(error) => self.host.add(left(passed(why_other(Some(error))))),
        }
    }

    /// The scoreboard has answered the host's first packet that waits.
    pub(super) fn sent(&mut self, before: Counts, golden: &Nic) {
        let name = self.host.next_name();
        self.host.decide(match before.since(golden) {
            Some(Counter::TxData) => taken("data packets sent for the first time"),
            Some(Counter::TxAgain) => taken("data packets sent again"),
            Some(Counter::TxRefused) => {
                left(format!("{name}, refused: {}", why_refused(golden.last_refusal())))
            }
            _ => taken(name),
        });
    }

    /// What becomes of a frame of the MAC is seen.
    pub fn arrived(&mut self, golden: &Nic, frame: &Given, fate: Fate) {
        if frame.user {
            return self.mac.add(left("marked as bad by the MAC, dropped"));
        }
        let record = record(&frame.bytes, golden.traffic());
        let route = golden.route(&frame.bytes, &record);
        match (fate, route) {
            (Fate::DroppedHost, _) => {
                self.mac.add(left("dropped, since the host did not take those before"));
            }
            (Fate::NoCredit, _) => self.mac.add(left("dropped, since the host had granted no frame")),
            (Fate::DroppedEngine, _) => self.mac.add(left("dropped, since too many wait for the engine")),
            (Fate::Taken, Route::Host) => self.mac.add(left(match record.kind {
                Some(_) => Cow::Borrowed("NACKs and control packets, passed on unchanged"),
                None => Cow::Owned(passed(why_other(record.error))),
            })),
            (Fate::Taken, Route::Opening) => {
                self.mac.add(taken("packets that ask for a connection, given to the host"));
            }
            (Fate::Taken, Route::Nobody) => {
                self.mac.add(left("trimmed packets that were no requests, dropped"));
            }
            (Fate::Taken, Route::Scoreboard { .. }) => {
                self.acks.push_back(self.mac.became.len());
                self.mac.became.push(beyond(golden, record.connection, "ACKs"));
            }
            (Fate::Taken, Route::Data | Route::Receiver) => {
                let name = name_of(golden, &record);
                self.mac.wait(name, beyond(golden, record.connection, name));
            }
        }
    }

    /// `sack_rx` has answered the first packet that waits.
    pub fn answered(&mut self, status: Status) {
        self.mac.decide(of_status(status));
    }

    /// The same of Ultra Ethernet.
    pub fn answered_uet(&mut self, packet: PacketStatus) {
        self.mac.decide(match packet {
            PacketStatus::Of(uet::Status::New) => of_status(Status::New),
            PacketStatus::Of(uet::Status::Duplicate) => of_status(Status::Duplicate),
            PacketStatus::Of(uet::Status::Probe) => of_status(Status::Probe),
            PacketStatus::Of(uet::Status::Outside) => of_status(Status::Outside),
            PacketStatus::Of(uet::Status::Uninitialised) => {
                left("packets received of a connection that is not open")
            }
            PacketStatus::Of(uet::Status::Ahead) => {
                left("data packets received ahead of their order, in which the connection delivers them")
            }
            PacketStatus::Of(uet::Status::Missing) | PacketStatus::Control => {
                taken("control packets received")
            }
            PacketStatus::Trimmed => taken("trimmed packets received"),
            PacketStatus::OfAnother => left("packets received of another peer than the connection's"),
        });
    }

    /// The first packet that waits comes from another address than its peer's.
    pub fn refused(&mut self) {
        self.mac.decide(left("data packets or probes received from another address than the peer's"));
    }

    /// The scoreboard has answered the first ACK that waits.
    pub(super) fn heard(&mut self, before: Counts, golden: &Nic) {
        let became = match before.since(golden) {
            Some(Counter::RxAcks) => taken("ACKs received"),
            Some(Counter::RxAcksOld) => taken("ACKs received, older than one before"),
            Some(Counter::RxNacks) => taken("NACKs received"),
            Some(Counter::RxNacksBad) => {
                left("NACKs that cannot be true, or of a connection that is not open")
            }
            Some(Counter::AcksOtherAddress) => left("ACKs from another address than the peer's"),
            Some(Counter::RxOtherPeer) => left("ACKs or NACKs of another peer than the connection's"),
            _ => left("ACKs that cannot be true, or of a connection that is not open"),
        };
        let Some(at) = self.acks.pop_front() else { return };
        self.mac.became[at].get_or_insert(became);
    }

    /// All that waits is lost, and so are so many frames of the host and of the MAC that come next.
    pub fn reset(&mut self, [host, mac]: [usize; 2]) {
        for (way, next) in [(&mut self.host, host), (&mut self.mac, mac)] {
            way.became
                .iter_mut()
                .filter(|became| became.is_none())
                .for_each(|became| *became = Some(left(LOST)));
            way.waiting.clear();
            (0..next).for_each(|_| way.add(left(LOST)));
        }
        self.acks.clear();
    }

    /// Enters what became of the frames of the host and of the MAC that have these numbers.
    pub fn enter(&self, [host, mac]: [&[u64]; 2], account: &mut Account) {
        self.host.enter(host, account);
        self.mac.enter(mac, account);
    }
}

/// What becomes of a packet of which `sack_rx` says this.
fn of_status(status: Status) -> What {
    match status {
        Status::New => taken("data packets received, new"),
        Status::Duplicate => taken("data packets received, come again"),
        Status::Probe => taken("probes received"),
        Status::Outside => left("data packets received outside the window"),
        Status::Uninitialised => left("data packets or probes received of a connection that is not open"),
    }
}

/// What packets like one that goes to `sack_rx` are called.
fn name_of(golden: &Nic, record: &Record) -> &'static str {
    match record.kind {
        _ if is_probe(golden.config().profile, record) => "probes received",
        Some(Kind::Control) => "control packets received",
        Some(Kind::Trimmed) => "trimmed packets received",
        _ => "data packets received",
    }
}

/// What becomes of a frame whose connection the block does not have; `None` of any other.
fn beyond(golden: &Nic, number: u32, what: &str) -> Option<What> {
    let connections = golden.config().connections;
    let why = || left(format!("{what}, of a connection beyond 0 to {}, those of the block", connections - 1));
    (number >= connections).then(why)
}

fn passed(why: &str) -> String {
    format!("{why}, passed on unchanged")
}

/// Why a packet of the host was not sent.
fn why_refused(refusal: Option<Refusal>) -> &'static str {
    match refusal {
        Some(Refusal::Engine(sack_tx::Status::Gap)) => "not the next PSN",
        Some(Refusal::Engine(sack_tx::Status::WindowFull)) => "the window is full",
        Some(Refusal::Drains) => "the connection drains",
        _ => "the connection is not open",
    }
}
