//! The wires of closes of which the host hears.

use super::layer::Layer;
use crate::config::Close;

/// That of a word of the configuration.
pub fn of_closes(close: Close) -> &'static Layer {
    match close {
        Close::Abrupt => &Layer::NONE,
        Close::Graceful => &GRACEFUL,
    }
}

const GRACEFUL: Layer = Layer {
    wires: &[
        // commands
        ("commands.drains", "registers.close_drains"),
        ("commands.drain_ready", "closing.drain_ready"),
        ("commands.has_forgotten", "closing.has_forgotten"),
        ("closing.peers_has_forgotten", "peers.has_forgotten"),
        ("closing.has_command", "registers.command_valid"),
        ("closing.host_drain_valid", "commands.drain_valid"),
        ("closing.host_close_valid", "commands.close_tx_valid"),
        ("closing.host_read_valid", "commands.read_valid"),
        // their ops, and those of the block's own
        ("scoreboard.drain_valid", "closing.drain_valid"),
        ("scoreboard.close_valid", "closing.close_valid"),
        ("scoreboard.read_valid", "closing.read_valid"),
        ("scoreboard.command_conn", "closing.command_conn"),
        ("scoreboard.res_snd_nxt", "sack_tx.res_snd_nxt"),
        ("closing.drained", "scoreboard.drained"),
        ("closing.close_ready", "scoreboard.close_ready"),
        ("closing.renewed", "scoreboard.renewed"),
        ("closing.res_status", "sack_tx.res_status"),
        ("closing.res_snd_una", "sack_tx.res_psn"),
        ("closing.res_snd_nxt", "sack_tx.res_snd_nxt"),
        // packets of the host
        ("closing.req_valid", "sender.req_valid"),
        ("closing.req_ready", "scoreboard.req_ready"),
        ("scoreboard.req_valid", "closing.req_known"),
        ("scoreboard.req_is_held", "closing.req_is_held"),
    ],
    without: &["peers.renewed_conn"],
    cut: &[
        ("closing.req_conn", "sender.req_conn"),
        ("closing.req_psn", "sender.req_psn"),
        ("peers.renewed_conn", "closing.command_conn"),
    ],
    open: &["closing.owns"],
    ..Layer::NONE
};
