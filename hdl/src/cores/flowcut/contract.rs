//! What `flowcut` promises.

use crate::config::{Config, FlowcutVariant};
use crate::contract;
use crate::contract::{Default, ExpectWord, Timing, TraceForm, Value, bits, field, flag, sized};
use crate::cores::selector;
use crate::manifest::{Memory, MemoryKind};

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
/// Code of the op kind `set_min`.
pub const SET_MIN: u8 = 5;

contract! {
    /// Flowcut in a NIC.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(3, "0 send, 1 ack, 2 nack, 3 timeout, 4 init, 5 set_min; nack and the others change nothing");
            conn: u16 = field::connection();
            bytes: u16 = bits(14, "send: bytes of payload, 1 to 16383; 0: a packet whose order is not kept, and which does not wait").used_by(1 << SEND);
            rtx: bool = flag("send: it is a retransmission, which does not wait").used_by(1 << SEND);
            recvd: u32 = bits(24, "ack, init: bytes that the receiver has got, without duplicates, modulo 2^24")
                .used_by(1 << ACK | 1 << INIT);
            timestamp: u32 = sized(time_bits, "ack: echoed: when the packet was sent; init: a first average RTT in ticks, 0 for none; set_min: the minimum")
                .is(Value::Timestamp)
                .used_by(1 << ACK | 1 << INIT | 1 << SET_MIN);
            class: u8 = bits(4, "ack, set_min: what the smallest RTT is kept for, e.g. the number of hops").used_by(1 << ACK | 1 << SET_MIN);
            serial: u32 = sized(time_bits, "ack: ticks of the packet's own serialisation on its way; 0 if all are of one size")
                .is(Value::Limit)
                .used_by(1 << ACK);
        }
    }
    settings "Settings, sampled with the op; times in ticks of the caller's" {
        now: u32 = sized(time_bits, "the time, wraps").is(Value::Now);
        rtt_floor: u32 = sized(time_bits, "an RTT below this and op_serial is no sample")
            .is(Value::Limit)
            .set_by_driver("TICKS", "round-trip time below which a sample is not believed", Default::Fixed(0));
        ratio: u8 = bits(6, "an average above so many halves of rtt_min and op_serial is hot")
            .set_by_driver("HALVES", "average round-trip time above which a connection is drained, in halves of the smallest", Default::Fixed(8));
        alpha: u8 = bits(3, "a sample weighs 2^-alpha in the average: 1 to 5; 0 is taken as 1, 6 and 7 as 5")
            .set_by_driver("N", "weight 2^-N of a sample in the average, 1 to 5", Default::Fixed(3));
        hold: bool = flag("sends of a draining connection wait; clear: they go on with the old EV")
            .set_by_driver("0|1", "sends of a draining connection wait", Default::Fixed(1));
        timeout_reroutes: bool = flag("a timeout takes the EV away; clear: it stays")
            .set_by_driver("0|1", "a timeout takes the EV away", Default::Fixed(0));
    }

    /// What the outputs show.
    shown Shown {
        "Results of sends, one fixed latency after the op" {
            res_valid: bool = flag("one pulse per send");
            res_conn: Option<u16> = field::of_connection("connection of the op that leaves, also valid with every event");
            res_kind: Option<u8> = bits(2, "0 new (random EV), 2 same (the connection's EV), 3 wait: the packet is not sent");
            res_ev: Option<u16> = bits(16, "EV for the packet, unless it waits").expected_as("ev");
            res_draining: Option<bool> = flag("the connection drains; one that waits asks again after drain_done, drain_given_up or init, \
                and where this is clear after its next ACK that is not refused").expected_as("draining");
        }
        "Events, at the same latency: one-cycle pulses of connection res_conn" {
            drain_started: bool = flag("the average became hot: the connection drains").expected_as("drain_started");
            drain_done: bool = flag("nothing is on its way any more: the drain ends").expected_as("drain_done");
            drain_given_up: bool = flag("a timeout ended the drain").expected_as("drain_given_up");
            order_risk: bool = flag("a new EV, or an init, while bytes are on their way: packets may overtake each other").expected_as("order_risk");
            ack_refused: bool = flag("the ACK tells of nothing new, or of bytes never sent: it changed nothing").expected_as("ack_refused");
        }
    }

    classes Class { op }

    core: "flowcut",
    about: "Flowcut in a NIC: an EV stays while bytes are on their way, and hot connections are drained. No packet overtakes another.",
    source: |_| "002 (Flowcut) section II-D",
    sizes: sizes,
    keys: &["connections", "flowcut.variant", "flowcut.time_bits", "selector.ev_base", "selector.ev_bits"],
    reset: "every connection starts anew with a count of 0, every minimum is all ones, ops in flight are lost",
    ready: "low only from reset until the memories are cleared",
    kinds: &["send", "ack", "nack", "timeout", "init", "set_min"],
    seed: Some("seed of the random EVs; hold it from reset until op_ready"),
    counts: &[],
    timing: timing,
    memories: memories,
    trace: TraceForm {
        time: Some("now"),
        beside: Some("time_ns"),
        seed: Some("recvd"),
        needed: 3,
        written: 3,
        expects_of: "a send",
        expecting_kinds: 1 << SEND,
        words: &[
            ExpectWord { word: "new", phrase: "new", port: "res_kind", allowed: 0b0001, needs: &[], only_counted: false },
            ExpectWord { word: "same", phrase: "same", port: "res_kind", allowed: 0b0100, needs: &[], only_counted: false },
            ExpectWord { word: "wait", phrase: "wait", port: "res_kind", allowed: 0b1000, needs: &[], only_counted: false },
        ],
    },
}

/// Width of the times.
pub fn time_bits(config: &Config) -> u32 {
    config.flowcut.time_bits
}

fn timing(config: &Config) -> Timing {
    (selector::SELECTOR.timing)(config)
}

fn memories(config: &Config) -> Vec<Memory> {
    let times = time_bits(config);
    vec![
        Memory::block(
            "flowcut_control_ram",
            config.connections,
            56 + times,
            "state of a connection: bytes on their way and received, average RTT, flags",
        ),
        Memory {
            kind: MemoryKind::Distributed,
            ..Memory::block("flowcut_rtt_min_ram", 16, times, "smallest RTT of a class of paths")
        },
        Memory::block("flowcut_ev_ram", config.connections, 16, "EV of a connection"),
    ]
}

fn sizes(config: &Config) -> String {
    let variant = match config.flowcut.variant {
        FlowcutVariant::Paper => "paper",
        FlowcutVariant::Sticky => "sticky",
    };
    let keys = format!("flowcut.variant = {variant}, flowcut.time_bits = {}, ", time_bits(config));
    selector::sizes(&keys, config)
}
