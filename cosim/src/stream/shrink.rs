//! Makes a failing list of frames small: fewer frames, no pauses, shorter payloads, fewer headers, plainer fields.

use std::collections::VecDeque;

use super::list::FrameList;
use super::pace::{Pace, Pacing};
use crate::traffic::frames::Frame;

/// Frames of the first end of a run that is tried, and by how much each is longer than the one before.
const SHORTEST: usize = 2;
const GROWTH: usize = 4;
/// Frames that are looked back on, and the most bytes that they have together.
pub const LOOK_BACK: usize = 1 << 12;
const LOOK_BACK_BYTES: usize = 1 << 25;

/// Runs a list from reset; where it fails, returns how many of its frames were begun by then.
pub type Trial<'a> = &'a mut dyn FnMut(&FrameList) -> Option<usize>;

/// The last of these frames: as many as are looked back on.
pub fn tail(frames: impl Iterator<Item = Frame>) -> Vec<Frame> {
    let (mut tail, mut bytes) = (VecDeque::new(), 0);
    for frame in frames {
        bytes += frame.data.len();
        tail.push_back(frame);
        while tail.len() > LOOK_BACK || bytes > LOOK_BACK_BYTES {
            bytes -= tail.pop_front().map_or(0, |frame: Frame| frame.data.len());
        }
    }
    tail.into()
}

/// The shortest end of `frames` that fails from reset at one of the paces, which are tried in their order, made as small as it
/// gets.
pub fn shrink(frames: &[Frame], paces: &[Pacing], trial: Trial<'_>) -> Option<FrameList> {
    let mut count = SHORTEST;
    loop {
        let end = &frames[frames.len().saturating_sub(count)..];
        for pacing in paces {
            let list = FrameList { pacing: *pacing, frames: end.to_vec(), notes: Vec::new() };
            if let Some(begun) = trial(&list) {
                let mut shrinker = Shrinker { list, trial };
                shrinker.cut(begun);
                shrinker.run();
                return Some(shrinker.list);
            }
        }
        if count >= frames.len() {
            return None;
        }
        count *= GROWTH;
    }
}

struct Shrinker<'a> {
    list: FrameList,
    trial: Trial<'a>,
}

/// Whether receivers stall, and senders have gaps.
fn pauses(pacing: &Pacing) -> (bool, bool) {
    match pacing {
        Pacing::Constant(Pace { gap, stall, .. }) => (*stall > 0.0, *gap > 0.0),
        Pacing::Phases { .. } => (true, true),
    }
}

/// What the shrinker makes smaller; every step that it takes makes this strictly smaller, so it ends.
fn cost(list: &FrameList) -> (usize, (bool, bool), usize, u64) {
    let bytes = list.frames.iter().map(|frame| frame.data.len()).sum();
    let ones = |word: u64| u64::from(word.count_ones());
    let weight = |frame: &Frame| {
        let fields = ones(frame.ev.into()) + ones(frame.timestamp.into()) + u64::from(frame.enable);
        let reset = frame.reset_after.map_or(0, |after| 100 + u64::from(after));
        fields + reset + frame.data.iter().map(|byte| ones(u64::from(*byte))).sum::<u64>()
    };
    (list.frames.len(), pauses(&list.pacing), bytes, list.frames.iter().map(weight).sum())
}

impl Shrinker<'_> {
    fn run(&mut self) {
        loop {
            let before = cost(&self.list);
            self.remove_frames();
            self.plainer_pace();
            for index in (0..self.list.frames.len()).rev() {
                self.shorten(index);
                self.plainer_fields(index);
            }
            if cost(&self.list) == before {
                return;
            }
        }
    }

    fn cut(&mut self, begun: usize) {
        let begun = begun.max(1);
        if begun < self.list.frames.len() {
            let list = FrameList { frames: self.list.frames[..begun].to_vec(), ..self.list.clone() };
            if (self.trial)(&list).is_some() {
                self.list = list;
            }
        }
    }

    /// Takes a candidate that costs less and still fails.
    fn accept(&mut self, candidate: FrameList) -> bool {
        // a list without a frame, and a frame without a byte, are refused when they are read
        let is_sound =
            !candidate.frames.is_empty() && candidate.frames.iter().all(|frame| !frame.data.is_empty());
        if !is_sound || cost(&candidate) >= cost(&self.list) {
            return false;
        }
        let Some(begun) = (self.trial)(&candidate) else { return false };
        self.list = candidate;
        self.cut(begun);
        true
    }

    /// A candidate in which one frame is another.
    fn replace(&mut self, index: usize, frame: Frame) -> bool {
        let mut candidate = self.list.clone();
        let Some(place) = candidate.frames.get_mut(index) else { return false };
        *place = frame;
        self.accept(candidate)
    }

    fn remove_frames(&mut self) {
        let mut chunk = self.list.frames.len().next_power_of_two() / 2;
        while chunk > 0 {
            let mut end = self.list.frames.len();
            while end > 0 {
                let start = end.saturating_sub(chunk);
                let mut candidate = self.list.clone();
                candidate.frames.drain(start..end);
                self.accept(candidate);
                end = start.min(self.list.frames.len());
            }
            chunk /= 2;
        }
    }

    fn plainer_pace(&mut self) {
        let mut plainer = vec![Pacing::free(self.list.pacing.seed())];
        if let Pacing::Constant(Pace { gap, stall, seed }) = self.list.pacing {
            plainer.push(Pace { gap, stall: 0.0, seed }.into());
            plainer.push(Pace { gap: 0.0, stall, seed }.into());
        }
        for pacing in plainer {
            self.accept(FrameList { pacing, ..self.list.clone() });
        }
    }

    fn shorten(&mut self, index: usize) {
        let Some(frame) = self.list.frames.get(index) else { return };
        // cut off the end, with the lengths in the headers put right or left as they are
        let mut step = frame.data.len().next_power_of_two() / 2;
        while step > 0 {
            let Some(frame) = self.list.frames.get(index).cloned() else { return };
            let length = frame.data.len();
            let is_shorter = length > step
                && [true, false].into_iter().any(|put_right| {
                    let mut data = frame.data.clone();
                    data.truncate(length - step);
                    if put_right {
                        lengthen(&mut data, -(step as i64));
                    }
                    self.replace(index, Frame { data, ..frame.clone() })
                });
            if !is_shorter {
                step /= 2;
            }
        }
        // headers out of the middle
        while let Some(frame) = self.list.frames.get(index).cloned() {
            let Some(ip) = Places::of(&frame.data) else { break };
            let mut candidates = Vec::new();
            if ip.at >= 18 {
                candidates.push((12..16, 0));
            }
            if ip.is_ipv4 && ip.udp > ip.at + 20 {
                candidates.push((ip.at + 20..ip.udp, (ip.udp - ip.at - 20) as u8 / 4));
            }
            let is_shorter = candidates.into_iter().any(|(gone, option_words)| {
                let mut data = frame.data.clone();
                if option_words > 0 {
                    data[ip.at] -= option_words;
                    let total = word(&data, ip.at + 2).wrapping_sub(u16::from(option_words) * 4);
                    put(&mut data, ip.at + 2, total);
                }
                data.drain(gone);
                fix_checksum(&mut data);
                self.replace(index, Frame { data, ..frame.clone() })
            });
            if !is_shorter {
                break;
            }
        }
    }

    fn plainer_fields(&mut self, index: usize) {
        let Some(frame) = self.list.frames.get(index).cloned() else { return };
        for plainer in [
            Frame { reset_after: None, ..frame.clone() },
            Frame { ev: 0, timestamp: 0, ..frame.clone() },
            Frame { ev: 0, ..frame.clone() },
            Frame { ev: 1, ..frame.clone() },
            Frame { timestamp: 0, ..frame.clone() },
            Frame { timestamp: 1, ..frame.clone() },
            Frame { enable: false, ..frame.clone() },
        ] {
            self.replace(index, plainer);
        }
        // what is asked to 0, one by one
        for column in 0..frame.orders.0.len() {
            let Some(mut frame) = self.list.frames.get(index).cloned() else { return };
            if frame.orders.0[column] != 0 {
                frame.orders.0[column] = 0;
                self.replace(index, frame);
            }
        }
        // bytes to 0, in ever smaller blocks, with IPv4's checksum put right or left as it is
        let mut block = frame.data.len().next_power_of_two() / 2;
        while block > 0 {
            let mut at = 0;
            while let Some(frame) = self.list.frames.get(index).cloned()
                && at < frame.data.len()
            {
                let end = frame.data.len().min(at + block);
                if frame.data[at..end].iter().any(|byte| *byte != 0) {
                    let mut data = frame.data.clone();
                    data[at..end].fill(0);
                    let mut put_right = data.clone();
                    fix_checksum(&mut put_right);
                    let _ = self.replace(index, Frame { data: put_right, ..frame.clone() })
                        || self.replace(index, Frame { data, ..frame });
                }
                at = end;
            }
            block /= 2;
        }
    }
}

/// Where IP and UDP begin in a frame that has as much.
struct Places {
    at: usize,
    is_ipv4: bool,
    udp: usize,
}

impl Places {
    fn of(data: &[u8]) -> Option<Places> {
        let mut at = 14;
        while data.len() >= at && matches!(word(data, at - 2), 0x8100 | 0x88a8) {
            at += 4;
        }
        let first = *data.get(at)?;
        let is_ipv4 = first >> 4 == 4;
        let udp = at + if is_ipv4 { usize::from(first & 15) * 4 } else { 40 };
        let is_whole = (is_ipv4 || first >> 4 == 6) && udp >= at + 20 && data.len() >= udp;
        is_whole.then_some(Places { at, is_ipv4, udp })
    }
}

/// Adds to the lengths of IP and UDP.
fn lengthen(data: &mut [u8], by: i64) {
    let Some(places) = Places::of(data) else { return };
    let field = if places.is_ipv4 { places.at + 2 } else { places.at + 4 };
    for at in [field, places.udp + 4] {
        if data.len() >= at + 2 {
            put(data, at, (i64::from(word(data, at)) + by) as u16);
        }
    }
    fix_checksum(data);
}

fn fix_checksum(data: &mut [u8]) {
    let Some(places) = Places::of(data).filter(|places| places.is_ipv4) else { return };
    put(data, places.at + 10, 0);
    let sum = data[places.at..places.udp].chunks(2).fold(0_u32, |sum, pair| sum + u32::from(word(pair, 0)));
    let sum = (sum & 0xffff) + (sum >> 16);
    put(data, places.at + 10, !((sum & 0xffff) + (sum >> 16)) as u16);
}

fn word(data: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([data[at], data[at + 1]])
}

fn put(data: &mut [u8], at: usize, value: u16) {
    data[at..at + 2].copy_from_slice(&value.to_be_bytes());
}
