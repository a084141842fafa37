//! The block of Ultra Ethernet against the endpoint of `hosts::pds`.
//!
//! Around the block stands a host as plain as can be, which knows nothing but frames, events and registers. What holds is what holds of
//! the cores alone: every message comes once, with its response, and both ends agree on what came ([`runs`]); the endpoint as target
//! hears every frame that the block hears, and says the same ([`twins`]).

mod bad_input;
mod bench;
mod exchanges;
mod faults;
mod headers;
mod initiator;
mod opening;
mod runs;
mod selector;
mod settings;
mod target;
mod twins;

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::AckType;
use respray_golden::hosts::pds::headers::Mode;
use respray_golden::nic::{Config, Event, Limits, Nic};
use respray_golden::wire::Profile;

use super::{ACK_GEN_MIN, ACK_GEN_TRIGGER, Case, NOMINAL_EXTRA, RTO};
use crate::pds::{TRIMMED, TRIMMED_LAST};

/// A clock cycle takes a nanosecond; a tick of the scoreboard has so many.
const SACK_TICK: u64 = 32;
/// Connections of a block.
const CONNECTIONS: u32 = 16;

/// What a block is in a run.
#[derive(Clone, Copy)]
struct Part {
    /// Cycles between two visits of the walker.
    visit_cycles: u64,
    /// A run is over before, in nanoseconds: visits take time.
    too_long: u64,
}

const INITIATOR: Part = Part { visit_cycles: 100, too_long: 200_000_000 };
/// It has no timers, and the timeouts of its peer may back off for long.
const TARGET: Part = Part { visit_cycles: 100_000, too_long: 100_000_000_000 };

/// Lets time go on to a moment. An error if a run does not come to an end.
fn advance(nic: &mut Nic, part: Part, now: u64) -> Result<(), String> {
    if now > part.too_long {
        return Err("it does not come to an end".to_owned());
    }
    nic.advance(now);
    Ok(())
}

/// The block of a case, with all that its driver writes before it opens a connection.
fn block(case: &Case, part: Part) -> Nic {
    // frames come as fast as they like, for what is looked at is what the block says of them
    let limits = Limits { visit_cycles: part.visit_cycles, engine_ops: 1 << 20, ..Limits::default() };
    let config = Config {
        connections: CONNECTIONS,
        window: case.window,
        profile: Profile::Uet,
        limits,
        ..Config::default()
    };
    let mut nic = Nic::of_uet(config);
    let ticks = |time: u64| (time / SACK_TICK) as u32;
    for (name, value) in [
        ("ack_gen_trigger", ACK_GEN_TRIGGER.into()),
        ("ack_gen_min", ACK_GEN_MIN.into()),
        ("nominal_extra", NOMINAL_EXTRA.into()),
        ("dscp_trimmed", TRIMMED.into()),
        ("dscp_trimmed_last", TRIMMED_LAST.into()),
        ("default_mpr", case.default_mpr.into()),
        ("cwnd_packets", case.cwnd),
        ("rto", ticks(RTO)),
        ("rto_backoff_max", 3),
        ("max_rto_retx", 15),
        ("probe", case.probe.is_some().into()),
        ("probe_timeout", case.probe.map_or(0xffff, ticks)),
        ("sack_cack_align", case.sack_cack_align.ilog2()),
        ("rx_acks", if case.held > 0 { 2 } else { 1 }),
        (
            "ack_type",
            match case.ack_type {
                AckType::Plain => 7,
                AckType::Cc => 8,
                AckType::Ccx => 9,
            },
        ),
    ] {
        nic.write_register(name, value);
    }
    nic
}

/// The register `command_mode`.
fn mode(case: &Case, host_answers: bool) -> u32 {
    u32::from(case.mode == Mode::Rod) | u32::from(host_answers) << 1
}

/// Writes operands, and a command or `accept` behind them.
fn write_all(nic: &mut Nic, registers: &[(&str, u32)]) {
    registers.iter().for_each(|(name, value)| nic.write_register(name, *value));
}

fn events(nic: &mut Nic) -> Vec<Event> {
    std::iter::from_fn(|| nic.event()).collect()
}
