//! What is said of the core: header, ports, latency, memories.

use std::collections::BTreeMap;

use super::fast;
use crate::config::{Config, SackEngine};
use crate::cycles::Cycles;
use crate::manifest::{Direction, Manifest, Memory, MemoryKind, Port, generator};

const SOURCE: &str = "004 (STrack) section 3.3.1, Figure 7; window of 256 as in 001 (REPS) section 4.1";

/// Classes of packet that take the same time in either engine.
const FIXED: [&str; 5] = ["uninitialised", "probe", "duplicate", "outside", "new_ahead"];

/// The manifest of the core as `config` describes it.
pub(super) fn manifest(config: &Config) -> Manifest {
    let is_fast = config.sack.engine == SackEngine::Fast;
    let mut stalls =
        vec!["reset: op_ready is low until every connection is marked as not initialised".to_string()];
    let (latency, mut interval, same_connection) = if is_fast {
        stalls.push("connection: an op comes sooner after one of its connection than that may be; it is taken, and waits with op_ready low".into());
        stalls.push("init: op_ready is low until the bitmap is written".into());
        let mut same_connection = per_packet(fast::SAME_CONNECTION_CYCLES.into());
        same_connection.insert("init".into(), fast::SAME_CONNECTION_CYCLES.into());
        (per_packet(fast::LATENCY_CYCLES.into()), per_packet(1.into()), same_connection)
    } else {
        stalls.push(
            "op: op_ready is low until the op is done; the next one may be taken at the edge of its result"
                .into(),
        );
        let cycles = per_packet(Cycles::growing(6, 2, "advance_segments"));
        (cycles.clone(), cycles, BTreeMap::new())
    };
    interval.insert("init".into(), init_cycles(config).into());
    Manifest {
        module: "sack_rx".into(),
        source: SOURCE.into(),
        generator: generator(),
        config: config.clone(),
        ports: ports(config),
        latency_cycles: latency,
        initiation_interval_cycles: interval,
        same_connection_interval_cycles: same_connection,
        stalls,
        reset_cycles: config.connections,
        memories: memories(config),
    }
}

/// Cycles of a packet, per class: `in_order`, and its fixed part for the others.
fn per_packet(in_order: Cycles) -> BTreeMap<String, Cycles> {
    let fixed = Cycles::from(in_order.base);
    let mut cycles: BTreeMap<String, Cycles> =
        FIXED.into_iter().map(|class| (class.to_string(), fixed.clone())).collect();
    cycles.insert("new_in_order".into(), in_order);
    cycles
}

/// Cycles from an `init` to the next op.
fn init_cycles(config: &Config) -> u32 {
    config.sack.window
        + match config.sack.engine {
            SackEngine::Small => 1,
            SackEngine::Fast => fast::INIT_CYCLES,
        }
}

fn memories(config: &Config) -> Vec<Memory> {
    let window = config.sack.window;
    let window_bits = window.trailing_zeros();
    let control_bits = 73 + window_bits + (window_bits - 5);
    let memory = |name: &str, words, bits, meaning: &str| Memory {
        name: name.into(),
        words,
        bits,
        kind: MemoryKind::Block,
        meaning: meaning.into(),
    };
    let bitmap = |name: &str, meaning: &str| memory(name, config.connections * window / 64, 64, meaning);
    match config.sack.engine {
        SackEngine::Small => vec![
            memory(
                "sack_rx_control_ram",
                config.connections,
                control_bits,
                "state of a connection: EPSN, out-of-order count, bytes, lowest segment since the last SACK",
            ),
            bitmap("sack_rx_bitmap_ram", "a segment of a connection's arrival bitmap, written bit by bit"),
        ],
        SackEngine::Fast => vec![
            memory(
                "sack_rx_control_ram",
                config.connections,
                control_bits + (window / 64 - 1).max(1),
                "state of a connection: EPSN, out-of-order count, bytes, lowest segment since the last SACK, full segments",
            ),
            bitmap(
                "sack_rx_bitmap_ram",
                "a segment of a connection's arrival bitmap, written bit by bit, read for a packet's own PSN",
            ),
            bitmap("sack_rx_bitmap_copy_ram", "the same, read for the SACK"),
        ],
    }
}

/// The comment at the head of the Verilog.
pub(super) fn header(config: &Config) -> String {
    let (engine, times) = match config.sack.engine {
        SackEngine::Small => {
            ("small", "A packet takes 6 cycles, and 2 more per 64 PSNs that EPSN advances.".to_string())
        }
        SackEngine::Fast => (
            "fast",
            format!(
                "A packet a cycle on distinct connections, one in {} cycles on the same; its result {} cycles after it starts.",
                fast::SAME_CONNECTION_CYCLES,
                fast::LATENCY_CYCLES,
            ),
        ),
    };
    format!(
        "sack_rx: the receiver's bitmap. Which packets of a connection arrived, and the SACKs that say so.
Source: {SOURCE}.
Generated by {}. Do not edit.

connections = {}, sack.window = {}, sack.engine = {engine}
{times} Ready {} clock edges after reset.",
        generator(),
        config.connections,
        config.sack.window,
        config.connections,
    )
}

fn ports(config: &Config) -> Vec<Port> {
    use Direction::{Input, Output};
    let conn = config.connection_bits();
    let last = config.connections - 1;
    let most = config.sack.window - 1;
    let clock = "Clock and reset";
    let ops = "Operations: one is taken at a rising edge with op_valid and op_ready high";
    let settings = "Settings, sampled with the op";
    let results = "Results of packets, in order";
    let sack = "SACK to be sent, valid with sack_valid";
    let rows: Vec<(&str, Direction, u32, &str, String)> = vec![
        ("clk", Input, 1, clock, "rising edge".into()),
        ("rst", Input, 1, clock, "synchronous, active high; no connection is initialised after it".into()),
        ("op_valid", Input, 1, ops, "an op stands at the inputs".into()),
        ("op_ready", Output, 1, ops, "an op can be taken".into()),
        ("op_kind", Input, 1, ops, "0 packet, 1 init".into()),
        ("op_conn", Input, conn, ops, format!("connection, 0 to {last}")),
        (
            "op_psn",
            Input,
            24,
            ops,
            "the packet's PSN; a probe: a PSN of the segment asked for; init: first PSN expected".into(),
        ),
        ("op_bytes", Input, 16, ops, "payload of a packet that is no probe".into()),
        ("op_ecn", Input, 1, ops, "the packet was marked (CE)".into()),
        ("op_ev", Input, 16, ops, "its EV".into()),
        ("op_timestamp", Input, 16, ops, "its timestamp".into()),
        ("op_ack_request", Input, 1, ops, "it asks for a SACK".into()),
        ("op_probe", Input, 1, ops, "it is a probe: no data, asks for a segment of the bitmap".into()),
        (
            "sack_threshold",
            Input,
            16,
            settings,
            "bytes of new packets that make a SACK due; 0: every packet does".into(),
        ),
        ("res_valid", Output, 1, results, "one pulse per packet".into()),
        ("res_conn", Output, conn, results, "its connection".into()),
        (
            "res_status",
            Output,
            3,
            results,
            "0 new, 1 duplicate, 2 outside the window, 3 probe, 7 connection not initialised".into(),
        ),
        ("sack_valid", Output, 1, results, "with res_valid: a SACK is to be sent".into()),
        ("sack_psn", Output, 24, sack, "PSN of the packet".into()),
        ("sack_epsn", Output, 24, sack, "next PSN expected in order, after the packet".into()),
        ("sack_base", Output, 24, sack, "PSN of bit 0 of the bitmap, a multiple of 64".into()),
        ("sack_bitmap", Output, 64, sack, "bit i: PSN base + i was received".into()),
        ("sack_ooo", Output, 12, sack, format!("packets held beyond EPSN, 0 to {most}")),
        ("sack_bytes_recvd", Output, 32, sack, "bytes received without duplicates, mod 2^32".into()),
        ("sack_ecn", Output, 1, sack, "of the packet".into()),
        ("sack_ev", Output, 16, sack, "of the packet".into()),
        ("sack_timestamp", Output, 16, sack, "of the packet".into()),
        ("sack_probe", Output, 1, sack, "it answers a probe".into()),
    ];
    Port::all(rows)
}
