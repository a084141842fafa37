//! The wires of a table of peers.

use super::layer::Layer;
use crate::config::{Config, PeerTable, Wire};

/// Those of a configuration: what both profiles have, and what is another in each.
pub fn of_peers(config: &Config) -> [&'static Layer; 2] {
    match (config.nic.peer_table, config.wire) {
        (PeerTable::Off, _) => [&Layer::NONE, &Layer::NONE],
        (PeerTable::On, Wire::Strack) => [&ON, &STRACK],
        (PeerTable::On, Wire::Uet) => [&ON, &UET],
    }
}

const ON: Layer = Layer {
    wires: &[
        ("peer_table.peer_valid", "registers.peer_valid"),
        ("registers.peer_ready", "peer_table.peer_ready"),
        ("peer_table.peer_number", "registers.peer_number"),
        ("peer_table.peer_flags", "registers.peer_flags"),
        ("peer_table.peer_address_0", "registers.peer_address_0"),
        ("peer_table.peer_address_1", "registers.peer_address_1"),
        ("peer_table.peer_address_2", "registers.peer_address_2"),
        ("peer_table.peer_address_3", "registers.peer_address_3"),
        // what comes
        ("peer_table.look_valid", "receiver.look_valid"),
        ("peer_table.look_conn", "receiver.look_conn"),
        ("peer_table.source", "receiver.source"),
        ("peer_table.source_is_ipv6", "receiver.source_is_ipv6"),
        ("receiver.refused", "peer_table.refused"),
        ("scoreboard.ack_is_refused", "receiver.heard_is_refused"),
        ("registers.count_rx_other_address", "receiver.rx_other_address"),
        ("registers.count_acks_other_address", "scoreboard.count_acks_other_address"),
        // what the host sends
        ("peer_table.req_taken", "scoreboard.req_ready"),
        ("peer_table.granted", "spray.grant_valid"),
        ("sender.grant_peer_number", "peer_table.grant_number"),
        ("sender.grant_peer_is_there", "peer_table.grant_is_numbered"),
        ("sender.grant_change", "peer_table.grant_change"),
        // what the block makes: of what was sent it keeps what stands below the number
        ("peers.beat_data", "sender.m_unnumbered_tdata"),
        ("peer_table.job_valid", "prober.job_valid"),
        ("peer_table.job_is_probe", "prober.job_is_probe"),
        ("answer.job_conn", "peer_table.job_named"),
    ],
    cut: &[
        ("peer_table.peer_conn", "registers.peer_conn"),
        ("peer_table.req_conn", "sender.req_conn"),
        ("peer_table.job_conn", "prober.job_conn"),
    ],
    ..Layer::NONE
};

/// Data has the number of its connection where that of the peer is written.
const STRACK: Layer = Layer {
    wires: &[("peer_table.job_usual", "prober.job_conn")],
    cut: &[("peer_table.req_replaced", "sender.req_conn")],
    ..Layer::NONE
};

/// A request has a destination PDC there, which the last request of its connection tells, too.
const UET: Layer = Layer {
    wires: &[
        ("peer_table.req_replaced", "sender.req_destination_pdc"),
        ("peer_table.job_usual", "last_requests.destination_pdc"),
        ("timing.ack_is_refused", "receiver.heard_is_refused"),
    ],
    ..Layer::NONE
};
