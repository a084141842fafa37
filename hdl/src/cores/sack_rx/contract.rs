//! What the receiver's bitmap promises.

use super::super::selector::{parity, stored_bits};
use super::super::sizes::of_sack;
use super::fast;
use crate::config::{Config, SackEngine};
use crate::contract;
use crate::contract::{Base, Default, ExpectWord, Timing, TraceForm, Value, bits, field, flag, sized};
use crate::cycles::Cycles;
use crate::manifest::Memory;

/// Op kinds, a bit for each code.
const PACKET: u8 = 1 << 0;
const INIT: u8 = 1 << 1;

contract! {
    /// The receiver's bitmap.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(2, "0 packet, 1 init, 2 close; 3 is reserved and does what close does");
            conn: u16 = field::connection();
            psn: u32 = field::psn("the packet's PSN; a probe: a PSN of the segment asked for; init: first PSN expected")
                .needed_by(PACKET | INIT);
            bytes: u16 = bits(16, "payload of a packet that is no probe").used_by(PACKET | INIT);
            ecn: bool = flag("the packet was marked (CE)");
            ev: u16 = bits(16, "its EV");
            timestamp: u16 = bits(16, "its timestamp");
            ack_request: bool = flag("it asks for a SACK");
            probe: bool = flag("it is a probe: no data, asks for a segment of the bitmap");
        }
    }
    settings "Settings, sampled with the op" {
        sack_threshold: u16 = bits(16, "bytes of new packets that make a SACK due; 0: every packet does")
            .is(Value::Limit)
            .set_by_driver("BYTES", "bytes of new packets that make a SACK due", Default::Fixed(4096));
    }

    /// What the outputs show.
    shown Shown {
        "Results of packets, in order" {
            res_valid: bool = flag("one pulse per packet");
            res_conn: Option<u16> = field::of_connection("its connection");
            res_status: Option<u8> =
                bits(3, "0 new, 1 duplicate, 2 outside the window, 3 probe, 7 connection not initialised, or closed")
                    .expected_as("status");
            sack_valid: bool = flag("with res_valid: a SACK is to be sent").expected_as("valid");
        }
        "SACK to be sent, valid with sack_valid" {
            sack_psn: Option<u32> = field::psn("PSN of the packet").expected_as("psn");
            sack_epsn: Option<u32> =
                field::psn("next PSN expected in order, after the packet").expected_as("epsn").told_as("EPSN {}");
            sack_base: Option<u32> =
                field::psn("PSN of bit 0 of the bitmap, a multiple of 64").expected_as("base");
            sack_bitmap: Option<u64> =
                bits(64, "bit i: PSN base + i was received").spelt(Base::Hexadecimal).expected_as("bitmap");
            sack_ooo: Option<u16> = bits(12, "packets held beyond EPSN, 0 to {}")
                .number(|config| config.sack.window - 1).expected_as("ooo").told_as("{} out of order");
            sack_bytes_recvd: Option<u32> =
                bits(32, "bytes received without duplicates, mod 2^32").expected_as("bytes").told_as("{} bytes");
            sack_ecn: Option<bool> = flag("of the packet").expected_as("ecn");
            sack_ev: Option<u16> = bits(16, "of the packet").expected_as("ev");
            sack_timestamp: Option<u16> = bits(16, "of the packet").expected_as("timestamp");
            sack_probe: Option<bool> = flag("it answers a probe").expected_as("probe");
        }
        "Event, with res_valid" {
            state_lost: bool = sized(
                |config| config.has_parity().into(),
                "a bit of a stored word of the connection had flipped: it is not initialised any more, and res_status is 7",
            );
        }
    }

    classes Class { init, close, uninitialised, probe, duplicate, outside, new_ahead, new_in_order }

    core: "sack_rx",
    about: "the receiver's bitmap. Which packets of a connection arrived, and the SACKs that say so.",
    source: |_| "004 (STrack) section 3.3.1, Figure 7; window of 256 as in 001 (REPS) section 4.1",
    sizes: sizes,
    keys: &["connections", "sack.window", "sack.psn_bits", "sack.engine", "sack.acks", "protect"],
    reset: "no connection is initialised after it",
    ready: "an op can be taken",
    kinds: &["packet", "init", "close"],
    seed: None,
    counts: &["advance_segments"],
    timing: timing,
    memories: memories,
    trace: TraceForm {
        time: None,
        beside: None,
        seed: None,
        needed: 3,
        written: 4,
        expects_of: "a packet",
        expecting_kinds: PACKET,
        words: &[
            ExpectWord { word: "sack", phrase: "a SACK of", port: "sack_valid", allowed: 0b10, needs: SACK, only_counted: false },
            ExpectWord { word: "none", phrase: "no SACK", port: "sack_valid", allowed: 0b01, needs: &[], only_counted: false },
            ExpectWord { word: "wire", phrase: "a SACK of", port: "sack_valid", allowed: 0b10, needs: SACK, only_counted: true },
        ],
    },
}

/// What a SACK says of the receiver's state, by the columns that expect it.
const SACK: &[&str] = &["epsn", "base", "bitmap", "ooo", "bytes"];

fn timing(config: &Config) -> Timing {
    let is_fast = config.sack.engine == SackEngine::Fast;
    let mut stalls = vec!["reset: op_ready is low until every connection is marked as not initialised"];
    let (latency, mut interval, same_connection) = if is_fast {
        stalls.push("connection: an op comes sooner after one of its connection than that may be; it is taken, and waits with op_ready low");
        stalls.push("init: op_ready is low until the bitmap is written");
        let mut same_connection = per_packet(fast::SAME_CONNECTION_CYCLES.into());
        same_connection.extend(["init", "close"].map(|class| (class, fast::SAME_CONNECTION_CYCLES.into())));
        (per_packet(fast::LATENCY_CYCLES.into()), per_packet(1.into()), same_connection)
    } else {
        stalls.push(
            "op: op_ready is low until the op is done; the next one may be taken at the edge of its result",
        );
        let cycles = per_packet(Cycles::growing(6, 2, "advance_segments"));
        (cycles.clone(), cycles, vec![])
    };
    interval.push(("init", init_cycles(config).into()));
    interval.push(("close", close_cycles(config).into()));
    Timing { latency, interval, same_connection, stalls, reset_cycles: config.connections }
}

/// Cycles of a packet, per class: `in_order`, and its fixed part for the others.
fn per_packet(in_order: Cycles) -> Vec<(&'static str, Cycles)> {
    let fixed = ["uninitialised", "probe", "duplicate", "outside", "new_ahead"];
    let base = in_order.base;
    let mut cycles: Vec<(&str, Cycles)> = fixed.into_iter().map(|class| (class, base.into())).collect();
    cycles.push(("new_in_order", in_order));
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

/// Cycles from a `close` to the next op.
fn close_cycles(config: &Config) -> u32 {
    match config.sack.engine {
        SackEngine::Small => 2,
        SackEngine::Fast => 1,
    }
}

fn memories(config: &Config) -> Vec<Memory> {
    let window = config.sack.window;
    let window_bits = window.trailing_zeros();
    let control_bits = config.sack.psn_bits + 49 + window_bits + (window_bits - 5);
    let bitmap = |name, meaning| Memory::block(name, config.connections * window / 64, 64, meaning);
    match config.sack.engine {
        SackEngine::Small => {
            let mut memories = vec![
                Memory::block(
                    "sack_rx_control_ram",
                    config.connections,
                    stored_bits(control_bits, config),
                    "state of a connection: EPSN, out-of-order count, bytes, lowest segment since the last SACK",
                ),
                bitmap(
                    "sack_rx_bitmap_ram",
                    "a segment of a connection's arrival bitmap, written bit by bit",
                ),
            ];
            if config.has_parity() {
                let words = config.connections * window / 64;
                let meaning = "parity of a segment of a connection's arrival bitmap";
                memories.push(Memory::block("sack_rx_bitmap_parity_ram", words, 1, meaning));
            }
            memories
        }
        SackEngine::Fast => vec![
            Memory::block(
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

fn sizes(config: &Config) -> String {
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
        "{}, {parity}sack.engine = {engine}\n{times} Ready {} clock edges after reset.",
        of_sack(config),
        config.connections,
        parity = parity(config),
    )
}
