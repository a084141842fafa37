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
    pub ev: usize,
    pub ecn: usize,
    pub res_valid: usize,
    pub res_kind: usize,
    pub res_ev: usize,
}

/// The result of a send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The EV.
    pub ev: u16,
    /// 0 explore, 1 recycle, 2 replay.
    pub kind: u64,
}

impl Ports {
    /// Of a contract.
    ///
    /// # Panics
    /// If that is not the contract of a path selector.
    pub fn of(contract: &Contract) -> Ports {
        let core = contract.core;
        let input = |name: &str| {
            let place = contract.op_fields().position(|field| field.port == name);
            place.unwrap_or_else(|| panic!("{core} has no port {name}"))
        };
        let output = |name: &str| {
            let place = contract.shown_fields().position(|field| field.port == name);
            place.unwrap_or_else(|| panic!("{core} has no port {name}"))
        };
        Ports {
            conn: input("op_conn"),
            ev: input("op_ev"),
            ecn: input("op_ecn"),
            res_valid: output("res_valid"),
            res_kind: output("res_kind"),
            res_ev: output("res_ev"),
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
