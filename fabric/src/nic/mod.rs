//! The transport of the `nic`: `sack_rx`, `sack_tx`, a window and the path selector behind each host, as the block has
//! them, with its registers and timers.
//!
//! A host's engines do what they do in the block, in the same order: `sent` of `sack_tx` before `send` of the selector,
//! `sack` of `sack_tx` before the window and `ack` of the selector, a visit of the walker before the selector's
//! `timeout`. What the host does itself is the driver's part: it sends what is handed out for retransmission, and obeys
//! the window.
//!
//! The walker visits a connection each time that its round comes to it. Of these visits only those are made at which a
//! timer can have run out: the others change nothing.

mod engines;
pub mod load;
mod made;
mod sender;
mod unit;
mod whole;

use respray_cosim::cores::sack_rx::params;
use respray_golden::nic::{Config as Built, Limits};
use respray_golden::psn::PsnSpace;
use respray_golden::strack_cc;
use respray_hdl::config::Config;

pub use self::engines::{Departure, Engines, Makers};
pub use self::made::{BlockMaker, MOST_HOSTS, check_block};
pub use self::sender::{Heard, Next, Reason, Sender};
pub use self::whole::{Block, Frames, Left, Packet, Received, Told};
use crate::error::FabricError;
use crate::parameters::{LossFeedback, Parameters, WindowOf};
use crate::time::{NANOSECOND, Picoseconds};
use crate::topology::Topology;
use crate::window::Window;

/// Ticks and rounds of the block's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    pub khz: u64,
    pub wire_prescale: u32,
    pub sack_prescale: u32,
}

impl Clock {
    /// Clock cycles up to a time.
    pub fn cycles(&self, now: Picoseconds) -> u64 {
        now / NANOSECOND * self.khz / 1_000_000
    }

    /// Ticks of the wire up to a time.
    pub fn wire(&self, now: Picoseconds) -> u64 {
        self.cycles(now) >> self.wire_prescale
    }

    /// Ticks of `sack_tx` up to a time.
    pub fn sack(&self, now: Picoseconds) -> u64 {
        self.cycles(now) >> self.sack_prescale
    }

    /// The first whole nanosecond at which so many cycles have passed.
    fn time_of(&self, cycles: u64) -> Picoseconds {
        (cycles * 1_000_000).div_ceil(self.khz) * NANOSECOND
    }

    /// The first whole nanosecond at which so many ticks of `sack_tx` have passed.
    pub fn when(&self, tick: u64) -> Picoseconds {
        self.time_of(tick << self.sack_prescale)
    }

    /// The first cycle that begins at a time or after it.
    fn cycle_from(&self, time: Picoseconds) -> u64 {
        match time.div_ceil(NANOSECOND) {
            0 => 0,
            from => (from - 1) * self.khz / 1_000_000 + 1,
        }
    }

    /// A time in ticks of `sack_tx`, and at least one.
    fn sack_ticks(&self, time: Picoseconds) -> u64 {
        (self.cycles(time) >> self.sack_prescale).max(1)
    }

    /// The longest time of so many ticks of the wire.
    pub fn longest(&self, ticks: u16) -> Picoseconds {
        (((u64::from(ticks) + 1) << self.wire_prescale) * 1_000_000).div_ceil(self.khz) * NANOSECOND
    }

    /// The timestamp that `sack_tx` takes for a round trip of so many ticks of the wire.
    pub fn sack_timestamp(&self, now: Picoseconds, rtt: u16) -> u16 {
        let shift = self.sack_prescale - self.wire_prescale;
        (self.sack(now) as u16).wrapping_sub(rtt.checked_shr(shift).unwrap_or(0))
    }
}

/// The registers of the block, and what it is built with.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub clock: Clock,
    /// Connections of the block, which its walker goes round.
    pub connections: u32,
    /// Bitmap of the SACK engines in packets.
    pub bitmap: u32,
    pub psns: PsnSpace,
    /// Cycles from one visit of the walker to the next, which is that of the next connection.
    pub visit_cycles: u64,
    pub rto: u16,
    pub rto_backoff_max: u8,
    pub probe_timeout: u16,
    pub probe_rtt: u16,
    pub cwnd_packets: u16,
    pub sack_threshold: u16,
    pub window: WindowOf,
    pub loss_feedback: LossFeedback,
    pub hears_trims: bool,
    /// Ops wait for their engines.
    pub engine_cycles: bool,
    /// Of `strack_cc`.
    pub strack: strack_cc::Settings,
}

/// Ticks of a timer that 16 bits cannot tell from a time that has gone round.
const MOST_TICKS: u64 = 1 << 16;

impl Settings {
    /// # Errors
    /// [`FabricError::Parameter`] for what the block cannot be built or set to.
    pub fn new(
        parameters: &Parameters,
        config: &Config,
        topology: &Topology,
    ) -> Result<Settings, FabricError> {
        let refuse = |key: &str, value: u64, allowed: String| {
            Err(FabricError::Parameter { key: key.into(), value: value.to_string(), allowed })
        };
        let Parameters { wire_prescale, sack_prescale, .. } = *parameters;
        let (bitmap, connections) = (config.sack.window, config.connections);
        let least = Built { connections, ..Built::default() }.least_sack_prescale().max(wire_prescale);
        if sack_prescale < least {
            let allowed =
                format!("{least} to 16, at least `fabric.wire_prescale` and as much as the walker needs");
            return refuse("sack_prescale", sack_prescale.into(), allowed);
        }
        let clock = Clock { khz: khz(config), wire_prescale, sack_prescale };
        let base_rtt = parameters.base_rtt(topology, topology.longest_delays());
        let packet = u64::from(parameters.packet_bytes);
        let largest = (Window::largest_of(base_rtt, topology) / packet).clamp(1, bitmap.into());
        let cwnd_packets = match parameters.cwnd_packets {
            0 => largest as u32,
            given => given,
        };
        let up_to = |why| format!("1 to {bitmap}, as {why}");
        if cwnd_packets > bitmap {
            let why = up_to("`sack.window` is the bitmap of the SACK engines");
            return refuse("cwnd_packets", cwnd_packets.into(), why);
        }
        if parameters.window == WindowOf::Dctcp && parameters.first_window_packets > bitmap {
            let why = up_to("`sack.window` is the bitmap of the SACK engines");
            return refuse("first_window_packets", parameters.first_window_packets.into(), why);
        }
        if parameters.ack_bytes > u32::from(u16::MAX) {
            let allowed = "0 to 65535 with the transport nic, the register `sack_threshold`".to_string();
            return refuse("ack_bytes", parameters.ack_bytes.into(), allowed);
        }
        let given = |ns: u64, usual: Picoseconds| if ns == 0 { usual } else { ns * NANOSECOND };
        let visit_cycles = visit_cycles(parameters, config);
        let round = clock.time_of(visit_cycles * u64::from(connections));
        let rto = parameters.rto(topology);
        if rto < base_rtt {
            let allowed = format!("from {} on, the longest base RTT", base_rtt.div_ceil(NANOSECOND));
            return refuse("rto_ns", rto / NANOSECOND, allowed);
        }
        let timers = [
            ("rto_ns", rto, parameters.rto_backoff_max),
            ("probe_timeout_ns", given(parameters.probe_timeout_ns, 3 * base_rtt), 0),
        ];
        for (key, time, doublings) in timers {
            let ticks = (clock.sack_ticks(time) << doublings) + clock.sack_ticks(round) + 2;
            if ticks >= MOST_TICKS {
                let allowed = format!(
                    "a time that with {doublings} doublings and a round of the walker of {} ns is less than {} ns, or a greater `fabric.sack_prescale`",
                    round / NANOSECOND,
                    clock.when(MOST_TICKS) / NANOSECOND
                );
                return refuse(key, time / NANOSECOND, allowed);
            }
        }
        let ticks = |time| clock.sack_ticks(time) as u16;
        Ok(Settings {
            clock,
            connections,
            bitmap,
            psns: params(config).psns,
            visit_cycles,
            rto: ticks(rto),
            rto_backoff_max: parameters.rto_backoff_max,
            probe_timeout: ticks(timers[1].1),
            probe_rtt: clock.sack_ticks(given(parameters.probe_rtt_ns, base_rtt * 3 / 2)).min(MOST_TICKS - 1)
                as u16,
            cwnd_packets: cwnd_packets as u16,
            sack_threshold: parameters.ack_bytes as u16,
            window: parameters.window,
            loss_feedback: parameters.loss_feedback,
            hears_trims: parameters.hears_trims,
            engine_cycles: parameters.engine_cycles,
            strack: strack(parameters, topology, base_rtt, clock, bitmap),
        })
    }

    /// When the walker comes to a connection first, from a time on.
    pub fn visit_from(&self, connection: u16, from: Picoseconds) -> Picoseconds {
        let connections = u64::from(self.connections);
        let first = u64::from(connection) % connections * self.visit_cycles;
        let round = connections * self.visit_cycles;
        let rounds = self.clock.cycle_from(from).saturating_sub(first).div_ceil(round);
        self.clock.time_of(first + rounds * round)
    }
}

/// Cycles from one visit of the walker to the next.
fn visit_cycles(parameters: &Parameters, config: &Config) -> u64 {
    let khz = khz(config);
    match parameters.walker_round_ns {
        0 => Limits::default().visit_cycles,
        ns => (ns * khz).div_ceil(1_000_000 * u64::from(config.connections)),
    }
}

/// The clock of a configuration.
fn khz(config: &Config) -> u64 {
    (config.clock_mhz * 1000.0).round() as u64
}

/// The settings of `strack_cc` that 004 Table 1 has for a network: `docs/strack_cc.md`.
fn strack(
    parameters: &Parameters,
    topology: &Topology,
    base_rtt: Picoseconds,
    clock: Clock,
    bitmap: u32,
) -> strack_cc::Settings {
    let most = |value: f64, bits: u32| value.round().clamp(0.0, f64::from((1_u32 << bits) - 1)) as u16;
    let bdp = Parameters::bdp_bytes(topology, base_rtt) as f64;
    let bdp_sf = bdp / 150_000.0;
    let tick_us = f64::from(1_u32 << clock.wire_prescale) * 1000.0 / clock.khz as f64;
    let base_ticks = base_rtt as f64 / 1e6 / tick_us;
    strack_cc::Settings {
        net_base_rtt: most(base_ticks, 16),
        min_base_rtt: 0,
        target_qdelay: most(base_ticks, 16),
        target_qhigh: most(3.0 * base_ticks, 16),
        alpha: most(4.0 * bdp_sf / 12.0 * tick_us * f64::from(1 << 18), 16),
        beta: most(5.0 * bdp_sf * 256.0, 16),
        eta: most(0.15 * bdp_sf * 4096.0, 16),
        gamma: most(0.8 * 65536.0, 16),
        max_cwnd: most((bdp / f64::from(parameters.packet_bytes)).min(bitmap.into()).max(1.0), 10),
        mtu_log2: (parameters.payload_bytes().ilog2() as u8
            + u8::from(!parameters.payload_bytes().is_power_of_two()))
        .clamp(8, 13),
    }
}
