//! What is claimed of every core through which packets stream, and the rules that say it.

use super::{Claim, Fault};

/// The beginning of a proof.
pub const BEGIN: &str = include_str!("begin.v");

/// The rule `rule` that what a stream offers stays: its `valid`, its `ready`, and all that stands beside them.
pub fn held(rule: &str, valid: &str, ready: &str, payload: &str) -> String {
    let rules = include_str!("held.v").replace("RULE", rule).replace("VALID", valid);
    rules.replace("READY", ready).replace("PAYLOAD", payload)
}

/// The same of what a core is given, of which it is taken for given.
pub fn given(stream: &str, valid: &str, ready: &str, payload: &str) -> String {
    held(stream, valid, ready, payload).replace("assert (", "assume (")
}

/// What a core is given that takes packets.
pub fn input() -> String {
    let payload = "s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tuser";
    BEGIN.to_string() + include_str!("axis.v") + &given("given", "s_axis_tvalid", "s_axis_tready", payload)
}

/// Rules at the ports and at the queue of beats of such a core: `goes_in` is high where `beat` goes into the queue, and `shown` is that beat
/// at the output.
pub fn beats(goes_in: &str, beat: &str, shown: &str) -> String {
    input()
        + &include_str!("axis_beats.v")
            .replace("GOES_IN", goes_in)
            .replace("BEAT", beat)
            .replace("SHOWN", shown)
}

/// The rule that what is offered stays.
pub fn output_stays() -> String {
    let payload = "m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser";
    held("stays_until_taken", "m_axis_tvalid", "m_axis_tready", payload)
}

/// The same of the records beside the packets, by the names of their fields.
pub fn record_stays(fields: &[&str]) -> String {
    held("record_stays", "meta_valid", "meta_ready", &fields.join(", "))
}

/// No beat is taken back or changed.
pub const fn stays(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "stays_until_taken",
        source: "AXI4-Stream section 2.2.1",
        says: "A beat that is offered is offered, unchanged, until it is taken.",
        fault: Fault::Shown(right, wrong),
    }
}

/// No record is taken back or changed.
pub const fn record_stays_claim(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "record_stays",
        source: "port `meta_valid`",
        says: "A record that is offered is offered, unchanged, until it is taken.",
        fault: Fault::Shown(right, wrong),
    }
}

/// No loss, no duplicate and no other order of beats; `says` tells which beats.
pub const fn in_order(says: &'static str, right: &'static str, wrong: &'static str) -> Claim {
    Claim { rule: "in_order", source: "a beat in, the beat out", says, fault: Fault::Shown(right, wrong) }
}

/// `tkeep` of the output.
pub const fn shaped(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "shaped",
        source: "port `m_axis_tkeep`",
        says: "`tkeep` of what goes out is all ones but in a packet's last beat, where it is contiguous from bit 0 and not empty.",
        fault: Fault::Shown(right, wrong),
    }
}

/// No deadlock at the output; `says` tells within how many edges.
pub const fn never_stuck(says: &'static str, right: &'static str, wrong: &'static str) -> Claim {
    Claim { rule: "never_stuck", source: "no deadlock", says, fault: Fault::Shown(right, wrong) }
}

/// No deadlock at the input; `says` tells within how many edges.
pub const fn takes_again(says: &'static str, right: &'static str, wrong: &'static str) -> Claim {
    Claim { rule: "takes_again", source: "no deadlock", says, fault: Fault::Shown(right, wrong) }
}

/// Events; `says` tells within how many edges.
pub const fn one_event(says: &'static str, right: &'static str, wrong: &'static str) -> Claim {
    Claim { rule: "one_event", source: "one event a packet", says, fault: Fault::Shown(right, wrong) }
}

/// A queue whose head stands in its memory's output register.
pub const OFFERS: &str = "An edge after a beat is in the queue of the output it is offered.";
