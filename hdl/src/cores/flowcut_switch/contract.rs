//! What `flowcut_switch` promises.

use crate::config::{Config, Pick};
use crate::contract;
use crate::contract::{Base, Default, ExpectWord, Timing, TraceForm, Value, bits, flag, sized};
use crate::manifest::{Memory, MemoryKind};

/// Code of the op kind `data`.
pub const DATA: u8 = 0;
/// Code of the op kind `ack`.
pub const ACK: u8 = 1;
/// Code of the op kind `load`.
pub const LOAD: u8 = 2;
/// Code of the op kind `set_min`.
pub const SET_MIN: u8 = 3;

/// Clock edges from the one that takes an op to the one at which its result can be sampled.
const LATENCY_CYCLES: u32 = 10;

/// Clock edges of which the last one is the walker's.
pub const SLOTS: u32 = 16;

contract! {
    /// Flowcut in the switch that hosts are connected to.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(2, "0 data: a packet of a host asks for its uplink, 1 ack: an ACK for a host came, 2 load, 3 set_min");
            bucket: u16 = sized(bucket_bits, "data, ack: input port of the host, then hash of the flow, 0 to {}")
                .number(|config| config.flowcut_switch.buckets - 1)
                .is(Value::Connection)
                .used_by(1 << DATA | 1 << ACK);
            bytes: u32 = bits(24, "data: bytes of the frame, 1 to 16383, of which the low 14 bits count; ack: bytes acknowledged")
                .used_by(1 << DATA | 1 << ACK);
            up: u64 = sized(uplinks, "data: the uplinks that are up, a bit for each")
                .is(Value::Bitmap).spelt(Base::Hexadecimal).used_by(1 << DATA);
            epoch: u8 = bits(4, "ack: res_epoch of the acknowledged packets").used_by(1 << ACK);
            timestamp: u32 = bits(16, "ack: echoed: when the packet was sent; set_min: the minimum").is(Value::Timestamp).used_by(1 << ACK | 1 << SET_MIN);
            class: u8 = bits(4, "ack, set_min: what the smallest RTT is kept for, e.g. the number of hops").used_by(1 << ACK | 1 << SET_MIN);
            serial: u32 = bits(16, "ack: ticks of the packet's own serialisation on its way; 0 if all are of one size").is(Value::Limit).used_by(1 << ACK);
            port: u8 = sized(port_bits, "load: the uplink").used_by(1 << LOAD);
            load: u8 = bits(8, "load: fill of its egress queue in the caller's units").used_by(1 << LOAD);
        }
    }
    settings "Settings, sampled with the op; a visit of the walker samples them in its own cycle" {
        now: u32 = bits(16, "the time in ticks of the caller's, wraps").is(Value::Now);
        clock: u8 = bits(8, "the slow time by which buckets grow old, wraps")
            .set_by_driver("TICKS", "the slow time by which buckets grow old", Default::Fixed(0));
        rtt_floor: u32 = bits(16, "an RTT below this and op_serial is no sample")
            .is(Value::Limit)
            .set_by_driver("TICKS", "round-trip time below which a sample is not believed", Default::Fixed(0));
        ratio: u8 = bits(6, "an average above so many halves of rtt_min and op_serial is hot")
            .set_by_driver("HALVES", "average round-trip time above which a bucket is drained, in halves of the smallest", Default::Fixed(8));
        alpha: u8 = bits(3, "a sample weighs 2^-alpha in the average: 1 to 5; 0 is taken as 1, 6 and 7 as 5")
            .set_by_driver("N", "weight 2^-N of a sample in the average, 1 to 5", Default::Fixed(3));
        entry_timeout: u8 = bits(8, "a bucket silent for more ticks of clock is emptied")
            .is(Value::Limit)
            .set_by_driver("TICKS", "ticks of the slow time after which a silent bucket is emptied", Default::Fixed(64));
        drain_after: u8 = bits(4, "a flowcut of this age, in 16 ticks of clock, is drained; 0: never")
            .set_by_driver("N", "age, in 16 ticks of the slow time, at which a flowcut is drained, 0 for never", Default::Fixed(8));
    }

    /// What the outputs show.
    shown Shown {
        "Results of data packets, one fixed latency after the op" {
            res_valid: bool = flag("one pulse per data packet");
            res_port: Option<u8> = sized(port_bits, "uplink for the packet, unless there is no route").expected_as("port");
            res_kind: Option<u8> = bits(2, "0 new: a flowcut begins, 1 same: the bucket's uplink, 2 forced: another one, as the bucket's is down, 3 no route");
            res_epoch: Option<u8> = bits(4, "number of the flowcut, which goes with the packet and comes back with its ACK").expected_as("epoch");
            res_xoff: Option<bool> = flag("the bucket drains: its host should have paused").expected_as("xoff_state");
        }
        "Events, at the same latency: one-cycle pulses of bucket ev_bucket" {
            ev_bucket: Option<u16> = sized(bucket_bits, "bucket of the op or of the visit that leaves, valid with a result and with every \
                event").is(Value::Connection);
            xoff: bool = flag("the host of the bucket is to pause its flows").expected_as("xoff");
            xon: bool = flag("it may go on").expected_as("xon");
            entry_cleared: bool = flag("the walker emptied a silent bucket");
            order_risk: bool = flag("another uplink while bytes are on their way: packets may overtake each other").expected_as("order_risk");
            ack_refused: bool = flag("the ACK is of another flowcut, or of more than is on its way: it changed nothing").expected_as("ack_refused");
        }
    }

    classes Class { op, visit }

    core: "flowcut_switch",
    about: "Flowcut in the switch of the hosts: a flow keeps its uplink while bytes are on their way, and hosts of hot flows are paused.",
    source: |_| "002 (Flowcut) sections II-A to C",
    sizes: sizes,
    keys: &["flowcut_switch.buckets", "flowcut_switch.uplinks", "flowcut_switch.pick"],
    reset: "every bucket is empty, every load 0, every minimum all ones, ops in flight are lost",
    ready: "low from reset until the memories are cleared, and then in every 16th cycle, which is the walker's",
    kinds: &["data", "ack", "load", "set_min"],
    seed: Some("seed of the random places; hold it from reset until op_ready"),
    counts: &[],
    timing: timing,
    memories: memories,
    trace: TraceForm {
        time: Some("now"),
        beside: Some("time_ns"),
        seed: Some("bytes"),
        needed: 3,
        written: 3,
        expects_of: "a data packet",
        expecting_kinds: 1 << DATA,
        words: &[
            ExpectWord { word: "new", phrase: "new", port: "res_kind", allowed: 0b0001, needs: &[], only_counted: false },
            ExpectWord { word: "same", phrase: "same", port: "res_kind", allowed: 0b0010, needs: &[], only_counted: false },
            ExpectWord { word: "forced", phrase: "forced", port: "res_kind", allowed: 0b0100, needs: &[], only_counted: false },
            ExpectWord { word: "no_route", phrase: "no route", port: "res_kind", allowed: 0b1000, needs: &[], only_counted: false },
        ],
    },
}

fn bucket_bits(config: &Config) -> u32 {
    config.flowcut_switch.buckets.trailing_zeros()
}

fn uplinks(config: &Config) -> u32 {
    config.flowcut_switch.uplinks
}

fn port_bits(config: &Config) -> u32 {
    uplinks(config).trailing_zeros()
}

fn timing(config: &Config) -> Timing {
    Timing {
        latency: vec![("op", LATENCY_CYCLES.into()), ("visit", LATENCY_CYCLES.into())],
        interval: vec![("op", 1.into()), ("visit", 1.into())],
        same_connection: vec![],
        stalls: vec![
            "reset: op_ready is low until every bucket is cleared",
            "walker: op_ready is low in every 16th cycle, in which the walker visits a bucket",
        ],
        reset_cycles: config.flowcut_switch.buckets,
    }
}

fn memories(config: &Config) -> Vec<Memory> {
    vec![
        Memory::block(
            "flowcut_switch_control_ram",
            config.flowcut_switch.buckets,
            64 + port_bits(config),
            "state of a bucket: bytes on their way, uplink, epoch, average RTT, age, flags",
        ),
        Memory {
            kind: MemoryKind::Distributed,
            ..Memory::block("flowcut_switch_rtt_min_ram", 16, 16, "smallest RTT of a class of paths")
        },
    ]
}

fn sizes(config: &Config) -> String {
    let (buckets, uplinks) = (config.flowcut_switch.buckets, uplinks(config));
    let pick = match config.flowcut_switch.pick {
        Pick::All => "all",
        Pick::Two => "two",
    };
    format!(
        "flowcut_switch.buckets = {buckets}, flowcut_switch.uplinks = {uplinks}, flowcut_switch.pick = {pick}
{} ops in {SLOTS} cycles, results {LATENCY_CYCLES} clock edges later, ready {buckets} clock edges after reset.",
        SLOTS - 1,
    )
}
