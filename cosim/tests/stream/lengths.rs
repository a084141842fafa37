//! Every length, and every shape of the headers in front of it.

use respray_cosim::stream::{Frame, Pace, Traffic};
use respray_cosim::traffic::frames::{Checksum, Draft, MAX_BYTES};
use respray_golden::wire::{Profile, strack, uet};

use super::{CORES, EACH_PROFILE, SOME, Setup, all, generated, passes, widths};

/// Shortest frame, without frame check sequence.
const MIN_BYTES: usize = 60;
/// Tags, IP version, options, UDP checksum or none: all of them together, one set for each number.
const SHAPES: usize = 3 * 2 * 11 * 2;
/// Prime to [`SHAPES`], so that lengths next to each other have shapes that differ in everything.
const STRIDE: usize = 61;

fn draft(profile: Profile, number: usize) -> Draft {
    let (tags, rest) = (number % 3, number / 3);
    let (is_ipv6, rest) = (rest % 2 == 1, rest / 2);
    let (options, rest) = (rest % 11, rest / 11);
    let header = match profile {
        Profile::Strack => {
            strack::Data { connection: 5, psn: number as u32, ..Default::default() }.to_bytes().to_vec()
        }
        Profile::Uet => uet::Request { psn: number as u32, ..Default::default() }.to_bytes().to_vec(),
    };
    Draft {
        tags,
        is_ipv6,
        options,
        real_options: false,
        traffic_class: number as u8,
        flow_label: number as u32,
        source_port: number as u16,
        udp_port: profile.udp_port(),
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: if rest % 2 == 0 { Checksum::None } else { Checksum::Right },
        seed: number as u64,
        header,
        payload: 0,
    }
}

/// A frame of just this length, padded if it is the shortest. `None` if its headers are longer.
fn of_length(draft: Draft, length: usize) -> Option<Frame> {
    let payload = length.checked_sub(draft.head_bytes()).or((length == MIN_BYTES).then_some(0))?;
    let mut data = Draft { payload, ..draft }.frame();
    data.resize(data.len().max(MIN_BYTES), 0);
    (data.len() == length).then_some(Frame {
        input: 0,
        data,
        ev: length as u16,
        timestamp: 0x1234,
        enable: true,
        ..Frame::default()
    })
}

/// One frame of every length that the headers leave room for.
fn every_length(profile: Profile) -> Vec<Frame> {
    let frames: Vec<Frame> = (MIN_BYTES..=MAX_BYTES)
        .filter_map(|length| {
            let mut shapes = (0..SHAPES).map(|step| draft(profile, (length + step) * STRIDE % SHAPES));
            shapes.find_map(|draft| of_length(draft, length))
        })
        .collect();
    assert_eq!(frames.len(), MAX_BYTES - MIN_BYTES + 1);
    frames
}

/// Every shape, at the lengths at which its last beats end within a beat of 64 bytes, and at the longest.
fn every_shape(profile: Profile) -> Vec<Frame> {
    let of_shape = |number| {
        let draft = draft(profile, number);
        let least = draft.head_bytes().max(MIN_BYTES);
        let lengths = (least..least + 70).step_by(7).chain([MAX_BYTES]);
        lengths.map(move |length| of_length(draft.clone(), length).expect("there is room"))
    };
    (0..SHAPES).flat_map(of_shape).collect()
}

fn lengths_pass(setups: &[Setup]) {
    for (profile, wire) in EACH_PROFILE {
        let widths = widths(setups, wire);
        for (core, width) in CORES.iter().flat_map(|core| widths.iter().map(move |width| (core, width))) {
            let core = generated(core, &[width, wire]);
            let report =
                passes(&core, Traffic::Given(every_length(profile)), Pace { gap: 0.0, stall: 0.0, seed: 1 });
            let own = report.counts.get("rewritten") + report.counts.get("data");
            assert_eq!(own, (MAX_BYTES - MIN_BYTES + 1) as u64, "all of them are the profile's");
        }
    }
}

fn shapes_pass(setups: &[Setup]) {
    for (profile, wire) in EACH_PROFILE {
        let frames = every_shape(profile);
        let widths = widths(setups, wire);
        for (core, width) in CORES.iter().flat_map(|core| widths.iter().map(move |width| (core, width))) {
            let core = generated(core, &[width, wire]);
            let report =
                passes(&core, Traffic::Given(frames.clone()), Pace { gap: 0.2, stall: 0.2, seed: 2 });
            let own = report.counts.get("rewritten") + report.counts.get("data");
            assert_eq!(own, frames.len() as u64, "all of them are the profile's");
        }
    }
}

#[test]
fn every_length_from_60_to_9216_passes_both_cores() {
    lengths_pass(&[SOME[0], SOME[3]]);
}

#[test]
fn every_shape_of_headers_passes_both_cores() {
    shapes_pass(&[SOME[1], SOME[2]]);
}

#[test]
#[ignore = "half a minute"]
fn every_length_and_shape_passes_at_every_width_in_each_profile() {
    lengths_pass(&all());
    shapes_pass(&all());
}
