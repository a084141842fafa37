//! The golden block of a configuration.

use respray_golden::bitmap::Bitmap;
use respray_golden::flowcut::Variant;
use respray_golden::flowlet::Flowlet;
use respray_golden::mixed::Mixed;
use respray_golden::nic::{self, Choice, Limits, LossFeedback, Parts, WindowEngine};
use respray_golden::ops::Ops;
use respray_golden::reps::Reps;
use respray_golden::strack::Strack;
use respray_hdl::config::{self, Config, FlowcutVariant, PathSelector};
use respray_hdl::nic::events::KEPT_PLACES;

use crate::cores::selector::Binding;
use crate::traffic::frames::profile;

/// What the hardware has of a block of Ultra Ethernet.
const PARTS: Parts = Parts { host_answers: false, counts_order: false, ..Parts::ALL };

/// The golden block's configuration.
pub fn golden(config: &Config) -> nic::Config {
    let selector = match config.nic.selector {
        PathSelector::Reps => Choice::Reps(<Reps as Binding>::keys(config)),
        PathSelector::Ops => Choice::Ops(<Ops as Binding>::keys(config)),
        PathSelector::Ecmp => Choice::Ecmp,
        PathSelector::Subflows => Choice::Subflows,
        PathSelector::Mprdma => Choice::Mprdma,
        PathSelector::Flowlet => Choice::Flowlet(<Flowlet as Binding>::keys(config)),
        PathSelector::Plb => Choice::Plb,
        PathSelector::Strack => Choice::Strack(<Strack as Binding>::keys(config)),
        PathSelector::Bitmap => Choice::Bitmap(<Bitmap as Binding>::keys(config)),
        PathSelector::Mixed => Choice::Mixed(<Mixed as Binding>::keys(config)),
        PathSelector::Flowcut => Choice::Flowcut(match config.flowcut.variant {
            FlowcutVariant::Paper => Variant::Paper,
            FlowcutVariant::Sticky => Variant::Sticky,
        }),
    };
    let limits = Limits::default();
    nic::Config {
        connections: config.connections,
        window: config.sack.window,
        profile: profile(config),
        selector,
        park: config.nic.park,
        ev_base: config.selector.ev_base as u16,
        ev_bits: config.selector.ev_bits as u8,
        time_bits: config.selector.time_bits as u8,
        window_engine: match config.nic.window {
            config::WindowEngine::Fixed => WindowEngine::Fixed,
            config::WindowEngine::Strack => WindowEngine::Strack,
        },
        rx_credit: config.nic.rx_credit == config::RxCredit::Frames,
        stable_port: config.nic.rss_port == config::RssPort::Stable,
        event_frames: config.nic.events == config::Events::Frames,
        loss_feedback: match config.nic.loss_feedback {
            config::LossFeedback::Stalled => LossFeedback::Stalled,
            config::LossFeedback::Any => LossFeedback::Any,
            config::LossFeedback::None => LossFeedback::None,
        },
        uet: (config.sack.acks == config::Acks::Uet).then_some(PARTS),
        peer_table: config.nic.peer_table == config::PeerTable::On,
        graceful_close: config.nic.close == config::Close::Graceful,
        bus_bits: config.bus_bits,
        clock_khz: (config.clock_mhz * 1000.0).round() as u32,
        // places that PSNs to send again alone may take
        limits: Limits { events: limits.events - KEPT_PLACES as usize, ..limits },
    }
}
