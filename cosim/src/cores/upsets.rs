//! What of each core may differ after a bit of one of its memories flipped, and for how long: from its contract, in one table.

use respray_hdl::config::Config;

use crate::lockstep::upset::rules::{At, By, Changes, Count, Draws, Memory, Place, Rules, Table, Touch};

const CONNECTIONS: Table = Table { entry: "connection", entries: |config| config.connections };
const CLASSES: Table = Table { entry: "class", entries: |_| 16 };
const BUCKETS: Table = Table { entry: "bucket", entries: |config| config.flowcut_switch.buckets };

/// An op reads its connection and writes it.
const CONNECTION: Touch = Touch { table: 0, by: By::Op("op_conn"), reads: true, changes: Changes::Always };
/// `init` may show what was there, and leaves nothing of it.
const INIT: Touch = Touch { changes: Changes::Renews, ..CONNECTION };
const VISITED: Touch = Touch { by: By::Visit, ..CONNECTION };

/// Ops of flowcut on a minimum RTT: an ACK that is refused leaves it, and shows that it was refused.
const CLASS: Touch = Touch { table: 1, by: By::Op("op_class"), reads: true, changes: Changes::AsShown };
const SET_MIN: Touch = Touch { changes: Changes::Renews, ..CLASS };

const BUCKET: Touch = Touch { by: By::Op("op_bucket"), ..CONNECTION };

const FLOW: Touch = Touch { by: By::Op("op_hash"), ..CONNECTION };
const PATH_READ: Touch = Touch { table: 1, by: By::Op("op_dst"), reads: true, changes: Changes::Never };
const PATH: Touch = Touch { changes: Changes::AsShown, ..PATH_READ };
/// A data packet is counted at the port that it leaves by; an ACK reads how busy the port is that it came in by.
const PORT_COUNTED: Touch =
    Touch { table: 2, by: By::Shown("res_port"), reads: false, changes: Changes::AsShown };
const PORT_READ: Touch = Touch { table: 2, by: By::Op("op_in_port"), reads: true, changes: Changes::Never };
/// Its path is held against the stored one, which is as busy as its port is now.
const PORT_OF_STORED: Touch = Touch { by: By::State, ..PORT_READ };

/// A memory of a core that works on one op at a time.
const fn alone(memory: Memory, behind: Option<u32>) -> Memory {
    Memory { at: At::Alone { behind }, ..memory }
}

const fn above(name: &'static str, table: usize) -> Memory {
    Memory { name, table, place: Place::Above, at: At::Unguarded }
}

const fn below(name: &'static str, table: usize) -> Memory {
    Memory { name, table, place: Place::Below, at: At::Unguarded }
}

/// The memory of states of a pipeline.
const CONTROL: Memory = Memory { at: At::Taken { written: 4 }, ..above("control_ram", 0) };

/// The memories of states and of counters of a walk: with parity, the next op may be taken at the edge that writes them.
const STATE: Memory = alone(above("control_ram", 0), Some(1));
const COUNTERS: Memory = alone(below("counters_ram", 0), Some(1));

/// A memory of times beside it.
const fn time(name: &'static str) -> Memory {
    Memory { at: At::Beside { written: 4 }, ..above(name, 0) }
}

/// Segments of a window.
fn segments(config: &Config) -> u32 {
    config.sack.window / 64
}

/// Words of 16 counters that a search looks at: all, two of them twice, and one of the next round.
fn counter_words(config: &Config) -> u32 {
    config.bitmap.paths.div_ceil(16) + 3
}

/// A path selector: connections, and `init` with code 4.
const SELECTOR: Rules = Rules {
    core: "",
    tables: &[CONNECTIONS],
    memories: &[CONTROL],
    ops: &[(!(1 << 4), CONNECTION), (1 << 4, INIT)],
    visits: &[],
    draws: Some(Draws { after: 4, is_ahead: true }),
    counts: &[],
};

/// The rules of all cores that take ops.
pub const RULES: &[Rules] = &[
    Rules {
        core: "reps",
        memories: &[CONTROL, time("time_ram"), Memory { at: At::Later { after: 4 }, ..above("ev_ram", 0) }],
        draws: Some(Draws { after: 5, is_ahead: false }),
        ..SELECTOR
    },
    Rules {
        core: "sack_rx",
        memories: &[
            alone(above("control_ram", 0), Some(1)),
            // a bit is written by the packet that it is of, and the parity of its word with it
            alone(above("bitmap_ram", 0), None),
            alone(above("bitmap_parity_ram", 0), None),
        ],
        ops: &[(1 << 0, CONNECTION), (1 << 1, INIT)],
        draws: None,
        counts: &[Count { name: "advance_segments", most: segments }],
        ..SELECTOR
    },
    Rules {
        core: "sack_tx",
        memories: &[
            above("control_ram", 0),
            above("acked_ram", 0),
            above("bytes_ram", 0),
            above("times_ram", 0),
        ],
        ops: &[(!(1 << 3), CONNECTION), (1 << 3, INIT)],
        visits: &[VISITED],
        draws: None,
        counts: &[Count { name: "cum_segments", most: segments }],
        ..SELECTOR
    },
    Rules { core: "ops", ..SELECTOR },
    Rules { core: "ecmp", ..SELECTOR },
    Rules { core: "subflows", ..SELECTOR },
    Rules { core: "mprdma", ..SELECTOR },
    Rules { core: "flowlet", memories: &[CONTROL, time("last_ram"), time("moved_ram")], ..SELECTOR },
    Rules { core: "plb", memories: &[CONTROL, time("time_ram")], ..SELECTOR },
    Rules {
        core: "strack",
        memories: &[STATE, alone(below("marks_ram", 0), Some(0))],
        draws: None,
        counts: &[
            Count { name: "words", most: |config| config.strack.paths.div_ceil(32) + 2 },
            Count { name: "folded", most: |_| 1 },
        ],
        ..SELECTOR
    },
    Rules {
        core: "bitmap",
        memories: &[STATE, COUNTERS],
        draws: Some(Draws { after: 0, is_ahead: true }),
        counts: &[Count { name: "words", most: counter_words }],
        ..SELECTOR
    },
    Rules {
        core: "mixed",
        memories: &[STATE, COUNTERS, alone(below("list_ram", 0), Some(0))],
        draws: Some(Draws { after: 0, is_ahead: true }),
        counts: &[Count { name: "words", most: counter_words }],
        ..SELECTOR
    },
    Rules { core: "strack_cc", memories: &[above("state_ram", 0)], draws: None, ..SELECTOR },
    Rules {
        core: "flowcut",
        tables: &[CONNECTIONS, CLASSES],
        memories: &[above("control_ram", 0), above("rtt_min_ram", 1), above("ev_ram", 0)],
        ops: &[(!(1 << 4 | 1 << 5), CONNECTION), (1 << 4, INIT), (1 << 1, CLASS), (1 << 5, SET_MIN)],
        draws: Some(Draws { after: 5, is_ahead: true }),
        ..SELECTOR
    },
    Rules {
        core: "flowcut_switch",
        tables: &[BUCKETS, CLASSES],
        memories: &[above("control_ram", 0), above("rtt_min_ram", 1)],
        ops: &[(1 << 0 | 1 << 1, BUCKET), (1 << 1, CLASS), (1 << 3, SET_MIN)],
        visits: &[VISITED],
        draws: None,
        ..SELECTOR
    },
    Rules {
        core: "caver",
        tables: &[
            Table { entry: "flow", entries: |config| config.caver.flows },
            Table { entry: "destination", entries: |config| config.caver.destinations },
            Table { entry: "port", entries: |config| config.caver.ports },
        ],
        memories: &[above("flow_ram", 0), above("path_ram", 1), above("dre_ram", 2)],
        ops: &[
            (1 << 0, FLOW),
            (1 << 0, PATH_READ),
            (1 << 0, PORT_COUNTED),
            (1 << 1, PATH),
            (1 << 1, PORT_READ),
            (1 << 1, PORT_OF_STORED),
        ],
        draws: None,
        ..SELECTOR
    },
];

/// The rules of a core.
pub fn rules(core: &str) -> Option<&'static Rules> {
    RULES.iter().find(|rules| rules.core == core)
}
