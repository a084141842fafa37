//! Rules of the receiver's bitmap: 004 section 3.3.1, Figure 7, in both engines.

use respray_cosim::cores::sack_rx::SackRxCore;

use super::{WIRES, holds, lines};

/// The rule holds for both engines with this window.
fn both_hold(text: &str, window: u32) {
    both_hold_on(WIRES[0].0, text, window);
}

/// The same with PSNs of this wire.
fn both_hold_on(wire: &str, text: &str, window: u32) {
    for engine in ["sack.engine=small", "sack.engine=fast"] {
        holds::<SackRxCore>(text, &[&format!("sack.window={window}"), engine, wire]);
    }
}

#[test]
fn new_duplicate_outside_probe_and_uninitialised_are_told_apart() {
    for (wire, psns) in WIRES {
        let half = psns.half();
        let text = format!(
            "
op,conn,psn,bytes,probe,expect_status
packet,0,100,10,,7
init,0,100,,,
packet,0,100,10,,0
packet,0,100,10,,1
packet,0,99,10,,1
packet,0,103,10,,0
packet,0,103,10,,1
packet,0,164,10,,0
packet,0,165,10,,2
packet,0,103,10,1,3
packet,1,103,10,1,7
packet,0,{},10,,1
packet,0,{},10,,2
",
            101 + half,
            100 + half
        );
        both_hold_on(wire, &text, 64);
    }
}

/// A connection that is closed is as one that saw no `init`, whatever it held, and a reserved code closes, too. The next `init` finds nothing of it.
#[test]
fn a_closed_connection_takes_nothing_and_acknowledges_nothing() {
    let text = "
# respray: sack_threshold=0
op,conn,psn,bytes,ack_request,probe,expect_status,expect_valid,expect_epsn,expect_bytes
init,0,100,,,,,,,
init,1,100,,,,,,,
packet,0,100,10,,,0,1,101,10
packet,0,103,10,,,0,1,101,20
packet,1,100,10,,,0,1,101,10
close,0,103,,,,,,,
packet,0,101,10,,,7,0,,
packet,0,103,10,1,,7,0,,
packet,0,101,0,1,1,7,0,,
close,0,0,,,,,,,
packet,1,101,10,,,0,1,102,20
init,0,102,,,,,,,
packet,0,103,10,,,0,1,102,10
packet,0,102,10,,,0,1,104,20
reserved3,1,102,,,,,,,
packet,1,102,10,,,7,0,,
packet,0,104,10,,,0,1,105,30
";
    both_hold(text, 64);
}

/// PSNs around the wrap: the lowest one is missing until the end.
#[test]
fn epsn_moves_over_the_whole_run_at_once_and_the_sack_shows_that_state() {
    for (wire, psns) in WIRES {
        let first = psns.sub(0, 70);
        let packets = (1..128).map(|n| format!("packet,0,{},10,none,,,,,", psns.add(first, n)));
        let last = format!("packet,0,{first},10,sack,58,0,{:#x},0,1280", (1_u64 << 58) - 1);
        let init = format!("init,0,{first},,,,,,,");
        let text = lines(
            "# respray: sack_threshold=65535\nop,conn,psn,bytes,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo,expect_bytes",
            [init].into_iter().chain(packets).chain([last]),
        );
        both_hold_on(wire, &text, 128);
    }
}

#[test]
fn a_sack_shows_the_lowest_segment_since_the_last_one_and_a_probe_changes_nothing() {
    let text = format!(
        "
# respray: sack_threshold=65535
op,conn,psn,bytes,ack_request,probe,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo,expect_bytes
init,0,10,,,,,,,,,
packet,0,70,10,,,none,,,,,
packet,0,137,10,,,none,,,,,
packet,0,135,10,,1,sack,10,128,{:#x},2,20
packet,0,20,10,,,none,,,,,
packet,0,130,10,,,none,,,,,
packet,0,141,10,1,,none,,,,,
packet,0,129,10,1,,sack,10,0,{:#x},5,50
packet,0,135,10,1,,sack,10,128,{:#x},6,60
",
        1 << 9,
        ((1_u64 << 10) - 1) | 1 << 20,
        1 << 1 | 1 << 2 | 1 << 7 | 1 << 9,
    );
    both_hold(&text, 128);
}

/// A SACK is due for a packet that EPSN waited for, at the threshold, on request, on a probe and on a duplicate.
/// 004 section 3.3.1: the SACK carries the mark, the EV and the timestamp of the packet that triggered it.
#[test]
fn a_sack_repeats_what_its_packet_says() {
    let text = "
op,conn,psn,bytes,ecn,ev,timestamp,ack_request,probe,expect_psn,expect_ecn,expect_ev,expect_timestamp,expect_probe
init,9,5,,,,,,,,,,,
packet,9,5,10,1,513,1027,1,,5,1,513,1027,0
packet,9,6,10,0,65535,0,1,,6,0,65535,0,0
packet,9,6,10,1,0,65535,1,,6,1,0,65535,0
packet,9,6,10,0,770,4,,1,6,0,770,4,1
";
    both_hold(text, 64);
}

#[test]
fn a_sack_is_due_for_each_of_its_reasons_and_for_no_other() {
    let text = "
# respray: sack_threshold=30
op,conn,psn,bytes,ack_request,probe,expect_valid
init,0,0,,,,
packet,0,5,10,,,0
packet,0,6,10,,,0
packet,0,7,10,,,1
packet,0,8,10,,,0
packet,0,9,10,1,,1
packet,0,10,29,,,0
packet,0,10,29,,,1
packet,0,0,1,,,1
packet,0,40,,,1,1
packet,0,200,1,,,0
";
    both_hold(text, 64);
}

/// Segments fill in any order, and EPSN then passes all that follow it without a gap.
#[test]
fn epsn_passes_full_segments_up_to_the_first_gap() {
    for (place, (segments, gap, window)) in [(4, 0, 256), (4, 1, 256), (4, 3, 256)].into_iter().enumerate() {
        let (wire, psns) = WIRES[place % 2];
        let start = psns.sub(0, 320);
        let segment = |n: u32| (64 * n..64 * n + 64).filter(|n| *n != 0);
        let mut order: Vec<u32> = (1..segments).rev().filter(|n| *n != gap).flat_map(segment).collect();
        order.extend(segment(0));
        let passed = if gap == 0 { segments } else { gap };
        let epsn = psns.add(start, 64 * passed);
        let held = order.len() as u32 + 1 - 64 * passed;
        let packets = order.iter().map(|n| format!("packet,0,{},10,none,,", psns.add(start, *n)));
        let last = format!("packet,0,{start},10,,{epsn},{held}");
        let text = lines(
            "# respray: sack_threshold=65535\nop,conn,psn,bytes,expect,expect_epsn,expect_ooo",
            [format!("init,0,{start},,,,")].into_iter().chain(packets).chain([last]),
        );
        both_hold_on(wire, &text, window);
    }
}

/// The first and the last segment lie in one word: what is not received of one looks received of the other.
#[test]
fn the_last_segment_is_never_taken_for_a_full_one() {
    for window in [64, 128, 256] {
        let packets = (1..window - 1).map(|psn| format!("packet,0,{psn},10,,,,,"));
        let last = format!("packet,0,{},10,,{},{window},0x1,0", window - 1, window + 1);
        let text = lines(
            "# respray: sack_threshold=65535\nop,conn,psn,bytes,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo",
            ["init,0,1,,,,,,".to_string(), format!("packet,0,{window},10,none,,,,")]
                .into_iter()
                .chain(packets)
                .chain([last]),
        );
        both_hold(&text, window);
    }
}
