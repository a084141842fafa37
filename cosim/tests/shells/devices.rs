//! The wrappers as the bench is connected to them.

use super::bench::{Place, wrappers};

fn place(shell: &str, at: usize, device: &'static str, half_ps: [u32; 2]) -> Place {
    let wrapper = wrappers(shell).swap_remove(at);
    Place { wrapper, device, half_ps, host_waits: true, clock_runs: true, pause: 3, limit_us: 400 }
}

/// OpenNIC's box at 250 MHz with two ports; registers at 125 MHz. At the second port there is no block, and what is given there goes
/// on as it came.
pub fn opennic_250mhz() -> Place {
    place("opennic", 0, include_str!("opennic_250mhz.v"), [4000, 2000])
}

/// OpenNIC's box at 322 MHz, whose clock has nothing to do with that of the registers.
pub fn opennic_322mhz() -> Place {
    Place { host_waits: false, ..place("opennic", 1, include_str!("opennic_322mhz.v"), [4000, 1551]) }
}

/// Corundum's application block, all on one clock.
pub fn corundum() -> Place {
    place("corundum", 0, include_str!("corundum.v"), [2000, 2000])
}

/// The block with registers at its streams.
pub fn plain() -> Place {
    place("plain", 0, include_str!("plain.v"), [1551, 1551])
}
