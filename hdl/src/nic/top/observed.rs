//! The block as a simulation watches it: the same instances and wires, and outputs that show which op each part takes.
//!
//! The golden `nic` says nothing of cycles. Who compares both in every cycle has to know when, and in which order, the
//! hardware does what the golden one does at once. That shows at the wires between the parts.

use super::{Top, pin};
use crate::config::Config;
use crate::cores::GenerateError;
use crate::cores::prefix::Prefix;
use crate::join::{Source, Watch, WatchError};

/// The output that shows [`Seen`].
pub const SEEN: &str = "seen";

/// Pins that only a block of Ultra Ethernet has.
const OF_TYPES: &[&str] = &[
    "receiver.rx_told",
    "receiver.accept_ready",
    "receiver.issue.accept_taken",
    "receiver.rx_ahead",
    "receiver.rx_control",
    "receiver.rx_trimmed",
    "timing.command_known",
    "timing.bind_known",
    "sack_tx.ack_request",
    "sack_tx.dead",
];

/// Further outputs, and what each shows: an output of a part, or what drives an input.
pub const SEEN_NUMBERS: [(&str, &str); 8] = [
    ("seen_op_kind", "scoreboard.op_kind"),
    ("seen_op_conn", "sack_tx.op_conn"),
    ("seen_spray_kind", "spray.op_kind"),
    // where packets may have to wait
    ("seen_spray_from", "spray.op_from"),
    ("seen_wire_time", "registers.wire_time"),
    ("seen_sack_time", "registers.sack_time"),
    ("seen_selector_time", "registers.selector_time"),
    ("seen_receiver_event_conn", "receiver.event_conn"),
];

macro_rules! seen {
    ($($(#[$doc:meta])* $name:ident = $pin:literal,)*) => {
        /// What the parts do in a cycle.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Seen {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Seen {
            /// Where each field comes from, the first in bit 0: a port of a part, or a signal within it. It is 0 where there is no such part.
            const PINS: &[&str] = &[$($pin),*];

            /// From the output [`SEEN`], the lowest word first.
            #[inline]
            pub fn from_words(words: &[u64]) -> Seen {
                let mut at = 0;
                let mut next = || {
                    let bit = words[at / 64] >> (at % 64) & 1 == 1;
                    at += 1;
                    bit
                };
                Seen { $($name: next(),)* }
            }
        }
    };
}

seen! {
    /// All parts but registers and commands are in reset.
    in_reset = "commands.engine_rst",
    /// A register takes what is written, with the edge of this cycle.
    setting_taken = "registers.control.applies",
    /// A record of a frame from the network is offered, and taken where the other one is set, too.
    meta_valid = "rewrite_rx.meta_valid",
    meta_ready = "receiver.meta_ready",
    /// Two cycles later: the frame is dropped.
    rx_dropped_host = "receiver.rx_dropped_host",
    rx_dropped_engine = "receiver.rx_dropped_engine",
    rx_no_credit = "receiver.rx_no_credit",
    acks_dropped = "receiver.acks_dropped",
    /// A grant of the host counts, or is refused, with the edge of this cycle.
    grant_counts = "receiver.credit.counts",
    /// `sack_rx` takes the op of a command; or a packet takes its turn there, whose result comes later.
    open_rx_valid = "receiver.open_valid",
    close_rx_valid = "receiver.close_valid",
    open_rx_ready = "receiver.open_ready",
    packet_issued = "receiver.issue.issued",
    /// One cycle after the result of a packet: what it was.
    rx_new = "receiver.rx_new",
    rx_duplicate = "receiver.rx_duplicate",
    rx_outside = "receiver.rx_outside",
    rx_not_open = "receiver.rx_not_open",
    rx_probe = "receiver.rx_probes",
    /// And its SACK finds no room.
    sacks_dropped = "receiver.sacks_dropped",
    /// Of `uet`, which keeps when a packet left: data was sent, or sent again; such a decision is noted, or
    /// that a connection was opened, and that of a probe, or who the peer of one is; and what an ACK answers is looked up.
    time_sent = "timing.sent",
    time_again = "timing.again",
    time_packet = "timing.take_decision",
    time_probe = "timing.take_probe",
    looked_up = "timing.take_ack",
    /// An ACK is next.
    ack_valid = "scoreboard.ack_valid",
    /// It is executed, as an op of `sack_tx` or without one.
    ack_taken = "scoreboard.ack_ready",
    /// The next packet of the host is.
    request_taken = "scoreboard.req_ready",
    /// The first connection in recovery is looked at.
    recovery_taken = "scoreboard.recovery_ready",
    /// The command `read` waits for its result.
    read_valid = "scoreboard.read_valid",
    op_valid = "scoreboard.op_valid",
    op_ready = "sack_tx.op_ready",
    /// The walker begins a visit.
    visit = "sack_tx.steps.visit",
    /// What a visit finds, cycles later.
    timed_out = "sack_tx.loss_timeout",
    probe_asked = "sack_tx.probe_due",
    recovery_added = "scoreboard.recovery_add",
    probe_added = "scoreboard.probe_add",
    probe_cancelled = "scoreboard.probe_cancel",
    probe_due = "due.head_valid",
    probe_taken = "prober.due_ready",
    /// Ops for the selector: of the scoreboard, of a command, of a probe.
    spray_valid = "scoreboard.spray_valid",
    spray_ready = "spray.spray_ready",
    nack_valid = "commands.nack_valid",
    nack_ready = "spray.nack_ready",
    /// What its connection sent last is looked at, and it is dropped if that is not known.
    probe_judged = "prober.judges",
    probe_known = "peers.line_known",
    draw_valid = "prober.draw_valid",
    draw_ready = "spray.probe_ready",
    selector_valid = "spray.op_valid",
    selector_ready = "spray.op_ready",
    /// The selector draws the EV of a connection that sends in order.
    ordered_drawn = "ordered.draws",
    /// A packet of the host is granted what was decided.
    granted = "spray.grant_valid",
    /// The EV of the probe comes.
    probe_drawn = "spray.probe_ev_valid",
    /// Where packets may have to wait: beside a grant, the frame is parked; `tx_in` pauses at it; a parked frame leaves; its place is free.
    parked = "spray.count_tx_parked",
    held = "spray.count_tx_held",
    released = "spray.release_valid",
    freed = "park.left_ready",
    /// The first bytes of a data packet have left, and its connection's probes are like it; nothing has left of one that was opened.
    peer_kept = "peers.completes",
    peer_forgotten = "peers.forgets",
    /// A SACK, a probe begins to be made.
    sack_made = "prober.count_tx_sacks",
    probe_made = "prober.count_tx_probes",
    /// Beats into the outlet: of frames that the block makes, and of the host.
    own_valid = "answer.m_axis_tvalid",
    own_last = "answer.m_axis_tlast",
    own_ready = "outlet.a_axis_tready",
    host_valid = "outlet.b_axis_tvalid",
    host_last = "outlet.b_axis_tlast",
    host_ready = "outlet.b_axis_tready",
    /// Of a frame that was parked.
    host_was_parked = "park.m_was_parked",
    /// Where the host says who the peers are: a packet from another address is done; an entry is written; the number of a SACK or of a probe
    /// is looked up.
    rx_other_address = "receiver.rx_other_address",
    peer_entered = "peer_table.peer_ready",
    own_numbered = "peer_table.reads_own",
    own_is_probe = "prober.job_is_probe",
    /// Where the host hears of closes: a read by which a connection drains, or is seen to have drained, waits; it is one of the block's own, or a
    /// close is; the event of the receiver is that of a close.
    drain_valid = "scoreboard.drain_valid",
    closing_owns = "closing.owns",
    closed_rx_told = "receiver.closing.told",
    /// Events: of the scoreboard, of the receiver, of the selector.
    event0_valid = "scoreboard.event_valid",
    event0_ready = "events.event0_ready",
    event1_valid = "receiver.event_valid",
    event1_ready = "events.event1_ready",
    event2_valid = "spray.event_valid",
    event2_ready = "spray.event_ready",
    /// The congestion control takes an ACK, an init; a window is written; the event of one is taken.
    window_ack = "window.takes_ack",
    window_init = "window.takes_init",
    window_written = "window.write_valid",
    window_told = "window.tells",
    /// Where events go in frames: one is begun; an event is next, and goes into it; the frame at `rx_out` is one of events; one that came
    /// waits or passes.
    event_frame_begun = "event_frames.batch.begins",
    event_offered = "events.event_tvalid",
    event_taken = "events.event_tready",
    rx_is_events = "event_frames.m_is_events",
    rx_came_valid = "receiver.m_axis_tvalid",
    /// One was lost: where all meet, two cycles after it was taken there, or before.
    event_lost = "events.events_lost",
    /// Of Ultra Ethernet: a result of `sack_rx` brought an event, or was one of those; a change of a command, of a first ACK is known; a visit asks
    /// for the cumulative PSN, or finds a connection dead.
    rx_told = "receiver.rx_told",
    rx_ahead = "receiver.rx_ahead",
    /// `sack_rx` takes a packet that the host has taken in; its result comes.
    accept_taken = "receiver.issue.accept_taken",
    accept_done = "receiver.accept_ready",
    rx_control = "receiver.rx_control",
    rx_trimmed = "receiver.rx_trimmed",
    flow_changed = "timing.command_known",
    flow_bound = "timing.bind_known",
    ack_request_asked = "sack_tx.ack_request",
    found_dead = "sack_tx.dead",
    event1_lost = "receiver.event_lost",
    event2_lost = "spray.event_lost",
}

impl Top {
    /// What the outputs show.
    fn watches(&self) -> Vec<Watch> {
        // of parts that have other ports where no packet waits, and where the host grants no frames
        let ports: Vec<String> = self.ports_of("spray").into_iter().map(|(name, _)| name).collect();
        let has_credit = self.find("receiver.rx_no_credit").is_some();
        let has_peers = self.find("receiver.rx_other_address").is_some();
        let has_types = self.find("receiver.rx_unbound").is_some();
        let port_is_missing = |instance: &str, port: &str| match instance {
            "spray" => !ports.iter().any(|name| name == port),
            "receiver" if port == "rx_other_address" => !has_peers,
            "timing" if port == "take_probe" => !self.has("last_requests") && !has_types,
            "timing" | "sack_tx" | "receiver" | "sack_rx"
                if OF_TYPES.contains(&format!("{instance}.{port}").as_str()) =>
            {
                !has_types
            }
            "receiver" if port == "closing.told" => !self.has("closing"),
            "scoreboard" if port == "drain_valid" => !self.has("closing"),
            "receiver" => !has_credit && ["rx_no_credit", "credit.counts"].contains(&port),
            _ => false,
        };
        let one = |path: &&str| match path.split_once('.') {
            Some((instance, port)) if !self.has(instance) || port_is_missing(instance, port) => {
                Source::Constant { value: 0, width: 1 }
            }
            _ if self.find(path).is_none() => Source::Within(path.to_string()),
            _ => self.shown(path),
        };
        let bits = Seen::PINS.iter().rev().map(one).collect();
        let seen =
            Watch { name: SEEN.to_string(), width: Seen::PINS.len() as u32, source: Source::Joined(bits) };
        let number = |(name, path): (&str, &str)| {
            let (width, source) = match self.find(path) {
                Some(width) => (width, self.shown(path)),
                None => (2, Source::Constant { value: 0, width: 2 }),
            };
            Watch { name: name.to_string(), width, source }
        };
        [seen].into_iter().chain(SEEN_NUMBERS.map(number)).collect()
    }

    /// An output of a part, or what drives an input.
    fn shown(&self, path: &str) -> Source {
        self.netlist.driver(&pin(path)).cloned().unwrap_or_else(|| pin(path).into())
    }
}

/// The Verilog of the block with the outputs beside its own.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn observed(config: &Config) -> Result<String, GenerateError> {
    let (top, _) = super::top(config, &Prefix::default())?;
    let verilog = top.netlist.verilog()?;
    Ok(top.netlist.watches(&top.watches())?.put_into(&verilog).expect("it is its own text"))
}

/// Puts the outputs into the Verilog of a block of this configuration that somebody has changed. Its lines keep their numbers.
///
/// # Errors
/// A size off the menu in the first place; in the second that it is no such block, or that it lacks what the outputs show.
pub fn watched(config: &Config, verilog: &str) -> Result<Result<String, WatchError>, GenerateError> {
    let (top, _) = super::top(config, &Prefix::default())?;
    Ok(top.netlist.watches(&top.watches())?.put_into(verilog))
}
