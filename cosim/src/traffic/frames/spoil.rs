//! Frames that are not the profile's, or with something wrong.

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

use super::draft::Draft;

/// Frames of this size have their lengths wrong where the deciding beat shows it.
const SHORT_PAYLOAD: usize = 32;

/// A frame of `draft` spoilt in one way, or two. With trailers it has one, that was right before, or is right now if the frame has the
/// length that its headers had.
pub fn odd(draft: &mut Draft, has_crc: bool, random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    if random.random_ratio(1, 2) {
        draft.payload = random.random_range(0..=SHORT_PAYLOAD);
    }
    let mut frame = draft.frame();
    if has_crc {
        draft.seal(&mut frame);
    }
    let ways = if random.random_ratio(1, 8) { 2 } else { 1 };
    for _ in 0..ways {
        spoil(&mut frame, draft, random);
    }
    if has_crc && random.random_ratio(1, 2) {
        draft.seal(&mut frame);
    }
    frame
}

fn spoil(frame: &mut Vec<u8>, draft: &Draft, random: &mut Xoshiro256PlusPlus) {
    let (ip, udp) = (draft.ip_at(), draft.udp_at());
    let head = draft.head_bytes();
    match random.random_range(0..24) {
        // cut anywhere in the headers, or anywhere
        0..4 => frame.truncate(random.random_range(1..=head)),
        4 => frame.truncate(random.random_range(1..=frame.len())),
        // a few bytes too many, padding up to 64 or beyond
        5 => frame.resize(frame.len() + random.random_range(1..20), 0),
        6 => frame.resize(frame.len().max(random.random_range(60..70)), 0),
        // ARP, LLDP, TCP in IP, a third tag
        7 => put(frame, ip - 2, [0x0806, 0x88cc, 0x8100, 0x9100][random.random_range(0..4)]),
        8 => {
            let tag = [0x81, 0x00, 0, 1];
            let at = 12;
            for _ in draft.tags..3 {
                frame.splice(at.min(frame.len())..at.min(frame.len()), tag);
            }
        }
        // version, IHL
        9 => put_byte(frame, ip, random.random()),
        10 => put_byte(frame, ip, if draft.is_ipv6 { 0x60 } else { 0x40 } | random.random_range(0..16)),
        // fragments; the reserved bit and don't-fragment are none
        11 => {
            let bit = random.random_range(0..16);
            change(frame, ip + 6, 1 << bit);
            fix_checksum(frame, draft);
        }
        // protocol, extension headers
        12 => {
            let place = if draft.is_ipv6 { ip + 6 } else { ip + 9 };
            put_byte(frame, place, [0, 6, 43, 44, 50, 51, 59, 60, 136][random.random_range(0..9)]);
            fix_checksum(frame, draft);
        }
        // IPv4 checksum
        13 => change(frame, ip + 10, 1 << random.random_range(0..16)),
        // UDP port, or what is reserved
        14 => change(frame, udp + 2, 1 << random.random_range(0..16)),
        // lengths of IP and UDP, apart and together; behind an entropy header the second is the profile's
        15 => change(frame, udp + 4, 1 << random.random_range(0..16)),
        16 => {
            change(frame, length_at(draft), 1 << random.random_range(0..16));
            fix_checksum(frame, draft);
        }
        17 | 18 => {
            let by = random.random_range(-60..20_i16) as u16;
            for at in [length_at(draft), udp + 4] {
                let length = word(frame, at).wrapping_add(by);
                put(frame, at, length);
            }
            fix_checksum(frame, draft);
        }
        // an IPv4 length that is shorter than its own header, and a UDP length that would fit if numbers wrapped
        19 => {
            let total = random.random_range(0..60);
            put(frame, length_at(draft), total);
            let header = if draft.is_ipv6 { 0 } else { (udp - ip) as u16 };
            put(frame, udp + 4, total.wrapping_sub(header));
            fix_checksum(frame, draft);
        }
        // opcode or type
        20 => put_byte(frame, udp + draft.carried.bytes(), random.random()),
        21 => change(frame, udp + draft.carried.bytes(), 0x100 << random.random_range(0..8)),
        // any bit of the first bytes
        22 => {
            let at = random.random_range(12..head);
            change(frame, at, 0x100 << random.random_range(0..8));
            if random.random() {
                fix_checksum(frame, draft);
            }
        }
        // noise
        _ => {
            let length = random.random_range(1..200);
            *frame = (0..length).map(|_| random.random()).collect();
        }
    }
}

/// IP's length field.
fn length_at(draft: &Draft) -> usize {
    draft.ip_at() + if draft.is_ipv6 { 4 } else { 2 }
}

fn word(frame: &[u8], at: usize) -> u16 {
    let byte = |at| frame.get(at).copied().unwrap_or(0);
    u16::from_be_bytes([byte(at), byte(at + 1)])
}

fn put_byte(frame: &mut [u8], at: usize, value: u8) {
    if let Some(byte) = frame.get_mut(at) {
        *byte = value;
    }
}

fn put(frame: &mut [u8], at: usize, value: u16) {
    let [high, low] = value.to_be_bytes();
    put_byte(frame, at, high);
    put_byte(frame, at + 1, low);
}

fn change(frame: &mut [u8], at: usize, bits: u16) {
    let value = word(frame, at) ^ bits;
    put(frame, at, value);
}

/// Makes IPv4's checksum right again.
fn fix_checksum(frame: &mut [u8], draft: &Draft) {
    if draft.is_ipv6 || frame.len() < draft.udp_at() {
        return;
    }
    put(frame, draft.ip_at() + 10, 0);
    let words = (draft.ip_at()..draft.udp_at()).step_by(2).map(|at| u32::from(word(frame, at)));
    let sum: u32 = words.sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    put(frame, draft.ip_at() + 10, !((sum & 0xffff) + (sum >> 16)) as u16);
}
