//! What is proved of frames of events.

use super::super::axis::BEGIN;
use super::super::{Claim, Fault, Method, Proof, Rules};
use super::TO_MAC;
use super::parts::{EVENT_FRAME_SETS, whole_with_event_frames};

/// Frames of events go between others, and no event and no loss is left out, for all time.
pub const EVENT_FRAMES: Proof = Proof {
    block: Some(|| Ok(whole_with_event_frames().verilog(&["event_frames"]))),
    sets: EVENT_FRAME_SETS,
    rules: || {
        let text = |rules: &str| BEGIN.to_string() + rules;
        Rules::of("event_frames", text(include_str!("event_frames.v")))
            .and("event_frames_gather", &text(include_str!("event_records.v")))
    },
    method: Method::Unbounded(2),
    fault_edges: 0..20,
    claims: &[
        Claim {
            rule: "between_frames",
            source: "key `nic.events`",
            says: "No frame of events goes out amid a frame that came, where `nic.events` = frames; this takes for given that a frame is \
                   offered without a pause.",
            fault: Fault::Shown(
                "is_own <= has_own & (!valid | (leaves & is_last));",
                "is_own <= has_own & (!valid | leaves);",
            ),
        },
        Claim {
            rule: "each_loss_counts",
            source: "key `nic.events`",
            says: "The count in a frame is that of all events that were lost.",
            fault: Fault::Shown("+ {1'b0, lost1} +", "+"),
        },
        Claim {
            rule: "each_is_told",
            source: "key `nic.events`",
            says: "A frame takes as many events of the queue as it says that it has.",
            fault: Fault::Shown(
                "assign event_ready = is_busy & is_record & is_odd;",
                "assign event_ready = is_busy & is_record;",
            ),
        },
    ],
    ..TO_MAC
};
