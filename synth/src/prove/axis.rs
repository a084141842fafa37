//! What is claimed of every core through which packets stream, and the rules that say it.

use super::{Claim, Fault};

/// Rules at the ports and at the queue of beats of such a core: `goes_in` is high where `beat` goes into the queue, and `shown` is that beat
/// at the output.
pub fn beats(goes_in: &str, beat: &str, shown: &str) -> String {
    include_str!("axis.v").to_string()
        + &include_str!("axis_beats.v").replace("GOES_IN", goes_in).replace("BEAT", beat).replace("SHOWN", shown)
}

/// The rule that what is offered stays.
pub const STAYS: &str = include_str!("axis_stays.v");

/// The same of the records beside the packets, by the names of their fields.
pub fn record_stays(fields: &[&str]) -> String {
    include_str!("axis_record_stays.v").replace("RECORD", &fields.join(", "))
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
