//! The modules of the block that are no core.

use rust_hdl::prelude::Block;

use super::events::Events;
use super::ordered::Ordered;
use super::outlet::Outlet;
use super::park::{Asking, HEADER_BYTES, Store};
use super::probes::Probes;
use super::{
    Closing, Commands, Flows, LastRequests, Peers, Prober, Pulses, Scoreboard, SendWindow, Spray, Timing,
    Window, answer, event_frames, peer_table, receiver, registers, sender,
};
use crate::config::{Close, Config, Events as HowEvents, PeerTable, WindowEngine, Wire};
use crate::contract::Contract;
use crate::cores::GenerateError;
use crate::cores::prefix::Prefix;
use crate::cores::sizes::{
    BusSizes, ListSizes, ParkSizes, PeerSizes, SelectorSizes, boxed, by_sizes, place_beats,
};
use crate::join::Instance;

/// The modules of a configuration, under the names that they have in the block.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn parts(config: &Config, selector: &Contract, prefix: &Prefix) -> Result<Vec<Instance>, GenerateError> {
    let of = |name: &str, module: &str, about: &str, block: Box<dyn Block>| {
        Instance::of_block(name, &prefix.name(&format!("nic_{module}")), about, block.as_ref())
    };
    let part = |name: &str, about: &str, block| of(name, name, about, block);
    let due_list = if config.has_uet_acks() { "due" } else { "list" };
    let mut parts = vec![
        part(
            "registers",
            "Settings, commands, counters and times.",
            registers::registers(config, selector)?,
        )?,
        part(
            "commands",
            "Commands of the host, each to the part that executes it.",
            Box::new(Commands::new(config.nic.close == Close::Graceful)),
        )?,
        part(
            "sender",
            "Reads the frames of the host, and writes EVs and times into them.",
            sender::block(config)?,
        )?,
        part("receiver", "Where the frames from the network go.", receiver::block(config)?)?,
        part(
            "scoreboard",
            "The ops of sack_tx, and what follows from them.",
            Box::new(Scoreboard::new(
                config.connections,
                config.nic.loss_feedback,
                config.nic.peer_table == PeerTable::On || config.has_uet_acks(),
                config.nic.close == Close::Graceful,
                config.has_uet_acks(),
            )),
        )?,
        of("recovery", "list", "Connections in recovery, each in its turn.", list(config)?)?,
        of("due", due_list, "Probes that are due.", due(config)?)?,
        part("spray", "The ops of the selector, and EVs to whom they are for.", spray(config)?)?,
        part("peers", "What each connection sent last.", peers(config)?)?,
        part(
            "prober",
            "Probes, and whose frame is made next.",
            Box::new(Prober::new(evs_of_probes(config))),
        )?,
        part("answer", "Makes the frames of SACKs and probes.", answer::block(config)?)?,
        part("outlet", "SACKs and probes before data.", outlet(config)?)?,
        part(
            "events",
            "Events that wait for the host.",
            Box::new(Events::<10, 11>::telling(config.nic.close == Close::Graceful, config.has_uet_acks())),
        )?,
        part(
            "pulses",
            "Counts that several parts have in common.",
            Box::new(Pulses::new(config.has_uet_acks())),
        )?,
    ];
    if config.nic.events == HowEvents::Frames {
        parts.push(part(
            "event_frames",
            "Events as frames to the host, between those that came.",
            event_frames::block(config)?,
        )?);
    }
    if config.nic.peer_table == PeerTable::On {
        parts.push(part("peer_table", "Who the peer of each connection is.", peer_table::block(config)?)?);
    }
    if config.nic.close == Close::Graceful {
        parts.push(part("closing", "Connections that drain before they are closed.", closing(config)?)?);
    }
    if config.nic.selector.parks() {
        parts.push(part("park", "The places of packets that wait.", park(config)?)?);
    }
    if config.has_uet_acks() {
        let about = "Who the peers of Ultra Ethernet are, and round trips.";
        parts.push(of("timing", "flows", about, flows(config)?)?);
        parts.push(part("ordered", "Connections that send in order.", ordered(config)?)?);
    } else if config.wire == Wire::Uet {
        parts.push(part("timing", "The round trips of uet, whose ACKs echo no timestamp.", timing(config)?)?);
        parts.push(part(
            "last_requests",
            "What the header of each connection's last request said.",
            last_requests(config)?,
        )?);
    }
    if config.nic.window == WindowEngine::Strack {
        parts.push(part("window", "The ops of the congestion control, and its windows.", window(config)?)?);
        if selector.op_fields().any(|field| field.port == "op_cwnd_packets") {
            parts.push(part("send_window", "The window of each send.", send_window(config)?)?);
        }
    }
    Ok(parts)
}

fn spray(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    if !config.nic.selector.parks() {
        return Ok(Box::new(Spray::new()));
    }
    let most_bytes = place_beats(config.bus_bits) * config.bus_bits / 8 - HEADER_BYTES;
    let places = config.nic.park;
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(|| {
        Asking::<{ S.conn }>::new(places, most_bytes)
    })))
}

fn park(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: ParkSizes(bus_bits, nic.park) => boxed(|| {
        Store::<{ S.data }, { S.bytes }, { S.beat }, { S.address }>::new()
    })))
}

fn window(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(Window::<{ S.conn }>::new)))
}

fn send_window(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(SendWindow::<{ S.conn }>::new)))
}

fn closing(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(Closing::<{ S.conn }>::new)))
}

fn timing(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    let has_peers = config.nic.peer_table == PeerTable::On;
    Ok(
        by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(|| Timing::<{ S.conn }>::new(has_peers))),
    )
}

fn flows(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(Flows::<{ S.conn }>::new)))
}

fn ordered(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(Ordered::<{ S.conn }>::new)))
}

fn last_requests(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(LastRequests::<{ S.conn }>::new)))
}

fn list(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: ListSizes(connections, sack.psn_bits) => boxed(|| {
        Probes::<{ S.conn }, { S.places }, { S.psn }>::new()
    })))
}

/// Probes of Ultra Ethernet say two PSNs of 32 bits.
fn due(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    if !config.has_uet_acks() {
        return list(config);
    }
    Ok(by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(|| {
        Probes::<{ S.conn }, { S.places }, 64>::new()
    })))
}

/// The EVs of probes of Ultra Ethernet, which are their times: the first one, and the bits in which they differ.
fn evs_of_probes(config: &Config) -> Option<(u64, u64)> {
    let mask = (1 << config.selector.ev_bits) - 1;
    (config.has_uet_acks()).then_some((config.selector.ev_base.into(), mask))
}

fn outlet(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: BusSizes(bus_bits) => boxed(Outlet::<{ S.data }, { S.bytes }>::new)))
}

fn peers(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    Ok(by_sizes!("nic", config, S: PeerSizes(bus_bits, connections) => boxed(|| {
        Peers::<{ S.data }, { S.conn }, { S.beat_address }, { S.beats }>::new()
    })))
}
