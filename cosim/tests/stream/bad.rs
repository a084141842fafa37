//! Bad input: unchanged, flagged, counted, and the frame behind it is none the worse.

use respray_cosim::stream::{Frame, Pace, Traffic};
use respray_cosim::traffic::frames::{Checksum, Draft, FrameKnobs, RandomFrames};
use respray_golden::wire::{Profile, strack, uet};

use super::{CORES, EACH_PROFILE, SOME, Setup, all, generated, passes, widths};

fn draft(profile: Profile) -> Draft {
    let header = match profile {
        Profile::Strack => {
            strack::Ack { connection: 7, sack_bitmap: 5, ..Default::default() }.to_bytes().to_vec()
        }
        Profile::Uet => {
            uet::Ack { cack_psn: 7, cc: Some(Default::default()), ..Default::default() }.to_bytes()
        }
    };
    Draft {
        tags: 0,
        is_ipv6: false,
        options: 0,
        real_options: false,
        traffic_class: 0,
        flow_label: 0,
        source_port: 0xc000,
        udp_port: profile.udp_port(),
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: Checksum::Right,
        seed: 1,
        header,
        payload: 30,
    }
}

/// Every kind of header.
fn shapes(profile: Profile) -> Vec<Draft> {
    let draft = draft(profile);
    vec![
        Draft { tags: 1, ..draft.clone() },
        Draft { tags: 2, options: 10, ..draft.clone() },
        Draft { is_ipv6: true, ..draft.clone() },
        Draft { is_ipv6: true, tags: 2, ..draft.clone() },
        draft,
    ]
}

fn frame(data: Vec<u8>) -> Frame {
    Frame { input: 0, data, ev: 0x1234, timestamp: 0x5678, enable: true, ..Frame::default() }
}

/// Runs both cores in those of `setups` that have the profile on bad frames, a good one behind each; `malformed` of the bad ones are
/// that.
fn run_between_good_ones(setups: &[Setup], profile: Profile, bad: &[Vec<u8>], malformed: Option<u64>) {
    let wire = EACH_PROFILE.iter().find(|known| known.0 == profile).expect("one of both").1;
    let good = draft(profile).frame();
    let frames: Vec<Frame> = bad.iter().flat_map(|bad| [frame(bad.clone()), frame(good.clone())]).collect();
    for core in CORES {
        for width in widths(setups, wire) {
            let generated = generated(core, &[width, wire]);
            let pace = Pace { gap: 0.1, stall: 0.1, seed: 5 };
            let report = passes(&generated, Traffic::Given(frames.clone()), pace);
            assert_eq!(report.counts.get("frames"), frames.len() as u64, "nothing hangs, nothing is lost");
            let own = if core == "rewrite_tx" { "rewritten" } else { "ack" };
            assert!(report.counts.get(own) >= bad.len() as u64, "the good ones");
            if let Some(malformed) = malformed {
                assert_eq!(report.counts.get("malformed"), malformed, "{core} {width}");
                assert_eq!(report.counts.get(own), bad.len() as u64);
            }
        }
    }
}

fn cut_headers(setups: &[Setup]) {
    for (profile, _) in EACH_PROFILE {
        let decisive = if profile == Profile::Strack { 16 } else { 12 };
        let (mut early, mut late) = (Vec::new(), Vec::new());
        for draft in shapes(profile) {
            let whole = draft.frame();
            let decided = draft.udp_at() + 8 + decisive;
            early.extend((1..decided).map(|end| whole[..end].to_vec()));
            late.extend((decided..draft.head_bytes()).map(|end| whole[..end].to_vec()));
        }
        // up to the decisive bytes the verdict does not hang on the width
        run_between_good_ones(setups, profile, &early, Some(early.len() as u64));
        run_between_good_ones(setups, profile, &late, None);
    }
}

fn other_headers(setups: &[Setup]) {
    for (profile, _) in EACH_PROFILE {
        let (v4, v6) = (draft(profile), Draft { is_ipv6: true, ..draft(profile) });
        let change = |draft: &Draft, changes: &[(usize, u8)]| {
            let mut data = draft.frame();
            changes.iter().for_each(|(at, value)| data[*at] = *value);
            data
        };
        let mut unsupported = vec![
            change(&v4, &[(12, 0x08), (13, 0x06)]),
            change(&v4, &[(12, 0x88), (13, 0xcc)]),
            Draft { tags: 3, ..v4.clone() }.frame(),
            change(&v4, &[(20, 0x20)]),
            change(&v4, &[(21, 0x01)]),
            change(&v4, &[(23, 6)]),
        ];
        unsupported.extend((0..5).map(|ihl| change(&v4, &[(14, 0x40 | ihl)])));
        unsupported.extend([0, 43, 44, 50, 51, 60].map(|next| change(&v6, &[(20, next)])));
        run_between_good_ones(setups, profile, &unsupported, Some(0));

        let mut malformed: Vec<Vec<u8>> = vec![
            change(&v4, &[(24, 0x55)]),             // IPv4 checksum
            change(&v4, &[(38, 0xff)]),             // UDP longer than IP
            change(&v6, &[(18, 0x01), (58, 0x02)]), // and in IPv6
            change(&v4, &[(14, 0x4f)]),             // options over the UDP header: their checksum
        ];
        malformed.extend((1..14).map(|length| vec![0xff; length])); // runts
        run_between_good_ones(setups, profile, &malformed, Some(malformed.len() as u64));
    }
}

fn random_ones(setups: &[Setup]) {
    for (profile, _) in EACH_PROFILE {
        let knobs = FrameKnobs { odd: 1.0, resets: 0.0, longest: 300, ..FrameKnobs::default() };
        let bad: Vec<Vec<u8>> = RandomFrames::new(11, profile, profile.udp_port(), knobs)
            .take(2000)
            .map(|frame| frame.data)
            .collect();
        run_between_good_ones(setups, profile, &bad, None);
    }
}

#[test]
fn headers_cut_at_every_byte_are_flagged() {
    cut_headers(&SOME);
}

#[test]
fn lengths_fragments_versions_and_other_traffic() {
    other_headers(&SOME);
}

#[test]
fn one_random_frame_in_three_with_something_wrong() {
    random_ones(&SOME);
}

#[test]
#[ignore = "a model for each"]
fn bad_input_is_flagged_at_every_width_in_each_profile() {
    [cut_headers, other_headers, random_ones].iter().for_each(|run| run(&all()));
}
