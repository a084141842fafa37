//! A wish that a run ends early, such as a signal brings: the run ends with the verdict of what was compared so far.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static IS_REQUESTED: AtomicBool = AtomicBool::new(false);
static HEEDING: AtomicUsize = AtomicUsize::new(0);

/// Asks every run of this process to end.
pub fn request() {
    IS_REQUESTED.store(true, Ordering::Relaxed);
}

/// Whether runs were asked to end.
pub fn is_requested() -> bool {
    IS_REQUESTED.load(Ordering::Relaxed)
}

/// Whether something is under way that looks at [`is_requested`] again and again; else nobody hears the request.
pub fn is_heeded() -> bool {
    HEEDING.load(Ordering::Relaxed) > 0
}

/// What is under way looks at [`is_requested`] as long as this lives.
#[derive(Debug)]
pub struct Heed(());

impl Heed {
    #[expect(clippy::new_without_default, reason = "it is made for its effect")]
    pub fn new() -> Heed {
        HEEDING.fetch_add(1, Ordering::Relaxed);
        Heed(())
    }
}

impl Drop for Heed {
    fn drop(&mut self) {
        HEEDING.fetch_sub(1, Ordering::Relaxed);
    }
}
