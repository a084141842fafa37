//! Which port drives which.

use super::acks::of_acks;
use super::closing::of_closes;
use super::credit::of_credit;
use super::event_frames::of_events;
use super::layer::{Layer, Pair};
use super::parked::of_selector;
use super::peer_table::of_peers;
use super::profiles::profile;
use super::rss_ports::of_ports;
use super::windows::of_window;
use crate::config::Config;

/// All that is known of the wires of a profile.
pub struct Tables {
    pub wires: Vec<Pair>,
    pub cut: Vec<Pair>,
    pub zeros: Vec<(&'static str, u32)>,
    pub ones: Vec<&'static str>,
    pub open: Vec<&'static str>,
}

impl Tables {
    /// Those of a profile, of the window where it is not the host's, and of packets that are parked: they say another thing of some of the
    /// same sinks.
    pub fn new(config: &Config) -> Tables {
        let own = if config.has_uet_acks() { &Layer::NONE } else { profile(config.wire) };
        let [events, granted] = of_events(&config.nic);
        let [peers, of_profile] = of_peers(config);
        let above = [
            of_acks(config.sack.acks),
            of_window(config.nic.window),
            of_selector(config.nic.selector),
            of_credit(config.nic.rx_credit),
            of_ports(config.nic.rss_port),
            of_closes(config.nic.close),
            events,
            granted,
            peers,
            of_profile,
        ];
        let is_kept = |sink: &str| !above.iter().any(|layer| layer.replaces(sink));
        let is_open = |source: &str| !above.iter().any(|layer| layer.reads(source));
        let mut wires = [WIRES, own.wires].concat();
        let mut zeros = [ZEROS, own.zeros].concat();
        let mut cut = [CUT, own.cut].concat();
        wires.retain(|(sink, _)| is_kept(sink));
        cut.retain(|(sink, _)| is_kept(sink));
        zeros.retain(|(sink, _)| is_kept(sink));
        let mut tables = Tables {
            wires,
            cut,
            zeros,
            ones: vec![],
            open: [OPEN, own.open].concat().into_iter().filter(|source| is_open(source)).collect(),
        };
        for layer in above {
            tables.wires.extend(layer.wires);
            tables.cut.extend(layer.cut);
            tables.zeros.extend(layer.zeros);
            tables.ones.extend(layer.ones);
            tables.open.extend(layer.open);
        }
        tables
    }

    /// What drives `sink` by a line of its own.
    pub fn is_listed(&self, sink: &str) -> bool {
        self.wires.iter().chain(&self.cut).any(|(listed, _)| *listed == sink)
    }
}

/// A source that is narrower than its sink is widened with zeros.
const WIRES: &[Pair] = &[
    // host to network
    ("sender.s_axis_tdata", "tx_in_tdata"),
    ("sender.s_axis_tkeep", "tx_in_tkeep"),
    ("sender.s_axis_tvalid", "tx_in_tvalid"),
    ("sender.s_axis_tlast", "tx_in_tlast"),
    ("sender.s_axis_tuser", "tx_in_tuser"),
    ("tx_in_tready", "sender.s_axis_tready"),
    ("sender.udp_port", "registers.udp_port"),
    ("sender.flow_label_enable", "registers.flow_label_enable"),
    ("sender.m_axis_tready", "outlet.b_axis_tready"),
    ("sender.req_ready", "scoreboard.req_ready"),
    ("sender.grant_valid", "spray.grant_valid"),
    ("sender.grant_action", "spray.grant_action"),
    ("sender.grant_ev", "spray.grant_ev"),
    ("sender.grant_timestamp", "registers.wire_time"),
    ("peers.beat_valid", "sender.m_axis_tvalid"),
    ("peers.beat_ready", "outlet.b_axis_tready"),
    ("peers.beat_last", "sender.m_axis_tlast"),
    ("peers.beat_data", "sender.m_axis_tdata"),
    ("peers.is_data", "sender.m_is_data"),
    ("peers.renewed", "scoreboard.renewed"),
    ("outlet.a_axis_tdata", "answer.m_axis_tdata"),
    ("outlet.a_axis_tkeep", "answer.m_axis_tkeep"),
    ("outlet.a_axis_tvalid", "answer.m_axis_tvalid"),
    ("outlet.a_axis_comes", "answer.m_axis_comes"),
    ("outlet.a_axis_tlast", "answer.m_axis_tlast"),
    ("outlet.b_axis_tdata", "sender.m_axis_tdata"),
    ("outlet.b_axis_tkeep", "sender.m_axis_tkeep"),
    ("outlet.b_axis_tvalid", "sender.m_axis_tvalid"),
    ("outlet.b_axis_tlast", "sender.m_axis_tlast"),
    ("outlet.b_axis_tuser", "sender.m_axis_tuser"),
    ("outlet.cut", "commands.engine_rst"),
    ("outlet.m_axis_tready", "tx_out_tready"),
    ("tx_out_tdata", "outlet.m_axis_tdata"),
    ("tx_out_tkeep", "outlet.m_axis_tkeep"),
    ("tx_out_tvalid", "outlet.m_axis_tvalid"),
    ("tx_out_tlast", "outlet.m_axis_tlast"),
    ("tx_out_tuser", "outlet.m_axis_tuser"),
    // network to host
    ("rewrite_rx.s_axis_tdata", "rx_in_tdata"),
    ("rewrite_rx.s_axis_tkeep", "rx_in_tkeep"),
    ("rewrite_rx.s_axis_tvalid", "rx_in_tvalid"),
    ("rewrite_rx.s_axis_tlast", "rx_in_tlast"),
    ("rewrite_rx.s_axis_tuser", "rx_in_tuser"),
    ("rx_in_tready", "rewrite_rx.s_axis_tready"),
    ("rewrite_rx.udp_port", "registers.udp_port"),
    ("rewrite_rx.m_axis_tready", "receiver.s_axis_tready"),
    ("rewrite_rx.meta_ready", "receiver.meta_ready"),
    ("receiver.s_axis_tdata", "rewrite_rx.m_axis_tdata"),
    ("receiver.s_axis_tkeep", "rewrite_rx.m_axis_tkeep"),
    ("receiver.s_axis_tvalid", "rewrite_rx.m_axis_tvalid"),
    ("receiver.s_axis_tlast", "rewrite_rx.m_axis_tlast"),
    ("receiver.s_axis_tuser", "rewrite_rx.m_axis_tuser"),
    ("receiver.m_axis_tready", "rx_out_tready"),
    ("rx_out_tdata", "receiver.m_axis_tdata"),
    ("rx_out_tkeep", "receiver.m_axis_tkeep"),
    ("rx_out_tvalid", "receiver.m_axis_tvalid"),
    ("rx_out_tlast", "receiver.m_axis_tlast"),
    // ACKs, requests and commands to the scoreboard
    ("scoreboard.ack_conn", "receiver.heard_conn"),
    ("scoreboard.ack_ev", "receiver.heard_ev"),
    ("scoreboard.ack_ecn", "receiver.heard_ecn"),
    ("scoreboard.req_valid", "sender.req_valid"),
    ("scoreboard.req_is_probe", "sender.req_is_probe"),
    ("scoreboard.req_conn", "sender.req_conn"),
    ("scoreboard.req_psn", "sender.req_psn"),
    ("scoreboard.recovery_valid", "recovery.head_valid"),
    ("scoreboard.recovery_conn", "recovery.head_conn"),
    ("recovery.head_ready", "scoreboard.recovery_ready"),
    ("recovery.add_valid", "scoreboard.recovery_add"),
    ("due.add_valid", "scoreboard.probe_add"),
    ("due.cancel_valid", "scoreboard.probe_cancel"),
    ("due.head_ready", "prober.due_ready"),
    ("scoreboard.event_room", "events.has_room"),
    ("scoreboard.open_valid", "commands.open_tx_valid"),
    ("scoreboard.close_valid", "commands.close_tx_valid"),
    ("scoreboard.read_valid", "commands.read_valid"),
    ("scoreboard.command_psn", "registers.command_psn"),
    ("scoreboard.wire_time", "registers.wire_time"),
    ("scoreboard.sack_time", "registers.sack_time"),
    ("scoreboard.wire_prescale", "registers.wire_prescale"),
    ("scoreboard.sack_prescale", "registers.sack_prescale"),
    ("scoreboard.cwnd_packets", "registers.cwnd_packets"),
    ("scoreboard.op_ready", "sack_tx.op_ready"),
    ("scoreboard.res_valid", "sack_tx.res_valid"),
    ("scoreboard.res_conn", "sack_tx.res_conn"),
    ("scoreboard.res_status", "sack_tx.res_status"),
    ("scoreboard.res_psn", "sack_tx.res_psn"),
    ("scoreboard.res_acked", "sack_tx.res_acked"),
    ("scoreboard.res_in_flight", "sack_tx.res_in_flight"),
    ("scoreboard.res_bytes_in_flight", "sack_tx.res_bytes_in_flight"),
    ("scoreboard.loss_ooo", "sack_tx.loss_ooo"),
    ("scoreboard.loss_probe", "sack_tx.loss_probe"),
    ("scoreboard.loss_timeout", "sack_tx.loss_timeout"),
    ("scoreboard.probe_due", "sack_tx.probe_due"),
    ("scoreboard.recovery_left", "sack_tx.recovery_left"),
    ("scoreboard.event_ready", "events.event0_ready"),
    ("scoreboard.spray_ready", "spray.spray_ready"),
    ("scoreboard.decide_ready", "spray.decide_ready"),
    // the scoreboard's engine
    ("sack_tx.op_valid", "scoreboard.op_valid"),
    ("sack_tx.op_kind", "scoreboard.op_kind"),
    ("sack_tx.op_bytes", "sender.req_bytes"),
    ("sack_tx.op_bitmap", "receiver.heard_bitmap"),
    ("sack_tx.op_timestamp", "scoreboard.op_timestamp"),
    ("sack_tx.op_probe", "receiver.heard_probe"),
    ("sack_tx.now", "registers.sack_time"),
    ("sack_tx.cwnd_packets", "registers.cwnd_packets"),
    ("sack_tx.probe_timeout", "registers.probe_timeout"),
    ("sack_tx.probe_rtt", "registers.probe_rtt"),
    ("sack_tx.rto", "registers.rto"),
    ("sack_tx.rto_backoff_max", "registers.rto_backoff_max"),
    // the receiver's engine
    ("receiver.open_valid", "commands.open_rx_valid"),
    ("receiver.close_valid", "commands.close_rx_valid"),
    ("receiver.rx_op_ready", "sack_rx.op_ready"),
    ("receiver.rx_res_valid", "sack_rx.res_valid"),
    ("receiver.rx_res_status", "sack_rx.res_status"),
    ("receiver.rx_sack_valid", "sack_rx.sack_valid"),
    ("receiver.event_ready", "events.event1_ready"),
    ("sack_rx.op_valid", "receiver.rx_op_valid"),
    ("sack_rx.sack_threshold", "registers.sack_threshold"),
    // the selector
    ("spray.spray_valid", "scoreboard.spray_valid"),
    ("spray.spray_kind", "scoreboard.spray_kind"),
    ("spray.spray_conn", "scoreboard.spray_conn"),
    ("spray.spray_ev", "scoreboard.spray_ev"),
    ("spray.spray_ecn", "scoreboard.spray_ecn"),
    ("spray.decide_valid", "scoreboard.decide_valid"),
    ("spray.decide_action", "scoreboard.decide_action"),
    ("spray.nack_valid", "commands.nack_valid"),
    ("spray.nack_ev", "registers.command_ev"),
    ("spray.probe_valid", "prober.draw_valid"),
    ("spray.probe_conn", "prober.draw_conn"),
    ("spray.res_valid", "selector.res_valid"),
    ("spray.res_conn", "selector.res_conn"),
    ("spray.res_kind", "selector.res_kind"),
    ("spray.res_ev", "selector.res_ev"),
    ("spray.event_ready", "events.event2_ready"),
    ("selector.op_kind", "spray.op_kind"),
    ("selector.op_ev", "spray.op_ev"),
    ("selector.op_ecn", "spray.op_ecn"),
    // probes and SACKs
    ("prober.due_valid", "due.head_valid"),
    ("prober.due_conn", "due.head_conn"),
    ("prober.due_psn", "due.head_psn"),
    ("prober.draw_ready", "spray.probe_ready"),
    ("prober.ev_valid", "spray.probe_ev_valid"),
    ("prober.ev", "spray.probe_ev"),
    ("prober.line_valid", "peers.line_valid"),
    ("prober.line", "peers.line"),
    ("prober.line_known", "peers.line_known"),
    ("prober.wire_time", "registers.wire_time"),
    ("prober.job_ready", "answer.job_ready"),
    ("prober.answer_valid", "receiver.answer_valid"),
    ("prober.answer_conn", "receiver.answer_conn"),
    ("prober.answer_psn", "receiver.answer_psn"),
    ("prober.answer_ev", "receiver.answer_ev"),
    ("prober.answer_timestamp", "receiver.answer_timestamp"),
    ("receiver.answer_ready", "prober.answer_ready"),
    ("answer.sack_line_valid", "receiver.line_valid"),
    ("answer.sack_line", "receiver.line"),
    ("answer.job_valid", "prober.job_valid"),
    ("answer.job_is_probe", "prober.job_is_probe"),
    ("answer.job_probe_line", "prober.probe_line"),
    ("answer.job_psn", "prober.job_psn"),
    ("answer.job_ev", "prober.job_ev"),
    ("answer.job_timestamp", "prober.job_timestamp"),
    ("answer.job_epsn", "receiver.answer_epsn"),
    ("answer.job_base", "receiver.answer_base"),
    ("answer.job_bitmap", "receiver.answer_bitmap"),
    ("answer.job_ooo", "receiver.answer_ooo"),
    ("answer.job_bytes_recvd", "receiver.answer_bytes_recvd"),
    ("answer.job_ecn", "receiver.answer_ecn"),
    ("answer.job_probe", "receiver.answer_probe"),
    ("answer.job_flow_label", "registers.flow_label_enable"),
    ("answer.udp_port", "registers.udp_port"),
    ("answer.m_axis_tready", "outlet.a_axis_tready"),
    // events
    ("events.event_enable", "registers.event_enable"),
    ("events.event0_valid", "scoreboard.event_valid"),
    ("events.event0_kind", "scoreboard.event_kind"),
    ("events.event0_conn", "scoreboard.event_conn"),
    ("events.event0_psn", "scoreboard.event_psn"),
    ("events.event0_detail", "scoreboard.event_detail"),
    ("events.event0_in_flight", "scoreboard.event_in_flight"),
    ("events.event0_value", "scoreboard.event_value"),
    ("events.event1_valid", "receiver.event_valid"),
    ("events.event1_kind", "receiver.event_kind"),
    ("events.event1_conn", "receiver.event_conn"),
    ("events.event1_psn", "receiver.event_psn"),
    ("events.event1_detail", "receiver.event_detail"),
    ("events.event2_valid", "spray.event_valid"),
    ("events.event2_kind", "spray.event_kind"),
    ("events.event2_conn", "spray.event_conn"),
    ("events.event_tready", "event_tready"),
    ("event_tdata", "events.event_tdata"),
    ("event_tvalid", "events.event_tvalid"),
    // commands
    ("commands.command_valid", "registers.command_valid"),
    ("commands.command_code", "registers.command_code"),
    ("commands.open_tx_ready", "scoreboard.open_ready"),
    ("commands.close_tx_ready", "scoreboard.close_ready"),
    ("commands.has_forgotten", "peers.has_forgotten"),
    ("commands.open_rx_ready", "receiver.open_ready"),
    ("commands.read_ready", "scoreboard.read_ready"),
    ("commands.nack_ready", "spray.nack_ready"),
    ("commands.sack_tx_ready", "sack_tx.op_ready"),
    ("commands.sack_rx_ready", "sack_rx.op_ready"),
    ("commands.selector_ready", "selector.op_ready"),
    ("commands.recovery_ready", "recovery.ready"),
    ("commands.due_ready", "due.ready"),
    ("registers.command_ready", "commands.command_ready"),
    ("registers.result_status", "sack_tx.res_status"),
    ("registers.result_snd_una", "sack_tx.res_psn"),
    ("registers.result_snd_nxt", "sack_tx.res_snd_nxt"),
    ("registers.result_in_flight", "sack_tx.res_in_flight"),
    ("registers.result_bytes_in_flight", "sack_tx.res_bytes_in_flight"),
    ("registers.result_in_recovery", "sack_tx.res_in_recovery"),
    ("registers.events_waiting", "events.events_waiting"),
    // counters
    ("pulses.own_probe", "prober.count_tx_probes"),
    ("pulses.host_probe", "scoreboard.host_probe"),
    ("pulses.passed", "sender.pkt_passed"),
    ("pulses.malformed", "sender.pkt_malformed"),
    ("pulses.event_lost", "events.events_lost"),
    ("pulses.receiver_event_lost", "receiver.event_lost"),
    ("pulses.spray_event_lost", "spray.event_lost"),
    ("registers.count_tx_data", "scoreboard.count_tx_data"),
    ("registers.count_tx_again", "scoreboard.count_tx_again"),
    ("registers.count_tx_probes", "pulses.count_tx_probes"),
    ("registers.count_tx_sacks", "prober.count_tx_sacks"),
    ("registers.count_tx_other", "pulses.count_tx_other"),
    ("registers.count_tx_malformed", "sender.pkt_malformed"),
    ("registers.count_tx_refused", "scoreboard.count_tx_refused"),
    ("registers.count_selector_explore", "spray.count_explore"),
    ("registers.count_selector_recycle", "spray.count_recycle"),
    ("registers.count_selector_replay", "spray.count_replay"),
    ("registers.count_rx_new", "receiver.rx_new"),
    ("registers.count_rx_duplicate", "receiver.rx_duplicate"),
    ("registers.count_rx_outside", "receiver.rx_outside"),
    ("registers.count_rx_not_open", "receiver.rx_not_open"),
    ("registers.count_rx_marked", "receiver.rx_marked"),
    ("registers.count_rx_probes", "receiver.rx_probes"),
    ("registers.count_rx_acks", "scoreboard.count_rx_acks"),
    ("registers.count_rx_acks_old", "scoreboard.count_rx_acks_old"),
    ("registers.count_rx_acks_bad", "scoreboard.count_rx_acks_bad"),
    ("registers.count_rx_other", "receiver.rx_other"),
    ("registers.count_rx_malformed", "receiver.rx_malformed"),
    ("registers.count_rx_bad", "receiver.rx_bad"),
    ("registers.count_rx_dropped_host", "receiver.rx_dropped_host"),
    ("registers.count_rx_dropped_engine", "receiver.rx_dropped_engine"),
    ("registers.count_acks_dropped", "receiver.acks_dropped"),
    ("registers.count_sacks_dropped", "receiver.sacks_dropped"),
    ("registers.count_loss_ooo", "scoreboard.count_loss_ooo"),
    ("registers.count_loss_probe", "scoreboard.count_loss_probe"),
    ("registers.count_loss_timeout", "scoreboard.count_loss_timeout"),
    ("registers.count_recovery_left", "scoreboard.count_recovery_left"),
    ("registers.count_handed_out", "scoreboard.count_handed_out"),
    ("registers.count_events_lost", "pulses.count_events_lost"),
];

/// Of the source the sink takes the lower bits: a connection and a PSN have the width of their engine there, and of a
/// number that does not exist no engine is asked.
const CUT: &[Pair] = &[
    ("sack_tx.op_conn", "scoreboard.op_conn"),
    ("sack_tx.op_psn", "scoreboard.op_psn"),
    ("receiver.open_psn", "registers.command_psn"),
    ("recovery.add_conn", "scoreboard.list_conn"),
    ("recovery.add_psn", "scoreboard.list_psn"),
    ("due.add_conn", "scoreboard.list_conn"),
    ("due.add_psn", "scoreboard.list_psn"),
    ("due.cancel_conn", "scoreboard.list_conn"),
    ("recovery.cancel_conn", "scoreboard.list_conn"),
    ("selector.op_conn", "spray.op_conn"),
    ("receiver.open_conn", "registers.command_conn"),
    ("selector.now", "registers.selector_time"),
    ("selector.seed", "registers.seed"),
    ("peers.conn", "sender.m_conn"),
    ("peers.renewed_conn", "registers.command_conn"),
    ("peers.read_conn", "prober.draw_conn"),
];

/// Sinks that are 0, with their widths.
const ZEROS: &[(&str, u32)] = &[
    ("recovery.cancel_valid", 1),
    ("events.event1_in_flight", 16),
    ("events.event1_value", 32),
    ("events.event2_psn", 32),
    ("events.event2_detail", 16),
    ("events.event2_in_flight", 16),
    ("events.event2_value", 32),
];

/// Outputs of which nothing, or not every bit, is read.
const OPEN: &[&str] = &[
    "registers.selector_prescale",
    "rewrite_rx.pkt_data",
    "rewrite_rx.pkt_ack",
    "rewrite_rx.pkt_probe",
    "rewrite_rx.pkt_other",
    "rewrite_rx.pkt_malformed",
    "receiver.heard_flags",
    "recovery.head_psn",
    "sack_tx.res_rtt_valid",
    "sack_tx.res_rtt",
    "sack_rx.res_conn",
    "sender.pkt_rewritten",
    "sender.pkt_dropped",
];
