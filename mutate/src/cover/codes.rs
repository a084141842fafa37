//! Outputs that are codes, and each of their values.

use respray_hdl::nic::top::NAME as NIC;

use super::point::Point;

/// The values of an output, or of another signal of a module, that is a code.
#[derive(Debug)]
pub(super) struct Codes<'a> {
    pub(super) core: &'a str,
    /// What stands before the value in the names of the points.
    pub(super) name: &'a str,
    pub(super) output: &'a str,
    /// When it says something, in Verilog.
    pub(super) when: &'a str,
    pub(super) values: &'a [(u64, &'a str)],
}

impl Codes<'_> {
    /// A point for each value, in a module, whose name stands without the core's before it; empty for the top.
    pub(super) fn points(&self, module: &str) -> impl Iterator<Item = Point> {
        let Codes { name, output, when, .. } = *self;
        self.values.iter().map(move |(value, means)| Point {
            name: format!("{name}_{value}"),
            module: module.to_string(),
            when: format!("{when} && {output} == {value}"),
            means: format!("`{output}` is {value}: {means}."),
        })
    }
}

/// Of selectors: how the EV of a send was found.
const fn selector(core: &'static str, values: &'static [(u64, &'static str)]) -> Codes<'static> {
    Codes { core, name: "kind", output: "res_kind", when: "res_valid", values }
}

/// VLAN tags before IP.
pub(super) const TAGS: &[(u64, &str)] = &[(0, "no VLAN tag"), (1, "one VLAN tag"), (2, "two VLAN tags")];

/// Where the UDP header begins, behind up to two VLAN tags and an IPv4 header of 20 to 60 bytes: so each way in which what is rewritten
/// lies across words and beats.
pub(super) const PLACES: &[(u64, &str)] = &[
    (8, "the UDP header begins at byte 34 of the packet"),
    (9, "the UDP header begins at byte 38 of the packet"),
    (10, "the UDP header begins at byte 42 of the packet"),
    (11, "the UDP header begins at byte 46 of the packet"),
    (12, "the UDP header begins at byte 50 of the packet"),
    (13, "the UDP header begins at byte 54 of the packet"),
    (14, "the UDP header begins at byte 58 of the packet"),
    (15, "the UDP header begins at byte 62 of the packet"),
    (16, "the UDP header begins at byte 66 of the packet"),
    (17, "the UDP header begins at byte 70 of the packet"),
    (18, "the UDP header begins at byte 74 of the packet"),
    (19, "the UDP header begins at byte 78 of the packet"),
    (20, "the UDP header begins at byte 82 of the packet"),
];

/// What a frame from the network is.
const FRAMES: &[(u64, &str)] = &[(0, "data"), (1, "ack"), (2, "probe"), (3, "other")];

/// Of these, what the joined block hands to its host: ACKs and probes go no further.
const HANDED_ON: &[(u64, &str)] = &[FRAMES[0], FRAMES[3]];

/// What is wrong with a frame from the network.
pub(super) const ERRORS: &[(u64, &str)] =
    &[(0, "none"), (1, "truncated"), (2, "bad IPv4 checksum"), (3, "length mismatch"), (4, "unsupported")];

/// What becomes of a packet from the network.
pub(super) const PACKET: &[(u64, &str)] = &[
    (0, "new"),
    (1, "duplicate"),
    (2, "outside the window"),
    (3, "probe"),
    (7, "connection not initialised"),
];

/// What becomes of an op of the receiver of Ultra Ethernet.
const UET_PACKET: &[(u64, &str)] = &[
    (0, "new"),
    (1, "received before"),
    (2, "outside the window"),
    (3, "probe"),
    (4, "trimmed or not received"),
    (6, "ahead in a connection in order"),
    (7, "connection not initialised"),
];

/// Why it refuses a packet.
const NACKS: &[(u64, &str)] = &[
    (1, "trimmed"),
    (2, "trimmed at the last hop"),
    (11, "outside the window"),
    (13, "out of order"),
    (18, "asked for and not received"),
    (21, "with SYN at or beyond the window's end"),
];

/// What becomes of a packet of the host.
pub(super) const SENT: &[(u64, &str)] = &[
    (0, "done"),
    (1, "sent before"),
    (2, "a PSN was left out"),
    (3, "window full"),
    (7, "connection not initialised"),
];

/// What becomes of a SACK.
pub(super) const SACK: &[(u64, &str)] = &[
    (0, "done"),
    (1, "old"),
    (2, "EPSN never sent"),
    (3, "bad base"),
    (4, "a PSN never sent"),
    (5, "EPSN shown as received"),
    (7, "connection not initialised"),
];

/// Status 7 of an engine within the joined block, whose host opens connections.
pub(super) const NOT_OPEN: (u64, &str) = (7, "connection not open");

/// What becomes of a frame that the joined block hands to its host.
const HANDED_STATUS: &[(u64, &str)] = &[PACKET[0], PACKET[1], PACKET[2], (4, "no data"), NOT_OPEN];

/// ECN codepoints.
const ECN: &[(u64, &str)] = &[(0, "Not-ECT"), (1, "ECT(1)"), (2, "ECT(0)"), (3, "CE")];

/// Of the joined block: a frame is handed to the host.
pub(super) const HANDED: &str = "rx_out_tvalid && rx_out_tready && rx_out_tlast";

/// Of the joined block: what is said of each frame that the host gets.
const fn of_frame(
    name: &'static str,
    output: &'static str,
    values: &'static [(u64, &'static str)],
) -> Codes<'static> {
    Codes { core: NIC, name, output, when: HANDED, values }
}

pub(super) const CODES: &[Codes] = &[
    selector("reps", &[(0, "explore"), (1, "recycle"), (2, "replay")]),
    selector("ops", &[(0, "explore")]),
    selector("ecmp", &[(0, "explore"), (2, "replay")]),
    selector("subflows", &[(0, "explore")]),
    selector("mprdma", &[(0, "explore"), (1, "recycle")]),
    selector("flowlet", &[(0, "explore"), (2, "replay")]),
    selector("plb", &[(0, "explore"), (2, "replay")]),
    selector("strack", &[(0, "explore"), (1, "recycle")]),
    selector("bitmap", &[(0, "explore")]),
    selector("mixed", &[(0, "explore"), (1, "recycle")]),
    selector("flowcut", &[(0, "a random EV"), (2, "the EV of the connection"), (3, "the packet waits")]),
    selector(
        "flowcut_switch",
        &[(0, "a flowcut begins"), (1, "the uplink of the bucket"), (2, "forced away"), (3, "no route")],
    ),
    selector(
        "caver",
        &[
            (0, "deliver"),
            (1, "same"),
            (2, "collided"),
            (3, "new"),
            (4, "ecmp"),
            (5, "routed"),
            (6, "bad_route"),
            (8, "pass"),
            (9, "advertised"),
            (10, "refused"),
            (11, "took"),
            (12, "kept"),
        ],
    ),
    Codes {
        core: "strack_cc",
        name: "status",
        output: "res_status",
        when: "res_valid",
        values: &[(0, "done"), (7, "nothing is done")],
    },
    Codes {
        core: "strack_cc",
        name: "action",
        output: "res_action",
        when: "res_valid",
        values: &[(0, "hold"), (1, "proportional"), (2, "additive"), (3, "multiplicative"), (4, "achieved")],
    },
    Codes { core: "sack_rx", name: "status", output: "res_status", when: "res_valid", values: PACKET },
    Codes {
        core: "sack_rx uet",
        name: "status",
        output: "res_status",
        when: "res_valid",
        values: UET_PACKET,
    },
    Codes { core: "sack_rx uet", name: "nack", output: "nack_code", when: "nack_valid", values: NACKS },
    Codes {
        core: "sack_tx",
        name: "sent",
        output: "res_status",
        when: "res_valid && steps_is_sent",
        values: SENT,
    },
    Codes {
        core: "sack_tx",
        name: "sack",
        output: "res_status",
        when: "res_valid && steps_is_sack",
        values: SACK,
    },
    Codes {
        core: "sack_tx",
        name: "next_rtx",
        output: "res_status",
        when: "res_valid && steps_is_next_rtx",
        values: &[(0, "done"), (1, "nothing to retransmit"), (7, "connection not initialised")],
    },
    Codes {
        core: "sack_tx",
        name: "read",
        output: "res_status",
        when: "res_valid && steps_is_read && !steps_is_close",
        values: &[(0, "done"), (7, "connection not initialised")],
    },
    Codes {
        core: "sack_tx",
        name: "close",
        output: "res_status",
        when: "res_valid && steps_is_close",
        values: &[(0, "done"), (7, "connection not initialised")],
    },
    Codes {
        core: "rewrite_rx",
        name: "kind",
        output: "meta_kind",
        when: "meta_valid && meta_ready",
        values: FRAMES,
    },
    Codes {
        core: "rewrite_rx",
        name: "error",
        output: "meta_error",
        when: "meta_valid && meta_ready",
        values: ERRORS,
    },
    Codes {
        core: "rewrite_rx",
        name: "ecn",
        output: "meta_ecn",
        when: "meta_valid && meta_ready",
        values: ECN,
    },
    Codes {
        core: "shim_pop",
        name: "kind",
        output: "meta_kind",
        when: "meta_valid && meta_ready",
        values: &[
            (0, "Flowcut data"),
            (1, "Flowcut ACK"),
            (2, "CAVER data"),
            (3, "CAVER ACK"),
            (4, "CAVER ACK of another host"),
            (7, "no shim that can be read"),
        ],
    },
    Codes {
        core: "shim_pop",
        name: "error",
        output: "meta_error",
        when: "meta_valid && meta_ready",
        values: &[(0, "none"), (1, "truncated"), (2, "unknown kind")],
    },
    Codes {
        core: "rewrite_tx",
        name: "udp_at",
        // the lane is one-hot
        output: "$clog2(planner_plan_udp_lane) + 32'(planner_plan_udp_beat) * $bits(planner_plan_udp_lane)",
        when: "planner_plan_is_rewritten",
        values: PLACES,
    },
    Codes {
        core: "rewrite_tx",
        name: "tags",
        output: "planner_plan_tags",
        when: "planner_plan_is_rewritten",
        values: TAGS,
    },
    of_frame("kind", "rx_kind", HANDED_ON),
    of_frame("error", "rx_error", ERRORS),
    of_frame("ecn", "rx_ecn", ECN),
    of_frame("status", "rx_status", HANDED_STATUS),
];
