//! Whether the cores meet a clock: by place and route where there is one, by an estimate on UltraScale+.

use serde::Serialize;

use super::{CoreFigures, Fit, Table, critical_path_sentence};
use crate::device::{ECP5, ICE40};
use crate::fmax::{CAVEAT, Decisive, Estimate, FmaxEstimate, SHELL_NS, Verdict};
use crate::routed::Routed;

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
    /// Whether the path was not routed, but estimated with published delays.
    pub estimated: bool,
    /// What the estimate says of the clock, where it is one.
    pub verdict: Option<Verdict>,
    /// Logic levels of the path.
    pub levels: u32,
    /// What the path takes, in ns; estimated: with nominal wires. None where there is no estimate.
    pub path_ns: Option<f64>,
    /// What the clock's period leaves, in ns.
    pub slack_ns: Option<f64>,
    /// Whether the clock is not out of reach; where there is no estimate, nobody knows that it is.
    pub met: bool,
    /// Where the path goes; where there is no estimate, why.
    pub path: String,
    /// What the estimate is and is not, where it is one.
    #[serde(skip)]
    caveat: Option<&'static str>,
    /// What is wrong or doubtful.
    #[serde(skip)]
    sentence: Option<String>,
}

/// Every core on every device that it fits, against a clock of `asked_mhz`.
pub fn timing(cores: &[CoreFigures], asked_mhz: f64) -> Vec<Timing> {
    let of_core = |core: &CoreFigures| {
        let figures = core.ultrascale.as_ref().and_then(Fit::figures);
        let estimated = figures.map(|x| match &x.fmax_estimate {
            FmaxEstimate::Estimate(estimate) => Timing::estimated(core, estimate, asked_mhz),
            FmaxEstimate::None { no_estimate } => Timing::unknown(core, no_estimate, asked_mhz),
        });
        let routed = [(&ECP5, &core.ecp5), (&ICE40, &core.ice40)].map(|(device, outcome)| {
            let figures = outcome.as_ref().and_then(Fit::figures)?;
            Some(Timing::routed(core, device.title, figures, asked_mhz))
        });
        estimated.into_iter().chain(routed.into_iter().flatten()).collect::<Vec<_>>()
    };
    cores.iter().flat_map(of_core).collect()
}

impl Timing {
    fn new(core: &CoreFigures, device: &str, path_ns: Option<f64>, asked_mhz: f64) -> Timing {
        let slack_ns = path_ns.map(|path_ns| 1000.0 / asked_mhz - path_ns);
        Timing {
            label: core.label.clone(),
            device: device.into(),
            asked_mhz,
            estimated: false,
            verdict: None,
            levels: 0,
            path_ns,
            slack_ns,
            met: slack_ns.is_none_or(|slack_ns| slack_ns >= 0.0),
            path: String::new(),
            caveat: None,
            sentence: None,
        }
    }

    fn estimated(core: &CoreFigures, estimate: &Estimate, asked_mhz: f64) -> Timing {
        let bound_ns = estimate.bound_ns;
        let Decisive { nominal_ns, wide_ns, path: steps, by, .. } = estimate.decisive();
        let verdict = estimate.verdict_at(asked_mhz);
        let path = estimate.path_in_words();
        let head = format!("{} on {ULTRASCALE}: timing", core.label);
        let takes = format!(
            "an estimate by {by}, {nominal_ns:.2} ns, {bound_ns:.2} without any wires and {wide_ns:.2} with wide ones, of a period of \
             {:.2} ns, on {path}",
            1000.0 / asked_mhz
        );
        let sentence = match verdict {
            Verdict::Safe => None,
            Verdict::Doubtful => {
                let wide = estimate.wide_path_in_words();
                Some(format!("{head} is doubtful at {asked_mhz} MHz: {takes}; with wide wires on {wide}"))
            }
            Verdict::OutOfReach => {
                Some(format!("{head} is not met at {asked_mhz} MHz, which is out of reach: {takes}"))
            }
        };
        Timing {
            estimated: true,
            verdict: Some(verdict),
            levels: steps.len().saturating_sub(2) as u32,
            met: verdict != Verdict::OutOfReach,
            path,
            caveat: Some(estimate.caveat()),
            sentence,
            ..Timing::new(core, ULTRASCALE, Some(nominal_ns), asked_mhz)
        }
    }

    /// Of a core of whose netlist there is no estimate.
    fn unknown(core: &CoreFigures, why: &str, asked_mhz: f64) -> Timing {
        let sentence =
            Some(format!("{} on {ULTRASCALE}: timing is not known at {asked_mhz} MHz: {why}", core.label));
        Timing {
            estimated: true,
            path: why.into(),
            sentence,
            ..Timing::new(core, ULTRASCALE, None, asked_mhz)
        }
    }

    fn routed(core: &CoreFigures, device: &str, figures: &Routed, asked_mhz: f64) -> Timing {
        let path_ns = 1000.0 / figures.fmax_mhz.median;
        let path = critical_path_sentence(&figures.critical);
        let timing = Timing::new(core, device, Some(path_ns), asked_mhz);
        let slack_ns = 1000.0 / asked_mhz - path_ns;
        let sentence = (!timing.met).then(|| {
            format!(
                "{} on {device}: timing is not met at {asked_mhz} MHz: the path takes {path_ns:.2} ns, {:.1} MHz, slack {slack_ns:.2} \
                 ns on {path}",
                core.label, figures.fmax_mhz.median
            )
        });
        Timing { levels: figures.critical.levels, path, sentence, ..timing }
    }

    /// What is wrong where the clock is not met.
    pub fn failure(&self) -> Option<String> {
        self.sentence.clone().filter(|_| !self.met)
    }

    /// What is doubtful, where it may be met.
    pub fn warning(&self) -> Option<String> {
        self.sentence.clone().filter(|_| self.met)
    }
}

/// All of it as a table.
pub fn table(timing: &[Timing]) -> Table {
    let asked_mhz = timing.first().map_or(0.0, |timing| timing.asked_mhz);
    let caveat = timing.iter().find_map(|timing| timing.caveat).unwrap_or(CAVEAT);
    let note = format!(
        "Of the median seed where nextpnr places and routes. {ULTRASCALE}, with nominal wires: {caveat} Doubtful: not safe, which is \
         {SHELL_NS} ns less than the period with wide wires, and not out of reach either, which is more without any wires."
    );
    let columns = ["core", "device", "path is", "levels", "path in ns", "slack in ns", "met"];
    let mut table = Table::new(format!("Timing at {asked_mhz} MHz"), note, &columns);
    let ns = |ns: Option<f64>| ns.map_or("-".to_string(), |ns| format!("{ns:.2}"));
    for timing in timing {
        let met = match (timing.verdict, timing.met) {
            (Some(verdict), _) => verdict.to_string(),
            (None, _) if timing.path_ns.is_none() => "not known".into(),
            (None, true) => "yes".into(),
            (None, false) => "NO".into(),
        };
        table.row([
            timing.label.clone(),
            timing.device.clone(),
            if timing.estimated { "estimated" } else { "routed" }.into(),
            timing.levels.to_string(),
            ns(timing.path_ns),
            ns(timing.slack_ns),
            met,
        ]);
    }
    table
}

/// The estimates of all cores, each for the clock of its configuration.
pub fn estimates(cores: &[CoreFigures]) -> Table {
    let clocks: Vec<f64> = cores.iter().map(|core| core.config.clock_mhz).collect();
    let clock = match clocks.first() {
        Some(first) if clocks.iter().all(|clock| clock == first) => format!(" at {first} MHz"),
        _ => String::new(),
    };
    let estimated = || {
        let figures = cores.iter().filter_map(|core| Some((core, core.ultrascale.as_ref()?.figures()?)));
        figures.map(|(core, x)| (core, &x.fmax_estimate))
    };
    let placed = estimated().filter_map(|(_, estimate)| estimate.estimate()).find(|one| one.placed.is_some());
    let (by, and_placed): (&str, &[&str]) = match placed {
        Some(_) => (
            "The first three have wires by fan-out, the two that are placed by distance. Verdict and path are by the placement.",
            &["nominal, placed", "wide, placed"],
        ),
        None => ("Wires are by fan-out.", &[]),
    };
    let note = format!(
        "{} Period in ns without any wires, with nominal and with wide ones; safe: wide wires leave {SHELL_NS} ns of the clock's \
         period; out of reach: even without wires it is longer. The path is that with nominal wires, what each cell takes in ns. {by}",
        placed.map_or(CAVEAT, Estimate::caveat)
    );
    let columns = [&["core", "bound", "nominal", "wide"], and_placed, &["verdict", "slowest path"]].concat();
    let mut table = Table::new(format!("Estimate of the clock on {ULTRASCALE}{clock}"), note, &columns);
    for (core, estimate) in estimated() {
        let by_fan_out = |estimate: &Estimate| [estimate.bound_ns, estimate.nominal_ns, estimate.wide_ns];
        let by_distance =
            |estimate: &Estimate| Some(estimate.placed.as_ref().map(|of| [of.nominal_ns, of.wide_ns]));
        let estimate_of = estimate.estimate();
        let periods = estimate_of.map(by_fan_out).into_iter().flatten();
        let periods = periods.chain(estimate_of.and_then(by_distance).flatten().into_iter().flatten());
        let mut periods: Vec<String> = periods.map(|ns| format!("{ns:.2}")).collect();
        periods.resize(3 + and_placed.len(), "-".into());
        let says = match estimate {
            FmaxEstimate::Estimate(estimate) => [estimate.verdict.to_string(), estimate.path_in_words()],
            FmaxEstimate::None { no_estimate } => ["not known".into(), no_estimate.clone()],
        };
        table.row([core.label.clone()].into_iter().chain(periods).chain(says));
    }
    table
}
