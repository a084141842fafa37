//! The model of the block that joins the cores: frames, register accesses and time in, frames and events out.

use std::collections::VecDeque;

use respray_cosim::nic::golden;
use respray_cosim::stream::stream_core::StreamCore;
use respray_cosim::stream::{RewriteRx, meta_fields};
use respray_golden::nic::{Access, Delivery, Event, Kind, Nic, Register, Sent, Transmitted};
use respray_golden::selector::SendKind;
use respray_hdl::config::Config;
use serde_json::{Value, json};

use crate::describe::{Lane, Word};
use crate::error::{Code, Failure};

const TX_IN: u32 = 0;
const TX_OUT: u32 = 0;
const RX_OUT: u32 = 1;

/// Code of no [`SendKind`].
const NO_EV: u64 = 3;

/// The block that joins the cores.
pub struct NicModel {
    nic: Nic,
    lanes: [Vec<Lane>; 2],
    /// What was looked at, and not taken yet, of each output.
    shown: [VecDeque<(Vec<u8>, Vec<u64>)>; 3],
    config: Config,
}

impl NicModel {
    pub fn new(config: Config) -> NicModel {
        let record = RewriteRx::new(&config, Default::default());
        let record = &record.ports().records[0].fields[..meta_fields(&Default::default()).len()];
        let mut beside: Vec<(&str, u32)> =
            record.iter().map(|(name, bits)| (name.strip_prefix("meta_").unwrap_or(name), *bits)).collect();
        beside.push(("status", 3));
        let mut tx_out = Lane::of("tx_out", &[("user", 1)]);
        let what =
            "0 a frame of the host as it came, 1 data, 2 data that was sent before, 3 a probe, 4 a SACK";
        tx_out.words.push(Word::new("sent", 3, what));
        tx_out.words.push(Word::new(
            "ev_kind",
            2,
            "where its EV came from: 0 explore, 1 recycle, 2 replay, 3 it has none",
        ));
        let event = [
            ("kind", 4),
            ("after_loss", 1),
            ("conn", 24),
            ("psn", 32),
            ("detail", 16),
            ("in_flight", 16),
            ("value", 32),
        ];
        let lanes = [
            vec![Lane::of("tx_in", &[("user", 1)]), Lane::of("rx_in", &[("bad", 1)])],
            vec![tx_out, Lane::of("rx_out", &beside), Lane::of("event", &event)],
        ];
        NicModel { nic: Nic::new(golden(&config)), lanes, shown: Default::default(), config }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn lanes(&self) -> [&[Lane]; 2] {
        [&self.lanes[0], &self.lanes[1]]
    }

    /// The registers: name, address, access, width, reset value, allowed values, meaning.
    pub fn registers(&self) -> Value {
        let access = |access| match access {
            Access::ReadOnly => "read-only",
            Access::ReadWrite => "read-write",
            Access::WriteOnly => "write-only",
        };
        let register = |register: &Register| {
            json!({
                "name": register.name,
                "address": register.address,
                "access": access(register.access),
                "bits": register.width,
                "reset": register.reset,
                "allowed": [register.allowed.start(), register.allowed.end()],
                "meaning": register.meaning,
            })
        };
        self.nic.registers().iter().map(register).collect()
    }

    /// Names of the kinds of event, in the order of their codes.
    pub fn event_kinds(&self) -> Value {
        let name = |kind: &Kind| {
            let mut name = String::new();
            for letter in format!("{kind:?}").chars() {
                if letter.is_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.push(letter.to_ascii_lowercase());
            }
            name
        };
        Kind::ALL.iter().map(name).collect()
    }

    /// As after `rst`.
    pub fn reset(&mut self) {
        self.nic = Nic::new(golden(&self.config));
        self.shown = Default::default();
    }

    /// A frame on `tx_in` or `rx_in`; the row beside it was checked.
    ///
    /// # Errors
    /// [`Code::Full`] while `tx_in` pauses.
    pub fn push(&mut self, input: u32, frame: Vec<u8>, beside: &[u64]) -> Result<(), Failure> {
        let is_marked = beside[0] != 0;
        if input != TX_IN {
            self.nic.receive(frame, is_marked);
            return Ok(());
        }
        self.nic.offer_with(frame, is_marked).map_err(|_| {
            Failure::new(Code::Full, "`tx_in` pauses: take the frames that wait at `tx_out` first")
        })
    }

    /// What the block shows next at an output.
    fn show(&mut self, output: u32) -> Option<(Vec<u8>, Vec<u64>)> {
        match output {
            TX_OUT => self.nic.transmit().map(transmitted),
            RX_OUT => self.nic.deliver().map(delivered),
            _ => self.nic.event().map(told),
        }
    }

    /// How many frames or events wait at an output. The block has handed them out then, and has room for others.
    pub fn due(&mut self, output: u32) -> usize {
        while let Some(shown) = self.show(output) {
            self.shown[output as usize].push_back(shown);
        }
        self.shown[output as usize].len()
    }

    pub fn next(&mut self, output: u32) -> Option<&(Vec<u8>, Vec<u64>)> {
        if self.shown[output as usize].is_empty() {
            let shown = self.show(output);
            self.shown[output as usize].extend(shown);
        }
        self.shown[output as usize].front()
    }

    pub fn drop_next(&mut self, output: u32) {
        self.shown[output as usize].pop_front();
    }

    /// Clock cycles since the reset.
    pub fn cycles(&self) -> u64 {
        self.nic.cycles()
    }

    /// Time goes on to a clock cycle.
    ///
    /// # Errors
    /// [`Code::Value`] for one that is past.
    pub fn advance(&mut self, cycles: u64) -> Result<(), Failure> {
        let now = self.nic.cycles();
        if cycles < now {
            return Err(Failure::new(Code::Value, format!("the clock shows {now}, past {cycles}")));
        }
        self.nic.advance(cycles);
        Ok(())
    }

    /// Reads a register.
    ///
    /// # Errors
    /// [`Code::Refused`].
    pub fn read(&mut self, address: u32) -> Result<u32, Failure> {
        self.nic.read(address).map_err(|error| Failure::new(Code::Refused, error.to_string()))
    }

    /// Writes a register.
    ///
    /// # Errors
    /// [`Code::Refused`].
    pub fn write(&mut self, address: u32, value: u32) -> Result<(), Failure> {
        self.nic.write(address, value).map_err(|error| Failure::new(Code::Refused, error.to_string()))
    }

    /// Address of a register.
    ///
    /// # Errors
    /// [`Code::Missing`].
    pub fn address(&self, name: &str) -> Result<u32, Failure> {
        let missing = || Failure::new(Code::Missing, format!("there is no register `{name}`"));
        self.nic.address(name).ok_or_else(missing)
    }

    /// Writes a register by its name.
    ///
    /// # Errors
    /// [`Code::Missing`], [`Code::Value`], [`Code::Refused`].
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), Failure> {
        let address = self.address(name)?;
        let value = u32::try_from(value).map_err(|_| {
            Failure::new(Code::Value, format!("`{name}` is {value}; allowed: 0 to {}", u32::MAX))
        })?;
        self.write(address, value)
    }
}

fn transmitted(Transmitted { frame, user, sent }: Transmitted) -> (Vec<u8>, Vec<u64>) {
    let of = |kind: SendKind| u64::from(kind.code());
    let (code, ev_kind) = match sent {
        Sent::Other => (0, NO_EV),
        Sent::Data { again, kind } => (1 + u64::from(again), of(kind)),
        Sent::Probe { kind } => (3, of(kind)),
        Sent::Sack => (4, NO_EV),
    };
    (frame, vec![user.into(), code, ev_kind])
}

fn delivered(delivery: Delivery) -> (Vec<u8>, Vec<u64>) {
    let status = delivery.status_code().into();
    let beside = meta_fields(&delivery.record).into_iter().chain([status]).collect();
    (delivery.frame, beside)
}

fn told(event: Event) -> (Vec<u8>, Vec<u64>) {
    let Event { kind, after_loss, conn, psn, detail, in_flight, value } = event;
    let words = [
        kind.code().into(),
        after_loss.into(),
        conn.into(),
        psn.into(),
        detail.into(),
        in_flight.into(),
        value.into(),
    ];
    (Vec::new(), words.to_vec())
}
