//! The way between the block and the endpoint.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::frame::trim;
use respray_golden::hosts::pds::headers::Header;
use respray_golden::paths::frame::mark;

use super::{TRIMMED, TRIMMED_LAST, encapsulation};

/// In hundredths.
const LOST: u32 = 15;
const DOUBLED: u32 = 3;
const MARKED: u32 = 5;
/// Of requests.
const TRIMMED_SHARE: u32 = 5;
/// Nanoseconds that a packet takes at least, and up to how many more.
const DELAY: u64 = 1000;
const REORDER: u64 = 8000;
/// Bytes of IP's payload that are left of a trimmed packet.
const LEFT: usize = 24;

/// When a frame arrives, its number, whether it goes to the block, and the frame.
type UnderWay = (u64, u64, bool, Vec<u8>);

/// Frames that are under way both ways.
pub struct Path {
    random: Xoshiro256PlusPlus,
    due: BinaryHeap<Reverse<UnderWay>>,
    number: u64,
}

impl Path {
    pub fn new(seed: u64) -> Path {
        Path { random: Xoshiro256PlusPlus::seed_from_u64(seed), due: BinaryHeap::new(), number: 0 }
    }

    fn chance(&mut self, hundredths: u32) -> bool {
        self.random.random_ratio(hundredths, 100)
    }

    pub fn send(&mut self, to_block: bool, mut frame: Vec<u8>, now: u64) {
        if self.chance(LOST) {
            return;
        }
        let packet = encapsulation().read(&frame).expect("both ends send what can be read");
        let is_request = matches!(Header::parse(packet.bytes), Ok((Header::Request(_), _)));
        if is_request && self.chance(TRIMMED_SHARE) {
            let dscp = if self.chance(30) { TRIMMED_LAST } else { TRIMMED };
            frame = trim(&frame, LEFT, dscp);
        } else if is_request && self.chance(MARKED) {
            mark(&mut frame);
        }
        let copies = 1 + u32::from(self.chance(DOUBLED));
        for _ in 0..copies {
            let at = now + DELAY + self.random.random_range(0..REORDER);
            self.number += 1;
            self.due.push(Reverse((at, self.number, to_block, frame.clone())));
        }
    }

    /// A frame that has arrived by now, and whether it is for the block.
    pub fn arrived(&mut self, now: u64) -> Option<(bool, Vec<u8>)> {
        self.due.peek().filter(|Reverse((at, ..))| *at <= now)?;
        self.due.pop().map(|Reverse((_, _, to_block, frame))| (to_block, frame))
    }
}
