//! The ports of the block.

use crate::config::{Config, Events, Nic, PeerTable};
use crate::cores::rewrite::describe::{KEEP, Unnamed, port};
use crate::manifest::Direction::{self, Input, Output};
use crate::manifest::Port;
use crate::nic::events::RECORD_BITS;

/// All ports, in the order in which they are printed.
pub fn ports(config: &Config) -> Vec<Port> {
    let mut ports = vec![
        port("clk", Input, 1, CLOCK, "everything happens at its rising edge"),
        port(
            "rst",
            Input,
            1,
            CLOCK,
            "synchronous, active high: as after power-up, but for the count of cycles",
        ),
    ];
    ports.extend(registers());
    ports.extend(stream(config, "tx_in", HOST_IN, Input, "of no meaning, carried with the frame"));
    ports.extend(stream(
        config,
        "tx_out",
        MAC_OUT,
        Output,
        "that of `tx_in`; 0 of frames that the block makes; 1 in the beat that ends a frame which the command reset cut",
    ));
    ports.extend(stream(config, "rx_in", MAC_IN, Input, "in the last beat: the MAC found the frame bad"));
    ports.extend(stream(config, "rx_out", HOST_OUT, Output, ""));
    ports.extend(metadata(config));
    if config.nic.events == Events::Port {
        ports.extend([
            port("event_tdata", Output, RECORD_BITS as u32, EVENTS, "a record"),
            port("event_tvalid", Output, 1, EVENTS, "a record is offered"),
            port("event_tready", Input, 1, EVENTS, "the host takes it"),
        ]);
    }
    ports
}

const CLOCK: &str = "Clock and reset";
const REGISTERS: &str = "Registers, AXI4-Lite";
const HOST_IN: &str = "Frames from the host, AXI4-Stream";
const MAC_OUT: &str = "Frames to the MAC, AXI4-Stream";
const MAC_IN: &str = "Frames from the MAC, AXI4-Stream";
const HOST_OUT: &str = "Frames to the host, AXI4-Stream";
const METADATA: &str = "What the frame on rx_out is, constant during it";
const EVENTS: &str = "Events for the host, AXI4-Stream";

fn registers() -> Vec<Port> {
    let rows: [(&str, Direction, u32, &str); 17] = [
        ("awaddr", Input, 12, "address of a write, in bytes"),
        ("awvalid", Input, 1, "it is offered"),
        ("awready", Output, 1, "it is taken"),
        ("wdata", Input, 32, "what is written"),
        ("wstrb", Input, 4, "all ones, or the write is refused"),
        ("wvalid", Input, 1, "it is offered"),
        ("wready", Output, 1, "it is taken"),
        ("bresp", Output, 2, "0 done, 2 refused"),
        ("bvalid", Output, 1, "the write is answered"),
        ("bready", Input, 1, "the answer is taken"),
        ("araddr", Input, 12, "address of a read, in bytes"),
        ("arvalid", Input, 1, "it is offered"),
        ("arready", Output, 1, "it is taken"),
        ("rdata", Output, 32, "what is read"),
        ("rresp", Output, 2, "0 done, 2 refused"),
        ("rvalid", Output, 1, "the read is answered"),
        ("rready", Input, 1, "the answer is taken"),
    ];
    rows.map(|(name, direction, width, meaning)| {
        port(&format!("s_axil_{name}"), direction, width, REGISTERS, meaning)
    })
    .into()
}

/// A stream of frames; one without `user` has no `tuser`.
fn stream(config: &Config, prefix: &str, group: &str, forward: Direction, user: &str) -> Vec<Port> {
    let back = if forward == Input { Output } else { Input };
    let unnamed = if forward == Input { Unnamed::Anything } else { Unnamed::Zero };
    let ready = match prefix {
        "rx_in" => "high but during and shortly after a reset: the MAC never waits",
        _ if forward == Input => "from a register",
        _ => "the receiver takes the beat",
    };
    let of = |name: &str, direction, width, meaning: &str| {
        port(&format!("{prefix}_{name}"), direction, width, group, meaning)
    };
    let mut ports = vec![
        of("tdata", forward, config.bus_bits, &unnamed.data()),
        of("tkeep", forward, config.bus_bits / 8, KEEP),
        of("tvalid", forward, 1, "a beat is offered"),
        of("tlast", forward, 1, "last beat of the frame"),
    ];
    if !user.is_empty() {
        ports.push(of("tuser", forward, 1, user));
    }
    ports.push(of("tready", back, 1, ready));
    ports
}

const STATUS_OF_DATA: &str =
    "of data: 0 new, which alone is to be taken in, 1 duplicate, 2 outside the window, ";
const STATUS_OF_OTHERS: &str = "7 not open; 4 no data";

/// What `rx_status` says, which a key adds to.
fn status(nic: &Nic) -> String {
    let peers = match nic.peer_table {
        PeerTable::Off => "",
        PeerTable::On => "6 from another address than the peer's, ",
    };
    let events = match nic.events {
        Events::Port => "",
        Events::Frames => "; 5 a frame of events",
    };
    format!("{STATUS_OF_DATA}{peers}{STATUS_OF_OTHERS}{events}")
}

fn metadata(config: &Config) -> Vec<Port> {
    let has_types = config.has_uet_acks();
    let status = if has_types {
        "of data: 0 new, which alone is to be taken in, 1 received before, 2 outside the window, 6 not of the peer, 7 not open, 9 ahead in a \
         connection in order; 4 no data; 8 with SYN"
            .to_string()
    } else {
        status(&config.nic)
    };
    let status_bits = if has_types { 4 } else { 3 };
    let rows = [
        ("kind", 2, "0 data, 1 ack, 2 probe, 3 other"),
        ("error", 3, "0 none, 1 truncated, 2 bad IPv4 checksum, 3 length mismatch, 4 unsupported"),
        ("conn", 24, "connection; 0 unless the frame is data"),
        ("psn", 32, "packet sequence number"),
        ("bytes", 16, "what follows the header inside UDP"),
        ("ecn", 2, "ECN codepoint: 1 ECT(1), 2 ECT(0), 3 CE"),
        ("ev", 16, "UDP source port"),
        ("timestamp", 16, "timestamp of the sender; uet: 0"),
        ("ack_request", 1, "an ACK is asked for"),
        ("status", status_bits, &status),
    ];
    rows.map(|(name, width, meaning)| port(&format!("rx_{name}"), Output, width, METADATA, meaning)).into()
}
