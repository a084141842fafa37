//! Whether the cores meet a clock: by place and route where there is one, by an estimate on UltraScale+.

use serde::Serialize;

use super::{CoreFigures, Fit, Table, critical_path_sentence};
use crate::device::{ECP5, ICE40};
use crate::routed::Routed;
use crate::xilinx::Xilinx;

/// What one logic level is reckoned with on UltraScale+ in ns: a LUT, the wire behind it, and a share of what the registers at
/// both ends take. It is a rule of thumb that nothing here has measured, and no bound in either direction.
pub const LEVEL_NS: f64 = 0.4;

/// What UltraScale+ is called.
const ULTRASCALE: &str = "UltraScale+";

/// The longest path of one core on one device against a clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// The core, and where it comes in two structures which of them.
    pub label: String,
    pub device: String,
    /// The clock in MHz.
    pub asked_mhz: f64,
    /// Whether the path was not routed, but is reckoned from its logic levels with [`LEVEL_NS`] each.
    pub estimated: bool,
    /// Logic levels of the path.
    pub levels: u32,
    /// What the path takes, in ns.
    pub path_ns: f64,
    /// What the clock's period leaves, in ns.
    pub slack_ns: f64,
    pub met: bool,
    /// Where the path goes.
    pub path: String,
}

/// Every core on every device that it fits, against a clock of `asked_mhz`.
pub fn timing(cores: &[CoreFigures], asked_mhz: f64) -> Vec<Timing> {
    let of_core = |core: &CoreFigures| {
        let estimated =
            core.ultrascale.as_ref().and_then(Fit::figures).map(|x| Timing::estimated(core, x, asked_mhz));
        let routed = [(&ECP5, &core.ecp5), (&ICE40, &core.ice40)].map(|(device, outcome)| {
            let figures = outcome.as_ref().and_then(Fit::figures)?;
            Some(Timing::routed(core, device.title, figures, asked_mhz))
        });
        estimated.into_iter().chain(routed.into_iter().flatten()).collect::<Vec<_>>()
    };
    cores.iter().flat_map(of_core).collect()
}

impl Timing {
    fn new(core: &CoreFigures, device: &str, path_ns: f64, asked_mhz: f64) -> Timing {
        let slack_ns = 1000.0 / asked_mhz - path_ns;
        Timing {
            label: core.label.clone(),
            device: device.into(),
            asked_mhz,
            estimated: false,
            levels: 0,
            path_ns,
            slack_ns,
            met: slack_ns >= 0.0,
            path: String::new(),
        }
    }

    fn estimated(core: &CoreFigures, figures: &Xilinx, asked_mhz: f64) -> Timing {
        let levels = figures.levels;
        let timing = Timing::new(core, ULTRASCALE, f64::from(levels) * LEVEL_NS, asked_mhz);
        Timing { estimated: true, levels, path: figures.path.join(" → "), ..timing }
    }

    fn routed(core: &CoreFigures, device: &str, figures: &Routed, asked_mhz: f64) -> Timing {
        let timing = Timing::new(core, device, 1000.0 / figures.fmax_mhz.median, asked_mhz);
        Timing { levels: figures.critical.levels, path: critical_path_sentence(&figures.critical), ..timing }
    }

    /// What is wrong where the clock is not met.
    pub fn sentence(&self) -> String {
        let Timing { label, device, asked_mhz, levels, path_ns, slack_ns, path, .. } = self;
        let how = match self.estimated {
            true => format!("{levels} levels at {LEVEL_NS} ns each, an estimate, take {path_ns:.2} ns"),
            false => format!("the path takes {path_ns:.2} ns, {:.1} MHz", 1000.0 / path_ns),
        };
        format!(
            "{label} on {device}: timing is not met at {asked_mhz} MHz: {how}, slack {slack_ns:.2} ns on {path}"
        )
    }
}

/// All of it as a table.
pub fn table(timing: &[Timing]) -> Table {
    let asked_mhz = timing.first().map_or(0.0, |timing| timing.asked_mhz);
    let note = format!(
        "Of the median seed where nextpnr places and routes. {ULTRASCALE}: an estimate, {LEVEL_NS} ns a logic level with its wire and \
         its share of the registers; only a run of Vivado knows."
    );
    let columns = ["core", "device", "path is", "levels", "path in ns", "slack in ns", "met"];
    let mut table = Table::new(format!("Timing at {asked_mhz} MHz"), note, &columns);
    for timing in timing {
        table.row([
            timing.label.clone(),
            timing.device.clone(),
            if timing.estimated { "estimated" } else { "routed" }.into(),
            timing.levels.to_string(),
            format!("{:.2}", timing.path_ns),
            format!("{:.2}", timing.slack_ns),
            if timing.met { "yes" } else { "NO" }.into(),
        ]);
    }
    table
}
