//! Who the peers are, where the hosts at both ends say so: they number connections differently, and packets come from a home of their
//! connection or from elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rand::RngExt;
use respray_golden::nic::PeerEntry;
use respray_golden::nic::peer_table::{HAS_ADDRESS, HAS_NUMBER, IS_IPV6};
use respray_golden::rewrite::{Extent, checksum, read};
use respray_golden::rewrite_rx::record;

use super::Traffic;
use crate::nic::difference::Difference;

/// Registers of the address, the first four bytes first.
const ADDRESS: [&str; 4] = ["peer_address_0", "peer_address_1", "peer_address_2", "peer_address_3"];

/// From where the packets of a connection come, over IPv4 and over IPv6.
fn homes(conn: u32) -> [IpAddr; 2] {
    let v6 = 0xfd12_3456_789a_bcde_f013_5791_0000_0000 | u128::from(conn);
    [IpAddr::V4(Ipv4Addr::from_bits(0x0a5b_0000 | conn & 0xffff)), IpAddr::V6(Ipv6Addr::from_bits(v6))]
}

impl Traffic<'_> {
    /// Numbers of the other end differ from those of the block in these bits.
    pub(super) fn begin_peers(&mut self) -> Result<(), Difference> {
        let config = self.end.golden().config();
        if !config.peer_table {
            return Ok(());
        }
        self.mask = self.random.random_range(0..config.connections);
        for at in 0..self.connections.len() {
            let conn = u32::from(self.connections[at].number);
            self.enter(conn, PeerEntry { number: Some(conn ^ self.mask), address: None })?;
            let theirs =
                [("peer_flags", HAS_NUMBER), ("peer_number", conn), ("peer_entry", conn ^ self.mask)];
            for (name, value) in theirs {
                let address = self.peer.address(name).expect("there is such a register");
                self.peer.write(address, value).expect("a value of the register");
            }
        }
        Ok(())
    }

    /// The host of the block says something else of a peer, or nothing.
    pub(super) fn change_peer(&mut self) -> Result<(), Difference> {
        if !self.end.golden().config().peer_table {
            return Ok(());
        }
        let at = self.chosen();
        let conn = u32::from(self.connections[at].number);
        let registers = self.end.golden().registers();
        let bits =
            registers.iter().find(|register| register.name == "peer_number").map_or(0, |one| one.width);
        let random = &mut self.random;
        let right = Some(conn ^ self.mask);
        let number = match random.random_range(0..8) {
            0 => None,
            1 => Some(random.random_range(0..1 << bits)),
            _ => right,
        };
        let address = match random.random_range(0..4) {
            0 => Some(homes(conn)[random.random_range(0..2)]),
            1 => Some(homes(conn + 1)[random.random_range(0..2)]),
            _ => None,
        };
        match random.random_range(0..3) {
            0 => Ok(()),
            1 => self.enter(conn, PeerEntry { number: right, address: None }),
            _ => self.enter(conn, PeerEntry { number, address }),
        }
    }

    fn enter(&mut self, conn: u32, entry: PeerEntry) -> Result<(), Difference> {
        let mut flags = 0;
        if let Some(number) = entry.number {
            flags |= HAS_NUMBER;
            self.end.write("peer_number", number)?;
        }
        if let Some(address) = entry.address {
            flags |= HAS_ADDRESS;
            let bits = match address {
                IpAddr::V4(address) => u128::from(address.to_bits()),
                IpAddr::V6(address) => {
                    flags |= IS_IPV6;
                    address.to_bits()
                }
            };
            for (at, name) in ADDRESS.into_iter().enumerate() {
                self.end.write(name, (bits >> (96 - 32 * at)) as u32)?;
            }
        }
        self.end.write("peer_flags", flags)?;
        self.end.write("peer_entry", conn)
    }

    /// A frame of the network is made to come from the home of its connection or from near it, or comes from where it says.
    pub(super) fn put_home(&mut self, bytes: &mut [u8]) {
        if !self.end.golden().config().peer_table {
            return;
        }
        let Ok(Some(headers)) = read(bytes, self.wire, Extent::Whole) else { return };
        let conn = record(bytes, self.wire).connection;
        let near: u32 = match self.random.random_range(0..8) {
            0 => return,
            1 => self.random.random_range(0..128),
            _ => 128,
        };
        let (ip, udp) = (headers.ip_at, headers.udp_at);
        let [v4, v6] = homes(conn);
        match (headers.is_ipv4, v4, v6) {
            (true, IpAddr::V4(home), _) => {
                let home = if near < 128 { home.to_bits() ^ 1 << (near % 32) } else { home.to_bits() };
                bytes[ip + 12..ip + 16].copy_from_slice(&home.to_be_bytes());
                bytes[ip + 10..ip + 12].fill(0);
                let sum = !checksum::sum(&bytes[ip..udp]);
                bytes[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
            }
            (_, _, IpAddr::V6(home)) => {
                let home = if near < 128 { home.to_bits() ^ 1 << near } else { home.to_bits() };
                bytes[ip + 8..ip + 24].copy_from_slice(&home.to_be_bytes());
            }
            _ => {}
        }
    }
}
