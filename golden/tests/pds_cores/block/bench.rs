//! The block with frames that are given as hex digits, from the profile's header on.

use std::iter::from_fn;

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::frame::{Outer, trim};
use respray_golden::nic::{Command, Config, Event, Kind, Nic};
use respray_golden::sack_rx::uet::Connection as Receiving;
use respray_golden::sack_tx::uet::Connection as Sending;
use respray_golden::wire::Profile;

use super::super::{A, B, encapsulation, here};
use super::{events, write_all};
use crate::pds::{D0, TRIMMED, TRIMMED_LAST, from_a, from_b, hex, s2, text};

/// Bits of the register `command_mode`.
pub(super) const RUD: u32 = 0;
pub(super) const ROD: u32 = 1;
pub(super) const HOST_ANSWERS: u32 = 2;

/// A block with the values that its registers have after `rst`, but for the DSCPs of trimmed packets.
pub(super) struct Bench {
    pub nic: Nic,
}

impl Bench {
    pub fn config() -> Config {
        Config { connections: 16, profile: Profile::Uet, ..Config::default() }
    }

    pub fn new() -> Self {
        Bench::of(Bench::config())
    }

    pub fn of(config: Config) -> Self {
        let mut nic = Nic::of_uet(config);
        nic.write_register("dscp_trimmed", TRIMMED.into());
        nic.write_register("dscp_trimmed_last", TRIMMED_LAST.into());
        Bench { nic }
    }

    pub fn command(&mut self, command: Command, conn: u16, psn: u32, mode: u32, peer: u16) {
        let registers = [
            ("command_conn", conn.into()),
            ("command_psn", psn),
            ("command_mode", mode),
            ("command_peer", peer.into()),
            ("command", command as u32),
        ];
        write_all(&mut self.nic, &registers);
    }

    /// Open for receiving.
    pub fn target(conn: u16, psn: u32, mode: u32, peer: u16) -> Self {
        let mut bench = Bench::new();
        bench.command(Command::OpenRx, conn, psn, mode, peer);
        bench
    }

    /// Connection 7 of peer 9, which has sent so many packets from this PSN on.
    pub fn initiator(psn: u32, mode: u32, packets: u32) -> Self {
        let mut bench = Bench::new();
        bench.open_initiator(psn, mode, packets);
        bench
    }

    pub fn open_initiator(&mut self, psn: u32, mode: u32, packets: u32) {
        self.command(Command::OpenTx, A, psn, mode, B);
        for at in 0..packets {
            self.send_data(psn.wrapping_add(at)).expect("the window is open");
        }
    }

    /// The host sends a packet of 1024 bytes of connection 7.
    pub fn send_data(&mut self, psn: u32) -> Option<String> {
        let kind = if self.nic.uet_peer(A).is_some() { "1180" } else { "1184" };
        self.send(&from_a(&format!("{kind}ffff{psn:08x}00070009{}", s2())))
    }

    /// The host offers a frame; the header of what leaves then.
    pub fn send(&mut self, frame: &[u8]) -> Option<String> {
        self.nic.offer(frame.to_vec()).expect("tx_in has room");
        self.nic.transmit().map(|transmitted| text(&transmitted.frame))
    }

    /// The host of connection 9 sends a frame of the control class.
    pub fn send_from_b(&mut self, bytes: &str) -> Option<String> {
        let outer = Outer { from: here(B), to: here(A), ev: 77, dscp: 46, ecn: 0 };
        self.send(&encapsulation().write(&outer, &hex(bytes)))
    }

    /// A frame comes; what leaves then, from the header on.
    pub fn hear(&mut self, frame: Vec<u8>) -> Vec<String> {
        self.nic.receive(frame, false);
        self.transmitted()
    }

    pub fn transmitted(&mut self) -> Vec<String> {
        from_fn(|| self.nic.transmit()).map(|transmitted| text(&transmitted.frame)).collect()
    }

    /// A frame comes from the peer of connection 7.
    pub fn hear_from_b(&mut self, bytes: &str) -> Vec<String> {
        self.hear(from_b(bytes))
    }

    /// A request comes with the header that of S2 and 1024 bytes follow.
    pub fn request(&mut self, header: &str) -> Vec<String> {
        self.hear(from_a(&format!("{header}{}", s2())))
    }

    /// The same, trimmed on its way, or at the last hop.
    pub fn trimmed(&mut self, header: &str, at_last_hop: bool) -> Vec<String> {
        let dscp = if at_last_hop { TRIMMED_LAST } else { TRIMMED };
        self.hear(trim(&from_a(&format!("{header}{}", s2())), 24, dscp))
    }

    /// The same, trimmed on its way; what leaves then is not taken.
    pub fn receive_trimmed(&mut self, header: &str) {
        self.nic.receive(trim(&from_a(&format!("{header}{}", s2())), 24, TRIMMED), false);
    }

    /// `rx_status` of all frames for the host.
    pub fn statuses(&mut self) -> Vec<u8> {
        from_fn(|| self.nic.deliver()).map(|delivery| delivery.status_code()).collect()
    }

    pub fn events(&mut self) -> Vec<Event> {
        events(&mut self.nic)
    }

    /// Kind, PSN and detail of all events but those of round trips, of the path selector, and of what was acknowledged.
    pub fn told(&mut self) -> Vec<(Kind, u32, u16)> {
        let others = [Kind::Rtt, Kind::Acknowledged, Kind::FreezeEntered, Kind::FreezeLeft];
        let events = self.events().into_iter().filter(|event| !others.contains(&event.kind));
        events.map(|event| (event.kind, event.psn, event.detail)).collect()
    }

    /// All that the block knows of its connections, each with its peer.
    pub fn state(&self) -> Vec<(Receiving, Sending, Option<u16>)> {
        let receiver = self.nic.uet_receiver().expect("of Ultra Ethernet");
        let scoreboard = self.nic.uet_scoreboard().expect("of Ultra Ethernet");
        let of = |conn| (*receiver.connection(conn), *scoreboard.connection(conn), self.nic.uet_peer(conn));
        (0..16).map(of).collect()
    }

    /// una, nxt and packets in flight of connection 7.
    pub fn stands(&mut self) -> (u32, u32, u32) {
        let state = self.nic.state(A);
        (state.snd_una, state.snd_nxt, state.in_flight)
    }
}

/// An ACK_CC with its default response.
pub(super) fn with_response(ack: &str) -> Vec<String> {
    vec![format!("{ack}{D0}")]
}
