//! What `caver` promises.

use crate::config::{Advertise, Config, PathTable};
use crate::contract;
use crate::contract::{Base, Default, ExpectWord, Timing, TraceForm, Value, bits, flag, sized};
use crate::manifest::{Memory, MemoryKind};

/// Code of the op kind `data`.
pub const DATA: u8 = 0;
/// Code of the op kind `ack`.
pub const ACK: u8 = 1;
/// Code of the op kind `host`.
pub const HOST: u8 = 2;
/// Code of the op kind `set_shift`.
pub const SET_SHIFT: u8 = 3;

/// Clock edges from the one that takes an op, if it does not wait, to the one at which its result can be sampled: with one path a
/// destination, and with one for each uplink, whose best one takes a stage more to find.
const LATENCY_CYCLES: u32 = 8;
const LATENCY_PER_PORT_CYCLES: u32 = 9;

/// Uplinks with entries of their own, the last ports of the switch.
const UPLINKS: u32 = 16;

/// What the generator of random places is seeded with.
pub const UPLINK_SEED: u16 = 0x6b43;

/// Clock edges between the starts of two ops that share an entry.
const APART_CYCLES: u32 = 7;

/// Edges at which something can begin, of which the last one is the core's own.
pub const SLOTS: u32 = 16;

contract! {
    /// CAVER in a switch.
    pub const CONTRACT;

    /// One op as it stands at the ports.
    ops Op {
        "Operations: one is taken at a rising edge with op_valid and op_ready high" {
            kind: u8 = bits(2, "0 data: a packet asks for its port, 1 ack: an ACK passes, 2 host: a host at this switch joins the list of \
                caver.advertise = round_robin, without which it changes nothing, 3 set_shift");
            dst: u16 = sized(dst_bits, "data: the host that it goes to, ack: the host that its path leads to; host: the host; as the FIB numbers \
                hosts, 0 to {}")
                .number(|config| config.caver.destinations - 1)
                .is(Value::Connection)
                .used_by(1 << DATA | 1 << ACK | 1 << HOST);
            in_port: u8 = sized(port_bits, "data, ack: the port that it came in by").used_by(1 << DATA | 1 << ACK);
            hash: u32 = bits(32, "data: hash of the flow; its low bits are the place in the flow table, its upper 16 the tag there").used_by(1 << DATA);
            bytes: u16 = bits(14, "data: bytes of the packet").used_by(1 << DATA);
            is_local: bool = flag("data: its host is at this switch").used_by(1 << DATA);
            fib_port: u8 = sized(port_bits, "data: the port that the FIB gives, by ECMP").used_by(1 << DATA);
            enable: bool = flag("data: its shim has a route; 0 without a shim").used_by(1 << DATA);
            hop: u8 = bits(2, "data: hop of the route that brought it here").used_by(1 << DATA);
            path: u32 = bits(32, "data: the route, byte i (bits 8i+7:8i) is the port of hop i; ack: the path from the switch before on, in the low \
                24 bits").used_by(1 << DATA | 1 << ACK);
            ce: u8 = bits(8, "ack: congestion of that path").used_by(1 << ACK);
            len: u8 = bits(2, "ack: ports of that path").used_by(1 << ACK);
            to_local: bool = flag("ack: the host that it goes to is at this switch").used_by(1 << ACK);
            port: u8 = sized(port_bits, "set_shift: the port; host: its port").used_by(1 << SET_SHIFT | 1 << HOST);
            shift: u8 = bits(5, "set_shift: congestion of the port is its sum of bytes, shifted by so many bits").used_by(1 << SET_SHIFT);
        }
    }
    settings "Settings, sampled with the op; the core's own slots sample them in their own cycle" {
        now: u8 = bits(8, "the time in ticks of the caller's, wraps").is(Value::Now);
        path_age: u8 = bits(8, "a path that was reported more ticks ago is dead")
            .is(Value::Limit)
            .set_by_driver("TICKS", "ticks after which a path is not used any more", Default::Fixed(128));
        flow_timeout: u8 = bits(8, "a flow that saw its last packet more ticks ago is over")
            .is(Value::Limit)
            .set_by_driver("TICKS", "ticks without a packet after which a flow is over", Default::Fixed(128));
        is_host: u64 = sized(ports, "ports that hosts are at, a bit for each").spelt(Base::Hexadecimal)
            .set_by_driver("MASK", "ports that hosts are at, a bit for each", Default::Sized(|config| (1 << (ports(config) / 2)) - 1));
        up: u64 = sized(ports, "ports that are up, a bit for each").spelt(Base::Hexadecimal)
            .set_by_driver("MASK", "ports that are up, a bit for each", Default::Sized(|config| u64::MAX >> (64 - ports(config))));
        dre_period: u32 = bits(24, "clock cycles in which the sum of each port loses its share once; at least 32 times the ports")
            .set_by_driver("CYCLES", "clock cycles in which the sum of each port loses its share once", Default::Fixed(13_500));
        dre_alpha: u8 = bits(3, "that share is 2^-dre_alpha")
            .set_by_driver("N", "share 2^-N of a port's sum that is lost in a period", Default::Fixed(2));
    }

    /// What the outputs show.
    shown Shown {
        "Results of data and ACKs, one fixed latency after the start of the op" {
            res_valid: bool = flag("one pulse per data packet and ACK");
            res_dst: Option<u16> = sized(dst_bits, "op_dst of the op that leaves; of an advertised ACK: the host that it speaks \
                of").is(Value::Connection).expected_as("dst");
            res_kind: Option<u8> = bits(4, "data: 0 deliver, 1 same, 2 collided, 3 new, 4 ecmp, 5 routed, 6 bad_route; ack: 8 pass, 9 advertised, \
                10 refused, 11 took, 12 kept");
            res_port: Option<u8> = sized(port_bits, "data: the port that it leaves by").expected_as("port");
            res_enable: Option<bool> = flag("data: it leaves with a route in its shim; ack: it leaves with this path in its shim").expected_as("enable");
            res_hop: Option<u8> = bits(2, "data with a route: its hop").expected_as("hop");
            res_path: Option<u32> = bits(32, "with res_enable: the route, or the path").expected_as("path");
            res_ce: Option<u8> = bits(8, "ack with res_enable: congestion of the path").expected_as("ce");
            res_len: Option<u8> = bits(2, "ack with res_enable: its ports, beside the one of this switch for an ACK that begins a path").expected_as("len");
        }
    }

    classes Class { data, ack, other, visit, decay }

    core: "caver",
    about: "CAVER in a switch: data of hosts goes by the least congested path that ACKs have told of, port by port.",
    source: |_| "003 (CAVER) section 2",
    sizes: sizes,
    keys: &["caver.destinations", "caver.ports", "caver.flows", "caver.table", "caver.advertise"],
    reset: "both tables and the list of hosts are empty, every sum 0 and every shift 13, ops in flight are lost",
    ready: "low from reset until the tables are cleared, in every 16th slot, which is the core's own, and while an op waits",
    kinds: &["data", "ack", "host", "set_shift"],
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
        expects_of: "a data packet or an ACK",
        expecting_kinds: 1 << DATA | 1 << ACK,
        words: &[
            word("deliver", 0),
            word("same", 1),
            word("collided", 2),
            word("new", 3),
            word("ecmp", 4),
            word("routed", 5),
            word("bad_route", 6),
            word("pass", 8),
            word("advertised", 9),
            word("refused", 10),
            word("took", 11),
            word("kept", 12),
        ],
    },
}

const fn word(word: &'static str, code: u32) -> ExpectWord {
    ExpectWord { word, phrase: word, port: "res_kind", allowed: 1 << code, needs: &[], only_counted: false }
}

fn dst_bits(config: &Config) -> u32 {
    config.caver.destinations.trailing_zeros()
}

fn ports(config: &Config) -> u32 {
    config.caver.ports
}

fn port_bits(config: &Config) -> u32 {
    ports(config).trailing_zeros()
}

/// Places of the larger table, which the walker visits.
pub fn places(config: &Config) -> u32 {
    config.caver.destinations.max(config.caver.flows)
}

fn latency(config: &Config) -> u32 {
    match config.caver.table {
        PathTable::Single => LATENCY_CYCLES,
        PathTable::PerPort => LATENCY_PER_PORT_CYCLES,
    }
}

fn timing(config: &Config) -> Timing {
    Timing {
        latency: vec![("data", latency(config).into()), ("ack", latency(config).into())],
        interval: vec![
            ("data", 1.into()),
            ("ack", 1.into()),
            ("other", 1.into()),
            ("visit", 1.into()),
            ("decay", 1.into()),
        ],
        same_connection: vec![
            ("data", APART_CYCLES.into()),
            ("ack", APART_CYCLES.into()),
            ("visit", APART_CYCLES.into()),
        ],
        stalls: vec![
            "reset: op_ready is low until both tables are cleared",
            "own slot: op_ready is low in every 16th slot, in which a port's sum loses its share or the walker visits an entry of each table",
            "shared entry: op_ready is low while an op waits for one before it that changes an entry of its own; data: its place in the flow \
             table, ack: its destination, a visit: both",
        ],
        reset_cycles: places(config),
    }
}

fn memories(config: &Config) -> Vec<Memory> {
    let distributed = |name, meaning| Memory {
        kind: MemoryKind::Distributed,
        ..Memory::block(name, ports(config), 32, meaning)
    };
    let mut memories = vec![Memory::block(
        "caver_flow_ram",
        config.caver.flows,
        58 + dst_bits(config),
        "flow table: tag, destination, route, time of the last packet",
    )];
    match config.caver.table {
        PathTable::Single => memories.push(Memory::block(
            "caver_path_ram",
            config.caver.destinations,
            43 + port_bits(config),
            "path congestion table: congestion, length, ports, time of the report",
        )),
        PathTable::PerPort => memories.extend(per_port_memories(config)),
    }
    memories.extend([
        distributed("caver_dre_ram", "sum and shift of a port, and whether the sum is full"),
        distributed("caver_dre_copy_ram", "the same, for a second port at the same time"),
    ]);
    if config.caver.advertise == Advertise::RoundRobin {
        memories.push(Memory {
            kind: MemoryKind::Distributed,
            ..Memory::block(
                "caver_hosts_ram",
                ports(config),
                dst_bits(config) + port_bits(config),
                "hosts at the switch, and their ports",
            )
        });
    }
    memories
}

/// What is stored where each uplink has an entry.
fn per_port_memories(config: &Config) -> [Memory; 3] {
    let destinations = config.caver.destinations;
    [
        Memory::block(
            "caver_report_ram",
            destinations,
            17,
            "the latest report by an uplink: congestion, its time; one for each of 16 uplinks",
        ),
        Memory::block(
            "caver_tail_ram",
            4 * destinations,
            26,
            "length and ports of the paths reported by four uplinks; one for each four of 16 uplinks",
        ),
        Memory {
            kind: MemoryKind::Distributed,
            ..Memory::block("caver_seen_ram", UPLINKS, 8, "congestion of the uplinks as choices see it")
        },
    ]
}

fn sizes(config: &Config) -> String {
    let (destinations, flows) = (config.caver.destinations, config.caver.flows);
    let advertise = match config.caver.advertise {
        Advertise::Source => "",
        Advertise::RoundRobin => ", caver.advertise = round_robin",
    };
    let table = match config.caver.table {
        PathTable::Single => "",
        PathTable::PerPort => ", caver.table = per_port",
    };
    format!(
        "caver.destinations = {destinations}, caver.ports = {}, caver.flows = {flows}{table}{advertise}
{} ops in {SLOTS} slots, {APART_CYCLES} cycles apart where they share an entry, results {} clock edges later, ready {} clock
edges after reset.",
        ports(config),
        SLOTS - 1,
        latency(config),
        places(config),
    )
}
