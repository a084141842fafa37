//! When an op starts, when its result comes and when the next op is taken: the cycles that the manifest states.
//!
//! An op starts at the edge that takes it or, if a class of op makes later ops of its connection wait, so many edges
//! after the start of the last op of the same connection. Latency and initiation interval count from there.

use std::collections::BTreeMap;

use respray_golden::sack_rx::Class;
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

use crate::lockstep::pipeline::MAX_LATENCY;

/// Classes of op by the manifest's names, in the order of [`place`].
const CLASSES: [&str; 7] =
    ["init", "uninitialised", "probe", "duplicate", "outside", "new_ahead", "new_in_order"];
/// Count that a formula may grow with.
const COUNT: &str = "advance_segments";

/// Place of a class in [`CLASSES`], and its segments of advance.
#[inline(always)]
fn place(class: &Class) -> (usize, u32) {
    match class {
        Class::Init => (0, 0),
        Class::Uninitialised => (1, 0),
        Class::Probe => (2, 0),
        Class::DuplicateBelow | Class::DuplicateHeld => (3, 0),
        Class::Outside => (4, 0),
        Class::NewAhead => (5, 0),
        Class::NewInOrder { advance_segments } => (6, *advance_segments),
    }
}

/// A number of cycles, resolved: so many, and more per segment of advance.
#[derive(Clone, Copy, Debug, Default)]
struct Linear {
    base: u32,
    per_segment: u32,
}

impl Linear {
    fn at(self, segments: u32) -> u32 {
        self.base + self.per_segment * segments
    }

    fn new(cycles: &Cycles) -> Linear {
        let known = cycles.growth.iter().all(|(_, count)| count == COUNT);
        assert!(known, "`{cycles}` grows with something other than `{COUNT}`");
        let at = |segments| cycles.at(|_| segments);
        Linear { base: at(0), per_segment: at(1) - at(0) }
    }
}

/// What an op that was just taken brings about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Edges from this one to that of the result.
    pub until_result: u32,
    /// Edges after this one with `op_ready` low.
    pub until_ready: u32,
    /// It waits for an earlier op of its connection.
    pub waited: bool,
}

/// The cycles of one engine, and where its connections are.
pub(super) struct Timing {
    latency: [Linear; CLASSES.len()],
    interval: [Linear; CLASSES.len()],
    same_connection: [Linear; CLASSES.len()],
    /// Edge at which the next op of each connection may start; empty if none ever waits.
    free: Vec<u64>,
    edge: u64,
}

impl Timing {
    /// # Panics
    /// On a class without its cycles, or beyond what the pipeline provides for.
    pub fn new(manifest: &Manifest) -> Timing {
        let of = |cycles: &BTreeMap<String, Cycles>, class: &str| cycles.get(class).map(Linear::new);
        let stated = |cycles, class: &str| {
            of(cycles, class).unwrap_or_else(|| panic!("the manifest states the cycles of `{class}`"))
        };
        let latency = |class| {
            if class == CLASSES[0] { Linear::default() } else { stated(&manifest.latency_cycles, class) }
        };
        let same = &manifest.same_connection_interval_cycles;
        let timing = Timing {
            latency: CLASSES.map(latency),
            interval: CLASSES.map(|class| stated(&manifest.initiation_interval_cycles, class)),
            same_connection: CLASSES.map(|class| of(same, class).unwrap_or_default()),
            free: if same.is_empty() { Vec::new() } else { vec![0; manifest.config.connections as usize] },
            edge: 0,
        };
        let segments = manifest.config.sack.window / 64;
        let most = |cycles: &[Linear]| cycles.iter().map(|cycles| cycles.at(segments)).max().unwrap_or(0);
        let longest = most(&timing.latency) + most(&timing.same_connection);
        assert!(longest <= MAX_LATENCY, "results come after up to {longest} cycles; allowed: {MAX_LATENCY}");
        assert!(timing.interval.iter().all(|cycles| cycles.base > 0), "an op takes a cycle at least");
        timing
    }

    /// Nothing is under way.
    pub fn reset(&mut self) {
        self.free.fill(0);
    }

    /// The clock edge has passed.
    #[inline(always)]
    pub fn step(&mut self) {
        self.edge += 1;
    }

    /// An op is taken at the coming edge.
    #[inline(always)]
    pub fn take(&mut self, conn: u16, class: &Class) -> Taken {
        let (place, segments) = place(class);
        let mut delay = 0;
        if let Some(free) = self.free.get_mut(usize::from(conn)) {
            delay = free.saturating_sub(self.edge) as u32;
            *free = self.edge + u64::from(delay + self.same_connection[place].at(segments));
        }
        Taken {
            until_result: delay + self.latency[place].at(segments),
            until_ready: delay + self.interval[place].at(segments) - 1,
            waited: delay > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use respray_hdl::config::Config;

    use super::*;
    use crate::lockstep::fake::manifest;

    fn timing(latency: u32, interval: u32, init: u32, same: Option<u32>) -> Timing {
        let mut manifest = manifest(&Config::default());
        let all = |cycles: u32| CLASSES.map(|class| (class.to_string(), Cycles::from(cycles))).into();
        manifest.latency_cycles = all(latency);
        manifest.latency_cycles.insert("new_in_order".into(), Cycles::growing(latency, 2, COUNT));
        manifest.initiation_interval_cycles = all(interval);
        manifest.initiation_interval_cycles.insert("init".into(), init.into());
        manifest
            .initiation_interval_cycles
            .insert("new_in_order".into(), Cycles::growing(interval, 2, COUNT));
        manifest.same_connection_interval_cycles = same.map(all).unwrap_or_default();
        Timing::new(&manifest)
    }

    #[test]
    fn an_engine_that_works_on_one_op_at_a_time() {
        let mut timing = timing(6, 6, 257, None);
        for (class, until_result, until_ready) in [
            (Class::NewAhead, 6, 5),
            (Class::NewInOrder { advance_segments: 0 }, 6, 5),
            (Class::NewInOrder { advance_segments: 4 }, 14, 13),
        ] {
            let taken = timing.take(3, &class);
            assert_eq!(
                (taken.until_result, taken.until_ready, taken.waited),
                (until_result, until_ready, false)
            );
        }
        assert_eq!(timing.take(3, &Class::Init).until_ready, 256);
    }

    #[test]
    fn an_op_waits_for_the_last_one_of_its_connection() {
        // connection and edge of each op, edge of its result, edge at which the next is taken
        let mut timing = timing(8, 1, 259, Some(8));
        for (conn, at, result, ready) in [
            (5, 100, 108, 101),
            (5, 101, 116, 109),
            (7, 109, 117, 110),
            (5, 110, 124, 117),
            (5, 132, 140, 133),
        ] {
            while timing.edge < at {
                timing.step();
            }
            let taken = timing.take(conn, &Class::Probe);
            let edges = (at + u64::from(taken.until_result), at + u64::from(taken.until_ready) + 1);
            assert_eq!(edges, (result, ready), "connection {conn} at {at}");
        }
        timing.reset();
        assert!(!timing.take(5, &Class::Probe).waited);
    }
}
