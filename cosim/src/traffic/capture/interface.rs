//! The interfaces of a pcapng section, and where a packet block keeps its frame.

use pcap_parser::pcapng::{Block, EnhancedPacketBlock, InterfaceDescriptionBlock, OptionCode};

use super::error::{Fault, MAX_CAPTURED};

/// First data byte in an enhanced packet block.
const ENHANCED_DATA: usize = 28;
/// First data byte in a simple packet block.
const SIMPLE_DATA: usize = 12;

/// What an interface description block says about the frames of its interface.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    link_type: i32,
    /// Bytes a frame is cut to; 0: no limit.
    snap_len: u32,
    /// Time units in a second.
    units: u128,
    /// Seconds added to every time.
    offset_s: i64,
}

/// A frame's place in its block.
#[derive(Clone, Copy, Debug)]
pub struct PacketPlace {
    pub time_ns: u64,
    pub link_type: i32,
    pub wire_len: usize,
    /// First byte of the frame in the block.
    pub start: usize,
    /// Bytes captured.
    pub captured: usize,
}

impl Interface {
    /// Takes one block: an interface is added to the list, a packet gives its place, all else is passed over.
    pub fn apply(
        block: &Block<'_>,
        big_endian: bool,
        interfaces: &mut Vec<Interface>,
        last_time_ns: u64,
    ) -> Result<Option<PacketPlace>, Fault> {
        match block {
            Block::InterfaceDescription(description) => {
                interfaces.push(Interface::describe(description, big_endian)?);
                Ok(None)
            }
            Block::EnhancedPacket(packet) => {
                let interface = find(interfaces, packet.if_id)?;
                if packet.caplen > MAX_CAPTURED {
                    return Err(Fault::CapturedLength(packet.caplen));
                }
                Ok(Some(PacketPlace {
                    time_ns: interface.time_ns(packet),
                    link_type: interface.link_type,
                    wire_len: packet.origlen.max(packet.caplen) as usize,
                    start: ENHANCED_DATA,
                    captured: (packet.caplen as usize).min(packet.data.len()),
                }))
            }
            Block::SimplePacket(packet) => {
                let interface = find(interfaces, 0)?;
                let snap_len = if interface.snap_len == 0 { u32::MAX } else { interface.snap_len };
                let captured = packet.data.len().min(packet.origlen.min(snap_len) as usize);
                if captured > MAX_CAPTURED as usize {
                    return Err(Fault::CapturedLength(captured as u32));
                }
                Ok(Some(PacketPlace {
                    time_ns: last_time_ns,
                    link_type: interface.link_type,
                    wire_len: packet.origlen as usize,
                    start: SIMPLE_DATA,
                    captured,
                }))
            }
            _ => Ok(None),
        }
    }

    fn describe(description: &InterfaceDescriptionBlock<'_>, big_endian: bool) -> Result<Self, Fault> {
        let resolution = description.if_tsresol;
        let exponent = u32::from(resolution & 0x7f);
        let units = match resolution & 0x80 != 0 {
            true if exponent <= 63 => 1u128 << exponent,
            false if exponent <= 19 => 10u128.pow(exponent),
            _ => return Err(Fault::Resolution(resolution)),
        };
        // pcap-parser reads this option as little-endian in either kind of section
        let offset_s = description
            .options
            .iter()
            .find(|option| option.code == OptionCode::IfTsoffset)
            .and_then(|option| <[u8; 8]>::try_from(option.value.get(..8)?).ok())
            .map_or(
                0,
                |bytes| if big_endian { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) },
            );
        Ok(Interface { link_type: description.linktype.0, snap_len: description.snaplen, units, offset_s })
    }

    /// Nanoseconds since 1970, within 0 to 2^64-1.
    fn time_ns(&self, packet: &EnhancedPacketBlock<'_>) -> u64 {
        let ticks = u128::from(packet.ts_high) << 32 | u128::from(packet.ts_low);
        let ns = (ticks * 1_000_000_000 / self.units) as i128 + i128::from(self.offset_s) * 1_000_000_000;
        ns.clamp(0, i128::from(u64::MAX)) as u64
    }
}

fn find(interfaces: &[Interface], id: u32) -> Result<&Interface, Fault> {
    interfaces.get(id as usize).ok_or(Fault::Interface { id, known: interfaces.len() })
}
