//! What the receiver of Ultra Ethernet promises.

use super::super::super::sizes::of_sack;
use crate::config::Config;
use crate::contract;
use crate::contract::{Base, Default, ExpectWord, Timing, TraceForm, Value, bits, field, flag};
use crate::cycles::Cycles;
use crate::manifest::Memory;

/// Op kinds, a bit for each code.
const PACKET: u8 = 1 << 0;
const INIT: u8 = 1 << 1;
const PROBE: u8 = 1 << 3;
const ASK: u8 = 1 << 4;
const ANSWER: u8 = 1 << 5;
const TRIMMED: u8 = 1 << 6;
const WITH_RESULT: u8 = PACKET | PROBE | ASK | ANSWER | TRIMMED;

contract! {
    /// The receiver's bitmap with `sack.acks` = uet.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(3, "0 packet, 1 init, 2 close, 3 probe, 4 ask, 5 answer, 6 trimmed; 7 is reserved and does what close does");
            conn: u16 = field::connection();
            psn: u32 = field::psn("packet, trimmed: its PSN; probe: a PSN of the segment asked for; ask: PSN that the peer asks about; \
                answer: PSN that the host answers; init: first PSN expected")
                .needed_by(WITH_RESULT | INIT);
            cum_next: u32 = field::psn("answer: PSN behind those that the host has cleared").used_by(ANSWER);
            bytes: u16 = bits(16, "packet: bytes behind the 12 of its header").used_by(PACKET);
            control: bool = flag("packet: it is a control packet, which counts no bytes").used_by(PACKET);
            ack_request: bool = flag("packet: it asks for an ACK (AR)").used_by(PACKET);
            syn: bool = flag("packet: it has SYN").used_by(PACKET);
            retransmit: bool = flag("it was sent again (RETX)").used_by(WITH_RESULT);
            ecn: bool = flag("it was marked (CE)").used_by(WITH_RESULT);
            ordered: bool = flag("init: packets must come in order (ROD)").used_by(INIT);
            host: bool = flag("init: the host answers packets; packet: the host answers this one").used_by(INIT | PACKET);
            last_hop: bool = flag("trimmed: at the last hop").used_by(TRIMMED);
            ev: u16 = bits(16, "its EV").used_by(WITH_RESULT);
            echo: u16 = bits(16, "what the answer repeats: a message ID, the opaque of a probe").used_by(WITH_RESULT);
        }
    }
    settings "Settings, sampled with the op" {
        ack_gen_trigger: u16 = bits(16, "bytes of new packets that make an ACK due; 0: every new packet does")
            .is(Value::Limit)
            .set_by_driver("BYTES", "bytes of new packets that make an ACK due", Default::Fixed(16384));
        ack_gen_min: u16 = bits(12, "bytes for which a new packet counts at least towards ack_gen_trigger")
            .is(Value::Limit)
            .set_by_driver("BYTES", "bytes for which a new packet counts at least", Default::Fixed(1024));
        ack_on_ecn: u8 = bits(1, "1: a packet that was marked makes an ACK due")
            .set_by_driver("N", "1: a mark makes an ACK due", Default::Fixed(1));
        nominal_extra: u8 = bits(8, "bytes that sack_rcvd counts of a packet beside op_bytes")
            .set_by_driver("BYTES", "bytes of headers that are counted with each packet", Default::Fixed(60));
    }

    /// What the outputs show.
    shown Shown {
        "Results of ops, in order" {
            res_valid: bool = flag("one pulse per op but init and close");
            res_conn: Option<u16> = field::of_connection("its connection");
            res_status: Option<u8> = bits(3, "0 new, 1 received before, 2 outside the window or too old, 3 probe, 4 trimmed, or asked for or \
                answered and not received, 6 ahead in a connection in order, 7 connection not initialised, or closed")
                .expected_as("status");
            res_psn: Option<u32> = field::psn("PSN of the op").expected_as("psn");
            res_epsn: Option<u32> =
                field::psn("next PSN expected in order, after the op; not with status 7").expected_as("epsn").told_as("EPSN {}");
            res_ecn: Option<bool> = flag("of the op, but not of a probe").expected_as("ecn");
            res_retransmit: Option<bool> = flag("of the op").expected_as("retransmit");
            res_ev: Option<u16> = bits(16, "of the op").expected_as("ev");
            res_echo: Option<u16> = bits(16, "of the op").expected_as("echo");
            sack_valid: bool = flag("with res_valid: an ACK is to be sent").expected_as("valid");
            nack_valid: bool = flag("with res_valid: a NACK of res_psn is to be sent").expected_as("nack");
            nack_code: Option<u8> = bits(8, "with nack_valid: its code; the payload of code 13 is res_epsn, that of all others 0")
                .expected_as("code").told_as("code {}");
        }
        "ACK to be sent, valid with sack_valid" {
            sack_cum_next: Option<u32> =
                field::psn("PSN behind the cumulative one").expected_as("cum_next").told_as("{} behind the cumulative PSN");
            sack_base: Option<u32> =
                field::psn("PSN of bit 0 of the bitmap, a multiple of 64").expected_as("base");
            sack_bitmap: Option<u64> =
                bits(64, "bit i: PSN base + i was received").spelt(Base::Hexadecimal).expected_as("bitmap");
            sack_mpr: Option<u8> = bits(8, "maximum PSN range, in 128 PSNs").expected_as("mpr");
            sack_ooo: Option<u16> = bits(12, "packets held beyond res_epsn, 0 to {}")
                .number(|config| config.sack.window - 1).expected_as("ooo").told_as("{} out of order");
            sack_rcvd: Option<u32> =
                bits(24, "bytes received without duplicates in units of 256, rounded up, mod 2^24")
                    .expected_as("rcvd").told_as("{} units of 256 bytes");
        }
    }

    classes Class {
        init, close, uninitialised, probe, ask, answer, trimmed, duplicate, outside, ahead, new_ahead, new_in_order
    }

    core: "sack_rx",
    about: "the receiver's bitmap. Which packets of a connection arrived, and the ACKs and NACKs that say so.",
    source: |_| "Ultra Ethernet packet delivery sublayer; bitmap 004 (STrack) section 3.3.1, Figure 7",
    sizes: sizes,
    keys: &["connections", "sack.window", "sack.psn_bits", "sack.engine", "sack.acks", "protect"],
    reset: "no connection is initialised after it",
    ready: "an op can be taken",
    kinds: &["packet", "init", "close", "probe", "ask", "answer", "trimmed"],
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
        expects_of: "an op with a result",
        expecting_kinds: WITH_RESULT,
        words: &[
            ExpectWord { word: "sack", phrase: "an ACK of", port: "sack_valid", allowed: 0b10, needs: SACK, only_counted: false },
            ExpectWord { word: "nack", phrase: "a NACK of", port: "nack_valid", allowed: 0b10, needs: &["code"], only_counted: false },
            ExpectWord { word: "none", phrase: "no ACK", port: "sack_valid", allowed: 0b01, needs: &[], only_counted: false },
            ExpectWord { word: "wire", phrase: "an ACK of", port: "sack_valid", allowed: 0b10, needs: SACK, only_counted: true },
        ],
    },
}

/// What an ACK says of the receiver's state, by the columns that expect it.
const SACK: &[&str] = &["cum_next", "base", "bitmap", "ooo", "rcvd"];
/// Cycles of an op, without an advance.
const OP_CYCLES: u32 = 6;

fn timing(config: &Config) -> Timing {
    let in_order = Cycles::growing(OP_CYCLES, 2, "advance_segments");
    let fixed =
        ["uninitialised", "probe", "ask", "answer", "trimmed", "duplicate", "outside", "ahead", "new_ahead"];
    let mut latency: Vec<(&str, Cycles)> = fixed.into_iter().map(|class| (class, OP_CYCLES.into())).collect();
    latency.push(("new_in_order", in_order));
    let mut interval = latency.clone();
    interval.push(("init", (config.sack.window + 1).into()));
    interval.push(("close", 2.into()));
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
    let window_bits = config.sack.window.trailing_zeros();
    vec![
        Memory::block(
            "sack_rx_control_ram",
            config.connections,
            117 + window_bits + (window_bits - 5),
            "state of a connection: EPSN, what the host has cleared, out-of-order count, bytes, lowest segment since the last ACK",
        ),
        Memory::block(
            "sack_rx_bitmap_ram",
            config.connections * config.sack.window / 64,
            64,
            "a segment of a connection's arrival bitmap, written bit by bit",
        ),
    ]
}

fn sizes(config: &Config) -> String {
    format!(
        "{}, sack.acks = uet
An op takes {OP_CYCLES} cycles, and a packet in order 2 more per 64 PSNs that EPSN advances.
Ready {} clock edges after reset.",
        of_sack(config),
        config.connections,
    )
}
