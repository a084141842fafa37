//! `nic_outlet`: whole frames, those of `a` first but not for ever, and a beat a cycle.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::nic::outlet::MOST_IN_A_ROW;

use super::bench::{Bench, ensure};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Beat {
    data: u64,
    keep: u64,
    last: bool,
    user: bool,
}

impl Beat {
    /// With 0 in the bytes that `keep` does not name.
    fn named(self) -> Beat {
        let bits =
            (0..8).filter(|byte| self.keep >> byte & 1 == 1).fold(0, |bits, byte| bits | 0xff << (8 * byte));
        Beat { data: self.data & bits, ..self }
    }
}

/// A source of random frames.
#[derive(Default)]
struct Frames {
    /// Beats of the frame that are still to come.
    left: u32,
    offered: Option<Beat>,
}

impl Frames {
    fn offer(&mut self, rng: &mut StdRng, density: u32, has_user: bool) {
        if self.offered.is_some() || rng.random_range(0..8) >= density {
            return;
        }
        if self.left == 0 {
            self.left = rng.random_range(1..5);
        }
        self.left -= 1;
        let last = self.left == 0;
        let keep = if last { (1 << rng.random_range(1..9)) - 1 } else { 0xff };
        let user = has_user && rng.random();
        self.offered = Some(Beat { data: rng.random(), keep, last, user });
    }
}

/// What the arbiter is to do.
#[derive(Default)]
struct Plain {
    /// Within a frame: whether it is one of `b`.
    frame: Option<bool>,
    in_a_row: u64,
    longest_row: u64,
    /// Beats on their way, and the last one that was taken.
    inside: VecDeque<Beat>,
    latest: Option<Beat>,
    frames: [u32; 2],
    /// Frames that were cut.
    cut: u32,
}

impl Plain {
    /// The source that is chosen, of those that offer a beat: whether it is `b`.
    fn chosen(&self, offers: [bool; 2]) -> bool {
        self.frame.unwrap_or(!offers[0] || offers[1] && self.in_a_row == MOST_IN_A_ROW)
    }

    /// A beat of the chosen source is taken.
    fn take(&mut self, is_b: bool, beat: Beat, b_waits: bool) {
        if self.frame.is_none() {
            self.frames[usize::from(is_b)] += 1;
            self.in_a_row = if !is_b && b_waits { self.in_a_row + 1 } else { 0 };
            self.longest_row = self.longest_row.max(self.in_a_row);
        }
        self.frame = (!beat.last).then_some(is_b);
        // what `a` offers passes as it is
        let beat = if is_b { beat.named() } else { beat };
        self.latest = Some(beat);
        self.inside.push_back(beat);
    }

    /// What is behind both inputs is reset: the frame ends with an error.
    fn cut(&mut self) {
        if self.frame.take().is_some() {
            let beat = self.latest.expect("the frame has begun");
            self.inside.push_back(Beat { last: true, user: true, ..beat });
            self.cut += 1;
        }
        self.in_a_row = 0;
    }
}

fn drive(bench: &mut Bench, name: &str, beat: Option<Beat>) {
    let mut set = |port: &str, value: u64| bench.set(&format!("{name}_axis_{port}"), value);
    set("tvalid", beat.is_some().into());
    let Some(beat) = beat else { return };
    set("tdata", beat.data);
    set("tkeep", beat.keep);
    set("tlast", beat.last.into());
    if name == "b" {
        set("tuser", beat.user.into());
    }
}

fn output(bench: &Bench) -> Option<Beat> {
    bench.is_high("m_axis_tvalid").then(|| Beat {
        data: bench.get("m_axis_tdata"),
        keep: bench.get("m_axis_tkeep"),
        last: bench.is_high("m_axis_tlast"),
        user: bench.is_high("m_axis_tuser"),
    })
}

fn readies(bench: &Bench) -> [bool; 2] {
    ["a", "b"].map(|name| bench.is_high(&format!("{name}_axis_tready")))
}

fn run(instance: &'static str) -> Result<Plain, String> {
    let (mut bench, mut rng) = (Bench::new(instance), StdRng::seed_from_u64(9));
    let (mut plain, mut sources) = (Plain::default(), [Frames::default(), Frames::default()]);
    let mut held = None;
    for cycle in 0..6000 {
        let at = |text: String| format!("cycle {cycle}: {text}");
        let [a_density, b_density, ready_density] =
            [[8, 8, 8], [4, 4, 4], [7, 2, 6], [2, 7, 3]][cycle / 250 % 4];
        let offered = [sources[0].offered, sources[1].offered];
        drive(&mut bench, "a", offered[0]);
        drive(&mut bench, "b", offered[1]);
        let is_ready = rng.random_range(0..8) < ready_density;
        bench.set("m_axis_tready", is_ready);
        let is_cut = cycle % 1000 > 300 && rng.random_ratio(1, 40);
        bench.set("cut", is_cut);
        bench.model.settle();

        let is_b = plain.chosen(offered.map(|beat| beat.is_some()));
        let ready = readies(&bench);
        let other = usize::from(!is_b);
        ensure(!(ready[other] && offered[other].is_some()), || at("the wrong source is taken from".into()))?;
        let out = output(&bench);
        ensure(held.is_none() || out == held, || at("a beat changes while it waits".into()))?;
        ensure(out.is_none_or(|beat| plain.inside.front() == Some(&beat)), || at(format!("{out:?}")))?;
        held = out.filter(|_| !is_ready);
        if is_ready && out.is_some() {
            plain.inside.pop_front();
        }
        // what is offered while the frame is cut is lost, whether the source sees it taken or not
        let is_taken = ready[usize::from(is_b)] && !is_cut;
        let beat = sources[usize::from(is_b)].offered.filter(|_| is_taken);
        if let Some(beat) = beat {
            sources[usize::from(is_b)].offered = None;
            plain.take(is_b, beat, offered[1].is_some());
        }
        if is_cut {
            plain.cut();
            sources = Default::default();
        }
        let is_full = cycle % 1000 > 20 && cycle % 1000 < 250;
        ensure(!is_full || beat.is_some() && out.is_some(), || at("a cycle without a beat".into()))?;
        ensure(plain.inside.len() < 3, || at("beats do not come out".into()))?;
        // what comes in the next cycle is known in this one
        sources[0].offer(&mut rng, a_density, false);
        sources[1].offer(&mut rng, b_density, true);
        bench.set("a_axis_comes", sources[0].offered.is_some());
        bench.model.settle();
        bench.model.rise();
    }
    ensure(plain.cut > 20, || format!("{} frames were cut", plain.cut))?;
    Ok(plain)
}

#[test]
fn frames_pass_whole_and_neither_input_starves() {
    let seen = run("outlet").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seen.longest_row, MOST_IN_A_ROW);
    assert!(seen.frames.iter().all(|frames| *frames > 200), "{:?}", seen.frames);
}

#[test]
fn an_arbiter_that_interrupts_a_frame_starves_an_input_joins_frames_or_lets_unnamed_bytes_pass_is_found() {
    for instance in ["outlet_interrupting", "outlet_starving", "outlet_joining", "outlet_unnamed"] {
        assert!(run(instance).is_err(), "{instance}");
    }
}
