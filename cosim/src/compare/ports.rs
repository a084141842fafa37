//! The ports of any path selector, by their names in its contract.

use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Shown, Value, Words};

/// Codes of the kinds of op.
pub(super) const SEND: u64 = 0;
pub(super) const ACK: u64 = 1;

/// Where the words stand that every selector has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ports {
    pub conn: usize,
    pub ev: usize,
    pub ecn: usize,
    res_valid: usize,
    res_kind: usize,
    res_ev: usize,
}

/// The result of a send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
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

/// What an op carries beside its kind, connection, EV and mark: settings as the contract has them, and what a host says that has a
/// window of so many packets, in which each ACK makes room for one.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    words: Vec<(usize, u64)>,
    /// Place of the time, and its largest value.
    clock: Option<(usize, u64)>,
    /// Place of what only an ACK says.
    room: Option<usize>,
}

impl Beside {
    pub fn of(contract: &Contract, window: u32, config: &Config) -> Beside {
        let settings = contract.driver_settings();
        let mut words: Vec<(usize, u64)> =
            settings.map(|(place, _, setting)| (place, setting.default.of(config))).collect();
        let mut beside = Beside { words: Vec::new(), clock: None, room: None };
        for (place, field) in contract.op_fields().enumerate() {
            match (field.value, field.port) {
                (Value::Now, _) => beside.clock = Some((place, field.last(config))),
                (_, "op_cwnd_packets") => words.push((place, u64::from(window).min(field.last(config)))),
                (_, "op_room") => beside.room = Some(place),
                _ => {}
            }
        }
        Beside { words, ..beside }
    }

    pub fn say<O: Words>(&self, op: &mut O, now: u64) {
        self.words.iter().for_each(|&(place, word)| op.set(place, word));
        if let Some((place, last)) = self.clock {
            op.set(place, now & last);
        }
        if let Some(place) = self.room {
            op.set(place, u64::from(op.get(0) == ACK));
        }
    }
}
