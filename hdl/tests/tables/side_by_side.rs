//! STrack's parts beside each other: none holds the others up at the rate of small packets.

use std::collections::BTreeMap;

use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::cycles::Cycles;

/// Cycles of a packet and its ACK at a full window, and of two packets and a SACK of both while it grows.
const ONE_AND_ONE: u32 = 26;
const TWO_AND_ONE: u32 = 52;

fn intervals(core: &str, sets: &[&str]) -> BTreeMap<String, Cycles> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let config = Config::load(None, &sets).expect("a valid configuration");
    generate(core, &config).expect("the core is generated").manifest.initiation_interval_cycles
}

/// Cycles of a class of op, with counts as they are in this place.
fn cycles(of: &BTreeMap<String, Cycles>, class: &str, counts: &[(&str, u32)]) -> u32 {
    let count = |name: &str| counts.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count);
    of[class].at(count)
}

#[test]
fn a_packet_and_its_ack_take_26_cycles_at_most_at_a_full_window() {
    let strack = intervals("strack", &[]);
    // a search that looks at every word of 256 marks, and once more at the first
    let search = cycles(&strack, "send_search", &[("words", 9)]);
    assert!(search + cycles(&strack, "feedback", &[]) <= ONE_AND_ONE, "{strack:?}");
    // a full window does not grow
    let window = intervals("strack_cc", &[]);
    assert!(cycles(&window, "ack_hold", &[]) <= ONE_AND_ONE, "{window:?}");
    for engine in ["sack.engine=small", "sack.engine=fast"] {
        let sack_tx = intervals("sack_tx", &[engine]);
        // one SACK in 16 moves on by a segment of 16 packets
        let sixteen = 16 * cycles(&sack_tx, "sent", &[])
            + 15 * cycles(&sack_tx, "sack", &[])
            + cycles(&sack_tx, "sack", &[("cum_segments", 1)]);
        assert!(sixteen <= 16 * ONE_AND_ONE, "{sack_tx:?}");
    }
}

#[test]
fn two_packets_and_a_sack_take_52_cycles_at_most_while_the_window_grows() {
    let strack = intervals("strack", &[]);
    let search = cycles(&strack, "send_search", &[("words", 9)]);
    assert!(2 * search + cycles(&strack, "feedback", &[]) <= TWO_AND_ONE, "{strack:?}");
    let window = intervals("strack_cc", &[]);
    let slowest = window.keys().map(|class| cycles(&window, class, &[])).max();
    assert!(slowest.is_some_and(|cycles| cycles <= TWO_AND_ONE), "{window:?}");
    for engine in ["sack.engine=small", "sack.engine=fast"] {
        let sack_tx = intervals("sack_tx", &[engine]);
        let both = 2 * cycles(&sack_tx, "sent", &[]) + cycles(&sack_tx, "sack", &[("cum_segments", 1)]);
        assert!(both <= TWO_AND_ONE, "{sack_tx:?}");
    }
}
