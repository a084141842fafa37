//! Frames from the network, most of them for the few connections that are open.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::traffic::frames::{Checksum, Draft, FrameKnobs, RandomFrames};
use respray_golden::wire::{Profile, strack, uet};

/// Connections of the engine; headers name two more.
pub const CONNECTIONS: u32 = 16;
/// First PSN of each connection, so that they wrap soon.
pub const FIRST_PSN: u32 = 0xff_fff0;

/// A frame, and whether the MAC finds it bad.
pub type Arrival = (Vec<u8>, bool);

/// What the frames of a phase are like.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Share of frames of any kind, as the random frames of the rewriters are.
    pub odd: f64,
    /// Share of ACKs.
    pub acks: f64,
    /// Connections that packets name.
    pub connections: u32,
    /// Longest payload of the profile's frames.
    pub payload: usize,
}

/// So many frames of a mix. `next` is the next PSN of each connection.
pub fn arrivals(profile: Profile, seed: u64, count: usize, mix: Mix, next: &mut [u32]) -> Vec<Arrival> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut any = RandomFrames::new(
        seed,
        profile,
        profile.udp_port(),
        FrameKnobs { odd: 0.6, ..FrameKnobs::default() },
    );
    let mut arrivals = Vec::with_capacity(count);
    for _ in 0..count {
        let frame = if random.random_bool(mix.odd) {
            any.next().expect("the stream does not end").data
        } else {
            packet(profile, &mut random, mix, next)
        };
        arrivals.push((frame, random.random_ratio(1, 12)));
    }
    arrivals
}

fn packet(profile: Profile, random: &mut StdRng, mix: Mix, next: &mut [u32]) -> Vec<u8> {
    let is_ack = random.random_bool(mix.acks);
    let connection = random.random_range(0..mix.connections);
    let header =
        if is_ack { ack(profile, random, connection) } else { data(profile, random, connection, next) };
    let draft = Draft {
        tags: random.random_range(0..3),
        is_ipv6: random.random(),
        options: if random.random_ratio(1, 6) { 3 } else { 0 },
        real_options: true,
        traffic_class: random.random(),
        flow_label: 1,
        source_port: random.random(),
        udp_port: profile.udp_port(),
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: Checksum::Right,
        seed: random.random(),
        header,
        payload: if random.random() { 0 } else { random.random_range(0..=mix.payload) },
    };
    let mut frame = draft.frame();
    frame.resize(frame.len().max(60), 0);
    frame
}

fn data(profile: Profile, random: &mut StdRng, connection: u32, next: &mut [u32]) -> Vec<u8> {
    let next = &mut next[connection as usize];
    let psn = match random.random_range(0..16) {
        0 => next.wrapping_sub(random.random_range(0..70)),
        1 => next.wrapping_add(random.random_range(0..70)),
        2 => next.wrapping_add(1),
        _ => *next,
    };
    *next = psn.wrapping_add(1);
    match profile {
        Profile::Strack => strack::Data {
            connection,
            ack_request: random.random_ratio(1, 3),
            psn: psn & 0xff_ffff,
            timestamp: random.random(),
            probe: random.random_ratio(1, 8),
            hops: 0,
        }
        .to_bytes()
        .to_vec(),
        Profile::Uet => uet::Request {
            ordered: random.random(),
            next_header: 0,
            retransmit: random.random(),
            ack_request: random.random_ratio(1, 3),
            syn: false,
            clear_psn_offset: 0,
            psn,
            source_pdc: random.random(),
            destination_pdc: connection as u16,
            credit: random.random_ratio(1, 8).then(uet::Credit::default),
        }
        .to_bytes(),
    }
}

fn ack(profile: Profile, random: &mut StdRng, connection: u32) -> Vec<u8> {
    match profile {
        Profile::Strack => strack::Ack {
            connection,
            psn: random.random_range(0..1 << 24),
            echo_entropy: random.random(),
            echo_timestamp: random.random(),
            recv_bytes: random.random(),
            expected_psn: random.random_range(0..1 << 24),
            ooo: random.random_range(0..1 << 12),
            ecn_echo: random.random(),
            probe_echo: random.random(),
            sack_base: random.random_range(0..1 << 24),
            sack_bitmap: random.random(),
        }
        .to_bytes()
        .to_vec(),
        Profile::Uet => uet::Ack {
            cack_psn: random.random(),
            destination_pdc: connection as u16,
            cc: Some(uet::AckCc {
                sack_bitmap: random.random(),
                ooo_count: random.random(),
                ..Default::default()
            }),
            ..Default::default()
        }
        .to_bytes(),
    }
}
