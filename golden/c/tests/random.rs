//! What Rust makes of random ops.

use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::traffic::random::Knobs as _;
use respray_hdl::config::Config;
use respray_hdl::contract::Shown as _;

/// Cores whose ops go through every language.
pub const CORES: [&str; 6] = ["reps", "bitmap", "strack", "sack_rx", "sack_tx", "strack_cc"];
pub const SEED: u64 = 7;

struct Hashed {
    count: usize,
}

impl Visitor for Hashed {
    type Output = u64;

    fn visit<C: Compiled + 'static>(self) -> u64 {
        let config = Config::of_text("connections = 16", "a test").unwrap();
        let knobs = C::Knobs::new(C::CONTRACT.connections(&config));
        let mut golden = C::new(&config);
        golden.reset(1);
        let entries = C::random(SEED, &knobs, &config).filter_map(|entry| entry.event.as_op().copied());
        let fields = C::CONTRACT.shown_in(&config).count();
        entries.take(self.count).fold(0, |hash, op| {
            let mut row = vec![0; fields + 1];
            if let Some(shown) = golden.apply(&op).shown {
                shown.each(|place, word, is_promised| {
                    if is_promised && place < fields {
                        row[0] |= 1 << place;
                        row[place + 1] = word;
                    }
                });
            }
            row.into_iter().fold(hash, |hash: u64, word| (hash ^ word).wrapping_mul(0x100_0000_01b3))
        })
    }
}

/// The line that a replay of so many random ops prints.
pub fn line(core: &str, count: usize) -> String {
    let hash = visit(core, Hashed { count }).expect("a core that takes ops");
    format!("{core} {count} {hash:016x}")
}
