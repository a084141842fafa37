//! Resets in the middle of traffic: no part of a frame leaves a lane, whether the block forgets its frames by the command or the shell
//! resets it.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::bench::{Came, Given, Out, Place, Step, beats};
use super::devices::{corundum, opennic_250mhz, opennic_322mhz, plain};
use super::{COMMAND, IDENTITY, other, size, sound};

/// What forgets the frames.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The command `reset`.
    Command,
    /// The reset pair of the shell.
    User,
}

/// What stands beside a frame as it is given, and as it comes out, of its number and length; and whether a frame that was cut may leave
/// with a mark that spoils it.
struct Lane {
    place: Place,
    given: fn(usize, usize) -> u128,
    to_mac: fn(usize, usize) -> u128,
    to_host: fn(usize, usize) -> u128,
    marks: bool,
}

fn bare(_: usize, _: usize) -> u128 {
    0
}

fn tagged(at: usize, _: usize) -> u128 {
    (at as u128) << 1
}

fn of_250mhz() -> Lane {
    Lane {
        place: opennic_250mhz(),
        given: |_, bytes| size(bytes),
        to_mac: |_, bytes| size(bytes) << 32 | 0x0001 << 16 | 0x0040,
        to_host: |_, bytes| size(bytes) << 32 | 0x0040 << 16 | 0x0001,
        marks: false,
    }
}

fn of_322mhz() -> Lane {
    Lane { place: opennic_322mhz(), given: bare, to_mac: bare, to_host: bare, marks: false }
}

fn of_corundum() -> Lane {
    Lane { place: corundum(), given: tagged, to_mac: tagged, to_host: tagged, marks: true }
}

fn of_plain() -> Lane {
    Lane { place: plain(), given: bare, to_mac: bare, to_host: bare, marks: true }
}

/// Frames of all lengths with and without gaps, more than pass in so many resets.
fn traffic(lane: &Lane, base: u32, resets: usize, random: &mut StdRng) -> Vec<Given> {
    let lengths = [60, 64, 65, 128, 129, 200, 700, 1514, 1514];
    // before each beat
    let gaps = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 8];
    let mut one = |at: usize| {
        let bytes = lengths[random.random_range(0..lengths.len())];
        let gap = gaps[random.random_range(0..gaps.len())];
        Given { frame: other(base + at as u32, bytes), side: (lane.given)(at, bytes), gap }
    };
    (0..resets * 30 + 40).map(&mut one).collect()
}

/// The frames that came whole, as numbers of those that were given; each must be one of them, in their order and with `side` beside it,
/// or bear a mark.
fn whole(
    came: &[Came],
    given: &[Given],
    side: fn(usize, usize) -> u128,
    marks: bool,
) -> Result<Vec<usize>, String> {
    let mut found = vec![];
    let mut next = 0;
    for came in came {
        // what ends with a mark is spoiled, whatever bytes it has
        if marks && came.side & 1 == 1 {
            continue;
        }
        let at = given[next..].iter().position(|given| given.frame == came.frame);
        match at {
            Some(at) if came.side == side(next + at, came.frame.len()) => {
                found.push(next + at);
                next += at + 1;
            }
            Some(at) => return Err(format!("beside frame {}: {:x}", next + at, came.side)),
            None => {
                return Err(format!(
                    "{} bytes that are no frame, beside them {:x}",
                    came.frame.len(),
                    came.side
                ));
            }
        }
    }
    Ok(found)
}

/// The number of the last frame that was given to its end, if there was one.
fn last_given(given: &[Given], taken: usize) -> Option<usize> {
    let mut left = taken;
    let is_given = |given: &&Given| {
        let beats = given.frame.len().div_ceil(64);
        let fits = beats <= left;
        left = left.saturating_sub(beats);
        fits
    };
    given.iter().take_while(is_given).count().checked_sub(1)
}

/// So many resets at random moments of traffic both ways; frames that were cut, to the MAC and to the host.
fn under_resets(
    lane: &Lane,
    kind: Kind,
    resets: usize,
    change: impl Fn(String) -> String,
) -> Result<[usize; 2], String> {
    let mut random = StdRng::seed_from_u64(resets as u64);
    let host = traffic(lane, 0, resets, &mut random);
    let mac = traffic(lane, 0x10_0000, resets, &mut random);
    let mut script = vec![];
    if matches!(kind, Kind::Command) {
        // the registers take no access before each has its value
        script.push(Step::Read(IDENTITY));
    }
    script.extend([Step::Host(beats(&host)), Step::Mac(beats(&mac))]);
    for _ in 0..resets {
        script.push(Step::Stalls([0, 2, 5, 7][random.random_range(0..4)]));
        script.push(Step::Wait(random.random_range(40..200)));
        match kind {
            Kind::Command => script.push(Step::Write(COMMAND, 5)),
            // a shell has it low for one edge
            Kind::User => {
                script.extend([Step::UserReset([1, 1, 5][random.random_range(0..3)]), Step::ResetDone])
            }
        }
    }
    // what is given now comes after all resets, and must arrive
    script.extend([Step::Stalls(1), Step::Only(160), Step::Wait(1200)]);
    let place = Place { limit_us: 4000, ..lane.place.clone() };
    let out = place.run(&host, &mac, &script, change);
    judged(lane, &out, &host, &mac)
}

fn judged(lane: &Lane, out: &Out, host: &[Given], mac: &[Given]) -> Result<[usize; 2], String> {
    sound(out)?;
    let mut lost = [0, 0];
    for (at, (came, given, side)) in
        [(&out.to_mac, host, lane.to_mac), (&out.to_host, mac, lane.to_host)].into_iter().enumerate()
    {
        let to = ["to the MAC", "to the host"][at];
        let found = whole(came, given, side, lane.marks).map_err(|error| format!("{to}: {error}"))?;
        let last = last_given(given, out.taken[at]).ok_or(format!("{to}: no frame was taken to its end"))?;
        if found.last() != Some(&last) {
            return Err(format!(
                "{to}: frame {last} was given after all resets; the last that came is {:?}",
                found.last()
            ));
        }
        lost[at] = last + 1 - found.len();
    }
    eprintln!("{}: lost {lost:?}", lane.place.wrapper.folder);
    Ok(lost)
}

fn no_part_leaves(lane: &Lane, kind: Kind, resets: usize) {
    let name = &lane.place.wrapper.folder;
    let lost = under_resets(lane, kind, resets, |text| text)
        .unwrap_or_else(|error| panic!("{name}, {kind:?}: {error}"));
    assert!(
        lost.iter().all(|lost| *lost >= resets / 2),
        "{name}, {kind:?}: lost {lost:?}: the resets cut too little"
    );
}

#[test]
fn a_reset_of_the_user_block_passes_no_part_of_a_frame_to_qdma() {
    no_part_leaves(&of_250mhz(), Kind::User, 6);
}

#[test]
fn the_command_reset_passes_no_part_of_a_frame_to_cmac() {
    no_part_leaves(&of_322mhz(), Kind::Command, 6);
}

#[test]
#[ignore = "minutes: 64 resets of each lane"]
fn no_lane_passes_a_part_of_a_frame_in_64_command_resets() {
    for lane in [of_250mhz(), of_322mhz(), of_corundum(), of_plain()] {
        no_part_leaves(&lane, Kind::Command, 64);
    }
}

#[test]
#[ignore = "a minute: 64 resets of each box"]
fn no_box_passes_a_part_of_a_frame_in_64_user_resets() {
    for lane in [of_250mhz(), of_322mhz()] {
        no_part_leaves(&lane, Kind::User, 64);
    }
}

/// `from` becomes `to` wherever it stands.
fn broken(from: &'static str, to: &'static str) -> impl Fn(String) -> String {
    move |text| {
        assert!(text.contains(from), "the sources have no {from}");
        text.replace(from, to)
    }
}

#[test]
#[ignore = "half a minute for lanes that nobody has"]
fn a_lane_that_passes_a_part_of_a_frame_is_found() {
    // the rest of a frame from the host is taken for a frame
    let rest = broken("drops <= 1'b1;", "drops <= 1'b0;");
    assert!(under_resets(&of_250mhz(), Kind::Command, 8, &rest).unwrap_err().contains("that are no frame"));
    assert!(under_resets(&of_322mhz(), Kind::Command, 8, &rest).unwrap_err().contains("that are no frame"));
    assert!(under_resets(&of_plain(), Kind::Command, 8, &rest).unwrap_err().contains("that are no frame"));
    // what holds whole frames is reset with the block
    let forgets = broken(".rst(far_start_rst)", ".rst(reset_far_rst)");
    assert!(under_resets(&of_250mhz(), Kind::User, 8, forgets).is_err());
    // what came of a frame before the reset is joined to what comes after it
    let joins = broken(".cut(nic_engine_rst)", ".cut(1'b0)");
    assert!(under_resets(&of_322mhz(), Kind::User, 8, joins).is_err());
}
