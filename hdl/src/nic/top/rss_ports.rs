//! The wires of ports of connections in the place of EVs.

use super::layer::Layer;
use crate::config::RssPort;

/// That of a word of the configuration.
pub fn of_ports(ports: RssPort) -> &'static Layer {
    match ports {
        RssPort::Off => &Layer::NONE,
        RssPort::Stable => &STABLE,
    }
}

const STABLE: Layer =
    Layer { wires: &[("receiver.rss_port_base", "registers.rss_port_base")], ..Layer::NONE };
