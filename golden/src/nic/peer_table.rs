//! The peer of each connection: the number by which it knows the connection, and the address from which its packets come.
//!
//! A number is written into what is sent: in `strack` it is the destination QP of data, probes and SACKs, in `uet` the destination PDC of
//! requests. A SACK of `uet` goes to the PDC that the request named as its own, whatever the table says. An address refuses what comes
//! from another one: it changes nothing in any engine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::settings::Settings;
use super::{Nic, Setting};
use crate::rewrite::{Extent, Headers, ProfileTraffic, checksum, read};
use crate::rewrite_rx::Record;
use crate::wire::{Packet, Profile};

/// Bits of the register `peer_flags`: there is a number, there is an address, and it is one of IPv6.
pub const HAS_NUMBER: u32 = 1;
/// There is an address.
pub const HAS_ADDRESS: u32 = 2;
/// The address is one of IPv6, else of IPv4.
pub const IS_IPV6: u32 = 4;

/// Code of what comes from another address than the peer's, beside the statuses of `sack_rx` and `sack_tx`.
pub const OTHER_ADDRESS: u8 = 6;

/// What the host has said of the peer of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerEntry {
    /// The number by which it knows the connection: 24 bits in `strack`, 16 in `uet`.
    pub number: Option<u32>,
    /// Where its packets come from.
    pub address: Option<IpAddr>,
}

impl PeerEntry {
    /// What the registers hold.
    fn of(settings: &Settings) -> PeerEntry {
        let flags = settings.get(Setting::PeerFlags);
        let words =
            [Setting::PeerAddress0, Setting::PeerAddress1, Setting::PeerAddress2, Setting::PeerAddress3]
                .map(|setting| settings.get(setting));
        let address = if flags & IS_IPV6 == 0 {
            IpAddr::V4(Ipv4Addr::from_bits(words[3]))
        } else {
            IpAddr::V6(Ipv6Addr::from_bits(words.iter().fold(0, |all, word| all << 32 | u128::from(*word))))
        };
        PeerEntry {
            number: (flags & HAS_NUMBER != 0).then(|| settings.get(Setting::PeerNumber)),
            address: (flags & HAS_ADDRESS != 0).then_some(address),
        }
    }
}

/// An entry for each connection.
#[derive(Clone, Debug)]
pub(super) struct PeerTable {
    entries: Vec<PeerEntry>,
}

impl PeerTable {
    /// Nothing is known of any peer.
    pub fn new(connections: u32) -> PeerTable {
        PeerTable { entries: vec![PeerEntry::default(); connections as usize] }
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.entries.fill(PeerEntry::default());
    }
}

/// A number that is looked up when the hardware does so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Number {
    #[default]
    NotLookedUp,
    Found(Option<u32>),
}

impl Nic {
    /// The registers of a peer become the entry of a connection.
    pub(super) fn set_peer(&mut self, conn: u16) {
        let entry = PeerEntry::of(&self.settings);
        match &mut self.owed {
            Some(owed) => owed.peer_entries.push_back((conn, entry)),
            None => self.enter(conn, entry),
        }
    }

    fn enter(&mut self, conn: u16, entry: PeerEntry) {
        if let Some(table) = &mut self.peer_table {
            table.entries[usize::from(conn)] = entry;
        }
    }

    /// The entry that the host wrote first is in the table from now on.
    pub fn take_peer_entry(&mut self) -> Option<()> {
        let (conn, entry) = self.owed.as_mut()?.peer_entries.pop_front()?;
        self.enter(conn, entry);
        Some(())
    }

    /// What is known of the peer of a connection; nothing where there is no table.
    pub fn peer_entry(&self, conn: u16) -> PeerEntry {
        self.peer_table.as_ref().map_or_else(PeerEntry::default, |table| table.entries[usize::from(conn)])
    }

    /// The number of the next frame that the block makes is looked up: of the probe in work, or of the first SACK.
    pub fn number_own(&mut self, is_probe: bool) -> Option<()> {
        let conn = if is_probe { self.own_probe.as_ref()?.conn } else { self.sacks.front()?.conn };
        let number = Number::Found(self.peer_entry(conn).number);
        if is_probe {
            self.own_probe.as_mut()?.number = number;
        } else {
            self.sacks.front_mut()?.number = number;
        }
        Some(())
    }

    /// The number that a frame of the block carries; one that is taken step by step has looked it up before.
    pub(super) fn own_number(&self, conn: u16, number: Number) -> Option<u32> {
        match number {
            Number::Found(number) => number,
            Number::NotLookedUp if self.owed.is_some() => None,
            Number::NotLookedUp => self.peer_entry(conn).number,
        }
    }

    /// Whether a frame of a connection comes from another address than its peer's.
    pub(super) fn is_of_another(&self, frame: &[u8], record: &Record) -> bool {
        let expected = self.connection(record.connection).and_then(|conn| self.peer_entry(conn).address);
        expected.is_some_and(|expected| source(frame, self.traffic()) != Some(expected))
    }
}

/// Where a packet of the profile comes from.
pub fn source(frame: &[u8], traffic: ProfileTraffic) -> Option<IpAddr> {
    let headers = read(frame, traffic, Extent::Whole).ok().flatten()?;
    let ip = &frame[headers.ip_at..headers.udp_at];
    Some(if headers.is_ipv4 {
        IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(&ip[12..16]).ok()?))
    } else {
        IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(&ip[8..24]).ok()?))
    })
}

/// The header with the number by which its receiver knows the connection.
pub(super) fn numbered(header: Packet, number: u32) -> Packet {
    match header {
        Packet::StrackData(mut data) => {
            data.connection = number;
            Packet::StrackData(data)
        }
        Packet::UetRequest(mut request) => {
            request.destination_pdc = number as u16;
            Packet::UetRequest(request)
        }
        _ => unreachable!("only data and probes are numbered so"),
    }
}

/// Writes the number by which its receiver knows the connection into a frame, and puts the UDP checksum right; one of 0 says that none was
/// computed, RFC 768.
pub(super) fn write_number(frame: &mut [u8], headers: &Headers, profile: Profile, number: u32) {
    // the words of 16 bits that hold the number, and which bits of the first are others
    let (at, kept) = match profile {
        Profile::Strack => (headers.at + 4, 0xff00),
        Profile::Uet => (headers.at + 8, 0xffff),
    };
    let word = |frame: &[u8], at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
    let before = [word(frame, at), word(frame, at + 2)];
    let after = [before[0] & kept | (number >> 16) as u16 & !kept, number as u16];
    for (word, at) in after.iter().zip([at, at + 2]) {
        frame[at..at + 2].copy_from_slice(&word.to_be_bytes());
    }
    let sum_at = headers.udp_at + 6;
    let old = word(frame, sum_at);
    if old != 0 {
        let changes = [(before[0], after[0]), (before[1], after[1])];
        let sum = match checksum::update(old, &changes) {
            0 => 0xffff,
            sum => sum,
        };
        frame[sum_at..sum_at + 2].copy_from_slice(&sum.to_be_bytes());
    }
}
