//! Connections that live and end again and again, between two blocks whose hosts hear of closes.
//!
//! Each connection goes one way. Both hosts open it, one sends packets, and it ends: it drains, or it is closed in the midst of everything,
//! by the sender first or by the receiver. When both hosts were told, the same number begins a new life. The network loses packets, and keeps
//! some back for longer than a life lasts. A packet tells by its length in which life it was sent.

use std::collections::{BTreeSet, VecDeque};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::frames::{self, Data};
pub use super::lived::Block;
use crate::nic::{Command, Delivery, Event, Kind, PSNS};
use crate::paths::End;
use crate::rewrite;
use crate::sack_rx::Status;

/// Bytes of a packet of the first life; each further life has one more.
const FIRST_BYTES: u32 = 40;
/// Packets in flight at most.
const CWND: u32 = 24;
/// Packets of a life, at most; and those of the connection that never ends.
const MOST_PACKETS: u32 = 60;
const STEADY_PACKETS: u32 = 2000;
/// Steps that a packet is under way: usually, and one of those that are kept back.
const USUAL: std::ops::Range<u64> = 20..200;
const KEPT_BACK: std::ops::Range<u64> = 2_000..20_000;
/// Steps after which nothing is expected any more.
const MOST_STEPS: u64 = 20_000_000;
/// Status of an event `closed`: sending, receiving. That of `refused` while a connection drains.
const SENDING: u16 = 1;
const RECEIVING: u16 = 2;
const DRAINS: u16 = 4;

/// The first PSN of a new life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextPsn {
    /// Beyond the former life by a window or more.
    Beyond,
    /// That of the former life: the hosts do not do their part.
    Same,
}

/// How a life ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Drains,
    SenderFirst,
    ReceiverFirst,
}

/// How far a life is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Sends,
    /// The sender was told to close; the receiver.
    Closes([bool; 2]),
    Over,
}

/// One connection.
struct Line {
    conn: u16,
    from: End,
    life: u32,
    first: u32,
    /// Packets that are to be sent, and those that were for the first time.
    packets: u32,
    sent: u32,
    una: u32,
    in_flight: u32,
    again: VecDeque<u32>,
    come: BTreeSet<u32>,
    ending: Ending,
    stage: Stage,
    /// What the events said: the next PSN of the sender, and that the receiver is closed.
    next_psn: Option<u32>,
    has_closed_rx: bool,
}

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lived {
    /// Lives that ended, by draining and in the midst.
    pub drained: u32,
    pub cut: u32,
    /// Packets of former lives that came to a life, and to no life.
    pub late: u32,
    pub after: u32,
    /// Packets that were refused because their connection drained, and because it was closed.
    pub held_back: u32,
    pub refused: u32,
    /// ACKs that came to a closed connection.
    pub late_acks: u32,
}

struct Lives<B> {
    blocks: [B; 2],
    lines: Vec<Line>,
    /// Frames under way to each end, and when they arrive.
    under_way: [Vec<(u64, Vec<u8>)>; 2],
    now: u64,
    random: StdRng,
    next: NextPsn,
    lived: Lived,
}

/// Two blocks with connections that end so many times each; one in each direction never does.
///
/// # Errors
/// What does not hold: a packet of a former life, one that comes twice, or after the host was told that its connection is closed; an event that
/// cannot be; a life that does not end.
pub fn live<B: Block>(
    blocks: [B; 2],
    lives: u32,
    next: NextPsn,
    seed: u64,
) -> Result<([B; 2], Lived), String> {
    let line = |conn: u16| Line {
        conn,
        from: End::BOTH[usize::from(conn % 2)],
        life: 0,
        first: PSNS.sub(1000 * u32::from(conn), 5000),
        packets: STEADY_PACKETS,
        sent: 0,
        una: 0,
        in_flight: 0,
        again: VecDeque::new(),
        come: BTreeSet::new(),
        ending: Ending::Drains,
        stage: Stage::Sends,
        next_psn: None,
        has_closed_rx: false,
    };
    let random = StdRng::seed_from_u64(seed);
    let lines = (0..8).map(line).collect();
    let (under_way, lived) = (Default::default(), Lived::default());
    let mut all = Lives { blocks, lines, under_way, now: 0, random, next, lived };
    for block in &mut all.blocks {
        for (name, value) in [
            ("sack_threshold", 0),
            ("cwnd_packets", CWND),
            ("probe_timeout", 100),
            ("rto", 400),
            ("rto_backoff_max", 2),
        ] {
            block.write(name, value)?;
        }
    }
    for at in 0..all.lines.len() {
        all.begin(at)?;
    }
    while all.lines.iter().any(|line| line.stage != Stage::Over) {
        all.step(lives).map_err(|what| format!("step {}: {what}", all.now))?;
        if all.now > MOST_STEPS {
            return Err("connections that do not end".to_string());
        }
    }
    Ok((all.blocks, all.lived))
}

impl<B: Block> Lives<B> {
    /// Connections 0 and 1 never end before all is sent.
    fn is_steady(conn: u16) -> bool {
        conn < 2
    }

    /// A life begins: the receiver is open before its sender.
    fn begin(&mut self, at: usize) -> Result<(), String> {
        let line = &mut self.lines[at];
        if !Self::is_steady(line.conn) {
            line.packets = self.random.random_range(0..=MOST_PACKETS);
            line.ending = match self.random.random_range(0..4) {
                0 => Ending::SenderFirst,
                1 => Ending::ReceiverFirst,
                _ => Ending::Drains,
            };
        }
        let (conn, from, first) = (line.conn, line.from, line.first);
        for (end, command) in [(from.other(), Command::OpenRx), (from, Command::OpenTx)] {
            self.command(end, conn, first, command)?;
        }
        Ok(())
    }

    fn command(&mut self, end: End, conn: u16, psn: u32, command: Command) -> Result<(), String> {
        let block = &mut self.blocks[end.index()];
        block.write("command_conn", conn.into())?;
        block.write("command_psn", psn)?;
        block.write("command", command as u32)
    }

    fn step(&mut self, lives: u32) -> Result<(), String> {
        self.now += 1;
        for end in End::BOTH {
            let [of_host, of_mac] = self.blocks[end.index()].takes();
            if of_host {
                self.give(end);
            }
            let due = self.under_way[end.index()].iter().position(|(due, _)| *due <= self.now);
            if let Some(due) = due.filter(|_| of_mac) {
                let (_, frame) = self.under_way[end.index()].swap_remove(due);
                self.blocks[end.index()].receive(frame);
            }
            self.blocks[end.index()].step()?;
            // an event may be of what went to the host in the same step
            while let Some(delivery) = self.blocks[end.index()].delivered() {
                self.take(end, &delivery)?;
            }
            while let Some(event) = self.blocks[end.index()].event() {
                self.hear(end, &event)?;
            }
            while let Some(frame) = self.blocks[end.index()].transmitted() {
                self.carry(end.other(), frame);
            }
        }
        (0..self.lines.len()).try_for_each(|at| self.go_on(at, lives))
    }

    /// The network takes a frame.
    fn carry(&mut self, to: End, frame: Vec<u8>) {
        let kept = match self.random.random_range(0..16) {
            0 | 1 => return,
            2 => KEPT_BACK,
            _ => USUAL,
        };
        let due = self.now + self.random.random_range(kept);
        self.under_way[to.index()].push((due, frame));
    }

    /// The host gives a packet of a connection, now and then one that it must not.
    fn give(&mut self, end: End) {
        let at = self.random.random_range(0..self.lines.len());
        let is_bold = self.random.random_range(0..64) == 0;
        let profile = self.blocks[end.index()].config().profile;
        let window = self.blocks[end.index()].config().window;
        let line = &mut self.lines[at];
        if line.from != end {
            return;
        }
        let is_ending = matches!(line.stage, Stage::Closes([true, _])) || line.stage == Stage::Over;
        let again = line.again.pop_front().filter(|index| *index >= line.una && line.next_psn.is_none());
        let may = line.in_flight < CWND && line.sent - line.una < window && line.sent < line.packets;
        let index = match again {
            Some(index) => index,
            None if is_ending && is_bold => line.sent,
            None if !is_ending && may => {
                line.sent += 1;
                line.in_flight += 1;
                line.sent - 1
            }
            None => return,
        };
        let data = Data {
            from: end,
            conn: line.conn,
            psn: PSNS.add(line.first, index),
            bytes: FIRST_BYTES + line.life,
            ack_request: index + 1 == line.packets,
            again: again.is_some(),
        };
        self.blocks[end.index()].send(frames::data(profile, &data));
    }

    fn hear(&mut self, end: End, event: &Event) -> Result<(), String> {
        let Some(line) = self.lines.get_mut(event.conn as usize) else { return Err(format!("{event:?}")) };
        let what =
            |what: &str| Err(format!("{what}: {event:?} of life {} of {} packets", line.life, line.sent));
        if event.kind == Kind::Closed && event.detail == RECEIVING {
            if end == line.from || !matches!(line.stage, Stage::Closes([_, true])) || line.has_closed_rx {
                return what("nobody closed it");
            }
            line.has_closed_rx = true;
            return Ok(());
        }
        if end != line.from {
            return Ok(());
        }
        let index = PSNS.distance(line.first, event.psn);
        if line.next_psn.is_some() {
            match event.kind {
                Kind::Refused => self.lived.refused += 1,
                Kind::BadAck => self.lived.late_acks += 1,
                _ => return what("its sender is closed"),
            }
            return Ok(());
        }
        match event.kind {
            Kind::Acknowledged if index > line.sent => return what("it was never sent"),
            Kind::Acknowledged => {
                line.una = line.una.max(index);
                line.in_flight = event.in_flight.into();
            }
            Kind::Retransmit if index >= line.sent => return what("it was never sent"),
            Kind::Retransmit => {
                line.in_flight = event.in_flight.into();
                line.again.push_back(index);
            }
            Kind::Refused if event.detail == DRAINS => self.lived.held_back += 1,
            // what was given before the close and is refused by it, or was given while nothing was open
            Kind::Refused if index >= line.sent || matches!(line.stage, Stage::Closes([true, _])) => {
                self.lived.refused += 1;
            }
            Kind::Closed if event.detail == SENDING && matches!(line.stage, Stage::Closes([true, _])) => {
                if line.ending == Ending::Drains && event.value != event.psn {
                    return what("it has not drained");
                }
                if index > line.sent {
                    return what("it was never sent");
                }
                line.next_psn = Some(event.psn);
            }
            Kind::Refused | Kind::Closed => return what("it cannot be"),
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self, end: End, delivery: &Delivery) -> Result<(), String> {
        let record = &delivery.record;
        if record.kind != Some(rewrite::Kind::Data) {
            return Err(format!("a frame that is no data: {record:?}"));
        }
        let line = &mut self.lines[record.connection as usize];
        let what =
            |what: &str| Err(format!("{what}: {record:?} in life {} of connection {}", line.life, line.conn));
        if end == line.from {
            return what("it came to its sender");
        }
        let is_of_life = u32::from(record.bytes) == FIRST_BYTES + line.life;
        let is_open = !line.has_closed_rx;
        match delivery.status {
            Some(Status::New) if !is_open => return what("new behind the end"),
            Some(Status::New) if !is_of_life => return what("new of a former life"),
            Some(Status::New) if !line.come.insert(PSNS.wrap(record.psn)) => return what("it came twice"),
            Some(Status::Uninitialised) => self.lived.after += 1,
            _ if !is_of_life => self.lived.late += 1,
            _ => {}
        }
        let payload = frames::payload(line.from, line.conn, record.psn, record.bytes.into());
        // a PSN of uet has 8 bits more on the wire, of which the host wrote none
        if delivery.status == Some(Status::New) && !delivery.frame.ends_with(&payload) {
            return what("not as it was sent");
        }
        Ok(())
    }

    /// What becomes of a connection next.
    fn go_on(&mut self, at: usize, lives: u32) -> Result<(), String> {
        let line = &self.lines[at];
        let (conn, from) = (line.conn, line.from);
        match line.stage {
            Stage::Sends => {
                let is_done = line.una == line.packets;
                let is_due = match line.ending {
                    _ if Self::is_steady(conn) => is_done,
                    Ending::Drains => line.sent == line.packets,
                    _ => is_done || line.sent > 0 && self.random.random_range(0..400) == 0,
                };
                if is_due {
                    let is_sender = line.ending != Ending::ReceiverFirst;
                    self.lines[at].stage = Stage::Closes([is_sender, !is_sender]);
                    self.close(at, if is_sender { from } else { from.other() })?;
                }
            }
            Stage::Closes([true, false]) if line.next_psn.is_some() => {
                self.lines[at].stage = Stage::Closes([true, true]);
                self.close(at, from.other())?;
            }
            Stage::Closes([false, true]) if self.random.random_range(0..200) == 0 => {
                self.lines[at].stage = Stage::Closes([true, true]);
                self.close(at, from)?;
            }
            Stage::Closes([true, true]) if line.next_psn.is_some() && line.has_closed_rx => {
                self.end(at, lives)?;
            }
            Stage::Closes(_) | Stage::Over => {}
        }
        Ok(())
    }

    fn close(&mut self, at: usize, end: End) -> Result<(), String> {
        let Line { conn, from, ending, .. } = self.lines[at];
        if end != from {
            return self.command(end, conn, 0, Command::CloseRx);
        }
        self.blocks[end.index()].write("close_drains", u32::from(ending == Ending::Drains))?;
        self.command(end, conn, 0, Command::CloseTx)
    }

    /// A life is over, and the next one begins.
    fn end(&mut self, at: usize, lives: u32) -> Result<(), String> {
        let window = self.blocks[0].config().window;
        let line = &mut self.lines[at];
        let next = line.next_psn.take().expect("its sender is closed");
        let sent = PSNS.distance(line.first, next);
        if line.ending == Ending::Drains {
            self.lived.drained += 1;
            if line.come.len() as u32 != sent {
                return Err(format!(
                    "{} of {sent} packets came of connection {}",
                    line.come.len(),
                    line.conn
                ));
            }
            if Self::is_steady(line.conn) && sent != line.packets {
                return Err(format!("{sent} packets of connection {}", line.conn));
            }
        } else {
            self.lived.cut += 1;
        }
        line.life += 1;
        line.first = match self.next {
            NextPsn::Beyond => PSNS.add(next, window + self.random.random_range(0..3)),
            NextPsn::Same => line.first,
        };
        (line.sent, line.una, line.in_flight) = (0, 0, 0);
        line.again.clear();
        line.come.clear();
        line.has_closed_rx = false;
        if Self::is_steady(line.conn) || line.life == lives {
            line.stage = Stage::Over;
            // nothing of it may come any more
            (line.next_psn, line.has_closed_rx) = (Some(next), true);
            return Ok(());
        }
        line.stage = Stage::Sends;
        self.begin(at)
    }
}
