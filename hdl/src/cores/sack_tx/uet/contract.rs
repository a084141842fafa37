//! What the scoreboard of Ultra Ethernet promises.

use super::super::super::sizes::of_sack;
use crate::config::Config;
use crate::contract;
use crate::contract::{Base, Default, ExpectWord, Timing, TraceForm, Value, bits, field, flag, sized};
use crate::cycles::Cycles;
use crate::manifest::Memory;

/// Op kinds, a bit for each code.
const SENT: u8 = 1 << 0;
const ACK: u8 = 1 << 1;
const INIT: u8 = 1 << 3;
const NACK: u8 = 1 << 6;

contract! {
    /// The sender's scoreboard with `sack.acks` = uet.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(3, "0 sent, 1 ack, 2 next_rtx, 3 init, 4 read, 5 close, 6 nack; 7 is reserved and does what read does");
            conn: u16 = field::connection();
            psn: u32 = field::psn("sent: the packet's PSN; ack: PSN that it answers; init: first PSN; nack: PSN that it refuses")
                .used_by(SENT | ACK | INIT | NACK);
            bytes: u16 = bits(16, "sent: size, as the receiver counts it").used_by(SENT);
            ordered: bool = flag("init: packets must come in order (ROD)").used_by(INIT);
            code: u8 = bits(8, "nack: its code").used_by(NACK);
            mpr: u8 = bits(8, "ack with op_has_sack: maximum PSN range in 128 PSNs, 0 any; init: the same until an ACK says it")
                .used_by(ACK | INIT);
        }
        "Operations: fields of an ACK" {
            cum_next: u32 = field::psn("PSN behind the cumulative one: all below were received and cleared").used_by(ACK);
            probe: bool = flag("it answers a probe: op_psn says nothing").used_by(ACK);
            has_sack: bool = flag("it has op_mpr, op_base and op_bitmap").used_by(ACK);
            base: u32 = field::psn("PSN of bit 0 of the bitmap").used_by(ACK);
            bitmap: u64 = bits(64, "bit i: PSN base + i was received; a clear bit says nothing")
                .is(Value::Bitmap).spelt(Base::Hexadecimal).used_by(ACK);
            has_state: bool = flag("it has op_rcvd and op_ooo").used_by(ACK);
            rcvd: u32 = bits(24, "bytes received in units of 256, mod 2^24").used_by(ACK);
            ooo: u16 = bits(12, "packets held out of order").used_by(ACK);
            timestamp: u16 = bits(16, "when what it answers left").is(Value::Timestamp).used_by(ACK);
        }
    }
    settings "Settings, sampled with the op, or where a visit begins; times in ticks of the caller's" {
        now: u16 = bits(16, "the time").is(Value::Now);
        ooo_packets: u16 = bits(12, "packets out of order from which rule 1 holds what lacks for lost; at least 5 count")
            .is(Value::Limit)
            .set_by_driver("N", "packets out of order from which there is a loss", Default::Fixed(64));
        probe_timeout: u16 = bits(16, "time without an ACK until a probe is asked for")
            .is(Value::Limit)
            .set_by_driver("TICKS", "ticks of `now` without an ACK until a probe is due", Default::Fixed(300));
        probe_rtt: u16 = bits(16, "round-trip time of a probe up to which it proves loss, rule 2; below probe_timeout")
            .is(Value::Limit)
            .set_by_driver("TICKS", "round-trip time up to which a probe proves a loss", Default::Fixed(150));
        rto: u16 = bits(16, "time without progress until what left at least half of it ago is lost, rule 3")
            .is(Value::Limit)
            .set_by_driver("TICKS", "ticks without progress until what left long enough ago is lost", Default::Fixed(20_000))
            .recorded();
        rto_backoff_max: u8 = bits(3, "times that timeouts in a row may double rto, 0 to 7; it stays below 2^16")
            .set_by_driver("N", "times that timeouts in a row may double the RTO", Default::Fixed(0));
        rules: u8 = bits(2, "bit 0: rule 1 is on; bit 1: rule 2 is")
            .set_by_driver("N", "1: rule 1 is on, 2: rule 2 is, 3: both are", Default::Fixed(0));
        max_rto_retx: u8 = bits(4, "timeouts in a row that are borne; 15: any number")
            .set_by_driver("N", "timeouts in a row that are borne, 15 for any number", Default::Fixed(5));
    }

    /// What the outputs show.
    shown Shown {
        "Results of ops, in order" {
            res_valid: bool = flag("one pulse per op but init");
            res_conn: Option<u16> = field::of_connection("its connection, or that of an event");
            res_status: Option<u8> = bits(3, "0 done, 7 connection not initialised, or closed; sent: 1 sent before, 2 a PSN was left \
                out, 3 as many as window or MPR allow; ack: 1 taken, but overtaken, 2 cumulative PSN never sent, 4 it names a PSN \
                never sent; next_rtx: 1 nothing to retransmit; nack: 1 not outstanding").expected_as("status");
            res_psn: Option<u32> =
                field::psn("next_rtx, and with retransmit: PSN to retransmit; ack: snd_una after it; read, close, and with probe_due or ack_request: snd_una")
                    .expected_as("psn");
            res_snd_nxt: Option<u32> = field::psn("read, close, and with probe_due: next PSN to be sent for the first time")
                .expected_as("snd_nxt");
            res_acked: Option<u16> = sized(count_bits, "ack: PSNs newly acknowledged, 0 to {}")
                .number(|config| config.sack.window).expected_as("acked");
            res_in_flight: Option<u16> =
                sized(count_bits, "packets sent, not acknowledged, not claimed for retransmission; 0 to {}")
                    .number(|config| config.sack.window).expected_as("in_flight");
            res_bytes_in_flight: Option<u32> =
                bits(32, "bytes sent less bytes received, 0 if that is less").expected_as("bytes_in_flight");
            res_bytes_acked: Option<u32> =
                bits(32, "ack that is taken: bytes that the receiver's count grew by").expected_as("bytes_acked");
            res_in_recovery: Option<bool> = flag("in recovery after the op, of close before it").expected_as("in_recovery");
            res_rtt_valid: bool = flag("one pulse per ack that is taken: res_rtt is a sample").expected_as("rtt_valid");
            res_rtt: Option<u16> = bits(16, "ack: round-trip time, now less the timestamp").expected_as("rtt");
        }
        "Events, one pulse each: of an op with its result, of a visit where its result would be" {
            loss_ooo: bool = flag("recovery entered: too many packets out of order, rule 1").expected_as("loss_ooo");
            loss_probe: bool =
                flag("recovery entered or started anew: a probe came back, rule 2").expected_as("loss_probe");
            loss_timeout: bool = flag("recovery entered or started anew: no progress, rule 3");
            loss_nack: bool =
                flag("recovery entered or started anew: a NACK of a connection in order").expected_as("loss_nack");
            retransmit: bool = flag("a NACK asks for res_psn at once").expected_as("retransmit");
            ack_request: bool = flag("no progress, but nothing lacks: the peer is to be asked about res_psn");
            dead: bool = flag("one timeout in a row more than are borne");
            probe_due: bool = flag("a probe is to be sent");
            recovery_left: bool = flag("the cumulative PSN passed the range").expected_as("recovery_left");
        }
    }

    classes Class {
        init, sent, ack, ack_refused, nack, nack_back, nack_idle, next_rtx, next_rtx_idle, read, close, visit, visit_timed_out
    }

    core: "sack_tx",
    about: "the sender's scoreboard. Which packets are acknowledged, which are lost, and when to ask.",
    source: |_| "Ultra Ethernet packet delivery sublayer; rules of loss 004 (STrack) section 3.3.2",
    sizes: sizes,
    keys: &["connections", "sack.window", "sack.psn_bits", "sack.engine", "sack.acks"],
    reset: "no connection is initialised after it",
    ready: "an op can be taken; a visit begins where none is",
    kinds: &["sent", "ack", "next_rtx", "init", "read", "close", "nack"],
    seed: None,
    counts: &["words"],
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

/// PSNs that the walk over the acked bitmap takes a cycle.
const WALKED_PSNS: u32 = 16;
/// Cycles of a packet sent, of `read` and of `close`.
const SENT_CYCLES: u32 = 7;
/// Cycles of an ACK that walks over one word.
const ACK_CYCLES: u32 = 15;

/// Bits of a number of packets, 0 to a whole window.
fn count_bits(config: &Config) -> u32 {
    config.sack.window.trailing_zeros() + 1
}

fn timing(config: &Config) -> Timing {
    let walk = |first| Cycles::growing(first, 1, "words");
    let per_class = || {
        vec![
            ("sent", SENT_CYCLES.into()),
            ("ack", walk(ACK_CYCLES)),
            ("ack_refused", 11.into()),
            ("nack", walk(ACK_CYCLES)),
            ("nack_back", walk(ACK_CYCLES)),
            ("nack_idle", 11.into()),
            ("next_rtx", walk(9)),
            ("next_rtx_idle", SENT_CYCLES.into()),
            ("read", SENT_CYCLES.into()),
            ("close", SENT_CYCLES.into()),
            ("visit", 8.into()),
            ("visit_timed_out", walk(ACK_CYCLES)),
        ]
    };
    let mut interval = per_class();
    interval.push(("init", (config.sack.window / WALKED_PSNS + 7).into()));
    Timing {
        // until the result, and of a visit until its events
        latency: per_class(),
        interval,
        same_connection: vec![],
        stalls: vec![
            "reset: op_ready is low until every connection is marked as not initialised",
            "op: op_ready is low until the op is done; the next one may be taken at the edge of its result",
            "visit: begins at every edge at which an op could be taken and none is, and after 16 ops in a row in place of \
             the next; op_ready is low until it is done",
        ],
        reset_cycles: config.connections,
    }
}

fn memories(config: &Config) -> Vec<Memory> {
    let connections = config.connections;
    vec![
        Memory::block(
            "sack_tx_control_ram",
            connections,
            config.sack.psn_bits + 9 + 7 * count_bits(config),
            "state of a connection: its PSNs, packets in flight, recovery, limit",
        ),
        Memory::block(
            "sack_tx_acked_ram",
            connections * config.sack.window / WALKED_PSNS,
            WALKED_PSNS,
            "16 PSNs of a connection: whether they are acknowledged",
        ),
        Memory::block(
            "sack_tx_bytes_ram",
            connections * 4,
            16,
            "half a count of a connection: bytes received, bytes sent less these",
        ),
        Memory::block(
            "sack_tx_times_ram",
            connections * 2,
            20,
            "a time of a connection: when the cumulative PSN moved, with the timeouts in a row since; when an ACK was taken",
        ),
    ]
}

fn sizes(config: &Config) -> String {
    format!(
        "{}, sack.acks = uet
A packet sent takes {SENT_CYCLES} cycles, an ACK {ACK_CYCLES} and one more per 16 PSNs from snd_una to the last one that it names.
Ready {} clock edges after reset.",
        of_sack(config),
        config.connections,
    )
}
