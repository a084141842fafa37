//! What is proved at the ports of the joined `nic`: of the parts that these ports belong to, joined as in the block.
//!
//! That a port of the whole is that of the part is read from the netlist, in the tests.

mod closing;
mod credit;
mod event_frames;
mod parts;
mod registers;

pub use self::closing::CLOSING;
pub use self::credit::CREDIT;
pub use self::event_frames::EVENT_FRAMES;
pub use self::parts::{Whole, whole};
pub use self::registers::REGISTERS;
use super::axis::{BEGIN, held};
use super::{Claim, Fault, Method, Proof, Rules};

/// Words of each memory in a proof from power-up: no queue takes as many in its edges.
const WORDS: &str = "words [0:15]";

/// The bus rule, of frames to the MAC.
pub const TO_MAC: Proof = Proof {
    core: "nic",
    block: Some(|| Ok(whole().verilog(&["outlet"]))),
    sets: parts::SETS,
    rules: || {
        Rules::of(
            "",
            BEGIN.to_string()
                + &stream("to_mac_stays", "outlet_m_axis_", &payload("outlet", "outlet_m_axis_")),
        )
    },
    method: Method::Unbounded(2),
    fault_edges: 0..20,
    shortened: &[],
    claims: &[Claim {
        rule: "to_mac_stays",
        source: "AXI4-Stream section 2.2.1",
        says: "A beat that is offered to the MAC is offered, unchanged, until it is taken.",
        fault: Fault::Shown(
            "moves = m_axis_tready || !m_axis_tvalid;",
            "moves = m_axis_tready || !m_axis_tvalid || a_axis_tvalid;",
        ),
    }],
};

/// The bus rule, of events.
pub const TO_DRIVER: Proof = Proof {
    block: Some(|| Ok(whole().verilog(&["events"]))),
    rules: || {
        let rules = stream("events_stay", "events_event_t", &payload("events", "events_event_tdata"));
        Rules::of("", BEGIN.to_string() + &rules)
            .and("events", &(BEGIN.to_string() + include_str!("events.v")))
            .and("events_memory", include_str!("keeps.v"))
    },
    claims: &[Claim {
        rule: "events_stay",
        source: "AXI4-Stream section 2.2.1",
        says: "An event that is offered to the driver is offered, unchanged, until it is taken.",
        fault: Fault::Shown("wire pop = event_tvalid && event_tready;", "wire pop = event_tvalid;"),
    }],
    ..TO_MAC
};

/// Frames to the host, for all time. Taken for given is what follows from the beats in the ring; it is shown from power-up.
pub const TO_HOST: Proof = Proof {
    block: Some(|| Ok(whole().verilog(&["receiver"]))),
    rules: || to_host("assume (", ""),
    method: Method::Unbounded(4),
    claims: &[
        Claim {
            rule: "to_host_stays",
            source: "AXI4-Stream section 2.2.1",
            says: "A beat that is offered to the host is offered until it is taken, and so is what stands beside its frame; this takes for given \
                   that each frame in the ring is whole and has its record, which the table behind this one shows from power-up.",
            fault: Fault::Shown(
                "wire leaves = m_axis_tvalid & m_axis_tready;",
                "wire leaves = m_axis_tvalid;",
            ),
        },
        Claim {
            rule: "beside_is_constant",
            source: "ports `rx_...`",
            says: "What stands beside a frame to the host is the same during all of the frame; this takes the same for given.",
            fault: Fault::Shown("wire records_pop = pop & lasts_head;", "wire records_pop = pop;"),
        },
    ],
    ..TO_MAC
};

/// The same from power-up, and what was taken for given.
pub const TO_HOST_FRAMES: Proof = Proof {
    block: Some(|| Ok(cut(&whole().verilog(&["receiver"])))),
    rules: || {
        to_host("lemma_whole_frames: assert (", "    always @* assume (!is_begun || !rst);\n").remembering("")
    },
    method: Method::Bounded(11),
    claims: &[
        Claim {
            says: "The same, with nothing taken for given but one reset, and with memories of 16 words.",
            ..TO_HOST.claims[0]
        },
        Claim {
            says: "The same, with nothing taken for given but one reset, and with memories of 16 words.",
            ..TO_HOST.claims[1]
        },
    ],
    ..TO_HOST
};

/// Frames from the MAC.
pub const FROM_MAC: Proof = Proof {
    block: Some(|| Ok(cut(&whole().verilog(&["rewrite_rx", "receiver"])))),
    rules: || Rules::of("", BEGIN.to_string() + include_str!("from_mac.v")).remembering("rewrite_rx.beats"),
    method: Method::Bounded(40),
    fault_edges: 26..40,
    claims: &[Claim {
        rule: "never_waits",
        source: "port `rx_in_tready`",
        says: "The MAC never waits but for the first two edges behind a reset; shown with memories of 16 words.",
        fault: Fault::Shown("assign tready = !tlast | meta_valid;", "assign tready = meta_valid;"),
    }],
    ..TO_MAC
};

/// A rule that what the stream at `stem` of a part shows stays until it is taken.
fn stream(rule: &str, stem: &str, payload: &[String]) -> String {
    let stem = stem.trim_end_matches('t');
    held(rule, &format!("{stem}tvalid"), &format!("{stem}tready"), &payload.join(", "))
}

/// The outputs of a stream but for `tvalid`.
fn payload(part: &str, stem: &str) -> Vec<String> {
    let names = whole().outputs(part, stem).into_iter().map(|(wire, _)| wire);
    names.filter(|wire| !wire.ends_with("_tvalid")).collect()
}

/// Rules of frames to the host. Of the beats and of what stands beside them a bit of each field is looked at: the bits of a word come out of
/// one memory and go one way. `given` is how what follows from the beats in the ring is stated.
fn to_host(given: &str, resets: &str) -> Rules {
    let beside: Vec<(String, u32)> = whole().beside();
    let stem = "receiver_m_axis_";
    let mut offered = vec![format!("{stem}tdata[0]"), format!("{stem}tkeep[7]"), format!("{stem}tlast")];
    offered.extend(beside.iter().map(|(wire, _)| format!("{wire}[0]")));
    let port = |(wire, bits): &(String, u32)| match (wire.trim_start_matches("receiver_"), bits) {
        (port, 1) => port.to_string(),
        (port, _) => format!("{port}[0]"),
    };
    let names: Vec<String> = beside.iter().map(port).collect();
    let text = |rules: &str| BEGIN.to_string() + &rules.replace("VERB (", given);
    let frames = include_str!("frames.v").replace("BESIDE", &names.join(", "));
    let mut rules = Rules::of("", BEGIN.to_string() + &stream("to_host_stays", stem, &offered) + resets)
        .and("receiver", &text(&frames))
        .and("receiver_ring", &text(include_str!("ring.v")));
    for queue in ["receiver_backlog", "receiver_backlog_4"] {
        rules = rules.and(queue, &text(include_str!("queue.v")));
    }
    for memory in ["receiver_beat_ram", "receiver_record_ram", "receiver_status_ram"] {
        rules = rules.and(memory, include_str!("keeps.v"));
    }
    rules
}

/// Memories with [`WORDS`] instead of more.
fn cut(verilog: &str) -> String {
    let line = |line: &str| match line.split_once(" words [0:") {
        Some((kind, last)) if last.trim_end_matches("];").parse::<u32>().is_ok_and(|last| last > 31) => {
            format!("{kind} {WORDS};\n")
        }
        _ => format!("{line}\n"),
    };
    verilog.lines().map(line).collect()
}
