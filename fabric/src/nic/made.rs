//! How the blocks of a run are made, and what of a request does not go with them.

use respray_cosim::nic::golden;
use respray_golden::hosts::Port as _;
use respray_golden::nic::{Command, Config as Built, Limits, Nic};
use respray_hdl::config::{self, Config, Events, PeerTable, RxCredit, Wire};

use super::{Block, Settings};
use crate::driver_port::TIMES;
use crate::engine::{Kind, Maker};
use crate::error::FabricError;
use crate::parameters::{LossFeedback, Parameters, WindowOf};
use crate::topology::Topology;

/// Most hosts of a network in which each has a block: connections and frames are held in full.
pub const MOST_HOSTS: u32 = 128;

/// What each block is built with, and the registers of its path selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockMaker {
    config: Built,
    registers: Vec<(&'static str, u32)>,
}

/// Refuses what a block behind each host does not do.
///
/// # Errors
/// [`FabricError::Value`] or [`FabricError::Parameter`].
pub fn check_block(
    is_transport: bool,
    engine: Kind,
    parameters: &Parameters,
    config: &Config,
    topology: &Topology,
) -> Result<(), FabricError> {
    let refuse = |what, value: String, allowed: String| Err(FabricError::Value { what, value, allowed });
    if !is_transport {
        return refuse("transport of the engines block", "ideal".into(), "nic".into());
    }
    if engine != Kind::Golden {
        let value = if engine == Kind::Rtl { "rtl" } else { "both" };
        return refuse("engine of the engines block", value.into(), "golden".into());
    }
    if topology.hosts > MOST_HOSTS {
        let what = "number of hosts with the engines block";
        return refuse(what, topology.hosts.to_string(), format!("up to {MOST_HOSTS}"));
    }
    for (key, is_right, value, allowed) in [
        ("`wire` of a block in the fabric", config.wire == Wire::Strack, config.wire.name(), "strack"),
        (
            "`nic.events` of a block in the fabric",
            config.nic.events == Events::Port,
            config.nic.events.name(),
            "port",
        ),
        (
            "`nic.rx_credit` of a block in the fabric",
            config.nic.rx_credit == RxCredit::Off,
            config.nic.rx_credit.name(),
            "off",
        ),
        (
            "`nic.peer_table` of a block in the fabric",
            config.nic.peer_table == PeerTable::Off,
            config.nic.peer_table.name(),
            "off",
        ),
    ] {
        if !is_right {
            return refuse(key, value.into(), allowed.into());
        }
    }
    for (key, is_right, value, allowed) in [
        (
            "loss_feedback",
            parameters.loss_feedback != LossFeedback::Timeout,
            "timeout".to_string(),
            "stalled or any or none",
        ),
        ("idle_ns", parameters.idle_ns == 0, parameters.idle_ns.to_string(), "0"),
        ("slow_is_congestion", !parameters.slow_is_congestion, "true".into(), "false"),
        ("engine_cycles", !parameters.engine_cycles, "true".into(), "false"),
    ] {
        if !is_right {
            let allowed = format!("{allowed}, with the engines block");
            return Err(FabricError::Parameter { key: key.into(), value, allowed });
        }
    }
    Ok(())
}

impl BlockMaker {
    /// Blocks of a configuration with the path selector of a maker, whose times in ns become ticks.
    ///
    /// # Errors
    /// [`FabricError::Selector`] for one that lets packets wait, [`FabricError::Port`] for a register that has no room.
    pub fn new(
        parameters: &Parameters,
        config: &Config,
        selector: &Maker,
    ) -> Result<BlockMaker, FabricError> {
        let mut config = config.clone();
        let chosen = serde_json::from_value(selector.selector.as_str().into()).ok();
        config.nic.selector =
            chosen.filter(|_| !selector.may_wait()).ok_or_else(|| FabricError::Selector {
                name: selector.selector.clone(),
                allowed: "one that lets no packet wait, with the engines block".into(),
            })?;
        config.nic.window = match parameters.window {
            WindowOf::Strack => config::WindowEngine::Strack,
            WindowOf::Fixed | WindowOf::Dctcp => config::WindowEngine::Fixed,
        };
        config.nic.loss_feedback = match parameters.loss_feedback {
            LossFeedback::Any => config::LossFeedback::Any,
            LossFeedback::None => config::LossFeedback::None,
            LossFeedback::Stalled | LossFeedback::Timeout => config::LossFeedback::Stalled,
        };
        let mut built = golden(&config);
        built.limits = Limits { visit_cycles: super::visit_cycles(parameters, &config), ..built.limits };
        let nic = Nic::new(built.clone());
        let khz = u64::from(built.clock_khz);
        let shift = if built.time_bits == 16 { parameters.wire_prescale } else { 0 };
        let mut registers = Vec::new();
        for (port, value) in selector.ports() {
            let name = if port == "rto" { "selector_rto" } else { port };
            // what has no register is said by the block itself
            let Some(register) = nic.registers().iter().find(|register| register.name == name) else {
                continue;
            };
            let value = if TIMES.contains(&port) { (value * khz / 1_000_000) >> shift } else { value };
            let held = u32::try_from(value).ok().filter(|value| register.allowed.contains(value));
            let held = held.ok_or_else(|| FabricError::Port {
                name: port.to_string(),
                value: format!("{value} ticks"),
                allowed: format!("{} to {}", register.allowed.start(), register.allowed.end()),
            })?;
            registers.push((name, held));
        }
        Ok(BlockMaker { config: built, registers })
    }

    /// A register that a driver sets wrong, for tests to find it.
    pub fn spoil(&mut self, register: &'static str, value: u32) {
        self.registers.push((register, value));
    }

    /// The block of a host behind its reset, with its registers set as a driver sets them.
    pub fn make(&self, settings: &Settings, host: u32, seed: u16) -> Block {
        let mut nic = Nic::new(self.config.clone());
        let mut write = |name: &str, value: u32| nic.write_register(name, value);
        // in this order no tick of `sack_tx` is ever shorter than one of the wire
        write("wire_prescale", 0);
        write("sack_prescale", settings.clock.sack_prescale);
        write("wire_prescale", settings.clock.wire_prescale);
        write("selector_prescale", 0);
        write("sack_threshold", settings.sack_threshold.into());
        write("cwnd_packets", settings.cwnd_packets.into());
        write("probe_timeout", settings.probe_timeout.into());
        write("probe_rtt", settings.probe_rtt.into());
        write("rto", settings.rto.into());
        write("rto_backoff_max", settings.rto_backoff_max.into());
        if settings.window == WindowOf::Strack {
            let of = &settings.strack;
            for (name, value) in [
                ("net_base_rtt", of.net_base_rtt),
                ("min_base_rtt", of.min_base_rtt),
                ("target_qdelay", of.target_qdelay),
                ("target_qhigh", of.target_qhigh),
                ("alpha", of.alpha),
                ("beta", of.beta),
                ("eta", of.eta),
                ("gamma", of.gamma),
                ("max_cwnd", of.max_cwnd),
                ("mtu_log2", of.mtu_log2.into()),
            ] {
                write(name, value.into());
            }
        }
        for (name, value) in &self.registers {
            write(name, *value);
        }
        write("seed", seed.into());
        write("command", Command::Reset as u32);
        Block::new(nic, host)
    }
}
