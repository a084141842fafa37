//! How fast frames go through each lane: a beat in each cycle, whatever the frames are long, and how late.

use super::bench::{Given, Place, Step, beats};
use super::devices::{corundum, opennic_250mhz, opennic_322mhz, plain};
use super::{IDENTITY, other, size, sound};

/// Each wrapper by the name of its folder, with what stands beside a frame of that number and length.
type Lane = (Place, fn(usize, usize) -> u128);

fn lanes() -> [Lane; 4] {
    let sized: fn(usize, usize) -> u128 = |_, bytes| size(bytes);
    let tagged: fn(usize, usize) -> u128 = |at, _| (at as u128) << 1;
    let bare: fn(usize, usize) -> u128 = |_, _| 0;
    [
        (opennic_250mhz(), sized),
        (opennic_322mhz(), bare),
        (Place { pause: 0, ..corundum() }, tagged),
        (plain(), bare),
    ]
}

/// Frames of these lengths back to back, both ways at once: the cycles from the first one's end to the last one's, less those of the
/// beats, towards the MAC and towards the host.
fn lost_cycles(
    (place, side): &Lane,
    lengths: &[usize],
    change: impl Fn(String) -> String,
) -> Result<[u64; 2], String> {
    let given = |base: u32| -> Vec<Given> {
        let one = |(at, bytes): (usize, &usize)| Given {
            frame: other(base + at as u32, *bytes),
            side: side(at, *bytes),
            gap: 0,
        };
        lengths.iter().enumerate().map(one).collect()
    };
    let (host, mac) = (given(0), given(0x1000));
    let all = beats(&host);
    let script = [Step::Host(all), Step::Mac(all), Step::Wait(2 * all as u32 + 400)];
    let out = place.run(&host, &mac, &script, change);
    sound(&out)?;
    let rest = beats(&host[1..]) as u64;
    let mut lost = [0, 0];
    for (at, ends) in out.ends.iter().enumerate() {
        if ends.len() != lengths.len() {
            return Err(format!("{} frames of {}", ends.len(), lengths.len()));
        }
        lost[at] = ends[ends.len() - 1] - ends[0] - rest;
    }
    Ok(lost)
}

/// Cycles that may be lost once, while the first frames go.
const ONCE: u64 = 4;

fn at_full_rate(lane: &Lane, lengths: &[usize]) {
    let name = &lane.0.wrapper.folder;
    let lost = lost_cycles(lane, lengths, |text| text).unwrap_or_else(|error| panic!("{name}: {error}"));
    eprintln!("{name}: frames of {} bytes: cycles lost {lost:?}", lengths[0]);
    assert!(lost.iter().all(|lost| *lost <= ONCE), "{name}, {lengths:?}: cycles lost {lost:?}");
}

/// Frames of one beat, of two, and of more.
fn mixed() -> Vec<usize> {
    [60, 64, 65, 128, 60, 60, 192, 60].repeat(8)
}

#[test]
fn corundum_gets_a_beat_a_cycle_of_frames_of_one_beat() {
    at_full_rate(&lanes()[2], &mixed());
}

#[test]
#[ignore = "half a minute: each lane at each length"]
fn each_lane_takes_a_beat_a_cycle_at_each_length() {
    for lane in &lanes() {
        at_full_rate(lane, &mixed());
        for bytes in [60, 64, 65, 128, 129, 192, 1514] {
            at_full_rate(lane, &[bytes].repeat(if bytes > 200 { 8 } else { 100 }));
        }
    }
}

#[test]
#[ignore = "seconds for what the rate test shows already"]
fn a_lane_that_loses_a_cycle_a_frame_is_found() {
    // each beat is looked at for a cycle before it leaves, and the tag of its frame is taken as it leaves
    let slow = |text: String| {
        let changes = [
            (
                "wire has_tag = !out_tuser || has_begun || leaving_out_valid;",
                "reg looked = 1'b0;\n\
                 always @(posedge clk) looked <= out_tvalid && !(m_axis_tvalid && m_axis_tready);\n\
                 wire has_tag = looked && (!out_tuser || has_begun || leaving_out_valid);",
            ),
            ("(needs_tag && m_axis_tready)", "(needs_tag && looked && m_axis_tready)"),
        ];
        changes.into_iter().fold(text, |text, (right, wrong)| {
            assert!(text.contains(right), "{right}");
            text.replace(right, wrong)
        })
    };
    let lost = lost_cycles(&lanes()[2], &mixed(), slow).unwrap();
    assert!(lost[0] > ONCE, "cycles lost {lost:?}");
}

/// Cycles from the first beat of a frame that is alone to its last one behind the lane, towards the MAC and towards the host.
fn latencies((place, side): &Lane, bytes: usize) -> [u64; 2] {
    let given = |number| [Given { frame: other(number, bytes), side: side(0, bytes), gap: 0 }];
    let (host, mac) = (given(1), given(2));
    let all = beats(&host);
    let script = [Step::Host(all), Step::Wait(300), Step::Mac(all), Step::Wait(300), Step::Read(IDENTITY)];
    let out = place.run(&host, &mac, &script, |text| text);
    sound(&out).unwrap();
    [0, 1].map(|at| out.ends[at][0] - out.begins[at][0])
}

/// The page says them.
#[test]
#[ignore = "half a minute: each lane at three lengths"]
fn a_frame_is_as_late_as_the_page_says() {
    let page = include_str!("../../../docs/integration.md");
    for lane in &lanes() {
        for bytes in [60, 192, 1514] {
            let [tx, rx] = latencies(lane, bytes);
            let row = format!("| `{}` | {bytes} | {tx} | {rx} |", lane.0.wrapper.folder);
            assert!(page.contains(&row), "the page has no row {row}");
        }
    }
}
