//! The register bus and the commands that it gives.

use thiserror::Error;

use super::closing::Closing;
use super::engines::Op;
use super::event_frames::EventFrames;
use super::peer_table::PeerTable;
use super::read_result::ReadResult;
use super::register::{Access, Register, Target};
use super::steps::{Asker, Owed};
use super::window::Windows;
use super::{Counter, Credit, Nic, Setting, sack};
use crate::sack_rx;

/// An access that is refused: SLVERR on AXI4-Lite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AccessError {
    #[error("there is no register at {address:#x}")]
    NoRegister { address: u32 },
    #[error("the register at {address:#x} is read-only")]
    ReadOnly { address: u32 },
    #[error("the register at {address:#x} is write-only")]
    WriteOnly { address: u32 },
    #[error("the register at {address:#x} takes values from {least} to {most}, not {value}")]
    OutOfRange { address: u32, value: u32, least: u32, most: u32 },
    #[error(
        "a tick of sack_tx is not shorter than one of the wire: sack_prescale {sack}, wire_prescale {wire}"
    )]
    Prescalers { sack: u32, wire: u32 },
}

/// A command, on `command_conn`; the discriminants are what the register `command` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// `init` of `sack_tx` with `command_psn`, and of the selector.
    OpenTx = 1,
    /// `init` of `sack_rx` with `command_psn`.
    OpenRx = 2,
    /// `read` of `sack_tx`; what it gives stands in the registers `result_...`.
    Read = 3,
    /// `nack` of the selector with `command_ev`.
    Nack = 4,
    /// All engines as after `rst`, the selector with the register `seed`. Queues are emptied; settings, counters and clock stay.
    Reset = 5,
    /// `close` of `sack_tx`, and `init` of the selector; where the sender stood then stands in the registers `result_...`. With
    /// `close_drains` that is done when all is acknowledged, and until then no new data is taken.
    CloseTx = 6,
    /// `close` of `sack_rx`.
    CloseRx = 7,
    /// Where the selector is `flowcut`: its smallest RTT of the class `command_class` is `command_rtt`.
    SetMin = 8,
}

impl Command {
    pub const ALL: [Command; 8] = [
        Command::OpenTx,
        Command::OpenRx,
        Command::Read,
        Command::Nack,
        Command::Reset,
        Command::CloseTx,
        Command::CloseRx,
        Command::SetMin,
    ];

    /// Those of a block; only one in which packets may wait has smallest RTTs.
    pub(super) fn of(parks: bool) -> &'static [Command] {
        const ALL: [Command; 8] = Command::ALL;
        if parks { &ALL } else { ALL.split_at(7).0 }
    }

    pub const fn meaning(self) -> &'static str {
        match self {
            Command::OpenTx => "opens command_conn for sending from command_psn on",
            Command::OpenRx => "opens it for receiving from command_psn on",
            Command::Read => "reads where its sender stands into the results",
            Command::Nack => "tells the selector that a packet with command_ev was trimmed",
            Command::Reset => "resets all engines and drops all that waits",
            Command::CloseTx => "closes command_conn for sending, with where its sender stood in the results",
            Command::CloseRx => "closes command_conn for receiving",
            Command::SetMin => {
                "with nic.selector = flowcut: sets the smallest RTT of command_class to command_rtt"
            }
        }
    }
}

/// The op of a receiver that a command is.
#[derive(Clone, Debug)]
pub enum ReceiverOp {
    Strack(sack_rx::Op),
    Uet(sack_rx::uet::Op),
}

/// What the bus remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// High half of the last counter that was read.
    high: u32,
    result: Option<ReadResult>,
}

/// What `accept` of Ultra Ethernet leaves in the registers `result_...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// That of the receiver.
    pub status: u8,
    /// Code of the NACK that is due, or 0.
    pub nack: u8,
}

impl Nic {
    /// Reads the register at an address.
    ///
    /// # Errors
    /// Where there is no register, or nothing to be read. The access is counted.
    pub fn read(&mut self, address: u32) -> Result<u32, AccessError> {
        self.readable(address)
            .inspect_err(|_| self.counters.count(Counter::AccessesRefused))
            .map(|target| self.value(target))
    }

    /// Writes the register at an address.
    ///
    /// # Errors
    /// Where there is no register, it is not written, or takes no such value. Nothing changes but the count of these.
    pub fn write(&mut self, address: u32, value: u32) -> Result<(), AccessError> {
        let target =
            self.writable(address, value).inspect_err(|_| self.counters.count(Counter::AccessesRefused))?;
        match target {
            Target::Setting(setting) => self.settings.set(setting, value),
            Target::Counter(counter) => self.counters.clear(counter),
            Target::Credit => self.grant_frames(value as u16),
            Target::PeerEntry => self.set_peer(value as u16),
            Target::Accept => self.accept(value as u16),
            _ => self.command(Command::ALL[value as usize - 1]),
        }
        Ok(())
    }

    /// Address of the register of that name, if there is one.
    pub fn address(&self, name: &str) -> Option<u32> {
        self.table.iter().find(|register| register.name == name).map(|register| register.address)
    }

    fn register(&self, address: u32) -> Result<&Register, AccessError> {
        let at = self.table.binary_search_by_key(&address, |register| register.address);
        at.map(|at| &self.table[at]).map_err(|_| AccessError::NoRegister { address })
    }

    fn readable(&self, address: u32) -> Result<Target, AccessError> {
        let register = self.register(address)?;
        match register.access {
            Access::WriteOnly => Err(AccessError::WriteOnly { address }),
            Access::ReadOnly | Access::ReadWrite => Ok(register.target),
        }
    }

    fn writable(&self, address: u32, value: u32) -> Result<Target, AccessError> {
        let register = self.register(address)?;
        if register.access == Access::ReadOnly {
            return Err(AccessError::ReadOnly { address });
        }
        if !register.allowed.contains(&value) {
            let (least, most) = (*register.allowed.start(), *register.allowed.end());
            return Err(AccessError::OutOfRange { address, value, least, most });
        }
        let (mut sack, mut wire) =
            (self.settings.get(Setting::SackPrescale), self.settings.get(Setting::WirePrescale));
        match register.target {
            Target::Setting(Setting::SackPrescale) => sack = value,
            Target::Setting(Setting::WirePrescale) => wire = value,
            _ => {}
        }
        if sack < wire { Err(AccessError::Prescalers { sack, wire }) } else { Ok(register.target) }
    }

    fn value(&mut self, target: Target) -> u32 {
        match target {
            Target::Constant(value) => value,
            Target::Setting(setting) => self.settings.get(setting),
            Target::Command | Target::Credit | Target::PeerEntry | Target::Accept => {
                unreachable!("they are write-only")
            }
            Target::CreditState => self.credit.map_or(0, Credit::word),
            Target::Result(field) => self.bus.result.map_or(0, |result| result.field(field)),
            Target::EventsWaiting => self.events.len() as u32,
            Target::Time => self.low(self.clock.cycles),
            Target::Counter(counter) => self.low(self.counters.get(counter)),
            Target::High => self.bus.high,
        }
    }

    fn low(&mut self, value: u64) -> u32 {
        self.bus.high = (value >> 32) as u32;
        value as u32
    }

    /// Executes a command on `command_conn`. It is done when the write is answered.
    fn command(&mut self, command: Command) {
        let conn = self.settings.get(Setting::CommandConn) as u16;
        let psn = self.settings.get(Setting::CommandPsn);
        match command {
            Command::OpenTx => {
                self.open_uet_tx(conn);
                self.apply_scoreboard(conn, Op::Init { psn });
                self.drains_no_more(conn);
                self.renew_selector(conn, self.opens_in_order());
                self.open_window(conn);
                self.forget(conn);
            }
            Command::CloseTx => {
                self.bus.result =
                    Some(if self.closes_by_draining() { self.drain(conn) } else { self.close_sending(conn) });
                self.close_uet_tx(conn);
            }
            Command::OpenRx | Command::CloseRx => {
                let op = self.receiver_op(command);
                self.execute_receiver(&op, self.frames_for_host());
            }
            Command::Read => self.bus.result = Some(self.read_connection(conn, Op::Read)),
            // a block that is taken step by step does these when its selector takes the op
            Command::Nack | Command::SetMin if self.owed.is_some() => {}
            Command::Nack => _ = self.spray(Asker::Command),
            Command::SetMin => self.set_min(),
            Command::Reset => self.reset(),
        }
        // what is parked of a connection that is opened or closed asks again, and that needs no further op
        if self.owed.is_none() {
            self.close_all_drained();
            self.tell_all_closed_rx();
            self.spray_all();
        }
    }

    /// The op of `sack_rx` that `open_rx` or `close_rx` is, with the connection and the PSN that the registers have now.
    pub fn receiver_op(&mut self, command: Command) -> ReceiverOp {
        if self.uet().is_some() {
            return ReceiverOp::Uet(self.uet_receiver_op(command == Command::OpenRx));
        }
        let kind = match command {
            Command::OpenRx => sack_rx::OpKind::Init,
            _ => sack_rx::OpKind::Close,
        };
        let (conn, psn) =
            (self.settings.get(Setting::CommandConn) as u16, self.settings.get(Setting::CommandPsn));
        ReceiverOp::Strack(sack_rx::Op { kind, conn, psn, ..Default::default() })
    }

    /// Executes the op of a command, behind all packets that `sack_rx` took before it. So many frames had come for the host when `sack_rx`
    /// took the op.
    pub fn execute_receiver(&mut self, op: &ReceiverOp, frames: u64) {
        let op = match op {
            ReceiverOp::Strack(op) => op,
            ReceiverOp::Uet(op) => {
                self.apply_uet_rx(op);
                return;
            }
        };
        self.apply_sack_rx(op);
        if op.kind == sack_rx::OpKind::Close {
            self.closed_receiving(op.conn, frames);
        }
    }

    /// The host grants frames up to the one of this number.
    fn grant_frames(&mut self, limit: u16) {
        match &mut self.owed {
            Some(owed) => owed.grants.push_back(limit),
            None => self.raise_credit(limit),
        }
    }

    /// The frames of a grant may go, unless it is one that has no effect.
    pub(super) fn raise_credit(&mut self, limit: u16) {
        if self.credit.as_mut().is_some_and(|credit| !credit.grant(limit)) {
            self.counters.count(Counter::CreditRefused);
        }
    }

    /// What the last `accept` said.
    pub(super) fn accepted(&mut self, Accepted { status, nack }: Accepted) {
        self.bus.result = Some(ReadResult { status, nack, ..ReadResult::default() });
    }

    fn reset(&mut self) {
        self.selector.reset(self.settings.get(Setting::Seed) as u16);
        self.engines.reset();
        self.windows.iter_mut().for_each(Windows::reset);
        self.peers.fill(None);
        self.timings.fill(sack::Timing::default());
        self.tx_in.clear();
        self.sprays.clear();
        self.park.clear();
        self.own_probe = None;
        self.owed = self.owed.take().map(|_| Owed::default());
        self.acks.clear();
        self.arrived.clear();
        self.sacks.clear();
        self.probes.clear();
        self.recovering.clear();
        self.rx_out.clear();
        self.credit = self.credit.map(|_| Credit::default());
        self.events.clear();
        self.event_frames = EventFrames::of(&self.config);
        self.peer_table.iter_mut().for_each(PeerTable::clear);
        self.closing = self.closing.take().map(|_| Closing::default());
        self.walker = 0;
        self.bus.result = None;
    }
}
