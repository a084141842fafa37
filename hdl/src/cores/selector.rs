//! What every path selector promises: a send asks for an EV, what comes back from the network says how EVs fared.
//!
//! A selector's contract is [`SELECTOR`] with its own name, settings and events. All selectors have one struct for their ops
//! and one for what they show, so that generators, listeners and traces serve each of them.

use crate::config::{Config, Selector};
use crate::contract::{
    Contract, ExpectWord, Field, Group, Scalar, Shown, ShownValue, Timing, TraceForm, Value, Words, bits,
    field, flag, sized,
};
use crate::cycles::Cycles;
use crate::parts::LATENCY_CYCLES;

/// Code of the op kind `send`.
pub const SEND: u8 = 0;
/// Code of the op kind `ack`.
pub const ACK: u8 = 1;
/// Code of the op kind `nack`.
pub const NACK: u8 = 2;
/// Code of the op kind `timeout`.
pub const TIMEOUT: u8 = 3;
/// Code of the op kind `init`.
pub const INIT: u8 = 4;

/// Heading of what is sampled with every op.
pub const SETTINGS: &str = "Settings, sampled with the op";
/// Heading of the events.
pub const EVENTS: &str = "Events, at the same latency: one-cycle pulses of connection res_conn";

/// Words of an op before the selector's own: kind, connection, EV, ECN mark.
pub const COMMON_WORDS: usize = 4;
/// Most words of an op that are a selector's own.
pub const MORE_WORDS: usize = 5;
/// Words of a result before the events: valid, connection, kind, EV.
pub const RESULT_WORDS: usize = 4;
/// Most events of a selector.
pub const MOST_EVENTS: usize = 5;

/// One op as it stands at the ports of any selector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectorOp {
    /// Port `op_kind`: 0 send, 1 ack, 2 nack, 3 timeout, 4 init, 5 to 7 reserved.
    pub kind: u8,
    /// Port `op_ecn`.
    pub ecn: bool,
    /// Port `op_conn`.
    pub conn: u16,
    /// Port `op_ev`.
    pub ev: u16,
    /// The selector's own fields and settings in the order of its contract.
    pub more: [u32; MORE_WORDS],
}

/// What a selector shows of an op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectorShown {
    pub res_valid: bool,
    pub res_conn: Option<u16>,
    pub res_kind: Option<u8>,
    pub res_ev: Option<u16>,
    /// The events, bit 0 the first one of the contract.
    pub events: u8,
}

impl Words for SelectorOp {
    #[inline(always)]
    fn get(&self, place: usize) -> u64 {
        match place {
            0 => self.kind.word(),
            1 => self.conn.word(),
            2 => self.ev.word(),
            3 => self.ecn.word(),
            _ => self.more[place - COMMON_WORDS].word(),
        }
    }

    #[inline]
    fn set(&mut self, place: usize, value: u64) {
        match place {
            0 => self.kind = Scalar::of(value),
            1 => self.conn = Scalar::of(value),
            2 => self.ev = Scalar::of(value),
            3 => self.ecn = Scalar::of(value),
            _ => self.more[place - COMMON_WORDS] = Scalar::of(value),
        }
    }

    #[inline(always)]
    fn each(&self, mut heard: impl FnMut(usize, u64)) {
        heard(0, self.kind.word());
        heard(1, self.conn.word());
        heard(2, self.ev.word());
        heard(3, self.ecn.word());
        self.more.iter().enumerate().for_each(|(place, word)| heard(COMMON_WORDS + place, word.word()));
    }
}

impl Shown for SelectorShown {
    #[inline(always)]
    fn each(&self, mut heard: impl FnMut(usize, u64, bool)) {
        let mut hear = |place, (word, is_promised): (u64, bool)| heard(place, word, is_promised);
        hear(0, self.res_valid.shown());
        hear(1, self.res_conn.shown());
        hear(2, self.res_kind.shown());
        hear(3, self.res_ev.shown());
        for event in 0..MOST_EVENTS {
            hear(RESULT_WORDS + event, (self.events >> event & 1 != 0).shown());
        }
    }

    #[inline]
    fn seen(mut word: impl FnMut(usize) -> u64) -> Self {
        let (res_valid, res_conn) = (bool::seen(word(0)), Option::seen(word(1)));
        let (res_kind, res_ev) = (Option::seen(word(2)), Option::seen(word(3)));
        let events = (0..MOST_EVENTS)
            .fold(0, |events, event| events | (word(RESULT_WORDS + event) as u8 & 1) << event);
        SelectorShown { res_valid, res_conn, res_kind, res_ev, events }
    }
}

/// Heading of the results.
pub const RESULTS: &str = "Results of sends, one fixed latency after the op";

/// A send has its result.
pub const VALID: Field = flag("one pulse per send").at("res_valid");
/// The connection of the result, in a selector without events.
pub const CONNECTION: Field = field::of_connection("connection of the op that leaves").at("res_conn");
/// The chosen EV.
pub const EV: Field = bits(16, "EV for the packet").expected_as("ev").at("res_ev");

/// How the EV was found, as this selector means it.
pub const fn kind(meaning: &'static str) -> Field {
    bits(2, meaning).at("res_kind")
}

/// The connection of the result, in a selector with events.
pub const CONNECTION_OF_EVENTS: Field =
    field::of_connection("connection of the op that leaves, also valid with every event").at("res_conn");

/// The group of what a send gives, under one of the headings: which connection it is, and how the EV was found as this selector means it.
macro_rules! results {
    ($heading:ident, $connection:ident, $kind:literal) => {
        $crate::contract::Group {
            heading: $crate::cores::selector::$heading,
            fields: &[
                $crate::cores::selector::VALID,
                $crate::cores::selector::$connection,
                $crate::cores::selector::kind($kind),
                $crate::cores::selector::EV,
            ],
        }
    };
}
pub(crate) use results;

/// The event of a selector whose words have parity, the last one of its contract.
pub const STATE_LOST: Field = state_lost(|config| config.has_parity().into());

/// The same with the configurations in which it is there: a width of 1, else 0.
pub const fn state_lost(bits: fn(&Config) -> u32) -> Field {
    let meaning = "a bit of a stored word of the connection had flipped: the connection started anew, before this op or behind it";
    sized(bits, meaning).at("state_lost")
}

/// The events of a selector that has no other one.
pub const LOSS: Group = Group { heading: EVENTS, fields: &[STATE_LOST] };

/// Bits of a word that is stored, with its parity bit if it has one.
pub fn stored_bits(bits: u32, config: &Config) -> u32 {
    bits + u32::from(config.has_parity())
}

/// The time of the op, in a selector with times.
pub const NOW: Field = sized(time_bits, "time in ticks, wraps").is(Value::Now).at("now");

/// Width of the times.
pub fn time_bits(config: &Config) -> u32 {
    config.selector.time_bits
}

/// `usual` ticks; with short times, the longest limit that is not past at once, if that is less.
pub fn ticks(usual: u64, config: &Config) -> u64 {
    (((1 << time_bits(config)) - 1) / 2).min(usual)
}

/// The contract of a pipelined selector without times and settings; a selector fills in what is empty.
pub const SELECTOR: Contract = Contract {
    core: "",
    about: "",
    source: |_| "",
    sizes: |_| String::new(),
    keys: &["connections", "selector.ev_base", "selector.ev_bits", "protect"],
    reset: "every connection starts anew, ops in flight are lost",
    ready: "low only from reset until the memories are cleared",
    kinds: &["send", "ack", "nack", "timeout", "init"],
    ops: &[Group {
        heading: "Operations: one is taken at a rising edge with op_valid and op_ready high",
        fields: &[
            bits(3, "0 send, 1 ack, 2 nack (trimmed packet), 3 timeout (failure detected), 4 init; others change nothing")
                .named("op_kind", "kind"),
            field::connection().named("op_conn", "conn"),
            bits(16, "EV that the ACK returns").needed_by(1 << ACK).named("op_ev", "ev"),
            flag("the ACK says that its packet was marked (CE)").used_by(1 << ACK).named("op_ecn", "ecn"),
        ],
    }],
    settings: Group { heading: SETTINGS, fields: &[] },
    seed: Some("seed of the random EVs; hold it from reset until op_ready"),
    shown: &[],
    classes: &["op"],
    counts: &[],
    timing: pipelined,
    memories: |_| Vec::new(),
    trace: TraceForm {
        time: Some("time_ns"),
        beside: None,
        seed: Some("ev"),
        needed: 3,
        written: 7,
        expects_of: "a send",
        expecting_kinds: 1 << SEND,
        words: &[
            ExpectWord { word: "cached", phrase: "cached", port: "res_kind", allowed: 0b110, needs: &["ev"], only_counted: false },
            ExpectWord { word: "explore", phrase: "explore", port: "res_kind", allowed: 0b001, needs: &[], only_counted: false },
            ExpectWord { word: "recycle", phrase: "recycle", port: "res_kind", allowed: 0b010, needs: &["ev"], only_counted: false },
            ExpectWord { word: "replay", phrase: "replay", port: "res_kind", allowed: 0b100, needs: &["ev"], only_counted: false },
        ],
    },
};

/// An op a cycle, for any order of connections.
fn pipelined(config: &Config) -> Timing {
    Timing {
        latency: vec![("op", LATENCY_CYCLES.into())],
        interval: vec![("op", 1.into())],
        same_connection: vec![],
        stalls: vec!["reset: op_ready is low until the memories are cleared; nothing stalls later"],
        reset_cycles: config.connections,
    }
}

/// The contract of a selector that works on one op at a time; it fills in what [`SELECTOR`] leaves empty, its classes and its timing.
pub const WALKING: Contract = Contract { ready: "an op can be taken", ..SELECTOR };

/// Heading of its results.
pub const RESULTS_WHEN_DONE: &str = "Results of sends, when the op is done";

/// Its timing: so many cycles for the ops of each class, until the result and until the next op.
pub fn walking(cycles: Vec<(&'static str, Cycles)>, config: &Config) -> Timing {
    Timing {
        latency: cycles.clone(),
        interval: cycles,
        same_connection: vec![],
        stalls: vec![
            "reset: op_ready is low until the memory of states is cleared",
            "op: op_ready is low until the op is done; the next one may be taken at the edge of its result",
        ],
        reset_cycles: config.connections,
    }
}

/// The key and its value at the head of the Verilog, followed by a comma and a space, where words have parity.
pub fn parity(config: &Config) -> &'static str {
    if config.has_parity() { "protect = parity, " } else { "" }
}

/// The last lines at the head of the Verilog of a pipelined selector: its sizes and how long it takes. `keys` are the
/// selector's own keys and their values, each followed by a comma and a space.
pub fn sizes(keys: &str, config: &Config) -> String {
    let Selector { ev_base, ev_bits, .. } = config.selector;
    let parity = parity(config);
    format!(
        "connections = {}, {keys}{parity}EVs {ev_base} + random(2^{ev_bits})
One op a cycle, results {LATENCY_CYCLES} clock edges later, ready {} clock edges after reset.",
        config.connections, config.connections,
    )
}
