//! SIGINT, SIGTERM and SIGHUP: a run ends with the verdict so far, all else at once, and no temporary file is left.

use std::fs;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use respray_cosim::interrupt;
use respray_files::output;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// How long a run may take to end and to write its verdict.
const GRACE: Duration = Duration::from_secs(10);

/// The signal that came first; 0 is none.
static CAUGHT: AtomicI32 = AtomicI32::new(0);

/// From here on signals end the process as this module says.
pub fn catch() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let is_first = CAUGHT.swap(signal, Ordering::Relaxed) == 0;
            if !is_first || !interrupt::is_heeded() {
                die(signal);
            }
            interrupt::request();
            std::thread::spawn(move || {
                std::thread::sleep(GRACE);
                die(signal);
            });
        }
    });
}

/// Ends the process as the signal that came would have ended it.
pub fn end() -> ExitCode {
    die(CAUGHT.load(Ordering::Relaxed));
    ExitCode::from(2)
}

fn die(signal: i32) {
    end_children();
    output::remove_unfinished();
    let _ = emulate_default_handler(signal);
}

/// Ends the tools that this process waits for, so that they write nothing more.
fn end_children() {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    for thread in threads {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
            let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
        }
    }
}
