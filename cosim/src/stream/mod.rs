//! Cores that packets stream through, against their golden models: every byte, every record, every beat.
//!
//! ```text
//!  frames ──► beats, gaps ──► inputs ┌────────┐ outputs ──► rules of AXI-Stream ──► bytes and beats ─┐
//!                                    │ device │ records ──► held until taken    ──► fields          ─┼─► first difference
//!  settings, sidebands ────────────► └────────┘ events  ──► one a packet        ──► which           ─┘
//! ```
//!
//! A core has any number of inputs, outputs and records: its lanes, which pause each on its own.
//!
//! The golden side needs nothing that the device shows: `predict` makes blocks of rows ahead, what goes in and what must
//! come out, and the device runs and is compared a block at a time.
//!
//! [`stream_core`] says what a core provides, [`timing`] when, [`run`] is the loop, [`rules`] the checker of a channel, [`shrink`] makes a failing
//! list of frames small, [`list`] is the file that it is kept in.

pub mod beats;
mod block;
mod capture;
mod cosim;
mod device;
mod explain;
mod flight;
mod job;
mod lanes;
pub(crate) mod layout;
pub mod list;
mod options;
mod outcome;
pub mod pace;
pub(crate) mod predict;
mod probe;
pub mod report;
mod results;
mod rewrite_rx;
mod rewrite_tx;
pub mod rules;
pub mod run;
mod shim_pop;
mod shim_push;
pub mod shrink;
pub mod stream_core;
pub mod supply;
pub mod timing;
mod upset;
mod waves;
pub(crate) mod witness;

use respray_golden::rewrite::ProfileTraffic;
use respray_hdl::config::Config;

pub use crate::runner::{Progress, RunError, RunOptions};
pub use crate::traffic::frames::{Frame, ORDERS, Orders, profile};
pub use capture::CaptureFrames;
pub(crate) use capture::why_not_sent;
pub use cosim::{core_of, cosim, cosim_with};
pub use device::StreamDevice;
pub use options::{Frames, StreamError, StreamOptions, Traffic};
pub use pace::{PAUSES, Pace, Pacing};
pub use probe::probed;
pub use rewrite_rx::{RewriteRx, ack_fields, meta_fields, uet_fields};
pub use rewrite_tx::RewriteTx;
pub use shim_pop::ShimPop;
pub use shim_push::ShimPush;
pub use upset::upset;

use self::stream_core::RewriterSettings;
use crate::traffic::capture::Side;

/// Cores that are run this way.
pub const STREAM_CORES: [&str; 4] = ["rewrite_tx", "rewrite_rx", "shim_push", "shim_pop"];

/// The end of the network at which a core stands.
pub fn side(core: &str) -> Side {
    if core == "rewrite_rx" { Side::Receiver } else { Side::Sender }
}

fn wire_of(config: &Config, settings: RewriterSettings) -> ProfileTraffic {
    let profile = profile(config);
    let udp_port = settings.udp_port.unwrap_or(profile.udp_port());
    let RewriterSettings { carried, trimmed, .. } = settings;
    ProfileTraffic { profile, udp_port, carried, trimmed, has_crc: config.has_crc() }
}

fn ethertype(settings: RewriterSettings) -> u16 {
    settings.ethertype.unwrap_or(respray_golden::shim::ETHERTYPE)
}

fn ethertype_arguments(settings: RewriterSettings) -> Vec<String> {
    settings.ethertype.map_or_else(Vec::new, |value| vec!["--ethertype".into(), format!("{value:#06x}")])
}

fn port_arguments(settings: RewriterSettings) -> Vec<String> {
    let port = settings.udp_port.map(|port| ["--udp-port".into(), port.to_string()]);
    let ip_proto = Some(settings.carried.ip_proto()).filter(|ip_proto| *ip_proto != 0);
    let ip_proto = ip_proto.map(|ip_proto| ["--ip-proto".into(), ip_proto.to_string()]);
    port.into_iter().chain(ip_proto).flatten().collect()
}

fn trimmed_arguments(settings: RewriterSettings) -> Vec<String> {
    let given =
        [("--dscp-trimmed", settings.trimmed.dscp), ("--dscp-trimmed-last", settings.trimmed.dscp_last)];
    let given = given.into_iter().filter(|(_, dscp)| *dscp != 0);
    given.flat_map(|(option, dscp)| [option.to_string(), dscp.to_string()]).collect()
}
