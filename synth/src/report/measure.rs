//! Which cores are measured in which form, and the runs that measure them.

use respray_hdl::config::Config;
use respray_hdl::cores::find;
use respray_hdl::manifest::Generated;
use respray_hdl::nic::top;

use super::{Claim, CoreFigures, Fit, Report, Request, Sweep};
use crate::device::{self, Card, Device, ECP5, ICE40, Target};
use crate::figures::{ROUTED, XCUP};
use crate::{Bench, SynthError, routed, xilinx};
use respray_files::parallel;
use respray_hdl::catalogue;

/// A core that has this port has a packet bus.
const BUS_PORT: &str = "s_axis_tdata";

/// Makes a core's Verilog and manifest; its error is a sentence.
pub type Generate<'a> = &'a (dyn Fn(&str, &Config) -> Result<Generated, String> + Sync);

/// The core of the catalogue, as a [`Generate`].
///
/// # Errors
/// As [`catalogue::generate`] has them, in a sentence.
pub fn generate(core: &str, config: &Config) -> Result<Generated, String> {
    catalogue::generate(core, config).map_err(|error| error.to_string())
}

/// A core in the form in which it is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The core, and where it comes in two structures which of them.
    pub label: String,
    pub core: String,
    pub config: Config,
}

/// Every one of `cores` under `config`, those of several structures in each of them that the configuration allows.
pub fn instances(cores: &[&str], config: &Config) -> Vec<Instance> {
    let of = |core: &&str| {
        let plain = Instance { label: core.to_string(), core: core.to_string(), config: config.clone() };
        match find(core).and_then(|core| core.structures) {
            None => vec![plain],
            Some((key, structures)) => {
                let structure = |structure: &&str| {
                    let config = config.with(&format!("{key}={structure}")).ok()?;
                    Some(Instance { label: format!("{core} {structure}"), config, ..plain.clone() })
                };
                structures.iter().filter_map(structure).collect()
            }
        }
    };
    cores.iter().flat_map(of).collect()
}

impl Instance {
    /// Whether it is placed and routed. The block that joins the cores is not: it is made for cards, and would take the tools
    /// longer than all cores together.
    pub fn is_routed(&self) -> bool {
        self.core != top::NAME
    }
}

/// One tool flow on one instance.
enum Job<'a> {
    Xilinx(&'a Instance),
    Routed(&'a Instance, &'static Device),
}

/// Its result.
enum Figures {
    Xilinx(Fit<xilinx::Xilinx>),
    Routed(Fit<routed::Routed>),
}

/// The devices of the baseline on which `instance` is measured, and from what the accepted kinds of figures are made on each.
pub fn made_from(generate: Generate, instance: &Instance) -> Result<Vec<(&'static str, String)>, SynthError> {
    let on_card = make(generate, &instance.core, &instance.config)?;
    let mut made_from = vec![(XCUP, xilinx::made_from(&on_card))];
    if instance.is_routed() {
        let on_ecp5 = make(generate, &instance.core, &config_on(&ECP5, &instance.config))?;
        made_from.push((ROUTED, routed::made_from(&on_ecp5, &ECP5)));
    }
    Ok(made_from)
}

/// Measures what is asked for, several runs at a time; finished runs come from the cache. `progress` hears of each run
/// that ends: how many have ended, of how many, and which it was.
pub fn measure(
    bench: &Bench,
    request: &Request,
    generate: Generate,
    progress: &(dyn Fn(usize, usize, &str) + Sync),
) -> Result<Report, SynthError> {
    let cards: Vec<&Card> = cards(&request.targets);
    let has = |target| request.targets.contains(&target);
    // A missing tool is said before the others have worked for minutes.
    let is_card = |target: &Target| matches!(target, Target::Alveo(_));
    let yosys = match request.targets.iter().chain(&request.sweep_targets).any(is_card) {
        true => bench.tools.yosys_for_xilinx()?,
        false => bench.tools.yosys()?,
    };
    let mut tools = vec![yosys.describe()];
    if has(Target::Ecp5) {
        tools.push(bench.tools.nextpnr_ecp5()?.describe());
    }
    if request.place {
        tools.push(bench.tools.nextpnr_generic()?.describe());
    }
    if has(Target::Ice40) {
        tools.push(bench.tools.nextpnr_ice40()?.describe());
    }
    let mut jobs = Vec::new();
    for instance in &request.instances {
        if !cards.is_empty() {
            jobs.push(Job::Xilinx(instance));
        }
        if has(Target::Ecp5) && instance.is_routed() {
            jobs.push(Job::Routed(instance, &ECP5));
        }
        if has(Target::Ice40) && instance.is_routed() {
            jobs.push(Job::Routed(instance, &ICE40));
        }
    }
    let done = std::sync::atomic::AtomicUsize::new(0);
    let results = parallel::map(&jobs, |job| {
        let result = job.run(bench, generate, &cards, request.place);
        let ended = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        progress(ended, jobs.len(), &job.name());
        result
    });
    let results = results.into_iter().collect::<Result<Vec<Figures>, SynthError>>()?;
    let mut results = jobs.iter().zip(results).peekable();
    let mut cores = Vec::new();
    for instance in &request.instances {
        let manifest = make(generate, &instance.core, &instance.config)?.manifest;
        let has_bus = manifest.ports.iter().any(|port| port.name == BUS_PORT);
        let mut core = CoreFigures {
            label: instance.label.clone(),
            core: instance.core.clone(),
            config: instance.config.clone(),
            memories: manifest.memories,
            interval_cycles: manifest.initiation_interval_cycles,
            ultrascale: None,
            routed_bus_bits: has_bus.then(|| config_on(&ECP5, &instance.config).bus_bits),
            ecp5: None,
            ice40: None,
        };
        while let Some((job, figures)) = results.next_if(|(job, _)| job.instance() == instance) {
            match (job, figures) {
                (_, Figures::Xilinx(figures)) => core.ultrascale = Some(figures),
                (Job::Routed(_, device), Figures::Routed(figures)) if device.name == ECP5.name => {
                    core.ecp5 = Some(figures);
                }
                (_, Figures::Routed(figures)) => core.ice40 = Some(figures),
            }
        }
        cores.push(core);
    }
    let claim = match request.instances.iter().find(|instance| instance.core == "reps") {
        Some(reps) if !cards.is_empty() => Some(Claim::measure(bench, generate, &reps.config, &cards)?),
        _ => None,
    };
    let sweeps = request
        .sweeps
        .iter()
        .map(|(key, values)| Sweep::measure(bench, request, generate, key, values, progress))
        .collect::<Result<Vec<Sweep>, SynthError>>()?;
    Ok(Report {
        tools,
        targets: request.targets.iter().map(Target::to_string).collect(),
        cores,
        accepted: Vec::new(),
        claim,
        sweeps,
        throughput: Vec::new(),
        timing: Vec::new(),
    }
    .with_throughput())
}

impl Job<'_> {
    fn run(
        &self,
        bench: &Bench,
        generate: Generate,
        cards: &[&Card],
        place: bool,
    ) -> Result<Figures, SynthError> {
        match *self {
            Job::Xilinx(instance) => {
                let generated = make(generate, &instance.core, &instance.config)?;
                let mut fit = on_cards(bench, &generated, cards)?;
                if let (true, Fit::Figures(figures)) = (place, &mut fit) {
                    xilinx::place(bench, &generated, figures)?;
                }
                Ok(Figures::Xilinx(fit))
            }
            Job::Routed(instance, device) => {
                let config = config_on(device, &instance.config);
                Ok(Figures::Routed(on_device(bench, &make(generate, &instance.core, &config)?, device)?))
            }
        }
    }

    fn instance(&self) -> &Instance {
        match self {
            Job::Xilinx(instance) | Job::Routed(instance, _) => instance,
        }
    }

    fn name(&self) -> String {
        match self {
            Job::Xilinx(instance) => format!("{} on UltraScale+", instance.label),
            Job::Routed(instance, device) => format!("{} on {}", instance.label, device.title),
        }
    }
}

/// The cards among `targets`.
pub(super) fn cards(targets: &[Target]) -> Vec<&'static Card> {
    let card = |target: &Target| match target {
        Target::Alveo(card) => Some(*card),
        _ => None,
    };
    targets.iter().filter_map(card).collect()
}

/// `config` as it is measured on `device`: smaller on the iCE40, and on both devices with a narrower bus where it has the
/// default one, which is made for 100G.
pub(super) fn config_on(device: &Device, config: &Config) -> Config {
    let mut config = config.clone();
    if config.bus_bits == Config::default().bus_bits {
        config.bus_bits = device::SMALL_BUS_BITS;
    }
    if device.name == ICE40.name {
        config.connections = device::ICE40_CONNECTIONS;
    }
    config
}

/// `config` as it is measured on ECP5.
pub fn on_ecp5(config: &Config) -> Config {
    config_on(&ECP5, config)
}

pub(super) fn make(generate: Generate, core: &str, config: &Config) -> Result<Generated, SynthError> {
    generate(core, config).map_err(|message| SynthError::Generate { core: core.into(), message })
}

/// Figures on UltraScale+, held against the smallest of `cards`.
pub(super) fn on_cards(
    bench: &Bench,
    generated: &Generated,
    cards: &[&Card],
) -> Result<Fit<xilinx::Xilinx>, SynthError> {
    let figures = xilinx::measure(bench, generated)?;
    let fits = cards.iter().try_for_each(|card| figures.check_fit(&generated.manifest.module, card));
    unfit_is_an_outcome(fits.map(|()| figures))
}

/// Figures on a device that is placed and routed.
pub(super) fn on_device(
    bench: &Bench,
    generated: &Generated,
    device: &Device,
) -> Result<Fit<routed::Routed>, SynthError> {
    unfit_is_an_outcome(routed::measure(bench, generated, device))
}

fn unfit_is_an_outcome<T>(result: Result<T, SynthError>) -> Result<Fit<T>, SynthError> {
    match result {
        Ok(figures) => Ok(Fit::Figures(figures)),
        Err(error @ (SynthError::DoesNotFit { .. } | SynthError::NoMemory { .. })) => {
            Ok(Fit::DoesNotFit(error.to_string()))
        }
        Err(error) => Err(error),
    }
}
