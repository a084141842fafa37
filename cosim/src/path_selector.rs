//! The ports of any path selector, by their names in its contract: what a network that chooses by EVs needs of one, whichever it is.

use respray_golden::selector::OpKind;
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Shown, Value, Words};

/// Codes of the kinds of op.
pub const SEND: u64 = OpKind::Send as u64;
pub const ACK: u64 = OpKind::Ack as u64;
pub const NACK: u64 = OpKind::Nack as u64;
pub const TIMEOUT: u64 = OpKind::Timeout as u64;
pub const INIT: u64 = OpKind::Init as u64;

/// Where the words stand that every selector has.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    pub conn: usize,
    /// What an ACK says of its packet, in a selector that goes by it.
    pub ev: Option<usize>,
    pub ecn: Option<usize>,
    pub res_valid: usize,
    pub res_kind: usize,
    pub res_ev: usize,
}

/// The result of a send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The EV.
    pub ev: u16,
    /// 0 explore, 1 recycle, 2 replay; of `flowcut` 0 new, 2 same, 3 wait.
    pub kind: u64,
}

impl Ports {
    /// Of a contract.
    ///
    /// # Panics
    /// If that is not the contract of a path selector.
    pub fn of(contract: &Contract) -> Ports {
        let core = contract.core;
        let output = |name: &str| {
            let place = contract.shown_fields().position(|field| field.port == name);
            place.unwrap_or_else(|| panic!("{core} has no port {name}"))
        };
        Ports {
            conn: input(contract, "op_conn").unwrap_or_else(|| panic!("{core} has no port op_conn")),
            ev: input(contract, "op_ev"),
            ecn: input(contract, "op_ecn"),
            res_valid: output("res_valid"),
            res_kind: output("res_kind"),
            res_ev: output("res_ev"),
        }
    }

    /// Says in an op the EV of an ACK's packet, and that this was marked.
    #[inline]
    pub fn say_ack<O: Words>(&self, op: &mut O, ev: u16, is_marked: bool) {
        if let Some(place) = self.ev {
            op.set(place, ev.into());
        }
        if let Some(place) = self.ecn {
            op.set(place, is_marked.into());
        }
    }

    /// What the outputs show of a send.
    pub fn sent<S: Shown>(&self, shown: &S) -> Option<Sent> {
        let (mut is_valid, mut sent) = (false, Sent::default());
        shown.each(|place, word, _| match place {
            place if place == self.res_valid => is_valid = word != 0,
            place if place == self.res_kind => sent.kind = word,
            place if place == self.res_ev => sent.ev = word as u16,
            _ => {}
        });
        is_valid.then_some(sent)
    }
}

/// Place of an input among the words of an op.
fn input(contract: &Contract, port: &str) -> Option<usize> {
    contract.op_fields().position(|field| field.port == port)
}

/// Where the words stand of a selector that counts bytes on their way and takes round-trip times.
#[derive(Clone, Copy, Debug)]
pub struct FlowPorts {
    bytes: usize,
    rtx: usize,
    recvd: usize,
    /// Place of a timestamp, and its largest value.
    timestamp: (usize, u64),
    class: usize,
}

impl FlowPorts {
    /// Of a contract, if it has them.
    pub fn of(contract: &Contract, config: &Config) -> Option<FlowPorts> {
        let timestamp = input(contract, "op_timestamp")?;
        let last = contract.op_fields().nth(timestamp)?.last(config);
        Some(FlowPorts {
            bytes: input(contract, "op_bytes")?,
            rtx: input(contract, "op_rtx")?,
            recvd: input(contract, "op_recvd")?,
            timestamp: (timestamp, last),
            class: input(contract, "op_class")?,
        })
    }

    /// Says it in an op: a send its bytes and whether it is a retransmission, an ACK the bytes received in all, when its packet was
    /// sent, and the class of its path.
    #[inline]
    pub fn say<O: Words>(
        &self,
        op: &mut O,
        bytes: u16,
        is_repeated: bool,
        recvd: u32,
        sent_at: u64,
        class: u8,
    ) {
        op.set(self.bytes, bytes.into());
        op.set(self.rtx, is_repeated.into());
        op.set(self.recvd, recvd.into());
        op.set(self.timestamp.0, sent_at & self.timestamp.1);
        op.set(self.class, class.into());
    }
}

/// What an op carries beside its kind, connection, EV and mark: settings as the contract has them by default, the time, and what a host
/// says of its window.
#[derive(Clone, Debug)]
pub struct Beside {
    words: Vec<(usize, u64)>,
    /// Place of the time, and its largest value.
    clock: Option<(usize, u64)>,
    /// Place of the window, and its largest value.
    window: Option<(usize, u64)>,
    /// Place of what only an ACK says.
    room: Option<usize>,
}

impl Beside {
    pub fn of(contract: &Contract, config: &Config) -> Beside {
        let settings = contract.driver_settings();
        let words = settings.map(|(place, _, setting)| (place, setting.default.of(config))).collect();
        let mut beside = Beside { words, clock: None, window: None, room: None };
        for (place, field) in contract.op_fields().enumerate() {
            match (field.value, field.port) {
                (Value::Now, _) => beside.clock = Some((place, field.last(config))),
                (_, "op_cwnd_packets") => beside.window = Some((place, field.last(config))),
                (_, "op_room") => beside.room = Some(place),
                _ => {}
            }
        }
        beside
    }

    /// Gives a setting of that name another value. A selector that has no such setting does not care.
    pub fn set(&mut self, contract: &Contract, name: &str, value: u64) {
        for (place, ..) in contract.driver_settings().filter(|(_, field, _)| field.name == name) {
            let of_place = self.words.iter_mut().filter(|(of, _)| *of == place);
            of_place.for_each(|(_, word)| *word = value);
        }
    }

    /// Says it in an op at time `now`, with a window of so many packets. `room`: the window lets a packet go.
    #[inline]
    pub fn say<O: Words>(&self, op: &mut O, now: u64, window_packets: u64, room: bool) {
        self.words.iter().for_each(|&(place, word)| op.set(place, word));
        if let Some((place, last)) = self.clock {
            op.set(place, now & last);
        }
        if let Some((place, last)) = self.window {
            op.set(place, window_packets.min(last));
        }
        if let Some(place) = self.room {
            op.set(place, u64::from(room && op.get(0) == ACK));
        }
    }
}
