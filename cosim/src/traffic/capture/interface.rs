//! The interfaces of a pcapng section, and where a packet block keeps its frame.

use pcap_parser::pcapng::{Block, EnhancedPacketBlock, InterfaceDescriptionBlock, OptionCode, PcapNGOption};

use super::error::{Fault, MAX_CAPTURED, MAX_INTERFACES};

/// First data byte in an enhanced packet block.
const ENHANCED_DATA: usize = 28;
/// First data byte in a simple packet block.
const SIMPLE_DATA: usize = 12;
/// Bytes of an interface description block without its options, and of the head of an option.
const DESCRIPTION: usize = 20;
const OPTION_HEAD: usize = 4;
/// Options that `pcap-parser` has no names for: the length of the frame check sequence, of an interface and of a packet.
const IF_FCSLEN: OptionCode = OptionCode(13);
const EPB_FLAGS: OptionCode = OptionCode(2);
/// Up to this number an `if_fcslen` counts bytes, as Wireshark writes it, and beyond it bits, as the draft has it.
const MOST_CHECK_BYTES: u8 = 15;

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
    /// Bytes of the frame check sequence behind every frame.
    check_bytes: usize,
}

/// A frame's place in its block.
#[derive(Clone, Copy, Debug)]
pub struct PacketPlace {
    pub time_ns: Option<u64>,
    pub link_type: i32,
    pub wire_len: usize,
    /// First byte of the frame in the block.
    pub start: usize,
    /// Bytes captured.
    pub captured: usize,
}

impl PacketPlace {
    /// The frame without a frame check sequence of so many bytes at its end, of which the snap length may have left none.
    pub fn without_check(self, check_bytes: usize) -> PacketPlace {
        let wire_len = self.wire_len.saturating_sub(check_bytes);
        PacketPlace { wire_len, captured: self.captured.min(wire_len), ..self }
    }
}

impl Interface {
    /// Takes one block: an interface is added to the list, a packet gives its place, all else is passed over.
    pub fn apply(
        block: &Block<'_>,
        big_endian: bool,
        interfaces: &mut Vec<Interface>,
    ) -> Result<Option<PacketPlace>, Fault> {
        match block {
            Block::InterfaceDescription(_) if interfaces.len() == MAX_INTERFACES => Err(Fault::Interfaces),
            Block::InterfaceDescription(description) => {
                interfaces.push(Interface::describe(description, big_endian)?);
                Ok(None)
            }
            Block::EnhancedPacket(packet) => {
                let interface = find(interfaces, packet.if_id)?;
                if packet.caplen > MAX_CAPTURED {
                    return Err(Fault::CapturedLength(packet.caplen));
                }
                let place = PacketPlace {
                    time_ns: Some(interface.time_ns(packet)?),
                    link_type: interface.link_type,
                    wire_len: packet.origlen.max(packet.caplen) as usize,
                    start: ENHANCED_DATA,
                    captured: (packet.caplen as usize).min(packet.data.len()),
                };
                let own = check_bytes_of(packet, big_endian)?;
                Ok(Some(place.without_check(own.unwrap_or(interface.check_bytes))))
            }
            Block::SimplePacket(packet) => {
                let interface = find(interfaces, 0)?;
                let snap_len = if interface.snap_len == 0 { u32::MAX } else { interface.snap_len };
                let captured = packet.data.len().min(packet.origlen.min(snap_len) as usize);
                if captured > MAX_CAPTURED as usize {
                    return Err(Fault::CapturedLength(captured as u32));
                }
                let place = PacketPlace {
                    time_ns: None,
                    link_type: interface.link_type,
                    wire_len: packet.origlen as usize,
                    start: SIMPLE_DATA,
                    captured,
                };
                Ok(Some(place.without_check(interface.check_bytes)))
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
        // pcap-parser takes options as long as they fit, so that one which does not would hide those behind it
        let options: usize = description.options.iter().map(|option| OPTION_HEAD + option.value.len()).sum();
        if options != (description.block_len1 as usize).saturating_sub(DESCRIPTION) {
            return Err(Fault::Block(description.block_type));
        }
        option::<1>(&description.options, OptionCode::IfTsresol, "if_tsresol")?;
        // pcap-parser reads this option as little-endian in either kind of section
        let offset_s = option(&description.options, OptionCode::IfTsoffset, "if_tsoffset")?;
        let offset_s = offset_s.map_or(0, |bytes| {
            if big_endian { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) }
        });
        let check_bytes = option(&description.options, IF_FCSLEN, "if_fcslen")?
            .map_or(0, |[length]| usize::from(if length > MOST_CHECK_BYTES { length / 8 } else { length }));
        let (link_type, snap_len) = (description.linktype.0, description.snaplen);
        Ok(Interface { link_type, snap_len, units, offset_s, check_bytes })
    }

    /// Nanoseconds since 1970.
    fn time_ns(&self, packet: &EnhancedPacketBlock<'_>) -> Result<u64, Fault> {
        let ticks = u128::from(packet.ts_high) << 32 | u128::from(packet.ts_low);
        let ns = (ticks * 1_000_000_000 / self.units) as i128 + i128::from(self.offset_s) * 1_000_000_000;
        u64::try_from(ns).map_err(|_| Fault::Time(ns))
    }
}

/// The value of an option, which must have so many bytes, if there is such an option.
fn option<const N: usize>(
    options: &[PcapNGOption<'_>],
    code: OptionCode,
    name: &'static str,
) -> Result<Option<[u8; N]>, Fault> {
    let option = options.iter().find(|option| option.code == code);
    let Some(option) = option else { return Ok(None) };
    // what is padded to words comes with its padding
    let value = option.value.get(..usize::from(option.len)).unwrap_or(&option.value);
    let value = value.try_into().map_err(|_| Fault::Option { name, length: value.len(), want: N })?;
    Ok(Some(value))
}

/// Bytes of the frame check sequence that the packet's flags tell, `None` if they do not.
fn check_bytes_of(packet: &EnhancedPacketBlock<'_>, big_endian: bool) -> Result<Option<usize>, Fault> {
    let Some(bytes) = option(&packet.options, EPB_FLAGS, "epb_flags")? else { return Ok(None) };
    let flags = if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    let length = flags >> 5 & 15;
    Ok((length != 0).then_some(length as usize))
}

fn find(interfaces: &[Interface], id: u32) -> Result<&Interface, Fault> {
    interfaces.get(id as usize).ok_or(Fault::Interface { id, known: interfaces.len() })
}
