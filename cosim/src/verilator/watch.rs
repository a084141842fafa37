//! Notices Verilog that never comes to the end of a cycle, such as an endless loop: no call of it returns then, so that
//! only another thread can say so.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// What a model shows to the thread that watches. It counts once in front of a call and once behind it, whatever number
/// of cycles the call has, so that a loop over cycles does not become slower.
pub struct Pulse {
    /// Odd while a call runs.
    count: AtomicU64,
    /// Cycles that were finished before the call.
    cycles: AtomicU64,
}

/// Every model that there is.
static PULSES: Mutex<Vec<Weak<Pulse>>> = Mutex::new(Vec::new());

impl Pulse {
    pub fn new() -> Arc<Pulse> {
        let pulse = Arc::new(Pulse { count: AtomicU64::new(0), cycles: AtomicU64::new(0) });
        let mut pulses = PULSES.lock().unwrap_or_else(PoisonError::into_inner);
        pulses.retain(|pulse| pulse.strong_count() > 0);
        pulses.push(Arc::downgrade(&pulse));
        pulse
    }

    /// A call begins. Only the thread that has the model calls it, so nothing is lost between the two steps.
    #[inline]
    pub fn enter(&self, cycles: u64) {
        self.cycles.store(cycles, Ordering::Relaxed);
        self.leave();
    }

    /// The call has returned.
    #[inline]
    pub fn leave(&self) {
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// A model that does not come to the end of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Cycles that are known to have ended; the one that does not end is among the next ones.
    pub cycles: u64,
}

/// Calls `stuck` from a thread of its own once a call of any model has taken `limit`. It returns at once, and watches
/// models that are made later as well.
pub fn watch(limit: Duration, stuck: impl FnOnce(Stuck) + Send + 'static) {
    /// Looks at the models in the time that one of them may take.
    const LOOKS: u32 = 10;
    std::thread::spawn(move || {
        let mut seen: Vec<(Weak<Pulse>, u64, Instant)> = Vec::new();
        loop {
            std::thread::sleep(limit / LOOKS);
            let pulses = PULSES.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let now = Instant::now();
            let look = |pulse: Weak<Pulse>| {
                let count = pulse.upgrade()?.count.load(Ordering::Relaxed);
                let is_same =
                    |(other, at, _): &&(Weak<Pulse>, u64, Instant)| other.ptr_eq(&pulse) && *at == count;
                let since = seen.iter().find(is_same).map_or(now, |(.., since)| *since);
                Some((pulse, count, since))
            };
            seen = pulses.into_iter().filter_map(look).collect();
            let is_stuck = |(_, count, since): &&(_, u64, Instant)| count % 2 == 1 && now - *since >= limit;
            if let Some(pulse) = seen.iter().find(is_stuck).and_then(|(pulse, ..)| pulse.upgrade()) {
                return stuck(Stuck { cycles: pulse.cycles.load(Ordering::Relaxed) });
            }
        }
    });
}

/// Ends the process. [`std::process::exit`] would first end what the thread of the model is still using.
pub fn end_at_once(code: i32) -> ! {
    // SAFETY: it takes any code, and nothing of this process runs behind it.
    unsafe { nix::libc::_exit(code) }
}
