//! What a command line gives, as the stimulus and the settings of a core.

use std::net::IpAddr;
use std::path::Path;

use respray_golden::psn::PsnSpace;
use respray_hdl::config::Config;
use thiserror::Error;

use super::op_core::{OpCore, Recorded};
use super::options::Stimulus;
use crate::traffic::capture::{Account, CaptureError, CaptureOps, CaptureOptions, Cut, Listener, Profile};
use crate::traffic::optrace::{OpTrace, Settings};
use crate::traffic::random::{KnobError, Knobs as _};
use crate::traffic::recording::{Recording, RecordingError};

/// Retransmission timeout of a capture of which nothing is known.
const RTO_NS: u64 = 20_000_000;

/// Why what was given does not do. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum GivenError {
    #[error("core `{core}` has no option `--{option}`; it has {}", list(options))]
    Option { core: &'static str, option: String, options: Vec<String> },
    #[error("`{option}` is {value}; allowed: 0 to {last}")]
    Setting { option: String, value: u64, last: u64 },
    #[error("--knob {0}")]
    Knob(#[from] KnobError),
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

fn list(options: &[String]) -> String {
    if options.is_empty() { "none of its own".to_string() } else { options.join(", ") }
}

/// The settings that are given by name, e.g. `freeze-timeout`.
///
/// # Errors
/// On a name that the core does not have and on a value beyond its port.
pub fn settings<C: OpCore>(
    given: impl IntoIterator<Item = (&'static str, u64)>,
    config: &Config,
) -> Result<Settings, GivenError> {
    let mut settings = Settings::default();
    for (option, value) in given {
        let mut known = C::CONTRACT.driver_settings().map(|(_, field, _)| field);
        let Some(field) = known.find(|field| field.name.replace('_', "-") == option) else {
            let names = C::CONTRACT.driver_settings().map(|(_, field, _)| field.name);
            let options = names.map(|name| format!("--{}", name.replace('_', "-"))).collect();
            return Err(GivenError::Option { core: C::CONTRACT.core, option: option.to_string(), options });
        };
        let last = field.last(config);
        if value > last {
            return Err(GivenError::Setting { option: option.to_string(), value, last });
        }
        settings.set(field.name, value);
    }
    Ok(settings)
}

/// So many clock edges of random ops, with these knobs.
///
/// # Errors
/// On a knob that the core does not have and on a value that it does not take.
pub fn random<C: OpCore>(cycles: u64, given: &[String], config: &Config) -> Result<Stimulus<C>, GivenError> {
    let connections = C::CONTRACT.connections(config);
    let mut knobs = C::Knobs::new(connections);
    given.iter().try_for_each(|knob| knobs.set(knob, connections))?;
    Ok(Stimulus::Random { cycles, knobs })
}

/// The ops of a capture. Settings of a recording that stand beside it hold where nothing else is given.
///
/// # Errors
/// On a capture or a recording's settings that cannot be read, and on a retransmission timeout for a core that hears of none.
pub fn capture<C: OpCore>(
    path: &Path,
    local: Option<IpAddr>,
    rto_ns: Option<u64>,
    cut: Cut,
    config: &Config,
) -> Result<Stimulus<C>, GivenError> {
    if rto_ns.is_some() && !C::Listener::HEARS_TIMEOUTS {
        let options = vec!["--local".to_string()];
        return Err(GivenError::Option { core: C::CONTRACT.core, option: "rto-ns".into(), options });
    }
    let beside = Recording::beside(path, C::Listener::SIDE);
    let recording = beside.as_deref().map(Recording::load).transpose()?;
    let recorded = recording.as_ref().map(C::recorded);
    let options = CaptureOptions {
        profile: Profile::of(config),
        local: local.or(recorded.as_ref().and_then(|recorded| recorded.local)),
        rto_ns: rto_ns.or(recording.as_ref().map(|recording| recording.rto_ns)).unwrap_or(RTO_NS),
        connections: C::CONTRACT.connections(config),
        psns: PsnSpace::new(config.sack.psn_bits),
        flowcut_time_bits: config.flowcut.time_bits,
        uplinks: config.flowcut_switch.uplinks,
        ports: config.caver.ports,
        cut,
    };
    let mut ops = CaptureOps::<C::Listener>::open(path, &options)?;
    let lines = ops.by_ref().collect::<Result<_, _>>()?;
    let account = Account { beside, ..ops.account() };
    let warnings = ops.warning().map(CaptureError::as_warning).into_iter().collect();
    let Recorded { seed, settings, .. } = recorded.unwrap_or_default();
    let mut arguments = vec!["--traffic".to_string(), path.display().to_string()];
    arguments.extend(matches!(cut, Cut::Refused).then(|| "--strict".to_string()));
    arguments.extend(rto_ns.iter().flat_map(|rto| ["--rto-ns".to_string(), rto.to_string()]));
    arguments.extend(local.iter().flat_map(|local| ["--local".to_string(), local.to_string()]));
    let trace = OpTrace { seed, settings, lines, ..OpTrace::default() };
    Ok(Stimulus::Made { trace, arguments, warnings, account: Some(account) })
}
