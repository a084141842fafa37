//! Widths of the SACK engines, of the header rewriters and of the parts of a NIC around them.

use super::address;
use crate::config::{self, Config};
use crate::cores::rewrite::Geometry;
use crate::cores::shim;

/// Widths of the registers of a NIC.
#[derive(Clone, Copy, Debug)]
pub struct RegisterSizes {
    /// A time of the selector.
    pub time: usize,
    /// The same before it is shifted by less than 4.
    pub time_coarse: usize,
    /// The clock cycles that it is made of.
    pub cycles: usize,
}

impl RegisterSizes {
    /// Of the key `selector.time_bits`.
    pub const fn of(time_bits: u32) -> Self {
        let time = time_bits as usize;
        RegisterSizes { time, time_coarse: time + 3, cycles: time + 16 }
    }
}

/// Widths of both SACK engines. A segment is the 64 packets that one SACK can tell of.
#[derive(Clone, Copy, Debug)]
pub struct SackSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Place of a packet in the window.
    pub place: usize,
    /// The same with the bit that says in which lap around the window.
    pub lapped_place: usize,
    /// Count of packets, 0 to the window.
    pub packets: usize,
    /// Difference of two such counts.
    pub packets_difference: usize,
    /// Count of segments, 0 to those of the window.
    pub segments: usize,
    /// Flags of the segments after the first; one that stays clear where the window is a single segment.
    pub later_segments: usize,
    /// Count of 16-bit words, 0 to those of the window.
    pub words: usize,
    /// Count of 32-bit words, 0 to those of the window.
    pub wide_words: usize,
    /// Address of a packet in the bitmaps of all connections.
    pub bit_address: usize,
    /// Address of a segment in the bitmaps of all connections.
    pub segment_address: usize,
    /// Address of a 16-bit word in the bitmaps of all connections.
    pub word_address: usize,
    /// Address of a 32-bit word in the bitmaps of all connections.
    pub wide_word_address: usize,
    /// Address of one of the four 16-bit words of byte counts of each connection.
    pub bytes_address: usize,
    /// Address of one of the two times of each connection.
    pub time_address: usize,
    /// A PSN.
    pub psn: usize,
    /// Number of a segment: a PSN without its place in the segment.
    pub segment_number: usize,
    /// Difference of two such numbers without its sign.
    pub segment_number_magnitude: usize,
}

impl SackSizes {
    /// Of the keys `connections`, `sack.window` and `sack.psn_bits`.
    pub const fn of(connections: u32, window: u32, psn_bits: u32) -> Self {
        let (conn, place, psn) = (address(connections), address(window), psn_bits as usize);
        let segments = window as usize / 64;
        SackSizes {
            conn,
            place,
            lapped_place: place + 1,
            packets: place + 1,
            packets_difference: place + 2,
            segments: place - 5,
            later_segments: if segments > 1 { segments - 1 } else { 1 },
            words: place - 3,
            wide_words: place - 4,
            bit_address: conn + place,
            segment_address: conn + place - 6,
            word_address: conn + place - 4,
            wide_word_address: conn + place - 5,
            bytes_address: conn + 2,
            time_address: conn + 1,
            psn,
            segment_number: psn - 6,
            segment_number_magnitude: psn - 7,
        }
    }
}

/// Widths of the scoreboard of Ultra Ethernet.
#[derive(Clone, Copy, Debug)]
pub struct UetTxSizes {
    /// Those of [`SackSizes`] with the same names.
    pub conn: usize,
    pub word_address: usize,
    pub bytes_address: usize,
    pub time_address: usize,
    pub packets: usize,
    pub packets_difference: usize,
    pub segments: usize,
    pub words: usize,
    /// Number of a 16-bit word that may lie before the window or behind it.
    pub signed_words: usize,
    pub psn: usize,
    pub segment_number: usize,
    pub segment_number_magnitude: usize,
}

impl UetTxSizes {
    /// Of the keys `connections` and `sack.window`. A window of 64, which the configuration refuses, has the sizes of 128.
    pub const fn of(connections: u32, window: u32) -> Self {
        let window = if window < 128 { 128 } else { window };
        let sizes = SackSizes::of(connections, window, config::Wire::Uet.psn_bits());
        UetTxSizes {
            conn: sizes.conn,
            word_address: sizes.word_address,
            bytes_address: sizes.bytes_address,
            time_address: sizes.time_address,
            packets: sizes.packets,
            packets_difference: sizes.packets_difference,
            segments: sizes.segments,
            words: sizes.words,
            signed_words: sizes.packets_difference - 4,
            psn: sizes.psn,
            segment_number: sizes.segment_number,
            segment_number_magnitude: sizes.segment_number_magnitude,
        }
    }
}

/// Widths of the receiver of Ultra Ethernet.
#[derive(Clone, Copy, Debug)]
pub struct UetRxSizes {
    /// Those of [`SackSizes`] with the same names.
    pub conn: usize,
    pub place: usize,
    pub lapped_place: usize,
    pub segments: usize,
    pub bit_address: usize,
    pub segment_address: usize,
}

impl UetRxSizes {
    /// Of the keys `connections` and `sack.window`. A window of 64, which the configuration refuses, has the sizes of 128.
    pub const fn of(connections: u32, window: u32) -> Self {
        let window = if window < 128 { 128 } else { window };
        let sizes = SackSizes::of(connections, window, config::Wire::Uet.psn_bits());
        UetRxSizes {
            conn: sizes.conn,
            place: sizes.place,
            lapped_place: sizes.lapped_place,
            segments: sizes.segments,
            bit_address: sizes.bit_address,
            segment_address: sizes.segment_address,
        }
    }
}

/// The sizes that both SACK engines have, for the head of their Verilog. That PSNs have the usual width is not said there.
pub(in crate::cores) fn of_sack(config: &Config) -> String {
    let config::Sack { window, psn_bits, .. } = config.sack;
    let sizes = format!("connections = {}, sack.window = {window}", config.connections);
    match psn_bits == config::Sack::default().psn_bits {
        true => sizes,
        false => format!("{sizes}, sack.psn_bits = {psn_bits}"),
    }
}

/// Widths of the header rewriters.
#[derive(Clone, Copy, Debug)]
pub struct BusSizes {
    /// The data of a beat.
    pub data: usize,
    /// Bytes of a beat.
    pub bytes: usize,
    /// 32-bit steps of a beat.
    pub steps: usize,
    /// Number of a beat, which stays at [`Geometry::last_beat`].
    pub beat_number: usize,
    /// What else is kept of a beat in the rewriter of the sender: `tkeep` with `tlast` in place of its lowest bit, and `tuser`.
    pub keep_and_user: usize,
    /// A whole beat: data, `tkeep` and `tuser`.
    pub beat: usize,
    /// Beats that hold the first 36 bytes of a frame when its first beat leaves them, and that beat: what the shims look at.
    pub window: usize,
}

impl BusSizes {
    /// Of the key `bus_bits`.
    pub const fn of(bus_bits: u32) -> Self {
        let data = bus_bits as usize;
        let Geometry { bytes, steps, last_beat, .. } = Geometry::new(data);
        let bytes = bytes as usize;
        BusSizes {
            data,
            bytes,
            steps: steps as usize,
            beat_number: (last_beat + 1).trailing_zeros() as usize,
            keep_and_user: bytes + 1,
            beat: data + bytes + 1,
            window: shim::window(bytes),
        }
    }
}

/// Widths of the memory of what each connection sent last, in lines of 512 bits behind a bus that is no wider.
#[derive(Clone, Copy, Debug)]
pub struct PeerSizes {
    /// The data of a beat.
    pub data: usize,
    /// Number of a connection.
    pub conn: usize,
    /// Address of a beat in the lines of all connections.
    pub beat_address: usize,
    /// Count of beats, 0 to those of a line.
    pub beats: usize,
}

impl PeerSizes {
    /// Of the keys `bus_bits` and `connections`.
    pub const fn of(bus_bits: u32, connections: u32) -> Self {
        let (conn, beat) = (address(connections), address(512 / bus_bits));
        PeerSizes { data: bus_bits as usize, conn, beat_address: conn + beat, beats: beat + 1 }
    }
}

/// Widths of a list of connections in the block that joins the cores.
#[derive(Clone, Copy, Debug)]
pub struct ListSizes {
    /// Number of a connection.
    pub conn: usize,
    /// Count of connections, 0 to all.
    pub places: usize,
    /// A PSN.
    pub psn: usize,
}

impl ListSizes {
    /// Of the keys `connections` and `sack.psn_bits`.
    pub const fn of(connections: u32, psn_bits: u32) -> Self {
        let conn = address(connections);
        ListSizes { conn, places: conn + 1, psn: psn_bits as usize }
    }
}

/// Widths of the places of parked frames.
#[derive(Clone, Copy, Debug)]
pub struct ParkSizes {
    /// The data of a beat.
    pub data: usize,
    /// Its bytes.
    pub bytes: usize,
    /// Number of a beat in its place.
    pub beat: usize,
    /// Address of a beat in all places.
    pub address: usize,
}

impl ParkSizes {
    /// Of the keys `bus_bits` and `nic.park`.
    pub const fn of(bus_bits: u32, park: u32) -> Self {
        let beat = address(place_beats(bus_bits));
        ParkSizes {
            data: bus_bits as usize,
            bytes: bus_bits as usize / 8,
            beat,
            address: beat + address(park),
        }
    }
}

/// Bytes and beats of a place for a packet that is parked, at most.
const MOST_PLACE_BYTES: u32 = 8192;
const MOST_PLACE_BEATS: u32 = 512;

/// Beats of such a place on a bus.
pub const fn place_beats(bus_bits: u32) -> u32 {
    let beats = MOST_PLACE_BYTES / (bus_bits / 8);
    if beats < MOST_PLACE_BEATS { beats } else { MOST_PLACE_BEATS }
}
