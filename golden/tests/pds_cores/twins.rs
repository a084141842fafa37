//! Two targets that get the same frames: one of cores, and the endpoint.

use std::collections::VecDeque;
use std::iter::from_fn;

use respray_golden::hosts::pds::headers::Header;

use super::carry::{Other, Station};
use super::target::Target;
use super::{Case, encapsulation};

pub(super) struct Twins {
    cores: Target,
    other: Other,
    out: VecDeque<Vec<u8>>,
    wrong: Option<String>,
}

impl Twins {
    pub fn new(case: &Case) -> Self {
        Twins { cores: Target::new(case), other: Other::target(case), out: VecDeque::new(), wrong: None }
    }
}

/// What a frame says.
fn header(frame: &[u8]) -> String {
    let packet = encapsulation().read(frame).expect("it can be read");
    format!("{:?}", Header::parse(packet.bytes).expect("it can be read").0)
}

impl Station for Twins {
    /// What both send, which must be the same, byte for byte.
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let of_cores: Vec<Vec<u8>> = from_fn(|| self.cores.poll(now)).collect();
        let of_other: Vec<Vec<u8>> = from_fn(|| self.other.poll(now)).collect();
        if of_cores != of_other {
            let at = of_cores.iter().zip(&of_other).take_while(|(mine, theirs)| mine == theirs).count();
            let [cores, other] =
                [&of_cores, &of_other].map(|frames| frames.get(at).map(|frame| header(frame)));
            self.wrong.get_or_insert(format!("cores answer {cores:?}, the endpoint {other:?}"));
        }
        self.out.extend(of_cores);
        self.out.pop_front()
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        self.cores.receive(frame, now);
        self.other.receive(frame, now);
    }

    fn wake_at(&self) -> Option<u64> {
        None
    }

    fn is_done(&self) -> bool {
        self.cores.is_done() && self.other.is_done()
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone().or_else(|| self.cores.wrong()).or_else(|| self.other.wrong())
    }
}
