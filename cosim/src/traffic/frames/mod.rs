//! A random generator of frames for the rewriters, the same for the same seed and knobs.
//!
//! Most frames are the profile's, with 0 to 2 VLAN tags, IPv4 with and without options or IPv6, UDP checksums or none, every
//! length from the shortest to 9216 bytes. The others are everything else: other traffic, and frames with something wrong at
//! a place of the generator's choice.

mod draft;
mod frame;
mod shims;
mod spoil;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::rewrite::Carried;
use respray_golden::rewrite::crc32c::TRAILER_BYTES;
use respray_golden::wire::{Profile, strack, uet};
use respray_hdl::config::{Config, Wire};

use draft::SHORTEST;
pub use draft::{Checksum, Draft};
pub use frame::{Frame, LONGEST_FRAME, mix};
pub use shims::{ORDERS, Orders};

/// Longest frame, without frame check sequence: a jumbo frame.
pub const MAX_BYTES: usize = 9216;

/// The golden table of the header profile that a configuration names.
pub fn profile(config: &Config) -> Profile {
    match config.wire {
        Wire::Strack => Profile::Strack,
        Wire::Uet => Profile::Uet,
    }
}

/// What the frames are like. Shares are of all frames, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameKnobs {
    /// Frames that are not the profile's, or with something wrong.
    pub odd: f64,
    /// Frames of the profile with a UDP checksum that is wrong; it stays as wrong as it is. With trailers, a bit of the payload or the
    /// trailer is wrong, too.
    pub wrong_checksum: f64,
    /// Frames that are not to be rewritten.
    pub disabled: f64,
    /// Frames in the midst of which a reset comes.
    pub resets: f64,
    /// IPv4 options are noise, no list of options that exist.
    pub noise_options: bool,
    /// Longest frame in bytes.
    pub longest: usize,
}

impl Default for FrameKnobs {
    fn default() -> Self {
        FrameKnobs {
            odd: 0.3,
            wrong_checksum: 0.05,
            disabled: 0.1,
            resets: 0.002,
            noise_options: true,
            longest: MAX_BYTES,
        }
    }
}

impl FrameKnobs {
    /// Frames of the profile with right checksums alone, nothing in them that another parser stumbles over, all of them to be
    /// rewritten.
    pub fn clean() -> Self {
        FrameKnobs {
            odd: 0.0,
            wrong_checksum: 0.0,
            disabled: 0.0,
            resets: 0.0,
            noise_options: false,
            longest: MAX_BYTES,
        }
    }
}

/// The stream of frames. It does not end.
#[derive(Clone, Debug)]
pub struct RandomFrames {
    random: Xoshiro256PlusPlus,
    profile: Profile,
    udp_port: u16,
    carried: Carried,
    has_crc: bool,
    knobs: FrameKnobs,
    /// Inputs that the frames come on.
    inputs: u8,
    /// EtherType of the shims that frames have, if they have some.
    shims: Option<u16>,
}

impl RandomFrames {
    /// Frames of `profile` on `udp_port`.
    pub fn new(seed: u64, profile: Profile, udp_port: u16, knobs: FrameKnobs) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (carried, has_crc) = (Carried::Udp, false);
        RandomFrames { random, profile, udp_port, carried, has_crc, knobs, inputs: 1, shims: None }
    }

    /// The profile's headers are carried so, but for a few of the frames.
    pub fn carried(self, carried: Carried) -> Self {
        RandomFrames { carried, ..self }
    }

    /// Packets end with a CRC32C, right for most of them, if `has_crc`.
    pub fn with_crc(self, has_crc: bool) -> Self {
        RandomFrames { has_crc, ..self }
    }

    /// The frames come on so many inputs, as many on each.
    pub fn over(self, inputs: u8) -> Self {
        RandomFrames { inputs, ..self }
    }

    /// Some frames have shims of this EtherType, and something is asked of all.
    pub fn with_shims(self, ethertype: u16) -> Self {
        RandomFrames { shims: Some(ethertype), ..self }
    }

    fn is(&mut self, share: f64) -> bool {
        share > 0.0 && self.random.random_bool(share)
    }

    /// The next frame, with this header of the profile in it.
    pub fn around(&mut self, header: Vec<u8>) -> Frame {
        let mut draft = self.draft(header);
        let data = if self.is(self.knobs.odd) {
            spoil::odd(&mut draft, self.has_crc, &mut self.random)
        } else {
            let mut data = draft.frame();
            if self.has_crc {
                draft.seal(&mut data);
                if draft.checksum == Checksum::Wrong {
                    let at = self.random.random_range(draft.head_bytes()..data.len());
                    data[at] ^= 1 << self.random.random_range(0..8);
                }
            }
            data.resize(data.len().max(SHORTEST), 0);
            data
        };
        let disabled = self.is(self.knobs.disabled);
        let reset = self.is(self.knobs.resets);
        let random = &mut self.random;
        let mut frame = Frame {
            input: if self.inputs > 1 { random.random_range(0..self.inputs) } else { 0 },
            data,
            ev: random.random(),
            timestamp: random.random(),
            enable: !disabled,
            reset_after: reset.then(|| random.random_range(0..20)),
            orders: Orders::default(),
        };
        if let Some(ethertype) = self.shims {
            shims::add_shim(&mut frame, ethertype, random);
        }
        frame
    }

    /// The next frame of the profile, with nothing wrong in it, of so many bytes: at least those of all headers.
    pub fn of_length(&mut self, bytes: usize) -> Frame {
        let header = self.header();
        let mut draft = self.draft(header);
        draft.payload = bytes - draft.head_bytes();
        let random = &mut self.random;
        Frame {
            data: draft.frame(),
            ev: random.random(),
            timestamp: random.random(),
            enable: true,
            ..Frame::default()
        }
    }

    fn draft(&mut self, header: Vec<u8>) -> Draft {
        let random = &mut self.random;
        let checksum = match random.random_range(0..4) {
            0 => Checksum::None,
            _ => Checksum::Right,
        };
        let mut draft = Draft {
            tags: [0, 0, 1, 2][random.random_range(0..4)],
            is_ipv6: random.random(),
            options: if random.random_ratio(1, 4) { random.random_range(1..=10) } else { 0 },
            real_options: !self.knobs.noise_options,
            traffic_class: random.random(),
            flow_label: random.random_range(0..1 << 20),
            source_port: random.random(),
            udp_port: self.udp_port,
            carried: self.carried,
            checksum,
            seed: random.random(),
            header,
            payload: 0,
        };
        draft.payload = self.payload(draft.head_bytes());
        if self.has_crc {
            draft.payload = draft.payload.max(TRAILER_BYTES);
        }
        if self.is(self.knobs.wrong_checksum) {
            draft.checksum = Checksum::Wrong;
        }
        draft
    }

    /// Bytes of payload: short frames mostly, so that there are many.
    fn payload(&mut self, head: usize) -> usize {
        let longest = self.knobs.longest.saturating_sub(head);
        let random = &mut self.random;
        let payload = match random.random_range(0..64) {
            0..32 => random.random_range(0..=64),
            32..50 => random.random_range(0..=256),
            50..60 => random.random_range(0..=1500),
            // the last beats' edges of every width
            60..63 => {
                (64 * random.random_range(1..24_usize) + random.random_range(0..3)).saturating_sub(head + 1)
            }
            _ => random.random_range(0..=longest),
        };
        payload.min(longest)
    }

    fn header(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        match self.profile {
            Profile::Strack if random.random_ratio(2, 3) => strack::Data {
                connection: random.random_range(0..1 << 24),
                ack_request: random.random(),
                psn: random.random_range(0..1 << 24),
                timestamp: random.random(),
                probe: random.random_ratio(1, 4),
                hops: random.random(),
            }
            .to_bytes()
            .to_vec(),
            Profile::Strack => strack::Ack {
                connection: random.random_range(0..1 << 24),
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
            Profile::Uet if random.random_ratio(1, 5) => self.uet_other(),
            Profile::Uet if random.random_ratio(2, 3) => uet::Request {
                ordered: random.random(),
                next_header: random.random_range(0..16),
                retransmit: random.random(),
                ack_request: random.random(),
                syn: random.random_ratio(1, 8),
                clear_psn_offset: random.random(),
                psn: random.random(),
                source_pdc: random.random(),
                destination_pdc: random.random(),
                credit: random.random_ratio(1, 4).then(|| uet::Credit {
                    ccc_id: random.random(),
                    target: random.random_range(0..1 << 24),
                }),
            }
            .to_bytes(),
            Profile::Uet => uet::Ack {
                next_header: random.random_range(0..16),
                ecn_echo: random.random(),
                retransmit: random.random(),
                probe: random.random(),
                request: random.random_range(0..4),
                ack_psn_offset: random.random(),
                cack_psn: random.random(),
                source_pdc: random.random(),
                destination_pdc: random.random(),
                cc: random.random_ratio(2, 3).then(|| uet::AckCc {
                    is_ccx: random.random_ratio(1, 4),
                    cc_type: if random.random() { uet::CC_NSCC } else { random.random_range(0..16) },
                    cc_flags: random.random_range(0..16),
                    mpr: random.random(),
                    sack_psn_offset: random.random(),
                    sack_bitmap: random.random(),
                    service_time: random.random(),
                    restore_cwnd: random.random(),
                    rcv_cwnd_pend: random.random_range(0..128),
                    rcvd_bytes: random.random_range(0..1 << 24),
                    ooo_count: random.random(),
                }),
            }
            .to_bytes(),
        }
    }

    /// NACKs and control packets of `uet`, with odd frames also those that are of no kind.
    fn uet_other(&mut self) -> Vec<u8> {
        let is_odd = self.is(self.knobs.odd);
        let random = &mut self.random;
        if random.random() {
            let nack = uet::Nack {
                is_ccx: random.random_ratio(1, 4),
                next_header: random.random_range(0..16),
                ecn_echo: random.random(),
                retransmit: random.random(),
                of_rudi: is_odd,
                nack_code: random.random(),
                vendor_code: random.random(),
                psn: random.random(),
                source_pdc: random.random(),
                destination_pdc: random.random(),
                payload: random.random(),
            };
            return nack.to_bytes().to_vec();
        }
        uet::Control {
            ctl: random.random_range(0..16),
            ordered: random.random(),
            retransmit: random.random(),
            ack_request: random.random(),
            syn: is_odd,
            probe_opaque: random.random(),
            psn: random.random(),
            source_pdc: random.random(),
            destination_pdc: random.random(),
            payload: random.random_ratio(3, 4).then(|| random.random()),
        }
        .to_bytes()
    }
}

impl Iterator for RandomFrames {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let header = self.header();
        Some(self.around(header))
    }
}
