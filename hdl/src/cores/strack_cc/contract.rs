//! What STrack's window promises.

use crate::config::Config;
use crate::contract;
use crate::contract::{Default, ExpectWord, Timing, TraceForm, Value, bits, field, flag};
use crate::manifest::Memory;

/// Op kinds, a bit for each code.
const READ: u8 = 1 << 0;
const ACK: u8 = 1 << 1;

contract! {
    /// STrack's window.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(3, "0 read, 1 ack, 2 nack, 3 timeout, 4 init; nack, timeout and 5 to 7, reserved, change nothing");
            conn: u16 = field::connection();
            ecn: bool = flag("ack: it is marked (ECN-Echo)").used_by(ACK);
            probe: bool = flag("ack: it answers a probe").used_by(ACK);
            bytes: u32 = bits(20, "ack: bytes newly acknowledged").used_by(ACK);
            timestamp: u16 = bits(16, "ack: echoed: when the packet was sent").is(Value::Timestamp).used_by(ACK);
        }
    }
    settings "Settings, sampled with the op; times in ticks of the caller's" {
        now: u16 = bits(16, "the time").is(Value::Now);
        net_base_rtt: u16 = bits(16, "RTT of an idle network: base_rtt after init")
            .is(Value::Limit)
            .set_by_driver("TICKS", "round-trip time of an idle network", Default::Fixed(967));
        min_base_rtt: u16 = bits(16, "RTTs below this do not lower base_rtt")
            .is(Value::Limit)
            .set_by_driver("TICKS", "round-trip time below which a sample is not believed", Default::Fixed(0));
        target_qdelay: u16 = bits(16, "queuing delay that is aimed at")
            .is(Value::Limit)
            .set_by_driver("TICKS", "queuing delay that is aimed at", Default::Fixed(967));
        target_qhigh: u16 = bits(16, "queuing delay above which it is high")
            .is(Value::Limit)
            .set_by_driver("TICKS", "queuing delay above which it is high", Default::Fixed(2901));
        alpha: u16 = bits(16, "proportional increase, 2^-18 packets^2 per tick")
            .is(Value::Limit)
            .set_by_driver("N", "proportional increase below the target, in 2^-18 packets^2 per tick", Default::Fixed(4338));
        beta: u16 = bits(16, "additive increase, 2^-8 packets^2")
            .is(Value::Limit)
            .set_by_driver("N", "additive increase of an unmarked ACK with a high delay, in 2^-8 packets^2", Default::Fixed(5120));
        eta: u16 = bits(16, "increase for fairness, 2^-12 packets a base_rtt")
            .is(Value::Limit)
            .set_by_driver("N", "increase for fairness, in 2^-12 packets", Default::Fixed(2458));
        gamma: u16 = bits(16, "multiplicative decrease, 2^-16")
            .is(Value::Limit)
            .set_by_driver("N", "multiplicative decrease, in 2^-16", Default::Fixed(52_429));
        max_cwnd: u16 = bits(10, "largest window in packets; 0 is taken as 1")
            .is(Value::Limit)
            .set_by_driver("N", "largest window in packets", Default::Fixed(146));
        mtu_log2: u8 = bits(4, "logarithm of the bytes of a packet, 8 to 13; ops with others are refused")
            .set_by_driver("N", "logarithm of the bytes of a packet, 8 to 13", Default::Fixed(12));
    }

    /// What the outputs show.
    shown Shown {
        "Results of reads and ACKs, in order" {
            res_valid: bool = flag("one pulse per read and ack");
            res_conn: Option<u16> = field::of_connection("its connection");
            res_status: Option<u8> = bits(3, "0 done; 7 connection not initialised or mtu_log2 out of range: nothing done, and the \
                fields below are 0").expected_as("status");
            res_cwnd: Option<u32> = bits(26, "window after the op, packets with 16 bits of fraction").expected_as("cwnd");
            res_cwnd_packets: Option<u16> = bits(12, "the same in whole packets").expected_as("cwnd_packets");
            res_delay: Option<u16> = bits(16, "ack: queuing delay; read: 0").expected_as("delay");
            res_action: Option<u8> = bits(3, "ack: 0 hold, 1 proportional, 2 additive, 3 multiplicative, 4 achieved; read: 0")
                .expected_as("action");
            res_fair: Option<bool> = flag("ack: the window was increased for fairness, too; read: 0").expected_as("fair");
        }
    }

    classes Class { read, init, ack_hold, ack_achieved, ack_increase, ack_multiplicative, idle }

    core: "strack_cc",
    about: "STrack's window. How many packets a connection may have in flight, by delays, marks and bytes acknowledged.",
    source: |_| "004 (STrack) Algorithms 1, 2 and 4, Table 1",
    sizes: sizes,
    keys: &["connections"],
    reset: "no connection is initialised after it",
    ready: "an op can be taken",
    kinds: &["read", "ack", "nack", "timeout", "init"],
    seed: None,
    counts: &[],
    timing: timing,
    memories: memories,
    trace: TraceForm {
        time: Some("now"),
        beside: Some("time_ns"),
        seed: None,
        needed: 3,
        written: 3,
        expects_of: "a read or an ack",
        expecting_kinds: READ | ACK,
        words: &[
            ExpectWord { word: "done", phrase: "done", port: "res_status", allowed: 1, needs: &[], only_counted: false },
            ExpectWord { word: "refused", phrase: "refused", port: "res_status", allowed: 0b1000_0000, needs: &[], only_counted: false },
        ],
    },
}

/// Cycles until the result, and until the next op: the same for what has a result.
const CYCLES: &[(&str, u32)] =
    &[("read", 4), ("ack_hold", 16), ("ack_achieved", 17), ("ack_increase", 36), ("ack_multiplicative", 39)];

/// Cycles of what has no result.
const SILENT_CYCLES: &[(&str, u32)] = &[("init", 7), ("idle", 4)];

fn timing(config: &Config) -> Timing {
    let cycles = |table: &[(&'static str, u32)]| -> Vec<_> {
        table.iter().map(|&(class, cycles)| (class, cycles.into())).collect()
    };
    let latency = cycles(CYCLES);
    let mut interval = latency.clone();
    interval.extend(cycles(SILENT_CYCLES));
    Timing {
        latency,
        interval,
        same_connection: vec![],
        stalls: vec![
            "reset: op_ready is low until every connection is marked as not initialised",
            "op: op_ready is low until the op is done; the next one may be taken at the edge of its result",
        ],
        reset_cycles: config.connections,
    }
}

fn memories(config: &Config) -> Vec<Memory> {
    vec![Memory::block(
        "strack_cc_state_ram",
        config.connections * 4,
        45,
        "a time of a connection with what goes with it: window, base RTT, bytes of the period; or the average and the last period",
    )]
}

fn sizes(config: &Config) -> String {
    let of = |class: &str| CYCLES.iter().find(|(known, _)| *known == class).map_or(0, |(_, cycles)| *cycles);
    format!(
        "connections = {}
A read takes {} cycles, an ACK {}, or {} where the window becomes what was achieved, {} where it grows,
{} where it shrinks by a fraction. Ready {0} clock edges after reset.",
        config.connections,
        of("read"),
        of("ack_hold"),
        of("ack_achieved"),
        of("ack_increase"),
        of("ack_multiplicative"),
    )
}
