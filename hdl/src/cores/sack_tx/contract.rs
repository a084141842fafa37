//! What the sender's scoreboard promises.

use super::super::sizes::of_sack;
use super::{fast, small};
use crate::config::{Config, SackEngine};
use crate::contract;
use crate::contract::{Base, Default, ExpectWord, Timing, TraceForm, Value, bits, field, flag, sized};
use crate::cycles::Cycles;
use crate::manifest::Memory;

/// Op kinds, a bit for each code.
const SENT: u8 = 1 << 0;
const SACK: u8 = 1 << 1;
const INIT: u8 = 1 << 3;

contract! {
    /// The sender's scoreboard.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(3, "0 sent, 1 sack, 2 next_rtx, 3 init, 4 read, 5 close; 6 and 7 are reserved and do what read does");
            conn: u16 = field::connection();
            psn: u32 = field::psn("sent: the packet's PSN; init: first PSN").used_by(SENT | INIT);
            bytes: u16 = bits(16, "sent: payload").used_by(SENT);
        }
        "Operations: fields of a SACK" {
            epsn: u32 = field::psn("next PSN that the receiver expects in order").used_by(SACK);
            base: u32 =
                field::psn("PSN of bit 0 of the bitmap, a multiple of 64").is(Value::SegmentBase).used_by(SACK);
            bitmap: u64 = bits(64, "bit i: PSN base + i was received; below EPSN it says nothing")
                .is(Value::Bitmap).spelt(Base::Hexadecimal).used_by(SACK);
            ooo: u16 = bits(12, "packets that the receiver holds beyond EPSN").used_by(SACK);
            bytes_recvd: u32 = bits(32, "bytes received without duplicates, mod 2^32").used_by(SACK);
            timestamp: u16 = bits(16, "echoed: when the packet was sent").is(Value::Timestamp).used_by(SACK);
            probe: bool = flag("it answers a probe").used_by(SACK);
        }
    }
    settings "Settings, sampled with the op, or where a visit begins; times in ticks of the caller's" {
        now: u16 = bits(16, "the time").is(Value::Now);
        cwnd_packets: u16 = bits(12, "window: rule 1 needs more packets out of order, and than 5")
            .is(Value::Limit)
            .set_by_driver("N", "window in packets, which more packets out of order exceed at a loss", Default::Fixed(64));
        probe_timeout: u16 = bits(16, "time without a SACK until a probe is asked for")
            .is(Value::Limit)
            .set_by_driver("TICKS", "ticks of `now` without a SACK until a probe is due", Default::Fixed(300));
        probe_rtt: u16 = bits(16, "round-trip time of a probe up to which it proves loss, rule 2; below probe_timeout")
            .is(Value::Limit)
            .set_by_driver("TICKS", "round-trip time up to which a probe proves a loss", Default::Fixed(150));
        rto: u16 = bits(16, "time without progress until everything is lost, rule 3")
            .is(Value::Limit)
            .set_by_driver("TICKS", "ticks without progress until everything is lost", Default::Fixed(20_000))
            .recorded();
        rto_backoff_max: u8 = bits(3, "times that timeouts in a row may double rto, 0 to 7; it stays below 2^16")
            .set_by_driver("N", "times that timeouts in a row may double the RTO", Default::Fixed(0));
    }

    /// What the outputs show.
    shown Shown {
        "Results of ops, in order" {
            res_valid: bool = flag("one pulse per op but init");
            res_conn: Option<u16> = field::of_connection("its connection, or that of an event");
            res_status: Option<u8> = bits(3, "0 done, 7 connection not initialised, or closed; sent: 1 sent before, 2 a PSN was left \
                out, 3 window full; sack: 1 old, 2 EPSN never sent, 3 bad base, 4 a PSN never sent, 5 EPSN shown as \
                received; next_rtx: 1 nothing to retransmit").expected_as("status");
            res_psn: Option<u32> = field::psn("next_rtx: PSN to retransmit; read, close, and with probe_due: snd_una")
                .expected_as("psn");
            res_snd_nxt: Option<u32> = field::psn("read, close: next PSN to be sent for the first time").expected_as("snd_nxt");
            res_acked: Option<u16> = sized(count_bits, "sack: PSNs newly acknowledged, 0 to {}")
                .number(|config| config.sack.window).expected_as("acked");
            res_in_flight: Option<u16> =
                sized(count_bits, "packets sent, not acknowledged, not claimed for retransmission; 0 to {}")
                    .number(|config| config.sack.window).expected_as("in_flight");
            res_bytes_in_flight: Option<u32> = bits(32, "bytes sent less bytes received").expected_as("bytes_in_flight");
            res_bytes_acked: Option<u32> =
                bits(20, "sack with status 0: bytes newly acknowledged, by which those in flight fell; 2^20 - 1 for all above")
                    .expected_as("bytes_acked");
            res_in_recovery: Option<bool> = flag("in recovery after the op, of close before it").expected_as("in_recovery");
            res_rtt_valid: bool = flag("one pulse per sack with status 0: res_rtt is a sample").expected_as("rtt_valid");
            res_rtt: Option<u16> = bits(16, "sack: round-trip time, now less the echoed timestamp").expected_as("rtt");
        }
        "Events, one pulse each: of a SACK with its result, of a visit where its result would be" {
            loss_ooo: bool = flag("recovery entered: too many packets out of order, rule 1").expected_as("loss_ooo");
            loss_probe: bool =
                flag("recovery entered or started anew: a probe came back, rule 2").expected_as("loss_probe");
            loss_timeout: bool =
                flag("recovery entered or started anew: no progress, rule 3; the timeout of reps");
            probe_due: bool = flag("a probe is to be sent");
            recovery_left: bool = flag("all of the range was acknowledged").expected_as("recovery_left");
        }
    }

    classes Class { init, sent, sack, sack_refused, next_rtx, read, close, visit }

    core: "sack_tx",
    about: "the sender's scoreboard. Which packets are acknowledged, which are lost, and when to ask.",
    source: |_| "004 (STrack) section 3.3.2; window of 256 as in 001 (REPS) section 4.1",
    sizes: sizes,
    keys: &["connections", "sack.window", "sack.psn_bits", "sack.engine", "sack.acks"],
    reset: "no connection is initialised after it",
    ready: "an op can be taken; a visit begins where none is",
    kinds: &["sent", "sack", "next_rtx", "init", "read", "close"],
    seed: None,
    counts: &["cum_segments", "base_segment", "search_segments"],
    timing: timing,
    memories: memories,
    trace: TraceForm {
        time: Some("now"),
        beside: None,
        seed: None,
        needed: 3,
        written: 3,
        expects_of: "an op with a result",
        expecting_kinds: !INIT,
        words: &[
            ExpectWord { word: "done", phrase: "done", port: "res_status", allowed: 1, needs: &[], only_counted: false },
            ExpectWord { word: "refused", phrase: "refused", port: "res_status", allowed: 0b1111_1110, needs: &[], only_counted: false },
        ],
    },
}

/// Bits of a number of packets, 0 to a whole window.
fn count_bits(config: &Config) -> u32 {
    config.sack.window.trailing_zeros() + 1
}

/// How many cycles ops and visits of an engine take. The other classes take the same in both.
struct Pace {
    /// PSNs of the acked bitmap that are walked over a cycle.
    walked_psns: u32,
    /// A SACK that acknowledges nothing in order; `next_rtx` beyond its walk; the events of a visit.
    sack: u32,
    next_rtx: u32,
    visit: u32,
    /// From a packet sent, `read` or `close`, and from the beginning of a visit, until what follows may begin.
    sent_interval: u32,
    visit_interval: u32,
}

const SMALL: Pace = Pace {
    walked_psns: small::WALKED_PSNS,
    sack: 17,
    next_rtx: 9,
    visit: 8,
    sent_interval: SENT_LATENCY,
    visit_interval: 8,
};
const FAST: Pace = Pace {
    walked_psns: fast::WALKED_PSNS,
    sack: 13,
    next_rtx: 7,
    visit: 7,
    sent_interval: 5,
    visit_interval: 6,
};

/// Cycles until the result of a packet sent, of `read` or of `close`.
const SENT_LATENCY: u32 = 7;

impl Pace {
    fn of(config: &Config) -> &'static Pace {
        match config.sack.engine {
            SackEngine::Small => &SMALL,
            SackEngine::Fast => &FAST,
        }
    }

    fn sack(&self) -> Cycles {
        Cycles::growing(self.sack, self.walk(64), "cum_segments")
    }

    fn next_rtx(&self, config: &Config) -> u32 {
        self.walk(config.sack.window) + self.next_rtx
    }

    fn init(&self, config: &Config) -> u32 {
        self.walk(config.sack.window) + 5
    }

    /// Cycles of a walk over so many PSNs.
    fn walk(&self, psns: u32) -> u32 {
        psns / self.walked_psns
    }
}

fn timing(config: &Config) -> Timing {
    let pace = Pace::of(config);
    let per_class = |sent: u32, visit: u32| {
        vec![
            ("sent", sent.into()),
            ("sack", pace.sack()),
            ("sack_refused", 11.into()),
            ("next_rtx", pace.next_rtx(config).into()),
            ("read", sent.into()),
            ("close", sent.into()),
            ("visit", visit.into()),
        ]
    };
    let mut interval = per_class(pace.sent_interval, pace.visit_interval);
    interval.push(("init", pace.init(config).into()));
    Timing {
        // until the result, and of a visit until its events
        latency: per_class(SENT_LATENCY, pace.visit),
        interval,
        same_connection: vec![],
        stalls: vec![
            "reset: op_ready is low until every connection is marked as not initialised",
            match config.sack.engine {
                SackEngine::Small => {
                    "op: op_ready is low until the op is done; the next one may be taken at the edge of its result"
                }
                SackEngine::Fast => {
                    "op: op_ready is low until the next op can be taken, which is before the result of sent, read and close"
                }
            },
            "visit: begins at every edge at which an op could be taken and none is, and after 16 ops in a row in place of \
             the next; op_ready is low until it is done",
        ],
        reset_cycles: config.connections,
    }
}

fn memories(config: &Config) -> Vec<Memory> {
    let connections = config.connections;
    let place_bits = count_bits(config);
    let word = Pace::of(config).walked_psns;
    vec![
        Memory::block(
            "sack_tx_control_ram",
            connections,
            config.sack.psn_bits + 3 + 5 * place_bits,
            "state of a connection: its PSNs, packets in flight, recovery",
        ),
        Memory::block(
            "sack_tx_acked_ram",
            connections * config.sack.window / word,
            word,
            &format!("{word} PSNs of a connection: whether they are acknowledged"),
        ),
        Memory::block(
            "sack_tx_bytes_ram",
            connections * 4,
            16,
            "half a count of a connection: bytes sent, bytes in flight",
        ),
        Memory::block(
            "sack_tx_times_ram",
            connections * 2,
            19,
            "a time of a connection: when EPSN moved, with the timeouts in a row since; when a SACK was taken",
        ),
    ]
}

fn sizes(config: &Config) -> String {
    let pace = Pace::of(config);
    let engine = match config.sack.engine {
        SackEngine::Small => "",
        SackEngine::Fast => ", sack.engine = fast",
    };
    format!(
        "{}{engine}
A packet sent takes {} cycles, a SACK {}, and {} more per 64 PSNs that it acknowledges, a retransmission {}.
Ready {} clock edges after reset.",
        of_sack(config),
        pace.sent_interval,
        pace.sack,
        pace.walk(64),
        pace.next_rtx(config),
        config.connections,
    )
}
